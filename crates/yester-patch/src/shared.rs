//! What all spaces over one difference share. Each part is made once, when somebody asks for it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use yester_core::{Entry, Subset};

use crate::language::is_compiled;
use crate::name::NameIndex;
use crate::{Entries, FileChange, FileEdit, FileOutline, FileState, Outliner, VersionDifference};

/// How many renderings of one file are remembered. A search changes few files from one question to the next.
const REMEMBERED: usize = 3;

/// In a longer file, names without a definition are left to the compiler: parsing it anew takes as long as a trial.
const LONGEST_CHECKED: usize = 1 << 20;

/// The entries of one change with some of its atoms applied, or why they make no sense.
type Rendering = Arc<Result<Entries, String>>;

/// Which atoms are applied, and how carefully the rest is checked.
type RenderingKey = (Subset, NameCheck);

/// Which files have to define the names that they use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameCheck {
    All,
    /// Those that a compiler reads: an interpreter never comes to some of the names.
    Compiled,
}

pub(crate) struct SharedDifference {
    pub difference: VersionDifference,
    outliner: Option<Arc<dyn Outliner>>,
    outlines: Vec<OnceLock<[Option<FileOutline>; 2]>>,
    entities: Vec<OnceLock<Entities>>,
    renderings: Vec<Mutex<Vec<(RenderingKey, Rendering)>>>,
    names: OnceLock<NameIndex>,
    inside: OnceLock<HashMap<String, Vec<u32>>>,
    /// Which changes are worth parsing. All of them until somebody knows better.
    worth: OnceLock<Vec<bool>>,
}

/// The entities of both sides of a change. An entity that both sides have is one entity.
#[derive(Default)]
pub(crate) struct Entities {
    /// The name of each, and the entity around it.
    pub list: Vec<(String, Option<u32>)>,
    /// The innermost entity of each atom of the change.
    pub of_edit: Vec<Option<u32>>,
    /// The innermost entity of each line of the old and the new file.
    pub of_line: [Vec<Option<u32>>; 2],
}

impl SharedDifference {
    pub fn new(difference: VersionDifference, outliner: Option<Arc<dyn Outliner>>) -> Self {
        let count = difference.changes.len();
        SharedDifference {
            difference,
            outliner,
            outlines: (0..count).map(|_| OnceLock::new()).collect(),
            entities: (0..count).map(|_| OnceLock::new()).collect(),
            renderings: (0..count).map(|_| Mutex::default()).collect(),
            names: OnceLock::new(),
            inside: OnceLock::new(),
            worth: OnceLock::new(),
        }
    }

    /// Has only these changes parsed, from now on and for good.
    pub fn parse_only(&self, is_worth: impl Fn(&FileChange) -> bool) {
        let changes = self.difference.changes.iter();
        self.worth.get_or_init(|| changes.map(is_worth).collect());
    }

    /// Whether a change is parsed when somebody asks.
    pub fn is_parsed(&self, change: usize) -> bool {
        self.worth.get().is_none_or(|worth| worth[change])
    }

    /// Who knows languages.
    pub fn outliner(&self) -> Option<&dyn Outliner> {
        self.outliner.as_deref()
    }

    /// The outlines of the old and the new file of a change.
    pub fn outlines(&self, change: usize) -> &[Option<FileOutline>; 2] {
        self.outlines[change].get_or_init(|| {
            let is_parsed = self.is_parsed(change);
            let change = &self.difference.changes[change];
            let is_text = change.has_lines()
                || change.edits == [FileEdit::Delete] && change.old_lines.len() > 0;
            let is_text = is_text && is_parsed;
            [&change.old, &change.new].map(|side| {
                let (path, state) = side.as_ref().filter(|_| is_text)?;
                self.outliner.as_ref()?.outline(path, &state.content)
            })
        })
    }

    /// The entities of a change.
    pub fn entities(&self, change: usize) -> &Entities {
        self.entities[change].get_or_init(|| match &self.outliner {
            None => Entities {
                list: Vec::new(),
                of_edit: vec![None; self.difference.changes[change].edits.len()],
                of_line: Default::default(),
            },
            Some(_) => Entities::of(&self.difference.changes[change], self.outlines(change)),
        })
    }

    /// The words of all atoms.
    pub fn names(&self) -> &NameIndex {
        self.names.get_or_init(|| NameIndex::of(self))
    }

    /// The atoms in the entities with a name, at any depth.
    pub fn inside(&self, name: &str) -> &[u32] {
        let inside = self.inside.get_or_init(|| {
            let mut inside: HashMap<String, Vec<u32>> = HashMap::new();
            for (number, change) in self.difference.changes.iter().enumerate() {
                let entities = self.entities(number);
                for (atom, entity) in (change.first as u32..).zip(&entities.of_edit) {
                    if let Some(entity) = entity {
                        let name = entities.list[*entity as usize].0.clone();
                        inside.entry(name).or_default().push(atom);
                    }
                }
            }
            inside
        });
        inside.get(name).map_or(&[], Vec::as_slice)
    }

