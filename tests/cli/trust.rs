//! Settings and runs that may come with a stranger's checkout.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::place::Place;
use crate::tmux::Terminal;

const CALL: [&str; 5] = ["reduce", "input.txt", "--", "./interesting.sh", "{}"];

/// Each of these would write outside of the run, start something, or lower a protection.
#[test]
fn harmful_settings_of_a_directory_are_ignored_and_named() {
    let elsewhere = Place::new();
    let target = elsewhere.file("profile");
    for (key, value) in [
        ("output", format!("\"{}\"", target.display())),
        ("in-place", "true".to_owned()),
        ("state-dir", format!("\"{}\"", elsewhere.path().display())),
        ("sandbox", "\"none\"".to_owned()),
        ("with", "[\"../other\"]".to_owned()),
    ] {
        let place = Place::with_needle();
        let before = place.read("input.txt");
        place.write("yester.toml", format!("quiet = true\n{key} = {value}\n"));
        place
            .call(&CALL)
            .exits(0)
            .says(&format!("yester.toml: ignored {key}"))
            .says("yester trust");
        assert_eq!(place.read("input.txt"), before, "{key}");
        assert_eq!(place.read("input.reduced.txt"), "needle", "{key}");
        let left = fs::read_dir(elsewhere.path()).expect("a list").count();
        assert_eq!(left, 0, "{key}");
    }
}

#[test]
fn a_directory_is_trusted_until_its_settings_change() {
    let place = Place::with_needle();
    place.write("yester.toml", "output = \"answer\"\njobs = 1\n");
    place
        .call(&["trust"])
        .exits(0)
        .prints("trusted until it changes")
        .prints("output = ");
    place.call(&CALL).exits(0);
    assert_eq!(place.read("answer"), "needle");
    fs::remove_file(place.file("answer")).expect("it is there");
    // Elsewhere the same text is somebody else's.
    let other = Place::with_needle();
    other.write("yester.toml", "output = \"answer\"\njobs = 1\n");
    other.call(&CALL).exits(0).says("ignored output");
    place.write("yester.toml", "output = \"answer\"\njobs = 2\n");
    place.call(&CALL).exits(0).says("ignored output");
    assert!(!place.file("answer").exists());
    place.call(&["trust"]).exits(0);
    place
        .call(&["trust", "--forget"])
        .exits(0)
        .prints("no longer trusted");
    place.call(&CALL).exits(0).says("ignored output");
    place
        .call(&["trust", "nowhere"])
        .exits(2)
        .says("there is no");
}

/// Whoever trusts a directory has not read what another one has beside the same settings.
#[test]
fn a_link_carries_no_trust_and_leads_nowhere() {
    let trusted = Place::with_needle();
    trusted.write("yester.toml", "output = \"answer\"\n");
    trusted.call(&["trust"]).exits(0);
    let place = Place::with_needle();
    symlink(trusted.file("yester.toml"), place.file("yester.toml")).expect("room");
    place.call(&CALL).exits(0).says("ignored output");
    fs::remove_file(place.file("yester.toml")).expect("it is there");
    symlink(trusted.path(), place.file("inside")).expect("room");
    place.write("yester.toml", "with = [\"inside\"]\n");
    place.call(&CALL).exits(0).says("ignored with");
}

#[test]
fn the_users_own_settings_count_and_those_of_the_directory_come_first() {
    let place = Place::with_needle();
    place.write_own_settings("output = \"answer\"\njobs = 1\n");
    place.write("yester.toml", "jobs = 2\n");
    place.call(&CALL).exits(0).says("adds --jobs=2");
    assert_eq!(place.read("answer"), "needle");
}

/// A run that was stopped, whose record says to call something else.
fn forged(place: &Place) {
    let mut words = CALL.to_vec();
    words.splice(1..1, ["--max-trials", "3"]);
    place.call(&words).exits(3);
    let record = place.runs().remove(0).join("run.json");
    let text = fs::read_to_string(&record).expect("a record");
    assert!(text.contains("./interesting.sh"));
    place.script("evil.sh", "touch \"$YESTER_START/evil\"; exit 0");
    fs::write(&record, text.replace("./interesting.sh", "./evil.sh")).expect("room");
}

#[test]
fn a_run_that_somebody_else_wrote_is_not_resumed() {
    let place = Place::with_needle();
    forged(&place);
    let json = place.call(&["runs", "resume", "--json"]).exits(2);
    let json = json.says("your yester did not make this run").json();
    assert_eq!(json["error"]["code"], "foreign_run");
    assert!(!place.file("evil").exists());
}

#[test]
fn who_sits_at_a_terminal_is_asked_first() {
    let place = Place::with_needle();
    forged(&place);
    let state = concat!("XDG_STATE_HOME=", env!("CARGO_TARGET_TMPDIR"));
    let terminal = Terminal::open(place.path(), (80, 24), &[state]);
    terminal.command("./yester runs resume; echo code $?");
    terminal.wait("a question", |screen| screen.contains("run it?"));
    terminal.command("n");
    terminal.wait("the end", |screen| screen.contains("code 2"));
    assert!(!place.file("evil").exists());
}

/// The journal of a stranger could say that anything fails as the input does.
#[test]
fn a_journal_that_somebody_else_wrote_is_not_believed() {
    let place = Place::with_needle();
    forged(&place);
    place
        .call(&CALL)
        .exits(0)
        .says("was not made by your yester; starting over");
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo starts").success());
}

/// Whoever opens a pipe waits until somebody writes to it.
#[test]
fn a_pipe_instead_of_a_lock_makes_nobody_wait() {
    let temporary = Place::new();
    for name in ["yester-flip-program-0123456789", "yester-git-abcdef"] {
        fs::create_dir_all(temporary.file(name).join("work")).expect("room");
        make_pipe(&temporary.file(name).join("lock"));
    }
    let place = Place::with_needle();
    let mut call = place.command(&CALL);
    let output = call.env("TMPDIR", temporary.path()).output();
    assert_eq!(output.expect("it starts").status.code(), Some(0));
    let run = place.runs().remove(0);
    fs::remove_file(run.join("lock")).expect("it is there");
    make_pipe(&run.join("lock"));
    place.call(&["runs"]).exits(0);
    let refused = "it is no regular file";
    place
        .call(&["runs", "delete", "input"])
        .exits(3)
        .says(refused);
    place.call(&CALL).exits(2).says(refused);
}
