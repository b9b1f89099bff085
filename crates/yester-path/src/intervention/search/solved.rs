//! Values that are computed from the output that is expected, instead of guessed.
//!
//! Each value of the run is followed in a program that records, to see with which number added to it the output would be right. What
//! that says is an intervention like any other, carried out in the program that only takes interventions.

use std::collections::BTreeSet;

use super::limit::Limits;
use super::{InterventionSearch, InterventionTarget};
use crate::intervention::{
    Effect, Intervention, InterventionAction, Profile, ResultRecord, SolverBudget, Step, StepError,
    Tried, by_printed_numbers, differing_numbers, followed, probes, steps, with_sum,
};
use crate::recording::Recording;
use crate::solver::SolverError;

/// So many executions are followed, fewer if the run is long: a recording takes as long as so many executions of places.
const MOST_FOLLOWED: usize = 160;
const MOST_EXECUTIONS: usize = 4_000_000;
const FEWEST_FOLLOWED: usize = 8;
/// So many runs follow one execution, each with another number.
const MOST_RUNS: usize = 6;
/// So many executions are followed where the run goes another way.
const MOST_LEFT: usize = 40;

/// What is done meanwhile, in words.
const FOLLOWING: &str = "following values to what is printed";
/// So many runs are made between two looks at the clock.
const WAVE: usize = 8;

/// How values are computed.
pub struct Solving<'f> {
    /// How the solver is asked.
    pub budget: SolverBudget<'f>,
    /// What the failing run prints.
    pub printed: Vec<u8>,
}

/// A run that is to be recorded.
struct Wanted {
    /// The execution, by its place among all that are followed.
    target: usize,
    /// What is added to the value.
    added: u64,
}

impl<P: InterventionTarget> InterventionSearch<'_, P> {
    /// Computes values, and carries out what they say. Gives how many runs that took beside those that were tried.
    pub(super) fn solve(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        tried: &mut Vec<Tried>,
    ) -> Result<u64, P::Stop> {
        // Each execution takes some runs to see whether it matters.
        let most = self.left(tried) / (MOST_RUNS + 4);
        if most == 0 || self.solving.is_none() || self.has_enough(profile, limits, tried)? {
            return Ok(0);
        }
        let Some(mut solving) = self.solving.take() else {
            return Ok(0);
        };
        let mut targets = self.that_matter(profile, limits, most)?;
        let mut runs = targets.runs;
        if let Some(numbers) = differing_numbers(&solving.printed, self.right.expected()) {
            let all: Vec<Intervention> = targets
                .interventions
                .iter()
                .flat_map(|one| by_printed_numbers(profile, one, numbers))
                .collect();
            self.in_batches(profile, &all, limits, tried)?;
        }
        // What is known to be right at an execution needs no computing there.
        let key = |one: &Intervention| (one.place, one.instances.clone());
        let right = tried.iter().filter(|one| one.effect == Effect::Right);
        let right: BTreeSet<(usize, Vec<u64>)> = right.map(|one| key(&one.intervention)).collect();
        targets
            .interventions
            .retain(|one| !right.contains(&key(one)));
        let affordable = MOST_EXECUTIONS / profile.log.len().max(1);
        let most = affordable.clamp(FEWEST_FOLLOWED, MOST_FOLLOWED);
        targets.interventions.truncate(most);
        let (solved, followed) = solving.sums(self, profile, limits, &targets.interventions)?;
        runs += followed;
        self.in_batches(profile, &solved, limits, tried)?;
        self.solving = Some(solving);
        Ok(runs)
    }

    /// The executions at which another value changes what the program prints, or how it ends.
    fn that_matter(
        &mut self,
        profile: &Profile,
        limits: &Limits,
        most: usize,
    ) -> Result<Targets, P::Stop> {
        let mut all = followed(profile);
        all.truncate(most);
        let Some(first) = all.first() else {
            return Ok(Targets::default());
        };
        // No place is reached so often: nothing is changed.
        let nothing = Intervention {
            instances: vec![u64::MAX],
            ..first.clone()
        };
        let mut probing = vec![nothing];
        // The target of each probe.
        let mut target_of = Vec::new();
        for (target, one) in all.iter().enumerate() {
            let probes = probes(profile, one);
            target_of.extend(probes.iter().map(|_| target));
            probing.extend(probes);
        }
        let records = self.records(profile, &probing, limits)?;
        let shown = |one: &ResultRecord| (one.status, one.flags, one.output_bytes, one.output);
        // Without time there are none.
        let Some((before, records)) = records.split_first() else {
            return Ok(Targets::default());
        };
        let before = before.as_ref().map(shown);
        let mut matters = vec![false; all.len()];
        for (target, record) in target_of.into_iter().zip(records) {
            matters[target] |= record.as_ref().map(shown) != before;
        }
        let kept = all.into_iter().zip(matters).filter(|(_, matters)| *matters);
        Ok(Targets {
            interventions: kept.map(|(intervention, _)| intervention).collect(),
            runs: records.len() as u64 + 1,
        })
    }
}

