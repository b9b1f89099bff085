//! Runs on the user's input in which one thing is done otherwise.

use std::time::{Duration, Instant};

use yester_path::forced::{
    Effort, Experiment, Profile, RankedLine, Tried, experiments, plan_text, rank,
};

use super::right::Right;
use crate::failure::Failure;
use crate::progress::Doing;
use crate::record::{ForcedRun, Forcer, Forcing};

/// So many experiments go into one run of the server. The number has nothing to do with the number of jobs, so that neither have
/// the results.
const BATCH: usize = 250;
/// So many branches more than the failing run a forced one may take, and so many times more.
const MORE_BRANCHES: u64 = 10_000_000;
const TIMES_BRANCHES: u64 = 100;
/// So many places are confirmed, the best ones.
const MOST_CONFIRMED: usize = 12;
/// So many experiments of a place are tried until one holds.
const MOST_ATTEMPTS: usize = 4;

/// What the experiments have shown.
#[derive(Default)]
pub struct ForcedFindings {
    pub profile: Profile,
    /// Lines at which something done otherwise makes the run right, the best first, each with the experiment that was confirmed.
    pub lines: Vec<ConfirmedLine>,
    /// How many more there are.
    pub left: usize,
    /// How many runs there were, with those that confirm.
    pub runs: u64,
}

/// A line whose best experiment was seen to be right in a clean tree.
pub struct ConfirmedLine {
    pub line: RankedLine,
    pub experiment: Experiment,
}

/// Carries out experiments.
pub struct Experiments<'a, 'f> {
    pub forcer: &'f mut Forcer<'a>,
    pub right: &'a Right,
    /// How long one run may take.
    pub timeout: Duration,
    /// When to stop.
    pub deadline: Option<Instant>,
    pub most: Option<usize>,
    pub doing: &'a Doing,
}

/// How many experiments there are if nobody says otherwise.
const MOST_IN_BATCHES: usize = 5000;
const MOST_IN_TRIALS: usize = 300;

impl Experiments<'_, '_> {
    /// Carries out as many as the effort allows. `serves` says whether the command is the program itself, so that it can carry out many at once.
    pub fn carry_out(&mut self, profile: Profile, serves: bool) -> Result<ForcedFindings, Failure> {
        let most = match serves {
            true => MOST_IN_BATCHES,
            false => MOST_IN_TRIALS,
        };
        let effort = Effort {
            experiments: self.most.unwrap_or(most),
            branch_instances: 24,
            value_instances: 6,
        };
        let (all, mut left) = experiments(&profile, &effort);
        let branches = profile.log.len() as u64;
        let fuel = branches
            .saturating_mul(TIMES_BRANCHES)
            .saturating_add(MORE_BRANCHES);
        let limits = Limits {
            fuel,
            patience: self.timeout.as_millis() as u64,
        };
        let mut tried: Vec<Tried> = Vec::new();
        match serves {
            true => self.in_batches(&profile, &all, &limits, &mut tried)?,
            false => self.one_by_one(&profile, &all, &limits, &mut tried)?,
        }
        left += all.len() - tried.len();
        let mut runs = tried.len() as u64;
        let lines = self.confirm(&profile, rank(&profile, &tried), &limits, &mut runs)?;
        Ok(ForcedFindings {
            profile,
            lines,
            left,
            runs,
        })
    }

    /// Whether there is time for more.
    fn goes_on(&self) -> bool {
        self.deadline
            .is_none_or(|deadline| Instant::now() < deadline)
    }

