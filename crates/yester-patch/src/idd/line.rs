//! The walk back: revisions with the patch that keeps the test running.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use yester_core::{
    Answer, Candidate, Infeasible, Outcome, Phase, Repair, Revisions, Space, Stop, Subset, Tester,
};

use super::trace::{Trace, missing_names};
use super::tree::{Patch, Tree, readable, unreadable};
use super::{TestedHistory, WalkLab, WalkNews};
use crate::{AtomSet, ChangeSpace, Commit, applied};

/// Revisions from the newest, which fails, to the oldest.
pub(super) struct Line<'a> {
    pub history: &'a TestedHistory,
    pub lab: &'a mut dyn WalkLab,
    /// The files that the newest revision reads, where that is known.
    pub read: Option<&'a BTreeSet<String>>,
    pub commits: Vec<Commit>,
    /// The patch of now.
    pub patch: Patch,
    /// The smallest one that was made with it.
    pub smallest: Option<Patch>,
    /// The smallest one that was made at each border.
    pub smallest_at: BTreeMap<usize, Patch>,
    /// Those before it, the newest first.
    pub earlier: Vec<Patch>,
    /// The last tree of each revision that passed or failed.
    pub known: BTreeMap<usize, (Outcome, Tree)>,
    /// Which patch was made at which revision.
    pub patches: BTreeMap<usize, Patch>,
    /// What revisions without an answer have printed.
    complaints: BTreeMap<usize, String>,
    /// A revision that fails with its patch and passes without a part of it.
    pub doubt: Option<Doubt>,
    /// How many trials went into patches.
    pub patch_trials: u64,
}

/// A revision that fails with what its successor brings, and passes with less of it.
#[derive(Clone)]
pub(super) struct Doubt {
    pub revision: usize,
    pub failing: usize,
    /// The tree that passes.
    pub passing: Tree,
    /// What makes it fail: some changes of this difference.
    pub space: ChangeSpace,
    pub atoms: AtomSet,
}

impl Doubt {
    /// The tree that fails.
    pub fn failing_tree(&self) -> Tree {
        self.passing.with(applied(&self.space, &self.atoms))
    }
}

impl<'a> Line<'a> {
    /// A line whose newest revision fails with a patch.
    pub fn new(
        history: &'a TestedHistory,
        lab: &'a mut dyn WalkLab,
        read: Option<&'a BTreeSet<String>>,
        commits: Vec<Commit>,
        newest: Tree,
    ) -> Result<Line<'a>, Stop> {
        let patch = history.patch_of(&newest)?;
        Ok(Line {
            history,
            lab,
            read,
            smallest: None,
            smallest_at: BTreeMap::new(),
            earlier: Vec::new(),
            known: BTreeMap::from([(0, (Outcome::Fail, newest))]),
            patches: BTreeMap::from([(0, patch.clone())]),
            patch,
            commits,
            complaints: BTreeMap::new(),
            doubt: None,
            patch_trials: 0,
        })
    }

    /// A revision with the patch of now. Nothing if it does not fit.
    pub fn tree(&self, revision: usize) -> Result<Option<Tree>, Stop> {
        let patched = self
            .history
            .patched(&self.patch, &self.commits[revision].id);
        Ok(readable(patched)?.flatten())
    }

    /// The tree with which a revision is known to fail, or would by the patch that was made before it.
    pub fn failing_tree(&self, revision: usize) -> Result<Option<Tree>, Stop> {
        if let Some((Outcome::Fail, tree)) = self.known.get(&revision) {
            return Ok(Some(tree.clone()));
        }
        let patch = self.patches.range(..=revision).next_back();
        let Some((_, patch)) = patch else {
            return Ok(None);
        };
        let patched = self.history.patched(patch, &self.commits[revision].id);
        Ok(readable(patched)?.flatten())
    }

    /// Goes on with another patch from a revision on.
    pub fn replace_patch(&mut self, revision: usize, tree: Tree) -> Result<(), Stop> {
        let patch = self.history.patch_of(&tree)?;
        let old = std::mem::replace(&mut self.patch, patch.clone());
        if !old.backport.is_empty() {
            self.earlier.insert(0, old);
        }
        self.patches.insert(revision, patch);
        self.known.insert(revision, (Outcome::Fail, tree));
        Ok(())
    }
}

