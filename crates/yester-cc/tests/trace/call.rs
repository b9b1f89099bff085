//! Calls are in the trace where a reader could not tell otherwise what a function was entered for.

use crate::laboratory::{CXX, Laboratory, Recording};

fn record(text: &str, words: &[&str]) -> Recording {
    let (output, recording) = Laboratory::c(text).record("program", words);
    assert!(output.status.success(), "{output:?}");
    recording
}

fn told(recording: &Recording) -> String {
    recording.stream_with_calls(0).join(" ")
}

#[test]
fn calls_that_depend_on_a_branch_have_events() {
    let text = "static int f(int n) { return n; }\nint main(int argc, char **argv) {\n  int n = f(1);\n  if (argc > 1)\n    n += f(2);\n  else\n    n += f(3);\n  n += f(4);\n  return n > 9;\n}\n";
    let recording = record(text, &[]);
    // The last one happens in any case, but without an event it would be taken for called by the one before.
    assert_eq!(
        recording.function("main").calls(),
        ["5:10 0:1", "7:10 0:0", "8:8 "]
    );
    assert_eq!(
        told(&recording),
        "main( f( )f 4:7- call 7:10 f( )f call 8:8 f( )f )main"
    );
    let recording = record(text, &["x"]);
    assert_eq!(
        told(&recording),
        "main( f( )f 4:7+ call 5:10 f( )f call 8:8 f( )f )main"
    );
}

#[test]
fn calls_in_loops_and_switches_depend_on_them() {
    let recording = record(
        "static int f(int n) { return n; }\nstatic int g(int n) { return n; }\nint main(void) {\n  int s = 0;\n  for (int i = 0; i < 3; i++)\n    switch (i) {\n    case 0: s += f(i);\n    case 1: s += g(i); break;\n    default: s += f(i);\n    }\n  return s != 3;\n}\n",
        &[],
    );
    assert_eq!(
        recording.function("main").calls(),
        ["7:18 1:1", "8:18 1:1,1:2", "9:19 1:0"]
    );
    assert_eq!(
        told(&recording),
        "main( 5:19+ 6:5=0 call 7:18 f( )f call 8:18 g( )g 5:19+ 6:5=1 call 8:18 g( )g 5:19+ 6:5=default call 9:19 f( )f \
         5:19- )main"
    );
}

#[test]
fn recursion_calls_from_its_own_site() {
    let recording = record(
        "static int fact(int n) {\n  if (n < 2)\n    return 1;\n  return n * fact(n - 1);\n}\nint main(void) { return fact(3) - 6; }\n",
        &[],
    );
    assert_eq!(recording.function("fact").calls(), ["4:14 0:0"]);
    assert_eq!(recording.function("main").calls(), [""; 0]);
    assert_eq!(
        told(&recording),
        "main( fact( 2:7- call 4:14 fact( 2:7- call 4:14 fact( 2:7+ )fact )fact )fact )main"
    );
}

#[test]
fn calls_through_pointers_have_events_wherever_they_are() {
    let recording = record(
        "static int f(int n) { return n; }\nstatic int g(int n) { return n + 1; }\nstatic int (*const table[])(int) = {f, g, f};\nint main(void) {\n  int (*volatile one)(int) = g;\n  int s = one(1);\n  for (int i = 0; i < 3; i++)\n    s += table[i](i);\n  return s != 6;\n}\n",
        &[],
    );
    assert_eq!(recording.function("main").calls(), ["6:11 ", "8:10 1:1"]);
    assert_eq!(
        told(&recording),
        "main( call 6:11 g( )g 7:19+ call 8:10 f( )f 7:19+ call 8:10 g( )g 7:19+ call 8:10 f( )f 7:19- )main"
    );
}

#[test]
fn the_library_calls_back_from_its_call_and_else_has_no_event() {
    let recording = record(
        "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\nstatic int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\nint main(int argc, char **argv) {\n  int n[] = {2, 1};\n  if (argc)\n    qsort(n, 2, sizeof *n, order);\n  if (strlen(argv[0]))\n    puts(\"x\");\n  return n[0] != 1;\n}\n",
        &[],
    );
    assert_eq!(recording.function("main").calls(), ["8:5 0:1"]);
    assert_eq!(
        told(&recording),
        "main( 7:7+ call 8:5 order( )order 9:7+ )main"
    );
}

#[test]
fn functions_of_other_modules_may_be_recorded_or_not() {
    let laboratory = Laboratory::new();
    laboratory
        .write("program.c", "int f(int), g(int);\nint main(int argc, char **argv) {\n  if (argc)\n    f(1);\n  return g(2) - 2;\n}\n")
        .write("f.c", "int f(int n) { return n; }\n")
        .write("g.c", "int g(int n) { return n; }\n");
    laboratory.compile("clang-19", &["-c", "f.c"]).compile(
        crate::laboratory::CC,
        &["program.c", "f.o", "g.c", "-o", "program"],
    );
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    assert_eq!(
        told(&recording),
        "main( 3:7+ call 4:5 call 5:10 g( )g )main"
    );
}

#[test]
fn calls_that_may_throw_have_events_too() {
    let laboratory = Laboratory::new();
    laboratory.write("program.cpp", "static int f(int n) { if (n > 1) throw n; return n; }\nint main() {\n  try {\n    f(1);\n    f(2);\n  } catch (int) {\n    return f(0);\n  }\n  return 1;\n}\n");
    laboratory.compile(CXX, &["program.cpp", "-o", "program"]);
    let (output, recording) = laboratory.record("program", &[]);
    assert!(output.status.success());
    let f = "_ZL1fi";
    let main = recording.function("main").calls();
    assert!(main.iter().any(|call| call == "5:5 "), "{main:?}");
    let told = told(&recording);
    assert!(
        told.contains(&format!("call 5:5 {f}( 1:27+ call 1:34 land main")),
        "{told}"
    );
    // The last one may destroy the exception.
    let end = format!("call 7:12 {f}( 1:27- ){f} call 8:3 )main");
    assert!(told.ends_with(&end), "{told}");
}
