//! What a C or C++ text declares and what of that needs what: the parts that can go from megabytes of source code without a
//! look at the rest of its syntax.

mod declaration;
mod lexeme;
mod mention;
mod reach;
mod read;
mod scope;
mod statement;
mod syntax;
#[cfg(test)]
mod tests;
mod weight;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lexeme::Lexemes;
use mention::{IMPLIED, Mentioned};
use reach::Links;
pub(crate) use reach::{Bodies, Care, Needed, Part, Want};
use read::Reader;
use scope::{Reference, References, Scope, Spaces};
pub(crate) use weight::{Idea, Sort};

use yester_tree::{Edit, Replacement, tokens};

/// The declarations of a text, and what can be said of their needs by names alone.
pub struct Entities {
    /// Each before those in it.
    items: Vec<Item>,
    /// What is mentioned between items, by what always stays: references.
    loose: Vec<u32>,
    /// All words.
    names: HashMap<Box<[u8]>, Name>,
    references: References,
    spaces: Spaces,
    links: Links,
}

/// A name, as a number.
type Name = u32;

fn is_inside(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Something that is declared: a function, a class, a member, a namespace. Also the body of a function, and a statement.
#[derive(Debug, Default)]
struct Item {
    /// From behind what is before it to its end, with a semicolon that follows.
    range: Range<usize>,
    /// The item that it is in.
    parent: Option<usize>,
    /// The class that it is in, or whatever else but a namespace.
    container: Option<usize>,
    /// The namespace that it is in.
    space: u32,
    /// Whether it is a function.
    is_callable: bool,
    /// Whether it belongs to a class.
    is_member: bool,
    is_friend: bool,
    /// Whether it is another name for a type.
    is_alias: bool,
    /// The names that it declares.
    names: Vec<Name>,
    /// What it mentions outside of the items in it: references.
    uses: Vec<u32>,
    /// The members of the classes around it that it mentions.
    own: Vec<u32>,
    /// The parameters and variables that it mentions.
    variables: Vec<Name>,
    /// It is of no use unless all of these are declared by something that stays: the class of a member that is defined
    /// elsewhere, the arguments of a specialisation.
    conditions: Vec<Name>,
    standing: Standing,
    /// The names among the operands of an operator: it may be needed where these are, whatever else it mentions. And what care
    /// that takes.
    operands: Option<(Vec<Name>, Care)>,
    /// How many bytes it has without the items in it.
    bytes: usize,
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
    /// When what it is in is, if such things are to stay, or when something needs one of its names: the compiler computes
    /// something there, and may not accept it.
    Check,
    /// When what it is in is, if as much as possible is to stay: it tells the compiler something about what follows.
    Marker,
    /// When its function is and is wanted with its body.
    Body(Body),
    /// When what it is in is. What it declares is for those behind it.
    Statement,
}

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Body {
    /// Whether a constant may need it.
    is_constant: bool,
    /// Whether it begins with the initialisers of a constructor.
    is_initialising: bool,
    /// Whether only the body tells what the function returns.
    is_deduced: bool,
    /// Whether the function is declared elsewhere: without a body it says nothing.
    is_outside: bool,
}

impl Item {
    /// Puts its names in order.
    fn sort(&mut self) {
        let Item {
            names,
            uses,
            own,
            variables,
            conditions,
            operands,
            ..
        } = self;
        let lists = [names, uses, own, variables, conditions].into_iter();
        let operands = operands.as_mut().map(|(names, _)| names);
        for names in lists.chain(operands) {
            names.sort_unstable();
            names.dedup();
            names.shrink_to_fit();
        }
    }

    fn body(&self) -> Option<Body> {
        match self.standing {
            Standing::Body(body) => Some(body),
            _ => None,
        }
    }
}

impl Entities {
    /// The declarations of a text.
    pub(crate) fn new(text: &[u8]) -> Entities {
        let lexemes = Lexemes::new(text);
        let Mentioned {
            mut items,
            loose,
            references,
            spaces,
        } = Reader::items(&lexemes);
        let words = lexemes.words.iter().enumerate();
        let names = words
            .map(|(number, word)| ((*word).into(), number as Name))
            .collect();
        drop(lexemes);
        for number in 0..items.len() {
            let parent = items[number].parent;
            items[number].container = parent.and_then(|parent| match items[parent].standing {
                Standing::Space => items[parent].container,
                _ => Some(parent),
            });
            let length = items[number].range.len();
            items[number].bytes += length;
            if let Some(parent) = items[number].parent {
                let rest = items[parent].bytes.saturating_sub(length);
                items[parent].bytes = rest;
            }
        }
        let mut entities = Entities {
            items,
            loose,
            names,
            references,
            spaces,
            links: Links::default(),
        };
        entities.links = Links::new(&entities);
        entities
    }

    /// What removes all that is not needed from a text, with something else in the place of its tail.
    pub(crate) fn edit(&self, needed: &Needed, tail: Option<&Replacement>) -> Edit {
        let stays = self.with_spaces(needed, tail);
        let mut replacements: Vec<Replacement> = Vec::new();
        let mut gone = 0;
        for (number, item) in self.items.iter().enumerate() {
            let is_replaced = tail.is_some_and(|tail| is_inside(&item.range, &tail.range));
            if stays[number] || is_replaced || item.range.end <= gone {
                continue;
            }
            gone = item.range.end;
            match (item.standing, replacements.last_mut()) {
                // Not every function can be empty, but it may be declared only.
                (Standing::Body(body), _) => replacements.push(Replacement {
                    range: item.range.clone(),
                    with: if body.is_constant || body.is_initialising {
                        (&b";"[..]).into()
                    } else {
                        needed.stub.as_bytes().into()
                    },
                }),
                (_, Some(last)) if last.range.end == item.range.start && *last.with == *b"\n" => {
                    last.range.end = gone;
                }
                // A line break may be the end of a directive.
                _ => replacements.push(Replacement {
                    range: item.range.clone(),
                    with: (&b"\n"[..]).into(),
                }),
            }
        }
        replacements.extend(tail.cloned());
        Edit::new(replacements)
    }

    /// The needed items, the namespaces around them, and what opens these.
    fn with_spaces(&self, needed: &Needed, tail: Option<&Replacement>) -> Vec<bool> {
        let mut stays = needed.items.clone();
        for (number, item) in self.items.iter().enumerate() {
            stays[number] |= tail.is_some_and(|tail| is_inside(&item.range, &tail.range));
        }
        self.mark_spaces(&mut stays);
        let is_space =
            |(number, item): &(usize, &Item)| stays[*number] && item.standing == Standing::Space;
        let spaces = self.items.iter().enumerate().filter(is_space);
        let names: HashSet<Name> = spaces.flat_map(|(_, item)| &item.names).copied().collect();
        let is_known = |item: &Item| item.names.iter().any(|name| names.contains(name));
        for (number, item) in self.items.iter().enumerate() {
            // What opens a namespace may be all there is in its part of another one. The first part of a namespace may tell
            // something about the others.
            let is_telling = item.standing == Standing::Directive || self.links.is_first[number];
            if is_telling && is_known(item) {
                stays[number] |= item.range.start < needed.end
                    && item
                        .parent
                        .is_none_or(|parent| is_known(&self.items[parent]));
            }
        }
        self.mark_spaces(&mut stays);
        stays
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
        let is_outer = |number: &usize| {
            let is_something = matches!(
                self.items[*number].standing,
                Standing::Usual | Standing::Fixed | Standing::Idle
            );
            is_something && self.items[*number].container.is_none()
        };
        (0..self.items.len()).filter(is_outer).collect()
    }

    /// The outer items that are not needed, those first of which something is mentioned.
    pub(crate) fn unneeded(&self, want: &Want) -> Vec<usize> {
        let needed = self.needed(want);
        let outer = self
            .outer()
            .into_iter()
            .rev()
            .filter(|number| !needed.items[*number]);
        let is_mentioned = |number: &usize| {
            let item = &self.items[*number];
            let mut names = item.names.iter().chain(&item.conditions);
            names.any(|name| needed.names[*name as usize])
        };
        let (mentioned, others): (Vec<usize>, Vec<usize>) = outer.partition(is_mentioned);
        mentioned.into_iter().chain(others).collect()
    }

    /// Over how many others an item is needed at most.
    pub(crate) fn farthest(&self, want: &Want) -> u32 {
        let needed = self.needed(want);
        needed.distances.iter().copied().max().unwrap_or(0)
    }

    /// The bodies that have something of some places, which are in order.
    pub(crate) fn bodies_at(&self, places: &[Range<usize>]) -> HashSet<usize> {
        let has_place = |range: &Range<usize>| {
            let next = places.partition_point(|place| place.end <= range.start);
            places
                .get(next)
                .is_some_and(|place| place.start < range.end)
        };
        let items = self.items.iter().enumerate();
        let bodies = items.filter(|(_, item)| item.body().is_some() && has_place(&item.range));
        bodies.map(|(number, _)| number).collect()
    }

    /// Where an item is.
    pub(crate) fn range(&self, item: usize) -> Range<usize> {
        self.items[item].range.clone()
    }

    /// The last declarations that stand side by side, in so many bytes.
    pub(crate) fn last(&self, bytes: usize) -> Option<Range<usize>> {
        let outer = self.outer();
        let last = &self.items[*outer.last()?];
        let neighbours = outer.iter().rev().map(|number| &self.items[*number]);
        let neighbours = neighbours.take_while(|item| {
            item.parent == last.parent && item.range.start + bytes >= last.range.end
        });
        neighbours
            .last()
            .map(|first| first.range.start..last.range.end)
    }

    /// Something in the place of the tail, without the declarations in it that nothing needs: neither the last of them nor
    /// what that needs.
    pub(crate) fn settle(&self, want: &Want, tail: &Replacement) -> Replacement {
        let inner = Entities::new(&tail.with);
        let outer = inner.outer();
        let Some(root) = outer.last() else {
            return tail.clone();
        };
        let words = inner.words();
        let mut want = want.clone();
        let mut kept = Needed::up_to(&inner, usize::MAX);
        for number in &outer {
            kept.items[*number] = number == root || inner.items[*number].names.is_empty();
        }
        loop {
            let settled = Replacement {
                range: tail.range.clone(),
                with: inner.edit(&kept, None).apply(&tail.with).into(),
            };
            want.tail = Some(settled.clone());
            let known = self.needed(&want).names;
            let is_known = |name: &Name| {
                let name = self.names.get(words[*name as usize]);
                name.is_some_and(|name| known[*name as usize])
            };
            let is_missing = |number: &usize| {
                !kept.items[*number] && inner.items[*number].names.iter().any(is_known)
            };
            let missing: Vec<usize> = outer.iter().copied().filter(is_missing).collect();
            if missing.is_empty() {
                return settled;
            }
            missing
                .into_iter()
                .for_each(|number| kept.items[number] = true);
        }
    }

    /// How many bytes each word of a tail is worth: how many are not needed if it leads nowhere.
    pub(crate) fn leverage<'a>(&self, want: &Want, tail: &'a [u8]) -> HashMap<&'a [u8], usize> {
        let bytes = self.bytes(&self.needed(want));
        let mut leverage = HashMap::new();
        for word in tokens(tail) {
            if let Some(name) = self.names.get(word)
                && !leverage.contains_key(word)
            {
                let left = self.bytes_without(want, &[Part::Name(*name)]);
                leverage.insert(word, bytes.saturating_sub(left));
            }
        }
        leverage
    }

    /// The words by their numbers.
    fn words(&self) -> Vec<&[u8]> {
        let mut words: Vec<&[u8]> = vec![b""; self.names.len()];
        for (word, number) in &self.names {
            words[*number as usize] = word;
        }
        words
    }

    /// What a text at the end mentions and does not declare itself: references.
    fn references_of(&self, tail: &Replacement) -> Vec<u32> {
        let inner = Entities::new(&tail.with);
        let words = inner.words();
        let known = |name: Name| self.names.get(words[name as usize]).copied();
        let outer = self
            .items
            .iter()
            .find(|item| is_inside(&item.range, &tail.range));
        let space = outer.map_or(0, |item| item.space);
        let mentioned = inner.items.iter().flat_map(|item| &item.uses);
        let mentioned = mentioned.chain(&inner.loose).filter_map(|number| {
            let Reference { name, scope } = inner.references.get(*number);
            let scope = match scope {
                Scope::In(outer) => Scope::In(known(outer)?),
                Scope::From {
                    is_call, is_member, ..
                } => Scope::From {
                    space,
                    is_call,
                    is_member,
                },
                scope => scope,
            };
            let name = known(name)?;
            Some(self.references.number(Reference { name, scope }))
        });
        let implied = IMPLIED
            .iter()
            .filter(|(word, _)| inner.names.contains_key(word.as_bytes()));
        let implied = implied
            .flat_map(|(_, names)| *names)
            .filter_map(|name| self.names.get(name.as_bytes()).copied());
        let mut all: Vec<u32> = mentioned.chain(implied).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many bytes of a text are needed.
    pub(crate) fn bytes(&self, needed: &Needed) -> usize {
        let stay = (self.items.iter().zip(&needed.items)).filter(|(_, is_needed)| **is_needed);
        stay.map(|(item, _)| item.bytes).sum()
    }
}
