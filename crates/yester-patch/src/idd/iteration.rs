//! Iterative delta debugging: from a revision that fails, back to one that passes, and to the lines that broke the next one.
//!
//! The walk repairs revisions that cannot run the test with a patch of the next newer one (`back_port`). What it ends with
//! may not be the last word: what broke it may have come along with a patch, or have been away for a while in between. So
//! the walk is repeated on what is left of the history until its end stands.

use std::collections::BTreeSet;

use yester_core::{Outcome, Phase, Stop, Walk, gallop, step_by_step};

use super::TestedHistory;
use super::forward_port::fewest_that_pass;
use super::line::Line;
use super::origin::{Broken, IterationTrials, NoGoodRevision, Origin};
use super::tree::{Tree, test};
use super::walk_lab::{WalkLab, WalkNews};
use crate::{Commit, CulpritSearch, Effort};

/// Where a walk has ended, as trees.
pub(super) struct End {
    pub failing: Tree,
    pub passing: Tree,
    /// The commits of which one broke it, oldest first.
    pub suspects: Vec<Commit>,
    pub good: Commit,
}

/// Walks back to a revision that passes, and looks for what broke the next one.
///
/// `read` are the files that the newest revision reads, where that is known.
pub fn iterate(
    history: &TestedHistory,
    lab: &mut dyn WalkLab,
    read: Option<&BTreeSet<String>>,
) -> Result<Origin, Stop> {
    let spent = lab.answered();
    let newest = Tree::plain(&history.revisions[0]);
    let mut commits = history.revisions.clone();
    let mut is_end_known = history.is_oldest_named;
    let mut trials = IterationTrials::default();
    let mut skipped = Vec::new();
    let mut unread: Vec<Commit> = Vec::new();
    loop {
        let mut line = Line::new(history, lab, read, commits.clone(), newest.clone())?;
        let walk = line.walk(is_end_known)?;
        if let Some(stuck) = walk.stuck
            && !history.can_be_read(&Tree::plain(&line.commits[stuck]))?
        {
            trials.patches += line.patch_trials;
            unread.push(commits.remove(stuck));
            continue;
        }
        skipped.extend(walk.skipped.iter().map(|at| line.commits[*at].clone()));
        let mut ended = line.end(&walk)?;
        let mut merges = Vec::new();
        if let Some(end) = &ended
            && !history.first_parent
        {
            let insight = line.look_into_merge(end)?;
            trials.patches += insight.patch_trials;
            skipped.extend(insight.skipped);
            merges = insight.merges;
            ended = insight.end.or(ended);
        }
        let started = line.lab.answered();
        let is_patch_doubtful = match &mut ended {
            Some(end) => line.shrink_patch(end)?,
            None => false,
        };
        line.patch_trials += line.lab.answered() - started;
        let started = line.lab.answered();
        let mut broken = match &ended {
            Some(end) => Some(line.culprit(end)?),
            None => None,
        };
        // What broke it may have come along with a patch: then no revision passes with it, or one that has no patch.
        if walk.stuck.is_none() && broken.as_ref().is_none_or(Broken::is_of_patch) {
            let in_patch = match line.doubt.take() {
                Some(doubt) if broken.is_none() => Some(doubt),
                _ => line.bug_in_patch()?,
            };
            let in_patch = in_patch.map(|doubt| Broken::of_doubt(&line.commits, doubt));
            if in_patch.is_some() {
                merges.clear();
            }
            broken = in_patch.or(broken);
        }
        trials.culprit += line.lab.answered() - started;
        trials.patches += line.patch_trials;
        if let Some(found) = &broken
            && let Some(later) = line.last_without(found, walk.failing)?
        {
            line.lab.tell(WalkNews::CameBack(&line.commits[later]));
            commits.truncate(later + 1);
            is_end_known = true;
            continue;
        }
        let way = line.way_forward(walk.failing)?;
        let reason = line.reason(&walk);
        let oldest = line.commits[walk.failing].clone();
        trials.walk = lab.answered() - spent - trials.patches - trials.culprit;
        return Ok(Origin {
            oldest: broken.as_ref().map_or(oldest, |found| found.bad.clone()),
            way,
            reason: broken.is_none().then_some(reason),
            broken,
            merges,
            skipped,
            unread,
            is_patch_doubtful,
            trials,
        });
    }
}

