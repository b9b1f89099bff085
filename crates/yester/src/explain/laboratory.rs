//! Runs both versions.

use std::time::Duration;

use yester_path::explanation::{NEW, OLD, Versions};
use yester_path::{InputSource, ProgramInput, Run};
use yester_record::{
    BuiltVersion, ProgramSession, Recorded, Recorder, RecorderSettings, RunPlace, Seen, verdict,
};
use yester_run::{Capture, Ending, Why};

use super::job::ExplainJob;
use crate::failure::Failure;

/// How many bytes of events a run records: some millions. An endless loop has no end of them.
const RECORD_LIMIT: &str = "8388608";
/// How many constraints of a run count, for the same reason.
const MOST_CONSTRAINTS: usize = 20_000;

/// Runs both versions, and keeps count.
pub struct Laboratory<'a> {
    job: &'a ExplainJob,
    session: &'a ProgramSession,
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
    pub fn new(
        (job, session): (&'a ExplainJob, &'a ProgramSession),
        built: &[BuiltVersion; 2],
    ) -> Laboratory<'a> {
        let recorder = |version: &BuiltVersion| {
            Recorder::new(RecorderSettings {
                session,
                program: &job.command.program,
                name: &job.command.words[0],
                place: RunPlace::Copy(version.tree),
                input: &job.input,
                why: Why::Search,
                program_in_tree: job.program_in_tree.clone(),
                environment: vec![("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into())],
            })
        };
        Laboratory {
            job,
            session,
            recorders: [recorder(&built[OLD]), recorder(&built[NEW])],
            runs: 0,
        }
    }

    /// The user's input in one version, with what varies followed.
    pub fn record(&mut self, version: usize) -> Result<Recorded, Failure> {
        let run = self.given(&self.job.symbolic);
        self.runs += 1;
        let mut recorded = self.recorders[version].run(run)?;
        recorded.recording.constraints.truncate(MOST_CONSTRAINTS);
        Ok(recorded)
    }

    /// The same once more, without following anything.
    pub fn record_again(&mut self, version: usize) -> Result<Recorded, Failure> {
        let run = self.given(&[]);
        self.runs += 1;
        Ok(self.recorders[version].run_again(run)?)
    }

    fn given(&self, symbolic: &'a [InputSource]) -> Run<'a> {
        Run {
            input: &self.job.input,
            symbolic,
            timeout: self.job.arguments.timeout,
        }
    }
}

impl Versions for Laboratory<'_> {
    type Shown = Seen;
    type Behaviour = Behaviour;
    type Stop = Failure;

    fn run_all(
        &mut self,
        version: usize,
        inputs: &[ProgramInput],
        timeout: Duration,
    ) -> Result<Vec<Option<Recorded>>, Failure> {
        let runs: Vec<Run<'_>> = inputs
            .iter()
            .map(|input| Run {
                input,
                symbolic: &[],
                timeout,
            })
            .collect();
        self.runs += runs.len() as u64;
        let recorded = self.recorders[version].run_all(&runs)?;
        Ok(recorded.into_iter().map(Result::ok).collect())
    }

    fn behaviour(&self, observation: &Seen) -> Behaviour {
        Behaviour {
            ending: observation.ending.clone(),
            stdout: observation.stdout.clone(),
            stderr: observation.stderr.clone(),
            place: self.session.scratch().display().to_string(),
        }
    }

    fn agree(&self, old: &Behaviour, new: &Behaviour) -> bool {
        let is_same = old.is_same(new);
        self.session.judged(verdict(is_same).outcome);
        is_same
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
