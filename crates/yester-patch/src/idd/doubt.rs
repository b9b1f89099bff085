//! Second thoughts about the end of a walk: is what broke it part of a patch, and has it come back since?

use yester_core::{Outcome, Space, Stop, Subset};

use super::line::{Doubt, Line};
use super::origin::Broken;
use super::tree::{Tree, readable, test};
use crate::{DeltaLevel, applied};

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
            let plain = Tree::plain(&self.commits[revision]);
            let patched = readable(self.history.patched(&patch, &plain.commit))?;
            let Some(tree) = patched.flatten() else {
                continue;
            };
            let Some(space) = readable(self.history.difference(&plain, &tree))? else {
                continue;
            };
            let lines = space.of(&space.all(), DeltaLevel::Line);
            if lines.len() > LINES {
                continue;
            }
            let all = Subset::full(lines.len());
            // A test without one of its own lines passes for no reason.
            let own: Vec<usize> = (0..lines.len())
                .filter(|line| {
                    let atoms = lines.atoms(&Subset::of(lines.len(), [*line]));
                    let spans = space.difference().spans(&atoms);
                    !spans.iter().any(|span| self.history.is_named(&span.path))
                })
                .collect();
            let mut without = own.iter().map(|line| all.without(&[*line]));
            let found = self.lab.tester(&lines).first(&mut without, Outcome::Pass)?;
            let Some(line) = found.map(|place| own[place]) else {
                continue;
            };
            let rest = lines.atoms(&all.without(&[line]));
            let passing = plain.with(applied(&space, &rest));
            let space = self.history.difference(&passing, &tree)?;
            return Ok(Some(Doubt {
                revision,
                failing: self.newer_of(revision),
                passing,
                atoms: space.all(),
                space,
            }));
        }
        Ok(None)
    }

    /// The last revision after the one that broke it that is without it, and passes: it has come back since.
    pub fn last_without(&mut self, found: &Broken, failing: usize) -> Result<Option<usize>, Stop> {
        let paths = found.space.difference().paths(&found.atoms);
        let range = format!("{}..{}", self.commits[failing].id, self.commits[0].id);
        let mut arguments = vec!["--first-parent", &range, "--"];
        arguments.extend(paths.iter().map(String::as_str));
        let touching = readable(self.history.repository.commits(&arguments))?;
        // Where git cannot tell because a tree is missing, any of them may.
        let touching = touching.unwrap_or_else(|| self.commits[..failing].to_vec());
        let culprit = self.history.step(
            &found.passing,
            &found.passing.with(applied(&found.space, &found.atoms)),
        )?;
        for commit in touching.into_iter().take(LOOKED_AT) {
            let Some(revision) = self.commits.iter().position(|own| own.id == commit.id) else {
                continue;
            };
            let plain = Tree::plain(&commit);
            // Where it can be put in, it is not there.
            let moved = readable(self.history.moved(&culprit, &plain))?.flatten();
            if revision == 0 || moved.is_none_or(|tree| tree == plain) {
                continue;
            }
            let tree = self.failing_tree(revision)?.unwrap_or(plain);
            let passes = test(self.lab, self.history, &tree)?.outcome == Outcome::Pass;
            return Ok(passes.then_some(revision));
        }
        Ok(None)
    }
}
