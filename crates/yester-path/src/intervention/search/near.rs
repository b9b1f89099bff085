//! What the best interventions do on inputs near the user's.
//!
//! Nearly any value can be bent until one run is right. An intervention that stands for the cause also helps on other inputs that
//! fail, and leaves those alone that pass.

use std::ops::Range;

use yester_core::Outcome;

use super::limit::Limits;
use super::{ENOUGH_LINES, InterventionSearch, InterventionTarget, Right, has_enough};
use crate::intervention::{
    Effect, Intervention, InterventionAction, NearEvidence, PlaceKind, Profile, RankedLine,
    ResultRecord, Tried, in_best_order, rank,
};
use crate::program::{RunEnd, Shown};
use crate::value::ValueForm;

/// So many lines, the best, are tried on other inputs.
const MOST_LINES: usize = 48;
/// So many interventions of each.
const MOST_OF_LINE: usize = 6;
/// All of these are tried on so many inputs, and the best of each line on the others.
const FIRST_INPUTS: usize = 8;

/// An input near the user's.
#[derive(Clone, Debug)]
pub struct NearInput {
    /// What a right run on it looks like. Where nobody knows, what the program as it is does.
    pub right: Right,
    /// Whether the program as it is passes on it. Unresolved is where nobody knows.
    pub outcome: Outcome,
}

/// An intervention of a line, as it is tried on other inputs.
struct LastingOne {
    /// The line, by its place in the list.
    line: usize,
    /// What was done on the user's own input.
    own: Intervention,
    /// The same for good.
    lasting: Intervention,
}

/// What was done on inputs near the user's so far.
#[derive(Default)]
pub struct NearSearch {
    /// The inputs, once they were made. Failing ones come in turn with others.
    inputs: Option<Vec<NearInput>>,
    /// Interventions with what they did on the first inputs; nothing if they are not right for good on the user's own.
    known: Vec<(Intervention, Option<NearEvidence>)>,
    /// How many runs that took.
    pub runs: u64,
}

