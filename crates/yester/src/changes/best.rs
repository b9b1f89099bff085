//! The fewest changes so far that make the good version fail.

use std::io;

use yester_patch::regression::BrokenBy;
use yester_run::{BestSoFar, Failing};

pub struct FewestChanges {
    pub changes: BrokenBy,
    lines: u64,
}

impl FewestChanges {
    /// Starts with these changes, which fail.
    pub fn new(changes: BrokenBy) -> FewestChanges {
        FewestChanges {
            lines: changes.space.lines(&changes.atoms),
            changes,
        }
    }
}

impl BestSoFar for FewestChanges {
    fn consider(&mut self, failing: &Failing<'_>) -> io::Result<Option<u64>> {
        // A commit of the history is no set of changes.
        let Some(atoms) = failing.units() else {
            return Ok(None);
        };
        let lines = self.changes.space.lines(&atoms);
        if lines >= self.lines {
            return Ok(None);
        }
        self.changes.atoms = atoms;
        self.lines = lines;
        Ok(Some(lines))
    }
}
