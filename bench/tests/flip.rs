//! `bench/flip` with programs in the place of yester that print what they are told to.

mod stub;

use std::process::Output;

use stub::{Stub, fault, text};

fn run(script: &str, arguments: &[&str]) -> Output {
    // There is no graph: the compilers are another crate's.
    let arguments = [&["--compilers", "/nowhere"], arguments].concat();
    Stub::new(script).run(env!("CARGO_BIN_EXE_flip"), &arguments)
}

/// Prints a report with these lines.
fn report(lines: &[u32]) -> String {
    let places = lines.iter().map(|line| {
        format!(
            r#"{{"kind": "value", "file": "cells.c", "line": {line}, "evidence": "intervention"}}"#
        )
    });
    let places: Vec<String> = places.collect();
    let result = format!(r#"{{"runs": 12, "places": [{}]}}"#, places.join(", "));
    format!("echo '{{\"result\": {result}}}'")
}

#[test]
fn the_rank_is_that_of_the_faulty_line() {
    let line = fault().truth().lines_new[0];
    let output = run(&report(&[1, line]), &["--by", "all"]);
    let printed = text(&output);
    let name = fault().name();
    // Two lines are read, and no graph is larger than that.
    let row = format!(
        "| {name} | seeded | operator | all | 0.0 | 0.0 | 2 | 2 | intervention value, line 1 | 12 |"
    );
    assert!(printed.contains(&row), "{printed}");
    assert!(
        printed.contains("\nNOT met: faulty line first: 0.0 %"),
        "{printed}"
    );
    assert!(
        printed.contains("\nmet: faulty line in three: 100.0 %"),
        "{printed}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn each_way_is_asked_for_by_its_name() {
    let script = format!(
        "for word; do [ $word != --by ] || by=yes; [ $word != interventions ] || interventions=yes; done
        [ \"$by$interventions\" != yesyes ] || exit 7
        [ \"$by\" != yes ] || exit 8
        {}",
        report(&[1])
    );
    let printed = text(&run(&script, &[]));
    for (way, found) in [
        ("interventions", "exit status: 7, no report"),
        ("paths", "exit status: 8, no report"),
        ("all", "| intervention value, line 1 |"),
    ] {
        let mut lines = printed.lines();
        let is_meant = |line: &&str| line.contains(&format!("| operator | {way} |"));
        let line = lines.find(is_meant).expect("a row for each way");
        assert!(line.contains(found), "{line}");
    }
}

#[test]
fn the_distribution_stands_next_to_that_of_the_paper() {
    let printed = text(&run(
        &report(&[1]),
        &["--by", "interventions", "--by", "all"],
    ));
    assert!(
        printed.contains(
            "| score | NN/Perm | CT/relevance | CT/infected | APG | flip, interventions | flip, all |"
        ),
        "{printed}"
    );
    assert!(
        printed.contains("| 0-9 % | 17.43 | 4.65 | 20.91 | 14.02 | 100.00 | 100.00 |"),
        "{printed}"
    );
    assert!(
        printed.contains("| 80 or better | 25.68 | 41.86 | 41.82 | 43.92 | 0.00 | 0.00 |"),
        "{printed}"
    );
}

#[test]
fn yester_gets_the_faulty_version_the_failing_input_and_the_right_program() {
    let script = r#"test "$1" = flip && test -s "$2" && test "$3" = --stdin && test -s "$4" || exit 4
        test "$5" = --reference && test -x "$6" && test "$7 $8 $9" = "--json -- {}" && test $# = 9 || exit 5
        "$6" < "$4" > right && test -s right || exit 6
        exit 3"#;
    let printed = text(&run(script, &["--by", "all"]));
    assert!(printed.contains("exit status: 3, no report"), "{printed}");
    let script =
        r#"test "$5" = --expect && test -s "$6" && test "$7 $8" = "--by interventions" && exit 3"#;
    let printed = text(&run(
        script,
        &["--judge", "expect", "--by", "interventions"],
    ));
    assert!(printed.contains("exit status: 3, no report"), "{printed}");
}

#[test]
fn what_takes_too_long_is_ended_and_is_not_fast() {
    let output = run("exec sleep 1000", &["--limit", "0", "--by", "all"]);
    let printed = text(&output);
    assert!(printed.contains("takes too long"), "{printed}");
    assert!(
        printed.contains("NOT met: within 10 seconds: 0.0 %"),
        "{printed}"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_list_runs_nothing_and_bad_words_are_told() {
    let output = run("exit 9", &["--list"]);
    assert!(text(&output).contains(&fault().name()));
    assert_eq!(output.status.code(), Some(0));
    for words in [
        &["--by", "chance"][..],
        &["--judge", "expect", "--by", "paths"],
        &["--judge", "me"],
        &["--what"],
        &["--by"],
    ] {
        assert_eq!(run("exit 9", words).status.code(), Some(2), "{words:?}");
    }
}
