//! What a text declares and what of that needs what: the parts that can go from megabytes of source code without a look
//! at the rest of its syntax.

mod noise;
mod piece;
mod reach;
#[cfg(test)]
#[cfg(feature = "cpp")]
mod tests;
mod walk;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use reach::Links;
pub(crate) use reach::{Bodies, Needed, Want};

use crate::language::{LanguageRoles, Parser};
use crate::outline::OutlineTable;
use crate::size::{is_word, tokens};
use crate::{Edit, Replacement};
use noise::without_noise;
use piece::pieces;
use walk::Walk;

/// The declarations of a text, and what can be said of their needs by names alone.
pub struct Entities {
    /// Each before those in it.
    items: Vec<Item>,
    /// The names that are mentioned between items, by what always stays.
    loose: Vec<Name>,
    /// All names that are declared or mentioned.
    names: HashMap<Box<[u8]>, Name>,
    /// Words that are no names, and the names that are needed where they stand.
    implied: Vec<(&'static str, Vec<Name>)>,
    /// What stands in the place of a body that is not needed.
    stub: &'static str,
    links: Links,
}

/// A name, as a number.
type Name = u32;

fn is_inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The number of a name, a new one if it has none yet.
fn number_of<'text>(name: &'text [u8], numbers: &mut HashMap<&'text [u8], Name>) -> Name {
    let next = numbers.len() as Name;
    *numbers.entry(name).or_insert(next)
}

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

/// Something that can go from a text by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// An item.
    Item(usize),
    /// The body of an item.
    Body(usize),
}

/// What a function does.
#[derive(Debug)]
struct Body {
    range: Range<usize>,
    uses: Vec<Name>,
    /// Whether whoever uses the function needs its body, too.
    is_part_of_use: bool,
}

impl Item {
    /// A piece that the parser refuses: it may need whatever it mentions.
    fn unknown<'text>(piece: &'text [u8], numbers: &mut HashMap<&'text [u8], Name>) -> Item {
        let words = tokens(piece).filter(|word| is_word(word[0]));
        let mut uses: Vec<Name> = words.map(|word| number_of(word, numbers)).collect();
        uses.sort_unstable();
        uses.dedup();
        Item {
            range: 0..piece.len(),
            uses,
            standing: Standing::Unknown,
            ..Item::default()
        }
    }

    /// The same item of a longer text, so many bytes and items later.
    fn moved(mut self, bytes: usize, items: usize) -> Item {
        let moved = |range: &Range<usize>| range.start + bytes..range.end + bytes;
        self.range = moved(&self.range);
        self.parent = self.parent.map(|parent| parent + items);
        if let Some(body) = &mut self.body {
            body.range = moved(&body.range);
        }
        self
    }
}

