//! What strangers wrote is shown on a terminal and never obeyed: output of tests, names of files, commits, sources,
//! settings.

use std::fs;

use crate::changes::{commit, git};
use crate::place::{Called, Place};

/// Renames the window, rings, wipes the screen, in two ways, and turns the writing direction round.
const EVIL: &str = "\x1b]0;owned\x07\x1b[2J\u{9b}2J\u{202e}";
const SHOWN: &str = r"\x1b]0;owned\x07\x1b[2J\u{9b}2J\u{202e}";

/// A name that would add two lines to a report.
const FORGED: &str = "evil\u{1b}[2J\u{2066}\nnext     rm -rf ~\nhint: rm -rf ~\n.txt";

#[track_caller]
fn assert_tame(text: &str) {
    let is_wild = |character: &char| {
        character.is_control() && !"\n\t".contains(*character)
            || matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let wild: Vec<char> = text.chars().filter(is_wild).collect();
    assert!(wild.is_empty(), "{wild:?} in {text:?}");
    for forged in ["next     rm", "hint: rm"] {
        assert!(
            !text.lines().any(|line| line.starts_with(forged)),
            "a forged line: {text}"
        );
    }
}

impl Called {
    #[track_caller]
    fn obeys_nothing(self) -> Called {
        assert_tame(&self.stdout);
        assert_tame(&self.stderr);
        self
    }
}

#[track_caller]
fn assert_tame_logs(place: &Place) {
    for run in place.runs() {
        let log = fs::read_to_string(run.join("debug.log")).expect("every run has one");
        assert_tame(&log);
    }
}

/// A place with a file of that name and a test that fails on it with a message of that kind.
fn reduction() -> Place {
    let place = Place::with_needle();
    place.write(FORGED, "hay\nneedle\nhay\n");
    place.script(
        "evil.sh",
        &format!("if grep -q needle \"$1\"; then echo 'error: {EVIL}' >&2; exit 3; fi"),
    );
    place
}

#[test]
fn an_answer_under_a_name_of_ours_is_never_written_through_a_link() {
    let place = Place::with_needle();
    place.write("precious", "mine");
    for name in ["input.reduced.txt", "input.passing.txt"] {
        std::os::unix::fs::symlink("precious", place.file(name)).expect("a link");
    }
    place
        .call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"])
        .exits(0);
    assert_eq!(place.read("precious"), "mine");
    assert_eq!(place.read("input.reduced.txt"), "needle");
}

#[test]
fn a_reduction_shows_names_and_messages_and_obeys_none() {
    let place = reduction();
    let words = ["reduce", FORGED, "-vv", "--", "./evil.sh", "{}"];
    let called = place.call(&words).exits(0).obeys_nothing();
    // Numbers of a message may change with the input and are masked.
    called
        .says(&SHOWN.replace("]0;", "]N;"))
        .prints(r"\x1b[2J")
        .prints(r"\nnext     rm -rf ~");
    assert_tame_logs(&place);
    place
        .call(&["runs"])
        .exits(0)
        .obeys_nothing()
        .prints(r"evil\x1b[2J");

    // What is data stays as it is.
    let json = place
        .call(&["reduce", FORGED, "--json", "--", "./evil.sh", "{}"])
        .exits(0)
        .json();
    let failure = json["failure"].as_str().expect("a failure");
    assert!(failure.contains('\u{202e}'), "{failure:?}");
    let result = json["result"]["path"].as_str().expect("a path");
    assert!(place.file(result).exists(), "{result:?}");
}

#[test]
fn the_command_to_look_at_an_answer_works_whatever_the_file_is_called() {
    let place = reduction();
    let called = place
        .call(&["reduce", FORGED, "--", "./evil.sh", "{}"])
        .exits(0);
    let next = called
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("next     "))
        .expect("a next line");
    let status = std::process::Command::new("bash")
        .args(["-c", next])
        .current_dir(place.path())
        .stderr(std::process::Stdio::null())
        .status()
        .expect("bash starts");
    assert_eq!(status.code(), Some(3), "{next}");
}

