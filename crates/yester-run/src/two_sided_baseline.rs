//! The baseline of two versions: one has to pass, the other to fail.

use std::collections::BTreeSet;
use std::fmt;

use yester_core::{Candidate, Outcome, Stop};

use crate::baseline::{
    PATIENCE, RUNS_WHEN_FLAKY, cannot_run, failing, held, is_flaky, is_unresolved, messages,
    reading, repeat, seen, set_limits, spent,
};
use crate::output_line::{Printed, shape};
use crate::runner::{Freshness, ObservationRequest};
use crate::{
    Baseline, BestSoFar, CommandLab, Ending, ExitMeaning, Expectation, FailureOutput, Judge,
    Reading, Repeat, Runner, SameFailure, Signature, Stage, Subject, Trial, Why,
};

/// What the runs of a version that works and of one that does not have established.
#[derive(Clone, Debug)]
pub struct TwoSidedBaseline {
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
pub enum TwoSidedError {
    /// They do not answer as promised.
    #[error(transparent)]
    Mismatch(Box<BaselineMismatch>),
    /// The search was stopped.
    #[error(transparent)]
    Stop(#[from] Stop),
}

/// Two versions that do not answer as promised.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{mismatch}")]
pub struct BaselineMismatch {
    /// What is wrong with them.
    pub mismatch: Mismatch,
    /// The run of the failing version that shows it.
    pub bad: Trial,
    /// The run of the passing version that shows it.
    pub good: Trial,
}

/// What can be wrong with two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The build fails.
    Build(VersionSide),
    /// The command, or one that it calls, is missing or not executable.
    CannotRun(VersionSide),
    /// The test says that it has no answer, or takes too long.
    Unresolved(VersionSide),
    /// The bad version passes, and the good one too.
    BadPasses,
    /// The bad version fails, but not as the user has said.
    BadFailsDifferently,
    /// The good version fails as the bad one does.
    GoodFails,
    /// The good version fails in another way.
    GoodFailsDifferently,
    /// The good version fails and the bad one passes.
    Swapped,
    /// The build does not make a product that the user has named.
    Unmade,
    /// The same is built of both, so that it cannot be what makes the difference.
    SameProduct,
}

/// Which of two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionSide {
    /// The one that should pass.
    Good,
    /// The one that should fail.
    Bad,
    /// Both.
    Both,
}

impl VersionSide {
    fn of(good: bool, bad: bool) -> Option<VersionSide> {
        match (good, bad) {
            (true, true) => Some(VersionSide::Both),
            (true, false) => Some(VersionSide::Good),
            (false, true) => Some(VersionSide::Bad),
            (false, false) => None,
        }
    }
}

impl fmt::Display for VersionSide {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            VersionSide::Good => "the good version",
            VersionSide::Bad => "the bad version",
            VersionSide::Both => "both versions",
        })
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Build(side) => write!(formatter, "the build fails on {side}"),
            Mismatch::CannotRun(side) => write!(formatter, "the command cannot be run on {side}"),
            Mismatch::Unresolved(side) => write!(formatter, "the test gives no answer for {side}"),
            Mismatch::BadPasses => formatter.write_str("the bad version passes"),
            Mismatch::BadFailsDifferently => {
                formatter.write_str("the bad version does not fail in the way that was asked for")
            }
            Mismatch::GoodFails => {
                formatter.write_str("the good version fails as the bad one does")
            }
            Mismatch::GoodFailsDifferently => {
                formatter.write_str("the good version fails in a way of its own")
            }
            Mismatch::Swapped => {
                formatter.write_str("the good version fails and the bad one passes")
            }
            Mismatch::Unmade => formatter.write_str("the build does not make what --product names"),
            Mismatch::SameProduct => {
                formatter.write_str("the same product is built of both versions, yet one fails")
            }
        }
    }
}

/// How often each version is run at first. One more run of the failing one follows in a tree that was built in.
const RUNS: usize = 1;
/// How often the passing version is run when there is a doubt.
const RUNS_IN_DOUBT: usize = 2;

