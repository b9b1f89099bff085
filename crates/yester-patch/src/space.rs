//! The deltas at one level, and what a subset of them renders to.

use std::collections::BTreeMap;
use std::sync::Arc;

use yester_core::{Candidate, Grouping, Infeasible, Space, Subset, abridged};

use crate::language::{family, is_compiled};
use crate::outline::significant;
use crate::shared::{NameCheck, SharedDifference};
use crate::{
    AtomSet, Entries, FileChange, FileEdit, FileKind, FileState, LineEdit, Outliner,
    VersionDifference,
};

/// How fine the deltas are. Each level cuts the deltas of the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeltaLevel {
    /// All that changed in the files of one directory.
    Directory,
    /// All that changed in one file.
    File,
    /// What changed in one function, class or section, or a hunk outside of any.
    Entity,
    /// Changed lines next to each other, in one entity.
    Hunk,
    /// One line, or one line that became another.
    Line,
}

/// The deltas between two versions. GOOD is the base tree; all deltas together give BAD.
#[derive(Clone)]
pub struct ChangeSpace {
    pub(crate) shared: Arc<SharedDifference>,
    pub(crate) deltas: Vec<Delta>,
    beneath: Arc<Entries>,
    name_check: NameCheck,
}

/// Atoms that are applied together or not at all.
#[derive(Clone, Debug)]
pub(crate) struct Delta {
    label: String,
    pub atoms: Vec<u32>,
}

/// What the atoms of a delta have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum DeltaKey<'a> {
    Directory(&'a str),
    Change(usize),
    Entity(usize, Option<u32>),
    Hunk(usize, Option<u32>, u32),
    Atom(usize),
}

/// What names a group: a text or a number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum GroupId<'a> {
    Name(&'a str),
    Number(u32),
}

impl ChangeSpace {
    /// Everything that differs, at one level. With an outliner, there are entities, and a file that no longer parses is
    /// infeasible.
    pub fn new(
        difference: VersionDifference,
        level: DeltaLevel,
        outliner: Option<Arc<dyn Outliner>>,
    ) -> Self {
        let atoms = AtomSet::full(difference.atoms());
        let space = ChangeSpace {
            shared: Arc::new(SharedDifference::new(difference, outliner)),
            deltas: Vec::new(),
            beneath: Arc::default(),
            name_check: NameCheck::Compiled,
        };
        space.of(&atoms, level)
    }

    /// The same difference, with these atoms only, at any level. All others stay as in GOOD.
    pub fn of(&self, atoms: &AtomSet, level: DeltaLevel) -> Self {
        let mut groups: BTreeMap<DeltaKey<'_>, Vec<u32>> = BTreeMap::new();
        let mut change = 0;
        for atom in atoms.iter() {
            while self
                .changes()
                .get(change + 1)
                .is_some_and(|next| next.first <= atom)
            {
                change += 1;
            }
            groups
                .entry(self.key(change, atom, level))
                .or_default()
                .push(atom as u32);
        }
        let mut atoms: Vec<Vec<u32>> = groups.into_values().collect();
        atoms.sort_unstable_by_key(|atoms| atoms[0]);
        let label = |atoms: &Vec<u32>| self.label_of(atoms, level);
        self.of_groups(
            atoms
                .into_iter()
                .map(|atoms| (label(&atoms), atoms))
                .collect(),
        )
    }

    /// The same difference, grouped by another criterion, such as the commits that the atoms come from.
    pub(crate) fn of_groups(&self, groups: Vec<(String, Vec<u32>)>) -> Self {
        let deltas = groups
            .into_iter()
            .map(|(label, atoms)| Delta { label, atoms });
        ChangeSpace {
            deltas: deltas.collect(),
            ..self.clone()
        }
    }

    /// The chosen deltas only, cut finer.
    pub fn refine(&self, subset: &Subset, level: DeltaLevel) -> Self {
        self.of(&self.atoms(subset), level)
    }

    /// The same deltas over another base tree, where GOOD is that base tree with these entries.
    pub fn over(&self, beneath: Entries) -> Self {
        ChangeSpace {
            beneath: Arc::new(beneath),
            ..self.clone()
        }
    }

