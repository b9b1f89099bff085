//! `--events`: everything that happens, as lines of JSON.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;
use yester_run::{Consumer, Ending, Event, Why, file};

/// The version of the stream. A new kind of event or a new field needs no new version.
const SCHEMA: u32 = 1;

/// Why a stream cannot be written.
#[derive(Debug, Error)]
pub enum EventStreamError {
    /// The file cannot be written.
    #[error("failed to write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds something else, which may be worth keeping.
    #[error("{} is there already and is no stream of events", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}

/// Writes each event on a line, as soon as it happens.
pub struct EventStream {
    output: Box<dyn Write>,
    begin: Instant,
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    event: Written<'a>,
    /// Seconds since the call began.
    at: f64,
}

/// An event as programs see it.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Written<'a> {
    Call {
        schema: u32,
        yester: &'static str,
        call: Vec<String>,
    },
    Message {
        text: &'a str,
    },
    Step {
        what: &'a str,
        limit: Option<f64>,
    },
    Run {
        run: &'a str,
        size: u64,
        unit: &'a str,
    },
    Resumed {
        trials: u64,
        seconds: f64,
    },
    Phase {
        what: &'a str,
        ideas: u64,
    },
    Started {
        trial: u64,
        why: Why,
        bytes: u64,
        limit: Option<f64>,
    },
    Ran {
        trial: u64,
        why: Why,
        candidate: String,
        bytes: u64,
        ending: &'a Ending,
        outcome: Option<String>,
        seconds: f64,
    },
    Dropped {
        trial: u64,
    },
    Answered {
        outcome: String,
    },
    Improved {
        left: u64,
        bytes: u64,
    },
    End {
        exit: u8,
    },
}

impl EventStream {
    /// Writes to a file, or to standard output for `-`. The version is that of yester, and the call its words. This is data and not made visible for a terminal.
    pub fn open(
        path: &Path,
        version: &'static str,
        call: Vec<String>,
    ) -> Result<EventStream, EventStreamError> {
        let output: Box<dyn Write> = if path == Path::new("-") {
            Box::new(io::stdout())
        } else {
            check_own(path)?;
            let created = File::create(path);
            Box::new(created.map_err(|source| EventStreamError::Io {
                path: path.to_owned(),
                source,
            })?)
        };
        let mut stream = EventStream {
            output,
            begin: Instant::now(),
        };
        stream.write(Written::Call {
            schema: SCHEMA,
            yester: version,
            call,
        });
        Ok(stream)
    }

    fn write(&mut self, event: Written<'_>) {
        let at = self.begin.elapsed().as_micros() as f64 / 1e6;
        let mut line = serde_json::to_vec(&Line { event, at }).expect("plain data");
        line.push(b'\n');
        // In one piece, so that a reader never waits for the rest of a line. Nobody may be reading any more.
        let _ = self.output.write_all(&line);
        let _ = self.output.flush();
    }
}

/// How every stream begins.
const BEGINNING: &[u8] = br#"{"event":"call","#;

/// A file that is there already is written over only if it is an earlier stream: it may be the input, or named by a `yester.toml`
/// that came with a stranger's repository.
fn check_own(path: &Path) -> Result<(), EventStreamError> {
    if !path.is_file() {
        return Ok(());
    }
    let mut beginning = Vec::new();
    let read = file::open(path).and_then(|(file, _)| {
        file.take(BEGINNING.len() as u64)
            .read_to_end(&mut beginning)
    });
    match read {
        Ok(_) if beginning.is_empty() || beginning == BEGINNING => Ok(()),
        _ => Err(EventStreamError::Foreign {
            path: path.to_owned(),
        }),
    }
}

impl Consumer for EventStream {
    fn consume(&mut self, event: &Event<'_>) {
        let written = match event {
            Event::Message(text) => Written::Message { text },
            Event::Step(step) => Written::Step {
                what: step.what,
                limit: step.limit.and_then(|limit| seconds(limit.time?)),
            },
            Event::Run(run) => Written::Run {
                run: run.directory,
                size: run.size,
                unit: run.unit,
            },
            Event::Resumed(earlier) => Written::Resumed {
                trials: earlier.counts.run,
                seconds: earlier.seconds,
            },
            Event::Phase(phase) => Written::Phase {
                what: phase.what,
                ideas: phase.deltas as u64,
            },
            Event::Started(start) => Written::Started {
                trial: start.trial,
                why: start.why,
                bytes: start.bytes,
                limit: seconds(start.limit),
            },
            Event::Ran(trial) => Written::Ran {
                trial: trial.trial,
                why: trial.why,
                candidate: trial.candidate.to_string(),
                bytes: trial.bytes,
                ending: &trial.ending,
                outcome: trial.outcome.map(|outcome| outcome.to_string()),
                seconds: trial.seconds,
            },
            Event::Dropped(trial) => Written::Dropped { trial: *trial },
            Event::Answered(outcome) => Written::Answered {
                outcome: outcome.to_string(),
            },
            Event::Improved { left, candidate } => Written::Improved {
                left: *left,
                bytes: candidate.bytes(),
            },
            Event::End { exit } => Written::End { exit: *exit },
            // The log has them. There may be more of them than of all others together.
            Event::Detail(_) | Event::Infeasible(_) | Event::Output(_) | Event::Version(_) => {
                return;
            }
        };
        self.write(written);
    }
}

/// A time span, unless it is one without an end.
fn seconds(time: Duration) -> Option<f64> {
    (time < Duration::MAX).then_some(time.as_secs_f64())
}
