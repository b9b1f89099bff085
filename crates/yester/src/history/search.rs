//! From the newest revision to the lines that broke it: the walk, then the culprit at its end.

use std::collections::BTreeSet;

use yester_core::{Lab, Outcome, Phase, Repair, Revisions, Stop, Walk, gallop, step_by_step};
use yester_patch::{AtomSet, Commit, CulpritSearch, Effort};
use yester_report::{HistoryTrials, HistoryVerified};
use yester_run::{CommandLab, FailingBaseline};

use super::answer::{Broken, Finding};
use super::best::HowFar;
use super::job::{BACKPORT, HistoryJob, SHALLOW};
use super::line::{Doubt, Line};
use super::repair::read_here;
use super::tree::{Tree, all_of, broken, test};
use crate::driver::Halt;
use crate::versions::reported;

/// Where a walk has ended, as trees.
struct End {
    failing: Tree,
    passing: Tree,
    /// The commits of which one broke it, oldest first.
    suspects: Vec<Commit>,
    good: Commit,
}

impl HistoryJob {
    /// Walks back to a revision that passes, and looks for what broke the next one.
    pub fn find(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
    ) -> Result<Finding, Halt> {
        let newest = Tree::plain(&self.revisions[0]);
        let mut commits = self.revisions.clone();
        let mut is_end_known = self.is_oldest_named;
        let mut trials = HistoryTrials::default();
        let mut skipped = Vec::new();
        let mut unread: Vec<Commit> = Vec::new();
        loop {
            let mut line = Line::new(self, lab, baseline, commits.clone(), newest.clone())?;
            let walk = line.walk(is_end_known)?;
            if let Some(stuck) = walk.stuck
                && !self.can_be_read(&Tree::plain(&line.commits[stuck]))?
            {
                trials.patches += line.patch_trials;
                unread.push(commits.remove(stuck));
                continue;
            }
            skipped.extend(walk.skipped.iter().map(|at| line.commits[*at].clone()));
            let mut ended = line.end(&walk)?;
            if let Some(end) = &ended
                && self.arguments.all_parents
                && let Some((inner, more, patch_trials)) = line.look_into_merge(end)?
            {
                trials.patches += patch_trials;
                skipped.extend(more);
                ended = Some(inner);
            }
            let mut notes = Vec::new();
            let started = line.lab.answered();
            if let Some(end) = &mut ended {
                notes.extend(self.shrink_backport(line.lab, baseline, end)?);
            }
            line.patch_trials += line.lab.answered() - started;
            let started = line.lab.answered();
            let mut broken = match &ended {
                Some(end) => Some(self.culprit(line.lab, baseline, end)?),
                None => None,
            };
            // What broke it may have come along with a patch: then no revision passes with it, or one that has no patch.
            if walk.stuck.is_none() && broken.as_ref().is_none_or(|found| found.is_of_patch()) {
                let in_patch = match line.doubt.take() {
                    Some(doubt) if broken.is_none() => Some(doubt),
                    _ => line.bug_in_patch()?,
                };
                let in_patch = in_patch.map(|doubt| from_doubt(&line.commits, doubt));
                broken = in_patch.or(broken);
            }
            trials.culprit += line.lab.answered() - started;
            trials.patches += line.patch_trials;
            if let Some(found) = &broken
                && let Some(later) = line.last_without(found, walk.failing)?
            {
                let commit = &line.commits[later];
                let short = commit.short().to_owned();
                line.lab.events().say(&format!(
                    "{short} is without it and passes; searching after that"
                ));
                commits.truncate(later + 1);
                is_end_known = true;
                continue;
            }
            let way = line.way_forward(walk.failing)?;
            let reason = line.reason(&walk);
            notes.extend(unread.iter().map(|commit| {
                format!(
                    "{} cannot be read and was left out: what it changed counts for the next revision",
                    commit.short()
                )
            }));
            if broken.is_none() && self.repository.is_shallow() {
                notes.push(SHALLOW.to_owned());
            }
            if !self.named.is_empty() && broken.is_some() {
                notes.push(format!(
                    "the patches do not have {}, which every revision was tested with: take it from {}",
                    self.named.join(" and "),
                    self.arguments.from
                ));
            }
            let oldest = line.commits[walk.failing].clone();
            let all = lab.answered() - baseline.baseline.trials;
            trials.walk = all - trials.patches - trials.culprit;
            return Ok(Finding {
                oldest: broken.as_ref().map_or(oldest, |found| found.bad.clone()),
                way,
                reason: broken.is_none().then_some(reason),
                broken,
                skipped,
                trials,
                fix: None,
                also: None,
                notes,
                borders: lab.best().borders.clone(),
                verified: HistoryVerified::default(),
            });
        }
    }

    /// Takes the patch of the good revision away piece by piece, as long as it passes. Says so if it fails as before without
    /// a piece.
    fn shrink_backport(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
        end: &mut End,
    ) -> Result<Option<String>, Stop> {
        if end.passing.overlay.is_empty() || self.arguments.plain {
            return Ok(None);
        }
        let plain = Tree::plain(&end.good);
        let (fewest, fails_without_some) =
            self.fewest_that_pass(lab, baseline, (&plain, &end.passing), Effort::Hunks)?;
        let patch = self.patch_of(&fewest).map_err(|error| broken(&error))?;
        let newer = end.suspects.last().expect("one of them broke it");
        let failing = self.moved(&patch, &Tree::plain(newer));
        if let Some(failing) = failing.map_err(|error| broken(&error))?
            && test(lab, self, &failing)?.outcome == Outcome::Fail
        {
            (end.passing, end.failing) = (fewest, failing);
        }
        let note = "without some lines of the backport the good revision fails as the newest one does: see that they are \
                    not the fix themselves";
        Ok(fails_without_some.then(|| note.to_owned()))
    }

