//! Which deltas need which, by the names that they define and use.
//!
//! All of it comes from the changed lines. A compiler would know better, but each language needs another one, and the search
//! learns from its messages later what is missed here.

use std::collections::BTreeSet;

use yester_core::Knowledge;

use crate::balance;
use crate::name::{LineSide, NameRole, Posting};
use crate::renumbering;
use crate::word::arguments;
use crate::{ChangeSpace, FileChange, FileEdit};

/// A name with more definitions than this is too common to mean anything.
const DEFINERS: usize = 8;

/// How many callers are considered when a signature changes.
const CALLERS: usize = 200;

/// The deltas that some names occur in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Those that add or remove a definition of one.
    pub defining: Vec<usize>,
    /// Those in an entity with one of the names.
    pub inside: Vec<usize>,
    /// Those with one of them in their lines, the defining ones included.
    pub mentioning: Vec<usize>,
}

/// The definitions of one name on one side, as sorted atoms.
struct Definers {
    /// For the file that they are in: all of them.
    inside: Vec<u32>,
    /// For other files: no locals, and no imports, which are uses too.
    outside: Vec<u32>,
}

impl ChangeSpace {
    /// The deltas that these names occur in, for example names that a compiler does not know.
    pub fn mentions(&self, wanted: &[String]) -> Mentions {
        let names = self.shared.names();
        let holders = self.holders();
        let (mut defining, mut mentioning) = (BTreeSet::new(), BTreeSet::new());
        for posting in wanted.iter().flat_map(|name| names.of_name(name)) {
            if let Some(delta) = holders[posting.atom as usize] {
                mentioning.insert(delta as usize);
                if posting.role == NameRole::Definition {
                    defining.insert(delta as usize);
                }
            }
        }
        let inside = wanted.iter().flat_map(|name| self.shared.inside(name));
        let inside = inside.filter_map(|atom| holders[*atom as usize]);
        let inside: BTreeSet<usize> = inside.map(|delta| delta as usize).collect();
        Mentions {
            defining: defining.into_iter().collect(),
            inside: inside.into_iter().collect(),
            mentioning: mentioning.into_iter().collect(),
        }
    }

    /// What the deltas need of each other, as far as that is known without any test:
    ///
    /// - A use of a new name needs the definition. A local name is new if its entity did not have it, a member if its owner
    ///   did not.
    /// - Removing the definition of a name that BAD no longer has needs its uses removed. This is the first rule, from BAD
    ///   back to GOOD.
    /// - A definition with another number of arguments and the calls that got another number of arguments need each other.
    /// - Brackets, and the `#if` and `#endif` of a preprocessor, come and go in pairs.
    /// - The numbers of a table change together.
    /// - A file in the place of a directory needs the files of the directory gone.
    pub fn knowledge(&self) -> Knowledge {
        self.knowledge_of(|_| true)
    }

    /// [`ChangeSpace::knowledge`], except that nothing needs a change that does not matter.
    pub(crate) fn knowledge_of(&self, matters: impl Fn(&FileChange) -> bool) -> Knowledge {
        let names = self.shared.names();
        let holders = self.holders();
        let mut knowledge = Knowledge::none(self.deltas.len());
        let matter: Vec<bool> = self.difference().changes.iter().map(matters).collect();
        let mut need = |one: u32, needed: u32| {
            if let (Some(holder), Some(needed_holder)) =
                (holders[one as usize], holders[needed as usize])
                && (matter[self.difference().change_of(needed as usize)]
                    || self.is_same(one, needed))
            {
                knowledge.need(holder as usize, needed_holder as usize);
            }
        };
        for postings in names.postings.chunk_by(|one, next| one.name == next.name) {
            for side in [LineSide::Added, LineSide::Removed] {
                for (user, definer) in self.bindings(postings, side) {
                    match side {
                        LineSide::Added => need(user, definer),
                        LineSide::Removed => need(definer, user),
                    }
                }
            }
            let (definers, callers) = self.changed_arguments(postings);
            for definer in &definers {
                let change = |atom: u32| self.difference().change_of(atom as usize);
                let related = |caller: &&u32| names.are_related(change(*definer), change(**caller));
                for caller in callers.iter().filter(related).take(CALLERS) {
                    need(*definer, *caller);
                    need(*caller, *definer);
                }
            }
        }
        self.bonds(&mut need);
        knowledge
    }

