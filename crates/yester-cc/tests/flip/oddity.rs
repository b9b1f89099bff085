//! Names, directories and builds that nobody expects.

use super::place::{ABOVE, Place};

/// Crashes on a file that begins with q.
const CRASH: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    FILE *file = fopen(words[1], \"r\");
    int first = fgetc(file);
    if (first == 'q' && count > 2)
        abort();
    return 0;
}
";

#[test]
fn names_with_line_breaks_damage_nothing() {
    let (source, file) = ("new\nline.c", "more\nlines.txt");
    let place = Place::new(&[(source, CRASH), (file, "q")]);
    // The second argument decides nothing, so that only the file could vary.
    let words = [source, "--fixed", "arg:2", "--", "{}", file, "x"];
    let result = place.result("", &words);
    assert_eq!(result["places"][0]["line"], 6, "{result}");
    let notes = result["notes"].to_string();
    assert!(notes.contains("lines.txt stays as it is"), "{notes}");
    // A name must not forge a line of the report.
    let text = place.call("", &words).stdout;
    assert!(
        !text.lines().any(|line| line.starts_with("line.c")),
        "{text}"
    );
    assert!(
        !text.lines().any(|line| line.starts_with("lines.txt")),
        "{text}"
    );
}

#[test]
fn a_scratch_directory_that_is_not_there_is_not_made() {
    let place = Place::new(&[("crash.c", CRASH), ("in", "q")]);
    let missing = place.path("missing/deep");
    let called = place.call_with(&missing, "", &["crash.c", "--", "{}", "in", "x"]);
    assert_ne!(called.code, Some(0));
    assert!(
        called.stderr.contains("there is no directory"),
        "{}",
        called.stderr
    );
    assert!(called.stderr.contains("TMPDIR"), "{}", called.stderr);
    assert!(!place.path("missing").exists());
}

#[test]
fn a_build_that_fails_without_a_compiler_does_not_blame_one() {
    let place = Place::new(&[("crash.c", CRASH)]);
    let called = place.call("", &["--build", "false", "--", "./crash"]);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(
        called.stderr.contains(". does not build: exit 1"),
        "{}",
        called.stderr
    );
    assert!(!called.stderr.contains("clang"), "{}", called.stderr);
    let build = "$CC -g -o crash missing.c";
    let called = place.call("", &["--build", build, "--", "./crash"]);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(called.stderr.contains("clang"), "{}", called.stderr);
}

#[test]
fn other_line_ends_are_told_and_not_searched_for() {
    let source = "#include <stdio.h>\nint main(void) { printf(\"1\\n2\\n\"); return 0; }\n";
    let place = Place::new(&[("lines.c", source), ("right", "1\r\n2\r\n")]);
    let called = place.call("", &["lines.c", "--expect", "right", "--", "{}"]);
    assert_eq!(called.code, Some(1));
    assert!(
        called.stderr.contains("but for carriage returns"),
        "{}",
        called.stderr
    );
}

#[test]
fn a_file_that_is_named_by_its_absolute_path_is_shown() {
    let place = Place::new(&[("expected", "2 above\n")]);
    let elsewhere = Place::new(&[("above.c", ABOVE)]);
    let file = elsewhere.path("above.c").display().to_string();
    let words = [&file, "--expect", "expected", "--", "{}", "10", "12"];
    let text = place.call("", &words).stdout;
    let shown = format!("--> {file}:6:28\n");
    assert!(text.contains(&shown), "{text}");
    assert!(text.contains("if (atoi(words[i]) > 10)"), "{text}");
    let result = place.result("", &words);
    for shown in result["places"].as_array().expect("a list") {
        let at = format!("--> {file}:{}:{}\n", shown["line"], shown["column"]);
        assert!(text.contains(&at), "{at}{text}");
    }
}

#[test]
fn a_program_whose_main_returns_nothing_is_judged_by_what_it_prints() {
    let old = "main(count, words) int count; char **words; {";
    for main in ["int main(int count, char **words) {", old] {
        let source = ABOVE.replace("    return 0;\n", "");
        let source = source.replace("int main(int count, char **words) {", main);
        let place = Place::new(&[("above.c", &source), ("expected", "2 above\n")]);
        let words = [
            "above.c",
            "--cflags",
            "-std=gnu89 -w",
            "--expect",
            "expected",
            "--",
            "{}",
            "10",
            "12",
        ];
        let source = source.replace("for (int i = 1", "int i; for (i = 1");
        std::fs::write(place.path("above.c"), source).expect("room");
        assert_eq!(place.result("", &words)["places"][0]["line"], 6, "{main}");
    }
}

#[test]
fn a_pointer_that_becomes_another_one_is_told_as_such() {
    let source = "#include <stdio.h>\nint main(void) {\n    static int low = 1, high = 2;\n    int *chosen = &low;\n    \
                  printf(\"%d\\n\", *chosen + high);\n    return 0;\n}\n";
    let place = Place::new(&[("chosen.c", source), ("expected", "4\n")]);
    let words = ["chosen.c", "--expect", "expected", "--", "{}"];
    let result = place.result("", &words);
    for shown in result["places"].as_array().expect("a list") {
        assert_ne!(shown["was"], shown["becomes"], "{shown}");
    }
}
