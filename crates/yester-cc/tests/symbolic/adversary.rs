//! Programs that do what is hard to follow. Each prints what it prints without instrumentation, and every branch that depends on
//! the input is turned by an input that is run, or cannot be, or is uncertain for a reason that is told.

use std::process::Command;

use crate::laboratory::{Input, Laboratory};
use yester_path::{
    ConstraintKind, EventKind, PathCondition, Recording, Solver, SolverAnswer, SolverProgram,
};

/// The events of each thread. They are read at once, since the next run replaces them.
fn events(recording: &Recording) -> Vec<Vec<(u64, EventKind)>> {
    let streams = 0..recording.streams();
    let events = streams.map(|stream| {
        let events = recording.events(stream).expect("events");
        let events = events.map(|event| event.expect("an event"));
        events.map(|event| (event.offset, event.kind)).collect()
    });
    events.collect()
}

/// Whether a run goes the other way at an event of another run, after the same path.
fn goes_the_other_way(before: &[(u64, EventKind)], after: &[(u64, EventKind)], place: u64) -> bool {
    for (index, (offset, event)) in before.iter().enumerate() {
        let Some((_, other)) = after.get(index) else {
            return false;
        };
        if *offset < place {
            if event != other {
                return false;
            }
            continue;
        }
        let site = |event: &EventKind| match event {
            EventKind::Branch { function, site, .. } => Some((*function, *site)),
            _ => None,
        };
        return event != other && site(event).is_some() && site(event) == site(other);
    }
    false
}

/// No input with another first byte goes a way that is ruled out, at any of these events.
fn stays(
    laboratory: &Laboratory,
    input: &Input,
    before: &[Vec<(u64, EventKind)>],
    places: &[(usize, u64)],
) {
    if places.is_empty() {
        return;
    }
    for byte in 0..=u8::MAX {
        let mut other = input.clone();
        other.stdin[0] = byte;
        let after = events(&laboratory.record(&other).1);
        for &(stream, place) in places {
            let after = after.get(stream);
            assert!(
                after.is_none_or(|after| !goes_the_other_way(&before[stream], after, place)),
                "{other:?} goes the other way at {place}, where there is none"
            );
        }
    }
}

/// How many branches were turned. The others have no other way, or something was lost.
fn turned(laboratory: &Laboratory, input: &Input) -> usize {
    let (_, recording) = laboratory.record(input);
    let before = events(&recording);
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let limit = std::time::Duration::from_secs(300);
    let program = SolverProgram::default();
    let mut solver = Solver::new(&recording.graph, recording.values(), program, limit);
    let mut count = 0;
    let mut ruled_out = Vec::new();
    for (index, constraint) in recording.constraints.iter().enumerate() {
        if constraint.kind != ConstraintKind::Branch {
            continue;
        }
        let query = condition.negate(index).expect("a branch");
        let stream = constraint.stream.expect("the branch was recorded");
        let model = match solver.solve(&query).expect("the solver runs") {
            SolverAnswer::Satisfiable(model) => model,
            SolverAnswer::Unsatisfiable => {
                // It is sure only where nothing was taken as it was.
                let taken = &recording.constraints[..index];
                if taken.iter().all(|one| one.kind == ConstraintKind::Branch)
                    && recording.lost.is_empty()
                {
                    ruled_out.push((stream, constraint.event));
                }
                continue;
            }
            SolverAnswer::Unknown(why) => panic!("constraint {index}: {why}"),
        };
        let other = laboratory.changed(input, &recording, &model);
        let (_, after) = laboratory.record(&other);
        let after = events(&after);
        let is_turned = after
            .get(stream)
            .is_some_and(|after| goes_the_other_way(&before[stream], after, constraint.event));
        assert!(
            is_turned || !recording.lost.is_empty(),
            "constraint {index}: {other:?} leaves the path, and nothing was lost"
        );
        count += usize::from(is_turned);
    }
    stays(laboratory, input, &before, &ruled_out);
    count
}

fn checked(source: &str, flags: &[&str], input: Input) {
    let laboratory = Laboratory::with_language(source, "c", flags);
    let (output, recording) = laboratory.record(&input);
    let plain = laboratory.plain_with(&input, flags);
    assert_eq!(output.stdout, plain.stdout, "{source}");
    assert_eq!(output.status.code(), plain.status.code(), "{source}");
    let count = turned(&laboratory, &input);
    assert!(
        count > 0 || !recording.lost.is_empty(),
        "nothing depends on the input:\n{source}"
    );
}

macro_rules! adversaries {
    ($($name:ident($input:expr, $flags:expr) $body:literal;)*) => {$(
        #[test]
        fn $name() {
            let start = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdarg.h>\n\
                #include <stdint.h>\n#include <unistd.h>\n#include <signal.h>\n#include <setjmp.h>\n#include <pthread.h>\n#include <sys/wait.h>\n";
            checked(&format!("{start}{}", $body), $flags, Input::stdin($input));
        }
    )*};
}

