//! The search for the culprit: at the step of the history that broke it, or between GOOD and BAD.

use std::collections::BTreeSet;
use std::rc::Rc;

use yester_core::Outcome;
use yester_patch::{AtomSet, CommitTrees, Culprit, CulpritSearch, Effort};
use yester_run::{CommandLab, Reading, Signature, TwoSidedBaseline};

use super::answer::CulpritChanges;
use super::best::FewestChanges;
use super::home::{Broken, Home};
use super::job::ChangesJob;
use crate::driver::Halt;
use crate::failure::Failure;
use crate::versions::lines;

/// So many trials that fail nearly as BAD does are no coincidence.
const NEAR_MISSES: u64 = 4;

impl ChangesJob {
    /// Says when many trials have failed as BAD does but for numbers or for lines beside the one that says most.
    pub fn tell_near_misses(&self, lab: &CommandLab<FewestChanges>, baseline: &TwoSidedBaseline) {
        let judge = &baseline.baseline.judge;
        let (Reading::Reproducing(..), Some(bad)) = (&judge.reading, &baseline.bad.observation)
        else {
            return;
        };
        let bad = Signature::of(bad, &judge.names);
        let others = lab.others();
        let near = others.iter().find(|(signature, _)| **signature == bad);
        if let Some((_, near)) = near.filter(|(_, near)| near.seen >= NEAR_MISSES) {
            lab.events().say(&format!(
                "{} versions fail as {} does but for numbers or other lines, and count as another failure; \
                 if it is the same one, use --same-failure message",
                near.seen, self.bad.word
            ));
        }
    }

    /// Sees that GOOD with the changes that `--only` names fails as BAD does.
    pub fn check_limited(&self, lab: &mut CommandLab<FewestChanges>) -> Result<(), Halt> {
        if !self.is_limited() {
            return Ok(());
        }
        let (_, limited) = self.searched_versions().map_err(Halt::Nothing)?;
        let trials = lab.test_clean(&[&limited])?;
        if trials
            .iter()
            .all(|trial| trial.outcome == Some(Outcome::Fail))
        {
            return Ok(());
        }
        let message = format!(
            "{} with the changes that --only names does not fail as {} does",
            self.good.word, self.bad.word
        );
        Err(Halt::Nothing(Failure::nothing(message).hint(
            "the failure needs other changes too: name them or leave out --only",
        )))
    }

    fn effort(&self) -> Effort {
        match self.arguments.answer.thorough {
            true => Effort::EveryLine,
            false => Effort::Lines,
        }
    }

    /// A culprit beside those that were found.
    pub fn culprit(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        found: &[CulpritChanges],
    ) -> Result<CulpritChanges, Halt> {
        let whole = lab.judge().clone();
        let mut since = None;
        let mut broken = Broken::default();
        // Once something is taken out of BAD, the versions of the history are not among what is searched.
        while found.is_empty() {
            broken = self.find_home(lab, baseline, since.as_ref())?;
            // Of several culprits, each is searched in what the others leave of BAD.
            let home = match self.arguments.answer.all {
                true => None,
                false => broken.home.take().map(Rc::new),
            };
            let Some(home) = home else {
                break;
            };
            let culprit = self.culprit_at(&home, lab, baseline)?;
            match self.last_without(lab, &culprit)? {
                Some(later) if since.as_ref() != Some(&later) => {
                    lab.events().say(&format!(
                        "{} is without it and passes; searching after that",
                        later.short()
                    ));
                    lab.read_by(whole.clone());
                    since = Some(later);
                }
                _ => return Ok(culprit),
            }
        }
        let commit = broken.commit().cloned();
        let start = self.without(found);
        if !found.is_empty() {
            let lines = lines(&self.space, &start);
            lab.events().say(&format!(
                "without it {} still fails; searching the other {lines} changed lines",
                self.bad.word
            ));
            *lab.best_mut() = FewestChanges::new(&self.space, start.clone());
        }
        lab.best_mut().commit = commit.clone();
        let history = self.commits.as_ref().map(CommitTrees::history);
        let guilty = history
            .filter(|_| !broken.suspects.is_empty())
            // Without an answer of git all commits are as likely as before.
            .and_then(|history| {
                let difference = self.space.difference();
                history.atoms_of(difference, &start, &broken.suspects).ok()
            });
        let culprit = CulpritSearch {
            space: &self.space,
            start,
            guilty: guilty.unwrap_or_default(),
            read: baseline.read.as_ref(),
            effort: self.effort(),
        }
        .culprit(lab)?;
        Ok(CulpritChanges {
            commit,
            ..answer(
                CulpritChanges::unproved(&self.space, culprit.atoms.clone()),
                culprit,
            )
        })
    }

