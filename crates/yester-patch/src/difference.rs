//! Everything that differs between two versions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use yester_core::Subset;

use crate::atom::cut;
use crate::line::{LineEnds, hunks, is_text};
use crate::rename::renames;
use crate::version::VersionFile;
use crate::{FileEdit, FileKind, FileState, LineEdit, PatchError, Version};

/// A set of atoms of a difference, whatever deltas hold them.
pub type AtomSet = Subset;

/// Everything that differs between two versions, as changes of files in the order of their paths. Atoms are numbered across
/// all changes.
#[derive(Clone, Debug)]
pub struct VersionDifference {
    /// The changed files.
    pub changes: Vec<FileChange>,
    /// Paths that exclude each other, because one is a directory of the other; each with its change.
    pub(crate) clashes: Vec<[(usize, String); 2]>,
    atoms: usize,
}

/// What happened to one file. No two changes have a path in common.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// Its path and state in GOOD.
    pub old: Option<(String, FileState)>,
    /// Its path and state in BAD.
    pub new: Option<(String, FileState)>,
    /// The number of its first atom.
    pub first: usize,
    /// Its atoms.
    pub edits: Vec<FileEdit>,
    pub(crate) old_lines: LineEnds,
    pub(crate) new_lines: LineEnds,
}

/// Neighbouring atoms of one kind, as a person would name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSpan {
    /// The path in BAD, or in GOOD if BAD does not have it.
    pub path: String,
    /// `created`, `deleted`, `renamed`, `mode`, `replaced` or `lines`.
    pub kind: &'static str,
    /// The lines of the old file, counted from 0.
    pub old: Range<u32>,
    /// The lines of the new file, counted from 0.
    pub new: Range<u32>,
}

