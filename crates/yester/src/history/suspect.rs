//! Second thoughts about an answer: is what broke it part of a patch, and has it come back since?

use yester_core::{Lab, Outcome, Space, Stop, Subset};
use yester_patch::DeltaLevel;

use super::answer::Broken;
use super::line::{Doubt, Line};
use super::tree::{Tree, all_of, broken, test};

/// How many lines of a patch are taken away one by one.
const LINES: usize = 64;

/// How many later changes of the same files are looked at.
const LOOKED_AT: usize = 100;

impl Line<'_> {
    /// A border at which the patch has brought what breaks the test: without one of its lines, the revision passes. The
    /// newest one comes first, since that is where the line came into the patch.
    pub fn bug_in_patch(&mut self) -> Result<Option<Doubt>, Stop> {
        let borders: Vec<usize> = self.patches.keys().copied().filter(|at| *at > 0).collect();
        for revision in borders {
            let Some(patch) = self.smallest_at.get(&revision).cloned() else {
                continue;
            };
            let stop = |error| broken(&error);
            let plain = Tree::plain(&self.commits[revision]);
            let Some(tree) = self.job.patched(&patch, &plain.commit).map_err(stop)? else {
                continue;
            };
            let space = self.job.difference(&plain, &tree).map_err(stop)?;
            let lines = space.of(&all_of(&space), DeltaLevel::Line);
            if lines.len() > LINES {
                continue;
            }
            let all = Subset::full(lines.len());
            let mut without = (0..lines.len()).map(|line| all.without(&[line]));
            let found = self.lab.tester(&lines).first(&mut without, Outcome::Pass)?;
            let Some(line) = found else {
                continue;
            };
            let rest = lines.atoms(&all.without(&[line]));
            let passing = plain.with(yester_patch::applied(&space, &rest));
            let space = self.job.difference(&passing, &tree).map_err(stop)?;
            return Ok(Some(Doubt {
                revision,
                failing: self.newer_of(revision),
                passing,
                atoms: all_of(&space),
                space,
            }));
        }
        Ok(None)
    }

    /// The last revision after the one that broke it that is without it, and passes: it has come back since.
    pub fn last_without(&mut self, found: &Broken, failing: usize) -> Result<Option<usize>, Stop> {
        let stop = |error| broken(&error);
        let changes = found.space.difference().changes.iter();
        let is_touched = |first: usize, count: usize| {
            (first..first + count).any(|atom| found.atoms.contains(atom))
        };
        let paths: Vec<String> = changes
            .filter(|change| is_touched(change.first, change.edits.len()))
            .flat_map(|change| [&change.old, &change.new])
            .flatten()
            .map(|(path, _)| path.clone())
            .collect();
        let range = format!("{}..{}", self.commits[failing].id, self.commits[0].id);
        let mut arguments = vec!["--first-parent", &range, "--"];
        arguments.extend(paths.iter().map(String::as_str));
        let touching = self.job.repository.commits(&arguments).map_err(stop)?;
        let culprit = self.job.step(
            &found.passing,
            &found
                .passing
                .with(yester_patch::applied(&found.space, &found.atoms)),
        )?;
        for commit in touching.into_iter().take(LOOKED_AT) {
            let Some(revision) = self.commits.iter().position(|own| own.id == commit.id) else {
                continue;
            };
            let plain = Tree::plain(&commit);
            // Where it can be put in, it is not there.
            let moved = self.job.moved(&culprit, &plain).map_err(stop)?;
            if revision == 0 || moved.is_none_or(|tree| tree == plain) {
                continue;
            }
            let tree = self.failing_tree(revision)?.unwrap_or(plain);
            let passes = test(self.lab, self.job, &tree)?.outcome == Outcome::Pass;
            return Ok(passes.then_some(revision));
        }
        Ok(None)
    }
}
