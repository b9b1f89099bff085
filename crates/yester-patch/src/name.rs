//! The names in the changed lines, and what they are for.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::language::{family, is_prose};
use crate::shared::{Entities, SharedDifference};
use crate::word::{definitions, names};
use crate::{FileChange, FileEdit, FileOutline, LineEdit};

/// What a name is for in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum NameRole {
    /// It is defined here for other places.
    Definition,
    /// It is defined here for the entity around.
    Local,
    /// It is used.
    Use,
    /// It is in a comment or a string.
    Mention,
}

/// Which version a name is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LineSide {
    Removed,
    Added,
}

/// A name in a changed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Posting {
    pub name: u32,
    pub side: LineSide,
    pub role: NameRole,
    pub atom: u32,
}

/// A definition in something that has a name too, as a field in a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    pub name: u32,
    pub side: LineSide,
    pub atom: u32,
    pub change: u32,
    /// The entity around it.
    pub owner: u32,
    pub owner_name: u32,
}

/// The names in the changed lines of a difference, as one sorted list.
#[derive(Default)]
pub(crate) struct NameIndex {
    numbers: HashMap<Arc<[u8]>, u32>,
    pub texts: Vec<Arc<[u8]>>,
    /// Whether each name is in a changed file of GOOD, and of BAD.
    pub is_in: Vec<[bool; 2]>,
    pub postings: Vec<Posting>,
    members: Vec<Member>,
    /// The language of each change.
    families: Vec<String>,
    /// Which entities of GOOD and of BAD have which names, as change, entity and name. Only for names that somewhere are
    /// local, members, or owners of members.
    scopes: [HashSet<(u32, u32, u32)>; 2],
}

/// What the names of a file are for, by line.
type Roles<'a> = HashSet<(u32, &'a [u8], NameRole)>;

impl NameIndex {
    pub fn of(shared: &SharedDifference) -> Self {
        let mut names = NameIndex::default();
        let changes = &shared.difference.changes;
        names.families = changes.iter().map(|change| family(change.path())).collect();
        for (number, change) in changes.iter().enumerate() {
            names.read_changed(change, shared.outlines(number));
        }
        names.read_members(shared);
        for (number, change) in changes.iter().enumerate() {
            names.read_unchanged(change, &shared.outlines(number)[0]);
        }
        names.postings.sort_unstable();
        names.postings.dedup();
        names.postings.shrink_to_fit();
        names.members.sort_unstable();
        let mut is_scoped = vec![false; names.texts.len()];
        let locals = names
            .postings
            .iter()
            .filter(|posting| posting.role == NameRole::Local);
        locals.for_each(|posting| is_scoped[posting.name as usize] = true);
        for member in &names.members {
            is_scoped[member.name as usize] = true;
            is_scoped[member.owner_name as usize] = true;
        }
        for number in 0..changes.len() {
            if shared.outlines(number).iter().any(Option::is_some) {
                names.read_scopes(
                    number,
                    shared.outlines(number),
                    shared.entities(number),
                    &is_scoped,
                );
            }
        }
        names
    }

    /// All postings of a name.
    pub fn of_name(&self, name: &str) -> &[Posting] {
        let Some(number) = self.numbers.get(name.as_bytes()) else {
            return &[];
        };
        let start = self
            .postings
            .partition_point(|posting| posting.name < *number);
        let end = self
            .postings
            .partition_point(|posting| posting.name <= *number);
        &self.postings[start..end]
    }

    /// The definitions of a name that are members of something.
    pub fn members(&self, name: u32, side: LineSide) -> &[Member] {
        let key = |member: &Member| (member.name, member.side);
        let start = self
            .members
            .partition_point(|member| key(member) < (name, side));
        let end = self
            .members
            .partition_point(|member| key(member) <= (name, side));
        &self.members[start..end]
    }

    /// Whether an entity of GOOD or BAD has this local name, member or owner.
    pub fn is_in_scope(&self, side: LineSide, change: usize, entity: u32, name: u32) -> bool {
        self.scopes[side as usize].contains(&(change as u32, entity, name))
    }

    /// Whether the files of two changes can use each other's names.
    pub fn are_related(&self, one: usize, other: usize) -> bool {
        self.families[one] == self.families[other]
    }

    fn read_changed(&mut self, change: &FileChange, [old, new]: &[Option<FileOutline>; 2]) {
        let unknown = || is_prose(change.path()).then(Roles::new);
        let old = old.as_ref().map(roles).or_else(unknown);
        let new = new.as_ref().map(roles).or_else(unknown);
        for (atom, edit) in (change.first as u32..).zip(&change.edits) {
            let (removed, added) = match edit {
                FileEdit::Line(LineEdit { old, new, .. }) => (old.clone(), new.clone()),
                FileEdit::Delete => (0..change.old_lines.len(), 0..0),
                _ => continue,
            };
            let one = |line: u32| -> Range<u32> { line..line + 1 };
            for line in removed {
                let text = &change.old_content()[change.old_lines.bytes(&one(line))];
                self.read_line(text, line, old.as_ref(), LineSide::Removed, atom);
            }
            for line in added {
                let text = &change.new_content()[change.new_lines.bytes(&one(line))];
                self.read_line(text, line, new.as_ref(), LineSide::Added, atom);
            }
        }
    }

