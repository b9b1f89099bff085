//! `yester flip --by paths`: inputs that take another path, and who judges them.

use std::process::Command;

use serde_json::{Value, json};

use super::place::Place;

/// The result of a call that finds something by other inputs, if the user answers like this.
fn answered(place: &Place, answers: &str, words: &[&str]) -> Value {
    place.result(answers, &[&["--by", "paths"], words].concat())
}

/// The lines of the places, with what they were and what they become.
fn places(result: &Value) -> Vec<(u64, &str, &str)> {
    let places = result["places"].as_array().expect("a list");
    places
        .iter()
        .map(|place| {
            assert_eq!(place["kind"], "branch");
            assert_eq!(place["evidence"], "input");
            (
                place["line"].as_u64().expect("a number"),
                place["was"].as_str().expect("a text"),
                place["becomes"].as_str().expect("a text"),
            )
        })
        .collect()
}

/// Lines of a name and a value. A value above 20 of a name that begins with b is written far outside of the table.
const TABLE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int table[16];
static int slot(const char *name, int value)
{
    if (name[0] == 'b' && value > 20)
        return -1000000000;
    return value % 16;
}
int main(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        char *space = strchr(line, ' ');
        if (!space)
            continue;
        *space = 0;
        table[slot(line, atoi(space + 1))]++;
    }
    printf("%d\n", table[3]);
    return 0;
}
"#;

#[test]
fn a_crash_needs_no_judge_and_its_input_is_reduced_first() {
    let items = "apple 3\npear 4\nnothing\nbanana 27\nbean 5\nfig 12\nplum 1\nkiwi 9\nlime 7\n";
    let place = Place::new(&[("table.c", TABLE), ("items", items)]);
    let result = answered(&place, "", &["table.c", "--stdin", "items", "--", "{}"]);
    assert_eq!(places(&result)[0], (7, "true", "false"));
    let input = &result["places"][0]["input"][0];
    assert_eq!(
        (&input["source"], &input["was"]),
        (&json!("stdin"), &json!("b 27"))
    );
    assert_eq!(input["offsets"], json!([2]));
    assert_eq!(result["distance"], json!(["table.c:7"]));
    assert_eq!(result["exhausted"], true);
    let notes = result["notes"].to_string();
    let reduced = format!("from {} bytes to 4", items.len());
    assert!(notes.contains(&reduced), "{notes}");
    // What differs does not differ from what the user gave.
    assert_eq!(result["places"][0]["reduced"], true);
    let text = place.call(
        "",
        &["table.c", "--by", "paths", "--stdin", "items", "--", "{}"],
    );
    let text = text.stdout;
    let differs = "on an input that differs in 1 byte from yours as it was reduced";
    assert!(text.contains(differs), "{text}");
    assert!(text.contains("reduced  stdin  b 27"), "{text}");
}

#[test]
fn the_number_of_jobs_does_not_matter() {
    let place = Place::new(&[("table.c", TABLE), ("items", "pear 4\nbanana 27\nfig 12\n")]);
    let with = |jobs: &str| {
        let words = ["table.c", "--stdin", "items", "-j", jobs, "--", "{}"];
        answered(&place, "", &words)
    };
    assert_eq!(with("1"), with("4"));
}

/// Prints the bigger of two numbers, but for equal ones.
const BIGGER: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int one = atoi(argv[1]), other = atoi(argv[2]);
    if (one SIGN other)
        printf("%d\n", one);
    else if (other > one)
        printf("%d\n", other);
    else
        printf("none\n");
    return 0;
}
"#;

#[test]
fn a_program_that_is_right_judges() {
    let wrong = BIGGER.replace("SIGN", ">");
    let right = BIGGER.replace("SIGN", ">=");
    let place = Place::new(&[("wrong.c", &wrong), ("right.c", &right)]);
    let built = Command::new("cc")
        .args(["-o", "right", "right.c"])
        .current_dir(place.directory.path())
        .status();
    assert!(built.expect("a compiler").success());
    let call = ["wrong.c", "--reference", "./right", "--", "{}", "7", "7"];
    let result = answered(&place, "", &call);
    // Both branches can be turned by themselves; the later one is nearer.
    assert_eq!(
        places(&result),
        [(8, "false", "true"), (6, "false", "true")]
    );
    assert_eq!(result["distance"], json!(["wrong.c:8"]));
    // On another input both do the same.
    let call = [
        "wrong.c",
        "--reference",
        "./right",
        "--by",
        "paths",
        "--",
        "{}",
        "8",
        "7",
    ];
    let called = place.call("", &call);
    assert_eq!(called.code, Some(1), "{}", called.stderr);
}

/// Two branches that ask for nearly the same.
const CORRELATED: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    unsigned char x = argv[1][0];
    int sum = 0;
    if (x > 'm')
        sum += 1;
    if (x > 'd')
        sum += 2;
    printf("%d\n", sum);
    return 0;
}
"#;

