//! Runs both versions.

use std::time::Duration;

use yester_path::InputSource;
use yester_run::{Capture, Ending, Observation};

use super::job::ExplainJob;
use super::version::BuiltVersion;
use crate::failure::Failure;
use crate::interrupt::START_OVER;
use crate::record::{ProgramInput, Recorded, Recorder, RecorderSettings, Run};

/// The old version and the new one, by their place in every pair.
pub const OLD: usize = 0;
pub const NEW: usize = 1;

/// How many bytes of events a run records: some millions. An endless loop has no end of them.
const RECORD_LIMIT: &str = "8388608";
/// How many constraints of a run count, for the same reason.
const MOST_CONSTRAINTS: usize = 20_000;

/// Runs both versions, and keeps count.
pub struct Laboratory<'a> {
    job: &'a ExplainJob,
    recorders: [Recorder<'a>; 2],
    pub runs: u64,
}

/// What a run shows to the outside.
#[derive(Clone, Debug)]
pub struct Behaviour {
    pub ending: Ending,
    pub stdout: Capture,
    pub stderr: Capture,
    /// Where it ran, which it may have printed.
    place: String,
}

impl<'a> Laboratory<'a> {
    pub fn open(
        job: &'a ExplainJob,
        built: &'a [BuiltVersion; 2],
    ) -> Result<Laboratory<'a>, Failure> {
        let recorder = |label, version: &'a BuiltVersion| {
            Recorder::open(RecorderSettings {
                label,
                command: &job.command,
                start: &version.root,
                input: &job.input,
                in_copies: true,
                program_in_tree: job.program_in_tree.clone(),
                environment: vec![("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into())],
                jobs: job.arguments.trial.jobs(),
                confinement: job.confinement.clone(),
                hint: START_OVER,
            })
        };
        Ok(Laboratory {
            job,
            recorders: [
                recorder("explain-old", &built[OLD])?,
                recorder("explain-new", &built[NEW])?,
            ],
            runs: 0,
        })
    }

    /// The user's input in one version, with what varies followed or not.
    pub fn record(&mut self, version: usize, is_followed: bool) -> Result<Recorded, Failure> {
        let symbolic: &[InputSource] = match is_followed {
            true => &self.job.symbolic,
            false => &[],
        };
        self.runs += 1;
        let mut recorded = self.recorders[version].run(Run {
            input: &self.job.input,
            symbolic,
            timeout: self.job.arguments.timeout,
        })?;
        recorded.recording.constraints.truncate(MOST_CONSTRAINTS);
        Ok(recorded)
    }

    /// Other inputs in one version.
    pub fn run_all(
        &mut self,
        version: usize,
        inputs: &[ProgramInput],
        timeout: Duration,
    ) -> Result<Vec<Result<Recorded, Failure>>, Failure> {
        let runs: Vec<Run<'_>> = inputs
            .iter()
            .map(|input| Run {
                input,
                symbolic: &[],
                timeout,
            })
            .collect();
        self.runs += runs.len() as u64;
        self.recorders[version].run_all(&runs)
    }

    /// What a run of this version showed.
    pub fn behaviour(&self, version: usize, observation: &Observation) -> Behaviour {
        Behaviour {
            ending: observation.ending.clone(),
            stdout: observation.stdout.clone(),
            stderr: observation.stderr.clone(),
            place: self.recorders[version].scratch().display().to_string(),
        }
    }
}

impl Behaviour {
    /// Whether both runs ended the same way and printed the same.
    pub fn is_same(&self, other: &Behaviour) -> bool {
        self.ending == other.ending
            && self.is_same_text(other, |one| &one.stdout)
            && self.is_same_text(other, |one| &one.stderr)
    }

    /// Whether both printed the same, but for the names of the directories that they ran in.
    fn is_same_text(&self, other: &Behaviour, part: impl Fn(&Behaviour) -> &Capture) -> bool {
        let (one, another) = (part(self), part(other));
        if one.digest == another.digest {
            return true;
        }
        is_whole(one) && is_whole(another) && self.text(&part) == other.text(&part)
    }

    /// Whether all that it printed is known.
    pub fn is_whole(&self) -> bool {
        is_whole(&self.stdout) && is_whole(&self.stderr)
    }

    /// What it printed, without the names of directories of ours.
    pub fn text(&self, part: impl Fn(&Behaviour) -> &Capture) -> String {
        part(self).text().replace(&self.place, "")
    }
}

fn is_whole(capture: &Capture) -> bool {
    capture.text().len() as u64 == capture.bytes
}
