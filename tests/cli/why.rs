//! From a failing test to its cause with all commands, on projects without C: `yester why`, end to end.

use serde_json::Value;

use crate::changes::{commit, git};
use crate::place::Place;

/// Adds up numbers, with commas in them since the second of its commits, and wrongly since the fifth.
fn project() -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    let add = |body: &str| {
        format!(
            "import sys\n\ndef number(text):\n    return int({body})\n\nprint(sum(number(line) for line in open(sys.argv[1])))\n"
        )
    };
    place.write("add.py", add("text"));
    commit(&place, "Add up");
    place.write("add.py", add("text.replace(',', '')"));
    commit(&place, "Allow commas");
    for day in 3..=9 {
        if day == 5 {
            place.write("add.py", add("text.replace(',', '', 1)"));
        }
        place.write("notes.txt", "note\n".repeat(day));
        commit(&place, &format!("Day {day}"));
    }
    let numbers = (1..200).map(|number| format!("{}\n", number * 37));
    let numbers: String = numbers.chain(["1,234,567\n".to_owned()]).collect();
    place.write("in.txt", numbers + "17\n");
    commit(&place, "Numbers");
    place
}

const TEST: [&str; 4] = ["--", "python3", "add.py", "in.txt"];

fn steps(result: &Value) -> Vec<(&str, Option<&str>)> {
    let steps = result["steps"].as_array().expect("a list").iter();
    steps
        .map(|step| {
            let command = step["command"].as_str().expect("a name");
            (command, step["status"].as_str())
        })
        .collect()
}

#[test]
fn without_a_tag_it_walks_back_and_reduces_the_input_beside_the_fix() {
    let place = project();
    let called = place
        .call(&[&["why", "--json"], &TEST[..]].concat())
        .exits(0);
    let result = &called.json()["result"];
    let found = Some("found");
    assert_eq!(
        steps(result),
        [("history", found), ("reduce", found), ("explain", None)]
    );
    assert_eq!(result["commit"]["subject"], "Day 5");
    assert_eq!(result["input_passes_without"], true);
    let smaller = place.read("in.reduced.txt");
    assert!(
        smaller.len() < 8 && smaller.matches(',').count() == 2,
        "{smaller}"
    );
    // Whatever is no number at all fails with and without the culprit.
    let without: String = smaller.chars().filter(|letter| *letter != ',').collect();
    assert!(without.trim().parse::<u64>().is_ok(), "{smaller}");
}

#[test]
fn a_tag_that_passes_is_found_behind_one_that_does_not() {
    let place = project();
    git(place.path(), &["tag", "v2", "HEAD~2"]);
    git(place.path(), &["tag", "v1", "HEAD~6"]);
    let words = ["why", "--json", "--skip", "reduce"];
    let called = place.call(&[&words[..], &TEST[..]].concat()).exits(0);
    let result = &called.json()["result"];
    assert_eq!(result["good"], "v1");
    assert_eq!(steps(result)[0], ("changes", Some("found")));
    assert_eq!(result["commit"]["subject"], "Day 5");
    called.says("v2 does not pass");
}

#[test]
fn the_steps_are_shown_and_nothing_is_run() {
    let place = project();
    git(place.path(), &["tag", "v1", "HEAD~6"]);
    let called = place
        .call(&[&["why", "--steps"], &TEST[..]].concat())
        .exits(0);
    let lines: Vec<&str> = called.stdout.lines().collect();
    assert_eq!(lines[0], "1. changes  if the tag v1 passes");
    assert_eq!(
        lines[1].trim(),
        "yester changes v1 HEAD -- python3 add.py in.txt"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("3. reduce   in.txt must go on failing"))
    );
    assert!(place.runs().is_empty());
}

