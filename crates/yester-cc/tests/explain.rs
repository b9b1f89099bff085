//! `yester explain`, from the command line.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The program, which cargo puts beside the compiler when all of the workspace is tested.
fn yester() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_yester-cc")).with_file_name("yester");
    assert!(path.exists(), "first: cargo build --package yester");
    path
}

/// A directory for one test, and a scratch directory that must be empty afterwards.
struct Place {
    directory: TempDir,
    scratch: TempDir,
}

/// What a call did.
struct Called {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place {
            directory: TempDir::new().expect("room"),
            scratch: TempDir::new().expect("room"),
        };
        for (name, content) in files {
            place.write(name, content.as_bytes());
        }
        place
    }

    fn write(&self, name: &str, content: &[u8]) {
        let path = self.directory.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the directory")).expect("room");
        fs::write(path, content).expect("room");
    }

    fn call(&self, words: &[&str]) -> Called {
        let output = Command::new(yester())
            .arg("explain")
            .args(words)
            .current_dir(self.directory.path())
            .env("TMPDIR", self.scratch.path())
            .output()
            .expect("it starts");
        let Output {
            status,
            stdout,
            stderr,
        } = output;
        Called {
            code: status.code(),
            stdout: String::from_utf8_lossy(&stdout).into_owned(),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
        }
    }

    /// The result of a call that finds something.
    fn result(&self, words: &[&str]) -> Value {
        let called = self.call(&[&["--json"], words].concat());
        assert_eq!(called.code, Some(0), "{}", called.stderr);
        let mut report: Value = serde_json::from_str(&called.stdout).expect("JSON");
        report["result"].take()
    }

    fn git(&self, words: &[&str]) {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(words)
            .current_dir(self.directory.path())
            .output()
            .expect("git starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

impl Called {
    fn exits(self, code: i32) -> Called {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }

    fn says(self, text: &str) -> Called {
        assert!(self.stderr.contains(text), "{}", self.stderr);
        self
    }
}

/// Whether some place of a result is in this line of a version.
fn names(result: &Value, version: &str, line: u64) -> bool {
    let places = result["places"].as_array().expect("a list");
    places
        .iter()
        .any(|place| place["version"] == version && place["line"] == line)
}

const SUM: &str = "#include <stdio.h>\nint main(void) {\n    int sum = 0, c;\n    while ((c = getchar()) != EOF)\n        \
                   if (c >= '0' && c <= '9')\n            sum += c - '0';\n    printf(\"%d\\n\", sum);\n    return sum > 9;\n}\n";

#[test]
fn versions_that_agree_are_nothing_to_explain() {
    let place = Place::new(&[("old.c", SUM), ("new.c", SUM), ("in", "12")]);
    place
        .call(&["old.c", "new.c", "--stdin", "in", "--", "{}"])
        .exits(1)
        .says("both versions do the same on this input: exit 0");
}

#[test]
fn a_tightened_branch_is_first_with_an_input_on_which_both_agree() {
    let new = SUM.replace("c <= '9'", "c < '9'");
    let place = Place::new(&[("old.c", SUM), ("new.c", &new), ("in", "x19")]);
    let words = ["old.c", "new.c", "--stdin", "in", "-o", "other", "--", "{}"];
    let result = place.result(&words);
    let first = &result["places"][0];
    assert_eq!(
        (&first["line"], &first["version"]),
        (&5.into(), &"new".into())
    );
    assert_eq!(first["changed"], true);
    assert_eq!(result["alternate_input"]["agrees"], true);
    assert_eq!(result["alternate_input"]["file"], "other");
    // What was written is what was run: both versions agree on it.
    place
        .call(&["old.c", "new.c", "--stdin", "other", "--", "{}"])
        .exits(1);
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_jobs() {
    let new = SUM.replace("c >= '0'", "c > '0'");
    let place = Place::new(&[("old.c", SUM), ("new.c", &new), ("in", "a0b4001")]);
    // Zeroes add nothing, so the sums are the same, unless they are counted.
    for name in ["old.c", "new.c"] {
        let text = fs::read_to_string(place.directory.path().join(name)).expect("it is there");
        place.write(
            name,
            text.replace("sum += c - '0'", "sum += c - '/'").as_bytes(),
        );
    }
    let words = |jobs| ["-j", jobs, "old.c", "new.c", "--stdin", "in", "--", "{}"];
    let (one, four) = (place.result(&words("1")), place.result(&words("4")));
    assert_eq!(one, four);
}

#[test]
fn a_wrong_constant_that_meets_no_branch_is_found_by_what_is_computed_from_it() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n    int a = atoi(v[1]);\n    int rate = 19;\n    \
               int tax = a * rate / 100;\n    printf(\"%d\\n\", a + tax);\n    return 0;\n}\n";
    let new = old.replace("rate = 19", "rate = 16");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let result = place.result(&["old.c", "new.c", "--", "{}", "500"]);
    assert!(names(&result, "new", 5), "{result:#}");
}

#[test]
fn missing_code_is_named_in_the_old_version() {
    let old = "#include <stdio.h>\nint main(void) {\n    int c = getchar(), depth = 0;\n    while (c != EOF) {\n        if (c == '(')\n            \
               depth++;\n        if (c == ')')\n            depth--;\n        c = getchar();\n    }\n    puts(depth ? \"open\" : \"closed\");\n    return 0;\n}\n";
    let new = old.replace("        if (c == ')')\n            depth--;\n", "");
    let place = Place::new(&[("old.c", old), ("new.c", &new), ("in", "(x)")]);
    let result = place.result(&["old.c", "new.c", "--stdin", "in", "--", "{}"]);
    assert!(
        names(&result, "old", 7) || names(&result, "old", 8),
        "{result:#}"
    );
}

#[test]
fn a_crash_of_the_new_version_is_a_difference_like_any_other() {
    let old = "#include <stdio.h>\n#include <string.h>\nint main(int c, char **v) {\n    char *dot = strchr(v[1], '.');\n    if (dot)\n        \
               printf(\"%c\\n\", dot[1]);\n    return 0;\n}\n";
    let new = old.replace("    if (dot)\n        printf", "        printf");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let result = place.result(&["old.c", "new.c", "--", "{}", "name"]);
    assert_eq!(result["new"]["ending"], "signal SIGSEGV");
    assert!(names(&result, "old", 5), "{result:#}");
}

#[test]
fn a_hang_of_the_new_version_ends_at_the_limit_and_is_explained() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n    unsigned n = atoi(v[1]), steps = 0;\n    \
               while (n > 1) {\n        n = n % 2 ? n - 1 : n / 2;\n        steps++;\n    }\n    printf(\"%u\\n\", steps);\n    return 0;\n}\n";
    let new = old.replace("n > 1", "n != 1");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let result = place.result(&["--timeout", "1s", "old.c", "new.c", "--", "{}", "0"]);
    assert_eq!(result["new"]["ending"], "timeout");
    assert!(names(&result, "new", 5), "{result:#}");
}

#[test]
fn a_version_that_does_not_build_shows_what_the_compiler_says() {
    let place = Place::new(&[("old.c", SUM), ("new.c", "int main(void) { return x; }\n")]);
    place
        .call(&["old.c", "new.c", "--", "{}"])
        .exits(2)
        .says("new.c does not build with yester's compilers: exit 1")
        .says("use of undeclared identifier 'x'");
}

#[test]
fn revisions_are_built_by_their_own_makefile_whatever_compiler_it_names() {
    let place = Place::new(&[
        ("sum.c", SUM),
        ("Makefile", "sum: sum.c\n\tgcc -O2 -o sum sum.c\n"),
    ]);
    place.git(&["init", "-q"]);
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "one"]);
    let new = format!("/* moved */\n\n{}", SUM.replace("c <= '9'", "c < '9'"));
    place.write("sum.c", new.as_bytes());
    place.git(&["commit", "-qam", "two"]);
    place.write("in", b"19");
    let words = [
        "HEAD~1", "HEAD", "--build", "make", "--stdin", "in", "--", "./sum",
    ];
    let result = place.result(&words);
    let first = &result["places"][0];
    assert_eq!(first["file"], "sum.c");
    assert_eq!(
        (&first["line"], &first["version"]),
        (&7.into(), &"new".into())
    );
    // Neither the user's tree nor the scratch directory has anything new.
    let output = Command::new("git")
        .args(["status", "--short"])
        .current_dir(place.directory.path())
        .output();
    let status = String::from_utf8(output.expect("git starts").stdout).expect("text");
    assert_eq!(status, "?? in\n");
    let left: Vec<_> = fs::read_dir(place.scratch.path())
        .expect("it is there")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_file_that_an_argument_names_varies_and_the_users_stays_as_it_is() {
    let old = "#include <stdio.h>\nint main(int c, char **v) {\n    FILE *f = fopen(v[1], \"r+\");\n    int n = getc(f) - '0';\n    \
               fputs(\"used\", f);\n    fclose(f);\n    printf(\"%d\\n\", n > 4 ? n : -n);\n    return 0;\n}\n";
    let new = old.replace("n > 4", "n >= 4");
    let place = Place::new(&[("old.c", old), ("new.c", &new), ("data/number", "4")]);
    let result = place.result(&["old.c", "new.c", "--", "{}", "data/number"]);
    assert_eq!(result["places"][0]["line"], 7);
    assert_eq!(
        result["alternate_input"]["changes"][0]["source"],
        "file:data/number"
    );
    let content = fs::read_to_string(place.directory.path().join("data/number"));
    assert_eq!(content.expect("it is there"), "4");
}

#[test]
fn a_program_that_prints_something_else_each_time_is_told() {
    let old = "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n    printf(\"old %d\\n\", (int)getpid());\n    return 0;\n}\n";
    // In a namespace of its own a program has the same number each time, so the time has to do.
    let old = old
        .replace("(int)getpid()", "(int)(t.tv_nsec + t.tv_sec)")
        .replace("int main(void) {\n", "#include <time.h>\nint main(void) {\n    struct timespec t;\n    clock_gettime(CLOCK_MONOTONIC, &t);\n");
    let place = Place::new(&[("old.c", &old), ("new.c", &old.replace("old", "new"))]);
    let called = place.call(&["old.c", "new.c", "--json", "--", "{}"]);
    assert!(
        called.stdout.contains("old.c does not do the same twice"),
        "{}",
        called.stdout
    );
}

#[test]
fn streams_of_cxx_do_not_make_a_program_look_unsteady() {
    let old = "#include <iostream>\nint main() {\n    int k = 0;\n    std::cin >> k;\n    if (k >= 7)\n        std::cout << \"many\\n\";\n    else\n        \
               std::cout << \"few\\n\";\n}\n";
    let new = old.replace("k >= 7", "k > 7");
    let place = Place::new(&[("old.cpp", old), ("new.cpp", &new), ("in", "7\n")]);
    let result = place.result(&["old.cpp", "new.cpp", "--stdin", "in", "--", "{}"]);
    assert_eq!(result["notes"], serde_json::json!([]));
    let first = &result["places"][0];
    assert_eq!(
        (&first["line"], &first["evidence"]),
        (&5.into(), &"alternate".into())
    );
}

#[test]
fn bytes_that_are_no_text_are_told_apart() {
    let old = "#include <stdio.h>\nint main(void) {\n    int c = getchar();\n    puts(c < 0xf0 ? \"low\" : \"high\");\n    return 0;\n}\n";
    let new = old.replace("< 0xf0", "<= 0xf0");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    place.write("in", b"\xf0");
    let result = place.result(&["old.c", "new.c", "--stdin", "in", "--", "{}"]);
    let change = &result["alternate_input"]["changes"][0];
    assert_eq!(change["was"], "\\xf0");
    assert_ne!(change["was"], change["becomes"]);
}

#[test]
fn the_alternate_input_replaces_nothing_that_the_user_gave() {
    let place = Place::new(&[("old.c", SUM), ("new.c", SUM), ("in", "1")]);
    for given in ["old.c", "./new.c", "in"] {
        place
            .call(&["old.c", "new.c", "--stdin", "in", "-o", given, "--", "{}"])
            .exits(2)
            .says("would replace");
    }
}

#[test]
fn wrong_calls_say_what_to_do() {
    let place = Place::new(&[
        ("old.c", SUM),
        ("new.c", SUM),
        ("notes.txt", ""),
        ("tree/a.c", SUM),
    ]);
    for (words, message, hint) in [
        (
            &["old.c", "tree", "--", "{}"][..],
            "'old.c' is a file, and 'tree' is not",
            "give two files",
        ),
        (
            &["old.c", "notes.txt", "--", "{}"],
            "neither a C nor a C++ file",
            ".cpp",
        ),
        (
            &["old.c", "new.c", "--", "./a"],
            "the program of a single file is {}",
            "-- {} ARGUMENT",
        ),
        (
            &["tree", "tree", "--", "./a"],
            "needs --build LINE",
            "--build make",
        ),
        (
            &["old.c", "new.c", "--build", "make", "--", "{}"],
            "--build is for directories",
            "--cflags",
        ),
        (
            &["tree", "tree", "--build", "make", "--", "{}"],
            "{} stands for the program of a single file",
            "./app",
        ),
        (
            &["old.c", "new.c", "--symbolic", "stdin", "--", "{}"],
            "no standard input to follow",
            "--stdin FILE",
        ),
        (
            &["old.c", "new.c", "--fixed", "arg:2", "--", "{}", "1"],
            "there is no argument 2",
            "arg:1",
        ),
        (
            &["old.c", "new.c", "--stdin", "gone", "--", "{}"],
            "failed to read",
            "",
        ),
        (&["gone.c", "new.c", "--", "{}"], "gone.c", ""),
        (
            &["old.c", "new.c", "--sandbox", "full", "--", "{}"],
            "full sandbox",
            "--sandbox auto",
        ),
        (
            &["tree", "tree", "--build", "true", "--", "./a"],
            "the build of tree made no a",
            "--build makes it",
        ),
    ] {
        let called = place.call(words).exits(2).says(message);
        assert!(called.stderr.contains(hint), "{words:?}: {}", called.stderr);
    }
}
