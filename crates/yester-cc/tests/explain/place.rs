//! Calls of `yester explain` in a directory of their own.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::called::{Called, yester};

/// A directory for one test, and a scratch directory that must be empty afterwards.
pub struct Place {
    pub directory: TempDir,
    pub scratch: TempDir,
}

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Place {
        let place = Place {
            directory: TempDir::new().expect("room"),
            scratch: TempDir::new().expect("room"),
        };
        for (name, content) in files {
            place.write(name, content.as_bytes());
        }
        place
    }

    pub fn write(&self, name: &str, content: &[u8]) {
        let path = self.directory.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the directory")).expect("room");
        fs::write(path, content).expect("room");
    }

    pub fn call(&self, words: &[&str]) -> Called {
        let output = Command::new(yester())
            .arg("explain")
            .args(words)
            .current_dir(self.directory.path())
            .env("TMPDIR", self.scratch.path())
            .output();
        output.expect("it starts").into()
    }

    /// The result of a call that finds something.
    pub fn result(&self, words: &[&str]) -> Value {
        self.call(&[&["--json"], words].concat()).result()
    }

    pub fn git(&self, words: &[&str]) {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(words)
            .current_dir(self.directory.path())
            .output()
            .expect("git starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

impl Called {
    pub fn exits(self, code: i32) -> Called {
        assert_eq!(self.code, Some(code), "{}\n{}", self.stdout, self.stderr);
        self
    }

    pub fn says(self, text: &str) -> Called {
        assert!(self.stderr.contains(text), "{}", self.stderr);
        self
    }
}

/// Whether some place of a result is in this line of a version.
pub fn names(result: &Value, version: &str, line: u64) -> bool {
    let places = result["places"].as_array().expect("a list");
    places
        .iter()
        .any(|place| place["version"] == version && place["line"] == line)
}

pub const SUM: &str = "#include <stdio.h>\nint main(void) {\n    int sum = 0, c;\n    while ((c = getchar()) != EOF)\n        \
                   if (c >= '0' && c <= '9')\n            sum += c - '0';\n    printf(\"%d\\n\", sum);\n    return sum > 9;\n}\n";
