//! Which deltas are likely to be to blame, before any of them is tried.

use std::collections::BTreeSet;

use yester_core::{Grouping, Space, Subset};

use super::tuning::TUNING;
use crate::language::is_for_people;
use crate::{ChangeSpace, FileChange, FileEdit};

/// How likely each delta is to be part of the answer, compared with the others.
pub(super) struct Suspicion {
    masses: Vec<f64>,
    /// The deltas of files that nothing reads or only people read, and those of comments or blanks only.
    idle: Subset,
}

impl Suspicion {
    /// What can be told from the deltas themselves, the files that are `read`, and the atoms of the commits that are to blame.
    pub fn new(
        space: &ChangeSpace,
        read: Option<&BTreeSet<String>>,
        guilty: &BTreeSet<usize>,
    ) -> Suspicion {
        let difference = space.difference();
        let mut idle = Subset::empty(space.len());
        let class = (0..space.len()).map(|delta| {
            let atoms = space.atoms(&Subset::of(space.len(), [delta]));
            let atom = atoms.iter().next().expect("a delta has atoms");
            let change = &difference.changes[difference.change_of(atom)];
            let is_whole = !matches!(difference.edit(atom), FileEdit::Line(_));
            let mut class = 1.0;
            if !is_read(read, change)
                || is_for_people(change.path())
                || space.is_insignificant(delta)
            {
                class *= TUNING.unlikely;
                idle.insert(delta);
            } else if is_whole {
                class *= TUNING.whole_file;
            }
            if atoms.iter().any(|atom| guilty.contains(&atom)) {
                class *= TUNING.guilty_commit;
            }
            class
        });
        let class: Vec<f64> = class.collect();
        // More lines, more places for a mistake.
        let lines = (0..space.len()).map(|delta| space.weight(delta).clamp(1, TUNING.most_lines));
        let masses = lines
            .zip(class)
            .map(|(lines, class)| class * (lines as f64).sqrt());
        Suspicion {
            masses: masses.collect(),
            idle,
        }
    }

    pub fn mass(&self, delta: usize) -> f64 {
        self.masses[delta]
    }

    /// What can hardly be to blame.
    pub fn idle(&self) -> &Subset {
        &self.idle
    }

    /// The likely ones first, neighbours together.
    pub fn grouping(&self, space: &ChangeSpace) -> Grouping {
        // Only orders of magnitude count: within one, what lies together stays together.
        let rank = |delta: usize| (100.0 - 4.0 * self.masses[delta].log10()) as u32;
        space.grouping(rank)
    }
}

/// Whether the build or the test of either version reads a changed file, as far as is known.
pub(super) fn is_read(read: Option<&BTreeSet<String>>, change: &FileChange) -> bool {
    let paths = [&change.old, &change.new];
    let mut paths = paths.into_iter().flatten().map(|(path, _)| path);
    read.is_none_or(|read| paths.any(|path| read.contains(path)))
}