#[test]
fn a_test_that_passes_is_nothing_to_find_out() {
    let place = project();
    git(place.path(), &["tag", "v1", "HEAD~6"]);
    let called = place.call(&["why", "--", "python3", "-c", "0"]).exits(1);
    assert_eq!(called.stdout, "");
    let told = "TEST passes on HEAD: there is nothing to find out";
    called.says(told);
    for format in ["markdown", "github", "html"] {
        let report = place.call(&["report", "--format", format]).exits(0);
        report.prints(told);
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_in_the_step_where_it_was() {
    let place = project();
    let limited = ["why", "--json", "--max-trials", "30"];
    let report = place
        .call(&[&limited[..], &TEST[..]].concat())
        .exits(3)
        .json();
    assert_eq!(report["status"], "limit");
    assert_eq!(report["result"]["commit"]["subject"], "Day 5");
    let first = report["trials"]["run"].as_u64().expect("a number");
    let called = place
        .call(&[&["why", "--json"], &TEST[..]].concat())
        .exits(0);
    let report = called.json();
    assert_eq!(report["status"], "found");
    // Both sessions are counted, and nothing but the confirmation is run again.
    assert!(report["trials"]["run"].as_u64().expect("a number") > first);
    called.says("already known");
    assert_eq!(place.runs().len(), 1);
}

#[test]
fn two_directories_need_no_repository() {
    let place = Place::new();
    for (name, word) in [("old", "6"), ("new", "7")] {
        std::fs::create_dir(place.file(name)).expect("room");
        place.write(
            &format!("{name}/check.sh"),
            format!("test {word} = 6 || {{ echo wrong; exit 1; }}\n"),
        );
    }
    let words = ["why", "old", "new", "--json", "--", "sh", "check.sh"];
    let result = place.call(&words).exits(0).json()["result"].take();
    assert_eq!(steps(&result)[0], ("changes", Some("found")));
    place
        .call(&["why", "--", "true"])
        .exits(2)
        .says("not in a git repository");
    place.call(&["why", "old", "--", "true"]).exits(2);
}

#[test]
fn trials_of_all_steps_are_on_one_page() {
    let place = project();
    let report = place
        .call(&[&["why", "--json"], &TEST[..]].concat())
        .exits(0)
        .json();
    let steps = report["result"]["steps"].as_array().expect("a list").iter();
    let ran: u64 = steps
        .map(|step| step["trials"].as_u64().expect("a number"))
        .sum();
    let page = place.call(&["report", "--format", "html"]).exits(0).stdout;
    // Each once, although every step counts from 1.
    for number in 1..=ran {
        assert_eq!(
            page.matches(&format!("<tr id=t{number}>")).count(),
            1,
            "{number}"
        );
    }
}

/// A script that has always been wrong about `aaa` without `bbb`, and that the second commit makes wrong about three lines of `ccc`.
fn two_faults(wrong: &str) -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    let old = format!("if grep -q aaa $1; then grep -q bbb $1 || {wrong}; fi\n");
    place.write("t.sh", format!("{old}exit 0\n"));
    commit(&place, "An old fault");
    git(place.path(), &["tag", "v1"]);
    let new = format!("if [ $(grep -c ccc $1) -ge 3 ]; then {wrong}; fi\n");
    place.write("t.sh", format!("{old}{new}exit 0\n"));
    commit(&place, "A new fault");
    let lines = "aaa\n".repeat(20);
    place.write("in.txt", format!("{lines}bbb\nccc\nccc\nccc\n"));
    place
}

/// What `why` leaves of the input of that script.
fn smaller_input(place: &Place, flags: &[&str]) -> String {
    let words = ["why", "v1", "--json", "--skip", "explain"];
    let test = ["--", "sh", "t.sh", "in.txt"];
    let result = place.call(&[&words[..], flags, &test].concat()).exits(0);
    assert_eq!(result.json()["result"]["input_passes_without"], true);
    place.read("in.reduced.txt")
}

#[test]
fn an_input_keeps_its_cause_where_the_output_is_the_failure() {
    let place = two_faults("echo ERR");
    let smaller = smaller_input(&place, &["--fail-if", "stdout~ERR"]);
    assert_eq!(smaller.matches("ccc").count(), 3, "{smaller}");
    assert!(
        !smaller.contains("aaa") || smaller.contains("bbb"),
        "{smaller}"
    );
}

#[test]
fn an_input_keeps_its_cause_where_a_hang_is_the_failure() {
    let place = two_faults("sleep 100");
    let smaller = smaller_input(&place, &["--timeout", "1s", "--timeout-means", "fail"]);
    assert_eq!(smaller.matches("ccc").count(), 3, "{smaller}");
    assert!(
        !smaller.contains("aaa") || smaller.contains("bbb"),
        "{smaller}"
    );
}

#[test]
fn an_input_keeps_its_cause_where_a_signal_is_the_failure() {
    let place = two_faults("kill -SEGV $$");
    let smaller = smaller_input(&place, &["--fail-if", "signal=SIGSEGV"]);
    assert_eq!(smaller.matches("ccc").count(), 3, "{smaller}");
    assert!(
        !smaller.contains("aaa") || smaller.contains("bbb"),
        "{smaller}"
    );
}

/// The step of this name.
fn step<'a>(result: &'a Value, command: &str) -> &'a Value {
    let mut steps = result["steps"].as_array().expect("a list").iter();
    let step = steps.find(|step| step["command"] == command);
    step.expect("such a step")
}