impl TwoSidedBaseline {
    /// Runs both versions in clean trees, and the failing one once more in a tree that was built in, and settles how later runs are read.
    /// Exit 0 is a pass.
    pub fn establish(
        runner: &mut Runner,
        bad: &Candidate,
        good: &Candidate,
        expectation: &Expectation,
    ) -> Result<TwoSidedBaseline, TwoSidedError> {
        let expectation = &Expectation {
            exit: Some(ExitMeaning::Passing),
            ..expectation.clone()
        };
        let is_tree = matches!(*runner.subject, Subject::Tree { .. });
        let freshness = if is_tree {
            Freshness::CleanAndWatched
        } else {
            Freshness::Clean
        };
        let request = |candidate, times| ObservationRequest {
            candidate,
            why: Why::Baseline,
            freshness,
            times,
            worker: 0,
        };
        let observe = |runner: &mut Runner, candidate, times| {
            runner.observe(candidate, Why::Baseline, freshness, times, None)
        };
        set_limits(runner, &[], expectation);
        let of_bad = request(bad, RUNS.max(expectation.repeat.unwrap_or(1)));
        let both = runner.observe_all(&[of_bad, request(good, RUNS)], None)?;
        let [mut bads, mut goods] =
            <[Vec<Trial>; 2]>::try_from(both).expect("one list of runs for each request");
        if let Some(mismatch) = unusable(&bads, &goods, expectation) {
            return Err(mismatch);
        }
        let passing = ExitMeaning::Passing;
        let failures = failing(&bads, passing, expectation);
        if expectation.doubtful || failures.is_empty() || is_flaky(&failures, &bads) {
            observe_longer(runner, bad, freshness, &mut bads)?;
        }
        let failures = failing(&bads, passing, expectation);
        let Some(mut judge) = judge_of(&failures, &goods, expectation) else {
            return Err(not_failing(&bads, &goods, expectation));
        };

        let (mut warm, mut warmed) = (true, Vec::new());
        if is_tree && fails_always(&judge, &bads) {
            // On the worker that ran the good version, so that this is an incremental build.
            let after_good = ObservationRequest {
                candidate: bad,
                why: Why::Warmth,
                freshness: Freshness::Reused,
                times: 1,
                worker: 1,
            };
            warmed = runner.observe_all(&[after_good], None)?.concat();
            // What varies between the two runs says nothing about the failure.
            let twice = [bads.clone(), warmed.clone()].concat();
            let wider = judge_of(&failing(&twice, passing, expectation), &goods, expectation);
            judge = wider
                .filter(|wider| headline(wider) == headline(&judge))
                .unwrap_or(judge);
            if !fails_always(&judge, &warmed) {
                observe_longer(runner, bad, freshness, &mut bads)?;
                goods.extend(observe(runner, good, RUNS_IN_DOUBT)?);
                let failures = failing(&bads, passing, expectation);
                judge = judge_of(&failures, &goods, expectation).unwrap_or(judge);
                warm = !fails_always(&judge, &bads);
            }
        }
        let outcome = |trial: &Trial| judge.judge(seen(trial)).outcome;
        let count = |trials: &[Trial]| {
            let fails = |trial: &&Trial| outcome(trial) == Outcome::Fail;
            trials.iter().filter(fails).count()
        };
        let failures = count(&bads);
        let repeat = repeat(failures, bads.len(), expectation);
        let shown = |trials: &[Trial], wanted| {
            let shows = |trial: &&Trial| outcome(trial) == wanted;
            trials.iter().find(shows).unwrap_or(&trials[0]).clone()
        };
        let bad_trial = shown(&bads, Outcome::Fail);
        loop {
            let runs: Vec<Outcome> = goods.iter().map(outcome).collect();
            let mismatch = match repeat.decide(&runs) {
                // One pass is enough to go on, but not against what other runs have shown.
                Some(Outcome::Pass) if repeat != Repeat::Once => break,
                Some(Outcome::Pass) if runs.iter().all(|run| *run == Outcome::Pass) => break,
                Some(Outcome::Pass) if runs.contains(&Outcome::Unresolved) => {
                    Mismatch::Unresolved(VersionSide::Good)
                }
                Some(Outcome::Pass) => Mismatch::GoodFails,
                Some(Outcome::Fail) => Mismatch::GoodFails,
                Some(Outcome::Unresolved) if goods.iter().all(is_unresolved) => {
                    Mismatch::Unresolved(VersionSide::Good)
                }
                Some(Outcome::Unresolved) => Mismatch::GoodFailsDifferently,
                None => {
                    goods.extend(observe(runner, good, 1)?);
                    continue;
                }
            };
            let good_trial = shown(
                &goods,
                match mismatch {
                    Mismatch::GoodFails => Outcome::Fail,
                    _ => Outcome::Unresolved,
                },
            );
            return Err(refuse(mismatch, &bad_trial, &good_trial));
        }
        let good_trial = shown(&goods, Outcome::Pass);
        if bad_trial.product.is_some() && bad_trial.product == good_trial.product {
            return Err(refuse(Mismatch::SameProduct, &bad_trial, &good_trial));
        }

        let (timeout, slowest) = set_limits(runner, &[&bads, &goods], expectation);
        let all = || bads.iter().chain(&goods).chain(&warmed);
        for trial in all() {
            runner.session.counts.add(outcome(trial));
        }
        let watched = bads
            .iter()
            .chain(&goods)
            .map(|trial| seen(trial).read.clone());
        let read = watched.collect::<Option<Vec<_>>>();
        let trials = all().count() as u64;
        Ok(TwoSidedBaseline {
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
                held: held(&failing(&bads, passing, expectation), expectation),
                messages: messages(&bads[0]),
                judge,
            },
        })
    }

    /// Tells a lab what is known of both versions.
    pub fn teach<B: BestSoFar>(&self, lab: &mut CommandLab<B>, bad: &Candidate, good: &Candidate) {
        for (candidate, trial, outcome) in [
            (bad, &self.bad, Outcome::Fail),
            (good, &self.good, Outcome::Pass),
        ] {
            lab.remember(candidate, outcome);
            if let Some(product) = &trial.product {
                lab.remember_product(product, trial.ending.clone(), outcome);
            }
        }
    }
}