    /// The culprit of a step of the history.
    fn culprit_at(
        &self,
        home: &Rc<Home>,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
    ) -> Result<CulpritChanges, Halt> {
        *lab.best_mut() = FewestChanges::at_home(home);
        let read = self.read_at(home, baseline);
        let culprit = CulpritSearch {
            space: &home.space,
            start: AtomSet::full(home.space.difference().atoms()),
            guilty: BTreeSet::new(),
            read: read.as_ref(),
            effort: self.effort(),
        }
        .culprit(lab)?;
        let changes = CulpritChanges::at_home(home, culprit.atoms.clone());
        Ok(CulpritChanges {
            commit: home.commit().cloned(),
            ..answer(changes, culprit)
        })
    }

    /// The smallest difference between a version that passes and one that fails.
    pub fn isolate(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
    ) -> Result<CulpritChanges, Halt> {
        let broken = self.find_home(lab, baseline, None)?;
        let commit = broken.commit().cloned();
        let home = broken.home.map(Rc::new);
        if let Some(home) = &home {
            *lab.best_mut() = FewestChanges::at_home(home);
        }
        lab.best_mut().commit = commit.clone();
        let space = home.as_ref().map_or(&self.space, |home| &home.space);
        let read = match &home {
            Some(home) => self.read_at(home, baseline),
            None => baseline.read.clone(),
        };
        let isolated = CulpritSearch {
            space,
            start: AtomSet::full(space.difference().atoms()),
            guilty: BTreeSet::new(),
            read: read.as_ref(),
            effort: self.effort(),
        }
        .isolate(lab)?;
        let culprit = isolated.failing.difference(&isolated.passing);
        Ok(CulpritChanges {
            commit,
            home: home.clone(),
            // That is where closing in from both sides ends.
            is_minimal_by_line: true,
            passing: Some(isolated.passing),
            ..CulpritChanges::unproved(space, culprit)
        })
    }

    /// The files that are read, as far as is known. Nobody has looked at files that neither GOOD nor BAD has.
    fn read_at(&self, home: &Home, baseline: &TwoSidedBaseline) -> Option<BTreeSet<String>> {
        let mut read = baseline.read.clone()?;
        let known: BTreeSet<&str> = [&self.good, &self.bad]
            .into_iter()
            .flat_map(|side| side.version.paths().map(|(path, _)| path))
            .collect();
        let changes = home.space.difference().changes.iter();
        let paths = changes.flat_map(|change| [&change.old, &change.new]);
        let unknown = paths
            .flatten()
            .map(|(path, _)| path)
            .filter(|path| !known.contains(path.as_str()));
        read.extend(unknown.cloned());
        Some(read)
    }
}

/// What the search tells of an answer.
fn answer(changes: CulpritChanges, culprit: Culprit) -> CulpritChanges {
    let hunks = culprit.hunks.into_iter();
    CulpritChanges {
        is_minimal_by_line: culprit.is_minimal_by_line,
        hunks: hunks.map(|hunk| (hunk.atoms, hunk.without)).collect(),
        ..changes
    }
}
