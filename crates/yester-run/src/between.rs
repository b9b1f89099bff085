//! The baseline of two versions: one has to pass, the other to fail.

use std::collections::BTreeSet;
use std::fmt;

use yester_core::{Candidate, Outcome, Stop};

use crate::baseline::{
    PATIENCE, RUNS_WHEN_FLAKY, cannot_run, failing, is_flaky, is_unresolved, reading, repeat, seen,
    set_limits, spent,
};
use crate::workbench::Condition;
use crate::{
    Baseline, Ending, ExitMeaning, Expectation, Judge, Laboratory, Repeat, Stage, Subject, Trial,
    Why, Workbench,
};

/// What the runs of a version that works and of one that does not have established.
#[derive(Clone, Debug)]
pub struct Between {
    /// How later runs are read and repeated.
    pub baseline: Baseline,
    /// A run of the version that fails.
    pub bad: Trial,
    /// A run of the version that passes.
    pub good: Trial,
    /// Which files of the two trees the builds and tests have read, where the file system tells.
    ///
    /// It says nothing about files that are only looked for, nor about what is not built since the user's tree has
    /// the product already.
    pub read: Option<BTreeSet<String>>,
    /// Whether a tree that was built in before gives the same answers as a new one.
    pub warm: bool,
}

/// Why two versions cannot be searched.
#[derive(Debug, thiserror::Error)]
pub enum BetweenError {
    /// They do not answer as promised.
    #[error(transparent)]
    Misfit(Box<Misfit>),
    /// The search was stopped.
    #[error(transparent)]
    Stop(#[from] Stop),
}

/// Two versions that do not answer as promised.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct Misfit {
    /// What is wrong with them.
    pub fault: Fault,
    /// The run of the failing version that shows it.
    pub bad: Trial,
    /// The run of the passing version that shows it.
    pub good: Trial,
}

/// What can be wrong with two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The build fails.
    Build(Side),
    /// The command, or one that it calls, is missing or not executable.
    CannotRun(Side),
    /// The test says that it has no answer, or takes too long.
    Unresolved(Side),
    /// The bad version passes, and the good one too.
    BadPasses,
    /// The bad version fails, but not as the user has said.
    BadFailsOtherwise,
    /// The good version fails as the bad one does.
    GoodFails,
    /// The good version fails in another way.
    GoodFailsOtherwise,
    /// The good version fails and the bad one passes.
    Swapped,
    /// The same is built of both, so that it cannot be what makes the difference.
    SameProduct,
}

/// Which of two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The one that should pass.
    Good,
    /// The one that should fail.
    Bad,
    /// Both.
    Both,
}

impl Side {
    fn of(good: bool, bad: bool) -> Option<Side> {
        match (good, bad) {
            (true, true) => Some(Side::Both),
            (true, false) => Some(Side::Good),
            (false, true) => Some(Side::Bad),
            (false, false) => None,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Side::Good => "the good version",
            Side::Bad => "the bad version",
            Side::Both => "both versions",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Build(side) => write!(formatter, "the build fails on {side}"),
            Fault::CannotRun(side) => write!(formatter, "the command cannot be run on {side}"),
            Fault::Unresolved(side) => write!(formatter, "the test gives no answer for {side}"),
            Fault::BadPasses => formatter.write_str("the bad version passes"),
            Fault::BadFailsOtherwise => {
                formatter.write_str("the bad version does not fail in the way that was asked for")
            }
            Fault::GoodFails => formatter.write_str("the good version fails as the bad one does"),
            Fault::GoodFailsOtherwise => {
                formatter.write_str("the good version fails in a way of its own")
            }
            Fault::Swapped => formatter.write_str("the good version fails and the bad one passes"),
            Fault::SameProduct => {
                formatter.write_str("the same product is built of both versions, yet one fails")
            }
        }
    }
}

/// How often each version is run at first. One more run of the failing one follows in a tree that was built in.
const RUNS: usize = 1;
/// How often the passing version is run when there is a doubt.
const RUNS_IN_DOUBT: usize = 2;

