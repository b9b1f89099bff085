//! `yester trace` on programs of yester-cc, from the command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

mod near;

#[path = "../../../../tests/console.rs"]
mod console;

/// The program, which cargo puts beside the compiler when all of the workspace is tested.
fn yester() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_yester-cc")).with_file_name("yester");
    assert!(path.exists(), "first: cargo build --package yester");
    path
}

/// A directory with a program that was compiled there.
fn built(source: &str) -> TempDir {
    compiled(env!("CARGO_BIN_EXE_yester-cc"), "small.c", source)
}

fn compiled(compiler: &str, name: &str, source: &str) -> TempDir {
    let place = TempDir::new().expect("room");
    fs::write(place.path().join(name), source).expect("room");
    let header = "static inline int part(int c) { return c == 'q' ? 1 : 0; }\n";
    fs::write(place.path().join("part.h"), header).expect("room");
    let status = Command::new(compiler)
        .args([name, "-o", "small"])
        .current_dir(place.path())
        .status();
    assert!(status.expect("it starts").success());
    place
}

fn trace(place: &TempDir, words: &[&str]) -> Output {
    let output = Command::new(yester())
        .arg("trace")
        .args(words)
        .current_dir(place.path())
        .output();
    output.expect("it starts")
}

fn json(place: &TempDir, words: &[&str]) -> serde_json::Value {
    let output = trace(place, &[&["--json"], words].concat());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The constraint of the last branch of a line.
fn constraint(result: &serde_json::Value, line: u64) -> String {
    let branches = result["branches"].as_array().expect("a list");
    let branch = branches.iter().rfind(|branch| branch["line"] == line);
    branch.expect("the branch is there")["constraint"]
        .as_u64()
        .expect("it depends on the input")
        .to_string()
}

#[test]
fn the_book_shows_what_happens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let yester = yester();
    let directory = yester.parent().expect("a directory");
    for page in [
        "book/src/explain.md",
        "book/src/flip.md",
        "book/src/trace.md",
        "book/src/why.md",
    ] {
        let commands = console::check(&root, page, directory, Some("yester-cc"));
        assert!(commands > 0, "{page}");
    }
}

const WORDS: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char text[32] = "";
    FILE *file = fopen(argv[2], "r");
    fgets(text, sizeof text, file);
    if (atoi(argv[1]) == 1234)
        puts("number");
    if (strcmp(text, "open") == 0)
        abort();
    return 0;
}
"#;

#[test]
fn arguments_and_files_are_turned_through_the_library() {
    let place = built(WORDS);
    fs::write(place.path().join("word"), "shut").expect("room");
    let call = ["--", "./small", "1000", "word"];
    let sources = ["--symbolic", "arg:1", "--symbolic", "file:word"];
    let words = [&sources[..], &call].concat();
    let result = &json(&place, &words)["result"];
    let number = constraint(result, 8);
    let other = ["--negate", &number, "-o", "number"];
    assert!(
        trace(&place, &[&other, &words[..]].concat())
            .status
            .success()
    );
    let found = fs::read_to_string(place.path().join("number")).expect("it was written");
    assert_eq!(found.trim().parse::<i32>(), Ok(1234), "{found:?}");
    let word = constraint(result, 10);
    let other = ["--negate", &word, "-o", "other"];
    assert!(
        trace(&place, &[&other, &words[..]].concat())
            .status
            .success()
    );
    assert_eq!(
        fs::read(place.path().join("other")).expect("it was written"),
        b"open"
    );
    assert_eq!(
        fs::read(place.path().join("word")).expect("it is there"),
        b"shut"
    );
}

#[test]
fn a_file_may_be_followed_by_another_name_than_the_program_is_given() {
    let place = built(WORDS);
    let absolute = place.path().join("word").display().to_string();
    fs::write(&absolute, "shut").expect("room");
    for (followed, given) in [("word", &absolute[..]), (&absolute, "./word")] {
        let source = format!("file:{followed}");
        let words = ["--symbolic", &source, "--", "./small", "1000", given];
        let number = constraint(&json(&place, &words)["result"], 10);
        let other = ["--negate", &number, "-o", "other"];
        let output = trace(&place, &[&other, &words[..]].concat());
        assert!(output.status.success(), "{output:?}");
        assert_eq!(
            fs::read(place.path().join("other")).expect("it was written"),
            b"open"
        );
    }
}

#[test]
fn a_program_that_crashes_shows_the_way_to_the_crash() {
    let place = built(WORDS);
    fs::write(place.path().join("word"), "open").expect("room");
    let words = ["--symbolic", "file:word", "--", "./small", "1000", "word"];
    let result = &json(&place, &words)["result"];
    let last = result["branches"].as_array().and_then(|list| list.last());
    assert_eq!(last.expect("a branch")["line"], 10);
    assert_eq!(last.expect("a branch")["taken"], true);
    assert_eq!(result["ending"], "signal SIGABRT");
}

