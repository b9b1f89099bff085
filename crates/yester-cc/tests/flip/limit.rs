//! How far `yester flip` goes, and that it says so.

use serde_json::Value;

use super::place::Place;

/// Many branches on the input, and nothing that is right.
const BRANCHES: &str = "\
#include <stdio.h>
int main(void) {
    int c, kinds = 0;
    while ((c = getchar()) != EOF) {
        if (c > 'a') kinds++;
        if (c > 'g') kinds++;
        if (c > 'p') kinds++;
        if (c == 'z') kinds++;
    }
    printf(\"%d\\n\", kinds);
    return 0;
}
";

/// The report of a call that finds nothing.
fn report(place: &Place, words: &[&str]) -> (Value, String) {
    let called = place.call("", &[&["--json"], words].concat());
    assert_eq!(called.code, Some(3), "{}{}", called.stdout, called.stderr);
    let report: Value = serde_json::from_str(&called.stdout).expect("JSON");
    let notes = report["result"]["notes"].to_string();
    (report, notes)
}

#[test]
fn the_number_of_trials_limits_both_ways_together() {
    let place = Place::new(&[("kinds.c", BRANCHES), ("in", "bq")]);
    let limited = |ways: &[&str], most: &str| {
        let words = [
            "kinds.c",
            "--stdin",
            "in",
            "--check",
            "false",
            "--max-trials",
            most,
        ];
        let (report, notes) = report(&place, &[&words, ways, &["--", "{}"]].concat());
        let runs = report["result"]["runs"].as_u64().expect("a number");
        (runs, notes, report)
    };
    let (few, notes, report) = limited(&["--by", "paths"], "6");
    // The failing run and what it was compared with come on top.
    assert!(few <= 6 + 2, "{report}");
    assert!(notes.contains("(--max-trials)"), "{notes}");
    assert_eq!(report["result"]["exhausted"], false);
    let (more, _, report) = limited(&["--by", "paths"], "24");
    assert!(few < more && more <= 24 + 2, "{report}");
    // Interventions leave nothing for inputs that are made.
    let (runs, notes, _) = limited(&[], "5");
    assert!(
        notes.contains("after 1 run and 0 questions"),
        "{runs}: {notes}"
    );
}

#[test]
fn the_time_limits_the_search_for_inputs_too() {
    let place = Place::new(&[("kinds.c", BRANCHES), ("in", "bq")]);
    let words = [
        "kinds.c",
        "--stdin",
        "in",
        "--check",
        "false",
        "--by",
        "paths",
        "--max-time",
        "1ms",
        "--",
        "{}",
    ];
    let (report, notes) = report(&place, &words);
    assert!(notes.contains("after 1 run and 0 questions"), "{notes}");
    assert!(notes.contains("the limit of time (--max-time)"), "{notes}");
    assert_eq!(report["result"]["exhausted"], false);
}

#[test]
fn a_build_that_does_not_end_is_ended() {
    let place = Place::new(&[("kinds.c", BRANCHES)]);
    let words = [
        "--build",
        "while :; do :; done",
        "--build-timeout",
        "200ms",
        "--",
        "./kinds",
    ];
    let called = place.call("", &words);
    assert_eq!(called.code, Some(2), "{}", called.stderr);
    assert!(
        called.stderr.contains("takes too long"),
        "{}",
        called.stderr
    );
    assert!(
        called.stderr.contains("--build-timeout"),
        "{}",
        called.stderr
    );
}