impl Between {
    /// Runs both versions in clean trees, and the failing one once more in a tree that was built in, and settles how later runs are read.
    /// Exit 0 is a pass.
    pub fn establish(
        workbench: &mut Workbench,
        bad: &Candidate,
        good: &Candidate,
        expectation: &Expectation,
    ) -> Result<Between, BetweenError> {
        let expectation = &Expectation {
            exit: Some(ExitMeaning::Passing),
            ..expectation.clone()
        };
        let is_tree = matches!(*workbench.subject, Subject::Tree { .. });
        let condition = if is_tree {
            Condition::Watched
        } else {
            Condition::Fresh
        };
        let observe = |workbench: &mut Workbench, candidate, times| {
            workbench.observe(candidate, Why::Baseline, condition, times, None)
        };
        set_limits(workbench, &[], expectation);
        let mut bads = observe(workbench, bad, RUNS.max(expectation.repeat.unwrap_or(1)))?;
        let mut goods = observe(workbench, good, RUNS)?;
        if let Some(misfit) = unusable(&bads, &goods, expectation) {
            return Err(misfit);
        }
        let passing = ExitMeaning::Passing;
        let failures = failing(&bads, passing, expectation);
        if expectation.doubtful || failures.is_empty() || is_flaky(&failures, &bads) {
            observe_longer(workbench, bad, condition, &mut bads)?;
        }
        let failures = failing(&bads, passing, expectation);
        let Some(reading) = reading(&failures, passing, expectation) else {
            return Err(not_failing(&bads, &goods, expectation));
        };
        let judge = Judge {
            reading,
            timeout_fails: expectation.timeout_fails,
            names: expectation.names.clone(),
        };
        let outcome = |trial: &Trial| judge.judge(seen(trial)).outcome;
        let count = |trials: &[Trial]| {
            let fails = |trial: &&Trial| outcome(trial) == Outcome::Fail;
            trials.iter().filter(fails).count()
        };

        let (mut warm, mut warmed) = (true, Vec::new());
        if is_tree && count(&bads) == bads.len() {
            // After the good version, so that this is an incremental build.
            warmed = workbench.observe(bad, Why::Warmth, Condition::Warm, 1, None)?;
            if warmed.iter().map(outcome).any(|seen| seen != Outcome::Fail) {
                observe_longer(workbench, bad, condition, &mut bads)?;
                goods.extend(observe(workbench, good, RUNS_IN_DOUBT)?);
                warm = count(&bads) < bads.len();
            }
        }
        let failures = count(&bads);
        let repeat = repeat(failures, bads.len(), expectation);
        let shown = |trials: &[Trial], wanted| {
            let shows = |trial: &&Trial| outcome(trial) == wanted;
            trials.iter().find(shows).unwrap_or(&trials[0]).clone()
        };
        let bad_trial = shown(&bads, Outcome::Fail);
        loop {
            let runs: Vec<Outcome> = goods.iter().map(outcome).collect();
            let fault = match repeat.decide(&runs) {
                // One pass is enough to go on, but not against what other runs have shown.
                Some(Outcome::Pass) if repeat != Repeat::Once => break,
                Some(Outcome::Pass) if runs.iter().all(|run| *run == Outcome::Pass) => break,
                Some(Outcome::Pass) if runs.contains(&Outcome::Unresolved) => {
                    Fault::Unresolved(Side::Good)
                }
                Some(Outcome::Pass) => Fault::GoodFails,
                Some(Outcome::Fail) => Fault::GoodFails,
                Some(Outcome::Unresolved) if goods.iter().all(is_unresolved) => {
                    Fault::Unresolved(Side::Good)
                }
                Some(Outcome::Unresolved) => Fault::GoodFailsOtherwise,
                None => {
                    goods.extend(observe(workbench, good, 1)?);
                    continue;
                }
            };
            let good_trial = shown(
                &goods,
                match fault {
                    Fault::GoodFails => Outcome::Fail,
                    _ => Outcome::Unresolved,
                },
            );
            return Err(misfit(fault, &bad_trial, &good_trial));
        }
        let good_trial = shown(&goods, Outcome::Pass);
        if bad_trial.product.is_some() && bad_trial.product == good_trial.product {
            return Err(misfit(Fault::SameProduct, &bad_trial, &good_trial));
        }

        let (timeout, slowest) = set_limits(workbench, &[&bads, &goods], expectation);
        let all = || bads.iter().chain(&goods).chain(&warmed);
        for trial in all().filter(|trial| !trial.replayed) {
            workbench.counts.add(outcome(trial));
        }
        let watched = bads
            .iter()
            .chain(&goods)
            .map(|trial| seen(trial).read.clone());
        let read = watched.collect::<Option<Vec<_>>>();
        let trials = all().count() as u64;
        Ok(Between {
            bad: bad_trial,
            good: good_trial,
            read: read.map(|sets| sets.into_iter().flatten().collect()),
            warm,
            baseline: Baseline {
                repeat,
                runs: bads.len(),
                failures,
                timeout,
                slowest,
                trials,
                empty: Outcome::Pass,
                judge,
            },
        })
    }