#[test]
fn where_no_input_goes_the_other_way_it_says_so() {
    let place = built(
        "#include <stdio.h>\nint main(void) {\n    int c = getchar();\n    if (c * 2 % 2)\n        return 1;\n    return 0;\n}\n",
    );
    fs::write(place.path().join("in"), "a").expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--", "./small"];
    let number = constraint(&json(&place, &words)["result"], 4);
    let other = ["--negate", &number, "-o", "other"];
    let output = trace(&place, &[&other, &words[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(!place.path().join("other").exists());
}

#[test]
fn what_a_library_reads_by_itself_is_told_and_names_are_those_of_the_source() {
    let source = "#include <cstdlib>\n#include <sys/syscall.h>\n#include <unistd.h>\nnamespace shop {\nbool is_open(int hour) { return hour > 8 ? true : false; }\n}\n\
                  int main() {\n    char text[8] = {};\n    syscall(SYS_read, 0, text, 7);\n    int hour = std::atoi(text);\n    return shop::is_open(hour);\n}\n";
    let place = compiled(env!("CARGO_BIN_EXE_yester-cxx"), "small.cc", source);
    fs::write(place.path().join("in"), "9\n").expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--", "./small"];
    let result = &json(&place, &words)["result"];
    let branches = result["branches"].as_array().expect("a list");
    let is_there = |branch: &serde_json::Value| branch["function"] == "shop::is_open(int)";
    assert!(branches.iter().any(is_there), "{branches:?}");
    let lost = result["lost"].as_array().expect("a list");
    let is_told = |lost: &serde_json::Value| {
        lost["what"] == "stdin was read by code that is not instrumented, or not at all"
    };
    assert!(lost.iter().any(is_told), "{lost:?}");
}

#[test]
fn what_is_lost_has_a_place_in_the_source() {
    let place = built(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    char b[8] = \"\";\n    b[0] = getchar();\n\
         \x20   double d = strtold(b, 0);\n    if (d > 100)\n        puts(\"big\");\n    return 0;\n}\n",
    );
    fs::write(place.path().join("in"), "1").expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--", "./small"];
    let result = &json(&place, &words)["result"];
    let lost = &result["lost"][0];
    assert_eq!(lost["what"], "call of strtold, which is not modelled");
    let path = place.path().join("small.c").display().to_string();
    assert_eq!(lost["place"], format!("near {path}:7, main"));
}

#[test]
fn a_program_that_takes_another_path_each_time_is_blamed_itself() {
    let place = built(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    int count = 0;\n    FILE *f = fopen(\"count\", \"r\");\n\
         \x20   if (f) { fscanf(f, \"%d\", &count); fclose(f); }\n\
         \x20   f = fopen(\"count\", \"w\"); fprintf(f, \"%d\", count + 1); fclose(f);\n\
         \x20   for (int i = 0; i < count; i++) putchar('.');\n    if (getchar() == 'x') puts(\"x\");\n    return 0;\n}\n",
    );
    fs::write(place.path().join("in"), "a").expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--", "./small"];
    let number = constraint(&json(&place, &words)["result"], 9);
    let output = trace(
        &place,
        &[&["--negate", &number, "-o", "out"], &words[..]].concat(),
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("does not take the same path twice"), "{said}");
    assert!(said.contains("small.c:8:"), "{said}");
}

#[test]
fn addresses_are_the_same_in_every_run() {
    let place = built(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    FILE *f = fopen(\"addresses\", \"a\");\n\
         \x20   fprintf(f, \"%p %p\\n\", (void *)&f, malloc(8));\n    fclose(f);\n    return 0;\n}\n",
    );
    for _ in 0..2 {
        assert!(trace(&place, &["--", "./small"]).status.success());
    }
    let lines = fs::read_to_string(place.path().join("addresses")).expect("it was written");
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], lines[1]);
}

#[test]
fn a_question_that_needs_a_solver_says_where_to_get_one() {
    let place = built(
        "#include <stdio.h>\n#include <string.h>\nint main(void) {\n    int x = 0;\n    fread(&x, 4, 1, stdin);\n\
         \x20   if (x == 77)\n        puts(\"x\");\n    return 0;\n}\n",
    );
    fs::write(place.path().join("in"), "abcd").expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--", "./small"];
    let number = constraint(&json(&place, &words)["result"], 6);
    let other = ["--negate", &number, "-o", "out", "--solver", "/none/z3"];
    let output = trace(&place, &[&other, &words[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("apt install z3"), "{said}");
}

#[test]
fn only_branches_of_chosen_files_are_shown_and_none_of_system_headers() {
    let place = compiled(
        env!("CARGO_BIN_EXE_yester-cxx"),
        "small.cc",
        "#include <algorithm>\n#include <cstdio>\n#include \"part.h\"\nint main() {\n    int a[] = { getchar(), 5 };\n\
         \x20   std::sort(a, a + 2);\n    if (a[0] == 5)\n        puts(\"five\");\n    return part(a[1]);\n}\n",
    );
    fs::write(place.path().join("in"), "a").expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in"];
    let shown = |more: &[&str]| {
        let result = &json(&place, &[&words, more, &["--", "./small"]].concat())["result"];
        let branches = result["branches"].as_array().expect("a list").clone();
        for constraint in result["constraints"].as_array().expect("a list") {
            if let Some(branch) = constraint["branch"].as_u64()
                && constraint["kind"] == "branch"
            {
                assert_eq!(branches[branch as usize]["constraint"], constraint["index"]);
            }
        }
        let files: Vec<String> = branches
            .iter()
            .map(|branch| branch["file"].as_str().expect("a name").to_owned())
            .collect();
        (files, result["hidden"].as_u64().expect("a number"))
    };
    let (files, hidden) = shown(&[]);
    assert!(hidden > 0);
    assert!(
        files.iter().all(|file| !file.contains("bits/")),
        "{files:?}"
    );
    assert_eq!(files.len(), 2);
    let (all, none) = shown(&["--only", "/"]);
    assert_eq!((all.len() as u64, none), (files.len() as u64 + hidden, 0));
    let (part, _) = shown(&["--only", "part.h"]);
    assert_eq!(part.len(), 1);
    assert!(part[0].ends_with("part.h"), "{part:?}");
}

#[test]
fn each_operand_has_its_own_column() {
    let place = built(
        "#include <stdio.h>\nint main(void) {\n    int c = getchar();\n    if (c > 10 && c != 3)\n        puts(\"a\");\n    return 0;\n}\n",
    );
    fs::write(place.path().join("in"), "a").expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--", "./small"];
    let result = &json(&place, &words)["result"];
    let columns: Vec<u64> = (0..2)
        .map(|index| {
            result["branches"][index]["column"]
                .as_u64()
                .expect("a number")
        })
        .collect();
    assert_eq!(columns, [9, 19]);
}

/// The path condition of a run, and that every solver on this machine finds an input that takes it.
fn script_for_solvers(source: &str, input: &str) -> String {
    let place = built(source);
    fs::write(place.path().join("in"), input).expect("room");
    let words = ["--symbolic", "stdin", "--stdin", "in", "--smt", "path.smt2"];
    assert!(
        trace(&place, &[&words[..], &["--", "./small"]].concat())
            .status
            .success()
    );
    let script = fs::read_to_string(place.path().join("path.smt2")).expect("it was written");
    let mut asked = 0;
    for (solver, flags) in [
        ("z3", &["-smt2"][..]),
        ("cvc5", &["--lang=smt2"]),
        ("bitwuzla", &[]),
    ] {
        let output = Command::new(solver)
            .args(flags)
            .arg("path.smt2")
            .current_dir(place.path())
            .output();
        // Which solvers there are depends on the machine; z3 is needed by other tests, too.
        let Ok(output) = output else { continue };
        assert_eq!(
            String::from_utf8_lossy(&output.stdout).trim(),
            "sat",
            "{solver}"
        );
        asked += 1;
    }
    assert!(asked > 0);
    script
}

#[test]
fn a_path_condition_can_be_given_to_any_solver() {
    let script = script_for_solvers(
        "#include <stdio.h>\n#include <string.h>\nint main(void) {\n    char b[9] = \"\";\n    fread(b, 1, 8, stdin);\n    int n = 0;\n\
         \x20   for (int i = 0; i < 8; i++)\n        if (b[i] >= '0' && b[i] <= '9')\n            n = n * 10 + b[i] - '0';\n\
         \x20   if (n / 7 % 11 == 3 && strchr(b, 'x'))\n        puts(\"x\");\n    return 0;\n}\n",
        "12x45-78",
    );
    assert!(
        script.contains("; b0 is stdin[0], 49 in this run"),
        "{script}"
    );
    assert!(script.contains("QF_BV)"), "{script}");
}

#[test]
fn floating_point_can_be_given_to_any_solver() {
    let script = script_for_solvers(
        "#include <math.h>\n#include <stdio.h>\n#include <string.h>\nint main(void) {\n    float x, y;\n    unsigned bits;\n\
         \x20   fread(&x, 4, 1, stdin), fread(&y, 4, 1, stdin);\n    double d = x - y;\n    float z = -fabsf(x) * y;\n    memcpy(&bits, &z, 4);\n\
         \x20   if (x > y || (int)d == 7 || !(d / 3 < 100))\n        puts(\"x\");\n    if (bits >> 31)\n        puts(\"negative\");\n\
         \x20   if (x != x || isinf(y))\n        puts(\"odd\");\n    return 0;\n}\n",
        "abcdefgh",
    );
    for word in [
        "QF_BVFP)",
        "fp.lt",
        "fp.to_sbv",
        "fp.neg",
        "(declare-const n",
    ] {
        assert!(script.contains(word), "{word}: {script}");
    }
}
