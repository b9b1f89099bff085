//! The fewest changes so far that make the good version fail.

use std::io;

use yester_patch::{AtomSet, ChangeSpace};
use yester_run::{BestSoFar, Failing};

use super::answer::lines;

pub struct FewestChanges {
    space: ChangeSpace,
    atoms: AtomSet,
    lines: u64,
}

impl FewestChanges {
    /// Starts with these changes, which fail.
    pub fn new(space: &ChangeSpace, atoms: AtomSet) -> FewestChanges {
        FewestChanges {
            lines: lines(space, &atoms),
            space: space.clone(),
            atoms,
        }
    }

    pub fn atoms(&self) -> &AtomSet {
        &self.atoms
    }
}

impl BestSoFar for FewestChanges {
    fn consider(&mut self, failing: &Failing<'_>) -> io::Result<Option<u64>> {
        // A commit of the history is no set of changes.
        let Some(atoms) = failing.units() else {
            return Ok(None);
        };
        let lines = lines(&self.space, &atoms);
        if lines >= self.lines {
            return Ok(None);
        }
        self.atoms = atoms;
        self.lines = lines;
        Ok(Some(lines))
    }
}
