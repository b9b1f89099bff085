//! The commits that a merge has brought in.

use yester_core::{Outcome, Repair, Revisions, Stop};

use super::iteration::End;
use super::line::Line;
use crate::Commit;

impl Line<'_> {
    /// Looks for the end of the walk among the commits that a merge has brought in, if one of them broke it.
    pub fn look_into_merge(&mut self, end: &End) -> Result<Option<(End, Vec<Commit>, u64)>, Stop> {
        let [merge] = &end.suspects[..] else {
            return Ok(None);
        };
        for parent in merge.parents.iter().skip(1) {
            let first = &merge.parents[0];
            let arguments = ["--first-parent", parent, &format!("^{first}")];
            let side = self.history.repository.commits(&arguments);
            let mut side = side?;
            let Some(fork) = side.last().and_then(|last| last.parents.first()) else {
                continue;
            };
            let fork = self.history.repository.commit(fork);
            side.push(fork?);
            side.insert(0, merge.clone());
            let newest = end.failing.clone();
            let mut line = Line::new(self.history, self.lab, self.read, side, newest)?;
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
}
