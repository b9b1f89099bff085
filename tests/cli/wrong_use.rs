//! Wrong use gets an answer that helps.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use crate::leash::HOLD;
use crate::place::{Place, called};

#[test]
fn a_command_that_does_not_exist() {
    let place = Place::with_needle();
    place
        .call(&["reduce", "input.txt", "--", "no-such-command", "{}"])
        .exits(2)
        .says("'no-such-command' was not found");
    place
        .call(&["reduce", "input.txt", "--", "interesting.sh", "{}"])
        .exits(2)
        .says("'interesting.sh' was not found")
        .says("hint: a file of this directory is called with its path: ./interesting.sh");
    place
        .call(&["reduce", "input.txt", "--", "grep -q needle {}"])
        .exits(2)
        .says("hint: give the command and its arguments as separate words");
    place
        .call(&["reduce", "input.txt"])
        .exits(2)
        .says("COMMAND");
}

#[test]
fn a_command_that_is_not_executable() {
    let place = Place::with_needle();
    fs::set_permissions(
        place.file("interesting.sh"),
        fs::Permissions::from_mode(0o644),
    )
    .expect("a mode");
    place
        .call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"])
        .exits(2)
        .says("is not executable")
        .says("hint: chmod +x ./interesting.sh");
}

#[test]
fn a_command_that_calls_what_does_not_exist() {
    let place = Place::with_needle();
    place.script("test.sh", "no-such-tool \"$1\"");
    place
        .call(&["reduce", "input.txt", "--", "./test.sh", "{}"])
        .exits(1)
        .says("the command cannot be run: exit 127")
        .says("no-such-tool")
        .says("cd .yester/reduce-input.txt-")
        .says("$YESTER_START");
}

#[test]
fn an_input_that_passes() {
    let place = Place::with_needle();
    place.write("input.txt", "nothing here\n");
    place
        .call(&["reduce", "input.txt", "--", "./failing.sh", "{}"])
        .exits(1)
        .says("an empty input is judged the same as the full one")
        .says("the input does not fail, or");
    let called = place.call(&[
        "reduce",
        "input.txt",
        "--failing",
        "--",
        "./failing.sh",
        "{}",
    ]);
    let called = called
        .exits(1)
        .says("the unreduced input does not fail: exit 0");
    // The directory that it names is there, with the input in it.
    let directory = called
        .stderr
        .split("cd ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .expect("a directory");
    assert_eq!(
        place.read(&format!("{directory}/input.txt")),
        "nothing here\n"
    );
}

#[test]
fn a_script_that_means_the_reverse() {
    let place = Place::with_needle();
    place
        .call(&[
            "reduce",
            "input.txt",
            "--failing",
            "--",
            "./interesting.sh",
            "{}",
        ])
        .exits(1)
        .says("does not fail: exit 0")
        .says("perhaps exit 0 means the opposite");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--interesting",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(1)
        .says("does not fail: exit 3")
        .says("found it")
        .says("perhaps exit 0 means the opposite");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--fail-if",
            "exit=4",
            "--",
            "./failing.sh",
            "{}",
        ])
        .exits(1)
        .says("--fail-if");
}

#[test]
fn a_baseline_that_was_mended_is_not_remembered_as_broken() {
    let place = Place::with_needle();
    place.write("word", "thimble");
    place.script(
        "test.sh",
        "grep -q \"$(cat \"$YESTER_START/word\")\" \"$1\"",
    );
    place
        .call(&[
            "reduce",
            "input.txt",
            "--interesting",
            "--",
            "./test.sh",
            "{}",
        ])
        .exits(1);
    place.write("word", "needle");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--interesting",
            "--",
            "./test.sh",
            "{}",
        ])
        .exits(0);
}

#[test]
fn a_test_that_an_empty_input_fails_too() {
    let place = Place::with_needle();
    place
        .call(&["reduce", "input.txt", "--", "false", "{}"])
        .exits(1)
        .says("an empty input is judged the same as the full one: exit 1")
        .says("{} in the command stands for its path");
}

#[test]
fn a_test_that_gives_no_answer() {
    let place = Place::with_needle();
    place
        .call(&["reduce", "input.txt", "--", "sh", "-c", "exit 125"])
        .exits(1)
        .says("gives no answer");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--timeout",
            "50ms",
            "--",
            "sleep",
            "1000",
        ])
        .exits(1)
        .says("gives no answer on the unreduced input: timeout")
        .says("--timeout-means fail");
    place
        .call(&[
            "reduce",
            "input.txt",
            "--timeout-means",
            "fail",
            "--",
            "true",
        ])
        .exits(2)
        .says("--timeout 5s");
}