    /// The program itself carries them out, many in each run.
    fn in_batches(
        &mut self,
        profile: &Profile,
        all: &[Experiment],
        limits: &Limits,
        tried: &mut Vec<Tried>,
    ) -> Result<(), Failure> {
        let batches: Vec<&[Experiment]> = all.chunks(BATCH).collect();
        let text = |batch: &&[Experiment]| limits.plan(profile, batch);
        let plans: Vec<String> = batches.iter().map(text).collect();
        let patience = self.timeout * BATCH as u32 + Duration::from_secs(10);
        let mut results: Vec<Vec<Tried>> = vec![Vec::new(); batches.len()];
        // As many at once as there may be between two looks at the clock.
        let wave = 4;
        for first in (0..batches.len()).step_by(wave) {
            if !self.goes_on() {
                break;
            }
            let end = (first + wave).min(batches.len());
            let wanted: Vec<Forcing<'_>> = plans[first..end]
                .iter()
                .map(|plan| Forcing::Batch(plan))
                .collect();
            let right = self.right;
            self.doing.say(&format!(
                "doing one thing otherwise: {} of {}",
                first * BATCH,
                all.len()
            ));
            self.forcer.run_all(&wanted, patience, |index, run| {
                let batch = batches[first + index];
                results[first + index] = outcomes(batch, &run, right);
                Ok(())
            })?;
        }
        tried.extend(results.into_iter().flatten());
        Ok(())
    }

    /// Each experiment is a run of the test.
    fn one_by_one(
        &mut self,
        profile: &Profile,
        all: &[Experiment],
        limits: &Limits,
        tried: &mut Vec<Tried>,
    ) -> Result<(), Failure> {
        let wave = 8;
        for (number, batch) in all.chunks(wave).enumerate() {
            if !self.goes_on() {
                break;
            }
            self.doing.say(&format!(
                "doing one thing otherwise: {} of {}",
                number * wave,
                all.len()
            ));
            let plans: Vec<String> = batch
                .iter()
                .map(|one| limits.plan(profile, &[*one]))
                .collect();
            let wanted: Vec<Forcing<'_>> =
                plans.iter().map(|plan| Forcing::Experiment(plan)).collect();
            let mut answers = vec![false; batch.len()];
            let right = self.right;
            self.forcer.run_all(&wanted, self.timeout, |index, run| {
                answers[index] = right.holds(&run.observation);
                Ok(())
            })?;
            let pairs = batch.iter().zip(answers);
            tried.extend(pairs.map(|(experiment, is_right)| Tried {
                experiment: *experiment,
                is_right,
            }));
        }
        Ok(())
    }

    /// Runs the best experiments of the best lines again, each in a clean tree. What is not right again is left out.
    fn confirm(
        &mut self,
        profile: &Profile,
        lines: Vec<RankedLine>,
        limits: &Limits,
        runs: &mut u64,
    ) -> Result<Vec<ConfirmedLine>, Failure> {
        let mut confirmed = Vec::new();
        for line in lines {
            if confirmed.len() == MOST_CONFIRMED {
                break;
            }
            let mut found = None;
            for experiment in line.right.iter().take(MOST_ATTEMPTS) {
                let plan = limits.plan(profile, &[*experiment]);
                let run = self.forcer.run(Forcing::Experiment(&plan), self.timeout)?;
                *runs += 1;
                if self.right.holds(&run.observation) {
                    found = Some(*experiment);
                    break;
                }
            }
            if let Some(experiment) = found {
                confirmed.push(ConfirmedLine { line, experiment });
            }
        }
        Ok(confirmed)
    }
}

/// How far a forced run may go.
struct Limits {
    fuel: u64,
    patience: u64,
}

impl Limits {
    fn plan(&self, profile: &Profile, experiments: &[Experiment]) -> String {
        plan_text(profile, experiments, self.fuel, self.patience)
    }
}

/// What a batch has shown. Experiments without a record were not carried out: they are not right.
fn outcomes(batch: &[Experiment], run: &ForcedRun, right: &Right) -> Vec<Tried> {
    let mut tried: Vec<Tried> = batch
        .iter()
        .map(|experiment| Tried {
            experiment: *experiment,
            is_right: false,
        })
        .collect();
    for record in &run.results {
        if let Some(one) = tried.get_mut(record.index as usize) {
            one.is_right = right.holds_for(record);
        }
    }
    tried
}