/// How later runs are read, when these runs of the bad version fail.
pub(crate) fn judge_of(
    failures: &[&Trial],
    goods: &[Trial],
    expectation: &Expectation,
) -> Option<Judge> {
    let mut reading = reading(failures, ExitMeaning::Passing, expectation)?;
    if let Reading::Failing(Signature { ending, line }) = &mut reading {
        let output = || failure_output(failures, ending, goods, expectation);
        match expectation.same_failure {
            SameFailure::Output => reading = Reading::Reproducing(ending.clone(), output()),
            SameFailure::Message | SameFailure::WholeMessage if line.is_none() => {
                reading = Reading::Reproducing(ending.clone(), output().loose());
            }
            SameFailure::Message | SameFailure::WholeMessage => {}
            SameFailure::Exit => *line = None,
        }
    }
    Some(Judge {
        reading,
        timeout_fails: expectation.timeout_fails,
        names: expectation.names.clone(),
        whole_message: expectation.keeps_whole_message(),
    })
}

/// What all runs with this ending print and no run that passes.
fn failure_output(
    failures: &[&Trial],
    ending: &Ending,
    goods: &[Trial],
    expectation: &Expectation,
) -> FailureOutput {
    let failing = failures.iter().filter(|trial| trial.ending == *ending);
    let passing = goods.iter().filter(|trial| trial.ending == Ending::Exit(0));
    FailureOutput::between(
        &failing.map(|trial| printed(trial)).collect::<Vec<_>>(),
        &passing.map(printed).collect::<Vec<_>>(),
        &expectation.names,
    )
}

fn printed(trial: &Trial) -> &dyn Printed {
    seen(trial)
}

pub(crate) fn fails_always(judge: &Judge, trials: &[Trial]) -> bool {
    let fails = |trial: &Trial| judge.judge(seen(trial)).outcome == Outcome::Fail;
    trials.iter().all(fails)
}

/// The line by which people know the failure, without its numbers.
pub(crate) fn headline(judge: &Judge) -> Option<String> {
    match &judge.reading {
        Reading::Reproducing(_, output) => output.headline().map(shape),
        _ => None,
    }
}

/// The failure may show only now and then.
pub(crate) fn observe_longer(
    runner: &mut Runner,
    bad: &Candidate,
    freshness: Freshness,
    trials: &mut Vec<Trial>,
) -> Result<(), Stop> {
    while trials.len() < RUNS_WHEN_FLAKY && spent(trials) < PATIENCE {
        trials.extend(runner.observe(bad, Why::Baseline, freshness, 1, None)?);
    }
    Ok(())
}

fn refuse(mismatch: Mismatch, bad: &Trial, good: &Trial) -> TwoSidedError {
    TwoSidedError::Mismatch(Box::new(BaselineMismatch {
        mismatch,
        bad: bad.clone(),
        good: good.clone(),
    }))
}

/// What keeps the test itself from giving answers.
fn unusable(bads: &[Trial], goods: &[Trial], expectation: &Expectation) -> Option<TwoSidedError> {
    let (bad, good) = (&bads[0], &goods[0]);
    let both = |holds: fn(&Trial) -> bool| VersionSide::of(holds(good), bads.iter().all(holds));
    let has_failed_build = |trial: &Trial| trial.stage == Stage::Build;
    if let Some(side) = both(has_failed_build) {
        return Some(refuse(Mismatch::Build(side), bad, good));
    }
    if bads.iter().chain(goods).all(lacks_product) {
        return Some(refuse(Mismatch::Unmade, bad, good));
    }
    if !expectation.rules.is_empty() {
        return None;
    }
    let side = both(cannot_run)?;
    Some(refuse(Mismatch::CannotRun(side), bad, good))
}

/// Whether the build has not made something that it should.
pub(crate) fn lacks_product(trial: &Trial) -> bool {
    !seen(trial).unmade.is_empty()
}

fn not_failing(bads: &[Trial], goods: &[Trial], expectation: &Expectation) -> TwoSidedError {
    let (bad, good) = (&bads[0], &goods[0]);
    let mismatch = if bads.iter().all(is_unresolved) {
        Mismatch::Unresolved(if is_unresolved(good) {
            VersionSide::Both
        } else {
            VersionSide::Bad
        })
    } else if bads.iter().all(|trial| trial.ending != Ending::Exit(0)) {
        Mismatch::BadFailsDifferently
    } else if !failing(goods, ExitMeaning::Passing, expectation).is_empty() {
        Mismatch::Swapped
    } else if good.ending != Ending::Exit(0) && !is_unresolved(good) {
        Mismatch::GoodFailsDifferently
    } else {
        Mismatch::BadPasses
    };
    refuse(mismatch, bad, good)
}
