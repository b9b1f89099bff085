//! What a call of yester did, for tests of the commands that need the compilers.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use self::schema::Schema;

mod schema;

/// The program, which cargo puts beside the compiler when all of the workspace is tested.
pub fn yester() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_yester-cc")).with_file_name("yester");
    assert!(path.exists(), "first: cargo build --package yester");
    path
}

/// What a call did.
pub struct Called {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for Called {
    fn from(output: Output) -> Called {
        Called {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Called {
    /// The result of a call with `--json` that finds something.
    pub fn result(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}{}", self.stdout, self.stderr);
        let mut report: Value = serde_json::from_str(&self.stdout).expect("JSON");
        Schema::read("report").check(&report);
        report["result"].take()
    }
}
