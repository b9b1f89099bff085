//! `bench/explain` with programs in the place of yester that print what they are told to.

mod stub;

use std::process::Output;

use stub::{Stub, fault, text};

fn run(script: &str, arguments: &[&str]) -> Output {
    Stub::new(script).run(env!("CARGO_BIN_EXE_explain"), arguments)
}

/// Prints a report with these lines of the new version.
fn report(lines: &[u32]) -> String {
    let places = lines.iter().map(|line| {
        format!(r#"{{"kind": "value", "version": "new", "file": "cells.c", "line": {line}}}"#)
    });
    let places: Vec<String> = places.collect();
    let result = format!(r#"{{"method": "stub", "places": [{}]}}"#, places.join(", "));
    format!("echo '{{\"result\": {result}}}'")
}

#[test]
fn a_report_with_the_right_line_is_of_class_1() {
    let line = fault().truth().lines_new[0];
    let output = run(&report(&[1, line]), &[]);
    let name = fault().name();
    let row = format!("| {name} | seeded | operator | 1 | 2 | 2 | stub |");
    assert!(text(&output).contains(&row), "{}", text(&output));
    // Whether it is fast enough hangs on what else is running.
    for bar in ["class", "without places", "median places"] {
        assert!(!text(&output).contains(&format!("NOT met: {bar}")), "{bar}");
    }
}

#[test]
fn a_report_without_the_right_line_misses_a_bar() {
    let output = run(&report(&[1]), &[]);
    assert!(
        text(&output).contains("| operator | 4 |  | 1 | stub |"),
        "{}",
        text(&output)
    );
    assert!(text(&output).contains("NOT met: class 1 or 1a: 0.0 %"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn yester_gets_both_versions_and_the_failing_input() {
    let script = r#"test "$1" = explain && test -s "$2" && test -s "$3" && ! cmp -s "$2" "$3" || exit 4
        test "$4" = --stdin && test -s "$5" && test "$6 $7 $8" = "--json -- {}" && test $# = 8 || exit 5
        exit 3"#;
    let output = run(script, &[]);
    assert!(
        text(&output).contains("exit status: 3, no report"),
        "{}",
        text(&output)
    );
    assert!(text(&output).contains("NOT met: without places: 1"));
}

#[test]
fn what_takes_too_long_is_ended() {
    let output = run("exec sleep 1000", &["--limit", "0"]);
    assert!(
        text(&output).contains("| takes too long |"),
        "{}",
        text(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_list_runs_nothing() {
    let output = run("exit 9", &["--list"]);
    assert!(text(&output).contains(&fault().name()));
    assert_eq!(output.status.code(), Some(0));
    let output = run("exit 9", &["--role", "check"]);
    assert!(
        text(&output).contains("no case is meant"),
        "{}",
        text(&output)
    );
}
