//! `yester flip --and`: several tests that fail.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::place::{ABOVE, Place};
use crate::called::yester;

/// The tests that the place at a line makes pass, from 1.
fn cured(result: &Value, line: u64) -> Vec<u64> {
    let places = result["places"].as_array().expect("places");
    let place = places.iter().find(|place| place["line"] == line);
    let cures = place.unwrap_or_else(|| panic!("line {line}: {result}"))["cures"].as_array();
    let cures = cures.expect("a list").iter();
    cures
        .map(|cure| cure["test"].as_u64().expect("a number"))
        .collect()
}

/// Takes ten off what is more than a hundred, where the limit belongs to it. Each test prints at a line of its own.
const PRICE: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int sum = 0;
    for (int i = 1; i < count; i++)
        sum += atoi(words[i]);
    if (sum > 100)
        sum -= 10;
    if (count == 2)
        printf(\"one %d\\n\", sum);
    else
        printf(\"many %d\\n\", sum);
    return 0;
}
";

#[test]
fn a_place_that_makes_all_tests_pass_comes_first() {
    let place = Place::new(&[
        ("price.c", PRICE),
        ("first", "one 90\n"),
        ("second", "many 90\n"),
    ]);
    let words = [
        "price.c", "--expect", "first", "--and", "{} 60 40", "--expect", "second", "--", "{}",
        "100",
    ];
    let result = place.result("", &words);
    assert_eq!(result["tests"], 2);
    let counts: Vec<usize> = result["places"]
        .as_array()
        .expect("places")
        .iter()
        .map(|place| place["cures"].as_array().expect("a list").len())
        .collect();
    let mut sorted = counts.clone();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    assert_eq!(counts, sorted, "{result}");
    assert_eq!(counts[0], 2, "{result}");
    // What only one of the tests executes makes only that one pass.
    assert_eq!(cured(&result, 10), [1], "{result}");
    assert_eq!(cured(&result, 12), [2], "{result}");
    assert_eq!(
        (
            &result["places"][0]["line"],
            &result["places"][0]["becomes"]
        ),
        (&7.into(), &">=".into()),
        "{result}"
    );
    let text = place.call("", &words).stdout;
    assert!(
        text.contains("1. with >= instead of >, all 2 tests pass\n"),
        "{text}"
    );
    assert!(text.contains("1 of 2 tests passes\n"), "{text}");
    assert!(
        text.contains("= test 2: with argument 2 of printf 90 instead of 100\n"),
        "{text}"
    );
}

#[test]
fn another_operator_mends_all_tests_and_any_number_of_jobs_says_so() {
    let place = Place::new(&[
        ("above.c", ABOVE),
        ("in", ""),
        ("first", "3 above\n"),
        ("second", "1 above\n"),
        ("third", "2 above\n"),
    ]);
    let with = |jobs| {
        let words = [
            "above.c",
            "--and",
            "{} '10' < in",
            "--and",
            "{} 10 3 \"10\"",
            "--expect",
            "first",
            "--expect",
            "second",
            "--expect",
            "third",
            "--by",
            "interventions",
            "-j",
            jobs,
            "--",
            "{}",
            "10",
            "11",
            "10",
        ];
        place.result("", &words)
    };
    let result = with("1");
    let first = &result["places"][0];
    assert_eq!(
        (&first["line"], &first["becomes"]),
        (&6.into(), &">=".into())
    );
    assert_eq!(cured(&result, 6), [1, 2, 3]);
    assert_eq!(result["places"], with("3")["places"]);
}

#[test]
fn the_reference_gets_the_arguments_of_each_test() {
    let reference = "#!/bin/sh\nset -- \"$@\"\nn=0\nfor i; do test \"$i\" -ge 10 && n=$((n + 1)); done\necho \"$n above\"\n";
    let place = Place::new(&[("above.c", ABOVE), ("right.sh", reference)]);
    let words = [
        "above.c",
        "--reference",
        "./right.sh",
        "--and",
        "{} 4 10",
        "--by",
        "interventions",
        "--",
        "{}",
        "10",
        "11",
    ];
    let result = place.result("", &words);
    assert_eq!(result["places"][0]["line"], 6, "{result}");
    assert_eq!(cured(&result, 6), [1, 2]);
}

#[test]
fn a_further_test_that_passes_is_an_error_that_names_it() {
    let place = Place::new(&[("above.c", ABOVE), ("right", "1 above\n")]);
    let words = [
        "above.c", "--expect", "right", "--and", "{} 11 3", "--expect", "right", "--", "{}", "10",
    ];
    let called = place.call("", &words);
    assert_eq!(called.code, Some(1), "{}", called.stderr);
    let message = "test 2 ('{}' 11 3): the program prints what is expected (exit 0)";
    assert!(called.stderr.contains(message), "{}", called.stderr);
    let check = "test \"$(cat $YESTER_STDOUT)\" = '1 above'";
    let words = [
        "above.c",
        "--check",
        check,
        "--and",
        "{} 11 3",
        "--by",
        "interventions",
        "--",
        "{}",
        "10",
    ];
    let called = place.call("", &words);
    assert_eq!(called.code, Some(1), "{}", called.stderr);
    let message = "test 2 ('{}' 11 3): the run is right";
    assert!(called.stderr.contains(message), "{}", called.stderr);
}

#[test]
fn test_scripts_are_summed_and_remembered() {
    let test = "#!/bin/sh\ntest \"$(./above $1)\" = \"$2 above\" || exit 1\n";
    let place = Place::new(&[
        ("above.c", ABOVE),
        ("Makefile", "above: above.c\n\t$(CC) -g -o above above.c\n"),
        ("run-test", test),
    ]);
    let words = [
        "--build",
        "make",
        "--and",
        "./run-test 10 1",
        "--",
        "./run-test",
        "11 10 9",
        "2",
    ];
    let result = place.result("", &words);
    assert_eq!(result["places"][0]["line"], 6, "{result}");
    assert_eq!(cured(&result, 6), [1, 2]);
    // One journal has the trials of both, and none of them is run again.
    let again = place.result("", &words);
    assert_eq!(again["places"], result["places"]);
    let runs = |result: &Value| result["runs"].as_u64().expect("a number");
    assert!(
        2 * runs(&again) < runs(&result),
        "{} {}",
        runs(&again),
        runs(&result)
    );
    let kept = fs::read_dir(place.path(".yester")).expect("it is there");
    let kept = kept.filter(|entry| entry.as_ref().is_ok_and(|one| one.path().is_dir()));
    assert_eq!(kept.count(), 1);
    let listed = Command::new(yester())
        .args(["runs", "--json"])
        .current_dir(place.path("."))
        .output()
        .expect("yester starts");
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("a list");
    let [run] = &listed.as_array().expect("a list")[..] else {
        panic!("{listed}")
    };
    assert_eq!(
        (&run["command"], &run["status"]),
        (&"flip".into(), &"found".into())
    );
    assert!(run["trials"].as_u64() > Some(0), "{run}");
}

#[test]
fn tests_that_nothing_mends_together_may_have_different_reasons() {
    // The first is wrong by its limit, the second by a letter.
    let source = "\
#include <stdio.h>
int main(int count, char **words) {
    if (count > 2)
        return count > 3;
    return words[1][0] == 'b';
}
";
    let place = Place::new(&[("two.c", source)]);
    let words = [
        "two.c",
        "--and",
        "{} b",
        "--by",
        "interventions",
        "--",
        "{}",
        "a",
        "b",
        "c",
    ];
    let result = place.result("", &words);
    assert_eq!(cured(&result, 4), [1], "{result}");
    assert_eq!(cured(&result, 5), [2], "{result}");
    let is_all = |place: &Value| place["cures"].as_array().map(Vec::len) == Some(2);
    let has_all = result["places"]
        .as_array()
        .expect("places")
        .iter()
        .any(is_all);
    let note =
        json!("nothing that was tried makes all tests pass: they may fail for different reasons");
    let is_noted = result["notes"].as_array().expect("notes").contains(&note);
    assert_eq!(is_noted, !has_all, "{result}");
}

#[test]
fn wrong_calls_with_several_tests_say_what_is_wrong() {
    let place = Place::new(&[("above.c", ABOVE), ("right", "1 above\n")]);
    for (words, message) in [
        (
            [
                "above.c", "--expect", "right", "--and", "{} 10", "--", "{}", "10",
            ]
            .as_slice(),
            "there are 2 tests, and --expect is given 1 time",
        ),
        (
            &["above.c", "--and", "{} 10 | cat", "--", "{}", "10"],
            "--and '{} 10 | cat': '|' takes a shell",
        ),
        (
            &["above.c", "--and", "./above 10", "--", "{}", "10"],
            "the program of a single file is {}",
        ),
        (
            &[
                "above.c", "--and", "{} 10", "--by", "paths", "--", "{}", "10",
            ],
            "--and is for interventions",
        ),
        (
            &["above.c", "--ask", "--and", "{} 10", "--", "{}", "10"],
            "--ask",
        ),
    ] {
        let called = place.call("", words);
        assert_eq!(called.code, Some(2), "{words:?}: {}", called.stderr);
        assert!(
            called.stderr.contains(message),
            "{words:?}: {}",
            called.stderr
        );
    }
}
