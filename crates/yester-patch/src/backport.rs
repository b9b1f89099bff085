//! A patch that goes from one revision to the next.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::space::chosen;
use crate::{
    AtomSet, Carriage, ChangeSpace, DeltaLevel, FileChange, FileEdit, FileState, LineEdit,
    PatchError, Version, VersionDifference,
};

/// Files of a version that are replaced: at each path is this, or nothing.
pub type Overlay = BTreeMap<String, Option<FileState>>;

/// What a set of atoms makes of the files that it touches.
pub fn applied(space: &ChangeSpace, atoms: &AtomSet) -> Overlay {
    let mut overlay = Overlay::new();
    let mut put = Vec::new();
    for change in &space.difference().changes {
        let chosen = chosen(change, atoms);
        if chosen.is_empty() {
            continue;
        }
        if let Some((path, _)) = &change.old {
            overlay.insert(path.clone(), None);
        }
        put.extend(
            change
                .state(&chosen)
                .map(|(path, state)| (path.to_owned(), Some(state))),
        );
    }
    overlay.extend(put);
    overlay
}

/// The changes that keep a test running on old revisions, as they are on one of them.
#[derive(Clone)]
pub struct Backport {
    space: ChangeSpace,
}

impl Backport {
    /// What replacing these files does to a version.
    pub fn new(version: &Version, overlay: &Overlay) -> Result<Self, PatchError> {
        let mut before = Vec::new();
        for path in overlay.keys() {
            before.extend(version.state(path)?.map(|state| (path.clone(), state)));
        }
        let after = overlay
            .iter()
            .filter_map(|(path, state)| Some((path.clone(), state.clone()?)));
        let difference = VersionDifference::between(&Version::of(before), &Version::of(after))?;
        Ok(Backport {
            space: ChangeSpace::new(difference, DeltaLevel::Hunk, None),
        })
    }

    /// The changes, hunk by hunk.
    pub fn space(&self) -> &ChangeSpace {
        &self.space
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.space.difference().atoms() == 0
    }

    /// All of its atoms.
    pub fn atoms(&self) -> AtomSet {
        AtomSet::full(self.space.difference().atoms())
    }

    /// How many lines it removes and adds.
    pub fn lines(&self) -> u64 {
        let difference = self.space.difference();
        self.atoms()
            .iter()
            .filter(|atom| *difference.edit(*atom) != FileEdit::Create)
            .map(|atom| difference.weight(atom))
            .sum()
    }

    /// The files that some of its atoms replace in another version. Nothing if that has changed in the same places.
    pub fn onto(
        &self,
        atoms: &AtomSet,
        version: &Version,
        renames: &BTreeMap<String, String>,
    ) -> Result<Option<Overlay>, PatchError> {
        let none = AtomSet::empty(atoms.universe());
        Ok(match self.space.carry((&none, atoms), version, renames)? {
            Carriage::Moved(difference) => {
                let all = AtomSet::full(difference.atoms());
                let space = ChangeSpace::new(difference, DeltaLevel::File, None);
                Some(applied(&space, &all))
            }
            Carriage::Present => Some(Overlay::new()),
            Carriage::Conflict => None,
        })
    }

    /// The same for all of it, or else for those hunks that fit. Nothing if none does.
    pub fn fitting(
        &self,
        version: &Version,
        renames: &BTreeMap<String, String>,
    ) -> Result<Option<Overlay>, PatchError> {
        let whole = self.onto(&self.atoms(), version, renames)?;
        if whole.is_some() || self.is_empty() {
            return Ok(whole);
        }
        let mut fitting = AtomSet::empty(self.atoms().universe());
        for hunk in self.hunks() {
            if self.onto(&hunk, version, renames)?.is_some() {
                fitting = fitting.union(&hunk);
            }
        }
        if fitting.is_empty() {
            Ok(None)
        } else {
            self.onto(&fitting, version, renames)
        }
    }

    /// The hunks, where a file that comes or goes is one.
    fn hunks(&self) -> Vec<AtomSet> {
        let difference = self.space.difference();
        let hunk = |atom: usize| {
            let number = difference.change_of(atom);
            let change = &difference.changes[number];
            match difference.edit(atom) {
                FileEdit::Line(edit) if change.old.is_some() => (number, Some(edit.hunk)),
                _ => (number, None),
            }
        };
        let atoms: Vec<usize> = self.atoms().iter().collect();
        atoms
            .chunk_by(|one, next| hunk(*one) == hunk(*next))
            .map(|atoms| AtomSet::of(difference.atoms(), atoms.iter().copied()))
            .collect()
    }

    /// Those atoms of a difference that do what this patch does, where both lead to the same version.
    pub fn shared_with(&self, difference: &VersionDifference) -> AtomSet {
        self.common(difference, |edit| &edit.new)
    }

    /// Those atoms of a difference that change the same places, where both start from the same version.
    pub fn same_places(&self, difference: &VersionDifference) -> AtomSet {
        self.common(difference, |edit| &edit.old)
    }

