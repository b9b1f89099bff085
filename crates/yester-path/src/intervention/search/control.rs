//! Runs in which nothing is changed: what they show is not the effect of an intervention.

use super::limit::Limits;
use super::{InterventionSearch, InterventionTarget};
use crate::intervention::{Intervention, InterventionAction, Profile, ResultRecord, Way};
use crate::program::{RunEnd, Shown};

impl<P: InterventionTarget> InterventionSearch<'_, P> {
    /// What to say if the guard alone changes what the program does: then interventions tell little.
    pub(super) fn effect_of_guard(
        &mut self,
        profile: &Profile,
        limits: &Limits,
    ) -> Result<Option<String>, P::Stop> {
        let Some(nothing) = nothing(profile).filter(|_| self.program.is_guarded()) else {
            return Ok(None);
        };
        if self.failing.end() == RunEnd::Timeout {
            return Ok(None);
        }
        let plan = limits.plan(profile, &[nothing]);
        let shown = |one: &P::Shown| (one.end(), one.printed());
        let mut before = shown(self.failing);
        // A program that never does the same twice says nothing about the guard.
        for is_first in [true, false] {
            let Some(patience) = self.time_limit.time_for(self.timeout) else {
                return Ok(None);
            };
            let now = shown(&self.program.run(&plan, patience)?);
            if (now == before) == is_first {
                return Ok(None);
            }
            before = now;
        }
        Ok(Some(
            "the command does something else where your files are read-only and /tmp, /run, /dev and the network are its own, as in runs with an intervention: --allow-writes runs it as you do"
                .to_owned(),
        ))
    }

    /// Whether a run finds what another one has found before it in the same tree: only then many can be carried out one after the other.
    pub(super) fn leaves_no_traces(
        &mut self,
        profile: &Profile,
        limits: &Limits,
    ) -> Result<bool, P::Stop> {
        let Some(nothing) = nothing(profile) else {
            return Ok(true);
        };
        let plan = limits.plan(profile, &[nothing.clone(), nothing]);
        let Some(patience) = self.time_limit.time_for(self.timeout * 3) else {
            return Ok(true);
        };
        let expected = self.right.expected();
        let runs = self.program.run_batches(&[plan], expected, patience)?;
        let Some(run) = runs.first() else {
            return Ok(true);
        };
        let shown = |one: &ResultRecord| (one.status, one.output, one.errors);
        Ok(match &run.results[..] {
            [first, second] => shown(first) == shown(second),
            // Whatever keeps the program from ending keeps both from it.
            _ => true,
        })
    }
}

/// An intervention that changes nothing, since no place is reached so often.
fn nothing(profile: &Profile) -> Option<Intervention> {
    let (place, _) = profile.log.first()?;
    Some(Intervention {
        process: 0,
        place: *place,
        instances: vec![u64::MAX],
        action: InterventionAction::Skip,
        way: Way::Skip,
        moment: 0,
    })
}
