//! The compiler driver in the place of a compiler: what builds of real programs call.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const CC: &str = env!("CARGO_BIN_EXE_yester-cc");
const CXX: &str = env!("CARGO_BIN_EXE_yester-cxx");

struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Place(tempfile::tempdir().expect("a directory"));
        for (name, text) in files {
            fs::write(place.path(name), text).expect("a file");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn call(&self, program: &str, words: &[&str]) -> Output {
        self.command(program, words).output().expect("it starts")
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(self.0.path())
            .env("YESTER_CC_MODE", "trace");
        command
    }

    /// Succeeds without a word; gives what it printed.
    fn quiet(&self, program: &str, words: &[&str]) -> String {
        let output = self.call(program, words);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {errors}");
        assert_eq!(errors, "", "{words:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a program that records and tells whether it did.
    fn records(&self, program: &str) -> bool {
        let record = self.path("record");
        let _ = fs::remove_dir_all(&record);
        let mut command = self.command(program, &[]);
        let status = command
            .env("YESTER_RECORD", &record)
            .stdout(Stdio::null())
            .status();
        assert!(status.expect("it starts").success());
        record.join("0/sites").exists()
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }
}

const MAIN: (&str, &str) = (
    "main.c",
    "int part(int);\nint main(int n, char **v) { return n > 1 ? part(n) : 0; }\n",
);
const PART: (&str, &str) = ("part.c", "int part(int n) { return n - 2; }\n");

#[test]
fn many_files_at_once() {
    let place = Place::new(&[MAIN, PART]);
    place.quiet(CC, &["main.c", "part.c", "-o", "program"]);
    assert!(place.records("./program"));
    place.quiet(CC, &["-c", "main.c", "part.c"]);
    assert!(place.has("main.o") && place.has("part.o"));
    place.quiet(CC, &["main.o", "part.o"]);
    assert!(place.records("./a.out"));
    // Nothing is left behind.
    assert_eq!(
        fs::read_dir(place.0.path()).expect("it is there").count(),
        7
    );
}

#[test]
fn a_mode_that_nobody_knows_is_an_error_before_anything_is_compiled() {
    let place = Place::new(&[MAIN, PART]);
    let mut command = place.command(CC, &["-c", "main.c"]);
    let output = command.env("YESTER_CC_MODE", "folow").output();
    let output = output.expect("it starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    let begin = "yester-cc: failed to read YESTER_CC_MODE=folow: 'folow' is no mode\nhint: use ";
    assert!(errors.starts_with(begin), "{errors}");
    assert_eq!(output.status.code(), Some(1));
    assert!(!place.has("main.o"));
}

#[test]
fn sources_and_objects_mix() {
    let place = Place::new(&[MAIN, PART]);
    place.quiet(CC, &["-c", "part.c", "-o", "part.o"]);
    place.quiet("ar", &["rc", "libpart.a", "part.o"]);
    place.quiet(
        CC,
        &["-O2", "main.c", "-L.", "-lpart", "-lm", "-o", "program"],
    );
    assert!(place.records("./program"));
}

#[test]
fn assembler_goes_both_ways() {
    let place = Place::new(&[
        (
            "main.c",
            "int answer(void); int other(void);\nint main(void) { return answer() + other() - 45; }\n",
        ),
        (
            "answer.s",
            ".globl answer\nanswer: mov $42, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n",
        ),
        (
            "other.S",
            "#define NUMBER 3\n.globl other\nother: mov $NUMBER, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n",
        ),
    ]);
    place.quiet(CC, &["main.c", "answer.s", "other.S", "-o", "program"]);
    assert!(place.records("./program"));
    place.quiet(CC, &["-S", "main.c"]);
    let text = fs::read_to_string(place.path("main.s")).expect("assembler");
    assert!(text.contains("__yester_room"));
    place.quiet(CC, &["-c", "answer.s", "-o", "answer.o"]);
    place.quiet(CC, &["-c", "other.S", "-o", "other.o"]);
    place.quiet(CC, &["main.s", "answer.o", "other.o", "-o", "again"]);
    assert!(place.records("./again"));
}

#[test]
fn standard_input_is_a_source() {
    let place = Place::new(&[]);
    let mut child = place
        .command(CC, &["-x", "c", "-", "-o", "program"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"int main(void) { return 0; }").expect("it reads");
    drop(input);
    assert!(child.wait().expect("it ends").success());
    assert!(place.records("./program"));
}

#[test]
fn lists_of_headers_name_the_users_files() {
    let place = Place::new(&[
        (
            "main.c",
            "#include \"head.h\"\nint main(void) { return HEAD; }\n",
        ),
        ("head.h", "#define HEAD 0\n"),
    ]);
    for (words, list, target) in [
        (&["-MD", "-c", "main.c"][..], "main.d", "main.o:"),
        (
            &["-MMD", "-c", "main.c", "-o", "deep.o"],
            "deep.d",
            "deep.o:",
        ),
        (
            &["-MMD", "-MF", "own.d", "-c", "main.c", "-o", "x.o"],
            "own.d",
            "x.o:",
        ),
        (
            &["-MMD", "-MP", "-MT", "all", "-MFjoined.d", "-c", "main.c"],
            "joined.d",
            "all:",
        ),
        (
            &["-Wp,-MD,pre.d", "-c", "main.c", "-o", "pre.o"],
            "pre.d",
            "pre.o:",
        ),
    ] {
        place.quiet(CC, words);
        let native = place.path(list);
        let ours = fs::read_to_string(&native).unwrap_or_else(|error| panic!("{list}: {error}"));
        fs::remove_file(&native).expect("it is there");
        place.quiet("clang-19", words);
        let theirs = fs::read_to_string(&native).expect("clang writes it");
        assert_eq!(ours, theirs, "{words:?}");
        assert!(ours.starts_with(target), "{ours}");
    }
    let printed = place.quiet(CC, &["-M", "main.c"]);
    assert!(printed.starts_with("main.o: main.c"));
}

#[test]
fn lists_of_headers_of_cxx_name_the_users_files() {
    let place = Place::new(&[
        (
            "main.cc",
            "#include \"head.h\"\nint main() { return HEAD; }\n",
        ),
        ("head.h", "#define HEAD 0\n"),
    ]);
    for words in [
        &["-MD", "-c", "main.cc"][..],
        &[
            "-MMD", "-MP", "-MF", "main.d", "-c", "-o", "deep.o", "main.cc",
        ],
    ] {
        place.quiet(CXX, words);
        let list = place.path("main.d");
        let ours = fs::read_to_string(&list).expect("it is written");
        fs::remove_file(&list).expect("it is there");
        place.quiet("clang++-19", words);
        assert_eq!(ours, fs::read_to_string(&list).expect("clang writes it"));
    }
}

#[test]
fn what_makes_no_code_is_clangs() {
    let place = Place::new(&[PART]);
    for words in [
        &["--version"][..],
        &["-dumpmachine"],
        &["-dumpversion"],
        &["-print-prog-name=ld"],
        &["-print-search-dirs"],
        &["-E", "part.c"],
        &["-E", "-dM", "-x", "c", "/dev/null"],
        &["-fsyntax-only", "part.c"],
        &["-S", "-emit-llvm", "-O0", "part.c", "-o", "-"],
    ] {
        let (ours, theirs) = (place.call(CC, words), place.call("clang-19", words));
        assert_eq!(ours.status, theirs.status, "{words:?}");
        assert_eq!(ours.stdout, theirs.stdout, "{words:?}");
    }
    assert!(place.call(CC, &["-v"]).status.success());
}

#[test]
fn complaints_are_clangs_and_come_once() {
    let place = Place::new(&[
        (
            "warned.c",
            "#include <stdio.h>\nint main(void) { int unused; printf(\"%s\\n\", 3); return 0; }\n",
        ),
        ("wrong.c", "int main(void) { return 1 + ; }\n"),
        (
            "lacking.c",
            "int gone(void);\nint main(void) { return gone(); }\n",
        ),
    ]);
    for words in [
        &["-Wall", "-c", "warned.c", "-o", "warned.o"][..],
        &[
            "-Wall", "-O2", "-c", "warned.c", "-o", "warned.o", "-lm", "-Wl,-x",
        ],
        &["-Wall", "-Werror", "-c", "warned.c", "-o", "warned.o"],
        &["-c", "wrong.c"],
        &["-c", "missing.c"],
        &["-Wall", "warned.c", "-o", "warned", "-lm"],
        &["-Wunknown-thing", "-c", "warned.c", "-o", "warned.o"],
        &["-fno-such-flag", "-c", "warned.c"],
        &["-c", "-o", "both.o", "warned.c", "wrong.c"],
        &[],
    ] {
        let (ours, theirs) = (place.call(CC, words), place.call("clang-19", words));
        let text = |output: &Output| {
            String::from_utf8_lossy(&output.stderr)
                .replace("clang-19:", "clang:")
                .replace("/usr/lib/llvm-19/bin/", "")
        };
        assert_eq!(ours.status, theirs.status, "{words:?} {}", text(&ours));
        assert_eq!(text(&ours), text(&theirs), "{words:?}");
    }
    let output = place.call(CC, &["lacking.c", "-o", "lacking"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("undefined reference to `gone'"));
}

#[test]
fn response_files_are_read() {
    let place = Place::new(&[
        MAIN,
        PART,
        ("words", "main.c \"part.c\"\n-o 'the program' @more"),
        ("more", "-O2 -DX=\\\"y\\\""),
    ]);
    place.quiet(CC, &["@words"]);
    assert!(place.records("./the program"));
    // More words than a command line can have.
    let mut words = String::new();
    for number in 0..60_000 {
        words += &format!("-DA_LONG_NAME_FOR_A_DEFINITION_{number}=1\n");
    }
    fs::write(place.path("many"), words).expect("a file");
    place.quiet(CC, &["@many", "main.c", "part.c", "-o", "many-words"]);
    assert!(place.records("./many-words"));
}

#[test]
fn link_time_optimisation_and_fortification_are_left_out() {
    let place = Place::new(&[MAIN, PART]);
    let flags = [
        "-O2",
        "-flto",
        "-Wall",
        "-Werror",
        "-D_FORTIFY_SOURCE=2",
        "-pipe",
        "-g0",
    ];
    for source in ["main.c", "part.c"] {
        let mut words = flags.to_vec();
        words.extend(["-c", source]);
        place.quiet(CC, &words);
    }
    place.quiet(CC, &["-flto", "-O2", "main.o", "part.o", "-o", "program"]);
    assert!(place.records("./program"));
}

#[test]
fn a_sanitizer_checks_what_is_instrumented() {
    let place = Place::new(&[(
        "main.c",
        "int main(int n, char **v) { int a[3] = {0}; return a[n + 2]; }\n",
    )]);
    place.quiet(CC, &["-fsanitize=address", "main.c", "-o", "program"]);
    let output = place.call("./program", &[]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("stack-buffer-overflow"));
}

#[test]
fn cxx_has_its_library() {
    let place = Place::new(&[(
        "main.cpp",
        "#include <map>\n#include <string>\nint main() { std::map<std::string, int> m; m[\"a\"] = 1; return m.size() - 1; }\n",
    )]);
    place.quiet(CXX, &["-std=c++20", "-O1", "main.cpp", "-o", "program"]);
    assert!(place.records("./program"));
}

#[test]
fn a_relocatable_object_gets_its_runtime_later() {
    let place = Place::new(&[MAIN, PART]);
    place.quiet(CC, &["-c", "main.c", "part.c"]);
    place.quiet(CC, &["-r", "-nostdlib", "main.o", "part.o", "-o", "both.o"]);
    place.quiet(CC, &["both.o", "-o", "program"]);
    assert!(place.records("./program"));
}

#[test]
fn what_configure_asks_is_answered() {
    let place = Place::new(&[
        (
            "conftest.c",
            "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"conftest.out\", \"w\"); return ferror(f) || fclose(f) != 0; }\n",
        ),
        (
            "lacking.c",
            "char no_such_function(void);\nint main(void) { return no_such_function(); }\n",
        ),
        (
            "size.c",
            "static int test[1 - 2 * !(sizeof(long) == 8)];\nint main(void) { test[0] = 0; return 0; }\n",
        ),
    ]);
    place.quiet(CC, &["-o", "conftest", "-g", "-O2", "conftest.c"]);
    assert!(place.call("./conftest", &[]).status.success());
    assert!(place.has("conftest.out"));
    assert!(
        !place
            .call(CC, &["-o", "conftest", "lacking.c", "-lm"])
            .status
            .success()
    );
    place.quiet(CC, &["-c", "-g", "size.c"]);
    place.quiet(
        CC,
        &[
            "-o",
            "conftest",
            "-fPIC",
            "-shared",
            "-Wl,-soname,lib.so.1",
            "size.c",
        ],
    );
}

#[test]
fn make_builds_a_project_with_an_archive() {
    let place = Place::new(&[
        MAIN,
        PART,
        (
            "Makefile",
            "CFLAGS = -O2 -Wall -MMD -MP\nprogram: main.o libpart.a\n\t$(CC) $(LDFLAGS) -o $@ main.o -L. -lpart\nlibpart.a: part.o\n\t$(AR) rc $@ $^\n-include *.d\n",
        ),
    ]);
    let cc = format!("CC={CC}");
    place.quiet("make", &["-s", &cc, "program"]);
    assert!(place.records("./program"));
    assert!(place.has("main.d") && place.has("part.d"));
    assert!(
        place
            .quiet("make", &[&cc, "program"])
            .contains("up to date")
    );
}

#[test]
fn what_cannot_be_instrumented_is_refused_and_what_needs_no_scratch_leaves_none() {
    let place = Place::new(&[PART]);
    let refused = place.call(CC, &["-m32", "-c", "part.c"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("x86-64"));
    let scratch = place.path("scratch");
    fs::create_dir(&scratch).expect("room");
    for words in [&["--version"][..], &["-E", "part.c"], &["-c", "part.c"]] {
        let status = Command::new(CC)
            .args(words)
            .env("TMPDIR", &scratch)
            .current_dir(place.path("."))
            .output();
        assert!(status.expect("it starts").status.success());
    }
    assert_eq!(fs::read_dir(&scratch).expect("it is there").count(), 0);
}

#[test]
fn headers_are_precompiled_in_the_way_sources_are_compiled() {
    let place = Place::new(&[
        ("all.h", "int twice(int x) { return 2 * x; }\n"),
        ("main.c", "int main(void) { return twice(0); }\n"),
    ]);
    for level in ["-O0", "-O2"] {
        place.quiet(CC, &[level, "-x", "c-header", "all.h", "-o", "all.h.pch"]);
        place.quiet(
            CC,
            &[level, "-include-pch", "all.h.pch", "main.c", "-o", "main"],
        );
        assert!(place.call("./main", &[]).status.success());
    }
}

#[test]
fn a_static_program_that_could_be_anywhere_runs() {
    let place = Place::new(&[MAIN, PART]);
    place.quiet(
        CC,
        &["-static-pie", "-fPIE", "main.c", "part.c", "-o", "program"],
    );
    assert!(place.records("./program"));
}

/// With values and with debug information, which the driver's other tests leave out.
#[test]
fn debug_information_is_kept_for_those_who_ask() {
    let place = Place::new(&[(
        "a.c",
        "#include <stdio.h>\nstatic int f(int c) { int twice = 2 * c; return twice > 100 ? twice : c; }\n\
         int main(void) { int c = getchar(); for (int i = 0; i < 3; i++) c = f(c); return c == 7; }\n",
    )]);
    for (flags, has_lines) in [
        (["-g", "-O0"], true),
        (["-g3", "-O2"], true),
        (["-g0", "-O0"], false),
    ] {
        let mut command = Command::new(CC);
        let status = command
            .args(flags)
            .args(["-c", "-o", "a.o", "a.c"])
            .current_dir(place.0.path())
            .status();
        assert!(status.expect("it starts").success(), "{flags:?}");
        let program = fs::read(place.path("a.o")).expect("it was made");
        let names = program.windows(11).any(|name| name == b".debug_line");
        assert_eq!(names, has_lines, "{flags:?}");
    }
}
