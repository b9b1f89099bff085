//! Calls of `yester flip` in a directory of their own.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::called::{Called, yester};

/// Counts what is above a limit; the comparison is wrong.
pub const ABOVE: &str = "\
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int above = 0;
    for (int i = 1; i < count; i++) {
        if (atoi(words[i]) > 10)
            above++;
    }
    printf(\"%d above\\n\", above);
    return 0;
}
";

/// A directory for one test, and a scratch directory that must be empty afterwards.
pub struct Place {
    pub directory: TempDir,
    scratch: TempDir,
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
        child.wait_with_output().expect("it ends").into()
    }

    /// The result of a call that finds something.
    pub fn result(&self, answers: &str, words: &[&str]) -> Value {
        self.call(answers, &[&["--json"], words].concat()).result()
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

/// What interventions say of a program that prints something else than it should.
pub fn places(source: &str, right: &str, words: &[&str]) -> Vec<Value> {
    let place = Place::new(&[("wrong.c", source), ("right", right)]);
    let flags = [
        "wrong.c",
        "--expect",
        "right",
        "--by",
        "interventions",
        "--",
        "{}",
    ];
    let mut result = place.result("", &[&flags, words].concat());
    let Value::Array(places) = result["places"].take() else {
        panic!("{result}");
    };
    places
}
