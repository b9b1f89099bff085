use std::collections::VecDeque;

use super::{Entities, Name, Part, Standing};
use crate::size::tokens;

/// What something needs of a text: which of its items, and which of their bodies.
#[derive(Clone, Debug)]
pub(crate) struct Needed {
    pub items: Vec<bool>,
    pub bodies: Vec<bool>,
    /// Over how many others each item is needed.
    pub distances: Vec<u32>,
    /// Where the text ends: nothing is needed of what comes behind.
    pub end: usize,
}

/// What is wanted of a text.
#[derive(Clone, Debug)]
pub(crate) struct Want<'a> {
    /// What is there in any case, as words that mention names of the text.
    pub words: &'a [u8],
    /// Items that are wanted with all that is in them, whatever the words mention.
    pub items: Vec<usize>,
    /// Which bodies are needed.
    pub bodies: Bodies,
    /// What is not wanted, though it may be mentioned.
    pub unwanted: Vec<Part>,
}

/// Which bodies stay of the functions that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// Those of functions that are needed over so many others at most, and those without which a function cannot be used.
    Near(u32),
    /// All.
    All,
}

/// Which items have to do with which names and which other items, for [`Reach`].
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The items that declare each name.
    declared: Vec<Vec<u32>>,
    /// The items that wait for each name.
    waiting: Vec<Vec<u32>>,
    /// The members of each item.
    members: Vec<Vec<u32>>,
    /// How much has to be needed before each item is: a name of it, what it is in, and its conditions.
    missing: Vec<u32>,
}

/// More than can be found: whatever comes, the item is not reached.
const NEVER: u32 = u32::MAX / 2;

impl Links {
    pub fn new(entities: &Entities) -> Links {
        let (items, names) = (entities.items.len(), entities.names.len());
        let mut links = Links {
            declared: vec![Vec::new(); names],
            waiting: vec![Vec::new(); names],
            members: vec![Vec::new(); items],
            missing: vec![0; items],
        };
        for (number, item) in entities.items.iter().enumerate() {
            // Nothing has to wait for a namespace: it stays with what is in it.
            if item.standing != Standing::Space {
                for name in &item.names {
                    links.declared[*name as usize].push(number as u32);
                }
            }
        }
        for (number, item) in entities.items.iter().enumerate() {
            let mut missing = u32::from(!item.names.is_empty());
            let container = entities.container(number);
            if let Some(container) = container {
                links.members[container].push(number as u32);
                missing += 1;
            }
            let conditions = match item.standing {
                Standing::Usual => &item.conditions[..],
                _ => &[],
            };
            for name in conditions {
                let is_declared = !links.declared[*name as usize].is_empty();
                if is_declared && !item.names.contains(name) {
                    links.waiting[*name as usize].push(number as u32);
                    missing += 1;
                }
            }
            links.missing[number] = match item.standing {
                Standing::Usual => missing,
                Standing::Fixed => u32::from(container.is_some()),
                Standing::Space | Standing::Directive | Standing::Idle | Standing::Unknown => NEVER,
            };
        }
        links
    }
}

impl Entities {
    /// The items and bodies that are wanted, and all that they need, by names alone: an item is needed when something that
    /// is wanted or needed mentions a name that it declares, wherever that is. So more is needed than there has to be, but
    /// hardly ever less.
    pub(crate) fn needed(&self, want: &Want<'_>) -> Needed {
        let mut reach = Reach::new(self, want);
        for word in tokens(want.words) {
            if let Some(name) = self.names.get(word) {
                reach.name(*name);
            }
            let implied = self
                .implied
                .iter()
                .filter(|(other, _)| word == other.as_bytes());
            for name in implied.flat_map(|(_, names)| names) {
                reach.name(*name);
            }
        }
        for name in &self.loose {
            reach.name(*name);
        }
        for number in &want.items {
            reach.whole(*number);
        }
        for (number, item) in self.items.iter().enumerate() {
            if item.standing == Standing::Unknown {
                reach.whole(number);
            } else if reach.missing[number] == 0 {
                reach.item(number);
            }
        }
        reach.go_on();
        reach.needed
    }
}

struct Reach<'a> {
    entities: &'a Entities,
    bodies: Bodies,
    needed: Needed,
    is_unwanted: Vec<bool>,
    is_without_body: Vec<bool>,
    missing: Vec<u32>,
    has_name: Vec<bool>,
    is_known: Vec<bool>,
    open: VecDeque<usize>,
    /// The distance of the item that is looked at.
    distance: u32,
}

impl<'a> Reach<'a> {
    fn new(entities: &'a Entities, want: &Want<'_>) -> Self {
        let (items, names) = (entities.items.len(), entities.names.len());
        let mut reach = Reach {
            entities,
            bodies: want.bodies,
            needed: Needed {
                items: vec![false; items],
                bodies: vec![false; items],
                distances: vec![0; items],
                end: usize::MAX,
            },
            is_unwanted: vec![false; items],
            is_without_body: vec![false; items],
            missing: entities.links.missing.clone(),
            has_name: vec![false; items],
            is_known: vec![false; names],
            open: VecDeque::new(),
            distance: 0,
        };
        for part in &want.unwanted {
            match *part {
                Part::Item(item) => reach.is_unwanted[item] = true,
                Part::Body(item) => reach.is_without_body[item] = true,
            }
        }
        reach
    }

    /// An item is needed with all that is in it.
    fn whole(&mut self, number: usize) {
        let end = self.entities.items[number].range.end;
        let inner = self.entities.items[number..].iter();
        let count = inner.take_while(|item| item.range.start < end).count();
        for inner in number..number + count.max(1) {
            self.needed.bodies[inner] = !self.is_without_body[inner];
            self.item(inner);
        }
    }

    fn item(&mut self, number: usize) {
        if !self.is_unwanted[number] && !std::mem::replace(&mut self.needed.items[number], true) {
            self.needed.distances[number] = self.distance + 1;
            self.open.push_back(number);
        }
    }

    fn name(&mut self, name: Name) {
        if std::mem::replace(&mut self.is_known[name as usize], true) {
            return;
        }
        let links = &self.entities.links;
        for item in &links.declared[name as usize] {
            let item = *item as usize;
            let is_fixed = self.entities.items[item].standing == Standing::Fixed;
            if !std::mem::replace(&mut self.has_name[item], true) && !is_fixed {
                self.found(item);
            }
        }
        for item in &links.waiting[name as usize] {
            self.found(*item as usize);
        }
    }

    /// One thing less is missing before an item is needed.
    fn found(&mut self, item: usize) {
        self.missing[item] = self.missing[item].saturating_sub(1);
        if self.missing[item] == 0 {
            self.item(item);
        }
    }

    fn go_on(&mut self) {
        while let Some(number) = self.open.pop_front() {
            self.distance = self.needed.distances[number];
            let item = &self.entities.items[number];
            for name in item.names.iter().chain(&item.uses) {
                self.name(*name);
            }
            if let Some(body) = &item.body
                && !self.is_without_body[number]
                && (self.needed.bodies[number]
                    || body.is_part_of_use
                    || match self.bodies {
                        Bodies::Near(most) => self.distance <= most,
                        Bodies::All => true,
                    })
            {
                self.needed.bodies[number] = true;
                for name in &body.uses {
                    self.name(*name);
                }
            }
            for member in &self.entities.links.members[number] {
                self.found(*member as usize);
            }
        }
    }
}
