//! `yester runs`, and what a run says of itself in `run.json`.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use yester_report::{Sheet, grouped};
use yester_run::RunDirectory;

use crate::cli::RunsArguments;
use crate::failure::{Exit, Failure};
use crate::output;

/// What a run is about and how far it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub schema: u32,
    pub command: String,
    pub file: String,
    pub test: String,
    pub started: u64,
    pub status: RunStatus,
    #[serde(flatten)]
    pub extent: Extent,
}

/// How big what is searched is now, and was at first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Extent {
    Bytes { bytes: u64, original_bytes: u64 },
    Lines { lines: u64, original_lines: u64 },
    Revisions { left: u64, revisions: u64 },
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
    fn describe(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Found => "found",
            RunStatus::Stopped => "stopped",
            RunStatus::Killed => "killed",
        }
    }
}

impl Extent {
    fn describe(self) -> String {
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

impl Record {
    pub const FILE: &str = "run.json";

    pub fn read(run: &Path) -> Option<Record> {
        serde_json::from_slice(&fs::read(run.join(Self::FILE)).ok()?).ok()
    }

    pub fn write(&self, run: &RunDirectory) -> std::io::Result<()> {
        let text = serde_json::to_vec_pretty(self)?;
        run.write(Self::FILE, &text).map(drop)
    }

    /// The seconds since 1970 at which a new run starts.
    pub fn now() -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    }
}

#[derive(Serialize)]
struct Listed {
    run: String,
    #[serde(flatten)]
    record: Record,
}

pub fn run(arguments: &RunsArguments) -> Result<Exit, Failure> {
    let runs = yester_run::runs(&arguments.state_dir)
        .map_err(|error| Failure::io(format!("list {}", arguments.state_dir.display()), &error))?;
    let listed: Vec<Listed> = runs.iter().filter_map(|run| list(run)).collect();
    if arguments.json {
        let text = serde_json::to_string_pretty(&listed).expect("plain data");
        return output::print(format!("{text}\n").as_bytes());
    }
    let mut sheet = Sheet::default();
    for Listed { run, record } in &listed {
        let status = record.status.describe();
        sheet.line(run);
        sheet.line(format!(
            "    {status}, {}: yester {} {} -- {}",
            record.extent.describe(),
            record.command,
            record.file,
            record.test,
        ));
    }
    if listed.is_empty() {
        sheet.line(format!("no runs in {}", arguments.state_dir.display()));
    }
    output::print_text(&sheet.finish())
}

/// What a run is like now. One that is under way or was killed has not written that down itself.
fn list(run: &Path) -> Option<Listed> {
    let mut record = Record::read(run)?;
    if record.status == RunStatus::Running {
        if !RunDirectory::is_busy(run) {
            record.status = RunStatus::Killed;
        }
        let best = fs::read_dir(run.join("best"))
            .ok()
            .and_then(|mut entries| entries.next()?.ok()?.metadata().ok());
        if let (Extent::Bytes { bytes, .. }, Some(best)) = (&mut record.extent, best) {
            *bytes = best.len();
        }
    }
    Some(Listed {
        run: run.display().to_string(),
        record,
    })
}