impl VersionDifference {
    /// Compares two versions.
    pub fn between<'a>(good: &'a Version, bad: &'a Version) -> Result<Self, PatchError> {
        let (mut old_reader, mut new_reader) = (good.reader(), bad.reader());
        let is_same = |old: &VersionFile, new: &VersionFile| {
            old.same_content(new) == Some(true) && old.kind == new.kind
        };
        // Whatever is not the same for sure is read, first from one side and then from the other.
        let differs = |(path, old): &(&String, &VersionFile)| {
            let new = bad.items.get(*path);
            new.is_none_or(|new| !is_same(old, new))
        };
        let named = |(path, file): (&'a String, &'a VersionFile)| (path.as_str(), file);
        let mut olds = BTreeMap::new();
        old_reader.each(good.items.iter().filter(differs).map(named), |path, old| {
            olds.insert(path, old);
            Ok(())
        })?;
        let is_wanted = |(path, _): &(&String, &VersionFile)| {
            olds.contains_key(path.as_str()) || !good.items.contains_key(*path)
        };
        let (mut changes, mut added) = (Vec::new(), Vec::new());
        let mut news = Vec::new();
        new_reader.each(
            bad.items.iter().filter(is_wanted).map(named),
            |path, new| {
                news.push((path, new));
                Ok(())
            },
        )?;
        for (path, new) in news {
            let new = (path.to_owned(), new);
            match olds.remove(path) {
                Some(old) if old == new.1 => {}
                Some(old) => {
                    let old = (path.to_owned(), old);
                    changes.push(FileChange::of(Some(old), Some(new)));
                }
                None => added.push(new),
            }
        }
        let deleted = olds.into_iter();
        let deleted: Vec<_> = deleted.map(|(path, old)| (path.to_owned(), old)).collect();
        let new_place: BTreeMap<usize, usize> = renames(&deleted, &added).into_iter().collect();
        let mut added: Vec<Option<(String, FileState)>> = added.into_iter().map(Some).collect();
        for (place, old) in deleted.into_iter().enumerate() {
            let new = new_place.get(&place).and_then(|place| added[*place].take());
            changes.push(FileChange::of(Some(old), new));
        }
        let created = added.into_iter().flatten();
        changes.extend(created.map(|new| FileChange::of(None, Some(new))));
        Ok(Self::of(changes))
    }

    fn of(mut changes: Vec<FileChange>) -> Self {
        changes.sort_by(|one, other| one.path().cmp(other.path()));
        let mut atoms = 0;
        for change in &mut changes {
            change.first = atoms;
            atoms += change.edits.len();
        }
        VersionDifference {
            clashes: clashes(&changes),
            changes,
            atoms,
        }
    }

    /// How many atoms there are.
    pub fn atoms(&self) -> usize {
        self.atoms
    }

    /// The change that an atom is part of.
    pub fn change_of(&self, atom: usize) -> usize {
        self.changes.partition_point(|change| change.first <= atom) - 1
    }

    /// One atom.
    pub fn edit(&self, atom: usize) -> &FileEdit {
        let change = &self.changes[self.change_of(atom)];
        &change.edits[atom - change.first]
    }

    /// The change that has a path in GOOD or BAD.
    pub(crate) fn change_at(&self, path: &str) -> Option<usize> {
        let has =
            |side: &Option<(String, FileState)>| side.as_ref().is_some_and(|(at, _)| at == path);
        self.changes
            .iter()
            .position(|change| has(&change.old) || has(&change.new))
    }

    /// How many lines an atom changes, as `git diff --stat` counts; at least 1.
    pub fn weight(&self, atom: usize) -> u64 {
        let change = &self.changes[self.change_of(atom)];
        match &change.edits[atom - change.first] {
            FileEdit::Line(edit) => (edit.old.len() + edit.new.len()) as u64,
            FileEdit::Delete => u64::from(change.old_lines.len().max(1)),
            _ => 1,
        }
    }

    /// The paths of the files that some atoms change, before and after it.
    pub fn paths(&self, atoms: &AtomSet) -> Vec<String> {
        let is_touched = |change: &&FileChange| {
            let mut of_change = change.first..change.first + change.edits.len();
            of_change.any(|atom| atoms.contains(atom))
        };
        let changes = self.changes.iter().filter(is_touched);
        let sides = changes.flat_map(|change| [&change.old, &change.new]);
        sides.flatten().map(|(path, _)| path.clone()).collect()
    }

    /// The files that are read, as far as is known. Nobody has looked at files that none of these versions has.
    pub fn read<'a>(
        &self,
        read: &BTreeSet<String>,
        known: impl IntoIterator<Item = &'a Version>,
    ) -> BTreeSet<String> {
        let known: BTreeSet<&str> = known
            .into_iter()
            .flat_map(|version| version.paths().map(|(path, _)| path))
            .collect();
        let changes = self.changes.iter();
        let paths = changes.flat_map(|change| [&change.old, &change.new]);
        let paths = paths.flatten().map(|(path, _)| path);
        let unknown = paths.filter(|path| !known.contains(path.as_str()));
        read.iter().chain(unknown).cloned().collect()
    }

    /// Some atoms as a person would name them, in order.
    pub fn spans(&self, atoms: &AtomSet) -> Vec<ChangeSpan> {
        let mut spans: Vec<ChangeSpan> = Vec::new();
        let mut last = None;
        for atom in atoms.iter() {
            let number = self.change_of(atom);
            let change = &self.changes[number];
            let (kind, old, new, hunk) = match &change.edits[atom - change.first] {
                FileEdit::Line(LineEdit { hunk, old, new }) => {
                    ("lines", old.clone(), new.clone(), Some(*hunk))
                }
                FileEdit::Create => ("created", 0..0, 0..0, None),
                FileEdit::Delete => ("deleted", 0..change.old_lines.len(), 0..0, None),
                FileEdit::Rename => ("renamed", 0..0, 0..0, None),
                FileEdit::Mode => ("mode", 0..0, 0..0, None),
                FileEdit::Replace => ("replaced", 0..0, 0..0, None),
            };
            let follows = hunk.is_some() && last == Some((atom.wrapping_sub(1), number, hunk));
            match spans.last_mut().filter(|_| follows) {
                Some(span) => (span.old.end, span.new.end) = (old.end, new.end),
                None => spans.push(ChangeSpan {
                    path: change.path().to_owned(),
                    kind,
                    old,
                    new,
                }),
            }
            last = Some((atom, number, hunk));
        }
        spans
    }
}

impl FileChange {
    fn of(old: Option<(String, FileState)>, new: Option<(String, FileState)>) -> Self {
        let is_text = |state: &FileState| state.kind.is_file() && is_text(&state.content);
        let has_no_other = |side: &Option<(String, FileState)>| {
            side.as_ref().is_none_or(|(_, state)| is_text(state))
        };
        let lines = |side: &Option<(String, FileState)>| match side {
            Some((_, state)) if is_text(state) => LineEnds::of(&state.content),
            _ => LineEnds::default(),
        };
        let both_text = has_no_other(&old) && has_no_other(&new);
        let mut change = FileChange {
            old_lines: lines(&old),
            new_lines: lines(&new),
            old,
            new,
            first: 0,
            edits: Vec::new(),
        };
        change.edits = change.file_edits(both_text);
        if both_text && change.new.is_some() {
            change.edits.extend(change.line_edits());
        }
        change
    }

    fn file_edits(&self, both_text: bool) -> Vec<FileEdit> {
        let (old, new) = match (&self.old, &self.new) {
            (Some(old), Some(new)) => (old, new),
            (None, _) => return vec![FileEdit::Create],
            (_, None) => return vec![FileEdit::Delete],
        };
        let mut edits = Vec::new();
        if old.0 != new.0 {
            edits.push(FileEdit::Rename);
        }
        let both_files = old.1.kind.is_file() && new.1.kind.is_file();
        if both_files && old.1.kind != new.1.kind {
            edits.push(FileEdit::Mode);
        }
        if !both_files || (!both_text && old.1.content != new.1.content) {
            edits.push(FileEdit::Replace);
        }
        edits
    }

