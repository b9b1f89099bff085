//! `yester explain`, from the command line.

mod bound;
#[path = "../../../../tests/called.rs"]
mod called;
#[path = "../../../../tests/leash.rs"]
mod leash;
mod place;

use std::fs;

use std::process::Command;

use place::{Place, SUM, names};

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
            &["tree", "tree", "--build", "true", "--", "./a"],
            "the build of tree made no a",
            "--build makes it",
        ),
    ] {
        let called = place.call(words).exits(2).says(message);
        assert!(called.stderr.contains(hint), "{words:?}: {}", called.stderr);
    }
}

#[test]
fn what_a_changed_macro_or_table_gives_is_named_with_its_line() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\n#define MOST 5\nstatic const int prices[3] = {\n    10,\n    20,\n    30,\n};\n\
               int main(int c, char **v) {\n    int n = atoi(v[1]);\n    if (n > MOST)\n        return puts(\"many\");\n    \
               printf(\"%d\\n\", prices[n]);\n    return 0;\n}\n";
    for (right, wrong, input, line) in
        [("MOST 5", "MOST 7", "6", 3), ("    20,", "    21,", "1", 6)]
    {
        let new = old.replace(right, wrong);
        let place = Place::new(&[("old.c", old), ("new.c", &new)]);
        let result = place.result(&["old.c", "new.c", "--", "{}", input]);
        assert!(names(&result, "new", line), "{result:#}");
    }
}

#[test]
fn a_call_that_is_missing_is_named_and_not_what_it_would_have_done() {
    let old = "#include <stdio.h>\nstatic int total;\nstatic void add(int n) {\n    int twice = 2 * n;\n    if (twice > 4)\n        twice++;\n    \
               total += twice;\n}\nint main(int c, char **v) {\n    add(c);\n    add(v[1][0]);\n    printf(\"%d\\n\", total);\n    return 0;\n}\n";
    let new = old.replace("    add(c);\n", "");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let result = place.result(&["old.c", "new.c", "--", "{}", "7"]);
    let first = &result["places"][0];
    assert_eq!(
        (&first["version"], &first["line"]),
        (&"old".into(), &10.into()),
        "{result:#}"
    );
    assert!(!names(&result, "old", 4), "{result:#}");
}

#[test]
fn predicates_show_an_assignment_that_no_branch_depends_on() {
    let old = "#include <stdio.h>\nint main(int c, char **v) {\n    int a = v[1][0] - '0', b = 2;\n    int half = a / 2;\n    \
               printf(\"%d\\n\", half);\n    return 0;\n}\n";
    let new = old.replace("a / 2", "a - 3");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    // Four is two times two, and five is, too; only the new version compares otherwise.
    let words = ["old.c", "new.c", "--by", "predicates", "--", "{}", "4"];
    let result = place.result(&words);
    let first = &result["places"][0];
    assert_eq!(first["line"], 4, "{result:#}");
    assert_eq!(
        (&first["kind"], &first["evidence"]),
        (&"value".into(), &"alternate".into()),
        "{result:#}"
    );
    let name = first["name"].as_str().expect("a name");
    assert!(name.contains("half"), "{result:#}");
    assert_eq!(result["alternate_input"]["changes"][0]["becomes"], "5");
}

#[test]
fn the_last_step_before_a_crash_is_told() {
    let old = "#include <stdio.h>\n#include <string.h>\nstatic int after(const char *text) {\n    const char *dot = strchr(text, '.');\n    \
               if (!dot)\n        return '?';\n    return dot[1];\n}\nint main(int c, char **v) {\n    printf(\"%c\\n\", after(v[1]));\n    return 0;\n}\n";
    let new = old.replace("    if (!dot)\n        return '?';\n", "");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let words = ["old.c", "new.c", "--", "{}", "name"];
    let result = place.result(&words);
    let crash = &result["crashes"][0];
    assert_eq!(
        (&crash["version"], &crash["function"]),
        (&"new".into(), &"after".into()),
        "{result:#}"
    );
    assert_eq!(crash["ending"], "signal SIGSEGV");
    let line = crash["line"].as_u64().expect("a number");
    assert!((4..=5).contains(&line), "{result:#}");
    let text = place.call(&words).exits(0).stdout;
    assert!(
        text.contains("in after: the last step of the new version before signal SIGSEGV"),
        "{text}"
    );
    assert_eq!(
        result["crashes"].as_array().map(Vec::len),
        Some(1),
        "the old version does not crash"
    );
}

#[test]
fn interventions_show_what_makes_the_new_version_do_what_the_old_one_does() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n    int a = atoi(v[1]);\n    \
               int price = a >= 10 ? 7 * a : 9 * a;\n    printf(\"%d\\n\", price);\n    return 0;\n}\n";
    let new = old.replace("a >= 10", "a > 10");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let words = ["old.c", "new.c", "--by", "interventions", "--", "{}", "10"];
    let result = place.result(&words);
    let first = &result["places"][0];
    assert_eq!(
        (&first["line"], &first["evidence"]),
        (&5.into(), &"intervention".into()),
        "{result:#}"
    );
    assert_eq!(
        (&first["was"], &first["becomes"]),
        (&">".into(), &">=".into())
    );
    assert_eq!(result["method"], "intervention");
}

#[test]
fn absolute_paths_are_as_good_as_others_and_columns_are_those_of_the_text() {
    let new = SUM.replace("c <= '9'", "c < '9'");
    let place = Place::new(&[("old.c", SUM), ("new.c", &new), ("in", "x19")]);
    let path = |name: &str| place.directory.path().join(name).display().to_string();
    let (old, new) = (path("old.c"), path("new.c"));
    let words = [&old, &new, "--stdin", "in", "--", "{}"];
    let result = place.result(&words);
    let plain = place.result(&["old.c", "new.c", "--stdin", "in", "--", "{}"]);
    assert_eq!(result["places"][0]["changed"], true);
    assert_eq!(result["places"], plain["places"]);
    let text = place.call(&words).exits(0).stdout;
    for shown in result["places"].as_array().expect("a list") {
        let file = shown["file"].as_str().expect("a name");
        let at = format!("--> {file}:{}:{}\n", shown["line"], shown["column"]);
        assert!(text.contains(&at), "{at}{text}");
    }
}

#[test]
fn a_macro_is_in_no_function() {
    let old = "#include <stdio.h>\n#define RATE 19\nint main(void) {\n    int tax = getchar() * RATE;\n    printf(\"%d\\n\", tax);\n    return 0;\n}\n";
    let new = old.replace("RATE 19", "RATE 16");
    let place = Place::new(&[("old.c", old), ("new.c", &new), ("in", "a")]);
    let called = place.call(&["old.c", "new.c", "--stdin", "in", "--", "{}"]);
    let text = called.exits(0).stdout;
    assert!(text.contains("= in the new version\n"), "{text}");
    assert!(!text.contains("in ,"), "{text}");
}

/// Counts words that are longer than a limit.
const LONG: &str = "#include <stdio.h>\n#include <string.h>\nint main(void) {\n    char word[64];\n    int long_words = 0;\n    \
                    size_t limit = 5;\n    while (scanf(\"%63s\", word) == 1) {\n        size_t length = strlen(word);\n        \
                    if (length > limit)\n            long_words++;\n    }\n    printf(\"%d\\n\", long_words);\n    return 0;\n}\n";

#[test]
fn a_constant_that_changed_is_listed_though_it_differs_where_both_agree() {
    let new = LONG.replace("limit = 5", "limit = 7");
    // Without the last word, both print the same.
    let input = "a few tiny words that are so short, and then one that is not: lengthy";
    let place = Place::new(&[("old.c", LONG), ("new.c", &new), ("in", input)]);
    let result = place.result(&["old.c", "new.c", "--stdin", "in", "--", "{}"]);
    let lines = result["places"].as_array().expect("a list").iter();
    let lines: Vec<u64> = lines.filter_map(|place| place["line"].as_u64()).collect();
    assert!(lines[..2].contains(&6), "{lines:?}");
}

#[test]
fn a_changed_line_that_the_output_depends_on_is_listed_though_no_step_differs_there() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nstatic int sum;\nstatic void add(char **words) {\n    sum += atoi(words[0]);\n}\n\
               int main(int count, char **words) {\n    if (count < 3)\n        return 2;\n    add(words + 1);\n    printf(\"%d\\n\", sum);\n    return 0;\n}\n";
    let new = old.replace("words + 1", "words + 2");
    let place = Place::new(&[("old.c", old), ("new.c", &new)]);
    let result = place.result(&["old.c", "new.c", "--", "{}", "3", "45"]);
    assert!(names(&result, "new", 10), "{result:#}");
}

#[test]
fn what_the_new_version_misses_has_its_line_there() {
    let old = LONG.replace(
        "        if (length > limit)",
        "        if (word[0] == '#')\n            break;\n        if (length > limit)",
    );
    let place = Place::new(&[
        ("old.c", &old),
        ("new.c", LONG),
        ("in", "lengthy # comments"),
    ]);
    let words = ["old.c", "new.c", "--stdin", "in", "--", "{}"];
    let result = place.result(&words);
    let places = result["places"].as_array().expect("a list");
    let missed = places
        .iter()
        .find(|place| place["version"] == "old" && place["changed"] == true);
    let missed = missed.expect("it is listed");
    assert_eq!(missed["other_line"], 9, "{missed}");
    assert!(
        [9, 10].contains(&missed["line"].as_u64().expect("a line")),
        "{missed}"
    );
}
