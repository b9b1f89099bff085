//! The commits that a merge has brought in.

use yester_core::{Outcome, Repair, Revisions, Stop};

use super::iteration::End;
use super::line::Line;
use crate::{BrokenMerge, Commit, MergeCause};

/// What a look into a merge has shown.
#[derive(Default)]
pub struct Insight {
    /// The merges that were looked into, the outermost first.
    pub merges: Vec<BrokenMerge>,
    /// The end of the walk among the commits that they brought in, if one of those broke it.
    pub end: Option<End>,
    /// Revisions that were passed over there.
    pub skipped: Vec<Commit>,
    /// How many trials went into patches.
    pub patch_trials: u64,
}

impl Line<'_> {
    /// If the walk has ended at a merge, looks for its end among the commits that the merge has brought in.
    pub fn look_into_merge(&mut self, end: &End) -> Result<Insight, Stop> {
        let mut insight = Insight::default();
        let [merge] = &end.suspects[..] else {
            return Ok(insight);
        };
        if merge.parents.len() < 2 {
            return Ok(insight);
        }
        let mut seen = BrokenMerge::new(merge);
        for parent in merge.parents.iter().skip(1) {
            let first = &merge.parents[0];
            let arguments = ["--first-parent", parent, &format!("^{first}")];
            let mut side = self.history.repository.commits(&arguments)?;
            let Some(oldest) = side.last() else {
                continue;
            };
            let Some(fork) = oldest.parents.first() else {
                // It has a beginning of its own: no version before it could pass.
                seen.cause = MergeCause::Unknown;
                continue;
            };
            let fork = self.history.repository.commit(fork)?;
            let tip = side[0].clone();
            side.push(fork);
            side.insert(0, merge.clone());
            let newest = end.failing.clone();
            let mut line = Line::new(self.history, self.lab, self.read, side, newest)?;
            let outcome = match line.test(1)? {
                Outcome::Unresolved => match line.repair(1, 0)? {
                    Repair::Fails | Repair::FailsByItself => Outcome::Fail,
                    Repair::Passes => Outcome::Pass,
                    Repair::Impossible => Outcome::Unresolved,
                },
                outcome => outcome,
            };
            if outcome != Outcome::Fail {
                seen.add(&tip, outcome);
                insight.patch_trials += line.patch_trials;
                continue;
            }
            let walk = line.walk(false)?;
            let inner = line.end(&walk)?;
            insight.patch_trials += line.patch_trials;
            let Some(inner) = inner else {
                // Nobody knows whether it failed before it branched off.
                seen.add(&tip, Outcome::Fail);
                seen.cause = MergeCause::Unknown;
                continue;
            };
            seen.blame(&tip, Outcome::Fail);
            let skipped = walk.skipped.iter();
            let skipped = skipped.map(|revision| line.commits[*revision].clone());
            insight.skipped.extend(skipped);
            let deeper = line.look_into_merge(&inner)?;
            insight.merges.push(seen);
            insight.merges.extend(deeper.merges);
            insight.skipped.extend(deeper.skipped);
            insight.patch_trials += deeper.patch_trials;
            insight.end = Some(deeper.end.unwrap_or(inner));
            return Ok(insight);
        }
        insight.merges.push(seen);
        Ok(insight)
    }
}