#[test]
fn a_nearer_path_that_no_input_takes_is_excluded_by_proof() {
    let place = Place::new(&[("both.c", CORRELATED)]);
    let check = "test $(cat $YESTER_STDOUT) = 0";
    let result = answered(&place, "", &["both.c", "--check", check, "--", "{}", "p"]);
    assert_eq!(result["distance"], json!(["both.c:7", "both.c:9"]));
    assert_eq!(result["exhausted"], true);
    // The second branch follows from the first, which was turned.
    assert_eq!(
        places(&result),
        [(7, "true", "false"), (9, "true", "false")]
    );
}

#[test]
fn a_loop_with_more_or_fewer_rounds_is_found() {
    let program = r#"#include <stdio.h>
int main(void)
{
    int rounds = 0;
    while (getchar() == 'x')
        rounds++;
    printf("%d\n", rounds);
    return 0;
}
"#;
    let place = Place::new(&[("loop.c", program), ("input", "xxx.")]);
    for (wanted, was, instance) in [("2", "true", 3), ("4", "false", 4)] {
        let check = format!("test $(cat $YESTER_STDOUT) = {wanted}");
        let words = ["loop.c", "--stdin", "input", "--check", &check, "--", "{}"];
        let result = answered(&place, "", &words);
        assert_eq!(places(&result)[0].1, was);
        assert_eq!(result["places"][0]["instance"], instance);
    }
}

#[test]
fn the_command_sees_the_input_and_what_was_printed() {
    let program = r#"#include <stdio.h>
int main(int argc, char **argv)
{
    FILE *file = fopen(argv[2], "r");
    int one = getchar(), other = fgetc(file);
    fprintf(stderr, "oh\n");
    if (one == other)
        return 3;
    printf("%c%c\n", one, other);
    return 4;
}
"#;
    let place = Place::new(&[("see.c", program), ("input", "a"), ("other", "a")]);
    let check = "test \"$1\" = -v || exit 125
        test \"$(cat \"$YESTER_STDERR\")\" = oh || exit 125
        test $YESTER_EXIT = 4 || exit 1
        test \"$(cat \"$YESTER_STDIN\" \"$YESTER_FILES/$2\")\" = \"$(cat \"$YESTER_STDOUT\")\"";
    let fixed = ["--fixed", "arg:1", "--fixed", "arg:2"];
    let words = [
        &["see.c", "--stdin", "input", "--check", check],
        &fixed[..],
        &["--", "{}", "-v", "other"],
    ];
    let result = answered(&place, "", &words.concat());
    assert_eq!(places(&result), [(7, "true", "false")]);
}

#[test]
fn a_command_that_cannot_tell_or_cannot_run_says_so() {
    let place = Place::new(&[("both.c", CORRELATED)]);
    let with = |check: &str| {
        let words = ["both.c", "--by", "paths", "--check", check, "--", "{}", "p"];
        place.call("", &words)
    };
    let called = with("exit 125");
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(
        called.stderr.contains("nobody can tell"),
        "{}",
        called.stderr
    );
    let called = with("./no-such-command");
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(called.stderr.contains("--check"), "{}", called.stderr);
    let called = with("true");
    assert_eq!(called.code, Some(1), "{}", called.stderr);
    // Nothing is right: how far it searched is told.
    let called = with("false");
    assert_eq!(called.code, Some(3), "{}", called.stderr);
    assert!(
        called.stdout.contains("no input that takes another path"),
        "{}",
        called.stdout
    );
}

#[test]
fn the_user_is_asked_about_each_run_once() {
    let place = Place::new(&[("both.c", CORRELATED)]);
    let words = ["both.c", "--ask", "--", "{}", "p"];
    // The given run is wrong, and so is the first that was made, with 2; the second, with 0, is right.
    let result = answered(&place, "n\nn\nwhat\ny\n", &words);
    assert_eq!(result["distance"], json!(["both.c:7", "both.c:9"]));
    let called = place.call("n\n", &[&["--by", "paths"], &words[..]].concat());
    assert_eq!(called.code, Some(3), "{}", called.stderr);
    let questions = called.stderr.matches("is this right?").count();
    assert_eq!(questions, 2, "{}", called.stderr);
    assert!(called.stderr.contains("arguments: p"), "{}", called.stderr);
}

#[test]
fn without_a_crash_somebody_has_to_judge() {
    let place = Place::new(&[("both.c", CORRELATED)]);
    let called = place.call("", &["both.c", "--by", "paths", "--", "{}", "p"]);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    for word in ["--check", "--reference", "--ask"] {
        assert!(called.stderr.contains(word), "{}", called.stderr);
    }
}

#[test]
fn an_endless_recursion_does_not_take_forever() {
    let program = r#"#include <stdio.h>
static int depth(int byte)
{
    if (byte > 'm')
        return depth(byte) + 1;
    return 0;
}
int main(void)
{
    printf("%d\n", depth(getchar()));
    return 0;
}
"#;
    let place = Place::new(&[("deep.c", program), ("input", "x")]);
    let result = answered(&place, "", &["deep.c", "--stdin", "input", "--", "{}"]);
    assert_eq!(places(&result)[0], (4, "true", "false"));
    assert_eq!(result["places"][0]["instance"], 1);
}