    /// The fewest lines that make the last version that passes fail as the newest one does.
    fn culprit(
        &self,
        lab: &mut CommandLab<HowFar>,
        baseline: &FailingBaseline,
        end: &End,
    ) -> Result<Broken, Stop> {
        let space = self
            .difference(&end.passing, &end.failing)
            .map_err(|error| broken(&error))?;
        let read = read_here(self, baseline.read.as_ref(), &space);
        let culprit = CulpritSearch {
            space: &space,
            start: all_of(&space),
            guilty: BTreeSet::new(),
            read: read.as_ref(),
            effort: Effort::Lines,
        }
        .culprit(lab)?;
        let hunks = culprit.hunks.into_iter();
        Ok(Broken {
            good: end.good.clone(),
            bad: end.suspects.last().expect("one of them broke it").clone(),
            suspects: end.suspects.clone(),
            passing: end.passing.clone(),
            failing: end.failing.clone(),
            hunks: hunks
                .map(|hunk| (hunk.atoms, hunk.without.map(reported)))
                .collect(),
            is_minimal_by_line: culprit.is_minimal_by_line,
            atoms: culprit.atoms,
            of_patch: {
                let patch = self.patch_of(&end.failing);
                let patch = patch.map_err(|error| broken(&error))?;
                patch.backport.shared_with(space.difference())
            },
            space,
        })
    }
}

fn from_doubt(commits: &[Commit], doubt: Doubt) -> Broken {
    let Doubt {
        revision,
        failing,
        passing,
        space,
        atoms,
    } = doubt;
    let tree = passing.with(yester_patch::applied(&space, &atoms));
    Broken {
        good: commits[revision].clone(),
        bad: commits[failing].clone(),
        suspects: vec![commits[failing].clone()],
        hunks: vec![(atoms.clone(), None)],
        is_minimal_by_line: true,
        failing: tree,
        passing,
        of_patch: AtomSet::empty(atoms.universe()),
        atoms,
        space,
    }
}

impl Line<'_> {
    fn walk(&mut self, far_first: bool) -> Result<Walk, Stop> {
        self.lab.enter(Phase {
            what: "walking back",
            deltas: self.commits.len(),
        });
        match self.job.arguments.plain {
            true => step_by_step(self),
            false => gallop(self, far_first),
        }
    }

    /// The two trees at which a walk has ended, if one of them passes.
    fn end(&mut self, walk: &Walk) -> Result<Option<End>, Stop> {
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
            failing: doubt
                .passing
                .with(yester_patch::applied(&doubt.space, &doubt.atoms)),
            passing: doubt.passing.clone(),
            suspects: vec![self.commits[failing].clone()],
            good: self.commits[passing].clone(),
        })
    }

    /// Looks for the end of the walk among the commits that a merge has brought in, if one of them broke it.
    fn look_into_merge(&mut self, end: &End) -> Result<Option<(End, Vec<Commit>, u64)>, Stop> {
        let [merge] = &end.suspects[..] else {
            return Ok(None);
        };
        for parent in merge.parents.iter().skip(1) {
            let first = &merge.parents[0];
            let arguments = ["--first-parent", parent, &format!("^{first}")];
            let side = self.job.repository.commits(&arguments);
            let mut side = side.map_err(|error| broken(&error))?;
            let Some(fork) = side.last().and_then(|last| last.parents.first()) else {
                continue;
            };
            let fork = self.job.repository.commit(fork);
            side.push(fork.map_err(|error| broken(&error))?);
            side.insert(0, merge.clone());
            let mut line = Line::new(self.job, self.lab, self.baseline, side, end.failing.clone())?;
            let tip = match line.test(1)? {
                Outcome::Unresolved => match line.repair(1, 0)? {
                    Repair::Fails | Repair::FailsByItself => Outcome::Fail,
                    Repair::Passes | Repair::Impossible => Outcome::Pass,
                },
                outcome => outcome,
            };
            if tip != Outcome::Fail {
                continue;
            }
            let walk = line.walk(false)?;
            let skipped = walk.skipped.iter();
            let skipped = skipped.map(|revision| line.commits[*revision].clone());
            let skipped: Vec<Commit> = skipped.collect();
            let patch_trials = line.patch_trials;
            if let Some(inner) = line.end(&walk)? {
                return Ok(Some(match line.look_into_merge(&inner)? {
                    Some((deeper, more, trials)) => {
                        (deeper, [skipped, more].concat(), patch_trials + trials)
                    }
                    None => (inner, skipped, patch_trials),
                }));
            }
        }
        Ok(None)
    }

    /// The revisions from one to the newest, each with the tree that fails.
    fn way_forward(&self, failing: usize) -> Result<Vec<(Commit, Option<Tree>)>, Stop> {
        (0..=failing)
            .rev()
            .map(|revision| Ok((self.commits[revision].clone(), self.failing_tree(revision)?)))
            .collect()
    }

    /// Why no revision was found that passes.
    fn reason(&self, walk: &Walk) -> String {
        let oldest = self.commits[walk.failing].short();
        match walk.stuck {
            Some(stuck) => format!(
                "{oldest} fails, and {} cannot be made to without touching pinned files",
                self.commits[stuck].short()
            ),
            None if walk.failing + 1 == self.commits.len() && self.patches.len() > 1 => format!(
                "no revision passes: with the patches that they need, all fail as the newest one does, down to \
                 {oldest}; what breaks them may be in {BACKPORT}"
            ),
            None if walk.failing + 1 == self.commits.len() => {
                format!("no revision passes: all fail as the newest one does, down to {oldest}")
            }
            None => format!("no revision passes; the oldest that fails is {oldest}"),
        }
    }
}
