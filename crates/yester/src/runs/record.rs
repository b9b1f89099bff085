//! What a run says of itself in `run.json`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use yester_report::{SCHEMA, VERSION, count, grouped, quote};
use yester_run::{RunDirectory, Survival, file, personal, write_file};

use crate::call::Call;
use crate::driver::RunTarget;

/// What a run is about and how far it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub schema: u32,
    /// The version of yester that worked on it last.
    #[serde(default)]
    pub yester: String,
    pub command: String,
    pub file: String,
    pub test: String,
    /// The words of the call, and the directory in which it was made.
    #[serde(default)]
    pub call: Vec<Word>,
    #[serde(default)]
    pub directory: String,
    pub started: u64,
    pub status: RunStatus,
    /// Whether an answer of it did not hold, so that its trials are made with more care.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub doubted: bool,
    /// Proves that this user's yester wrote it: others do not know the user's secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
    #[serde(flatten)]
    pub extent: Extent,
}

/// A word of a call, which need not be text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Word {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for Word {
    fn from(word: &OsStr) -> Word {
        match word.to_str() {
            Some(text) => Word::Text(text.to_owned()),
            None => Word::Bytes(word.as_bytes().to_vec()),
        }
    }
}

impl From<&Word> for OsString {
    fn from(word: &Word) -> OsString {
        match word {
            Word::Text(text) => text.into(),
            Word::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}

/// How big what is searched is now, and was at first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Extent {
    Bytes { bytes: u64, original_bytes: u64 },
    Lines { lines: u64, original_lines: u64 },
    Revisions { left: u64, revisions: u64 },
    Trials { trials: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Running,
    Found,
    Stopped,
    /// Said to be running, but nobody is: never written down.
    Killed,
}

impl RunStatus {
    pub fn describe(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Found => "found",
            RunStatus::Stopped => "stopped",
            RunStatus::Killed => "killed",
        }
    }
}

impl Extent {
    pub fn describe(self) -> String {
        match self {
            Extent::Bytes {
                bytes,
                original_bytes,
            } => format!("{} bytes of {}", grouped(bytes), grouped(original_bytes)),
            Extent::Lines {
                lines,
                original_lines,
            } => format!(
                "{} changed lines of {}",
                grouped(lines),
                grouped(original_lines)
            ),
            Extent::Trials { trials } => count(trials, "trial"),
            Extent::Revisions { left, revisions } => {
                format!(
                    "{} of {} revisions suspected",
                    grouped(left),
                    grouped(revisions)
                )
            }
        }
    }
}

/// A bigger record is none of ours.
const BIGGEST_RECORD: u64 = 1 << 24;

impl Record {
    pub const FILE: &str = "run.json";

    pub fn read(run: &Path) -> Option<Record> {
        let text = file::read_own(&run.join(Self::FILE), BIGGEST_RECORD).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Writes it so that it survives a power failure: without it the run's journal does not count.
    pub fn write(&self, run: &RunDirectory) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        let path = run.path().join(Self::FILE);
        write_file(&path, &text, None, Survival::PowerFailure)
    }

    /// Seals it and writes it.
    pub fn write_first(&mut self, run: &RunDirectory) -> io::Result<()> {
        self.seal = self.expected_seal()?;
        self.write(run)
    }

    /// What a call says of the run that it works on.
    pub fn of_call(call: &Call, target: &RunTarget, extent: Extent) -> Record {
        let words = call.words.iter();
        Record {
            schema: SCHEMA,
            yester: VERSION.to_owned(),
            command: call.command(),
            file: target.words.clone(),
            test: target.test.clone(),
            call: words.map(|word| Word::from(word.as_os_str())).collect(),
            directory: call.start.display().to_string(),
            started: Record::now(),
            status: RunStatus::Running,
            doubted: false,
            seal: None,
            extent,
        }
    }