    /// The same deltas, but every file must define the names that it uses, or leave them open as GOOD or BAD does. Otherwise
    /// this is asked only of files that a compiler reads: an interpreter never comes to some names.
    pub fn carefully(&self) -> Self {
        ChangeSpace {
            name_check: NameCheck::All,
            ..self.clone()
        }
    }

    /// The difference that the deltas are of.
    pub fn difference(&self) -> &VersionDifference {
        &self.shared.difference
    }

    /// Has only these changed files parsed, for this space and all others of the same difference. The changes in any other
    /// file count as one entity.
    pub(crate) fn parse_only(&self, is_worth: impl Fn(&FileChange) -> bool) {
        self.shared.parse_only(is_worth);
    }

    /// The atoms of some deltas.
    pub fn atoms(&self, subset: &Subset) -> AtomSet {
        let atoms = subset.iter().flat_map(|delta| &self.deltas[delta].atoms);
        AtomSet::of(self.difference().atoms(), atoms.map(|atom| *atom as usize))
    }

    /// The deltas that hold some of these atoms.
    pub fn deltas_of(&self, atoms: &AtomSet) -> Subset {
        let holds = |delta: &usize| {
            let mut own = self.deltas[*delta].atoms.iter();
            own.any(|atom| atoms.contains(*atom as usize))
        };
        Subset::of(self.len(), (0..self.len()).filter(holds))
    }

    /// The version with exactly these changes.
    pub fn version(&self, atoms: &AtomSet) -> Result<Candidate, Infeasible> {
        let part = self.of(atoms, DeltaLevel::File);
        part.render(&Subset::full(part.len()))
    }

    /// How many lines these changes remove and add.
    pub fn lines(&self, atoms: &AtomSet) -> u64 {
        let difference = self.difference();
        atoms.iter().map(|atom| difference.weight(atom)).sum()
    }

    /// How many files these changes are in.
    pub fn files(&self, atoms: &AtomSet) -> u64 {
        self.of(atoms, DeltaLevel::File).len() as u64
    }

    /// All changes.
    pub fn all(&self) -> AtomSet {
        AtomSet::full(self.difference().atoms())
    }

    /// The deltas sorted by a rank, the lowest first, and grouped by directory, file, entity and hunk.
    pub fn grouping(&self, rank: impl Fn(usize) -> u32) -> Grouping {
        Grouping::by(self.len(), |delta| {
            let atom = self.deltas[delta].atoms[0] as usize;
            let number = self.difference().change_of(atom);
            let change = &self.changes()[number];
            let mut path = vec![GroupId::Number(rank(delta))];
            path.extend(change.path().split('/').map(GroupId::Name));
            let entities = self.shared.entities(number);
            let entity = entities.of_edit[atom - change.first];
            let around = entity.map_or(Vec::new(), |entity| entities.path(entity));
            path.extend(around.into_iter().map(GroupId::Number));
            if let FileEdit::Line(edit) = &change.edits[atom - change.first] {
                path.push(GroupId::Number(edit.hunk));
            }
            path
        })
    }

    /// Whether a delta changes nothing but comments and white space. This is a guess at what to try first: it knows neither
    /// strings over several lines nor comments that tools read.
    pub fn is_insignificant(&self, delta: usize) -> bool {
        let atoms = &self.deltas[delta].atoms;
        let mut sides: BTreeMap<usize, [Vec<u8>; 2]> = BTreeMap::new();
        for atom in atoms {
            let number = self.difference().change_of(*atom as usize);
            let change = &self.changes()[number];
            let FileEdit::Line(edit) = &change.edits[*atom as usize - change.first] else {
                return false;
            };
            // All of a created file is new.
            if change.old.is_none() {
                return false;
            }
            let sides = sides.entry(number).or_default();
            let [old, new] = self.shared.outlines(number);
            for (side, outline, content, bytes) in [
                (
                    0,
                    old,
                    change.old_content(),
                    change.old_lines.bytes(&edit.old),
                ),
                (
                    1,
                    new,
                    change.new_content(),
                    change.new_lines.bytes(&edit.new),
                ),
            ] {
                let comments = outline
                    .as_ref()
                    .map_or(&[][..], |outline| &outline.comments);
                let text = significant(
                    &content[bytes.clone()],
                    bytes.start,
                    comments,
                    change.path(),
                );
                sides[side].extend_from_slice(&text);
            }
        }
        sides.values().all(|[old, new]| old == new)
    }