adversaries! {
    bit_fields("ab", &[]) "struct f { unsigned a : 3, b : 13; int c : 7; } __attribute__((packed));
        int main(void) { struct f f = { 0 }; f.a = getchar(); f.b = getchar() * 31; f.c = f.a - f.b;
          if (f.c < 0) puts(\"n\"); if (f.b == 'q' * 31 % 8192) puts(\"q\"); }";
    variadic_arguments("abc", &[]) "static long sum(int n, ...) { va_list l; va_start(l, n); long s = 0;
          for (int i = 0; i < n; i++) { if (i & 1) s += va_arg(l, long); else { s += va_arg(l, int); (void)va_arg(l, double); } } va_end(l); return s; }
        int main(void) { long b; int a = getchar(); b = getchar(); if (sum(3, a, 1.5, b, getchar(), 2.5) == 'x' + 'y' + 'z') puts(\"xyz\"); puts(\".\"); }";
    structures_as_results("ab", &[]) "struct two { int a, b; }; struct big { int a[20]; };
        static struct two two(int a, int b) { return (struct two){ b, a }; }
        static struct big big(int a) { struct big g = { { 0 } }; g.a[7] = a; return g; }
        int main(void) { struct two t = two(getchar(), getchar()); struct big g = big(t.a); if (t.b == 'x') puts(\"x\"); if (g.a[7] == 'y') puts(\"y\"); }";
    jumps_over_frames("ab", &[]) "static jmp_buf place; static void deep(int n, int c) { if (n) deep(n - 1, c); else if (c == 'j') longjmp(place, c); }
        int main(void) { volatile int c = getchar(); int r = setjmp(place); if (r) { printf(\"%d\\n\", r); return 1; } deep(5, c); if (getchar() == 'k') puts(\"k\"); }";
    handlers_of_signals("ab", &[]) "static volatile int seen; static void handler(int n) { seen += n; }
        int main(void) { int c = getchar(); signal(SIGUSR1, handler); for (int i = 0; i < 5; i++) raise(SIGUSR1);
          if (c == 's') puts(\"s\"); printf(\"%d\\n\", seen); }";
    threads("ab", &["-pthread"]) "static int c; static void *work(void *n) { return (void *)(long)(c == 't'); }
        int main(void) { c = getchar(); pthread_t t; void *r; pthread_create(&t, 0, work, 0); pthread_join(t, &r); if (r) puts(\"t\"); if (c == 'u') puts(\"u\"); }";
    constructors("ab", &[]) "static int c; __attribute__((constructor)) static void first(void) { c = getchar(); if (c == 'k') puts(\"k\"); }
        int main(void) { if (c + getchar() == 200) puts(\"200\"); }";
    forks_and_pipes("ab", &[]) "int main(void) { int p[2], c = getchar(), s; pipe(p); if (!fork()) { char b = c + 1; write(p[1], &b, 1); _exit(0); }
          char b; read(p[0], &b, 1); wait(&s); if (b == 'z') puts(\"z\"); if (c == 'x') puts(\"x\"); }";
    temporary_files("ab", &[]) "int main(void) { FILE *f = tmpfile(); int c = getchar(); fputc(c, f); rewind(f); if (fgetc(f) == 'x') puts(\"x\"); if (c == 'y') puts(\"y\"); }";
    strtok_over_a_line("a,b;c", &[]) "int main(void) { char l[16] = \"\"; fgets(l, 16, stdin); int n = 0; for (char *t = strtok(l, \",;\"); t; t = strtok(0, \",;\")) n += t[0] == 'q';
          if (n == 1) puts(\"one\"); printf(\"%d\\n\", n); }";
    sorting_symbolic_keys("cab", &[]) "static int by(const void *a, const void *b) { return *(char *)a - *(char *)b; }
        int main(void) { char b[4] = \"\"; fread(b, 1, 3, stdin); qsort(b, 3, 1, by); if (b[0] == 'm') puts(\"m\"); puts(b); }";
    inline_assembler("a", &[]) "int main(void) { int r, c = getchar(); __asm__(\"lea 1(%1), %0\" : \"=r\"(r) : \"r\"(c)); if (r == 'c') puts(\"c\"); if (c == 'd') puts(\"d\"); }";
    arrays_of_a_length_of_the_input("5b", &[]) "int main(void) { int n = getchar() - '0'; if (n < 1 || n > 9) return 1; int a[n]; for (int i = 0; i < n; i++) a[i] = i * i;
          a[n - 1] += getchar(); if (a[n - 1] == 16 + 'x') puts(\"x\"); printf(\"%zu\\n\", sizeof a); }";
    numbers_of_128_bits("ab", &[]) "int main(void) { unsigned __int128 x = getchar(); x = x << 70 | getchar(); if ((int)(x >> 70) == 'x') puts(\"x\"); if ((int)x == 'y') puts(\"y\"); }";
    wide_loops_and_gotos("abc", &[]) "int main(void) { int i = 0, c; again: c = getchar(); if (c == EOF) goto end; if (c == 'x') i += 10; else i++; goto again; end: printf(\"%d\\n\", i); return i > 10; }";
    tables_of_functions("1", &[]) "static int a(int x) { return x + 1; } static int b(int x) { return x * 2; }
        int main(void) { int (*f[])(int) = { a, b }; int c = getchar(); if (f[c & 1](c) == 98) puts(\"98\"); if (c == 'x') puts(\"x\"); }";
    the_switch_of_strings("hello", &[]) "int main(void) { char b[8] = \"\"; fread(b, 1, 5, stdin); const char *w[] = { \"hello\", \"world\", \"other\" };
          for (int i = 0; i < 3; i++) if (!strcmp(b, w[i])) printf(\"%d\\n\", i); }";
    pointers_in_structures("ab", &[]) "struct n { struct n *next; int v; }; int main(void) { struct n *l = 0; int c; while ((c = getchar()) != EOF) { struct n *n = malloc(sizeof *n); n->next = l; n->v = c; l = n; }
          int s = 0; for (struct n *n = l; n; n = n->next) s = s * 3 + n->v; if (s == 'x' * 3 + 'y') puts(\"xy\"); printf(\"%d\\n\", s); }";
    swaps_in_an_array("bca", &[]) "int main(void) { char a[3]; fread(a, 1, 3, stdin); for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) if (a[j] > a[j + 1]) { char t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
          if (a[0] == 'k') puts(\"k\"); printf(\"%.3s\\n\", a); }";
    optimised_code("ab", &["-O2"]) "static inline int f(int c) { return c * 7 % 13; } int main(void) { int c = getchar(), d = getchar(); if (f(c) == 5 && f(d) == 3) puts(\"53\"); puts(\".\"); }";
    code_with_debug_information("ab", &["-g", "-O1"]) "static int f(int c) { int t = c; for (int i = 0; i < 3; i++) t = t * 3 + i; return t; } int main(void) { if (f(getchar()) == f('x')) puts(\"x\"); puts(\".\"); }";
    code_after_a_call_that_does_not_return("abc", &["-std=c99"]) "#include <assert.h>
        struct s { int e; }; static struct s f(int c) { struct s r = { c }; assert(c != 'q'); if (r.e == 'x') puts(\"x\"); return r; }
        int main(void) { int c = getchar(), n = 0; while (c != EOF) { c == 'z' ? exit(3) : (void)(n += f(c).e); c = getchar(); } if (n == 300) puts(\"300\"); printf(\"%d\\n\", n); }";
    recursion_of_100000_calls("ab", &[]) "static long deep(int n, int c) { if (n == 0) return c == 'x'; return deep(n - 1, c) + (n % 30000 == 0 && c == 'a' + n / 30000); }
        int main(void) { int c = getchar(); long n = deep(100000, c); if (n == 1) puts(\"one\"); printf(\"%ld\\n\", n); }";
    a_static_program("ab", &["-static"]) "int main(void) { if (getchar() == 'x') puts(\"x\"); puts(\".\"); }";
    a_checked_program("ab", &["-fsanitize=address"]) "int main(void) { char *p = malloc(4); p[0] = getchar(); if (p[0] == 'x') puts(\"x\"); free(p); puts(\".\"); }";
    link_time_optimisation("ab", &["-flto", "-O2"]) "int main(void) { if (getchar() == 'x') puts(\"x\"); puts(\".\"); }";
}

#[test]
fn shared_objects_linked_and_loaded() {
    let directory = tempfile::tempdir().expect("a directory");
    let library = directory.path().join("part.c");
    std::fs::write(
        &library,
        "int part(int c) { if (c == 'p') return 1; return 0; }\n",
    )
    .expect("room");
    let object = directory.path().join("libpart.so");
    let status = Command::new(env!("CARGO_BIN_EXE_yester-cc"))
        .args(["-shared", "-fPIC", "-o"])
        .args([&object, &library])
        .status();
    assert!(status.expect("it starts").success());
    let place = directory.path().display().to_string();
    let source = format!(
        "#include <stdio.h>\n#include <dlfcn.h>\nint part(int);\n\
         int main(void) {{ int c = getchar(); void *l = dlopen(\"{place}/libpart.so\", RTLD_NOW); int (*f)(int) = dlsym(l, \"part\");\n\
         if (part(c)) puts(\"p\"); if (f(c + 1)) puts(\"o\"); puts(\".\"); }}"
    );
    let flags = [
        format!("-L{place}"),
        "-lpart".to_owned(),
        format!("-Wl,-rpath,{place}"),
    ];
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    checked(&source, &flags, Input::stdin("a"));
}