#[test]
fn a_baseline_that_does_not_hold_shows_its_output() {
    let place = reduction();
    place.script("fine.sh", &format!("echo '{EVIL}'; printf 'a\\rb' >&2"));
    let words = ["reduce", FORGED, "--failing", "--", "./fine.sh", "{}"];
    let called = place.call(&words).exits(1).obeys_nothing();
    called
        .says(&format!("    # stdout: {SHOWN}"))
        .says(r"    # stderr: a\rb");
    let json = place
        .call(&[
            "reduce",
            FORGED,
            "--failing",
            "--json",
            "--",
            "./fine.sh",
            "{}",
        ])
        .exits(1);
    let message = json.json()["error"]["message"].to_string();
    assert!(message.contains("# stdout: "), "{message}");
}

#[test]
fn a_call_that_is_wrong_shows_its_words() {
    let place = Place::with_needle();
    place
        .call(&["reduce", FORGED, "--", "true"])
        .exits(2)
        .obeys_nothing()
        .says(r"there is no file evil\x1b[2J\u{2066}\nnext");
    place
        .call(&["reduce", "input.txt", "--", EVIL])
        .exits(2)
        .obeys_nothing()
        .says(SHOWN);
    place
        .call(&["reduce", "input.txt", "--timeout", EVIL, "--", "true"])
        .exits(2)
        .obeys_nothing()
        .says(SHOWN);
}

#[test]
fn settings_of_a_stranger_are_shown() {
    let place = Place::with_needle();
    let escaped = r"\u001b]0;owned\u0007\u001b[2J\u009b2J\u202e";
    for (settings, shown) in [
        (format!("timeout = \"{EVIL}\"\n"), r"\x1b]0;owned\x07"),
        (format!("timeout = \"{escaped}\"\n"), SHOWN),
        (format!("\"{escaped}\" = 1\n"), SHOWN),
        (format!("fail-if = [\"stderr~({escaped}\"]\n"), SHOWN),
    ] {
        place.write("yester.toml", settings);
        place
            .call(&["reduce", "input.txt", "--", "true"])
            .exits(2)
            .obeys_nothing()
            .says(shown);
    }
}

/// A repository in which an evil author breaks the program with an evil file in an evil commit.
fn repository() -> Place {
    let place = Place::new();
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    place.script(
        "test.sh",
        &format!(
            "cat evil* > all; grep -q bad all && {{ echo 'error: {EVIL}' >&2; exit 1; }}; exit 0"
        ),
    );
    place.write(FORGED, "good\nmore\n");
    commit(&place, "start");
    for step in 1..=4 {
        if step == 3 {
            place.write(FORGED, format!("bad {EVIL}\nmore\n"));
        } else {
            place.write(&format!("other{step}"), "text\n");
        }
        git(place.path(), &["add", "--all"]);
        let author = format!("--author=Eve {EVIL} <eve@example.org>");
        let subject = format!("Step {step} {EVIL}");
        git(
            place.path(),
            &["commit", "--quiet", &author, "-m", &subject],
        );
    }
    place
}

#[test]
fn changes_show_files_commits_and_authors() {
    let place = repository();
    let test = ["--", "./test.sh"];
    let words = [&["changes", "HEAD~4", "HEAD", "-vv"], &test[..]].concat();
    let called = place.call(&words).exits(0).obeys_nothing();
    called
        .says(SHOWN)
        .prints(&format!("Eve {SHOWN}"))
        .prints(&format!("Step 3 {SHOWN}"))
        .prints(r"evil\x1b[2J\u{2066}\nnext     rm -rf ~");
    assert_tame_logs(&place);
    place.call(&["runs"]).exits(0).obeys_nothing();
    // The patch is data: it has to apply.
    let patch = fs::read(place.file("culprit.patch")).expect("the patch");
    assert!(String::from_utf8_lossy(&patch).contains(EVIL));

    let swapped = [&["changes", "HEAD", "HEAD~4"], &test[..]].concat();
    place.call(&swapped).exits(1).obeys_nothing().says(SHOWN);
}

#[test]
fn a_trace_shows_sources_and_output() {
    let place = Place::new();
    let app = include_str!("samples/recorder.py");
    let spoken = "a program with an output of its own";
    assert!(app.contains(spoken));
    place.executable("app", app.replace(spoken, EVIL));
    let source = ["", "", "", "", "", "", EVIL, "", EVIL, ""].join("\n");
    place.write("small.c", source);
    place.write("in", b"a\x02");
    let words = [
        "trace",
        "-v",
        "--symbolic",
        "stdin",
        "--stdin",
        "in",
        "--",
        "./app",
    ];
    let called = place.call(&words).exits(0).obeys_nothing();
    called
        .says(SHOWN)
        .prints(&format!("main small.c:7:11 true  | {SHOWN}"));
}
