//! A program and who judges it, as the searches of `yester-path` see them.

use yester_core::Outcome;
use yester_path::{JudgedRun, Program, Recordings, Run};

use super::{Judge, SameFailure};
use crate::error::RecordError;
use crate::recorder::{Recorded, Recorder, Seen};

/// A program that runs on any input, and who judges it.
pub struct JudgedProgram<'a> {
    /// Runs it.
    pub recorder: Recorder<'a>,
    /// Says what is right.
    pub judge: Judge<'a>,
}

impl Program for JudgedProgram<'_> {
    type Shown = Seen;
    type Failure = SameFailure;
    type Stop = RecordError;

    fn record(&mut self, run: Run<'_>) -> Result<Recorded, RecordError> {
        self.recorder.run(run)
    }

    fn record_all(&mut self, runs: &[Run<'_>]) -> Recordings<Self> {
        let recorded = self.recorder.run_all(runs)?;
        Ok(recorded.into_iter().map(Result::ok).collect())
    }

    fn observe_all(&mut self, runs: &[Run<'_>]) -> Result<Vec<Seen>, RecordError> {
        self.recorder.observe_all(runs)
    }

    fn judge(&mut self, runs: &[JudgedRun<'_, Seen>]) -> Result<Vec<Outcome>, RecordError> {
        let outcomes = self.judge.outcomes(runs)?;
        self.recorder.judged(&outcomes);
        Ok(outcomes)
    }

    fn is_judged_by_person(&self) -> bool {
        self.judge.is_human()
    }

    fn failure(&self, observation: &Seen) -> SameFailure {
        self.judge.failure(observation)
    }

    fn fails_so(&self, failure: &SameFailure, observation: &Seen) -> bool {
        failure.is_of(observation)
    }
}
