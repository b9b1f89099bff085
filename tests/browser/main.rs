//! The reports of every command: their pages in a real browser, their logs in a validator of SARIF.
//!
//! Chromium, node and what the scripts beside this file need are installed by `scripts/setup tests`.

#[path = "../called.rs"]
mod called;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::called::{Called, yester};

/// Runs of every command, made once.
static RUNS: LazyLock<Runs> = LazyLock::new(Runs::make);

struct Runs {
    /// The directories of the runs.
    all: Vec<PathBuf>,
    _place: TempDir,
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

/// Text that tries to break out of wherever it is put, with a sequence that no terminal may get and bytes that are no text.
const HOSTILE: &[u8] =
    b"</script><script>alert(1)</script> \x1b]0;owned\x07 \xff\xfe \" onload=\"x <!-- --> ]]> \xe2\x80\xae `````\n::error::x\n";

impl Runs {
    fn make() -> Runs {
        let place = TempDir::new().expect("a directory");
        let at = |name: &str| place.path().join(name);
        for name in [
            "totals", "changes", "history", "explain", "flip", "trace", "why",
        ] {
            let example = root().join("examples").join(name);
            succeeds(Command::new("cp").arg("-R").args([example, at(name)]));
        }
        let shell = |directory: &str, script: &str| {
            let mut command = Command::new("sh");
            succeeds(command.args(["-c", script]).current_dir(at(directory)));
        };
        shell("totals", "cc -o totals totals.c");
        shell("changes", "./make-repository shop > /dev/null");
        shell("history", "./make-repository readings > /dev/null");
        shell("why", "./make-repository ledger > /dev/null");
        let yester_cc = env!("CARGO_BIN_EXE_yester-cc");
        shell(
            "trace",
            &format!("'{yester_cc}' small.c -o small && printf 'a\\002' > in"),
        );
        hostile(&at("hostile"));

        let calls: [(&str, &[&str], i32); 11] = [
            (
                "totals",
                &["reduce", "orders.csv", "--", "./totals", "{}"],
                0,
            ),
            (
                "totals",
                &[
                    "reduce",
                    "orders.csv",
                    "--max-trials",
                    "30",
                    "--timeout",
                    "9s",
                    "--",
                    "./totals",
                    "{}",
                ],
                3,
            ),
            ("totals", &["reduce", "totals.c", "--", "./totals", "{}"], 1),
            (
                "changes/shop",
                &[
                    "changes",
                    "v1.0",
                    "HEAD",
                    "--build",
                    "make",
                    "--",
                    "./test.sh",
                ],
                0,
            ),
            ("history/readings", &["history", "--", "../test.sh"], 0),
            (
                "explain",
                &[
                    "explain",
                    "parcel-1.0.c",
                    "parcel-1.1.c",
                    "--",
                    "{}",
                    "10",
                    "2",
                ],
                0,
            ),
            (
                "flip",
                &[
                    "flip",
                    "scores.c",
                    "--stdin",
                    "scores.txt",
                    "--expect",
                    "right.txt",
                    "--",
                    "{}",
                ],
                0,
            ),
            (
                "trace",
                &[
                    "trace",
                    "--symbolic",
                    "stdin",
                    "--stdin",
                    "in",
                    "--",
                    "./small",
                ],
                0,
            ),
            (
                "why/ledger",
                &["why", "--build", "make", "--", "./ledger", "data/march.txt"],
                0,
            ),
            (
                "hostile",
                &["reduce", "input", "--failing", "--", "./test.sh", "{}"],
                0,
            ),
            (
                "hostile",
                &["changes", "good", "bad", "--", "./test.sh", "."],
                0,
            ),
        ];
        for (directory, words, code) in calls {
            let mut command = yester_command(&at(directory));
            command.arg(words[0]).arg("--json").args(&words[1..]);
            let called = Called::from(command.output().expect("yester starts"));
            if code == 0 {
                called.result();
            } else {
                assert_eq!(called.code, Some(code), "{words:?}: {}", called.stderr);
            }
        }
        let states = calls.map(|(directory, ..)| at(directory).join(".yester"));
        let mut all: Vec<PathBuf> = states
            .iter()
            .flat_map(|state| fs::read_dir(state).expect("runs").flatten())
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), calls.len());
        Runs { all, _place: place }
    }
}