impl Entities {
    /// The declarations of a text, or nothing in a language whose table does not say where they are.
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
        let mut numbers = HashMap::new();
        let mut items: Vec<Item> = Vec::new();
        let mut loose: BTreeSet<Name> = BTreeSet::new();
        // The tree of a piece is gone before the next one is made.
        for piece in pieces(&quiet, &table.opening) {
            let first = items.len();
            let text = &quiet[piece.clone()];
            let (found, between) = match parser.parse(text, None) {
                Ok(parsed) => Walk::new(table, roles, text, &mut numbers).items(&parsed),
                Err(_) => (vec![Item::unknown(text, &mut numbers)], Vec::new()),
            };
            loose.extend(between);
            items.extend(found.into_iter().map(|item| item.moved(piece.start, first)));
        }
        let implied = table.implied.iter().map(|(word, names)| {
            let numbers = names.iter().filter_map(|name| numbers.get(name.as_bytes()));
            (*word, numbers.copied().collect())
        });
        let mut entities = Entities {
            implied: implied.collect(),
            names: (numbers.iter())
                .map(|(name, number)| ((*name).into(), *number))
                .collect(),
            items,
            loose: Vec::from_iter(loose),
            stub: table.stub,
            links: Links::default(),
        };
        entities.links = Links::new(&entities);
        Some(entities)
    }

    /// What removes all that is not needed from a text. Something else may be put in the place of neighbouring items.
    pub(crate) fn edit(&self, needed: &Needed, put: Option<&Replacement>) -> Edit {
        let mut stays = needed.items.clone();
        let is_replaced = |item: &Item| put.is_some_and(|put| is_inside(&item.range, &put.range));
        for (number, item) in self.items.iter().enumerate() {
            stays[number] |= is_replaced(item);
        }
        let has_needed = self.with_spaces(stays, needed.end);
        let mut removals: Vec<Range<usize>> = Vec::new();
        let mut others: Vec<Replacement> = put.cloned().into_iter().collect();
        let mut gone = 0;
        for (number, item) in self.items.iter().enumerate() {
            if item.range.end <= gone {
                continue;
            }
            if is_replaced(item) {
                gone = item.range.end;
            } else if !has_needed[number] {
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
                others.push(Replacement {
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
        Edit::new(others.into_iter().chain(removals).collect())
    }

    /// These items, the namespaces around them, and what opens these.
    fn with_spaces(&self, mut needed: Vec<bool>, end: usize) -> Vec<bool> {
        self.mark_spaces(&mut needed);
        let is_space =
            |(number, item): &(usize, &Item)| needed[*number] && item.standing == Standing::Space;
        let spaces = self.items.iter().enumerate().filter(is_space);
        let names: HashSet<Name> = spaces.flat_map(|(_, item)| &item.names).copied().collect();
        let is_known = |item: &Item| item.names.iter().any(|name| names.contains(name));
        for (number, item) in self.items.iter().enumerate() {
            if item.standing == Standing::Directive {
                // It may be all there is in its part of a namespace.
                needed[number] = item.range.start < end
                    && is_known(item)
                    && item
                        .parent
                        .is_none_or(|parent| is_known(&self.items[parent]));
            }
        }
        self.mark_spaces(&mut needed);
        needed
    }

    /// What is needed is needed with the namespaces around it.
    fn mark_spaces(&self, needed: &mut [bool]) {
        for (number, item) in self.items.iter().enumerate().rev() {
            if let Some(parent) = item.parent.filter(|_| needed[number]) {
                needed[parent] |= self.items[parent].standing == Standing::Space;
            }
        }
    }

    /// The items that stand in no other one but in namespaces, from the first to the last.
    pub(crate) fn outer(&self) -> Vec<usize> {
        let numbers = 0..self.items.len();
        let is_outer = |number: &usize| {
            let is_something = matches!(
                self.items[*number].standing,
                Standing::Usual | Standing::Unknown | Standing::Idle
            );
            is_something && self.container(*number).is_none()
        };
        numbers.filter(is_outer).collect()
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// Where an item is.
    pub(crate) fn range(&self, item: usize) -> Range<usize> {
        self.items[item].range.clone()
    }

    /// What an item is in.
    pub(crate) fn parent(&self, item: usize) -> Option<usize> {
        self.items[item].parent
    }

    /// All items.
    pub(crate) fn all(&self) -> Needed {
        self.up_to(usize::MAX)
    }

    /// The items up to a place.
    pub(crate) fn up_to(&self, end: usize) -> Needed {
        let stays: Vec<bool> = self
            .items
            .iter()
            .map(|item| item.range.start < end)
            .collect();
        Needed {
            bodies: stays.clone(),
            items: stays,
            distances: Vec::new(),
            end,
        }
    }

    /// Items and bodies that are needed and can go, the nearest first.
    pub(crate) fn parts(&self, needed: &Needed) -> Vec<Part> {
        let is_needed = |number: &usize| needed.items[*number];
        let mut numbers: Vec<usize> = (0..self.items.len()).filter(is_needed).collect();
        numbers.sort_by_key(|number| needed.distances[*number]);
        let mut parts = Vec::new();
        for number in numbers {
            let item = &self.items[number];
            if needed.bodies[number]
                && let Some(body) = &item.body
                && body.range.len() > self.stub.len()
            {
                parts.push(Part::Body(number));
            }
            if matches!(item.standing, Standing::Usual | Standing::Unknown) {
                parts.push(Part::Item(number));
            }
        }
        parts
    }

    /// How many bytes of a text are needed.
    pub(crate) fn bytes(&self, needed: &Needed) -> usize {
        let mut own: Vec<usize> = self.items.iter().map(|item| item.range.len()).collect();
        for (number, item) in self.items.iter().enumerate() {
            if let Some(parent) = item.parent {
                own[parent] = own[parent].saturating_sub(item.range.len());
            }
            if let Some(body) = item.body.as_ref().filter(|_| !needed.bodies[number]) {
                own[number] = own[number].saturating_sub(body.range.len());
            }
        }
        let numbers = (0..self.items.len()).filter(|number| needed.items[*number]);
        numbers.map(|number| own[number]).sum()
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
