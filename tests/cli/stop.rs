//! Ending yester from outside, whatever it is doing.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use crate::leash::{HOLD, Leash};
use crate::place::Place;

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill is installed").success());
}

/// A run that has found its answer and is stuck writing it, to a pipe that nobody reads.
fn stuck() -> (Place, Child) {
    let place = Place::with_needle();
    let made = Command::new("mkfifo").arg(place.file("out")).status();
    assert!(made.expect("mkfifo is installed").success());
    let words = [
        "reduce",
        "input.txt",
        "-o",
        "out",
        "--",
        "./interesting.sh",
        "{}",
    ];
    let child = place
        .command(&words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("yester starts");
    let is_confirmed = || {
        place.runs().iter().any(|run| {
            std::fs::read_to_string(run.join("journal.jsonl"))
                .is_ok_and(|journal| journal.contains("\"confirmation\""))
        })
    };
    while !is_confirmed() {
        thread::yield_now();
    }
    (place, child)
}

fn code(mut child: Child) -> Option<i32> {
    let status: ExitStatus = child.wait().expect("it ends");
    status.code()
}

#[test]
fn one_signal_ends_it_also_where_no_trial_is_waited_for() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let (_place, child) = stuck();
        signal(&child, name);
        assert_eq!(code(child), Some(130), "{name}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let (_place, child) = stuck();
    signal(&child, "-INT");
    // The first may already have ended it.
    let _ = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .stderr(Stdio::null())
        .status();
    assert_eq!(code(child), Some(130));
}

#[test]
fn a_killed_yester_leaves_no_process_whatever_the_sandbox() {
    for sandbox in ["none", "auto", "full"] {
        let place = Place::with_needle();
        place.script(
            "slow.sh",
            &format!("{HOLD}; setsid sleep 600 & sleep 600; exit 1"),
        );
        let mut leash = Leash::new(place.path());
        let words = [
            "reduce",
            "input.txt",
            "--sandbox",
            sandbox,
            "--timeout",
            "10m",
            "--",
            "./slow.sh",
        ];
        let mut child = place
            .command(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("yester starts");
        leash.wait();
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        // What has to end it are other processes, which take their time.
        while leash.is_held() {
            thread::yield_now();
        }
    }
}

#[test]
fn a_terminal_that_is_closed_gives_the_documented_exit() {
    let place = Place::with_needle();
    place.script(
        "slow.sh",
        "echo > \"$YESTER_START/started\"; exec sleep 600",
    );
    // A terminal of its own, which goes away when the script that holds it ends.
    let script = r#"
import os, pty, sys
process, terminal = pty.fork()
if process == 0:
    os.execv(sys.argv[1], sys.argv[1:])
open("started").read()
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"#;
    let made = Command::new("mkfifo").arg(place.file("started")).status();
    assert!(made.expect("mkfifo is installed").success());
    let output = Command::new("python3")
        .args(["-c", script, env!("CARGO_BIN_EXE_yester")])
        .args([
            "reduce",
            "input.txt",
            "-j1",
            "--timeout",
            "10m",
            "--",
            "./slow.sh",
            "{}",
        ])
        .current_dir(place.file(""))
        .output()
        .expect("python3 is installed");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "130\n",
        "{output:?}"
    );
}
