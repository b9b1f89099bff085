//! Running an answer again in a clean place, to be sure.

use std::sync::Arc;

use yester_core::{Candidate, Outcome, Stop};

use super::{BestSoFar, CommandLab};
use crate::runner::{Freshness, ObservationRequest};
use crate::session::RunError;
use crate::{Invocation, Repeat, Trial, Why};

/// How many failures of an answer are wanted.
const CONFIRMATIONS: usize = 3;

/// How many runs an answer that fails only now and then is given for that.
const RUNS_FOR_A_RATE: usize = 60;

/// What the runs of an answer in a clean place showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// What they add up to.
    pub outcome: Outcome,
    /// How many failed.
    pub failures: usize,
    /// How many there were.
    pub runs: usize,
}

impl<B: BestSoFar> CommandLab<B> {
    /// Runs the command again on an answer, in a clean place.
    ///
    /// A test that is thought to say the same always must do so. Of another one a few failures are wanted, so that
    /// the answer comes with a rate.
    pub fn confirm(&mut self, candidate: &Candidate) -> Result<Confirmation, Stop> {
        self.stop_all()?;
        let has_to_fail = matches!(self.settings.repeat, Repeat::Once | Repeat::Always(_));
        let (wanted, most) = match self.settings.repeat {
            Repeat::Once => (CONFIRMATIONS, CONFIRMATIONS),
            Repeat::UpTo(most) => (1, most),
            Repeat::Always(all) => (all, all),
            Repeat::Sequential { .. } => (CONFIRMATIONS, RUNS_FOR_A_RATE),
        };
        let mut runs: Vec<Outcome> = Vec::new();
        let mut failures = 0;
        while runs.len() < most && failures < wanted {
            let trials = self.runner.observe(
                candidate,
                Why::Confirmation,
                Freshness::Clean,
                wanted - failures,
                Some(&self.settings.judge),
            )?;
            let outcomes = trials.iter().map(outcome_of);
            runs.extend(outcomes);
            if has_to_fail {
                self.refute(&trials)?;
            }
            let fails = |outcome: &&Outcome| **outcome == Outcome::Fail;
            failures = runs.iter().filter(fails).count();
        }
        let mut others = runs.iter().filter(|outcome| **outcome != Outcome::Fail);
        let outcome = match others.next() {
            Some(other) if failures == 0 || has_to_fail => *other,
            _ => Outcome::Fail,
        };
        Ok(Confirmation {
            outcome,
            failures,
            runs: runs.len(),
        })
    }

    /// Writes down for the next search which runs of an answer did not fail.
    fn refute(&mut self, trials: &[Trial]) -> Result<(), Stop> {
        let is_refuted = |trial: &&Trial| !trial.replayed && outcome_of(trial) != Outcome::Fail;
        for trial in trials.iter().filter(is_refuted) {
            let journal = &mut self.runner.session.journal;
            let trial = Trial {
                trial: journal.next_number(),
                why: Why::Search,
                ..trial.clone()
            };
            journal.append(&trial).map_err(RunError::Journal)?;
        }
        Ok(())
    }

    /// Runs another command on candidates, once each in clean places. The search learns nothing from it.
    pub fn run_also(
        &mut self,
        invocation: Invocation,
        candidates: &[&Candidate],
    ) -> Result<Vec<Trial>, Stop> {
        self.stop_all()?;
        let own = std::mem::replace(&mut self.runner.invocation, Arc::new(invocation));
        let requests: Vec<ObservationRequest<'_>> = candidates
            .iter()
            .enumerate()
            .map(|(index, candidate)| ObservationRequest {
                candidate,
                why: Why::Also,
                freshness: Freshness::Clean,
                times: 1,
                worker: index,
            })
            .collect();
        let trials = self.runner.observe_all(&requests, None);
        self.runner.invocation = own;
        Ok(trials?.concat())
    }

    /// Runs candidates in clean places with clean builds, whatever is known of them.
    ///
    /// Gives for each a run with the outcome that all runs of it add up to. What the search knows stays as it is.
    pub fn test_clean(&mut self, candidates: &[&Candidate]) -> Result<Vec<Trial>, Stop> {
        self.stop_all()?;
        let mut trials: Vec<Vec<Trial>> = vec![Vec::new(); candidates.len()];
        loop {
            let decided: Vec<Option<Outcome>> = trials
                .iter()
                .map(|trials| {
                    let runs: Vec<Outcome> = trials.iter().map(outcome_of).collect();
                    self.settings.repeat.decide(&runs)
                })
                .collect();
            let open: Vec<usize> = (0..candidates.len())
                .filter(|index| decided[*index].is_none())
                .collect();
            if open.is_empty() {
                let results = trials.into_iter().zip(decided);
                return Ok(results
                    .map(|(mut trials, outcome)| {
                        let shows = |trial: &Trial| trial.outcome == outcome;
                        let index = trials.iter().position(shows).unwrap_or_default();
                        trials.swap_remove(index)
                    })
                    .collect());
            }
            let requests: Vec<ObservationRequest<'_>> = open
                .iter()
                .map(|index| ObservationRequest {
                    candidate: candidates[*index],
                    why: Why::Confirmation,
                    freshness: Freshness::Clean,
                    times: 1,
                    worker: *index,
                })
                .collect();
            let more = self
                .runner
                .observe_all(&requests, Some(&self.settings.judge))?;
            for (index, more) in open.into_iter().zip(more) {
                trials[index].extend(more);
            }
        }
    }
}

fn outcome_of(trial: &Trial) -> Outcome {
    trial.outcome.unwrap_or(Outcome::Unresolved)
}
