//! The search, and the proof of what it finds in clean trees.

use yester_core::{Outcome, Stop};
use yester_patch::{AtomSet, Search, Step};
use yester_report::Verified;
use yester_run::{Between, Laboratory};

use super::Work;
use super::answer::{Found, Set, lines, version, with_all_of_created};

/// What clean trees say of an answer.
pub enum Verdict {
    Holds(Found),
    Fails,
}

/// Why the search has ended early, and what it had.
type Stopped = (Stop, Found);

impl Work<'_> {
    pub(super) fn search(
        &self,
        laboratory: &mut Laboratory,
        between: &Between,
    ) -> Result<Verdict, Stopped> {
        if self.job.arguments.answer.isolate {
            self.isolate(laboratory, between)
        } else {
            self.culprits(laboratory, between)
        }
    }

    /// One culprit, or with `--all` one after the other.
    fn culprits(&self, laboratory: &mut Laboratory, between: &Between) -> Result<Verdict, Stopped> {
        let space = &self.job.space;
        let mut found = Found::default();
        let mut start = AtomSet::full(space.difference().atoms());
        loop {
            let search = Search {
                // Once something is taken out of BAD, the versions of the history are not among what is searched.
                commits: self.commits.as_ref().filter(|_| found.sets.is_empty()),
                ..self.search_from(start.clone(), between)
            };
            let mut best = start.clone();
            let culprit = search.culprit(laboratory, &mut best, &mut |step| self.show(step));
            let culprit = match culprit {
                Ok(culprit) => culprit,
                Err(stop) => {
                    found.sets.push(Set::unproved(space, best));
                    return Err((stop, found));
                }
            };
            let mut set = Set {
                commit: culprit.commit,
                is_minimal_by_line: culprit.is_minimal_by_line,
                ..Set::unproved(space, culprit.atoms)
            }
            .with_parts(culprit.parts);
            let rest = start.difference(&with_all_of_created(space, &set.atoms));
            let verified = match self.verify(laboratory, &set.atoms, &rest) {
                Ok(verified) => verified,
                Err(stop) => {
                    found.sets.push(set);
                    return Err((stop, found));
                }
            };
            let Some(verified) = verified else {
                return Ok(Verdict::Fails);
            };
            let still_fails = verified.bad_minus_culprit.as_deref() == Some("fail");
            set.verified = verified;
            found.sets.push(set);
            if !(self.job.arguments.answer.all && still_fails && !rest.is_empty()) {
                return Ok(Verdict::Holds(found));
            }
            let lines = lines(space, &rest);
            self.progress.borrow_mut().say(&format!(
                "without it {} still fails; {lines} changed lines are searched again",
                self.job.bad.word
            ));
            start = rest;
        }
    }

    /// The smallest difference between a version that passes and one that fails.
    fn isolate(&self, laboratory: &mut Laboratory, between: &Between) -> Result<Verdict, Stopped> {
        let nothing = |stop| (stop, Found::default());
        let all = AtomSet::full(self.job.space.difference().atoms());
        let search = Search {
            commits: self.commits.as_ref(),
            ..self.search_from(all.clone(), between)
        };
        let isolated = search
            .isolate(laboratory, &mut |step| self.show(step))
            .map_err(nothing)?;
        let culprit = isolated.failing.difference(&isolated.passing);
        let rest = all.difference(&with_all_of_created(&self.job.space, &culprit));
        let verified = self
            .verify(laboratory, &isolated.failing, &rest)
            .map_err(nothing)?;
        let (passing, _) = self
            .run_fresh(laboratory, &isolated.passing)
            .map_err(nothing)?;
        let Some(verified) = verified.filter(|_| passing == Outcome::Pass) else {
            return Ok(Verdict::Fails);
        };
        let set = Set {
            verified: Verified {
                passing: Some(passing.to_string()),
                ..verified
            },
            // That is where closing in from both sides ends.
            is_minimal_by_line: true,
            ..Set::unproved(&self.job.space, culprit)
        };
        Ok(Verdict::Holds(Found {
            sets: vec![set],
            passing: Some(isolated.passing),
        }))
    }

    fn search_from<'a>(&'a self, start: AtomSet, between: &'a Between) -> Search<'a> {
        Search {
            space: &self.job.space,
            start,
            commits: None,
            read: between.read.as_ref(),
            thorough: self.job.arguments.answer.thorough,
        }
    }

    /// Runs an answer and what is left of BAD without it in clean trees. Nothing if the answer does not fail there.
    fn verify(
        &self,
        laboratory: &mut Laboratory,
        answer: &AtomSet,
        rest: &AtomSet,
    ) -> Result<Option<Verified>, Stop> {
        self.progress
            .borrow_mut()
            .doing("checking the answer in clean trees");
        let (good_plus_culprit, _) = self.run_fresh(laboratory, answer)?;
        if good_plus_culprit != Outcome::Fail {
            return Ok(None);
        }
        let (bad_minus_culprit, ending) = self.run_fresh(laboratory, rest)?;
        if bad_minus_culprit == Outcome::Unresolved && self.job.arguments.reading.fail_if.is_empty()
        {
            self.progress.borrow_mut().say(&format!(
                "{} without the answer has no outcome; if the answer is another failure that looks the same, \
                 --fail-if tells them apart",
                self.job.bad.word
            ));
        }
        Ok(Some(Verified {
            good_plus_culprit: Some(good_plus_culprit.to_string()),
            bad_minus_culprit: Some(bad_minus_culprit.to_string()),
            bad_minus_culprit_ending: Some(ending).filter(|_| bad_minus_culprit != Outcome::Pass),
            passing: None,
        }))
    }

    /// What a version gives in a clean tree with a clean build, and how that ended.
    fn run_fresh(
        &self,
        laboratory: &mut Laboratory,
        atoms: &AtomSet,
    ) -> Result<(Outcome, String), Stop> {
        let candidate = match version(&self.job.space, atoms) {
            Ok(candidate) => candidate,
            Err(infeasible) => return Ok((Outcome::Unresolved, infeasible.reason)),
        };
        let trial = laboratory.test_fresh(&candidate)?;
        let outcome = trial.outcome.unwrap_or(Outcome::Unresolved);
        let ending = match trial.stage {
            yester_run::Stage::Build => format!("the build fails with {}", trial.ending),
            yester_run::Stage::Test => trial.ending.to_string(),
        };
        Ok((outcome, ending))
    }

    fn show(&self, step: &Step) {
        self.progress.borrow_mut().narrowed(step.what, step.lines);
    }
}