#[test]
fn an_input_that_is_missing_or_a_directory_or_empty() {
    let place = Place::with_needle();
    fs::create_dir(place.file("dir")).expect("room");
    place.write("empty", "");
    place
        .call(&["reduce", "missing.txt", "--", "true"])
        .exits(2)
        .says("there is no file missing.txt")
        .says("hint:");
    place
        .call(&["reduce", "dir", "--", "false"])
        .exits(1)
        .says("dir is empty: there is nothing to leave out");
    place
        .call(&["reduce", "dir", "--algorithm", "hdd", "--", "false"])
        .exits(2)
        .says("a directory is reduced by --algorithm auto");
    place
        .call(&["reduce", "empty", "--", "false"])
        .exits(1)
        .says("empty is empty: there is nothing to leave out");
}

#[test]
fn an_output_that_cannot_be_written() {
    let place = Place::with_needle();
    let test = ["--", "./interesting.sh", "{}"];
    let call =
        |output: &str| place.call(&[&["reduce", "input.txt", "-o", output], &test[..]].concat());
    call("input.txt/out")
        .exits(2)
        .says("failed to write input.txt/out")
        .says("hint: -o OUT");
    call(".").exits(2).says("is a directory");
    call("./input.txt")
        .exits(2)
        .says("is the input, which is never changed");
}

#[test]
fn flags_and_settings_that_are_wrong() {
    let place = Place::with_needle();
    let call = |flags: &[&str]| {
        place
            .call(
                &[
                    &["reduce", "input.txt"],
                    flags,
                    &["--", "./interesting.sh", "{}"],
                ]
                .concat(),
            )
            .exits(2)
    };
    call(&["--fail-if", "segfault"]).says("use signal=NAME");
    call(&["--timeout", "soon"]).says("unknown unit");
    call(&["--memory", "9T"]).says("unknown unit");
    for jobs in ["0", "1001", "100000000", "-1"] {
        call(&[&format!("--jobs={jobs}")]).says("a whole number from 1 to 1000");
    }
    call(&["--sandbox", "some"]).says("possible values: auto, none, full");
    place.write("yester.toml", "time-out = \"5s\"\n");
    call(&[])
        .says("unknown setting 'time-out'")
        .says("hint: did you mean 'timeout'?");
    place.write("yester.toml", "timeout = \"soon\"\n");
    call(&[]).says("unknown unit");
    place.write("yester.toml", "timeout = \n");
    call(&[]).says("yester.toml cannot be read");
}

#[test]
fn settings_that_are_used_are_told() {
    let place = Place::with_needle();
    place.write("yester.toml", "jobs = 1\n");
    let words = ["reduce", "input.txt", "--", "./interesting.sh", "{}"];
    place
        .call(&words)
        .exits(0)
        .says("yester: yester.toml adds --jobs=1");
    let quiet = place
        .call(&[&words[..2], &["-q"], &words[2..]].concat())
        .exits(0);
    assert!(!quiet.stderr.contains("yester.toml"), "{}", quiet.stderr);
}

#[test]
fn a_second_yester_on_the_same_run() {
    let place = Place::with_needle();
    place.script("slow.sh", &format!("{HOLD}; sleep 1000"));
    let leash = place.leash();
    let words = ["reduce", "input.txt", "--", "./slow.sh", "{}"];
    let first = place
        .command(&words)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn();
    let mut first = first.expect("yester starts");
    leash.wait();
    place.call(&words).exits(2).says(&format!(
        "another yester (process {}) is working on this run",
        first.id()
    ));
    place.call(&["runs"]).exits(0).prints("running, ");
    // A different run in the same directory is free to go.
    place
        .call(&["reduce", "input.txt", "--", "./interesting.sh", "{}"])
        .exits(0);
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    place
        .call(&["runs"])
        .exits(0)
        .prints("killed, ")
        .prints("found, 6 bytes of");
}

#[test]
fn a_full_sandbox_that_cannot_hide_the_start_directory() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_yester"))
        .args([
            "reduce",
            "/etc/passwd",
            "-o",
            "/tmp/yester-never-written",
            "--state-dir",
        ])
        .arg(Place::new().file("state"))
        .args(["--sandbox", "full", "--", "true"])
        .current_dir("/tmp")
        .output()
        .expect("yester starts");
    called(output)
        .exits(2)
        .says("cannot hide /tmp from the test and show it at the same time");
}