    /// Whether a delta is in an entity with one of these names.
    pub(crate) fn is_inside(&self, delta: usize, names: &[String]) -> bool {
        let atom = self.deltas[delta].atoms[0] as usize;
        let number = self.difference().change_of(atom);
        let entities = self.shared.entities(number);
        let entity = entities.of_edit[atom - self.changes()[number].first];
        let around = entity.map_or(Vec::new(), |entity| entities.path(entity));
        let mut around = around
            .iter()
            .map(|entity| &entities.list[*entity as usize].0);
        around.any(|name| names.contains(name))
    }

    /// A changed file as a subset renders it.
    pub fn text(&self, path: &str, subset: &Subset) -> Option<Vec<u8>> {
        let change = &self.changes()[self.difference().change_at(path)?];
        let (_, state) = change.state(&chosen(change, &self.atoms(subset)))?;
        Some(state.content.to_vec())
    }

    /// Whether a delta is about files in the same language as this one.
    pub(crate) fn is_related(&self, delta: usize, path: &str) -> bool {
        let atom = self.deltas[delta].atoms[0] as usize;
        let change = &self.changes()[self.difference().change_of(atom)];
        family(change.path()) == family(path)
    }

    /// Whether a delta is about a file that a compiler reads.
    pub(crate) fn is_compiled(&self, delta: usize) -> bool {
        let atom = self.deltas[delta].atoms[0] as usize;
        is_compiled(self.changes()[self.difference().change_of(atom)].path())
    }

    /// Whether a delta is about this file.
    pub(crate) fn is_of_file(&self, delta: usize, path: &str) -> bool {
        let atom = self.deltas[delta].atoms[0] as usize;
        self.difference().change_at(path) == Some(self.difference().change_of(atom))
    }

    /// The deltas next to a line (counted from 0) of a file as a subset renders it, applied or not, the nearest first,
    /// then those in the same entity. The error message of a compiler points there.
    pub fn at(&self, path: &str, line: u32, subset: &Subset) -> Vec<usize> {
        const NEAR: u32 = 3;
        let Some(number) = self.difference().change_at(path) else {
            return Vec::new();
        };
        let change = &self.changes()[number];
        let applied = self.atoms(subset);
        // The position in the rendering, and in the old file.
        let (mut at, mut old) = (0, 0);
        let mut near = Vec::new();
        let entities = self.shared.entities(number);
        let mut old_line = None;
        for (place, edit) in change.edits.iter().enumerate() {
            let atom = change.first + place;
            let FileEdit::Line(edit) = edit else {
                near.push((NEAR, atom));
                continue;
            };
            if (at..at + edit.old.start - old).contains(&line) {
                old_line = Some(old + line - at);
            }
            at += edit.old.start - old;
            old = edit.old.end;
            let lines = if applied.contains(atom) {
                &edit.new
            } else {
                &edit.old
            };
            let distance = at.abs_diff(line);
            if distance <= NEAR {
                near.push((distance, atom));
            }
            at += lines.len() as u32;
        }
        if line >= at {
            old_line = Some(old + line - at);
        }
        near.sort_unstable();
        let entity = old_line.and_then(|line| *entities.of_line[0].get(line as usize)?);
        let in_entity =
            |(_, around): &(usize, &Option<u32>)| entity.is_some() && **around == entity;
        let places = entities.of_edit.iter().enumerate().filter(in_entity);
        near.extend(places.map(|(place, _)| (NEAR + 1, change.first + place)));
        let holders = self.holders();
        let mut deltas: Vec<usize> = Vec::new();
        for (_, atom) in near {
            if let Some(delta) = holders[atom].filter(|delta| !deltas.contains(&(*delta as usize)))
            {
                deltas.push(delta as usize);
            }
        }
        deltas
    }

