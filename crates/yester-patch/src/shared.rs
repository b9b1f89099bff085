//! What all spaces over one difference share. Each part is made once, when somebody asks for it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use yester_core::{Entry, Subset};

use crate::name::NameIndex;
use crate::{Entries, FileChange, FileEdit, FileOutline, FileState, Outliner, VersionDifference};

/// How many renderings of one file are remembered. A search changes few files from one question to the next.
const REMEMBERED: usize = 3;

/// The entries of one change with some of its atoms applied, or why they make no sense.
type Rendering = Arc<Result<Entries, String>>;

pub(crate) struct SharedDifference {
    pub difference: VersionDifference,
    outliner: Option<Arc<dyn Outliner>>,
    outlines: Vec<OnceLock<[Option<FileOutline>; 2]>>,
    entities: Vec<OnceLock<Entities>>,
    renderings: Vec<Mutex<Vec<(Subset, Rendering)>>>,
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
    pub fn render(&self, number: usize, chosen: Subset) -> Rendering {
        let mut remembered = self.renderings[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = remembered.iter().position(|(known, _)| *known == chosen) {
            // What is often asked for stays.
            remembered[place..].rotate_left(1);
            let (_, rendering) = remembered.last().expect("it was found");
            return rendering.clone();
        }
        let rendering = Arc::new(self.rendered(number, &chosen));
        if remembered.len() == REMEMBERED {
            remembered.remove(0);
        }
        remembered.push((chosen, rendering.clone()));
        rendering
    }

    fn rendered(&self, number: usize, chosen: &Subset) -> Result<Entries, String> {
        let change = &self.difference.changes[number];
        let state = change.state(chosen);
        if let Some((path, state)) = &state
            && chosen.len() < change.edits.len()
            && self.breaks(number, path, &state.content)
        {
            return Err(format!("{path} does not parse"));
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

    /// Whether a file that parses in both versions does not parse with this content.
    fn breaks(&self, change: usize, path: &str, content: &[u8]) -> bool {
        let Some(outliner) = &self.outliner else {
            return false;
        };
        let sides = &self.difference.changes[change];
        let parses = |outline: &Option<FileOutline>| {
            outline.as_ref().is_some_and(|outline| outline.faults == 0)
        };
        let [old, new] = self.outlines(change);
        (parses(old) || sides.old.is_none())
            && parses(new)
            && outliner.faults(path, sides.new_content(), content) > 0
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

        fn faults(&self, _: &str, _: &[u8], _: &[u8]) -> usize {
            0
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