    /// What holds together whatever the names are: brackets, tables, and files in each other's way.
    fn bonds(&self, need: &mut dyn FnMut(u32, u32)) {
        for (number, change) in self.difference().changes.iter().enumerate() {
            let tables = renumbering::rings(change, self.shared.entities(number));
            for ring in balance::rings(change).into_iter().chain(tables) {
                for (one, next) in ring.iter().zip(ring.iter().cycle().skip(1)) {
                    need(*one, *next);
                }
            }
        }
        for [one, other] in &self.difference().clashes {
            for (come, go) in [(one, other), (other, one)] {
                self.clearances(come, go)
                    .into_iter()
                    .for_each(|(come, go)| need(come, go));
            }
        }
    }

    /// Whether two atoms are of one file.
    fn is_same(&self, one: u32, other: u32) -> bool {
        self.difference().change_of(one as usize) == self.difference().change_of(other as usize)
    }

    /// Which uses of a name rely on which definitions of it, where the other version has neither.
    fn bindings(&self, postings: &[Posting], side: LineSide) -> Vec<(u32, u32)> {
        let of = |role: NameRole| -> Vec<u32> {
            let fits = |posting: &&Posting| posting.side == side && posting.role == role;
            postings
                .iter()
                .filter(fits)
                .map(|posting| posting.atom)
                .collect()
        };
        let (users, locals, mut outside) = (
            of(NameRole::Use),
            of(NameRole::Local),
            of(NameRole::Definition),
        );
        if users.is_empty() || (locals.is_empty() && outside.is_empty()) {
            return Vec::new();
        }
        let name = postings[0].name;
        let [in_good, in_bad] = self.shared.names().is_in[name as usize];
        let (other_side, is_known) = match side {
            LineSide::Added => (LineSide::Removed, in_good),
            LineSide::Removed => (LineSide::Added, in_bad),
        };
        if is_known {
            let bind = |user: &u32| {
                let local = self.local_definer(*user, &locals, name, other_side);
                let members = self.new_members(*user, name, side, other_side);
                let definers = local.into_iter().chain(members);
                definers.map(|definer| (*user, definer)).collect::<Vec<_>>()
            };
            return users.iter().flat_map(bind).collect();
        }
        let mut inside = [&locals[..], &outside].concat();
        inside.sort_unstable();
        outside.retain(|atom| users.binary_search(atom).is_err());
        let definers = Definers { inside, outside };
        let change_of = |atom: u32| self.difference().change_of(atom as usize);
        let bind = |user: &u32| -> Vec<u32> {
            let definers = definers.of(*user, self.range_of(*user)).iter().copied();
            let related = |definer: &u32| {
                self.shared
                    .names()
                    .are_related(change_of(*user), change_of(*definer))
            };
            let related: Vec<u32> = definers.filter(related).collect();
            if related.len() > DEFINERS {
                Vec::new()
            } else {
                related
            }
        };
        users
            .iter()
            .flat_map(|user| bind(user).into_iter().map(|definer| (*user, definer)))
            .collect()
    }

    /// The nearest local definition before a use in the same entity, if the entity does not have the name in the other
    /// version.
    fn local_definer(
        &self,
        user: u32,
        locals: &[u32],
        name: u32,
        other_side: LineSide,
    ) -> Option<u32> {
        let change = self.difference().change_of(user as usize);
        let first = self.range_of(user).start;
        let entity = |atom: u32| self.shared.entities(change).of_edit[(atom - first) as usize];
        let before = locals.partition_point(|atom| *atom < user).checked_sub(1)?;
        let definer = Some(locals[before]).filter(|atom| *atom >= first)?;
        let own = entity(user)?;
        let is_new = !self
            .shared
            .names()
            .is_in_scope(other_side, change, own, name);
        (is_new && entity(definer) == Some(own)).then_some(definer)
    }

    /// The definitions of a name in owners that do not have it in the other version, if the entity of the use names the owner
    /// too: a field of a structure that the function mentions.
    fn new_members(&self, user: u32, name: u32, side: LineSide, other_side: LineSide) -> Vec<u32> {
        let names = self.shared.names();
        let change = self.difference().change_of(user as usize);
        let first = self.range_of(user).start;
        let entity = self.shared.entities(change).of_edit[(user - first) as usize];
        let Some(entity) = entity else {
            return Vec::new();
        };
        let members = names.members(name, side).iter();
        let members = members.filter(|member| {
            member.atom != user
                && names.is_in_scope(side, change, entity, member.owner_name)
                && !names.is_in_scope(other_side, member.change as usize, member.owner, name)
                && names.are_related(change, member.change as usize)
        });
        let atoms: Vec<u32> = members
            .map(|member| member.atom)
            .take(DEFINERS + 1)
            .collect();
        if atoms.len() > DEFINERS {
            Vec::new()
        } else {
            atoms
        }
    }