    /// Whether yester wrote it for this user, and not a stranger whose checkout this is.
    pub fn is_own(&self) -> io::Result<bool> {
        Ok(self.seal.is_some() && self.seal == self.expected_seal()?)
    }

    /// Whether a directory has a run that somebody else wrote, as far as that can be told: where nothing can be kept for the user,
    /// every run looks like that.
    pub fn is_foreign(run: &Path) -> io::Result<bool> {
        let entries = fs::read_dir(run).into_iter().flatten().flatten();
        // A killed yester may have left empty files, which say nothing.
        let is_empty = |entry: &fs::DirEntry| {
            let metadata = entry.metadata();
            metadata.is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0)
        };
        let mut content = entries.filter(|entry| !is_empty(entry));
        if content.next().is_none() || personal::seal(b"")?.is_none() {
            return Ok(false);
        }
        match Record::read(run) {
            Some(record) => Ok(!record.is_own()?),
            None => Ok(true),
        }
    }

    /// What its seal must be: a number for all that is done again when the run is resumed.
    fn expected_seal(&self) -> io::Result<Option<String>> {
        personal::seal(&serde_json::to_vec(&(&self.call, &self.directory))?)
    }

    /// The words that go on with the run: those of its call, without the flags that would make it start over or stop again.
    pub fn resuming(&self) -> Vec<OsString> {
        let mut kept = Vec::new();
        let mut words = self.call.iter().map(OsString::from);
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            match text.as_str() {
                "--" => {
                    kept.push(word);
                    kept.extend(words);
                    break;
                }
                "--fresh" => {}
                // Its value is the next word.
                "--max-trials" | "--max-time" => drop(words.next()),
                _ if text.starts_with("--max-trials=") || text.starts_with("--max-time=") => {}
                _ => kept.push(word),
            }
        }
        kept
    }

    /// The command that goes on with the run when it is copied into a shell that is in `start`.
    pub fn resume_command(&self, start: &Path) -> Option<String> {
        let words = self.resuming();
        let words = words.iter().map(OsString::as_os_str);
        let command = quote::command([OsStr::new("yester")].into_iter().chain(words.skip(1)));
        let directory = Path::new(&self.directory);
        if self.call.is_empty() {
            return None;
        }
        if directory == start {
            return Some(command);
        }
        let directory = quote::word(directory.as_os_str());
        Some(format!("cd {directory} && {command}"))
    }

    /// The seconds since 1970 at which a new run starts.
    pub fn now() -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(call: &[&str]) -> Record {
        Record {
            schema: 1,
            yester: String::new(),
            command: "reduce".to_owned(),
            file: String::new(),
            test: String::new(),
            call: call
                .iter()
                .map(|word| Word::from(OsStr::new(word)))
                .collect(),
            directory: "/home/me".to_owned(),
            started: 0,
            status: RunStatus::Stopped,
            doubted: false,
            seal: None,
            extent: Extent::Bytes {
                bytes: 1,
                original_bytes: 2,
            },
        }
    }

    #[test]
    fn a_command_resumes_with_all_flags_but_those_that_stopped_it() {
        let record = record(&[
            "/bin/yester",
            "reduce",
            "a b",
            "--fresh",
            "--max-trials",
            "12",
            "--max-time=3s",
            "--timeout=5s",
            "--",
            "./t",
            "--fresh",
            "{}",
        ]);
        let command = "yester reduce 'a b' --timeout=5s -- ./t --fresh '{}'";
        let resumed = |start| record.resume_command(Path::new(start));
        assert_eq!(resumed("/home/me").as_deref(), Some(command));
        let elsewhere = format!("cd /home/me && {command}");
        assert_eq!(resumed("/tmp"), Some(elsewhere));
    }

    #[test]
    fn words_that_are_no_text_come_back() {
        let word = OsStr::from_bytes(b"a\xff");
        let written = serde_json::to_string(&Word::from(word)).expect("plain data");
        let read: Word = serde_json::from_str(&written).expect("what was written");
        assert_eq!(OsString::from(&read), word);
    }
}
