//! What programs get: a report on every exit, and a stream of everything that happens.

use std::process::Stdio;

use serde_json::Value;

use crate::changes::repository;
use crate::leash::HOLD;
use crate::place::{Called, Place, called};
use crate::schema::Schema;

/// The report that a call has printed.
#[track_caller]
fn report(called: &Called) -> Value {
    let report = called.json();
    assert_eq!(report["yester"], env!("CARGO_PKG_VERSION"));
    assert_eq!(report["call"][0], "yester");
    report
}

#[test]
fn every_exit_of_every_command_prints_a_report_with_a_code() {
    let place = Place::with_needle();
    place.script("hangs.sh", "sleep 1000");
    place.script("never.sh", "exit 125");
    let test = ["--", "./interesting.sh", "{}"];
    for (words, exit, status, code) in [
        (&["reduce", "input.txt", "--json"][..], 0, "found", None),
        (
            &["reduce", "nothing.txt", "--json"],
            2,
            "usage",
            Some("file_not_found"),
        ),
        (
            &["reduce", "input.txt", "--json", "--colour"],
            2,
            "usage",
            Some("usage"),
        ),
        (
            &[
                "reduce",
                "input.txt",
                "--json",
                "--fresh",
                "--max-trials",
                "6",
            ],
            3,
            "limit",
            Some("max_trials"),
        ),
        (
            &["changes", "here", "there", "--json"],
            2,
            "usage",
            Some("usage"),
        ),
        (&["history", "--json"], 2, "usage", Some("usage")),
        (
            &["explain", "old.c", "new.c", "--json"],
            2,
            "usage",
            Some("usage"),
        ),
        (&["flip", "old.c", "--json"], 2, "usage", Some("usage")),
        (
            &["trace", "--stdin", "nothing", "--json"],
            2,
            "usage",
            Some("usage"),
        ),
        (&["redcue", "--json"], 2, "usage", Some("usage")),
    ] {
        let called = place.call(&[words, &test].concat()).exits(exit);
        let report = report(&called);
        assert_eq!(report["status"], status, "{words:?}");
        assert_eq!(report["error"]["code"].as_str(), code, "{words:?}");
        assert_eq!(report["command"], words[0]);
        let call = report["call"].as_array().expect("a list");
        assert_eq!(call.len(), 1 + words.len() + test.len());
    }
}

#[test]
fn wrong_settings_are_reported_as_well() {
    let place = Place::with_needle();
    place.write("yester.toml", "timeuot = 3");
    let words = ["reduce", "input.txt", "--json", "--", "./interesting.sh"];
    let report = report(&place.call(&words).exits(2));
    let message = report["error"]["message"].as_str().expect("a message");
    assert!(message.contains("timeuot"), "{message}");
}

#[test]
fn a_baseline_that_does_not_hold_says_why_in_a_code_and_its_counts_add_up() {
    let place = Place::with_needle();
    for (script, code) in [
        ("exit 125", "no_answer"),
        ("exit 127", "command_cannot_run"),
        ("exit 0", "empty_input_fails"),
        ("test -s \"$1\" || exit 3", "not_failing"),
    ] {
        place.script("test.sh", script);
        let words = [
            "reduce",
            "input.txt",
            "--failing",
            "--json",
            "--",
            "./test.sh",
            "{}",
        ];
        let words = match code {
            // Only a script whose meaning is open can take nothing for everything.
            "empty_input_fails" => [&words[..2], &words[3..]].concat(),
            _ => words.to_vec(),
        };
        let report = report(&place.call(&words).exits(1));
        assert_eq!(report["error"]["code"], code, "{script}");
        assert!(report["trials"]["run"].as_u64() > Some(0));
        assert_eq!(report["input"]["target"], "input.txt");
        assert_eq!(report["input"]["unit"], "bytes");
    }
}

#[test]
fn versions_that_do_not_answer_as_promised_are_reported_in_the_same_layout() {
    let place = repository();
    for (words, exit, code) in [
        (
            &["changes", "v1", "HEAD", "--json", "--", "./test.sh"][..],
            0,
            None,
        ),
        (
            &["changes", "HEAD", "v1", "--json", "--", "./test.sh"],
            1,
            Some("swapped"),
        ),
        (
            &["changes", "v1", "HEAD", "--json", "--", "true"],
            1,
            Some("not_failing"),
        ),
        (
            &["changes", "v1", "HEAD", "--json", "--", "false"],
            1,
            Some("good_fails"),
        ),
        (
            &[
                "changes",
                "v1",
                "HEAD",
                "--build",
                "exit 1",
                "--json",
                "--",
                "./test.sh",
            ],
            1,
            Some("does_not_build"),
        ),
        (&["history", "--json", "--", "true"], 1, Some("not_failing")),
    ] {
        let report = report(&place.call(words).exits(exit));
        assert_eq!(report["error"]["code"].as_str(), code, "{words:?}");
    }
}

