//! A test, or a program, as the target of interventions.

use std::ops::Range;
use std::time::Duration;

use yester_core::Outcome;
use yester_path::intervention::search::{BatchRun, InterventionTarget, NearInput, Right};
use yester_path::{Recording, SolverError};
use yester_run::{Ending, Events, Observation};

use crate::error::RecordError;
use crate::intervener::{Intervener, InterventionRun, RunRequest};
use crate::near_runs::NearRuns;
use crate::recorder::Seen;
use crate::session::{ProgramSession, verdict};

/// Judges runs that cannot be compared with what is right. It takes a process for each of them.
pub trait RunJudge {
    /// Whether each run is right.
    ///
    /// # Errors
    /// If nobody can be asked, or the search has to end.
    fn are_right(&mut self, runs: &[&Seen]) -> Result<Vec<bool>, RecordError>;
}

/// What the interventions of `yester-path` are carried out with.
pub struct TargetProgram<'a, 'f> {
    /// Makes the runs.
    pub session: &'f ProgramSession,
    /// Runs the program with interventions.
    pub intervener: &'f mut Intervener<'a>,
    /// Runs the program so that values can be followed, if they are to be.
    pub follower: Option<&'f mut Intervener<'a>>,
    /// Judges the runs, instead of a comparison with what is right. Then each intervention has to be a run of its own.
    pub judge: Option<&'f mut dyn RunJudge>,
    /// Runs the program on inputs near the user's, if that is to be done.
    pub near: Option<&'f mut NearRuns<'a>>,
    /// Who is told of each phase.
    pub events: &'f Events,
}

impl From<InterventionRun> for BatchRun {
    fn from(run: InterventionRun) -> BatchRun {
        BatchRun {
            results: run.results,
            is_late: run.observation.ending == Ending::Timeout,
            changed_tree: run.observation.changed_tree,
        }
    }
}

impl InterventionTarget for TargetProgram<'_, '_> {
    type Shown = Seen;
    type Stop = RecordError;

    fn is_guarded(&self) -> bool {
        self.session.confinement().guards(true)
    }

    fn runs(&self) -> u64 {
        self.session.counts().run
    }

    fn begin(&mut self, what: &'static str, count: usize) {
        self.events.phase(what, count);
    }

    fn judged(&mut self, outcome: Outcome) {
        self.session.judged(outcome);
    }

    fn run(&mut self, plan: &str, timeout: Duration) -> Result<Seen, RecordError> {
        Ok(self.intervener.confirm(plan, timeout)?.observation)
    }

    fn run_each(
        &mut self,
        plans: &[String],
        right: &Right,
        timeout: Duration,
    ) -> Result<Vec<bool>, RecordError> {
        let wanted: Vec<RunRequest<'_>> = plans
            .iter()
            .map(|plan| RunRequest::Intervention(plan))
            .collect();
        let is_compared = self.judge.is_none();
        let read = |observation: &Observation| {
            is_compared.then(|| verdict(right.holds(&Seen(observation.clone()))))
        };
        let mut seen: Vec<Option<Seen>> = vec![None; wanted.len()];
        self.intervener
            .run_all(&wanted, timeout, &read, |index, run| {
                seen[index] = Some(run.observation);
                Ok(())
            })?;
        let seen: Vec<Seen> = seen.into_iter().flatten().collect();
        let Some(judge) = &mut self.judge else {
            return Ok(seen.iter().map(|one| right.holds(one)).collect());
        };
        let answers = judge.are_right(&seen.iter().collect::<Vec<_>>())?;
        let outcomes = answers.iter().map(|is_right| verdict(*is_right).outcome);
        outcomes.for_each(|outcome| self.session.judged(outcome));
        Ok(answers)
    }

    fn run_batches(
        &mut self,
        plans: &[String],
        expected: &[u8],
        timeout: Duration,
    ) -> Result<Vec<BatchRun>, RecordError> {
        let wanted: Vec<RunRequest<'_>> = plans
            .iter()
            .map(|plan| RunRequest::Batch { plan, expected })
            .collect();
        let mut runs: Vec<Option<BatchRun>> = wanted.iter().map(|_| None).collect();
        self.intervener
            .run_all(&wanted, timeout, &|_| None, |index, run| {
                runs[index] = Some(run.into());
                Ok(())
            })?;
        Ok(runs.into_iter().flatten().collect())
    }

    fn follow(
        &mut self,
        plans: &[String],
        timeout: Duration,
        take: &mut dyn FnMut(usize, &Recording) -> Result<(), SolverError>,
    ) -> Result<(), RecordError> {
        let Some(follower) = &mut self.follower else {
            return Ok(());
        };
        let wanted: Vec<RunRequest<'_>> = plans
            .iter()
            .map(|plan| RunRequest::Followed(plan))
            .collect();
        follower.run_all(&wanted, timeout, &|_| None, |index, run| {
            match &run.recording {
                Some(recording) => Ok(take(index, recording)?),
                None => Ok(()),
            }
        })
    }

    fn near_inputs(
        &mut self,
        has_crashed: bool,
        timeout: Duration,
    ) -> Result<Vec<NearInput>, RecordError> {
        match &mut self.near {
            Some(near) => near.make(self.intervener, has_crashed, timeout),
            None => Ok(Vec::new()),
        }
    }

    fn run_near(
        &mut self,
        plan: &str,
        inputs: Range<usize>,
        timeout: Duration,
    ) -> Result<Vec<BatchRun>, RecordError> {
        match &mut self.near {
            Some(near) => near.carry_out(self.intervener, plan, inputs, timeout),
            None => Ok(Vec::new()),
        }
    }

    fn is_right(&mut self, observation: &Seen, right: &Right) -> Result<bool, RecordError> {
        match &mut self.judge {
            Some(judge) => Ok(judge.are_right(&[observation])? == [true]),
            None => Ok(right.holds(observation)),
        }
    }
}
