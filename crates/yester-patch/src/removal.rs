//! What to take out of a version so that some changes are gone.

use yester_core::{Space, Subset};

use crate::{AtomSet, ChangeSpace, DeltaLevel, FileEdit};

/// What to take out of a version so that some changes are gone: the changes alone, then with the rest of their hunks, of
/// their entities, and with all that needs these.
pub fn wider(space: &ChangeSpace, atoms: &AtomSet) -> Vec<AtomSet> {
    let all = AtomSet::full(atoms.universe());
    let mut sets = Vec::new();
    sets.extend(only_lines(space, atoms));
    sets.push(with_all_of_created(space, atoms));
    for level in [DeltaLevel::Hunk, DeltaLevel::Entity] {
        let whole = space.of(&all, level);
        let around = whole.atoms(&whole.deltas_of(atoms));
        sets.push(with_all_of_created(space, &around));
    }
    let entities = space.of(&all, DeltaLevel::Entity);
    let rest = Subset::full(entities.len()).difference(&entities.deltas_of(atoms));
    let rest = entities.knowledge().interior(&rest);
    sets.push(all.difference(&entities.atoms(&rest)));
    sets.dedup();
    sets
}

/// The lines among these changes of files that stay: a file that is created with other lines stays with those. Nothing if
/// a file comes with no line of its own.
fn only_lines(space: &ChangeSpace, atoms: &AtomSet) -> Option<AtomSet> {
    let mut lines = atoms.clone();
    for change in &space.difference().changes {
        let mut of_change = change.first..change.first + change.edits.len();
        let is_created = change.edits.first() == Some(&FileEdit::Create);
        if is_created && atoms.contains(change.first) {
            let has_other_lines = of_change.any(|atom| !atoms.contains(atom));
            let has_lines = (change.first + 1..change.first + change.edits.len())
                .any(|atom| atoms.contains(atom));
            if has_other_lines && !has_lines {
                return None;
            }
            if has_other_lines {
                lines = lines.without(&[change.first]);
            }
        }
    }
    Some(lines)
}

/// What has to go when these changes are taken out of BAD: a file that is not created has no lines either.
pub fn with_all_of_created(space: &ChangeSpace, atoms: &AtomSet) -> AtomSet {
    let difference = space.difference();
    let mut all = atoms.clone();
    for atom in atoms
        .iter()
        .filter(|atom| *difference.edit(*atom) == FileEdit::Create)
    {
        let change = &difference.changes[difference.change_of(atom)];
        (0..change.edits.len()).for_each(|place| all.insert(change.first + place));
    }
    all
}