#[test]
fn an_interruption_prints_one_report_also_before_the_first_outcome() {
    let place = Place::with_needle();
    place.script("hangs.sh", &format!("{HOLD}; sleep 1000"));
    let leash = place.leash();
    let words = ["reduce", "input.txt", "--json", "--", "./hangs.sh", "{}"];
    let child = place
        .command(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("yester starts");
    leash.wait();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.expect("kill starts").success());
    let called = called(child.wait_with_output().expect("it ends")).exits(130);
    let report = report(&called);
    assert_eq!(report["error"]["code"], "interrupted");
}

#[test]
fn a_report_says_what_each_pass_gained() {
    let place = Place::with_needle();
    let words = [
        "reduce",
        "input.txt",
        "--json",
        "--",
        "./interesting.sh",
        "{}",
    ];
    let report = report(&place.call(&words).exits(0));
    let passes = report["passes"].as_array().expect("a list");
    let sum = |name: &str| {
        let numbers = passes.iter().map(|pass| pass[name].as_u64().expect(name));
        numbers.sum::<u64>()
    };
    let result = &report["result"];
    let gone = result["original_bytes"].as_u64().expect("a size") - 6;
    assert_eq!(result["bytes"], 6);
    assert_eq!(sum("removed"), gone);
    assert!(sum("succeeded") > 0 && sum("succeeded") < sum("tried"));

    // A second call replays the same passes, and people can see them too.
    let words = ["reduce", "input.txt", "-v", "--", "./interesting.sh", "{}"];
    let first = passes[0]["pass"].as_str().expect("a name");
    place
        .call(&words)
        .exits(0)
        .prints(&format!("pass     {first}: "));
}

#[test]
fn events_are_lines_of_json_with_a_beginning_and_an_end() {
    let place = Place::with_needle();
    let test = ["--", "./interesting.sh", "{}"];
    let words = [&["reduce", "input.txt", "--events", "log.jsonl"], &test[..]].concat();
    place.call(&words).exits(0).prints("reduced");
    let schema = Schema::read("events");
    let text = place.read("log.jsonl");
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    events.iter().for_each(|event| schema.check(event));
    let named = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!(events[0]["event"], "call");
    assert_eq!(events.last().expect("a line")["event"], "end");
    assert_eq!(named("started"), named("ran") + named("dropped"));
    for name in ["message", "step", "run", "phase", "answered", "improved"] {
        assert!(named(name) > 0, "{name}");
    }
    assert_eq!(named("report"), 0);

    // A second stream may replace the first, which says that known trials are not run again.
    place.call(&words).exits(0);
    assert!(
        place
            .read("log.jsonl")
            .contains(r#""event":"resumed","trials":"#)
    );
    assert!(!place.read("log.jsonl").contains(r#""why":"search""#));
}

#[test]
fn events_on_standard_output_have_the_report_as_one_of_them() {
    let place = Place::with_needle();
    let schema = Schema::read("events");
    for (file, exit) in [("input.txt", 0), ("nothing.txt", 2)] {
        let words = [
            "reduce",
            file,
            "--events",
            "-",
            "-q",
            "--",
            "./interesting.sh",
            "{}",
        ];
        let called = place.call(&words).exits(exit);
        let events: Vec<Value> = called
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("each line is JSON"))
            .collect();
        events.iter().for_each(|event| schema.check(event));
        let [.., report, end] = &events[..] else {
            panic!("{}", called.stdout)
        };
        assert_eq!(end["exit"], exit);
        Schema::read("report").check(&report["report"]);
    }
}

#[test]
fn events_never_replace_a_file_that_is_something_else() {
    let place = Place::with_needle();
    let before = place.read("input.txt");
    let words = [
        "reduce",
        "input.txt",
        "--events",
        "input.txt",
        "--",
        "./interesting.sh",
        "{}",
    ];
    place
        .call(&words)
        .exits(2)
        .says("input.txt is there already and is no stream of events");
    assert_eq!(place.read("input.txt"), before);
}

#[test]
fn languages_are_listed_for_programs() {
    let listed = Place::new().call(&["languages", "--json"]).exits(0).json();
    Schema::read("languages").check(&listed);
    let languages = listed["languages"].as_array().expect("a list");
    let named = |name: &str| languages.iter().find(|language| language["name"] == name);
    let python = named("python").expect("a language");
    assert!(
        python["extensions"]
            .as_array()
            .expect("a list")
            .contains(&"py".into())
    );
    assert_eq!(named("binary").expect("a kind")["grammar"], false);
}

#[test]
fn a_test_that_hangs_is_told_with_what_ends_it() {
    use std::io::{BufRead, BufReader};
    let place = Place::with_needle();
    place.script("hangs.sh", "exec sleep 1000");
    let words = [
        "reduce",
        "input.txt",
        "--timeout",
        "10m",
        "--",
        "./hangs.sh",
        "{}",
    ];
    let mut child = place
        .command(&words)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("yester starts");
    let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let said = lines
        .map(|line| line.expect("text"))
        .find(|line| line.starts_with("yester: running the command on the whole input, "));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let said = said.expect("it says what is running");
    assert!(said.contains("--timeout ends it (10 min"), "{said}");
}
