//! The baseline of a version that fails, where no version is known that passes.

use std::collections::BTreeSet;

use yester_core::{Candidate, Outcome, Stop};

use crate::baseline::{
    cannot_run, failing, held, is_flaky, is_unresolved, messages, repeat, seen, set_limits,
};
use crate::runner::{Freshness, ObservationRequest};
use crate::two_sided_baseline::{fails_always, headline, judge_of, lacks_product, observe_longer};
use crate::{
    Baseline, Ending, ExitMeaning, Expectation, Mismatch, Reading, Runner, Stage, Trial,
    VersionSide, Why,
};

/// What the runs of a version that fails have established.
#[derive(Clone, Debug)]
pub struct FailingBaseline {
    /// How later runs are read and repeated.
    pub baseline: Baseline,
    /// A run of it.
    pub bad: Trial,
    /// Which files of its tree the build and the test have read, where the file system tells.
    pub read: Option<BTreeSet<String>>,
    /// Whether a tree that was built in before gives the same answers as a new one.
    pub warm: bool,
}

/// Why a version that should fail cannot be searched.
#[derive(Debug, thiserror::Error)]
pub enum FailingError {
    /// It does not answer as promised, as this run shows.
    #[error("{0}")]
    Mismatch(Mismatch, Box<Trial>),
    /// The search was stopped.
    #[error(transparent)]
    Stop(#[from] Stop),
}

impl FailingBaseline {
    /// Runs a version in a clean tree, and once more in a tree that was built in, and settles how later runs are read: the
    /// same failure is one that announces the same errors, whatever else an older version prints. Exit 0 is a pass.
    pub fn establish(
        runner: &mut Runner,
        bad: &Candidate,
        expectation: &Expectation,
    ) -> Result<FailingBaseline, FailingError> {
        let expectation = &Expectation {
            exit: Some(ExitMeaning::Passing),
            ..expectation.clone()
        };
        let freshness = Freshness::CleanAndWatched;
        set_limits(runner, &[], expectation);
        let times = expectation.repeat.unwrap_or(1);
        let mut bads = runner.observe(bad, Why::Baseline, freshness, times, None)?;
        let refuse = |mismatch, trials: &[Trial]| {
            FailingError::Mismatch(mismatch, Box::new(trials[0].clone()))
        };
        let side = VersionSide::Bad;
        if bads.iter().all(|trial| trial.stage == Stage::Build) {
            return Err(refuse(Mismatch::Build(side), &bads));
        }
        if bads.iter().all(lacks_product) {
            return Err(refuse(Mismatch::Unmade, &bads));
        }
        if expectation.rules.is_empty() && bads.iter().all(cannot_run) {
            return Err(refuse(Mismatch::CannotRun(side), &bads));
        }
        let passing = ExitMeaning::Passing;
        let failures = failing(&bads, passing, expectation);
        if expectation.doubtful || failures.is_empty() || is_flaky(&failures, &bads) {
            observe_longer(runner, bad, freshness, &mut bads)?;
        }
        let Some(mut judge) = judge_of(&failing(&bads, passing, expectation), &[], expectation)
        else {
            let mismatch = if bads.iter().all(is_unresolved) {
                Mismatch::Unresolved(side)
            } else if bads.iter().all(|trial| trial.ending != Ending::Exit(0)) {
                Mismatch::BadFailsDifferently
            } else {
                Mismatch::BadPasses
            };
            return Err(refuse(mismatch, &bads));
        };
        let (mut warm, mut warmed) = (true, Vec::new());
        if fails_always(&judge, &bads) {
            let again = ObservationRequest {
                candidate: bad,
                why: Why::Warmth,
                freshness: Freshness::Reused,
                times: 1,
                worker: 0,
            };
            warmed = runner.observe_all(&[again], None)?.concat();
            // What varies between the two runs says nothing about the failure.
            let twice = [bads.clone(), warmed.clone()].concat();
            let wider = judge_of(&failing(&twice, passing, expectation), &[], expectation);
            judge = wider
                .filter(|wider| headline(wider) == headline(&judge))
                .unwrap_or(judge);
            if !fails_always(&judge, &warmed) {
                observe_longer(runner, bad, freshness, &mut bads)?;
                let failures = failing(&bads, passing, expectation);
                judge = judge_of(&failures, &[], expectation).unwrap_or(judge);
                warm = !fails_always(&judge, &bads);
            }
        }
        if let Reading::Reproducing(_, output) = &mut judge.reading {
            *output = output.across_history();
        }
        let outcome = |trial: &Trial| judge.judge(seen(trial)).outcome;
        let fails = |trial: &&Trial| outcome(trial) == Outcome::Fail;
        let failures = bads.iter().filter(fails).count();
        let (timeout, slowest) = set_limits(runner, &[&bads], expectation);
        let all = || bads.iter().chain(&warmed);
        for trial in all() {
            runner.session.counts.add(outcome(trial));
        }
        let watched = bads.iter().map(|trial| seen(trial).read.clone());
        let read = watched.collect::<Option<Vec<_>>>();
        Ok(FailingBaseline {
            bad: bads.iter().find(fails).unwrap_or(&bads[0]).clone(),
            read: read.map(|sets| sets.into_iter().flatten().collect()),
            warm,
            baseline: Baseline {
                repeat: repeat(failures, bads.len(), expectation),
                runs: bads.len(),
                failures,
                timeout,
                slowest,
                trials: all().count() as u64,
                empty: Outcome::Unresolved,
                held: held(&failing(&bads, passing, expectation), expectation),
                messages: messages(&bads[0]),
                judge,
            },
        })
    }
}
