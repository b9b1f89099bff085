//! What the best interventions do on inputs near the user's.
//!
//! Nearly any value can be bent until one run is right. An intervention that stands for the cause also helps on other inputs that
//! fail, and leaves those alone that pass.

use yester_core::Outcome;

use super::limit::Limits;
use super::{InterventionSearch, InterventionTarget, Right};
use crate::intervention::{
    Effect, Intervention, InterventionAction, NearEvidence, PlaceKind, Profile, RankedLine,
    ResultRecord, in_best_order,
};
use crate::program::{RunEnd, Shown};
use crate::value::ValueForm;

/// So many lines, the best, are tried on other inputs.
const MOST_LINES: usize = 48;
/// So many interventions of each.
const MOST_OF_LINE: usize = 6;

/// An input near the user's.
#[derive(Clone, Debug)]
pub struct NearInput {
    /// What a right run on it looks like. Where nobody knows, what the program as it is does.
    pub right: Right,
    /// Whether the program as it is passes on it. Unresolved is where nobody knows.
    pub outcome: Outcome,
}

impl<P: InterventionTarget> InterventionSearch<'_, P> {
    /// Tries the best lines on inputs near the user's, and puts them into the order that follows from that.
    pub(super) fn on_near_inputs(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        ranked: &mut [RankedLine],
        runs: &mut u64,
    ) -> Result<(), P::Stop> {
        let lasting: Vec<(usize, Intervention)> = ranked
            .iter()
            .enumerate()
            .filter(|(_, line)| line.effect == Effect::Right)
            .take(MOST_LINES)
            .flat_map(|(index, line)| {
                let lasting = line.right.iter().flat_map(|one| lasting(profile, one));
                lasting.take(MOST_OF_LINE).map(move |one| (index, one))
            })
            .collect();
        if lasting.is_empty() || !self.time_limit.goes_on() {
            return Ok(());
        }
        let has_crashed = matches!(self.failing.end(), RunEnd::Signal(_));
        let inputs = self.program.near_inputs(has_crashed, self.timeout)?;
        if inputs.is_empty() {
            return Ok(());
        }
        let interventions: Vec<Intervention> = lasting.iter().map(|(_, one)| one.clone()).collect();
        // What is tried on other inputs for good has to be right on the user's own input for good.
        let own = self.records(profile, &interventions, limits)?;
        let is_right = |record: &Option<_>| {
            record.is_some_and(|record| self.right.effect(&record, None) == Effect::Right)
        };
        let good: Vec<&(usize, Intervention)> = lasting
            .iter()
            .zip(&own)
            .filter(|(_, record)| is_right(record))
            .map(|(one, _)| one)
            .collect();
        *runs += own.len() as u64;
        let mut evidence = vec![NearEvidence::default(); good.len()];
        let plan: Vec<Intervention> = good.iter().map(|(_, one)| one.clone()).collect();
        let plan = limits.plan(profile, &plan);
        let answers = self.program.run_near(&plan, self.timeout)?;
        for (input, run) in inputs.iter().zip(answers) {
            let mut is_right = vec![false; good.len()];
            for record in run.results {
                let Some(place) = is_right.get_mut(record.index as usize) else {
                    continue;
                };
                *runs += 1;
                // An intervention that is not reached leaves everything as it is.
                let seen = ResultRecord {
                    applied: 1,
                    ..record
                };
                *place = input.right.effect(&seen, None) == Effect::Right;
            }
            for (evidence, is_right) in evidence.iter_mut().zip(is_right) {
                evidence.add(input.outcome, is_right);
            }
        }
        for ((line, intervention), evidence) in good.into_iter().zip(evidence) {
            let line = &mut ranked[*line];
            if line
                .near
                .is_none_or(|known| known.share() < evidence.share())
            {
                line.near = Some(evidence);
                line.features.set_near(&evidence);
                line.right.retain(|one| one != intervention);
                line.right.insert(0, intervention.clone());
            }
        }
        ranked.sort_by(|one, other| in_best_order(one, other));
        Ok(())
    }
}

/// The same change for good, in the ways that other inputs may ask for. What happens once in this run is done whenever it happens.
fn lasting(profile: &Profile, intervention: &Intervention) -> Vec<Intervention> {
    let is_once = profile.counts.get(intervention.place) == Some(&1);
    let mut all = Vec::new();
    if let Some(more) = small_change(profile, intervention) {
        all.push(Intervention {
            instances: Vec::new(),
            action: InterventionAction::Add(more),
            ..intervention.clone()
        });
    }
    if intervention.instances.is_empty() || is_once {
        all.push(Intervention {
            instances: Vec::new(),
            ..intervention.clone()
        });
    }
    all
}

/// What is added to a whole number that becomes one more or one less.
fn small_change(profile: &Profile, intervention: &Intervention) -> Option<u64> {
    let place = &profile.places[intervention.place];
    let InterventionAction::Set(value) = intervention.action else {
        return None;
    };
    let ValueForm::Integer { bits, .. } = place.form else {
        return None;
    };
    let is_of_kind = matches!(place.kind, PlaceKind::Store | PlaceKind::Value);
    let (at, before) = profile.log.get(intervention.moment)?;
    let more = value.wrapping_sub(*before);
    let is_small = [1, u64::MAX]
        .iter()
        .any(|one| (one ^ more) << (64 - bits) == 0);
    (is_of_kind && bits > 1 && *at == intervention.place && is_small).then_some(more)
}
