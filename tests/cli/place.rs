//! A directory to call yester in, and what a call gives.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::executable;
use crate::leash::Leash;
use crate::schema::Schema;

pub struct Place {
    directory: TempDir,
    /// Has the user's own settings.
    home: TempDir,
}

pub struct Called {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Place {
        Place {
            directory: TempDir::new().expect("a directory"),
            home: TempDir::new().expect("a directory"),
        }
    }

    /// A place with a text of hay, and a script that says 0 while the needle is there.
    pub fn with_needle() -> Place {
        let place = Place::new();
        place.write("input.txt", hay(50) + "a needle in it\n" + &hay(50));
        place.script("interesting.sh", "grep -q needle \"$1\"");
        place.script(
            "failing.sh",
            "if grep -q needle \"$1\"; then echo 'found it' >&2; exit 3; fi",
        );
        place
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes the user's own settings.
    pub fn write_own_settings(&self, text: &str) {
        let directory = self.home.path().join("yester");
        fs::create_dir_all(&directory).expect("room");
        fs::write(directory.join("yester.toml"), text).expect("room");
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.file(name), content).expect("room");
    }

    pub fn read(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.file(name)).expect(name)).expect("text")
    }

    pub fn script(&self, name: &str, body: &str) {
        self.executable(name, format!("#!/bin/sh\n{body}\n"));
    }

    pub fn executable(&self, name: &str, content: impl AsRef<[u8]>) {
        executable::write(&self.file(name), content);
    }

    pub fn command<W: AsRef<OsStr>>(&self, words: &[W]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yester"));
        command
            .args(words)
            .current_dir(self.path())
            .stdin(Stdio::null());
        plain(&mut command).env("XDG_CONFIG_HOME", self.home.path());
        command
    }

    /// Tells when scripts are under way that hold it.
    pub fn leash(&self) -> Leash {
        Leash::new(self.path())
    }

    pub fn call<W: AsRef<OsStr>>(&self, words: &[W]) -> Called {
        called(self.command(words).output().expect("yester starts"))
    }

    /// Calls yester with something to read on its standard input.
    pub fn pipe(&self, input: impl AsRef<[u8]>, words: &[&str]) -> Called {
        let mut child = self
            .command(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("yester starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // It may end before it has read everything.
        let _ = stdin.write_all(input.as_ref());
        drop(stdin);
        called(child.wait_with_output().expect("it ends"))
    }

    /// The directories of the runs that were made here.
    pub fn runs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.file(".yester"))
            .into_iter()
            .flatten()
            .flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect()
    }
}

/// Takes out of the environment what would change the outcome. Git sets variables for hooks and aliases, from which tests
/// may be run, and they are about another repository. Whoever runs the tests may have settings.
pub fn plain(command: &mut Command) -> &mut Command {
    let variables = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];
    for variable in variables.iter().chain(&["CLICOLOR_FORCE"]) {
        command.env_remove(variable);
    }
    command
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
}

pub fn called(output: Output) -> Called {
    Called {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub fn hay(lines: usize) -> String {
    (0..lines)
        .map(|number| format!("some hay, straw {number}\n"))
        .collect()
}

impl Called {
    #[track_caller]
    pub fn exits(self, code: i32) -> Called {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Called {
        assert!(
            self.stderr.contains(text),
            "{text:?} is not in stderr: {}",
            self.stderr
        );
        self
    }

    #[track_caller]
    pub fn prints(self, text: &str) -> Called {
        assert!(
            self.stdout.contains(text),
            "{text:?} is not in stdout: {}",
            self.stdout
        );
        self
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        let json: Value = serde_json::from_str(&self.stdout).expect("JSON on stdout");
        // Every report has the layout that programs are promised.
        if json.get("trials").is_some() {
            Schema::read("report").check(&json);
            let trials = |name: &str| json["trials"][name].as_u64().expect(name);
            let outcomes = trials("pass") + trials("fail") + trials("unresolved");
            let has_outcomes = ["reduce", "changes", "history"].map(Value::from);
            assert!(
                trials("run") == outcomes || !has_outcomes.contains(&json["command"]),
                "{json:#}"
            );
        }
        json
    }
}