    /// The atoms of the change that an atom is part of.
    fn range_of(&self, atom: u32) -> std::ops::Range<u32> {
        let change = &self.difference().changes[self.difference().change_of(atom as usize)];
        change.first as u32..(change.first + change.edits.len()) as u32
    }

    /// Replaced lines that define a name with another number of arguments, and those that call it with another number.
    fn changed_arguments(&self, postings: &[Posting]) -> (Vec<u32>, Vec<u32>) {
        let (mut definers, mut callers) = (Vec::new(), Vec::new());
        let name = &self.shared.names().texts[postings[0].name as usize];
        // Sorted by side first: the same atom is on both sides for a replaced line.
        let added = postings.partition_point(|posting| posting.side == LineSide::Removed);
        let (removed, added) = postings.split_at(added);
        let has_definition = |side: &[Posting]| {
            side.first()
                .is_some_and(|first| first.role == NameRole::Definition)
        };
        if !has_definition(removed) || !has_definition(added) {
            return (definers, callers);
        }
        for posting in removed {
            let role = posting.role;
            if role == NameRole::Mention
                || added
                    .binary_search(&Posting {
                        side: LineSide::Added,
                        ..*posting
                    })
                    .is_err()
            {
                continue;
            }
            let change =
                &self.difference().changes[self.difference().change_of(posting.atom as usize)];
            let FileEdit::Line(edit) = &change.edits[posting.atom as usize - change.first] else {
                continue;
            };
            let old = arguments(
                &change.old_content()[change.old_lines.bytes(&edit.old)],
                name,
            );
            let new = arguments(
                &change.new_content()[change.new_lines.bytes(&edit.new)],
                name,
            );
            if old.is_some() && new.is_some() && old != new {
                if role == NameRole::Definition {
                    &mut definers
                } else {
                    &mut callers
                }
                .push(posting.atom);
            }
        }
        (definers, callers)
    }

    /// Which atoms create a path, and which must make way for it.
    fn clearances(&self, come: &(usize, String), go: &(usize, String)) -> Vec<(u32, u32)> {
        let is_at = |side: &Option<(String, crate::FileState)>, path: &str| {
            side.as_ref().is_some_and(|(at, _)| at == path)
        };
        let (coming, going) = (
            &self.difference().changes[come.0],
            &self.difference().changes[go.0],
        );
        let comes = is_at(&coming.new, &come.1) && !is_at(&coming.old, &come.1);
        let goes = is_at(&going.old, &go.1) && !is_at(&going.new, &go.1);
        if !comes || !goes {
            return Vec::new();
        }
        let atoms = |change: &FileChange, fits: &dyn Fn(&FileEdit) -> bool| -> Vec<u32> {
            let edits = change.edits.iter().zip(change.first as u32..);
            edits
                .filter(|(edit, _)| fits(edit))
                .map(|(_, atom)| atom)
                .collect()
        };
        let created = coming.old.is_none();
        let come = atoms(coming, &|edit| created || *edit == FileEdit::Rename);
        let go = atoms(going, &|edit| {
            matches!(edit, FileEdit::Delete | FileEdit::Rename)
        });
        come.iter()
            .flat_map(|come| go.iter().map(|go| (*come, *go)))
            .collect()
    }
}

impl Definers {
    /// The definitions that an atom relies on: the nearest one before it in its own file, or one after it; all of those
    /// in other files when there is none, or when it is an import itself.
    fn of(&self, user: u32, file: std::ops::Range<u32>) -> &[u32] {
        let start = self.inside.partition_point(|atom| *atom < file.start);
        let end = self.inside.partition_point(|atom| *atom < file.end);
        let inside = &self.inside[start..end];
        match inside.partition_point(|atom| *atom <= user) {
            _ if inside.is_empty() || inside.contains(&user) => &self.outside,
            0 => &inside[..1],
            after => &inside[after - 1..after],
        }
    }
}