#[derive(Default)]
struct Targets {
    interventions: Vec<Intervention>,
    /// How many runs it took to find them.
    runs: u64,
}

impl Solving<'_> {
    /// Follows executions, and gives what would be right at them with how many runs that took.
    fn sums<P: InterventionTarget>(
        &mut self,
        of: &mut InterventionSearch<'_, P>,
        profile: &Profile,
        limits: &Limits,
        targets: &[Intervention],
    ) -> Result<(Vec<Intervention>, u64), P::Stop> {
        let mut known: Vec<BTreeSet<u64>> = vec![BTreeSet::from([0]); targets.len()];
        let mut is_done = vec![false; targets.len()];
        let mut open: Vec<Wanted> = (0..targets.len())
            .map(|target| Wanted { target, added: 0 })
            .collect();
        let (mut solved, mut runs) = (Vec::new(), 0);
        while !open.is_empty() && of.time_limit.goes_on() {
            let plans: Vec<String> = open
                .iter()
                .map(|one| {
                    let followed = Intervention {
                        action: InterventionAction::Add(one.added),
                        ..targets[one.target].clone()
                    };
                    limits.plan(profile, &[followed])
                })
                .collect();
            of.program.begin(FOLLOWING, open.len());
            let mut found: Vec<Vec<Step>> = vec![Vec::new(); open.len()];
            let (budget, expected) = (&mut self.budget, of.right.expected());
            for (wave, plans) in plans.chunks(WAVE).enumerate() {
                let limit = &of.time_limit;
                let patience = limit.time_for(of.timeout).filter(|_| limit.goes_on());
                let Some(patience) = patience else {
                    break;
                };
                runs += plans.len();
                let mut take = |index: usize, recording: &Recording| -> Result<(), SolverError> {
                    let index = wave * WAVE + index;
                    let Wanted { target, added } = open[index];
                    let leaves = target < MOST_LEFT;
                    match steps(recording, added, expected, budget, leaves) {
                        Ok(steps) => found[index] = steps,
                        // A program that was killed leaves half a recording.
                        Err(StepError::Recording(_)) => {}
                        Err(StepError::Solver(error)) => return Err(error),
                    }
                    Ok(())
                };
                of.program.follow(plans, patience, &mut take)?;
            }
            let mut next: Vec<Wanted> = Vec::new();
            for (one, steps) in open.iter().zip(found) {
                for step in steps {
                    match step {
                        Step::Right(sum) => {
                            is_done[one.target] = true;
                            solved.push(with_sum(profile, &targets[one.target], sum));
                        }
                        Step::Leave(sum) => {
                            let known = &mut known[one.target];
                            if known.len() < MOST_RUNS && known.insert(sum) {
                                // The run itself may be right.
                                solved.push(with_sum(profile, &targets[one.target], sum));
                                next.push(Wanted {
                                    target: one.target,
                                    added: sum,
                                });
                            }
                        }
                    }
                }
            }
            next.retain(|one| !is_done[one.target]);
            open = next;
        }
        Ok((solved, runs as u64))
    }
}