    /// The entries of a change with some of its atoms applied, at least one.
    pub fn render(&self, number: usize, chosen: Subset, check: NameCheck) -> Rendering {
        let key = (chosen, check);
        let mut remembered = self.renderings[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = remembered.iter().position(|(known, _)| *known == key) {
            // What is often asked for stays.
            remembered[place..].rotate_left(1);
            let (_, rendering) = remembered.last().expect("it was found");
            return rendering.clone();
        }
        let rendering = Arc::new(self.rendered(number, &key));
        if remembered.len() == REMEMBERED {
            remembered.remove(0);
        }
        remembered.push((key, rendering.clone()));
        rendering
    }

    fn rendered(&self, number: usize, (chosen, check): &RenderingKey) -> Result<Entries, String> {
        let change = &self.difference.changes[number];
        let state = change.state(chosen);
        if let Some((path, state)) = &state
            && chosen.len() < change.edits.len()
            && let Some(flaw) = self.flaw(number, (chosen, *check), path, &state.content)
        {
            return Err(flaw);
        }
        let entry_at = |path: &str, state: Option<(&str, &FileState)>| match state {
            Some((at, state)) if at == path => state.entry(),
            _ => Entry::Absent,
        };
        let before = change
            .old
            .as_ref()
            .map(|(path, state)| (path.as_str(), state));
        let after = state.as_ref().map(|(path, state)| (*path, state));
        let mut entries = Entries::new();
        for (path, _) in change.old.iter().chain(&change.new) {
            let entry = entry_at(path, after);
            if entry != entry_at(path, before) {
                entries.insert(path.clone(), entry);
            }
        }
        Ok(entries)
    }

    /// Why a content cannot be right although each of its lines is, if that can be told without a trial.
    fn flaw(
        &self,
        number: usize,
        (chosen, check): (&Subset, NameCheck),
        path: &str,
        content: &[u8],
    ) -> Option<String> {
        let outliner = self.outliner.as_ref()?;
        let change = &self.difference.changes[number];
        let [old, new] = self.outlines(number);
        let new = new.as_ref()?;
        if old.is_none() && change.old.is_some() {
            return None;
        }
        let old = old.as_ref();
        let old_faults = old.map_or(&[][..], |old| &old.faults);
        let faults = outliner.faults(path, change.new_content(), content);
        // As a compiler would say it, since messages are what the search learns from.
        let place = |line: u32| format!("{path}:{}", line + 1);
        if let Some(line) = self.fault(number, chosen, [old_faults, &new.faults], &faults) {
            return Some(format!("{}: error: this does not parse", place(line)));
        }
        let is_checked = check == NameCheck::All || is_compiled(path);
        if !is_checked || content.len() > LONGEST_CHECKED {
            return None;
        }
        let open = outliner.outline(path, content)?.open;
        let mut known: HashSet<&str> = HashSet::new();
        let versions = old.into_iter().chain([new]);
        known.extend(versions.flat_map(|outline| outline.open.iter().map(|(name, _)| &**name)));
        let (name, line) = open.iter().find(|(name, _)| !known.contains(&**name))?;
        Some(format!("{}: '{name}' is not defined", place(*line)))
    }

    /// The first line of a content with a fault that neither version has. Macros and extensions of a language make faults in files that
    /// are right, so that each entity is compared with itself.
    fn fault(
        &self,
        number: usize,
        chosen: &Subset,
        [old, new]: [&[u32]; 2],
        faults: &[u32],
    ) -> Option<u32> {
        if faults.is_empty() {
            return None;
        }
        let entities = self.entities(number);
        let count = |lines: &[u32], of_line: &[Option<u32>]| {
            let mut counts: HashMap<Option<u32>, usize> = HashMap::new();
            for line in lines {
                let entity = of_line.get(*line as usize).copied().flatten();
                *counts.entry(entity).or_default() += 1;
            }
            counts
        };
        let of_line = entities.of_rendered(&self.difference.changes[number], chosen);
        let [of_old, of_new] = &entities.of_line;
        let (old, new) = (count(old, of_old), count(new, of_new));
        let counts = count(faults, &of_line);
        let exceeds = |entity: Option<u32>| {
            let [old, new] = [&old, &new].map(|counts| counts.get(&entity).copied().unwrap_or(0));
            // Outside of entities there may be something of both.
            let most = match entity {
                Some(_) => old.max(new),
                None => old + new,
            };
            counts[&entity] > most
        };
        let entity = |line: u32| of_line.get(line as usize).copied().flatten();
        let mut faults = faults.iter().copied();
        faults.find(|line| exceeds(entity(*line)))
    }
}

impl Entities {
    fn of(change: &FileChange, [old, new]: &[Option<FileOutline>; 2]) -> Self {
        let mut entities = Entities::default();
        let mut numbers = HashMap::new();
        let mut innermost = |outline: &Option<FileOutline>, lines: u32| -> Vec<Option<u32>> {
            let mut of_line = vec![None; lines as usize];
            let mut around: Vec<(Range<u32>, u32)> = Vec::new();
            for entity in outline.iter().flat_map(|outline| &outline.entities) {
                around.retain(|(lines, _)| {
                    lines.end >= entity.lines.end && lines.contains(&entity.lines.start)
                });
                let parent = around.last().map(|(_, parent)| *parent);
                let key = (entity.name.clone(), parent);
                let number = *numbers.entry(key.clone()).or_insert_with(|| {
                    entities.list.push(key);
                    entities.list.len() as u32 - 1
                });
                let end = entity.lines.end.min(lines);
                of_line[entity.lines.start.min(end) as usize..end as usize].fill(Some(number));
                around.push((entity.lines.clone(), number));
            }
            of_line
        };
        // The new file comes first, because people look at that one.
        let of_new = innermost(new, change.new_lines.len());
        let of_old = innermost(old, change.old_lines.len());
        let of_edit = |edit: &FileEdit| match edit {
            FileEdit::Line(edit) if !edit.new.is_empty() => of_new[edit.new.start as usize],
            FileEdit::Line(edit) => of_old[edit.old.start as usize],
            _ => None,
        };
        entities.of_edit = change.edits.iter().map(of_edit).collect();
        entities.of_line = [of_old, of_new];
        entities
    }

