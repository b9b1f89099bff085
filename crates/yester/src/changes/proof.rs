//! The search, and the proof of what it finds in clean trees.

use yester_core::{Candidate, Lab, Outcome, Phase, Stop};
use yester_patch::{AtomSet, CulpritSearch};
use yester_report::{TestOutcome, Verified};
use yester_run::{CommandLab, Stage, Trial, TwoSidedBaseline};

use super::answer::{CulpritChanges, lines, union, version, with_all_of_created};
use super::best::FewestChanges;
use super::job::ChangesJob;
use crate::driver::Halt;

impl ChangesJob {
    /// A culprit beside those that were found.
    pub fn culprit(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        found: &[CulpritChanges],
    ) -> Result<CulpritChanges, Halt> {
        let start = self.without(found);
        if !found.is_empty() {
            let lines = lines(&self.space, &start);
            lab.events().say(&format!(
                "without it {} still fails; searching the other {lines} changed lines",
                self.bad.word
            ));
            *lab.best_mut() = FewestChanges::new(&self.space, start.clone());
        }
        let search = CulpritSearch {
            // Once something is taken out of BAD, the versions of the history are not among what is searched.
            commits: self.commits.as_ref().filter(|_| found.is_empty()),
            ..self.search_from(start, baseline)
        };
        let culprit = search.culprit(lab)?;
        Ok(CulpritChanges {
            commit: culprit.commit,
            is_minimal_by_line: culprit.is_minimal_by_line,
            hunks: culprit
                .hunks
                .into_iter()
                .map(|hunk| (hunk.atoms, hunk.without))
                .collect(),
            ..CulpritChanges::unproved(&self.space, culprit.atoms)
        })
    }

    /// The smallest difference between a version that passes and one that fails.
    pub fn isolate(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
    ) -> Result<CulpritChanges, Halt> {
        let search = self.search_from(self.without(&[]), baseline);
        let isolated = search.isolate(lab)?;
        let culprit = isolated.failing.difference(&isolated.passing);
        Ok(CulpritChanges {
            // That is where closing in from both sides ends.
            is_minimal_by_line: true,
            passing: Some(isolated.passing),
            ..CulpritChanges::unproved(&self.space, culprit)
        })
    }

    fn search_from<'a>(
        &'a self,
        start: AtomSet,
        baseline: &'a TwoSidedBaseline,
    ) -> CulpritSearch<'a> {
        CulpritSearch {
            space: &self.space,
            start,
            commits: None,
            read: baseline.read.as_ref(),
            thorough: self.arguments.answer.thorough,
        }
    }

    /// The changes of BAD without those of some culprits.
    fn without(&self, found: &[CulpritChanges]) -> AtomSet {
        let universe = self.space.difference().atoms();
        let all = AtomSet::full(universe);
        all.difference(&with_all_of_created(&self.space, &union(universe, found)))
    }

    /// Whether BAD still fails without all that was found, and something else is left to blame.
    pub fn is_more_to_find(&self, found: &[CulpritChanges]) -> bool {
        let last = found.last();
        let outcome = last.and_then(|last| last.verified.bad_minus_culprit);
        outcome == Some(TestOutcome::Fail) && !self.without(found).is_empty()
    }

    /// Runs an answer and what is left of BAD without it in clean trees. Says whether the answer fails there.
    pub fn verify(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        finding: &mut CulpritChanges,
        found: &[CulpritChanges],
    ) -> Result<bool, Halt> {
        lab.enter(Phase {
            what: "checking the answer in clean trees",
            deltas: 0,
        });
        let rest = self
            .without(found)
            .difference(&with_all_of_created(&self.space, &finding.atoms));
        let good_plus_culprit = match &finding.passing {
            Some(passing) => passing.union(&finding.atoms),
            None => finding.atoms.clone(),
        };
        let mut versions = vec![&good_plus_culprit, &rest];
        versions.extend(&finding.passing);
        let seen = self.run_clean(lab, &versions)?;
        let [failing, without, ..] = &seen[..] else {
            unreachable!("every version was run")
        };
        let passing = seen.get(2).map(|(outcome, _)| *outcome);
        if failing.0 != Outcome::Fail || passing.is_some_and(|passing| passing != Outcome::Pass) {
            return Ok(false);
        }
        let (bad_minus_culprit, ending) = without;
        if *bad_minus_culprit == Outcome::Unresolved && self.arguments.reading.fail_if.is_empty() {
            lab.events().say(&format!(
                "{} without the answer gives no result; if the answer is another failure that looks the same, \
                 --fail-if tells them apart",
                self.bad.word
            ));
        }
        finding.verified = Verified {
            good_plus_culprit: Some(reported(failing.0)),
            bad_minus_culprit: Some(reported(*bad_minus_culprit)),
            bad_minus_culprit_ending: Some(ending.clone())
                .filter(|_| *bad_minus_culprit != Outcome::Pass),
            passing: passing.map(reported),
        };
        Ok(true)
    }

    /// What versions give in clean trees with clean builds, and how that ended.
    fn run_clean(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        versions: &[&AtomSet],
    ) -> Result<Vec<(Outcome, String)>, Stop> {
        let rendered: Vec<_> = versions
            .iter()
            .map(|atoms| version(&self.space, atoms))
            .collect();
        let candidates: Vec<&Candidate> = rendered.iter().flatten().collect();
        let mut trials = lab.test_clean(&candidates)?.into_iter();
        let seen = rendered.iter().map(|version| match version {
            Ok(_) => told(&trials.next().expect("a run of each candidate")),
            Err(infeasible) => (Outcome::Unresolved, infeasible.reason.clone()),
        });
        Ok(seen.collect())
    }
}

/// The outcome of a run, and how it ended.
fn told(trial: &Trial) -> (Outcome, String) {
    let ending = match trial.stage {
        Stage::Build => format!("the build fails with {}", trial.ending),
        Stage::Test => trial.ending.to_string(),
    };
    (trial.outcome.unwrap_or(Outcome::Unresolved), ending)
}

pub fn reported(outcome: Outcome) -> TestOutcome {
    match outcome {
        Outcome::Pass => TestOutcome::Pass,
        Outcome::Fail => TestOutcome::Fail,
        Outcome::Unresolved => TestOutcome::Unresolved,
    }
}