impl Revisions for Line<'_> {
    fn len(&self) -> usize {
        self.commits.len()
    }

    fn test(&mut self, revision: usize) -> Result<Outcome, Stop> {
        let space = PatchedLine::new(self.history, &self.commits, &self.patch);
        let answer = space.test(&mut *self.lab.tester(&space), revision)?;
        let outcome = answer.outcome;
        match answer.output().filter(|_| outcome == Outcome::Unresolved) {
            Some(output) => self.complaints.insert(revision, output.to_owned()),
            None => self.complaints.remove(&revision),
        };
        if outcome != Outcome::Unresolved
            && let Some(tree) = self.tree(revision)?
        {
            self.known.insert(revision, (outcome, tree));
        }
        self.lab.tell(WalkNews::Tested {
            revision,
            commit: &self.commits[revision],
            outcome,
        });
        Ok(outcome)
    }

    fn foresee(&mut self, revisions: &[usize]) {
        let space = PatchedLine::new(self.history, &self.commits, &self.patch);
        let count = self.commits.len();
        let subsets = revisions.iter().map(|at| Subset::of(count, [*at]));
        self.lab.tester(&space).foresee(&mut { subsets });
    }

    fn guess(&mut self, silent: usize, failing: usize) -> Result<Option<usize>, Stop> {
        if self.tree(silent)?.is_none() {
            let fits = |revision: usize| Ok(self.tree(revision)?.is_some());
            return first_without(failing, silent, fits).map(Some);
        }
        let Some(complaint) = self
            .complaints
            .get(&silent)
            .filter(|_| !self.history.is_plain)
        else {
            return Ok(None);
        };
        let mut nearest: Option<usize> = None;
        for name in missing_names(complaint) {
            let trace = Trace::of(
                self.history,
                &name,
                (&self.commits[failing], &self.commits[silent]),
            );
            let Some(trace) = readable(trace)?.flatten() else {
                continue;
            };
            let has = |revision: usize| {
                let found = trace.is_in(self.history, &self.commits[revision].id);
                // One that cannot be read has nothing.
                Ok(readable(found)?.unwrap_or(false))
            };
            let last = nearest.unwrap_or(silent);
            if last == silent || !has(last)? {
                nearest = Some(first_without(failing, last, has)?);
            }
        }
        Ok(nearest)
    }

    fn repair(&mut self, revision: usize, failing: usize) -> Result<Repair, Stop> {
        let before = self.lab.answered();
        let repair = self.make_patch(revision, failing)?;
        self.patch_trials += self.lab.answered() - before;
        self.lab.enter(Phase {
            what: "walking back",
            deltas: self.commits.len(),
        });
        Ok(repair)
    }
}

/// All revisions of a line with one patch, as deltas of which one is chosen.
struct PatchedLine<'a> {
    history: &'a TestedHistory,
    commits: &'a [Commit],
    patch: &'a Patch,
    /// Why a revision could not be read.
    stop: Mutex<Option<Stop>>,
}

impl<'a> PatchedLine<'a> {
    fn new(history: &'a TestedHistory, commits: &'a [Commit], patch: &'a Patch) -> Self {
        PatchedLine {
            history,
            commits,
            patch,
            stop: Mutex::default(),
        }
    }

    /// The outcome of a revision. One that cannot be read now has none, but will have one.
    fn test(&self, tester: &mut dyn Tester, revision: usize) -> Result<Answer, Stop> {
        let answer = tester.test(&Subset::of(self.commits.len(), [revision]))?;
        let mut stop = self.stop.lock().expect("nobody panics with it");
        match stop.take() {
            Some(stop) if answer.outcome == Outcome::Unresolved => Err(stop),
            _ => Ok(answer),
        }
    }
}

impl Space for PatchedLine<'_> {
    fn len(&self) -> usize {
        self.commits.len()
    }

    fn label(&self, delta: usize) -> String {
        self.commits[delta].short().to_owned()
    }

    fn describe(&self, subset: &Subset) -> String {
        let revision = subset.iter().next();
        let commit = revision.map(|revision| self.commits[revision].label());
        commit.unwrap_or_default()
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        let revision = subset.iter().next().unwrap_or_default();
        let commit = &self.commits[revision].id;
        let tree = self.history.patched(self.patch, commit);
        let entries = tree.and_then(|tree| match tree {
            Some(tree) => self.history.entries(&tree).map(Some),
            None => Ok(None),
        });
        match entries {
            Ok(Some(entries)) => Ok(Candidate::Tree(entries)),
            Ok(None) => Err(Infeasible {
                reason: "the patch does not fit this revision".to_owned(),
            }),
            Err(error) => unreadable(error).map_or_else(
                |stop| {
                    let reason = stop.to_string();
                    *self.stop.lock().expect("nobody panics with it") = Some(stop);
                    Err(Infeasible { reason })
                },
                Err,
            ),
        }
    }
}

/// The first revision without something that the first one has and the last one has not.
fn first_without(
    first: usize,
    last: usize,
    has: impl Fn(usize) -> Result<bool, Stop>,
) -> Result<usize, Stop> {
    let (mut low, mut high) = (first, last);
    while low + 1 < high {
        let middle = low.midpoint(high);
        if has(middle)? {
            low = middle
        } else {
            high = middle
        }
    }
    Ok(high)
}
