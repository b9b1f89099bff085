//! The way forward: the reversal of what broke it, ported to the newest revision.

use std::collections::BTreeSet;

use yester_core::{
    Candidate, Outcome, Phase, ProvingLab, Repair, Revisions, Stop, Swapped, gallop,
};

use super::TestedHistory;
use super::origin::{Broken, Origin};
use super::tree::{Patch, Tree, readable, test};
use super::walk_lab::{Border, BorderReason, Direction, WalkLab, WalkNews};
use crate::whole_fix::{around, first_that_passes};
use crate::{
    AtomSet, Backport, ChangeSpace, Commit, CulpritHunk, CulpritSearch, Effort, WholeFix, applied,
    wider,
};

/// The newest revision with the fewest changes that make it pass. Nothing if there are none to be had.
///
/// `read` are the files that the newest revision reads, where that is known.
pub fn forward_port(
    history: &TestedHistory,
    lab: &mut dyn WalkLab,
    read: Option<&BTreeSet<String>>,
    origin: &Origin,
) -> Result<Option<Tree>, Stop> {
    let Some(broken) = &origin.broken else {
        return Ok(None);
    };
    lab.enter(Phase {
        what: "porting the fix",
        deltas: origin.way.len(),
    });
    let newest = Tree::plain(&history.revisions[0]);
    let fewest = |lab: &mut dyn WalkLab, failing: &Tree, passing: &Tree| {
        let trees = (failing, passing);
        fewest_that_pass(history, lab, read, trees, Effort::Lines).map(|fewest| fewest.tree)
    };
    let reversals = reversals(history, broken)?;
    for (reversal, _) in &reversals {
        let moved = readable(history.moved(reversal, &newest))?.flatten();
        if let Some(tree) = moved.filter(|tree| *tree != newest)
            && test(lab, history, &tree)?.outcome == Outcome::Pass
        {
            return fewest(lab, &newest, &tree).map(Some);
        }
    }
    let mut fixed = None;
    for (_, tree) in reversals {
        if test(lab, history, &tree)?.outcome == Outcome::Pass {
            fixed = Some(tree);
            break;
        }
    }
    let Some(fixed) = fixed else {
        return Ok(None);
    };
    // Less of it may fit where all of it does not.
    let fixed = fewest(lab, &broken.failing, &fixed)?;
    let fix = history.step(&broken.failing, &fixed)?;
    let mut forward = Forward {
        history,
        lab,
        read,
        way: &origin.way,
        fixed: vec![None; origin.way.len()],
        fix,
    };
    forward.fixed[0] = Some(fixed);
    let walk = gallop(&mut forward, true)?;
    let last = origin.way.len() - 1;
    let tree = forward.fixed[walk.failing].take();
    match tree.filter(|_| walk.failing == last) {
        Some(tree) => fewest(lab, &newest, &tree).map(Some),
        None => Ok(None),
    }
}

/// The newest revision without all that the commit did where the culprit is, if that is more than a fix does. It is run in
/// clean places.
pub fn whole_fix<L: ProvingLab>(
    history: &TestedHistory,
    lab: &mut L,
    broken: &Broken,
    fix: &Tree,
) -> Result<WholeFix<Tree>, Stop> {
    let is_of_one_commit = matches!(&broken.suspects[..], [commit] if commit.parents.len() < 2);
    if !is_of_one_commit {
        return Ok(WholeFix::Unknown);
    }
    let newest = Tree::plain(&history.revisions[0]);
    let of_commit = |atoms: AtomSet| atoms.difference(&broken.of_patch).union(&broken.atoms);
    let around = around(&broken.space, &broken.atoms).into_iter();
    let sets = around.map(of_commit).chain([broken.atoms.clone()]);
    let mut ways: Vec<Option<Tree>> = Vec::new();
    for (reversal, _) in reversals_of(history, broken, sets)? {
        let tree = readable(history.moved(&reversal, &newest))?.flatten();
        if tree.as_ref() != Some(fix) && tree.as_ref() != Some(&newest) && !ways.contains(&tree) {
            ways.push(tree);
        }
    }
    let mut candidates = Vec::new();
    for way in ways {
        candidates.push(match way {
            Some(tree) => {
                let candidate = Candidate::Tree(history.entries(&tree)?);
                Some((tree, candidate))
            }
            None => None,
        });
    }
    first_that_passes(lab, candidates)
}

/// The ways to take the culprit out of the version that it broke, the smallest first, each with that version then.
fn reversals(history: &TestedHistory, found: &Broken) -> Result<Vec<(Patch, Tree)>, Stop> {
    reversals_of(history, found, wider(&found.space, &found.atoms))
}

/// The ways to take sets of changes out of the version that the culprit broke, each with that version then.
fn reversals_of(
    history: &TestedHistory,
    found: &Broken,
    sets: impl IntoIterator<Item = AtomSet>,
) -> Result<Vec<(Patch, Tree)>, Stop> {
    let all = found.space.all();
    let mut reversals: Vec<(Patch, Tree)> = Vec::new();
    for atoms in sets {
        let rest = all.difference(&atoms);
        let tree = found.passing.with(applied(&found.space, &rest));
        let fixed = history.version_of(&tree)?;
        let mut overlay = found.failing.overlay.clone();
        for path in found.space.difference().paths(&all) {
            let state = fixed.state(&path)?;
            overlay.insert(path, state);
        }
        let tree = Tree {
            overlay,
            commit: found.failing.commit.clone(),
        };
        let patch = history.step(&found.failing, &tree)?;
        if !patch.backport.is_empty() && reversals.iter().all(|(_, other)| *other != tree) {
            reversals.push((patch, tree));
        }
    }
    Ok(reversals)
}