    /// Tells a lab what is known of both versions, and how it has to run the others.
    pub fn teach(&self, laboratory: &mut Laboratory, bad: &Candidate, good: &Candidate) {
        for (candidate, trial, outcome) in [
            (bad, &self.bad, Outcome::Fail),
            (good, &self.good, Outcome::Pass),
        ] {
            laboratory.remember(candidate, outcome);
            if let Some(product) = &trial.product {
                laboratory.remember_product(product, trial.ending.clone(), outcome);
            }
        }
        if !self.warm {
            laboratory.always_fresh();
        }
    }
}

/// The failure may show only now and then.
fn observe_longer(
    workbench: &mut Workbench,
    bad: &Candidate,
    condition: Condition,
    trials: &mut Vec<Trial>,
) -> Result<(), Stop> {
    while trials.len() < RUNS_WHEN_FLAKY && spent(trials) < PATIENCE {
        trials.extend(workbench.observe(bad, Why::Baseline, condition, 1, None)?);
    }
    Ok(())
}

fn misfit(fault: Fault, bad: &Trial, good: &Trial) -> BetweenError {
    BetweenError::Misfit(Box::new(Misfit {
        fault,
        bad: bad.clone(),
        good: good.clone(),
    }))
}

/// What keeps the test itself from giving answers.
fn unusable(bads: &[Trial], goods: &[Trial], expectation: &Expectation) -> Option<BetweenError> {
    let (bad, good) = (&bads[0], &goods[0]);
    let both = |holds: fn(&Trial) -> bool| Side::of(holds(good), bads.iter().all(holds));
    let has_failed_build = |trial: &Trial| trial.stage == Stage::Build;
    if let Some(side) = both(has_failed_build) {
        return Some(misfit(Fault::Build(side), bad, good));
    }
    if !expectation.rules.is_empty() {
        return None;
    }
    let side = both(cannot_run)?;
    Some(misfit(Fault::CannotRun(side), bad, good))
}

fn not_failing(bads: &[Trial], goods: &[Trial], expectation: &Expectation) -> BetweenError {
    let (bad, good) = (&bads[0], &goods[0]);
    let fault = if bads.iter().all(is_unresolved) {
        Fault::Unresolved(match is_unresolved(good) {
            true => Side::Both,
            false => Side::Bad,
        })
    } else if bads.iter().all(|trial| trial.ending != Ending::Exit(0)) {
        Fault::BadFailsOtherwise
    } else if !failing(goods, ExitMeaning::Passing, expectation).is_empty() {
        Fault::Swapped
    } else if good.ending != Ending::Exit(0) && !is_unresolved(good) {
        Fault::GoodFailsOtherwise
    } else {
        Fault::BadPasses
    };
    misfit(fault, bad, good)
}
