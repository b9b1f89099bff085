//! Runs in which nothing is done otherwise: what they show is not an experiment's doing.

use yester_path::forced::{Experiment, ForcedAction, Profile, ResultRecord, Way};
use yester_run::{Ending, Observation};

use super::Experiments;
use super::limit::Limits;
use crate::failure::Failure;
use crate::record::Forcing;

impl Experiments<'_, '_> {
    /// What to say if the guard alone changes what the program does: then forced runs tell little.
    pub(super) fn effect_of_guard(
        &mut self,
        profile: &Profile,
        limits: &Limits,
    ) -> Result<Option<String>, Failure> {
        let Some(nothing) = nothing(profile).filter(|_| self.forcer.is_guarded()) else {
            return Ok(None);
        };
        if self.failing.ending == Ending::Timeout {
            return Ok(None);
        }
        let plan = limits.plan(profile, &[nothing]);
        let shown = |one: &Observation| (one.ending.clone(), one.stdout.digest.clone());
        let mut before = shown(self.failing);
        // A program that never does the same twice says nothing about the guard.
        for is_first in [true, false] {
            let Some(patience) = self.time_limit.time_for(self.timeout) else {
                return Ok(None);
            };
            let run = self.forcer.run(Forcing::Experiment(&plan), patience)?;
            let now = shown(&run.observation);
            if (now == before) == is_first {
                return Ok(None);
            }
            before = now;
        }
        Ok(Some(
            "the command does something else where your files are read-only and /tmp, /run, /dev and the network are its own, as in forced runs: --allow-writes runs it as you do"
                .to_owned(),
        ))
    }

    /// Whether a run finds what another one has found before it in the same tree: only then many can be carried out one after the other.
    pub(super) fn leaves_no_traces(
        &mut self,
        profile: &Profile,
        limits: &Limits,
    ) -> Result<bool, Failure> {
        let Some(nothing) = nothing(profile) else {
            return Ok(true);
        };
        let plan = limits.plan(profile, &[nothing.clone(), nothing]);
        let batch = Forcing::Batch {
            plan: &plan,
            expected: self.right.expected(),
        };
        let Some(patience) = self.time_limit.time_for(self.timeout * 3) else {
            return Ok(true);
        };
        let run = self.forcer.run(batch, patience)?;
        let shown = |one: &ResultRecord| (one.status, one.output, one.errors);
        Ok(match &run.results[..] {
            [first, second] => shown(first) == shown(second),
            // Whatever keeps the program from ending keeps both from it.
            _ => true,
        })
    }
}

/// An experiment in which nothing is done otherwise, since no place is reached so often.
fn nothing(profile: &Profile) -> Option<Experiment> {
    let (place, _) = profile.log.first()?;
    Some(Experiment {
        process: 0,
        place: *place,
        instances: vec![u64::MAX],
        action: ForcedAction::Skip,
        way: Way::Skip,
        moment: 0,
    })
}
