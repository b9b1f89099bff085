//! What a text declares and what of that needs what: the parts that can go from megabytes of source code without a look
//! at the rest of its syntax.

mod noise;
mod reach;
#[cfg(test)]
#[cfg(feature = "cpp")]
mod tests;
mod walk;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub(crate) use reach::{Bodies, Needed};

use crate::language::{LanguageRoles, Parser};
use crate::outline::OutlineTable;
use crate::{Edit, Replacement};
use noise::without_noise;
use walk::Walk;

/// The declarations of a text, and what can be said of their needs by names alone.
pub struct Entities {
    /// Each before those in it.
    items: Vec<Item>,
    /// All names that are declared or mentioned.
    names: HashMap<Box<[u8]>, Name>,
    /// Words that are no names, and the names that are needed where they stand.
    implied: Vec<(&'static str, Vec<Name>)>,
    /// What stands in the place of a body that is not needed.
    stub: &'static str,
}

/// A name, as a number.
type Name = u32;

/// Something that is declared: a function, a class, a member, a namespace.
#[derive(Debug, Default)]
struct Item {
    /// From behind what is before it to its end, with a semicolon that follows.
    range: Range<usize>,
    /// The item that it is in.
    parent: Option<usize>,
    /// The names that it declares.
    names: Vec<Name>,
    /// The names that it mentions outside of its body.
    uses: Vec<Name>,
    /// It is of no use unless all of these are declared by something that stays: the class of a member that is defined
    /// elsewhere, the arguments of a specialisation.
    conditions: Vec<Name>,
    body: Option<Body>,
    standing: Standing,
}

/// When an item is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Standing {
    /// When something needs one of its names.
    #[default]
    Usual,
    /// When what it is in is.
    Fixed,
    /// When something in it is: what it declares is for everybody.
    Space,
    /// When something is needed in a namespace of its name.
    Directive,
    /// Never.
    Idle,
    /// Always: nothing is known of it.
    Unknown,
}

/// What a function does.
#[derive(Debug)]
struct Body {
    range: Range<usize>,
    uses: Vec<Name>,
    /// Whether whoever uses the function needs its body, too.
    is_part_of_use: bool,
}

impl Entities {
    /// The declarations of a text. Nothing in a language whose table does not say where they are, and of a text that the
    /// parser refuses.
    pub(crate) fn new(
        parser: &Parser,
        table: &OutlineTable,
        roles: &LanguageRoles,
        text: &[u8],
    ) -> Option<Entities> {
        if table.stub.is_empty() {
            return None;
        }
        let quiet = without_noise(text, &table.noise);
        let parsed = parser.parse(&quiet, None).ok()?;
        Some(Walk::new(table, roles, &quiet).entities(&parsed))
    }

    /// What removes all that is not needed from a text.
    pub(crate) fn edit(&self, needed: &Needed) -> Edit {
        let has_needed = self.with_spaces(&needed.items);
        let mut removals: Vec<Range<usize>> = Vec::new();
        let mut stubs = Vec::new();
        let mut gone = 0;
        for (number, item) in self.items.iter().enumerate() {
            if item.range.end <= gone {
                continue;
            }
            if !has_needed[number] {
                // The end of a line may belong to two neighbours.
                let start = item.range.start.max(gone);
                gone = item.range.end;
                match removals.last_mut() {
                    Some(last) if last.end == start => last.end = gone,
                    _ => removals.push(start..gone),
                }
            } else if let Some(body) = &item.body
                && !needed.bodies[number]
                && body.range.len() > self.stub.len()
            {
                stubs.push(Replacement {
                    range: body.range.clone(),
                    with: self.stub.as_bytes().into(),
                });
            }
        }
        // A line break may be the end of a directive.
        let removals = removals.into_iter().map(|range| Replacement {
            range,
            with: (&b"\n"[..]).into(),
        });
        Edit::new(stubs.into_iter().chain(removals).collect())
    }

    /// These items, the namespaces around them, and what opens these.
    fn with_spaces(&self, items: &[bool]) -> Vec<bool> {
        let mut needed = items.to_vec();
        for (number, item) in self.items.iter().enumerate().rev() {
            if let Some(parent) = item.parent.filter(|_| needed[number]) {
                needed[parent] |= self.items[parent].standing == Standing::Space;
            }
        }
        let mut names: HashSet<Name> = HashSet::new();
        for (item, _) in self
            .items
            .iter()
            .zip(&needed)
            .filter(|(_, needed)| **needed)
        {
            if item.standing == Standing::Space {
                names.extend(&item.names);
            }
        }
        for (number, item) in self.items.iter().enumerate() {
            if item.standing == Standing::Directive {
                needed[number] = item.names.iter().any(|name| names.contains(name))
                    && item.parent.is_none_or(|parent| needed[parent]);
            }
        }
        needed
    }

    /// Where the items begin that nothing is around, not even a namespace.
    pub(crate) fn starts(&self) -> impl DoubleEndedIterator<Item = usize> {
        let outermost = self.items.iter().filter(|item| item.parent.is_none());
        outermost.map(|item| item.range.start)
    }

    /// The class around an item, or whatever else it is a member of.
    fn container(&self, item: usize) -> Option<usize> {
        let around =
            std::iter::successors(self.items[item].parent, |item| self.items[*item].parent);
        around
            .into_iter()
            .find(|item| self.items[*item].standing != Standing::Space)
    }
}