    fn line_edits(&self) -> Vec<FileEdit> {
        let (old, new) = (self.old_content(), self.new_content());
        let mut edits = Vec::new();
        for (number, hunk) in hunks(old, new).iter().enumerate() {
            let cut = cut(
                hunk,
                number as u32,
                (old, &self.old_lines),
                (new, &self.new_lines),
            );
            edits.extend(cut.into_iter().map(FileEdit::Line));
        }
        edits.shrink_to_fit();
        edits
    }

    /// The path in BAD, or in GOOD when BAD does not have it.
    pub fn path(&self) -> &str {
        let side = self.new.as_ref().or(self.old.as_ref());
        &side.expect("a change has a side").0
    }

    /// Whether it has lines that can be applied alone.
    pub(crate) fn has_lines(&self) -> bool {
        matches!(self.edits.last(), Some(FileEdit::Line(_)))
    }

    pub(crate) fn old_content(&self) -> &[u8] {
        self.old.as_ref().map_or(&[], |(_, state)| &state.content)
    }

    pub(crate) fn new_content(&self) -> &[u8] {
        self.new.as_ref().map_or(&[], |(_, state)| &state.content)
    }

    /// The path and state of the file with exactly these atoms applied, or `None` if there is no file then.
    pub fn state(&self, chosen: &Subset) -> Option<(&str, FileState)> {
        if chosen.is_empty() || chosen.len() == self.edits.len() {
            let side = if chosen.is_empty() {
                &self.old
            } else {
                &self.new
            };
            return side
                .as_ref()
                .map(|(path, state)| (path.as_str(), state.clone()));
        }
        let is_chosen = |edit: FileEdit| {
            let place = self.edits.iter().take(3).position(|found| *found == edit);
            place.is_some_and(|place| chosen.contains(place))
        };
        let (Some(new), Some(old)) = (&self.new, self.old.as_ref().or(self.new.as_ref())) else {
            // Deleting is one atom, so all or nothing of it was chosen.
            unreachable!("a deleted file has one atom");
        };
        let path = if is_chosen(FileEdit::Rename) {
            &new.0
        } else {
            &old.0
        };
        if is_chosen(FileEdit::Replace) && !(old.1.kind.is_file() && new.1.kind.is_file()) {
            return Some((path, new.1.clone()));
        }
        let kind = if is_chosen(FileEdit::Mode) {
            new.1.kind
        } else {
            old.1.kind
        };
        let content = match (self.has_lines(), is_chosen(FileEdit::Replace)) {
            (true, _) => self.splice(chosen).into(),
            (false, true) => new.1.content.clone(),
            (false, false) => old.1.content.clone(),
        };
        Some((path, FileState { kind, content }))
    }

    /// The text with some line edits applied.
    fn splice(&self, chosen: &Subset) -> Vec<u8> {
        let (old, new) = (self.old_content(), self.new_content());
        let mut text = Vec::with_capacity(old.len().max(new.len()));
        let mut push = |part: &[u8]| {
            // The last line of a file may have no line feed. If another line follows now, it gets one, so that two lines
            // never become one that neither version has.
            if !part.is_empty() && text.last().is_some_and(|last| *last != b'\n') {
                let end: &[u8] = if part.ends_with(b"\r\n") || text.contains(&b'\r') {
                    b"\r\n"
                } else {
                    b"\n"
                };
                text.extend_from_slice(end);
            }
            text.extend_from_slice(part);
        };
        let mut at = 0;
        for (place, edit) in self.edits.iter().enumerate() {
            let FileEdit::Line(edit) = edit else { continue };
            push(&old[self.old_lines.bytes(&(at..edit.old.start))]);
            if chosen.contains(place) {
                push(&new[self.new_lines.bytes(&edit.new)])
            } else {
                push(&old[self.old_lines.bytes(&edit.old)])
            }
            at = edit.old.end;
        }
        push(&old[self.old_lines.bytes(&(at..self.old_lines.len()))]);
        text
    }
}

/// Paths of changes that are a directory of another one's path.
fn clashes(changes: &[FileChange]) -> Vec<[(usize, String); 2]> {
    let mut paths: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, change) in changes.iter().enumerate() {
        for (path, state) in change.old.iter().chain(&change.new) {
            // A submodule is an empty directory itself.
            if state.kind != FileKind::Submodule {
                paths.insert(path, number);
            }
        }
    }
    let mut clashes = Vec::new();
    for (path, number) in &paths {
        for (at, _) in path.match_indices('/') {
            if let Some((above, other)) = paths.get_key_value(&path[..at]) {
                clashes.push([(*other, (*above).to_owned()), (*number, (*path).to_owned())]);
            }
        }
    }
    clashes
}
