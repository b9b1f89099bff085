//! The culprit: at the step of the history that broke it, or between GOOD and BAD.

use std::collections::BTreeSet;
use std::rc::Rc;

use yester_core::{Space, Subset};

use super::{ComparedVersions, Home, SearchError, StepLab};
use crate::{
    AtomSet, BrokenMerge, ChangeSpace, Commit, CommitTrees, Culprit, CulpritHunk, CulpritSearch,
    DeltaLevel, Effort, Isolated, ZellerAlgorithm,
};

/// Changes that make GOOD fail as BAD does, or the last version of the history that passes.
#[derive(Clone)]
pub struct BrokenBy {
    /// The difference that they are of.
    pub space: ChangeSpace,
    /// The step of the history that it is, unless it is the whole way from GOOD to BAD.
    pub home: Option<Rc<Home>>,
    /// The changes.
    pub atoms: AtomSet,
    /// The same by hunks, and what happens without each.
    pub hunks: Vec<CulpritHunk>,
    /// The commit that broke it, if there is only one that can have.
    pub commit: Option<Commit>,
    /// The merges that lead there, the outermost first.
    pub merges: Vec<BrokenMerge>,
    /// Whether no single line can be left out.
    pub is_minimal_by_line: bool,
    /// The changes of the version that passes, if that is not the one without any.
    pub passing: Option<AtomSet>,
}

impl BrokenBy {
    /// Some changes, whatever is known about their hunks.
    pub fn changes(space: &ChangeSpace, atoms: AtomSet) -> BrokenBy {
        BrokenBy {
            space: space.clone(),
            home: None,
            atoms,
            hunks: Vec::new(),
            commit: None,
            merges: Vec::new(),
            is_minimal_by_line: false,
            passing: None,
        }
    }

    /// All changes of a step of the history, which merges lead to.
    fn step(home: &Rc<Home>, merges: Vec<BrokenMerge>) -> BrokenBy {
        BrokenBy {
            home: Some(Rc::clone(home)),
            commit: home.commit().cloned(),
            merges,
            ..BrokenBy::changes(&home.space, home.space.all())
        }
    }

    /// Those that a search has left of them.
    fn narrowed(&self, culprit: Culprit) -> BrokenBy {
        BrokenBy {
            atoms: culprit.atoms,
            hunks: culprit.hunks,
            is_minimal_by_line: culprit.is_minimal_by_line,
            ..self.clone()
        }
    }

    /// The same with its hunks, before anything is known about them.
    pub fn with_hunks(self) -> BrokenBy {
        let hunks = self.space.of(&self.atoms, DeltaLevel::Hunk);
        let hunk = |hunk| CulpritHunk {
            atoms: hunks.atoms(&Subset::of(hunks.len(), [hunk])),
            without: None,
        };
        BrokenBy {
            hunks: (0..hunks.len()).map(hunk).collect(),
            ..self
        }
    }
}

/// What is searched for, and what is known before the first trial.
pub struct RegressionSearch<'a> {
    /// The two versions.
    pub versions: ComparedVersions<'a>,
    /// The files that the build or the test of either version reads, where that is known.
    pub read: Option<&'a BTreeSet<String>>,
    /// How small the pieces are that are left out in the end.
    pub effort: Effort,
    /// How the changes are searched, if not by what is known of programs.
    pub algorithm: Option<ZellerAlgorithm>,
    /// Whether several culprits are wanted: then each is searched in what the others leave of BAD.
    pub is_for_all: bool,
}