#[test]
fn a_script_that_no_version_has_is_put_beside_all_of_them() {
    let place = two_faults("exit 3");
    place.executable("check.sh", "#!/bin/sh\nexec sh t.sh \"$1\"\n");
    let words = ["why", "v1", "--json", "--build", "true", "--"];
    let called = place.call(&[&words[..], &["./check.sh", "in.txt"]].concat());
    let result = called.exits(0).json()["result"].take();
    assert_eq!(step(&result, "reduce")["status"], "found");
    assert_eq!(place.read("in.reduced.txt").matches("ccc").count(), 3);
}

#[test]
fn a_file_that_is_younger_than_the_culprit_is_put_into_it() {
    let place = two_faults("exit 3");
    commit(&place, "The input, at last");
    let words = ["why", "--json", "--input", "in.txt", "--"];
    let called = place.call(&[&words[..], &["sh", "-c", "exec sh ./t.sh in.txt"]].concat());
    let result = called.exits(0).json()["result"].take();
    assert_eq!(result["good"], "v1");
    assert_eq!(result["commit"]["subject"], "A new fault");
    assert_eq!(step(&result, "reduce")["status"], "found");
    assert_eq!(place.read("in.reduced.txt").matches("ccc").count(), 3);
}

#[test]
fn versions_that_do_something_else_beside_each_other_are_not_reduced_on() {
    let place = two_faults("exit 3");
    let script = place.read("t.sh");
    git(place.path(), &["checkout", "--quiet", "v1"]);
    let elsewhere = |script: &str| format!("case $PWD in */pair/*) exit 7;; esac\n{script}");
    place.write("t.sh", elsewhere(&place.read("t.sh")));
    commit(&place, "Look where it is");
    git(place.path(), &["tag", "v2"]);
    place.write("t.sh", elsewhere(&script));
    commit(&place, "A new fault");
    let test = ["--", "sh", "t.sh", "in.txt"];
    let called = place.call(&[&["why", "v2", "--json"], &test[..]].concat());
    let result = called.exits(0).json()["result"].take();
    assert_eq!(step(&result, "reduce")["status"], Value::Null);
    assert_eq!(
        step(&result, "reduce")["headline"],
        "without the culprit, the program does not pass: exit 7"
    );
}

#[test]
fn a_version_that_was_not_run_is_not_said_to_pass() {
    let place = two_faults("exit 3");
    let words = ["why", "v1", "--json", "--max-time", "1ms"];
    let test = ["--", "sh", "t.sh", "in.txt"];
    let report = place.call(&[&words[..], &test].concat()).exits(3).json();
    assert_eq!(report["result"]["good"], Value::Null);
    let page = place.call(&["report", "--format", "markdown"]);
    assert!(!page.exits(0).stdout.contains("passes at v1"));
}

#[test]
fn a_walk_that_was_cut_short_does_not_say_that_nothing_passes() {
    let place = project();
    let words = ["why", "--json", "--max-trials", "4"];
    place.call(&[&words[..], &TEST[..]].concat()).exits(3);
    let page = place.call(&["report", "--format", "markdown"]).exits(0);
    assert!(
        !page.stdout.contains("no revision passes"),
        "{}",
        page.stdout
    );
}

/// The directory of the only run, as `yester` names it.
fn only_run(place: &Place) -> std::path::PathBuf {
    place.runs().pop().expect("one run")
}

