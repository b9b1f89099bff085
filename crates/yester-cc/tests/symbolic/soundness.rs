//! What is written behind our back, or done in a way that is not followed: nothing false is recorded, and nothing is lost
//! silently.

use std::fs;
use std::process::Command;

use crate::laboratory::{Input, Laboratory};
use yester_path::{ConstraintKind, Recording};

pub fn branches(recording: &Recording) -> usize {
    recording
        .constraints
        .iter()
        .filter(|constraint| constraint.kind == ConstraintKind::Branch)
        .count()
}

pub fn lost(recording: &Recording, what: &str) -> bool {
    recording.lost.iter().any(|loss| loss.what.contains(what))
}

pub fn recorded(source: &str, input: Input) -> Recording {
    let laboratory = Laboratory::new(source);
    let (output, recording) = laboratory.record(&input);
    assert_eq!(output.stdout, laboratory.plain(&input).stdout);
    recording
}

#[test]
fn sprintf_leaves_no_stale_expression() {
    let recording = recorded(
        "#include <stdio.h>
        int main(void) { char a[16], b[16]; fgets(a, 16, stdin); for (int i = 0; i < 16; i++) b[i] = a[i];
          sprintf(b, \"%s\", \"xbcdef\"); if (b[0] == 'x') puts(\"x\"); if (b[1] == 'b') puts(\"b\"); if (a[1] == 'b') puts(\"a\"); }",
        Input::stdin("abcdefg\n"),
    );
    assert_eq!(branches(&recording), 1);
    assert!(recording.lost.is_empty(), "{:?}", recording.lost);
}

#[test]
fn an_assembler_leaves_no_stale_expression() {
    let recording = recorded(
        "#include <stdio.h>
        int main(void) { char b[4]; b[0] = getchar(); b[1] = getchar(); char *p = b;
          __asm__ volatile(\"movb $65, %0\" : \"=m\"(b[0])); __asm__ volatile(\"movb $66, 1(%0)\" :: \"r\"(p) : \"memory\");
          if (b[0] == 'A') puts(\"A\"); if (b[1] == 'B') puts(\"B\"); }",
        Input::stdin("xy"),
    );
    assert_eq!(branches(&recording), 0);
    assert!(lost(&recording, "assembler"), "{:?}", recording.lost);
}

#[test]
fn code_that_is_not_instrumented_leaves_no_stale_expression() {
    let directory = tempfile::tempdir().expect("a directory");
    let library = directory.path().join("library.c");
    fs::write(
        &library,
        "void change(char *p) { p[0] = 'A'; }\nint call(int (*f)(int), int x) { return f(x + 1); }\nint same(int x) { return x; }\n",
    )
    .expect("written");
    let object = directory.path().join("library.o");
    let status = Command::new("clang-19")
        .args(["-c", "-o"])
        .args([&object, &library])
        .status()
        .expect("clang runs");
    assert!(status.success());
    let laboratory = Laboratory::with_language(
        "#include <stdio.h>
        void change(char *); int call(int (*)(int), int); int same(int);
        static int kept; static int twice(int x) { return 2 * x; }
        static int callback(int x) { if (x == 'y') puts(\"y\"); kept = twice(kept); return x; }
        int main(void) { char b[4]; b[0] = getchar(); b[1] = getchar(); change(b); if (b[0] == 'A') puts(\"A\");
          int c = getchar(); callback(c); kept = c; int d = call(callback, c); if (d == 'z') puts(\"z\"); if (same(c) == 'x') puts(\"x\"); }",
        "c",
        &[object.to_str().expect("a path")],
    );
    let (_, recording) = laboratory.record(&Input::stdin("xyx"));
    // Only the direct call of the callback sees what depends on the input.
    assert_eq!(branches(&recording), 1, "{:?}", recording.lost);
    assert!(lost(&recording, "change") && lost(&recording, "same"));
    // Calling back does not hide that nothing is known about the function itself, so what it was given is assumed.
    assert!(lost(&recording, "call of call"), "{:?}", recording.lost);
}

#[test]
fn long_doubles_are_concretised_and_reported() {
    let recording = recorded(
        "#include <stdio.h>
        int main(void) { int c = getchar(); long double d = c * 0.5L; if (d > 50) puts(\"more\"); int e = (int)d; if (e == 48) puts(\"48\"); }",
        Input::stdin("a"),
    );
    assert_eq!(branches(&recording), 0);
    assert_eq!(recording.constraints.len(), 1);
    assert!(lost(&recording, "long double"));
}

#[test]
fn numbers_of_128_bits_are_concretised_and_reported() {
    let recording = recorded(
        "#include <stdio.h>
        int main(void) { unsigned __int128 x = getchar(); x *= x; x <<= 40; if ((unsigned long)(x >> 40) > 9000) puts(\"more\"); }",
        Input::stdin("a"),
    );
    assert_eq!(branches(&recording), 0);
    assert!(lost(&recording, "64 bits"));
}

#[test]
fn a_store_through_a_symbolic_index_is_concretised() {
    let recording = recorded(
        "#include <stdio.h>
        int main(void) { int counts[256] = { 0 }; unsigned char c = getchar(); counts[c]++; if (counts['a'] == 1) puts(\"one\"); }",
        Input::stdin("a"),
    );
    assert!(
        lost(&recording, "written at an address"),
        "{:?}",
        recording.lost
    );
    assert!(
        recording
            .constraints
            .iter()
            .any(|constraint| constraint.kind == ConstraintKind::Concretised)
    );
}

#[test]
fn a_signal_handler_and_threads_do_no_harm() {
    let laboratory = Laboratory::with_language(
        "#include <pthread.h>
        #include <signal.h>
        #include <stdio.h>
        #include <unistd.h>
        static volatile int sum; static unsigned char input[64];
        static void handler(int s) { for (int i = 0; i < 64; i++) if (input[i] == 'q') sum++; }
        static void *work(void *p) { int n = 0; for (int r = 0; r < 200; r++) for (int i = 0; i < 64; i++) if (input[i] * 3 + r > 400) n++; return (void *)(long)n; }
        int main(void) { pthread_t t[3]; fread(input, 1, 64, stdin); signal(SIGALRM, handler);
          for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);
          long all = 0; for (int i = 0; i < 3; i++) { void *r; pthread_join(t[i], &r); all += (long)r; }
          raise(SIGALRM); printf(\"%ld\\n\", all); }",
        "c",
        &["-pthread"],
    );
    let input = Input::stdin(&"abcdefgq".repeat(8));
    let (output, recording) = laboratory.record(&input);
    assert!(output.status.success());
    assert!(branches(&recording) >= 3 * 200 * 64);
}

#[test]
fn a_child_process_goes_on_recording() {
    let laboratory = Laboratory::new(
        "#include <stdio.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int main(void) { int c = getchar(); if (c == 'a') puts(\"a\"); fflush(stdout);
          if (fork() == 0) { if (c > 'A') puts(\"child\"); fflush(stdout); _exit(0); } wait(0); if (c < 'z') puts(\"parent\"); }",
    );
    let (output, recording) = laboratory.record(&Input::stdin("a"));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "a\nchild\nparent\n"
    );
    assert_eq!(branches(&recording), 2);
    let child = laboratory.child();
    assert_eq!(branches(&child), 2);
    let condition = yester_path::PathCondition::new(&child.graph, &child.constraints);
    assert_eq!(condition.violated(&child.values()), None);
}

#[test]
fn the_bytes_behind_a_pipe_have_their_offsets() {
    let recording = recorded(
        "#include <stdio.h>
        int main(void) { char line[32]; int n; scanf(\"%d\", &n); getchar(); fgets(line, 32, stdin); if (line[1] == 'o') puts(\"o\"); }",
        Input::stdin("12\nhello\nworld\n"),
    );
    let offsets: Vec<u64> = recording.input.iter().map(|byte| byte.offset).collect();
    assert_eq!(offsets, (0..9).collect::<Vec<u64>>());
}

#[test]
fn exceptions_and_objects_of_cpp_are_followed() {
    let laboratory = Laboratory::with_language(
        "#include <cstdio>
        #include <string>
        #include <vector>
        struct shape { virtual int area(int) = 0; virtual ~shape() {} };
        struct square : shape { int area(int x) override { return x * x; } };
        static int check(int c) { if (c == '!') throw std::string(\"yes\"); return c; }
        int main() { int c = getchar(); shape *s = new square; try { check(c); if (s->area(c) == 'a' * 'a') puts(\"no\"); }
          catch (std::string &e) { puts(e.c_str()); } delete s; }",
        "cpp",
        &[],
    );
    assert!(laboratory.reach(&Input::stdin("a"), "yes").is_some());
}

/// What a function without a model read is assumed, so no answer that keeps the path changes it.
#[test]
fn what_a_function_without_a_model_was_given_is_assumed() {
    let bodies = [
        "long double d = strtold(b, 0); if (d > 100) puts(\"big\");",
        "setenv(\"NAME\", b, 1); if (getenv(\"NAME\")[0] == '7') puts(\"seven\");",
        "int r, x = b[0]; __asm__(\"lea 1(%1), %0\" : \"=r\"(r) : \"r\"(x)); if (r == '8') puts(\"seven\");",
        "div_t d = div(b[0], 5); if (d.rem == 3) puts(\"three\");",
    ];
    for body in bodies {
        let laboratory = Laboratory::new(&format!(
            "#include <stdio.h>\n#include <stdlib.h>\n
            int main(void) {{ char b[4] = \"\"; b[0] = getchar(); {body} if (b[0] == '7') puts(\"seven\"); return 0; }}"
        ));
        let (_, recording) = laboratory.record(&Input::stdin("1"));
        assert_eq!(branches(&recording), 1, "{body}");
        assert!(!recording.lost.is_empty(), "{body}");
        assert_eq!(laboratory.turned(&Input::stdin("1")), [], "{body}");
    }
}

/// What comes back through a pipe or a temporary file is not followed, and said to be lost.
#[test]
fn what_the_program_reads_again_is_lost() {
    let ways = [
        "int p[2]; pipe(p); write(p[1], b, 2); read(p[0], a, 2);",
        "FILE *f = tmpfile(); fwrite(b, 1, 2, f); rewind(f); fread(a, 1, 2, f);",
        "FILE *f = fopen(\"scratch\", \"w\"); fwrite(b, 1, 2, f); fclose(f); f = fopen(\"scratch\", \"r\"); fgets(a, 3, f);",
        "int f = open(\"scratch\", O_CREAT | O_WRONLY | O_TRUNC, 0600); write(f, b, 2); close(f);
         f = open(\"scratch\", O_RDONLY); read(f, a, 2);",
        "int p[2]; pipe(p); if (!fork()) { write(p[1], b, 2); _exit(0); } FILE *f = fdopen(p[0], \"r\"); a[0] = getc(f);",
        "FILE *f = popen(\"echo 7\", \"r\"); a[0] = getc(f);",
    ];
    for way in ways {
        let laboratory = Laboratory::new(&format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <fcntl.h>\n
            int main(void) {{ char a[4] = \"\", b[4] = \"\"; b[0] = getchar(); b[1] = getchar();
              {way} if (a[0] == '7') puts(\"seven\"); return 0; }}"
        ));
        let (_, recording) = laboratory.record(&Input::stdin("12"));
        assert!(
            lost(&recording, "is not followed"),
            "{way}: {:?}",
            recording.lost
        );
    }
    let reads_only = recorded(
        "#include <stdio.h>
        int main(void) { char a[9] = \"\"; FILE *f = fopen(\"/proc/self/comm\", \"r\"); fgets(a, 9, f); puts(getchar() == a[0] ? a : \"no\"); }",
        Input::stdin("1"),
    );
    assert!(reads_only.lost.is_empty(), "{:?}", reads_only.lost);
}
