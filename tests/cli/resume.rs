//! Nothing is lost: interrupted, limited, finished and changed runs.

use std::fs;
use std::process::{Command, Stdio};

use crate::leash::HOLD;
use crate::place::{Place, called};

#[test]
fn the_same_command_goes_on_after_a_limit() {
    let place = Place::with_needle();
    let test = ["--", "./interesting.sh", "{}"];
    let run = |json: &serde_json::Value| json["trials"]["run"].as_u64().expect("a number");
    let words = ["reduce", "input.txt", "--json", "--max-trials", "12"];
    let first = place.call(&[&words[..], &test].concat()).exits(3).json();
    let called = place
        .call(&[&["reduce", "input.txt", "--json"], &test[..]].concat())
        .exits(0);
    let json = called.says("trials already known").json();
    assert!(json["trials"]["cached"].as_u64() >= Some(12), "{json}");
    assert!(run(&json) > run(&first), "trials of both sessions are told");
}

#[test]
fn an_interrupted_run_writes_its_best_and_goes_on() {
    let place = Place::with_needle();
    place.script(
        "slow.sh",
        &format!(
            "test $YESTER_TRIAL -ge $(cat \"$YESTER_START/limit\") && {{ {HOLD}; sleep 1000; }}\n\
             grep -q needle \"$1\""
        ),
    );
    let mut leash = place.leash();
    let words = ["reduce", "input.txt", "--json", "--", "./slow.sh", "{}"];
    for (signal, limit) in [("-INT", "8"), ("-TERM", "16")] {
        place.write("limit", limit);
        let child = place
            .command(&words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let child = child.expect("yester starts");
        leash.wait();
        let killed = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(killed.expect("kill starts").success());
        let called = called(child.wait_with_output().expect("it ends"))
            .exits(130)
            .says("interrupted");
        assert_eq!(called.json()["status"], "interrupted");
        assert!(place.read("input.reduced.txt").contains("needle"));
        assert!(!leash.is_held(), "what was under way is ended");
    }
    place.write("limit", "1000000");
    let json = place.call(&words).exits(0).json();
    assert!(json["trials"]["cached"].as_u64() > Some(3), "{json}");
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn a_finished_run_is_checked_again_and_not_searched_again() {
    let place = Place::with_needle();
    let words = [
        "reduce",
        "input.txt",
        "--json",
        "--",
        "./interesting.sh",
        "{}",
    ];
    let first = place.call(&words).exits(0).json();
    fs::remove_file(place.file("input.reduced.txt")).expect("it was made");
    let again = place.call(&words).exits(0).json();
    let run = |json: &serde_json::Value| json["trials"]["run"].as_u64().expect("a number");
    // Trials are told over all sessions.
    assert_eq!(run(&again), run(&first) + 3, "only the answer is run again");
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn a_finished_run_whose_answer_does_not_hold_any_more_starts_over() {
    let place = Place::with_needle();
    place.write("word", "needle");
    place.script(
        "test.sh",
        "grep -q \"$(cat \"$YESTER_START/word\")\" \"$1\"",
    );
    let words = ["reduce", "input.txt", "--", "./test.sh", "{}"];
    place.call(&words).exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
    place.write("word", "in it");
    place.call(&words).exits(0).says("starting over");
    assert_eq!(place.read("input.reduced.txt"), "in it");
}

#[test]
fn another_test_or_input_is_another_run() {
    let place = Place::with_needle();
    let words = ["reduce", "input.txt", "--", "./interesting.sh", "{}"];
    place.call(&words).exits(0);
    place.script("interesting.sh", "grep -q 'needle in' \"$1\"");
    place.call(&words).exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle in");
    place.write("input.txt", "a needle in the hay");
    place.call(&words).exits(0).prints("19 bytes to 9");
    assert_eq!(place.runs().len(), 3);
}

#[test]
fn a_journal_that_was_torn_is_mended() {
    let place = Place::with_needle();
    let words = [
        "reduce",
        "input.txt",
        "--max-trials",
        "14",
        "--",
        "./interesting.sh",
        "{}",
    ];
    place.call(&words).exits(3);
    let journal = place.runs().pop().expect("a run").join("journal.jsonl");
    let mut content = fs::read(&journal).expect("the journal");
    content.truncate(content.len() - 20);
    fs::write(&journal, content).expect("room");
    place
        .call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"])
        .exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn many_yesters_at_once_do_not_disturb_each_other() {
    let place = Place::with_needle();
    let start = |number: usize| {
        let (state, output) = (format!("state{number}"), format!("out{number}"));
        let words = [
            "reduce",
            "input.txt",
            "-q",
            "--state-dir",
            &state,
            "-o",
            &output,
            "--",
            "./interesting.sh",
            "{}",
        ];
        place
            .command(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("yester starts")
    };
    let children: Vec<_> = (0..8).map(start).collect();
    for (number, child) in children.into_iter().enumerate() {
        called(child.wait_with_output().expect("it ends")).exits(0);
        assert_eq!(place.read(&format!("out{number}")), "needle");
    }
}