    /// The entity of each line of a file that has some of the edits.
    fn of_rendered(&self, change: &FileChange, chosen: &Subset) -> Vec<Option<u32>> {
        let [of_old, of_new] = &self.of_line;
        let mut lines = Vec::new();
        let mut take = |of: &[Option<u32>], range: Range<u32>| {
            let line = |line: u32| of.get(line as usize).copied().flatten();
            lines.extend(range.map(line));
        };
        let mut at = 0;
        for (place, edit) in change.edits.iter().enumerate() {
            let FileEdit::Line(edit) = edit else { continue };
            take(of_old, at..edit.old.start);
            if chosen.contains(place) {
                take(of_new, edit.new.clone())
            } else {
                take(of_old, edit.old.clone())
            }
            at = edit.old.end;
        }
        take(of_old, at..change.old_lines.len());
        lines
    }

    /// The names of an entity and of those around it, outermost first.
    pub fn path(&self, entity: u32) -> Vec<u32> {
        let mut path = vec![entity];
        while let Some(parent) = self.list[path[path.len() - 1] as usize].1 {
            path.push(parent);
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AtomSet, ChangeSpace, DeltaLevel, FileKind, Version};

    /// Knows nothing about any file, and does not want to be asked about one.
    struct Picky;

    impl Outliner for Picky {
        fn outline(&self, path: &str, _: &[u8]) -> Option<FileOutline> {
            assert_ne!(path, "unread.c", "nobody has to parse it");
            Some(FileOutline::default())
        }

        fn faults(&self, _: &str, _: &[u8], _: &[u8]) -> Vec<u32> {
            Vec::new()
        }
    }

    #[test]
    fn what_nobody_reads_is_not_parsed_and_counts_as_a_whole() {
        let version = |first: &str, last: &str| {
            let content = format!("{first}\nb\nc\nd\n{last}\n");
            let state = FileState {
                kind: FileKind::File,
                content: content.as_bytes().into(),
            };
            let paths = ["read.c", "unread.c"].into_iter();
            Version::of(paths.map(|path| (path.to_owned(), state.clone())))
        };
        let difference = VersionDifference::between(&version("a", "e"), &version("1", "2"));
        let difference = difference.expect("both are in memory");
        let all = AtomSet::full(difference.atoms());
        let space = ChangeSpace::new(difference, DeltaLevel::File, Some(Arc::new(Picky)));
        space.parse_only(|change| change.path() == "read.c");
        let labels = |level| -> Vec<String> {
            let space = space.of(&all, level);
            let deltas = 0..yester_core::Space::len(&space);
            let label = |delta| yester_core::Space::label(&space, delta);
            deltas.map(label).collect()
        };
        let entities = ["read.c:1", "read.c:5", "unread.c:1-5"];
        assert_eq!(labels(DeltaLevel::Entity), entities);
        let hunks = ["read.c:1", "read.c:5", "unread.c:1", "unread.c:5"];
        assert_eq!(labels(DeltaLevel::Hunk), hunks);
        assert!(!space.shared.names().texts.is_empty());
    }
}
