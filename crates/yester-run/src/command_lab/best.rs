//! Whoever keeps the best answer so far.

use std::io;

use yester_core::{Candidate, Space, Subset};

/// Keeps the best answer so far, where it survives whatever happens to the search.
pub trait BestSoFar {
    /// Looks at something that fails. If it is better than all before, keeps it and says how much is left.
    fn consider(&mut self, failing: &Failing<'_>) -> io::Result<Option<u64>>;
}

/// Keeps nothing, for a search that nobody stops.
impl BestSoFar for () {
    fn consider(&mut self, _: &Failing<'_>) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

/// Something that fails as it should.
pub struct Failing<'a> {
    /// The candidate.
    pub candidate: &'a Candidate,
    pub(super) space: &'a dyn Space,
    pub(super) subset: &'a Subset,
}

impl Failing<'_> {
    /// The units of the problem that it stands for; see [`Space::units`].
    pub fn units(&self) -> Option<Subset> {
        self.space.units(self.subset)
    }
}