impl Line<'_> {
    pub fn walk(&mut self, far_first: bool) -> Result<Walk, Stop> {
        self.lab.enter(Phase {
            what: "walking back",
            deltas: self.commits.len(),
        });
        if self.history.is_plain {
            step_by_step(self)
        } else {
            gallop(self, far_first)
        }
    }

    /// The two trees at which a walk has ended, if one of them passes.
    pub fn end(&mut self, walk: &Walk) -> Result<Option<End>, Stop> {
        let Some(passing) = walk.passing else {
            return Ok(None);
        };
        let (Some((Outcome::Fail, failing)), Some((Outcome::Pass, tree))) =
            (self.known.get(&walk.failing), self.known.get(&passing))
        else {
            return Ok(self.end_of_doubt(walk.failing, passing));
        };
        let suspects = self.commits[walk.failing..passing].iter().rev();
        Ok(Some(End {
            failing: failing.clone(),
            passing: tree.clone(),
            suspects: suspects.cloned().collect(),
            good: self.commits[passing].clone(),
        }))
    }

    /// The same where the version that passes is a part of what makes it fail.
    fn end_of_doubt(&self, failing: usize, passing: usize) -> Option<End> {
        let doubt = self.doubt.as_ref()?;
        if (doubt.revision, doubt.failing) != (passing, failing) {
            return None;
        }
        Some(End {
            failing: doubt.failing_tree(),
            passing: doubt.passing.clone(),
            suspects: vec![self.commits[failing].clone()],
            good: self.commits[passing].clone(),
        })
    }

    /// Takes the patch of the good revision away piece by piece, as long as it passes. Says whether it fails as before
    /// without a piece.
    fn shrink_patch(&mut self, end: &mut End) -> Result<bool, Stop> {
        if end.passing.overlay.is_empty() || self.history.is_plain {
            return Ok(false);
        }
        let history = self.history;
        let plain = Tree::plain(&end.good);
        let trees = (&plain, &end.passing);
        let fewest = fewest_that_pass(history, self.lab, self.read, trees, Effort::Hunks)?;
        let patch = history.patch_of(&fewest.tree)?;
        let newer = end.suspects.last().expect("one of them broke it");
        let failing = history.moved(&patch, &Tree::plain(newer));
        if let Some(failing) = failing?
            && test(self.lab, history, &failing)?.outcome == Outcome::Fail
        {
            (end.passing, end.failing) = (fewest.tree, failing);
        }
        Ok(fewest.fails_without_some)
    }

    /// The fewest lines that make the last version that passes fail as the newest one does.
    fn culprit(&mut self, end: &End) -> Result<Broken, Stop> {
        let space = self.history.difference(&end.passing, &end.failing)?;
        let read = self.history.read_in(&space, self.read);
        let culprit = CulpritSearch {
            space: &space,
            start: space.all(),
            guilty: BTreeSet::new(),
            read: read.as_ref(),
            effort: Effort::Lines,
        }
        .culprit(self.lab)?;
        let patch = self.history.patch_of(&end.failing)?;
        Ok(Broken {
            good: end.good.clone(),
            bad: end.suspects.last().expect("one of them broke it").clone(),
            suspects: end.suspects.clone(),
            passing: end.passing.clone(),
            failing: end.failing.clone(),
            hunks: culprit.hunks,
            is_minimal_by_line: culprit.is_minimal_by_line,
            atoms: culprit.atoms,
            of_patch: patch.backport.shared_with(space.difference()),
            space,
        })
    }

    /// The revisions from one to the newest, each with the tree that fails.
    fn way_forward(&self, failing: usize) -> Result<Vec<(Commit, Option<Tree>)>, Stop> {
        (0..=failing)
            .rev()
            .map(|revision| Ok((self.commits[revision].clone(), self.failing_tree(revision)?)))
            .collect()
    }

    /// Why no revision was found that passes.
    fn reason(&self, walk: &Walk) -> NoGoodRevision {
        let oldest = self.commits[walk.failing].clone();
        let are_all_tested = walk.failing + 1 == self.commits.len();
        match walk.stuck {
            Some(stuck) => NoGoodRevision::Stuck(oldest, self.commits[stuck].clone()),
            None if are_all_tested && self.patches.len() > 1 => {
                NoGoodRevision::AllFailWithPatches(oldest)
            }
            None if are_all_tested => NoGoodRevision::AllFail(oldest),
            None => NoGoodRevision::Undecided(oldest),
        }
    }
}