#[test]
fn a_killed_run_tells_the_steps_that_have_ended() {
    let place = two_faults("exit 3");
    let words = ["why", "v1", "--", "sh", "t.sh", "in.txt"];
    place.call(&words).exits(0);
    // As kill -9 leaves it.
    let run = only_run(&place);
    std::fs::remove_file(run.join("answer.json")).expect("it has ended");
    let record = std::fs::read_to_string(run.join("run.json")).expect("a record");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    let mut killed = record.clone();
    killed["status"] = "running".into();
    killed["trials"] = 0.into();
    std::fs::write(run.join("run.json"), killed.to_string()).expect("room");
    let text = place.call(&["report"]).exits(0);
    text.prints("so far: ")
        .prints("A new fault")
        .prints("reduce");
    let listed = place.call(&["runs", "--json"]).exits(0).json();
    assert_eq!(listed[0]["status"], "killed");
    assert!(
        listed[0]["trials"].as_u64().expect("a number") > 10,
        "{listed}"
    );
}

#[test]
fn the_run_of_a_step_is_told_by_its_path() {
    let place = two_faults("exit 3");
    let words = ["why", "v1", "--json", "--", "sh", "t.sh", "in.txt"];
    let result = place.call(&words).exits(0).json()["result"].take();
    let run = step(&result, "changes")["run"].as_str().expect("a run");
    let told = place.call(&["report", run, "--format", "json"]).exits(0);
    assert_eq!(told.json()["command"], "changes");
}

#[test]
fn lines_are_those_of_the_version_that_was_asked_about() {
    let place = two_faults("exit 3");
    let script = place.read("t.sh");
    place.write("t.sh", format!("# A\n# few\n# words\n{script}# end\n"));
    commit(&place, "Comments");
    let words = ["why", "v1", "--json", "--", "sh", "t.sh", "in.txt"];
    place.call(&words).exits(0);
    let lines = place.call(&["report", "--format", "github"]).exits(0);
    lines.prints("file=t.sh,line=5,");
    let log = place.call(&["report", "--format", "sarif"]).exits(0).json();
    let results = log["runs"][0]["results"].as_array().expect("a list").iter();
    let places = results.map(|result| &result["locations"][0]["physicalLocation"]);
    let places: Vec<(&Value, &Value)> = places
        .map(|place| {
            (
                &place["artifactLocation"]["uri"],
                &place["region"]["startLine"],
            )
        })
        .collect();
    assert_eq!(places[0], (&"t.sh".into(), &5.into()));
    // The input has the name that the user knows.
    assert!(places.iter().any(|(uri, _)| *uri == "in.txt"), "{places:?}");
}

#[test]
fn the_help_lists_the_commands_below_each_other() {
    let help = Place::new().call(&["why", "--help"]).exits(0).stdout;
    let begins = |text: &str| help.lines().any(|line| line.starts_with(text));
    assert!(begins("  changes or history   which commit"), "{help}");
    assert!(begins("  reduce               the part"), "{help}");
}

#[test]
fn a_patch_that_is_not_utf_8_is_shown_with_a_note() {
    let place = two_faults("exit 3");
    let mut script = place.read("t.sh").into_bytes();
    script.extend(b"# \xff\n");
    // The line that breaks it has such a byte, too.
    let text = String::from_utf8_lossy(&script)
        .replace("$1) -ge", "$1) -ge '3' -a caf\u{e9} = caf\u{e9} -a 3 -ge");
    let bytes: Vec<u8> = text
        .chars()
        .filter_map(|letter| u8::try_from(letter).ok())
        .collect();
    place.write("t.sh", bytes);
    git(
        place.path(),
        &[
            "commit",
            "--quiet",
            "--all",
            "--amend",
            "--message",
            "A new fault",
        ],
    );
    let words = ["why", "v1", "--skip", "reduce,explain,flip", "--"];
    place
        .call(&[&words[..], &["sh", "t.sh", "in.txt"]].concat())
        .exits(0);
    for format in ["markdown", "html"] {
        let report = place.call(&["report", "--format", format]).exits(0);
        report
            .prints("bytes that are not UTF-8")
            .prints("caf\u{fffd}");
    }
}