    fn common(
        &self,
        difference: &VersionDifference,
        side: impl Fn(&LineEdit) -> &Range<u32>,
    ) -> AtomSet {
        let mut common = AtomSet::empty(difference.atoms());
        for own in &self.space.difference().changes {
            let is_same = |change: &&FileChange| change.path() == own.path();
            let Some(change) = difference.changes.iter().find(is_same) else {
                continue;
            };
            let mut ranges: Vec<&Range<u32>> = Vec::new();
            let mut is_whole = false;
            for edit in &own.edits {
                match edit {
                    FileEdit::Line(edit) => ranges.push(side(edit)),
                    _ => is_whole = true,
                }
            }
            for (place, edit) in change.edits.iter().enumerate() {
                let is_common = match edit {
                    FileEdit::Line(edit) => ranges.iter().any(|range| meet(range, side(edit))),
                    // Lines need the file that they are in.
                    FileEdit::Create => true,
                    _ => is_whole,
                };
                if is_common {
                    common.insert(change.first + place);
                }
            }
        }
        common
    }
}

/// Whether two ranges of lines have a line in common, or a place if one of them is empty.
fn meet(one: &Range<u32>, other: &Range<u32>) -> bool {
    if one.is_empty() || other.is_empty() {
        one.start <= other.end && other.start <= one.end
    } else {
        one.start < other.end && other.start < one.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileKind;

    fn file(text: &str) -> FileState {
        FileState {
            kind: FileKind::File,
            content: text.as_bytes().into(),
        }
    }

    fn version(files: &[(&str, &str)]) -> Version {
        let files = files.iter();
        Version::of(files.map(|(path, text)| ((*path).to_owned(), file(text))))
    }

    fn patch(before: &[(&str, &str)], after: &[(&str, Option<&str>)]) -> Backport {
        let after = after.iter();
        let overlay = after.map(|(path, text)| ((*path).to_owned(), text.map(file)));
        Backport::new(&version(before), &overlay.collect()).expect("a patch")
    }

    fn fitting(patch: &Backport, onto: &[(&str, &str)]) -> Option<Overlay> {
        let none = BTreeMap::new();
        patch.fitting(&version(onto), &none).expect("a merge")
    }

    #[test]
    fn a_patch_goes_to_another_revision_as_far_as_it_fits() {
        let before = [("a", "1\n2\n3\n4\n5\n6\n7\n8\n")];
        let after = [
            ("a", Some("1\ntwo\n3\n4\n5\n6\nseven\n8\n")),
            ("new", Some("x\n")),
        ];
        let patch = patch(&before, &after);
        assert_eq!(patch.lines(), 5);
        let all = fitting(&patch, &[("a", "0\n1\n2\n3\n4\n5\n6\n7\n8\n")]).expect("it fits");
        assert_eq!(all["a"], Some(file("0\n1\ntwo\n3\n4\n5\n6\nseven\n8\n")));
        assert_eq!(all["new"], Some(file("x\n")));
        // Another hand has changed one of the two lines.
        let onto = [("a", "1\n2\n3\n4\n5\n6\nVII\n8\n")];
        let none = BTreeMap::new();
        let whole = patch.onto(&patch.atoms(), &version(&onto), &none);
        assert_eq!(whole.expect("a merge"), None);
        let part = fitting(&patch, &onto).expect("a part fits");
        assert_eq!(part["a"], Some(file("1\ntwo\n3\n4\n5\n6\nVII\n8\n")));
        assert_eq!(part["new"], Some(file("x\n")));
    }

    #[test]
    fn what_is_there_already_needs_no_change() {
        let patch = patch(
            &[("a", "1\n"), ("gone", "x\n")],
            &[("a", Some("2\n")), ("gone", None)],
        );
        assert_eq!(fitting(&patch, &[("a", "2\n")]), Some(Overlay::new()));
    }

    #[test]
    fn the_same_changes_are_found_in_a_wider_difference() {
        let (old, new) = ("1\n2\n3\n4\n5\n", "1\nII\n3\n4\nV\n");
        let wide = VersionDifference::between(&version(&[("a", old)]), &version(&[("a", new)]));
        let wide = wide.expect("a difference");
        // From the same version, and to the same version.
        let from = patch(&[("a", old)], &[("a", Some("1\nzwei\n3\n4\n5\n"))]);
        let text = |atoms: &AtomSet| {
            let space = ChangeSpace::new(wide.clone(), DeltaLevel::Line, None);
            applied(&space, atoms)["a"].clone().expect("a file")
        };
        assert_eq!(text(&from.same_places(&wide)), file("1\nII\n3\n4\n5\n"));
        let to = patch(&[("a", "1\nII\n3\n4\nfive\n")], &[("a", Some(new))]);
        assert_eq!(text(&to.shared_with(&wide)), file("1\n2\n3\n4\nV\n"));
    }
}