/// An input and two versions whose bytes, names and output are a stranger's.
fn hostile(place: &Path) {
    let name = "<b>\u{202e}`x`\n::error::y.txt";
    for version in ["good", "bad"] {
        fs::create_dir_all(place.join(version)).expect("a directory");
        let bytes = if version == "bad" { HOSTILE } else { b"fine\n" };
        fs::write(place.join(version).join(name), bytes).expect("room");
    }
    let input = [HOSTILE, &[b'x'; 300], b"\nfine\n", HOSTILE].concat();
    fs::write(place.join("input"), input).expect("room");
    let script = "#!/bin/sh\ncat \"$1\" \"$1\"/* >&2 2> /dev/null\nif grep -aq 'alert(1)' -r \"$1\"; then\n\
                  cat \"$1\" >&2 2> /dev/null || cat \"$1\"/* >&2\nexit 1\nfi\n";
    let test = place.join("test.sh");
    fs::write(&test, script).expect("room");
    fs::set_permissions(&test, fs::Permissions::from_mode(0o755)).expect("a mode");
}

fn yester_command(directory: &Path) -> Command {
    let mut command = Command::new(yester());
    command
        .current_dir(directory)
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
    for variable in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_PREFIX",
        "CLICOLOR_FORCE",
    ] {
        command.env_remove(variable);
    }
    command
}

#[track_caller]
fn succeeds(command: &mut Command) {
    let status = command.status().expect("it starts");
    assert!(status.success(), "{command:?}");
}

/// Runs a script of this directory, which prints what is wrong.
#[track_caller]
fn run(script: &str, files: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Output {
    let script = root().join("tests/browser").join(script);
    let output = Command::new("node").arg(script).args(files).output();
    output.expect("node starts; first: scripts/setup tests")
}

/// Fails unless a script finds nothing wrong.
#[track_caller]
fn check(script: &str, files: impl IntoIterator<Item = impl AsRef<OsStr>>) {
    let output = run(script, files);
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(
        output.status.success() && said.is_empty(),
        "first: scripts/setup tests\n{said}"
    );
}

#[test]
fn the_pages_of_every_command_are_right_in_a_browser() {
    let pages = RUNS.all.iter().map(|run| run.join("report.html"));
    check("check.mjs", pages);
}

#[test]
fn a_page_that_is_wrong_is_noticed() {
    let place = TempDir::new().expect("a directory");
    let page = place.path().join("report.html");
    let text = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>x</title>\
                <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\"></head>\
                <body><h1>x</h1><img src=\"x.png\"><a href=\"#y\">y</a><a href=\"http://x/\">z</a>\
                <script>0</script><p>WIDE</p></body></html>";
    fs::write(&page, text.replace("WIDE", &"x".repeat(400))).expect("room");
    let output = run("check.mjs", [page]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    for complaint in [
        "Loading the image",
        "Executing inline script",
        "light, 400 pixels: it is ",
        "axe: image-alt",
        "a link leads nowhere: #y",
        "a link leads out of the page: http://x/",
        "without scripts #sure li is not shown",
    ] {
        assert!(said.contains(complaint), "{complaint} is not in {said}");
    }
}

#[test]
fn logs_of_every_command_are_valid_sarif() {
    let logs = TempDir::new().expect("a directory");
    let mut written = Vec::new();
    for (number, run) in RUNS.all.iter().enumerate() {
        let log = logs.path().join(format!("{number}.sarif"));
        let state = run.parent().expect("a state directory");
        let name = run.file_name().expect("a name");
        let mut command = yester_command(state.parent().expect("a place"));
        succeeds(command.arg("report").arg(name).arg("-o").arg(&log));
        written.push(log);
    }
    check("sarif.mjs", written);
}
