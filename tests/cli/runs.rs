//! `yester runs`: what is kept, and what can be done with it.

use std::process::Command;

use crate::place::{Place, called, plain};
use crate::schema::Schema;

/// A place with a run that a limit has stopped.
fn stopped() -> Place {
    let place = Place::with_needle();
    place.write("yester.toml", "fail-if = [\"stderr~found it\"]\n");
    let words = [
        "reduce",
        "input.txt",
        "--timeout",
        "20s",
        "--max-trials",
        "8",
        "--fresh",
        "--",
        "./failing.sh",
        "{}",
    ];
    place.call(&words).exits(3);
    place
}

#[test]
fn a_list_says_when_how_and_how_big() {
    let place = stopped();
    let called = place.call(&["runs"]).exits(0);
    let command =
        "yester reduce '--fail-if=stderr~found it' input.txt --timeout 20s -- ./failing.sh '{}'";
    let lines: Vec<&str> = called.stdout.lines().collect();
    let [run, state, call] = lines[..] else {
        panic!("{}", called.stdout)
    };
    assert!(run.starts_with(".yester/reduce-input.txt-"), "{run}");
    assert!(state.starts_with("    stopped, "), "{state}");
    assert!(
        state.contains(" UTC; ") && state.ends_with(" kB"),
        "{state}"
    );
    assert_eq!(call.trim_start(), command);

    let listed = place.call(&["runs", "--json"]).exits(0).json();
    Schema::read("runs").check(&listed);
    assert_eq!(listed[0]["resume"], command);
    let written = std::fs::read_to_string(place.runs()[0].join("run.json")).expect("a record");
    Schema::read("run").check(&serde_json::from_str(&written).expect("JSON"));

    let shown = place.call(&["runs", "show"]).exits(0);
    shown
        .prints(&format!("resume   {command}"))
        .prints("trials   ");
}

#[test]
fn the_command_that_is_printed_resumes_the_run() {
    let place = stopped();
    let listed = place.call(&["runs", "--json"]).exits(0).json();
    let command = listed[0]["resume"].as_str().expect("a command");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_yester"));
    let mut shell = Command::new("sh");
    let paths = std::env::join_paths([
        program.parent().expect("a directory"),
        "/usr/bin".as_ref(),
        "/bin".as_ref(),
    ]);
    shell
        .args(["-c", command])
        .env("PATH", paths.expect("a path"))
        .current_dir(place.path());
    let resumed = called(plain(&mut shell).output().expect("sh starts")).exits(0);
    resumed.says("already known").says("yester: resuming ");
    assert_eq!(place.runs().len(), 1, "it is the same run");
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn a_run_is_resumed_from_any_directory() {
    let place = stopped();
    let elsewhere = Place::new();
    let state = place.file(".yester");
    let state = state.to_str().expect("text");
    let words = [
        "runs",
        "--state-dir",
        state,
        "resume",
        "input.txt",
        "--json",
    ];
    let report = elsewhere.call(&words).exits(0).says("already known").json();
    assert_eq!(report["status"], "found");
    assert_eq!(place.read("input.reduced.txt"), "needle");
    let list = elsewhere.call(&["runs", "--state-dir", state]).exits(0);
    let directory = place.path().canonicalize().expect("a directory");
    list.prints(&format!("cd {} && yester reduce ", directory.display()));
}

#[test]
fn a_run_that_is_not_there_or_not_meant_alone_is_an_error() {
    let place = stopped();
    let none = place.call(&["runs", "show", "other", "--json"]).exits(2);
    let none = none.says("there is no run 'other'").json();
    assert_eq!(none["error"]["code"], "run_not_found");
    place.write("yester.toml", "");
    place
        .call(&["reduce", "input.txt", "--", "./failing.sh", "{}"])
        .exits(0);
    place
        .call(&["runs", "delete", "input"])
        .exits(2)
        .says("'input' fits several runs");
    assert_eq!(place.runs().len(), 2);
}

#[test]
fn runs_are_deleted_one_by_one_and_by_what_they_are_worth() {
    let place = stopped();
    place.write("yester.toml", "");
    let failed = ["reduce", "input.txt", "--", "false"];
    place.call(&failed).exits(1);
    assert_eq!(place.runs().len(), 2);
    let prune = place.call(&["runs", "prune"]).exits(0);
    prune.prints("deleted 1 run, ");
    let left = place.runs();
    assert_eq!(left.len(), 1, "the one with trials is kept");
    let name = left[0].to_str().expect("text");
    place
        .call(&["runs", "delete", name])
        .exits(0)
        .prints("deleted 1 run");
    assert!(place.runs().is_empty());
    place.call(&["runs"]).exits(0).prints("no runs in .yester");
}

#[test]
fn wrong_calls_never_cost_a_finished_run() {
    let place = Place::with_needle();
    let words = ["reduce", "input.txt", "--", "./interesting.sh", "{}"];
    place.call(&words).exits(0);
    let finished = place.runs().pop().expect("a run");
    for number in 0..25 {
        let number = number.to_string();
        let broken = [
            "reduce",
            "input.txt",
            "-q",
            "--seed",
            &number,
            "--",
            "false",
        ];
        place.call(&broken).exits(1);
    }
    assert!(finished.join("journal.jsonl").exists());
    assert!(place.runs().len() <= 21);
}

#[test]
fn a_record_that_is_a_pipe_keeps_nobody_waiting() {
    let place = stopped();
    let run = place.file(".yester/reduce-other-5555555555");
    std::fs::create_dir(&run).expect("a directory");
    let made = Command::new("mkfifo").arg(run.join("run.json")).status();
    assert!(made.expect("mkfifo").success());
    let called = place.call(&["runs"]).exits(0);
    assert!(!called.stdout.contains("reduce-other"), "{}", called.stdout);
}
