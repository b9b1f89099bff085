//! The way forward: the reversal of what broke it, ported to the newest revision.

use std::collections::BTreeSet;

use yester_core::{Lab, Outcome, Phase, Repair, Revisions, Stop, Swapped, gallop};
use yester_patch::{AtomSet, Backport, ChangeSpace, CulpritHunk, CulpritSearch, Effort, applied};
use yester_report::{BorderDirection, ReportedBorder};
use yester_run::{CommandLab, FailingBaseline};

use super::answer::{Broken, Finding};
use super::best::HowFar;
use super::job::HistoryJob;
use super::repair::read_here;
use super::tree::{Patch, Tree, all_of, broken, readable, test};
use crate::versions::{lines, wider};

impl HistoryJob {
    /// The newest revision with the fewest changes that make it pass. Nothing if there are none to be had.
    pub fn port_fix(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
        finding: &Finding,
    ) -> Result<Option<Tree>, Stop> {
        let Some(broken) = &finding.broken else {
            return Ok(None);
        };
        lab.enter(Phase {
            what: "porting the fix",
            deltas: finding.way.len(),
        });
        let newest = Tree::plain(&self.revisions[0]);
        let reversals = self.reversals(broken)?;
        for (reversal, _) in &reversals {
            let moved = readable(self.moved(reversal, &newest))?.flatten();
            if let Some(tree) = moved.filter(|tree| *tree != newest)
                && test(lab, self, &tree)?.outcome == Outcome::Pass
            {
                let fewest =
                    self.fewest_that_pass(lab, baseline, (&newest, &tree), Effort::Lines)?;
                return Ok(Some(fewest.0));
            }
        }
        let mut fixed = None;
        for (_, tree) in reversals {
            if test(lab, self, &tree)?.outcome == Outcome::Pass {
                fixed = Some(tree);
                break;
            }
        }
        let Some(fixed) = fixed else {
            return Ok(None);
        };
        // Less of it may fit where all of it does not.
        let (fixed, _) =
            self.fewest_that_pass(lab, baseline, (&broken.failing, &fixed), Effort::Lines)?;
        let fix = self.step(&broken.failing, &fixed)?;
        let mut forward = Forward {
            job: self,
            lab,
            baseline,
            way: &finding.way,
            fixed: vec![None; finding.way.len()],
            fix,
        };
        forward.fixed[0] = Some(fixed);
        let walk = gallop(&mut forward, true)?;
        let last = finding.way.len() - 1;
        let tree = forward.fixed[walk.failing].take();
        match tree.filter(|_| walk.failing == last) {
            Some(tree) => {
                let fewest =
                    self.fewest_that_pass(lab, baseline, (&newest, &tree), Effort::Lines)?;
                Ok(Some(fewest.0))
            }
            None => Ok(None),
        }
    }

    /// The ways to take the culprit out of the version that it broke, the smallest first, each with that version then.
    fn reversals(&self, broken: &Broken) -> Result<Vec<(Patch, Tree)>, Stop> {
        let stop = |error| self::broken(&error);
        let all = all_of(&broken.space);
        let mut reversals: Vec<(Patch, Tree)> = Vec::new();
        for atoms in wider(&broken.space, &broken.atoms) {
            let rest = all.difference(&atoms);
            let tree = broken.passing.with(applied(&broken.space, &rest));
            let fixed = self.version_of(&tree).map_err(stop)?;
            let mut overlay = broken.failing.overlay.clone();
            let changes = &broken.space.difference().changes;
            let sides = changes.iter().flat_map(|change| [&change.old, &change.new]);
            for (path, _) in sides.flatten() {
                overlay.insert(path.clone(), fixed.state(path).map_err(stop)?);
            }
            let tree = Tree {
                overlay,
                commit: broken.failing.commit.clone(),
            };
            let patch = self.step(&broken.failing, &tree)?;
            if !patch.backport.is_empty() && reversals.iter().all(|(_, other)| *other != tree) {
                reversals.push((patch, tree));
            }
        }
        Ok(reversals)
    }

    /// What makes one tree of a revision another, as a patch.
    pub fn step(&self, from: &Tree, to: &Tree) -> Result<Patch, Stop> {
        let stop = |error| broken(&error);
        let version = self.version_of(from).map_err(stop)?;
        let plain = self.version(&from.commit).map_err(stop)?;
        let mut overlay = to.overlay.clone();
        for path in from.overlay.keys() {
            if !overlay.contains_key(path) {
                overlay.insert(path.clone(), plain.state(path).map_err(stop)?);
            }
        }
        Ok(Patch {
            backport: Backport::new(&version, &overlay).map_err(stop)?,
            commit: from.commit.clone(),
        })
    }

    /// A tree that passes with as few changes of one that fails as possible, and whether it fails as before without some of
    /// them.
    pub fn fewest_that_pass(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
        (failing, passing): (&Tree, &Tree),
        effort: Effort,
    ) -> Result<(Tree, bool), Stop> {
        let space = self
            .difference(failing, passing)
            .map_err(|error| broken(&error))?;
        let read = read_here(self, baseline.read.as_ref(), &space);
        let fewest = CulpritSearch {
            space: &space,
            start: all_of(&space),
            guilty: BTreeSet::new(),
            read: read.as_ref(),
            effort,
        }
        .culprit(&mut Swapped(lab))?;
        // In a swapped lab, what fails passes.
        let fails = |hunk: &CulpritHunk| hunk.without == Some(Outcome::Pass);
        let fails_without_some = fewest.hunks.iter().any(fails);
        let tree = failing.with(applied(&space, &fewest.atoms));
        Ok((tree, fails_without_some))
    }
}

/// The revisions from the one that broke to the newest. For the walk, one that passes with the fix "fails as before".
struct Forward<'a> {
    job: &'a HistoryJob,
    lab: &'a mut CommandLab<HowFar>,
    baseline: &'a FailingBaseline,
    way: &'a [(yester_patch::Commit, Option<Tree>)],
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
        let moved = self.job.moved(&self.fix, failing);
        Ok(readable(moved)?.flatten())
    }
}

impl Forward<'_> {
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
            if test(self.lab, self.job, &tree)?.outcome == Outcome::Pass {
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
        Ok(match test(self.lab, self.job, &tree)?.outcome {
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
        let stop = |error| broken(&error);
        let space = self.job.difference(failing, &passing).map_err(stop)?;
        let all = all_of(&space);
        let before = lines(&space, &all);
        if all.is_empty() {
            return Ok(Repair::Impossible);
        }
        let shared = self.fix.backport.shared_with(space.difference());
        let found = match self.shared_part(failing, &space, &shared)? {
            Some(atoms) => atoms,
            None => {
                let read = read_here(self.job, self.baseline.read.as_ref(), &space);
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
        let version = self.job.version_of(failing).map_err(stop)?;
        self.fix = Patch {
            backport: Backport::new(&version, &overlay).map_err(stop)?,
            commit: commit.id.clone(),
        };
        self.fixed[revision] = Some(failing.with(overlay));
        let border = ReportedBorder {
            revision: commit.id.clone(),
            date: commit.date.clone(),
            direction: BorderDirection::Forward,
            patch_before: before,
            patch_after: self.fix.backport.lines(),
            trials: self.lab.answered() - started,
            outcome: "the fix does not fit".to_owned(),
        };
        self.lab.best_mut().borders.push(border);
        Ok(Repair::Fails)
    }
}
