//! Where names are looked for.

use std::collections::{HashMap, HashSet};

use super::{Item, Name};

/// A name that is mentioned, and where it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reference {
    pub name: Name,
    pub scope: Scope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    Everywhere,
    /// In classes: `it.name`.
    Classes,
    /// In what has that name: `outer::name`.
    In(Name),
    /// In a namespace, those around it, and what is used there.
    From {
        space: u32,
        /// A function that is called may be declared where its arguments are.
        is_call: bool,
        /// In a class, it may be a member of another one from which that is derived.
        is_member: bool,
    },
}

/// The references of a text by their numbers. The first ones are those to each name, everywhere.
#[derive(Debug, Default)]
pub(super) struct References {
    list: Vec<Reference>,
    numbers: HashMap<Reference, u32>,
}

impl References {
    pub fn new(names: usize) -> References {
        let everywhere = (0..names as Name).map(|name| Reference {
            name,
            scope: Scope::Everywhere,
        });
        References {
            list: everywhere.collect(),
            numbers: HashMap::new(),
        }
    }

    /// The number of a reference, which may be new.
    pub fn add(&mut self, reference: Reference) -> u32 {
        if reference.scope == Scope::Everywhere {
            return reference.name;
        }
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(reference).or_insert(next);
        if number == next {
            self.list.push(reference);
        }
        number
    }

    /// The number of a reference. Of one that is not in the text, the number of its name everywhere.
    pub fn number(&self, reference: Reference) -> u32 {
        (self.numbers.get(&reference).copied()).unwrap_or(reference.name)
    }

    pub fn get(&self, number: u32) -> Reference {
        self.list[number as usize]
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// How many namespaces around a place are looked at, and how many that are used in one. Where there are more, a name may be
/// anywhere.
const MOST_AROUND: usize = 64;
const MOST_USED: usize = 256;

/// The namespaces of a text by their numbers. The first one is around all others.
#[derive(Debug)]
pub(super) struct Spaces {
    list: Vec<Space>,
    numbers: HashMap<(u32, Name), u32>,
    of_name: HashMap<Name, Vec<u32>>,
    /// Other names of namespaces.
    aliases: HashSet<Name>,
}

#[derive(Debug, Default)]
struct Space {
    parent: Option<u32>,
    /// The namespaces in it that are transparent.
    inline: Vec<u32>,
    /// The names of the namespaces that are used here.
    used: Vec<Name>,
    /// The namespaces whose names can be seen in it, itself included, in order. Nothing if these are too many.
    shown: Option<Vec<u32>>,
}

impl Spaces {
    pub fn new() -> Spaces {
        Spaces {
            list: vec![Space::default()],
            numbers: HashMap::new(),
            of_name: HashMap::new(),
            aliases: HashSet::new(),
        }
    }

    /// The number of a namespace in another one.
    pub fn enter(&mut self, parent: u32, name: Name, is_inline: bool) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry((parent, name)).or_insert(next);
        if number == next {
            self.list.push(Space {
                parent: Some(parent),
                ..Space::default()
            });
            self.of_name.entry(name).or_default().push(number);
            if is_inline {
                self.list[parent as usize].inline.push(number);
            }
        }
        number
    }

    /// `using namespace`.
    pub fn use_name(&mut self, space: u32, name: Name) {
        self.list[space as usize].used.push(name);
    }

    pub fn add_alias(&mut self, name: Name) {
        self.aliases.insert(name);
    }

    /// Finds out what can be seen in each namespace.
    pub fn finish(&mut self) {
        for space in &mut self.list {
            space.used.sort_unstable();
            space.used.dedup();
        }
        for space in 0..self.list.len() {
            self.list[space].shown = self.shown(space as u32);
        }
    }

    /// The namespaces that are used in one, and in these, in order.
    fn shown(&self, space: u32) -> Option<Vec<u32>> {
        let mut shown = HashSet::from([space]);
        let mut open = vec![space];
        while let Some(space) = open.pop() {
            let Space { inline, used, .. } = &self.list[space as usize];
            let used = used.iter().filter_map(|name| self.of_name.get(name));
            for other in inline.iter().chain(used.flatten()) {
                if shown.insert(*other) {
                    open.push(*other);
                }
                if shown.len() > MOST_USED {
                    return None;
                }
            }
        }
        let mut shown: Vec<u32> = shown.into_iter().collect();
        shown.sort_unstable();
        Some(shown)
    }

    /// Whether what is in one namespace can be seen in another one.
    fn shows(&self, space: u32, other: u32) -> bool {
        let shown = &self.list[space as usize].shown;
        let has = |shown: &Vec<u32>| shown.binary_search(&other).is_ok();
        shown.as_ref().is_none_or(has)
    }

    /// Whether what is in one namespace can be seen from another one.
    fn sees(&self, space: u32, other: u32) -> bool {
        let mut next = Some(space);
        for _ in 0..MOST_AROUND {
            let Some(space) = next else {
                return false;
            };
            if self.shows(space, other) {
                return true;
            }
            next = self.list[space as usize].parent;
        }
        true
    }

    /// Whether something is looked for in a scope.
    pub fn is_visible(&self, scope: Scope, item: &Item) -> bool {
        if item.is_friend {
            return scope != Scope::Classes;
        }
        if item.is_member {
            return !matches!(
                scope,
                Scope::From {
                    is_member: false,
                    ..
                }
            );
        }
        match scope {
            Scope::Everywhere => true,
            Scope::Classes => false,
            Scope::In(name) => {
                let mut spaces = self.of_name.get(&name).into_iter().flatten();
                self.aliases.contains(&name) || spaces.any(|space| self.shows(*space, item.space))
            }
            Scope::From { space, is_call, .. } => {
                is_call && item.is_callable || self.sees(space, item.space)
            }
        }
    }
}
