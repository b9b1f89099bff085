//! Calls of `yester flip` in a directory of their own.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program, which cargo puts beside the compiler when all of the workspace is tested.
fn yester() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_yester-cc")).with_file_name("yester");
    assert!(path.exists(), "first: cargo build --package yester");
    path
}

/// A directory for one test, and a scratch directory that must be empty afterwards.
pub struct Place {
    pub directory: TempDir,
    scratch: TempDir,
}

/// What a call did.
pub struct Called {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    /// What begins with `#!` can be executed.
    pub fn new(files: &[(&str, &str)]) -> Place {
        let place = Place {
            directory: TempDir::new().expect("room"),
            scratch: TempDir::new().expect("room"),
        };
        for (name, content) in files {
            fs::write(place.path(name), content).expect("room");
            if content.starts_with("#!") {
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(place.path(name), mode).expect("it is ours");
            }
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A call, and what the user answers.
    pub fn call(&self, answers: &str, words: &[&str]) -> Called {
        self.call_with(self.scratch.path(), answers, words)
    }

    /// A call with another scratch directory.
    pub fn call_with(&self, scratch: &Path, answers: &str, words: &[&str]) -> Called {
        let mut child = Command::new(yester())
            .arg("flip")
            .args(words)
            .current_dir(self.directory.path())
            .env("TMPDIR", scratch)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // Who needs no answers may have ended before.
        let _ = stdin.write_all(answers.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("it ends");
        Called {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The result of a call that finds something.
    pub fn result(&self, answers: &str, words: &[&str]) -> Value {
        let called = self.call(answers, &[&["--json"], words].concat());
        assert_eq!(called.code, Some(0), "{}{}", called.stdout, called.stderr);
        let mut report: Value = serde_json::from_str(&called.stdout).expect("JSON");
        report["result"].take()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let left = fs::read_dir(self.scratch.path()).expect("it is ours");
            let left: Vec<_> = left.collect();
            assert!(left.is_empty(), "{left:?}");
        }
    }
}