/// A tree that passes with as few changes as possible.
pub(super) struct FewestThatPass {
    pub tree: Tree,
    /// Whether it fails as before without some of them.
    pub fails_without_some: bool,
}

/// A tree that passes with as few changes of one that fails as possible.
pub(super) fn fewest_that_pass(
    history: &TestedHistory,
    lab: &mut dyn WalkLab,
    read: Option<&BTreeSet<String>>,
    (failing, passing): (&Tree, &Tree),
    effort: Effort,
) -> Result<FewestThatPass, Stop> {
    let space = history.difference(failing, passing)?;
    let read = history.read_in(&space, read);
    let fewest = CulpritSearch {
        space: &space,
        start: space.all(),
        guilty: BTreeSet::new(),
        read: read.as_ref(),
        effort,
    }
    .culprit(&mut Swapped(lab))?;
    // In a swapped lab, what fails passes.
    let fails = |hunk: &CulpritHunk| hunk.without == Some(Outcome::Pass);
    Ok(FewestThatPass {
        fails_without_some: fewest.hunks.iter().any(fails),
        tree: failing.with(applied(&space, &fewest.atoms)),
    })
}

/// The revisions from the one that broke to the newest. For the walk, one that passes with the fix "fails as before".
struct Forward<'a> {
    history: &'a TestedHistory,
    lab: &'a mut dyn WalkLab,
    read: Option<&'a BTreeSet<String>>,
    way: &'a [(Commit, Option<Tree>)],
    /// The trees that pass.
    fixed: Vec<Option<Tree>>,
    /// The fix of now.
    fix: Patch,
}

impl Forward<'_> {
    fn tree(&self, revision: usize) -> Result<Option<Tree>, Stop> {
        let Some(failing) = &self.way[revision].1 else {
            return Ok(None);
        };
        let moved = self.history.moved(&self.fix, failing);
        Ok(readable(moved)?.flatten())
    }

    /// What the fix of now is in a difference, with a little more around it, if that makes a version pass.
    fn shared_part(
        &mut self,
        failing: &Tree,
        space: &ChangeSpace,
        shared: &AtomSet,
    ) -> Result<Option<AtomSet>, Stop> {
        if shared.is_empty() {
            return Ok(None);
        }
        for atoms in wider(space, shared) {
            let tree = failing.with(applied(space, &atoms));
            if test(self.lab, self.history, &tree)?.outcome == Outcome::Pass {
                return Ok(Some(atoms));
            }
        }
        Ok(None)
    }
}

impl Revisions for Forward<'_> {
    fn len(&self) -> usize {
        self.way.len()
    }

    fn test(&mut self, revision: usize) -> Result<Outcome, Stop> {
        let Some(tree) = self.tree(revision)? else {
            return Ok(Outcome::Unresolved);
        };
        Ok(match test(self.lab, self.history, &tree)?.outcome {
            Outcome::Pass => {
                self.fixed[revision] = Some(tree);
                Outcome::Fail
            }
            _ => Outcome::Unresolved,
        })
    }

    fn foresee(&mut self, _: &[usize]) {}

    fn guess(&mut self, _: usize, _: usize) -> Result<Option<usize>, Stop> {
        Ok(None)
    }

    fn repair(&mut self, revision: usize, fixed: usize) -> Result<Repair, Stop> {
        let started = self.lab.answered();
        let (commit, failing) = &self.way[revision];
        let (Some(failing), Some(passing)) = (failing, self.fixed[fixed].clone()) else {
            return Ok(Repair::Impossible);
        };
        let space = self.history.difference(failing, &passing)?;
        let all = space.all();
        let before = space.lines(&all);
        if all.is_empty() {
            return Ok(Repair::Impossible);
        }
        let shared = self.fix.backport.shared_with(space.difference());
        let found = match self.shared_part(failing, &space, &shared)? {
            Some(atoms) => atoms,
            None => {
                let read = self.history.read_in(&space, self.read);
                let search = CulpritSearch {
                    space: &space,
                    start: all,
                    guilty: shared.iter().collect(),
                    read: read.as_ref(),
                    effort: Effort::Hunks,
                };
                search.culprit(&mut Swapped(self.lab))?.atoms
            }
        };
        let overlay = applied(&space, &found);
        let version = self.history.version_of(failing)?;
        self.fix = Patch {
            backport: Backport::new(&version, &overlay)?,
            commit: commit.id.clone(),
        };
        self.fixed[revision] = Some(failing.with(overlay));
        let border = Border {
            commit: commit.clone(),
            direction: Direction::Forward,
            reason: BorderReason::Conflict,
            lines_before: before,
            lines_after: self.fix.backport.lines(),
            trials: self.lab.answered() - started,
        };
        self.lab.tell(WalkNews::Border(&border));
        Ok(Repair::Fails)
    }
}
