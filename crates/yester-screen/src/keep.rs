//! What a run keeps of its answer in its directory, so that it can be told at any time.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use yester_report::{AnyReport, Story};
use yester_run::{Consumer, Event, RunDirectory, file, open_record};

/// The version of what is kept. A new field needs no new version; a field that changes its meaning does.
pub const SCHEMA: u32 = 1;

/// The answer as it was reported.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    /// The version of what is kept.
    pub schema: u32,
    /// The report as data for pages.
    pub story: Story,
    /// The report for people.
    pub text: String,
    /// The report for programs. A long one is not kept: the run makes it again.
    pub json: Option<Box<RawValue>>,
}

/// A longer report is none that somebody wants to have twice.
const LONGEST_JSON: usize = 16 << 20;
/// A bigger file is none of ours.
const BIGGEST: u64 = 64 << 20;

impl Kept {
    /// Where it is in the run's directory.
    pub const FILE: &str = "answer.json";

    /// Of a report.
    pub fn of(report: &dyn AnyReport) -> Kept {
        let mut json = Vec::new();
        let written = report.write_json_line(&mut Bounded(&mut json));
        let text = written.ok().and_then(|()| String::from_utf8(json).ok());
        Kept {
            schema: SCHEMA,
            story: report.story(),
            text: if report.is_long() {
                String::new()
            } else {
                report.text()
            },
            json: text.and_then(|text| RawValue::from_string(text).ok()),
        }
    }

    /// As it is written.
    pub fn json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    /// What a run has kept. An error if it cannot be read, nothing if there is none.
    pub fn read(run: &Path) -> io::Result<Option<Kept>> {
        match file::read_own(&run.join(Self::FILE), BIGGEST) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Refuses to hold more than the longest report.
struct Bounded<'a>(&'a mut Vec<u8>);

impl Write for Bounded<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LONGEST_JSON {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How big the best was after so many trials.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct KeptSize {
    /// How many trials.
    pub trials: u64,
    /// How big.
    pub size: u64,
}

/// What a version of the history has given.
#[derive(Serialize, Deserialize)]
pub struct KeptVersion {
    /// How many versions are older.
    pub position: Option<usize>,
    /// How many versions there are.
    pub of: usize,
    /// The full id of its commit.
    pub id: String,
    /// When it was made.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
    /// What the test said.
    pub outcome: String,
}

/// A file of a run with a line for each thing that was seen. A session that resumes the run comes by all of it again. The search does
/// not need it: where it cannot be written, the report lacks what it shows.
struct Lines(Option<File>);

impl Lines {
    fn new(run: &RunDirectory, name: &str) -> Lines {
        let file = open_record(&run.path().join(name));
        let empty = file.and_then(|file| file.set_len(0).map(|()| file));
        Lines(empty.ok())
    }

    fn add(&mut self, value: &impl Serialize) {
        let mut line = serde_json::to_vec(value).expect("plain data");
        line.push(b'\n');
        if let Some(file) = &mut self.0 {
            let _ = file.write_all(&line);
        }
    }
}

/// Writes down how the best becomes smaller.
pub struct Sizes {
    lines: Lines,
    trials: u64,
}

impl Sizes {
    /// Where they are in the run's directory.
    pub const FILE: &str = "sizes";

    /// For a run that begins or goes on.
    pub fn new(run: &RunDirectory) -> Sizes {
        Sizes {
            lines: Lines::new(run, Self::FILE),
            trials: 0,
        }
    }
}

impl Consumer for Sizes {
    fn consume(&mut self, event: &Event<'_>) {
        match event {
            Event::Answered(_) => self.trials += 1,
            Event::Improved { left, .. } => self.lines.add(&KeptSize {
                trials: self.trials,
                size: *left,
            }),
            _ => {}
        }
    }
}

/// Writes down what versions of the history have given.
pub struct Versions(Lines);

impl Versions {
    /// Where they are in the run's directory.
    pub const FILE: &str = "versions";

    /// For a run that begins or goes on.
    pub fn new(run: &RunDirectory) -> Versions {
        Versions(Lines::new(run, Self::FILE))
    }
}

impl Consumer for Versions {
    fn consume(&mut self, event: &Event<'_>) {
        if let Event::Version(version) = event {
            self.0.add(&KeptVersion {
                position: version.position,
                of: version.of,
                id: version.id.to_owned(),
                date: version.date.to_owned(),
                subject: version.subject.to_owned(),
                outcome: version.outcome.to_string(),
            });
        }
    }
}
