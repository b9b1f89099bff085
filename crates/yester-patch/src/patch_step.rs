//! A step from one version to another.

use crate::{AtomSet, ChangeSpace, PatchError, patch};

/// A step from one version to another, as a patch.
pub struct PatchStep {
    /// The difference whose changes it is made of.
    pub space: ChangeSpace,
    /// The changes of the version before it.
    pub from: AtomSet,
    /// The changes of the version after it.
    pub to: AtomSet,
}

impl PatchStep {
    /// How many lines it removes and adds. The file that a line is in is no line.
    pub fn lines(&self) -> u64 {
        let patch = self.patch().unwrap_or_default();
        let lines = patch.split(|byte| *byte == b'\n');
        let is_change = |line: &&[u8]| {
            matches!(line.first(), Some(b'+' | b'-'))
                && !line.starts_with(b"+++ ")
                && !line.starts_with(b"--- ")
        };
        lines.filter(is_change).count() as u64
    }

    /// The patch, for `git apply` and `patch -p1`.
    pub fn patch(&self) -> Result<Vec<u8>, PatchError> {
        patch::write(&self.space, &self.from, &self.to)
    }
}