    /// The deltas that have changed or would change a line (counted from 0) of a file as a subset renders it.
    pub(crate) fn touching(&self, path: &str, line: u32, subset: &Subset) -> Vec<usize> {
        let Some(number) = self.difference().change_at(path) else {
            return Vec::new();
        };
        let change = &self.changes()[number];
        let applied = self.atoms(subset);
        let holders = self.holders();
        let (mut at, mut old) = (0, 0);
        let mut touching = Vec::new();
        for (place, edit) in change.edits.iter().enumerate() {
            let FileEdit::Line(edit) = edit else { continue };
            let atom = change.first + place;
            at += edit.old.start - old;
            old = edit.old.end;
            let lines = if applied.contains(atom) {
                &edit.new
            } else {
                &edit.old
            };
            if (at..at + lines.len() as u32).contains(&line) {
                touching.extend(holders[atom].map(|delta| delta as usize));
            }
            at += lines.len() as u32;
        }
        touching
    }

    /// The delta that holds each atom.
    pub(crate) fn holders(&self) -> Vec<Option<u32>> {
        let mut holders = vec![None; self.difference().atoms()];
        for (number, delta) in self.deltas.iter().enumerate() {
            delta
                .atoms
                .iter()
                .for_each(|atom| holders[*atom as usize] = Some(number as u32));
        }
        holders
    }

    fn changes(&self) -> &[FileChange] {
        &self.difference().changes
    }

    fn key(&self, number: usize, atom: usize, level: DeltaLevel) -> DeltaKey<'_> {
        let change = &self.changes()[number];
        match level {
            DeltaLevel::Directory => return DeltaKey::Directory(directory(change).unwrap_or("")),
            DeltaLevel::File => return DeltaKey::Change(number),
            DeltaLevel::Line => return DeltaKey::Atom(atom),
            DeltaLevel::Entity | DeltaLevel::Hunk => {}
        }
        if level == DeltaLevel::Entity && !self.shared.is_parsed(number) {
            return DeltaKey::Change(number);
        }
        // A file is created with its first lines.
        let place = atom - change.first;
        let is_creation = change.edits[place] == FileEdit::Create && change.has_lines();
        let place = place + usize::from(is_creation);
        let entity = self.shared.entities(number).of_edit[place];
        match &change.edits[place] {
            FileEdit::Line(_) if level == DeltaLevel::Entity && entity.is_some() => {
                DeltaKey::Entity(number, entity)
            }
            FileEdit::Line(LineEdit { hunk, .. }) => DeltaKey::Hunk(number, entity, *hunk),
            _ => DeltaKey::Atom(atom),
        }
    }

    /// What a person calls these atoms.
    fn label_of(&self, atoms: &[u32], level: DeltaLevel) -> String {
        let number = self.difference().change_of(atoms[0] as usize);
        let change = &self.changes()[number];
        if level == DeltaLevel::Directory {
            let directory = directory(change).unwrap_or(".");
            return format!("{directory}/");
        }
        let edits = atoms
            .iter()
            .map(|atom| &change.edits[*atom as usize - change.first]);
        let mut label = change.path().to_owned();
        if level > DeltaLevel::File {
            label.push_str(&lines_label(edits.clone()));
        }
        if level == DeltaLevel::Entity {
            let entities = self.shared.entities(number);
            let last = *atoms.last().expect("a delta has atoms") as usize;
            if let Some(entity) = entities.of_edit[last - change.first] {
                let path = entities.path(entity).into_iter();
                let names: Vec<&str> = path
                    .map(|entity| entities.list[entity as usize].0.as_str())
                    .collect();
                label.push_str(&format!(" in {}", names.join(".")));
            }
        }
        let notes: Vec<String> = edits.filter_map(|edit| note(change, edit)).collect();
        if !notes.is_empty() {
            label.push_str(&format!(" ({})", notes.join(", ")));
        }
        label
    }
}

/// The directory that the file of a change is in, if it is not the root.
fn directory(change: &FileChange) -> Option<&str> {
    change
        .path()
        .rsplit_once('/')
        .map(|(directory, _)| directory)
}

/// `:3-7` for lines of BAD, or what was removed if no line is left to point at.
fn lines_label<'a>(edits: impl Iterator<Item = &'a FileEdit>) -> String {
    let (mut start, mut end, mut removed) = (u32::MAX, 0, 0);
    for edit in edits {
        if let FileEdit::Line(edit) = edit {
            start = start.min(edit.new.start + 1);
            end = end.max(edit.new.end);
            removed += edit.old.len();
        }
    }
    match start {
        u32::MAX => String::new(),
        _ if start > end => format!(
            ":{start} ({removed} {} removed)",
            if removed == 1 { "line" } else { "lines" }
        ),
        _ if start == end => format!(":{start}"),
        _ => format!(":{start}-{end}"),
    }
}

