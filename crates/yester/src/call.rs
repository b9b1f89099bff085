//! A call of yester: its words, where it was made, and when.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

use yester_report::{Report, SCHEMA, Status, Trials, VERSION};

/// What a command is told of the call that it carries out.
#[derive(Clone, Debug)]
pub struct Call {
    /// The words, as the user and `yester.toml` say them.
    pub words: Vec<OsString>,
    /// The directory in which it was made.
    pub start: PathBuf,
    pub begin: Instant,
}

impl Call {
    pub fn new(words: &[OsString], start: &Path) -> Call {
        Call {
            words: words.to_vec(),
            start: start.to_owned(),
            begin: Instant::now(),
        }
    }

    /// The words as text.
    pub fn texts(&self) -> Vec<String> {
        let words = self.words.iter().skip(1);
        let words = words.map(|word| word.to_string_lossy().into_owned());
        std::iter::once("yester".to_owned()).chain(words).collect()
    }

    /// The command, or `yester` if the call names none.
    pub fn command(&self) -> String {
        let command = self.texts().into_iter().nth(1);
        let command = command.filter(|command| !command.starts_with('-'));
        command.unwrap_or_else(|| "yester".to_owned())
    }

    /// A report in which nothing has happened yet.
    pub fn report<R>(&self, status: Status) -> Report<R> {
        Report {
            schema: SCHEMA,
            yester: VERSION,
            command: self.command(),
            call: self.texts(),
            input: None,
            status,
            trials: Trials::default(),
            passes: Vec::new(),
            seconds: self.begin.elapsed().as_secs_f64(),
            result: None,
            run: None,
            failure: None,
            sure: None,
            also_seen: Vec::new(),
            error: None,
            next: String::new(),
            page: None,
        }
    }
}
