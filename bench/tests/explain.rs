//! `bench/explain` with programs in the place of yester that print what they are told to.

#[path = "../../tests/executable.rs"]
mod executable;

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;
use yester_bench::seeded::{Fault, FaultFamily, programs};

/// A fault in one line of both versions.
fn fault() -> Fault {
    let mut faults = programs()
        .expect("programs")
        .into_iter()
        .flat_map(|program| {
            let faults = program.faults().expect("faults");
            faults
                .into_iter()
                .filter(|fault| fault.family == FaultFamily::Seeded)
        });
    let is_simple = |fault: &Fault| fault.kind == "operator" && fault.program.name == "cells";
    faults.find(is_simple).expect("a fault")
}

struct Stub {
    directory: TempDir,
}

impl Stub {
    fn new(script: &str) -> Stub {
        let stub = Stub {
            directory: tempfile::tempdir().expect("a directory"),
        };
        executable::write(&stub.program(), format!("#!/bin/sh\n{script}\n"));
        stub
    }

    fn program(&self) -> PathBuf {
        self.directory.path().join("yester")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_explain"))
            .arg("--yester")
            .arg(self.program())
            .args(["--only", &fault().name()])
            .args(arguments)
            .output()
            .expect("the benchmark starts")
    }
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

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_report_with_the_right_line_is_of_class_1() {
    let line = fault().truth().lines_new[0];
    let output = Stub::new(&report(&[1, line])).run(&[]);
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
    let output = Stub::new(&report(&[1])).run(&[]);
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
    let output = Stub::new(script).run(&[]);
    assert!(
        text(&output).contains("exit status: 3, no report"),
        "{}",
        text(&output)
    );
    assert!(text(&output).contains("NOT met: without places: 1"));
}

#[test]
fn what_takes_too_long_is_ended() {
    let output = Stub::new("exec sleep 1000").run(&["--limit", "0"]);
    assert!(
        text(&output).contains("| takes too long |"),
        "{}",
        text(&output)
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_list_runs_nothing() {
    let output = Stub::new("exit 9").run(&["--list"]);
    assert!(text(&output).contains(&fault().name()));
    assert_eq!(output.status.code(), Some(0));
    let output = Stub::new("exit 9").run(&["--role", "check"]);
    assert!(
        text(&output).contains("no case is meant"),
        "{}",
        text(&output)
    );
}