/// What happened to the file itself.
fn note(change: &FileChange, edit: &FileEdit) -> Option<String> {
    let text = |state: &FileState| String::from_utf8_lossy(&state.content).into_owned();
    let modes = |old: &FileState, new: &FileState| {
        format!("mode {} to {}", old.kind.mode(), new.kind.mode())
    };
    Some(match (edit, &change.old, &change.new) {
        (FileEdit::Create, ..) => "created".to_owned(),
        (FileEdit::Delete, ..) => "deleted".to_owned(),
        (FileEdit::Rename, Some((path, _)), _) => format!("renamed from {path}"),
        (FileEdit::Mode, Some((_, old)), Some((_, new))) => modes(old, new),
        (FileEdit::Replace, Some((_, old)), Some((_, new))) => match (old.kind, new.kind) {
            (FileKind::Symlink, FileKind::Symlink) => {
                format!("symbolic link {} to {}", text(old), text(new))
            }
            (FileKind::Submodule, FileKind::Submodule) => {
                format!("submodule {} to {}", text(old), text(new))
            }
            (one, other) if one.is_file() && other.is_file() => "binary".to_owned(),
            _ => modes(old, new),
        },
        _ => return None,
    })
}

impl Space for ChangeSpace {
    fn len(&self) -> usize {
        self.deltas.len()
    }

    fn label(&self, delta: usize) -> String {
        self.deltas[delta].label.clone()
    }

    fn describe(&self, subset: &Subset) -> String {
        let (applied, all) = (subset.len(), self.len());
        let left_out = || (0..all).filter(|delta| !subset.contains(*delta));
        match applied {
            0 => "none of the changes".to_owned(),
            _ if applied == all && all > 1 => format!("all {all} of these changes"),
            _ if 2 * applied <= all || all == 1 => {
                let labels = subset.iter().map(|delta| self.label(delta));
                format!("only {}", abridged(labels, applied))
            }
            _ => {
                let labels = left_out().map(|delta| self.label(delta));
                format!("without {}", abridged(labels, all - applied))
            }
        }
    }

    fn weight(&self, delta: usize) -> u64 {
        let atoms = self.deltas[delta].atoms.iter();
        atoms
            .map(|atom| self.difference().weight(*atom as usize))
            .sum()
    }

    fn units(&self, subset: &Subset) -> Option<Subset> {
        Some(self.atoms(subset))
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        let infeasible = |reason: String| Infeasible { reason };
        Ok(Candidate::Tree(
            self.entries(&self.atoms(subset)).map_err(infeasible)?,
        ))
    }
}

impl ChangeSpace {
    /// The entries of GOOD with these atoms, or why there are none.
    pub(crate) fn entries(&self, atoms: &AtomSet) -> Result<Entries, String> {
        let mut entries = (*self.beneath).clone();
        for (number, change) in self.changes().iter().enumerate() {
            let chosen = chosen(change, atoms);
            if !chosen.is_empty() {
                let rendering = self.shared.render(number, chosen, self.name_check);
                let own = rendering.as_ref().as_ref().map_err(Clone::clone)?;
                entries.extend(
                    own.iter()
                        .map(|(path, entry)| (path.clone(), entry.clone())),
                );
            }
        }
        let is_there = |(number, path): &(usize, String)| {
            let change = &self.changes()[*number];
            change
                .state(&chosen(change, atoms))
                .is_some_and(|(at, _)| at == path)
        };
        for [file, below] in &self.difference().clashes {
            if is_there(file) && is_there(below) {
                return Err(format!("{} is a file and a directory", file.1));
            }
        }
        if self.name_check == NameCheck::All
            && let Some(flaw) = self.missing_import(atoms)
        {
            return Err(flaw);
        }
        Ok(entries)
    }
}

/// The atoms of a change among all atoms.
pub(crate) fn chosen(change: &FileChange, atoms: &AtomSet) -> Subset {
    let count = change.edits.len();
    Subset::of(
        count,
        (0..count).filter(|place| atoms.contains(change.first + place)),
    )
}