    fn read_line(
        &mut self,
        text: &[u8],
        line: u32,
        roles: Option<&Roles<'_>>,
        side: LineSide,
        atom: u32,
    ) {
        let defined: Vec<&[u8]> = match roles {
            Some(_) => Vec::new(),
            None => definitions(text).collect(),
        };
        for word in names(text) {
            let name = self.number(word);
            let has = |role: NameRole| match roles {
                Some(roles) => roles.contains(&(line, word, role)),
                None => {
                    (role == NameRole::Definition) == defined.contains(&word)
                        && role != NameRole::Local
                }
            };
            let mut is_known = false;
            for role in [NameRole::Definition, NameRole::Local, NameRole::Use]
                .into_iter()
                .filter(|role| has(*role))
            {
                is_known = true;
                self.postings.push(Posting {
                    name,
                    side,
                    role,
                    atom,
                });
            }
            // A compiler ignores what is only in comments and strings.
            self.is_in[name as usize][side as usize] |= is_known || roles.is_none();
            if !is_known {
                self.postings.push(Posting {
                    name,
                    side,
                    role: NameRole::Mention,
                    atom,
                });
            }
        }
    }

    fn number(&mut self, word: &[u8]) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = self.texts.len() as u32;
        let text: Arc<[u8]> = word.into();
        self.texts.push(text.clone());
        self.is_in.push([false; 2]);
        self.numbers.insert(text, number);
        number
    }

    /// The definitions that are members of something.
    fn read_members(&mut self, shared: &SharedDifference) {
        for at in 0..self.postings.len() {
            let posting = self.postings[at];
            if posting.role != NameRole::Definition {
                continue;
            }
            let change = shared.difference.change_of(posting.atom as usize);
            let entities = shared.entities(change);
            let first = shared.difference.changes[change].first;
            let Some(innermost) = entities.of_edit[posting.atom as usize - first] else {
                continue;
            };
            let (name, around) = &entities.list[innermost as usize];
            // A function is not a member of itself.
            let is_itself = name.as_bytes() == &*self.texts[posting.name as usize];
            let owner = if is_itself { *around } else { Some(innermost) };
            if let Some(owner) = owner {
                let owner_name = self.number(entities.list[owner as usize].0.as_bytes());
                self.members.push(Member {
                    name: posting.name,
                    side: posting.side,
                    atom: posting.atom,
                    change: change as u32,
                    owner,
                    owner_name,
                });
            }
        }
    }

    /// What is between the hunks is in both versions.
    fn read_unchanged(&mut self, change: &FileChange, outline: &Option<FileOutline>) {
        if !change.has_lines() {
            return;
        }
        let lists = outline
            .as_ref()
            .map(|outline| [&outline.definitions, &outline.locals, &outline.uses]);
        let mut code: Vec<(u32, &str)> = lists
            .into_iter()
            .flatten()
            .flatten()
            .map(|(name, line)| (*line, name.as_str()))
            .collect();
        code.sort_unstable();
        let mut at = 0;
        let end = change.old_lines.len();
        let hunks = change.edits.iter().filter_map(|edit| match edit {
            FileEdit::Line(edit) => Some(&edit.old),
            _ => None,
        });
        for hunk in hunks.chain([&(end..end)]) {
            let text = &change.old_content()[change.old_lines.bytes(&(at..hunk.start))];
            let from = code.partition_point(|(line, _)| *line < at);
            let to = code.partition_point(|(line, _)| *line < hunk.start);
            let of_code = code[from..to.max(from)]
                .iter()
                .map(|(_, name)| name.as_bytes());
            let of_text = names(text).filter(|_| outline.is_none());
            for name in of_code.chain(of_text) {
                if let Some(number) = self.numbers.get(name) {
                    self.is_in[*number as usize] = [true; 2];
                }
            }
            at = hunk.end;
        }
    }

    fn read_scopes(
        &mut self,
        change: usize,
        outlines: &[Option<FileOutline>; 2],
        entities: &Entities,
        is_scoped: &[bool],
    ) {
        for ((outline, scopes), of_line) in
            outlines.iter().zip(&mut self.scopes).zip(&entities.of_line)
        {
            let Some(outline) = outline else { continue };
            let all = outline
                .uses
                .iter()
                .chain(&outline.locals)
                .chain(&outline.definitions);
            for (name, line) in all {
                let number = self.numbers.get(name.as_bytes());
                let number = number.filter(|number| is_scoped[**number as usize]);
                let entity = of_line.get(*line as usize).copied().flatten();
                if let (Some(number), Some(entity)) = (number, entity) {
                    scopes.insert((change as u32, entity, *number));
                }
            }
        }
    }
}

fn roles(outline: &FileOutline) -> Roles<'_> {
    let list = [
        (&outline.definitions, NameRole::Definition),
        (&outline.locals, NameRole::Local),
        (&outline.uses, NameRole::Use),
    ];
    let names = list.into_iter();
    names
        .flat_map(|(names, role)| {
            names
                .iter()
                .map(move |(name, line)| (*line, name.as_bytes(), role))
        })
        .collect()
}
