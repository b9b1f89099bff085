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

/// The namespaces of a text by their numbers. The first one is around all others.
#[derive(Debug)]
pub(super) struct Spaces {
    list: Vec<Space>,
    numbers: HashMap<(u32, Name), u32>,
    of_name: HashMap<Name, Vec<u32>>,
    /// Other names of namespaces.
    aliases: HashSet<Name>,
    /// What can be seen from each namespace, and in namespaces of each name, in order.
    seen: Vec<Vec<u32>>,
    inside: HashMap<Name, Vec<u32>>,
}

#[derive(Debug, Default)]
struct Space {
    parent: Option<u32>,
    /// The namespaces in it that are transparent.
    inline: Vec<u32>,
    /// The names of the namespaces that are used here.
    used: Vec<Name>,
}

impl Spaces {
    pub fn new() -> Spaces {
        Spaces {
            list: vec![Space::default()],
            numbers: HashMap::new(),
            of_name: HashMap::new(),
            aliases: HashSet::new(),
            seen: Vec::new(),
            inside: HashMap::new(),
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
        }
        let inline = &mut self.list[parent as usize].inline;
        if is_inline && !inline.contains(&number) {
            inline.push(number);
        }
        number
    }

    /// `using namespace`.
    pub fn use_name(&mut self, space: u32, name: Name) {
        let used = &mut self.list[space as usize].used;
        if !used.contains(&name) {
            used.push(name);
        }
    }

    pub fn add_alias(&mut self, name: Name) {
        self.aliases.insert(name);
    }

    /// Finds out what can be seen from where.
    pub fn finish(&mut self) {
        let parent = |space: &u32| self.list[*space as usize].parent;
        let around = |space: u32| std::iter::successors(Some(space), parent).collect();
        let spaces = 0..self.list.len() as u32;
        self.seen = spaces.map(|space| self.with_used(around(space))).collect();
        let names = self.of_name.iter();
        self.inside = names
            .map(|(name, spaces)| (*name, self.with_used(spaces.clone())))
            .collect();
    }

    /// Some namespaces, and those that are used in them.
    fn with_used(&self, mut open: Vec<u32>) -> Vec<u32> {
        let mut seen: HashSet<u32> = open.iter().copied().collect();
        let mut all = Vec::new();
        while let Some(space) = open.pop() {
            all.push(space);
            let Space { inline, used, .. } = &self.list[space as usize];
            let used = used.iter().filter_map(|name| self.of_name.get(name));
            for other in inline.iter().chain(used.flatten()) {
                if seen.insert(*other) {
                    open.push(*other);
                }
            }
        }
        all.sort_unstable();
        all
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
        let has = |spaces: &[u32]| spaces.binary_search(&item.space).is_ok();
        match scope {
            Scope::Everywhere => true,
            Scope::Classes => false,
            Scope::In(name) => match self.inside.get(&name) {
                Some(spaces) => has(spaces) || self.aliases.contains(&name),
                None => self.aliases.contains(&name),
            },
            Scope::From { space, is_call, .. } => {
                is_call && item.is_callable || has(&self.seen[space as usize])
            }
        }
    }
}
