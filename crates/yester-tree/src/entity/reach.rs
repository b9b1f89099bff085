use super::{Entities, Name, Standing};
use crate::size::tokens;

/// What something needs of a text: which of its items, and which of their bodies.
pub(crate) struct Needed {
    pub items: Vec<bool>,
    pub bodies: Vec<bool>,
}

/// Which bodies stay of the functions that are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodies {
    /// Those without which a function cannot be used.
    Few,
    /// All.
    All,
}

impl Entities {
    /// What a text needs that comes after this one, by its words alone: an item is needed when the text or something that
    /// is needed mentions a name that it declares, wherever that is. So more is needed than there has to be, but hardly
    /// ever less.
    pub(crate) fn needed_by(&self, text: &[u8], bodies: Bodies) -> Needed {
        let mut reach = Reach::new(self, bodies);
        for word in tokens(text) {
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
    /// How much has to be needed before each item is: a name of it, what it is in, and its conditions.
    missing: Vec<usize>,
    has_name: Vec<bool>,
    /// The items that declare each name.
    declared: Vec<Vec<u32>>,
    /// The items that wait for each name.
    waiting: Vec<Vec<u32>>,
    /// The members of each item.
    members: Vec<Vec<u32>>,
    is_known: Vec<bool>,
    open: Vec<usize>,
}

impl<'a> Reach<'a> {
    fn new(entities: &'a Entities, bodies: Bodies) -> Self {
        let (items, names) = (entities.items.len(), entities.names.len());
        let mut reach = Reach {
            entities,
            bodies,
            needed: Needed {
                items: vec![false; items],
                bodies: vec![false; items],
            },
            missing: vec![0; items],
            has_name: vec![false; items],
            declared: vec![Vec::new(); names],
            waiting: vec![Vec::new(); names],
            members: vec![Vec::new(); items],
            is_known: vec![false; names],
            open: Vec::new(),
        };
        for (number, item) in entities.items.iter().enumerate() {
            for name in &item.names {
                reach.declared[*name as usize].push(number as u32);
            }
        }
        for (number, item) in entities.items.iter().enumerate() {
            let mut missing = usize::from(!item.names.is_empty());
            if let Some(container) = entities.container(number) {
                reach.members[container].push(number as u32);
                missing += 1;
            }
            let conditions = match item.standing {
                Standing::Usual => &item.conditions[..],
                _ => &[],
            };
            for name in conditions {
                let is_declared = !reach.declared[*name as usize].is_empty();
                if is_declared && !item.names.contains(name) {
                    reach.waiting[*name as usize].push(number as u32);
                    missing += 1;
                }
            }
            reach.missing[number] = match item.standing {
                Standing::Usual => missing,
                Standing::Fixed => usize::from(entities.container(number).is_some()),
                // Whatever comes, they are not reached.
                Standing::Space | Standing::Directive | Standing::Idle | Standing::Unknown => {
                    usize::MAX / 2
                }
            };
        }
        reach
    }

    /// An item is needed with all that is in it.
    fn whole(&mut self, number: usize) {
        let end = self.entities.items[number].range.end;
        let inner = self.entities.items[number..].iter();
        let count = inner.take_while(|item| item.range.start < end).count();
        for inner in number..number + count.max(1) {
            self.needed.bodies[inner] = true;
            self.item(inner);
        }
    }

    fn item(&mut self, number: usize) {
        if !std::mem::replace(&mut self.needed.items[number], true) {
            self.open.push(number);
        }
    }

    fn name(&mut self, name: Name) {
        if std::mem::replace(&mut self.is_known[name as usize], true) {
            return;
        }
        for item in std::mem::take(&mut self.declared[name as usize]) {
            let item = item as usize;
            let is_fixed = self.entities.items[item].standing == Standing::Fixed;
            if !std::mem::replace(&mut self.has_name[item], true) && !is_fixed {
                self.found(item);
            }
        }
        for item in std::mem::take(&mut self.waiting[name as usize]) {
            self.found(item as usize);
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
        while let Some(number) = self.open.pop() {
            let item = &self.entities.items[number];
            for name in item.names.iter().chain(&item.uses) {
                self.name(*name);
            }
            if let Some(body) = &item.body
                && (self.needed.bodies[number] || self.bodies == Bodies::All || body.is_part_of_use)
            {
                self.needed.bodies[number] = true;
                for name in &body.uses {
                    self.name(*name);
                }
            }
            for member in std::mem::take(&mut self.members[number]) {
                self.found(member as usize);
            }
        }
    }
}