impl RegressionSearch<'_> {
    /// A culprit beside those that were found.
    pub fn culprit(&self, lab: &mut dyn StepLab, found: &AtomSet) -> Result<BrokenBy, SearchError> {
        if let Some(algorithm) = self.algorithm {
            return self.by(algorithm, lab, found);
        }
        let mut since = None;
        let mut suspects = Vec::new();
        let mut commit = None;
        let mut merges = Vec::new();
        // Once something is taken out of BAD, the versions of the history are not among what is searched.
        while found.is_empty() {
            let turn = self.versions.find_home(lab, since.as_ref())?;
            commit = turn.commit().cloned();
            suspects = turn.suspects;
            merges = turn.merges;
            let Some(home) = turn.home.filter(|_| !self.is_for_all) else {
                break;
            };
            let step = BrokenBy::step(&Rc::new(home), merges.clone());
            let culprit = self.search(lab, &step, BTreeSet::new())?;
            match self.versions.last_without(lab, &culprit)? {
                Some(later) if since.as_ref() != Some(&later) => {
                    lab.leave_step(&later);
                    since = Some(later);
                }
                _ => return Ok(culprit),
            }
        }
        let rest = BrokenBy {
            commit,
            merges,
            ..BrokenBy::changes(self.versions.space, self.versions.without(found))
        };
        let history = self.versions.commits.map(CommitTrees::history);
        let guilty = history
            .filter(|_| !suspects.is_empty())
            // Without an answer of git all commits are as likely as before.
            .and_then(|history| {
                let difference = rest.space.difference();
                history.atoms_of(difference, &rest.atoms, &suspects).ok()
            });
        self.search(lab, &rest, guilty.unwrap_or_default())
    }

    /// The smallest difference between a version that passes and one that fails.
    pub fn isolate(&self, lab: &mut dyn StepLab) -> Result<BrokenBy, SearchError> {
        let turn = self.versions.find_home(lab, None)?;
        let commit = turn.commit().cloned();
        let start = match turn.home {
            Some(home) => BrokenBy::step(&Rc::new(home), turn.merges),
            None => BrokenBy {
                commit,
                merges: turn.merges,
                ..BrokenBy::changes(self.versions.space, self.versions.space.all())
            },
        };
        lab.start_with(&start);
        let read = self.read_at(&start);
        let isolated = CulpritSearch {
            space: &start.space,
            start: start.atoms.clone(),
            guilty: BTreeSet::new(),
            read: read.as_ref(),
            effort: self.effort,
        }
        .isolate(lab)?;
        let culprit = BrokenBy {
            atoms: isolated.failing.difference(&isolated.passing),
            // That is where closing in from both sides ends.
            is_minimal_by_line: true,
            passing: Some(isolated.passing),
            ..start
        };
        Ok(culprit.with_hunks())
    }

    /// A culprit beside those that were found, searched in all of their difference as in the paper.
    fn by(
        &self,
        algorithm: ZellerAlgorithm,
        lab: &mut dyn StepLab,
        found: &AtomSet,
    ) -> Result<BrokenBy, SearchError> {
        let start = BrokenBy::changes(self.versions.space, self.versions.without(found));
        lab.start_with(&start);
        let Isolated { passing, failing } = CulpritSearch {
            space: &start.space,
            start: start.atoms.clone(),
            guilty: BTreeSet::new(),
            read: None,
            effort: self.effort,
        }
        .by(algorithm, lab)?;
        let culprit = BrokenBy {
            atoms: failing.difference(&passing),
            passing: Some(passing).filter(|passing| !passing.is_empty()),
            ..start
        };
        Ok(culprit.with_hunks())
    }

    fn search(
        &self,
        lab: &mut dyn StepLab,
        start: &BrokenBy,
        guilty: BTreeSet<usize>,
    ) -> Result<BrokenBy, SearchError> {
        lab.start_with(start);
        let read = self.read_at(start);
        let culprit = CulpritSearch {
            space: &start.space,
            start: start.atoms.clone(),
            guilty,
            read: read.as_ref(),
            effort: self.effort,
        }
        .culprit(lab)?;
        Ok(start.narrowed(culprit))
    }

    /// The files that are read, as far as is known.
    fn read_at(&self, start: &BrokenBy) -> Option<BTreeSet<String>> {
        let read = self.read?;
        if start.home.is_none() {
            return Some(read.clone());
        }
        let known = [self.versions.good, self.versions.bad];
        Some(start.space.difference().read(read, known))
    }
}