impl<P: InterventionTarget> InterventionSearch<'_, P> {
    /// Whether so many lines make the run right that others, for which less speaks, would not be shown. What does not help on other inputs too is
    /// chance.
    pub(super) fn has_enough(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        tried: &[Tried],
    ) -> Result<bool, P::Stop> {
        if !has_enough(profile, tried) {
            return Ok(false);
        }
        let mut ranked = rank(profile, tried, &self.blame);
        self.on_first_inputs(profile, limits, &mut ranked)?;
        let is_known = ranked.iter().any(|line| line.near.is_some());
        let right = ranked.iter().filter_map(|line| line.near);
        let right = right.filter(NearEvidence::is_all_right);
        Ok(!is_known || right.count() >= ENOUGH_LINES)
    }

    /// Tries the best lines on inputs near the user's, and puts them into the order that follows from that.
    pub(super) fn on_near_inputs(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        ranked: &mut [RankedLine],
    ) -> Result<(), P::Stop> {
        self.on_first_inputs(profile, limits, ranked)?;
        let best = ranked.iter().filter_map(|line| line.tried_near.clone());
        let best: Vec<Intervention> = best.collect();
        let evidence = self.try_on(profile, limits, &best, FIRST_INPUTS..usize::MAX)?;
        let tried = ranked.iter_mut().filter(|line| line.near.is_some());
        for (line, evidence) in tried.zip(evidence) {
            let all = line.near.map_or(evidence, |first| first.with(evidence));
            line.near = Some(all);
            line.features.set_near(&all);
        }
        ranked.sort_by(in_best_order);
        Ok(())
    }

    /// Tries the best interventions of the best lines on the first inputs. The best of each line becomes its first.
    fn on_first_inputs(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        ranked: &mut [RankedLine],
    ) -> Result<(), P::Stop> {
        if ranked.iter().all(|line| line.effect != Effect::Right) {
            return Ok(());
        }
        let inputs = self.near_inputs()?;
        if inputs.is_empty() {
            return Ok(());
        }
        // Where nobody knows what is right, none of a line's interventions can be called better than its first.
        let is_judged = inputs.iter().any(|one| one.outcome != Outcome::Unresolved);
        let most_of_line = if is_judged { usize::MAX } else { 1 };
        let mut lasting_ones: Vec<LastingOne> = Vec::new();
        let right = ranked.iter().enumerate();
        let right = right.filter(|(_, line)| line.effect == Effect::Right);
        for (line, RankedLine { right, .. }) in right.take(MOST_LINES) {
            let all = right.iter().take(most_of_line).flat_map(|one| {
                let lasting = lasting(profile, one).into_iter();
                lasting.map(|lasting| LastingOne {
                    line,
                    own: one.clone(),
                    lasting,
                })
            });
            lasting_ones.extend(all.take(MOST_OF_LINE));
        }
        let all = lasting_ones.iter().map(|one| one.lasting.clone()).collect();
        self.learn(profile, limits, all)?;
        for LastingOne { line, own, lasting } in lasting_ones {
            let mut known = self.near.known.iter();
            let Some((_, Some(evidence))) = known.find(|(one, _)| *one == lasting) else {
                continue;
            };
            let line = &mut ranked[line];
            line.features.add(profile, &lasting);
            if line
                .near
                .is_none_or(|known| known.share() < evidence.share())
            {
                line.near = Some(*evidence);
                line.features.set_near(evidence);
                line.tried_near = Some(lasting);
                line.right.retain(|one| *one != own);
                line.right.insert(0, own);
            }
        }
        Ok(())
    }

    /// The inputs, which are made when they are needed.
    fn near_inputs(&mut self) -> Result<&[NearInput], P::Stop> {
        if self.near.inputs.is_none() {
            let has_crashed = matches!(self.failing.end(), RunEnd::Signal(_));
            // Somebody who says how much may be done does not mean this.
            let inputs = match self.most {
                Some(_) => Vec::new(),
                None => self.program.near_inputs(has_crashed, self.timeout)?,
            };
            self.near.inputs = Some(inputs);
        }
        Ok(self.near.inputs.as_deref().unwrap_or_default())
    }

    /// Finds out what interventions do on the first inputs, as far as that is not known.
    fn learn(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        mut all: Vec<Intervention>,
    ) -> Result<(), P::Stop> {
        let known = &self.near.known;
        all.retain(|one| known.iter().all(|(known, _)| known != one));
        // What is tried on other inputs for good has to be right on the user's own input for good.
        let own = self.records(profile, &all, limits)?;
        self.near.runs += own.len() as u64;
        let right = self.right;
        let is_right = |record: &Option<ResultRecord>| {
            record.is_some_and(|record| right.effect(&record, None) == Effect::Right)
        };
        let is_right: Vec<bool> = own.iter().map(is_right).collect();
        let good = all.iter().zip(&is_right);
        let good: Vec<Intervention> = good
            .filter(|(_, is_right)| **is_right)
            .map(|(one, _)| one.clone())
            .collect();
        let mut evidence = self
            .try_on(profile, limits, &good, 0..FIRST_INPUTS)?
            .into_iter();
        let all = all.into_iter().zip(is_right);
        let learned = all.map(|(one, is_right)| {
            let evidence = if is_right { evidence.next() } else { None };
            (one, evidence)
        });
        self.near.known.extend(learned);
        Ok(())
    }

    /// What interventions do on some of the inputs.
    fn try_on(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        interventions: &[Intervention],
        inputs: Range<usize>,
    ) -> Result<Vec<NearEvidence>, P::Stop> {
        let mut evidence = vec![NearEvidence::default(); interventions.len()];
        let all = self.near.inputs.as_deref().unwrap_or_default();
        let inputs = inputs.start.min(all.len())..inputs.end.min(all.len());
        if interventions.is_empty() || inputs.is_empty() || !self.time_limit.goes_on() {
            return Ok(evidence);
        }
        let plan = limits.plan(profile, interventions);
        let answers =
            self.program
                .run_near(&plan, inputs.clone(), self.timeout * FIRST_INPUTS as u32)?;
        for (input, run) in all[inputs].iter().zip(answers) {
            let mut passes = vec![false; interventions.len()];
            for record in run.results {
                let Some(passes) = passes.get_mut(record.index as usize) else {
                    continue;
                };
                self.near.runs += 1;
                // An intervention that is not reached leaves everything as it is.
                let seen = ResultRecord {
                    applied: 1,
                    ..record
                };
                *passes = input.right.effect(&seen, None) == Effect::Right;
            }
            for (evidence, passes) in evidence.iter_mut().zip(passes) {
                evidence.add(input.outcome, passes);
            }
        }
        Ok(evidence)
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
