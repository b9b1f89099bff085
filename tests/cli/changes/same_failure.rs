//! Another failure is never taken for the one of BAD.

use super::{changed_lines, directories};

/// A program that prints the sum of what its parts print, and a part that decides whether it can.
fn program(first: &str, second: &str) -> [(&'static str, String); 3] {
    [
        ("first.sh", first.to_owned()),
        ("second.sh", second.to_owned()),
        (
            "main.sh",
            ". ./first.sh\n. ./second.sh\necho \"model: $((one + two))\"\ntest $((one + two)) = 5\n".to_owned(),
        ),
    ]
}

fn versions(good: [&str; 2], bad: [&str; 2]) -> crate::place::Place {
    let (good, bad) = (program(good[0], good[1]), program(bad[0], bad[1]));
    let files = |version: &'static [(&'static str, String)]| {
        version
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect::<Vec<_>>()
    };
    let (good, bad): (&'static _, &'static _) =
        (Box::leak(Box::new(good)), Box::leak(Box::new(bad)));
    directories(&files(good), &files(bad))
}

const TEST: [&str; 4] = ["--", "sh", "-c", "sh ./main.sh"];

fn words<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [&["changes", "good", "bad"], flags, &TEST].concat()
}

#[test]
fn a_wrong_value_is_told_from_another_wrong_value() {
    // Either change alone gives another wrong sum.
    let place = versions(["one=2\n", "two=3\n"], ["one=4\n", "two=4\n"]);
    place
        .call(&words(&[]))
        .exits(0)
        .says("failure to keep: exit 1, \"model: 8\"")
        .prints("found    2 changes in 2 files");
    let patch = place.read("culprit.patch");
    assert_eq!(
        changed_lines(&patch),
        ["-one=2", "+one=4", "-two=3", "+two=4"]
    );
    // Where only the exit counts, one change is enough.
    place
        .call(&words(&["--same-failure", "exit"]))
        .exits(0)
        .prints("found    1 change in 1 file");
}

#[test]
fn an_error_that_neither_version_prints_is_another_failure() {
    // Without `two`, the shell complains and exits with 1 or 2 as well.
    let place = versions(
        ["one=2\n", "two=3\n"],
        [
            "one=6\nextra=1\n",
            "two=$((extra + 1))\ntest -n \"$extra\" || { echo 'NameError: extra' >&2; exit 1; }\n",
        ],
    );
    // BAD without the answer would lack what the rest of it asks for.
    let json = place.call(&words(&["--json"])).exits(4).json();
    assert_eq!(json["failure"], "exit 1, \"model: 8\"");
    let others = json["also_seen"].as_array().expect("a list");
    let seen = |line: &str| {
        others.iter().any(|other| {
            other["failure"]
                .as_str()
                .is_some_and(|text| text.contains(line))
        })
    };
    assert!(seen("NameError: extra"), "{json}");
    assert_eq!(
        json["result"]["verified"]["missing_output"],
        serde_json::json!([])
    );
}

#[test]
fn what_differs_between_runs_of_bad_does_not_count() {
    let place = versions(
        ["one=2\n", "two=3\n"],
        ["one=2\n", "two=4\necho \"process $$ of $(date +%N)\"\n"],
    );
    place
        .call(&words(&[]))
        .exits(0)
        .says("failure to keep: exit 1, \"model: 6\"");
    // A line that is printed each time is part of the failure, whatever its numbers are.
    assert_eq!(changed_lines(&place.read("culprit.patch")).len(), 3);
}

#[test]
fn many_trials_that_fail_but_for_numbers_lead_to_the_looser_rule() {
    let lines = |value: u32| {
        (0..8)
            .map(|line| format!("v{line}={value}\n"))
            .collect::<String>()
    };
    let sum = "one=$((v0+v1+v2+v3+v4+v5+v6+v7))\ntwo=0\n";
    let place = versions(
        [&(lines(0) + "one=5\n"), "two=0\n"],
        [&(lines(3) + sum), "two=0\necho \"error: sum $one\" >&2\n"],
    );
    place
        .call(&words(&[]))
        .exits(4)
        .says("but for numbers or other lines")
        .says("--same-failure message");
    place
        .call(&words(&["--same-failure", "loose"]))
        .exits(2)
        .says("possible values: output, message, exit");
}

#[test]
fn an_answer_that_cannot_be_taken_out_of_bad_is_not_called_found() {
    // BAD uses what the culprit brings, so that nothing of it is left without it.
    let place = directories(
        &[
            ("a.sh", "limit() { echo 3; }\n"),
            (
                "main.sh",
                ". ./a.sh\ntest $(limit) = 3 || { echo too many; exit 1; }\n",
            ),
        ],
        &[
            ("a.sh", "limit() { echo 4; }\n"),
            (
                "main.sh",
                ". ./a.sh\ntest $(limit) = 3 && exit 125\ntest $(limit) = 3 || { echo too many; exit 1; }\n",
            ),
        ],
    );
    let called = place
        .call(&["changes", "good", "bad", "--", "sh", "main.sh"])
        .exits(4);
    let called = called
        .prints("unproved 1 change in 1 file")
        .prints("bad − culprit gives no answer (exit 125)");
    assert!(!called.stdout.contains("fix.patch"), "{}", called.stdout);
    assert!(!place.file("fix.patch").exists());
    let json = place
        .call(&["changes", "good", "bad", "--json", "--", "sh", "main.sh"])
        .exits(4)
        .json();
    assert_eq!(json["status"], "unproved");
    assert_eq!(json["result"]["fix_patch"], serde_json::Value::Null);
}
