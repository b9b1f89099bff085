//! The fewest changes so far that make the good version fail.

use std::io;
use std::rc::Rc;

use yester_patch::{AtomSet, ChangeSpace, Commit};
use yester_run::{BestSoFar, Failing};

use super::home::Home;
use crate::versions::lines;

pub struct FewestChanges {
    pub space: ChangeSpace,
    pub atoms: AtomSet,
    lines: u64,
    /// The step of the history that they are of.
    pub home: Option<Rc<Home>>,
    /// The commit that broke it, as far as that is known.
    pub commit: Option<Commit>,
}

impl FewestChanges {
    /// Starts with these changes, which fail.
    pub fn new(space: &ChangeSpace, atoms: AtomSet) -> FewestChanges {
        FewestChanges {
            lines: lines(space, &atoms),
            space: space.clone(),
            atoms,
            home: None,
            commit: None,
        }
    }

    /// Starts with all changes of a step of the history.
    pub fn at_home(home: &Rc<Home>) -> FewestChanges {
        let all = AtomSet::full(home.space.difference().atoms());
        FewestChanges {
            home: Some(Rc::clone(home)),
            commit: home.commit().cloned(),
            ..FewestChanges::new(&home.space, all)
        }
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
