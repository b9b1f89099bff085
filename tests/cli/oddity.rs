//! Odd surroundings and odd requests, each of which went wrong once.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::leash::HOLD;
use crate::place::{Place, called};

const TEST: [&str; 3] = ["--", "./failing.sh", "{}"];

fn with<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [&["reduce", "input.txt"], flags, &TEST[..]].concat()
}

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo starts").success());
}

#[test]
fn an_output_that_is_a_pipe_or_a_link_is_written_to_and_not_replaced() {
    let place = Place::with_needle();
    make_pipe(&place.file("pipe"));
    let reader = Command::new("cat")
        .arg(place.file("pipe"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("cat starts");
    place.call(&with(&["-o", "pipe"])).exits(0);
    assert_eq!(
        reader.wait_with_output().expect("it ends").stdout,
        b"needle"
    );
    assert!(
        fs::symlink_metadata(place.file("pipe"))
            .expect("it")
            .file_type()
            .is_fifo()
    );

    place.write("target", "old");
    symlink("target", place.file("link")).expect("a link");
    place.call(&with(&["-o", "link"])).exits(0);
    assert_eq!(place.read("target"), "needle");
    assert!(
        fs::symlink_metadata(place.file("link"))
            .expect("it")
            .is_symlink()
    );
}

#[test]
fn a_parent_that_ignores_its_children_or_a_hangup_is_no_trouble() {
    let place = Place::with_needle();
    let deaf = |signal: &str, words: &[&str]| {
        let mut command = Command::new("env");
        command
            .arg(format!("--ignore-signal={signal}"))
            .arg(env!("CARGO_BIN_EXE_yester"));
        command.args(words).current_dir(place.path());
        command
    };
    called(deaf("CHLD", &with(&[])).output().expect("it starts"))
        .exits(0)
        .says("exit 3");

    // Trials wait at the gate until it opens, which is after the signal.
    place.script(
        "failing.sh",
        &format!(
            "{HOLD}; test -p \"$YESTER_START/gate\" && (cat \"$YESTER_START/gate\") 2> /dev/null\n\
             grep -q needle \"$1\" && exit 3; exit 0"
        ),
    );
    make_pipe(&place.file("gate"));
    let leash = place.leash();
    let child = deaf("HUP", &with(&[]))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    leash.wait();
    let hung_up = Command::new("kill")
        .args(["-HUP", &child.id().to_string()])
        .status()
        .expect("kill starts");
    assert!(hung_up.success());
    let gate = fs::OpenOptions::new()
        .write(true)
        .open(place.file("gate"))
        .expect("a trial waits");
    fs::remove_file(place.file("gate")).expect("it was made");
    drop(gate);
    called(child.wait_with_output().expect("it ends")).exits(0);
}

#[test]
fn an_input_may_be_called_like_the_placeholder_or_very_long() {
    let place = Place::with_needle();
    place.script(
        "failing.sh",
        "grep -q needle \"$1\" && { echo \"error: {} is bad, { too\" >&2; exit 3; }; exit 0",
    );
    let long = "n".repeat(250);
    for name in ["{}", "{", long.as_str()] {
        place.write(name, "hay\nneedle\n");
        place
            .call(&[&["reduce", name, "-o", "out"], &TEST[..]].concat())
            .exits(0);
        assert_eq!(place.read("out"), "needle");
    }
}

#[test]
fn a_temporary_directory_may_be_relative_or_unnamed() {
    let place = Place::with_needle();
    fs::create_dir(place.file("here")).expect("room");
    for temporary in ["here", ""] {
        let output = place
            .command(&with(&["--fresh"]))
            .env("TMPDIR", temporary)
            .output();
        called(output.expect("yester starts")).exits(0);
        assert_eq!(place.read("input.reduced.txt"), "needle");
    }
    assert_eq!(
        fs::read_dir(place.file("here"))
            .expect("it is ours")
            .count(),
        0
    );
}

#[test]
fn a_time_beyond_all_time_is_no_limit() {
    let place = Place::with_needle();
    place
        .call(&with(&["--max-time", "10000000000000000000"]))
        .exits(0);
}

#[test]
fn a_test_that_kills_its_parent_leaves_nothing_behind() {
    let place = Place::with_needle();
    let mut leash = place.leash();
    place.write("input.txt", "hay\nneedle\n");
    place.script(
        "failing.sh",
        &format!(
            "test $((YESTER_TRIAL % 5)) = 0 && {{ {HOLD}; setsid sleep 1000 & kill -9 $PPID; sleep 1000; }}\n\
             grep -q needle \"$1\" && exit 3; exit 0"
        ),
    );
    place.call(&with(&["--sandbox", "none"])).exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
    assert!(!leash.is_held());
}

#[test]
fn kept_directories_carry_nothing_from_trial_to_trial() {
    let place = Place::with_needle();
    place.script(
        "failing.sh",
        "test -e /tmp/mark && exit 9; touch /tmp/mark; grep -q needle \"$1\" && exit 3; exit 0",
    );
    let temporary = place.file("tmp");
    fs::create_dir(&temporary).expect("room");
    let words = with(&["--keep", "--sandbox", "full"]);
    called(
        place
            .command(&words)
            .env("TMPDIR", &temporary)
            .output()
            .expect("yester starts"),
    )
    .exits(0);
}

#[test]
fn the_full_sandbox_works_where_its_own_directories_are() {
    let shared = tempfile::TempDir::new_in("/dev/shm").expect("a directory");
    fs::write(shared.path().join("input.txt"), "hay\nneedle\n").expect("room");
    let words = [
        "reduce",
        "input.txt",
        "--sandbox",
        "full",
        "--",
        "grep",
        "-q",
        "needle",
        "{}",
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_yester"));
    called(
        command
            .args(words)
            .current_dir(shared.path())
            .output()
            .expect("yester starts"),
    )
    .exits(0);
    assert_eq!(
        fs::read_to_string(shared.path().join("input.reduced.txt")).expect("the answer"),
        "needle"
    );
}

#[test]
fn not_even_the_superuser_gets_out_of_the_full_sandbox() {
    let place = Place::with_needle();
    place.script(
        "failing.sh",
        "mount -o remount,bind,rw / 2> log; mount -o remount,bind,rw \"$YESTER_START\" 2> log\n\
         (: > \"$YESTER_START/escaped\") 2> log; (: > /escaped-from-yester) 2> log\n\
         (cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness) 2> log && : > wrote-proc\n\
         mknod disk b 7 0 2> log && : > made-device\n\
         test -e wrote-proc -o -e made-device && exit 0\n\
         grep -q needle \"$1\" && exit 3; exit 0",
    );
    place.call(&with(&["--sandbox", "full"])).exits(0);
    assert_eq!(place.read("input.reduced.txt"), "needle");
    assert!(!place.file("escaped").exists());
    assert!(!Path::new("/escaped-from-yester").exists());
}

#[test]
fn a_broken_settings_file_does_not_stand_in_the_way_of_help() {
    let place = Place::with_needle();
    place.write("yester.toml", "nonsense = \n");
    place.call(&["reduce", "--help"]).exits(0);
    place.call(&["--version"]).exits(0);
    place.write("yester.toml", "jobs = 2\n");
    place.call(&with(&["-qj1"])).exits(0);
}

#[test]
fn repeats_that_were_asked_for_are_said_to_be_just_that() {
    let place = Place::with_needle();
    place.write("input.txt", "needle\n");
    place.script(
        "failing.sh",
        "grep -q needle \"$1\" && test $((YESTER_TRIAL % 2)) = 0 && exit 3; exit 0",
    );
    let called = place.call(&with(&["--failing", "--repeat", "8", "-j1"]));
    called.exits(0).says("runs up to 8 times, until it fails");
}

#[test]
fn a_flaky_test_that_hides_at_first_is_noticed_in_the_end() {
    let place = Place::with_needle();
    place.write("input.txt", "hay\nhay\nneedle\nhay\n");
    // It always fails at the baseline, then every third time.
    place.script(
        "failing.sh",
        "grep -q needle \"$1\" || exit 0\ntest $YESTER_TRIAL -le 4 -o $((YESTER_TRIAL % 3)) = 0 && exit 3\nexit 0",
    );
    let called = place.call(&with(&["-j1"])).exits(0);
    let called = called
        .says("the answer does not always fail")
        .prints("each decision at 99% confidence");
    assert_eq!(place.read("input.reduced.txt"), "needle");
    let again = place.call(&with(&["-j1"])).exits(0);
    assert_eq!(again.stdout.lines().nth(1), called.stdout.lines().nth(1));
}

#[test]
fn an_answer_fails_as_steadily_as_the_input() {
    let place = Place::with_needle();
    place.write("input.txt", "hay\nhay\nneedle and thread\nhay\n");
    // Without the thread it fails only in two of three runs.
    place.script(
        "failing.sh",
        "grep -q needle \"$1\" || exit 0\n\
         grep -q thread \"$1\" && exit 3\n\
         test $((YESTER_TRIAL % 3)) = 0 && exit 0\nexit 3",
    );
    let called = place.call(&with(&["-j1"])).exits(0);
    called.says("the answer does not always fail; searching again");
    let answer = place.read("input.reduced.txt");
    assert_eq!(answer, "needlethread");
    place.call(&with(&["-j1"])).exits(0);
    assert_eq!(place.read("input.reduced.txt"), answer);
}

#[test]
fn a_word_and_a_block_scalar_are_cut_to_what_is_needed() {
    let place = Place::with_needle();
    place.script("failing.sh", "grep -q NEEDLE \"$1\" && exit 3; exit 0");
    let cases = [
        (
            "a.json",
            "{\"a\":\"abcNEEDLEdef\",\"b\":1}",
            "a.reduced.json",
            "\"NEEDLE\"",
        ),
        (
            "a.yaml",
            "a: >\n    one\n    two NEEDLE three\nb: 1\n",
            "a.reduced.yaml",
            "NEEDLE",
        ),
    ];
    for (name, text, reduced, expected) in cases {
        place.write(name, text);
        place
            .call(&["reduce", name, "-qj1", "--", "./failing.sh", "{}"])
            .exits(0);
        assert_eq!(place.read(reduced).trim_end(), expected, "{name}");
    }
}

#[test]
fn the_next_command_for_rust_uses_a_name_that_rustc_takes() {
    let place = Place::with_needle();
    place.script("failing.sh", "grep -q needle \"$1\" && exit 3; exit 0");
    place.write("a.rs", "fn a() {}\nfn needle() {}\n");
    let called = place
        .call(&["reduce", "a.rs", "-qj1", "--", "./failing.sh", "{}"])
        .exits(0);
    let next = called.stdout.lines().find(|line| line.starts_with("next "));
    let next = next.expect("there is a next command");
    assert!(next.ends_with("failing.sh a.rs"), "{next}");
}
