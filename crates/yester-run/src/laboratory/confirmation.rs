//! Running things again in a clean place, to be sure.

use yester_core::{Candidate, Outcome, Stop};

use super::Laboratory;
use crate::workbench::Condition;
use crate::{Repeat, Trial, Why};

/// How many failures of an answer are wanted.
const CONFIRMATIONS: usize = 3;

/// How many runs an answer that fails only now and then is given for that.
const RUNS_FOR_A_RATE: usize = 60;

impl Laboratory {
    /// Runs the command again on an answer, in a clean place.
    ///
    /// A test that is thought to say the same always must do so. Of another one a few failures are wanted, so that
    /// the answer comes with a rate. Gives the outcome, and how many of how many runs failed.
    pub fn confirm(&mut self, candidate: &Candidate) -> Result<(Outcome, usize, usize), Stop> {
        self.stop_all()?;
        let judge = self.judge.clone();
        let (wanted, most) = match self.repeat {
            Repeat::Once => (CONFIRMATIONS, CONFIRMATIONS),
            Repeat::UpTo(most) => (1, most),
            Repeat::Sequential { .. } => (CONFIRMATIONS, RUNS_FOR_A_RATE),
        };
        let mut runs: Vec<Outcome> = Vec::new();
        let mut failures = 0;
        while runs.len() < most && failures < wanted {
            let trials = self.workbench.observe(
                candidate,
                Why::Confirmation,
                Condition::Fresh,
                wanted - failures,
                Some(&judge),
            )?;
            runs.extend(
                trials
                    .iter()
                    .map(|trial| trial.outcome.unwrap_or(Outcome::Unresolved)),
            );
            failures = runs
                .iter()
                .filter(|outcome| **outcome == Outcome::Fail)
                .count();
        }
        let other = runs
            .iter()
            .copied()
            .find(|outcome| *outcome != Outcome::Fail);
        let outcome = match other {
            Some(other) if failures == 0 || self.repeat == Repeat::Once => other,
            _ => Outcome::Fail,
        };
        Ok((outcome, failures, runs.len()))
    }

    /// Runs a candidate in a clean place with a clean build, whatever is known of it.
    ///
    /// Gives a run with the outcome that all runs of it add up to. What the search knows stays as it is; a search that
    /// has been wrong can be told with [`Laboratory::remember`].
    pub fn test_fresh(&mut self, candidate: &Candidate) -> Result<Trial, Stop> {
        self.stop_all()?;
        let judge = self.judge.clone();
        let (mut trials, mut runs) = (Vec::new(), Vec::new());
        let outcome = loop {
            let trial = self.workbench.observe(
                candidate,
                Why::Confirmation,
                Condition::Fresh,
                1,
                Some(&judge),
            )?;
            runs.extend(trial.iter().filter_map(|trial| trial.outcome));
            trials.extend(trial);
            if let Some(outcome) = self.repeat.decide(&runs) {
                break outcome;
            }
        };
        let shows = |trial: &Trial| trial.outcome == Some(outcome);
        let index = trials.iter().position(shows).unwrap_or_default();
        Ok(trials.swap_remove(index))
    }
}
