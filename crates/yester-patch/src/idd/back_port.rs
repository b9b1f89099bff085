//! Back-porting: the fewest changes of the newer revision with which the older one fails as before.

use std::collections::BTreeSet;

use yester_core::{Grouping, Outcome, Phase, Repair, Revisions, Space, Stop, Subset, bisection};

use super::line::{Doubt, Line};
use super::tree::{Patch, Tree, test};
use super::walk_lab::{Border, BorderReason, Direction, WalkNews};
use crate::{
    AtomSet, Backport, ChangeSpace, CulpritHunk, CulpritSearch, DeltaLevel, Effort, applied,
};

/// A revision that needs another patch.
struct NewBorder {
    revision: usize,
    reason: BorderReason,
    /// How many trials there had been.
    started: u64,
    /// How many lines differ from the next newer version that fails.
    whole_lines: u64,
}

impl Line<'_> {
    /// Makes the patch of now one with which a revision fails, that does not with the patch so far.
    pub fn make_patch(&mut self, revision: usize, failing: usize) -> Result<Repair, Stop> {
        let Some((_, newer)) = self.known.get(&failing).cloned() else {
            return Ok(Repair::Impossible);
        };
        let history = self.history;
        let plain = Tree::plain(&self.commits[revision]);
        if !history.can_be_read(&plain)? {
            return Ok(Repair::Impossible);
        }
        let fits = self.tree(revision)?;
        let whole = history.difference(&plain, &newer)?;
        let border = NewBorder {
            revision,
            reason: match fits {
                Some(_) => BorderReason::OtherOutcome,
                None => BorderReason::Conflict,
            },
            started: self.lab.answered(),
            whole_lines: whole.lines(&whole.all()),
        };
        if self.history.is_plain {
            return self.patch_from(&border, plain.clone(), &newer, &whole);
        }
        // What lacks a name that came with the next revision lacks it without the patch, too.
        let is_told = fits.is_some() && self.guess(revision, failing)? == Some(revision);
        if !is_told {
            for tree in self.other_trees(revision)? {
                match test(self.lab, history, &tree)?.outcome {
                    Outcome::Fail => return self.settle(&border, tree.clone(), tree),
                    Outcome::Pass => {
                        self.known.insert(revision, (Outcome::Pass, tree));
                        return Ok(Repair::Passes);
                    }
                    Outcome::Unresolved => {}
                }
            }
        }
        let smallest = self.smallest.as_ref().unwrap_or(&self.patch);
        let base = if smallest.backport.is_empty() {
            None
        } else {
            history.partly_patched(smallest, &plain.commit)?
        };
        self.patch_from(&border, base.unwrap_or(plain), &newer, &whole)
    }

    /// Makes the patch of now of what differs between a tree of the revision and the newer version that fails.
    fn patch_from(
        &mut self,
        border: &NewBorder,
        base: Tree,
        newer: &Tree,
        whole: &ChangeSpace,
    ) -> Result<Repair, Stop> {
        let history = self.history;
        let plain = Tree::plain(&self.commits[border.revision]);
        let space = history.difference(&base, newer)?;
        let at_newer = history.patch_of(newer)?;
        let guilty = at_newer.backport.shared_with(space.difference());
        if !guilty.is_empty() && !self.history.is_plain {
            // What does not fit is tried first, as it is in the difference.
            let tree = base.with(applied(&space, &guilty));
            if test(self.lab, history, &tree)?.outcome == Outcome::Fail {
                return self.settle(border, tree.clone(), tree);
            }
        }
        let Some((atoms, hunks)) = self.fewest(&space, &base, newer, guilty.iter().collect())?
        else {
            return Ok(Repair::Impossible);
        };
        let tree = base.with(applied(&space, &atoms));
        if self.history.is_plain {
            return self.settle(border, tree.clone(), tree);
        }
        let by_itself = self.passes_without_causes(border, &base, &space, &atoms, &hunks)?;
        let smallest = self.without_earlier(&plain, &base, tree, &space, &atoms)?;
        let patch = history.patch_of(&smallest)?;
        let generous = self.generous(&plain, whole, &patch)?;
        let generous = generous.unwrap_or_else(|| smallest.clone());
        let repair = self.settle(border, smallest, generous)?;
        Ok(if by_itself {
            Repair::FailsByItself
        } else {
            repair
        })
    }

    /// Goes on with a patch, and tells of the border.
    fn settle(&mut self, border: &NewBorder, smallest: Tree, tree: Tree) -> Result<Repair, Stop> {
        let patch = self.history.patch_of(&smallest)?;
        let after = patch.backport.lines();
        self.smallest_at.insert(border.revision, patch.clone());
        self.smallest = Some(patch);
        self.replace_patch(border.revision, tree)?;
        let border = Border {
            commit: self.commits[border.revision].clone(),
            direction: Direction::Back,
            reason: border.reason,
            lines_before: border.whole_lines.max(after),
            lines_after: after,
            trials: self.lab.answered() - border.started,
        };
        self.lab.tell(WalkNews::Border(&border));
        Ok(Repair::Fails)
    }

    /// Whether the revision passes without some of the changes with which it fails. Remembers which.
    fn passes_without_causes(
        &mut self,
        border: &NewBorder,
        base: &Tree,
        space: &ChangeSpace,
        atoms: &AtomSet,
        hunks: &[CulpritHunk],
    ) -> Result<bool, Stop> {
        let causes = hunks
            .iter()
            .filter(|hunk| hunk.without == Some(Outcome::Pass));
        let none = AtomSet::empty(atoms.universe());
        let causes = causes.fold(none, |sum, hunk| sum.union(&hunk.atoms));
        if causes.is_empty() {
            return Ok(false);
        }
        let passing = base.with(applied(space, &atoms.difference(&causes)));
        // Together they may be more than each of them is.
        if test(self.lab, self.history, &passing)?.outcome != Outcome::Pass {
            return Ok(false);
        }
        let failing = base.with(applied(space, atoms));
        let space = self.history.difference(&passing, &failing)?;
        self.doubt = Some(Doubt {
            revision: border.revision,
            failing: self.newer_of(border.revision),
            passing,
            atoms: space.all(),
            space,
        });
        Ok(true)
    }

    /// The next newer revision that is known to fail.
    pub fn newer_of(&self, revision: usize) -> usize {
        let mut newer = self.known.range(..revision).rev();
        let failing = newer.find(|(_, (outcome, _))| *outcome == Outcome::Fail);
        failing.map_or(0, |(newer, _)| *newer)
    }

    /// A revision with the parts that fit of the patch of now, with the smallest patch, with the one before that of now, and
    /// with none at all.
    fn other_trees(&self, revision: usize) -> Result<Vec<Tree>, Stop> {
        if self.patch.backport.is_empty() {
            return Ok(Vec::new());
        }
        let commit = &self.commits[revision].id;
        let mut trees = Vec::new();
        let others = self.smallest.iter().chain(self.earlier.first());
        for patch in [&self.patch].into_iter().chain(others) {
            trees.extend(self.history.partly_patched(patch, commit)?);
        }
        trees.push(Tree::plain(&self.commits[revision]));
        let whole = self.tree(revision)?;
        trees.retain(|tree| whole.as_ref() != Some(tree));
        let mut seen: Vec<Tree> = Vec::new();
        trees.retain(|tree| {
            let is_new = !seen.contains(tree);
            seen.push(tree.clone());
            is_new
        });
        Ok(trees)
    }

    /// The revision with more than it needs to fail: what else was changed with the same purpose, as far as can be told. A
    /// patch that is just enough to fail may lack what the test needs to pass.
    fn generous(
        &mut self,
        plain: &Tree,
        whole: &ChangeSpace,
        smallest: &Patch,
    ) -> Result<Option<Tree>, Stop> {
        let all = whole.all();
        let entities = whole.of(&all, DeltaLevel::Entity);
        let knowledge = entities.knowledge();
        let needed = smallest.backport.same_places(whole.difference());
        let own = knowledge.closure(&entities.deltas_of(&needed));
        let every = Subset::full(entities.len());
        let users = every.difference(&knowledge.interior(&every.difference(&own)));
        let tree = plain.with(applied(whole, &entities.atoms(&knowledge.closure(&users))));
        let fails = test(self.lab, self.history, &tree)?.outcome == Outcome::Fail;
        Ok(fails.then_some(tree))
    }

    /// The fewest changes that make one tree fail as another does, and what happens without each hunk of them. Nothing if
    /// all of them together do not: some files must not be touched.
    fn fewest(
        &mut self,
        space: &ChangeSpace,
        base: &Tree,
        newer: &Tree,
        guilty: BTreeSet<usize>,
    ) -> Result<Option<(AtomSet, Vec<CulpritHunk>)>, Stop> {
        let all = space.all();
        if all.is_empty() {
            return Ok(None);
        }
        let full = base.with(applied(space, &all));
        if !self.history.pinned.is_empty()
            && self.history.entries(&full)? != self.history.entries(newer)?
            && test(self.lab, self.history, &full)?.outcome != Outcome::Fail
        {
            return Ok(None);
        }
        if self.history.is_plain {
            return self.fewest_by_bisection(space).map(Some);
        }
        let read = self.history.read_in(space, self.read);
        let culprit = CulpritSearch {
            space,
            start: all,
            guilty,
            read: read.as_ref(),
            effort: Effort::Hunks,
        }
        .culprit(self.lab)?;
        Ok(Some((culprit.atoms, culprit.hunks)))
    }

    /// Artho's search: files, then hunks, then lines.
    fn fewest_by_bisection(
        &mut self,
        space: &ChangeSpace,
    ) -> Result<(AtomSet, Vec<CulpritHunk>), Stop> {
        let space = space.of(&space.all(), DeltaLevel::Line);
        self.lab.enter(Phase {
            what: "bisecting the patch",
            deltas: space.len(),
        });
        let grouping: Grouping = space.grouping(|_| 0);
        let full = Subset::full(space.len());
        let mut tester = self.lab.tester(&space);
        let found = bisection(&mut *tester, &grouping, &full)?;
        Ok((space.atoms(&found), Vec::new()))
    }

    /// The tree without the patch that was there before, if the new changes alone do as well.
    fn without_earlier(
        &mut self,
        plain: &Tree,
        base: &Tree,
        tree: Tree,
        space: &ChangeSpace,
        atoms: &AtomSet,
    ) -> Result<Tree, Stop> {
        if base == plain {
            return Ok(tree);
        }
        let version = self.history.version_of(base)?;
        let backport = Backport::new(&version, &applied(space, atoms))?;
        let new = Patch {
            backport,
            commit: plain.commit.clone(),
        };
        let alone = self.history.patched(&new, &plain.commit)?;
        match alone {
            Some(alone) if test(self.lab, self.history, &alone)?.outcome == Outcome::Fail => {
                Ok(alone)
            }
            _ => Ok(tree),
        }
    }
}
