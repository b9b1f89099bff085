use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, OnceLock};

use super::scope::{Reference, Scope};
use super::{Body, Entities, Item, Name, Standing, is_inside};
use yester_tree::Replacement;

/// What something needs of a text.
#[derive(Clone, Debug)]
pub(crate) struct Needed {
    pub items: Vec<bool>,
    /// Over how many others each item is needed.
    pub(super) distances: Vec<u32>,
    /// The names that are mentioned.
    pub(super) names: Vec<bool>,
    /// The items and what is mentioned, in the order in which they were found.
    pub(super) order: Vec<Node>,
    /// Where the text ends: nothing is needed of what comes behind.
    pub end: usize,
    /// What stands in the place of bodies that are not needed.
    pub stub: &'static str,
}

impl Needed {
    /// The items up to a place.
    pub fn up_to(entities: &Entities, end: usize) -> Needed {
        let items = entities.items.iter().map(|item| item.range.start < end);
        Needed {
            items: items.collect(),
            distances: Vec::new(),
            names: Vec::new(),
            order: Vec::new(),
            end,
            stub: "",
        }
    }
}

/// An item or a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Item(usize),
    Reference(u32),
}

/// What is wanted of a text.
#[derive(Clone, Debug)]
pub(crate) struct Want {
    /// Items that are wanted with all that is in them.
    pub items: Vec<usize>,
    /// Whether everything is wanted that is not unwanted.
    pub everything: bool,
    /// Behind this place, what is in an item is needed with it, mentioned or not.
    pub whole_from: usize,
    /// Which bodies are needed.
    pub bodies: Bodies,
    /// Bodies that are needed with their functions, however far these are.
    pub suspects: Arc<HashSet<usize>>,
    /// What is not wanted, though it may be mentioned.
    pub unwanted: Vec<Part>,
    /// What is in the place of some items at the end.
    pub tail: Option<Replacement>,
}

/// Something that can go from a text by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Part {
    /// An item, and what nothing else needs.
    Item(usize),
    /// All that is needed only because somebody mentions a name.
    Name(Name),
    /// All in namespaces of a name.
    Space(Name),
}

/// Which bodies stay of the functions that are needed, besides those that tell what a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bodies {
    /// Those of functions that are needed over so many others at most.
    pub near: u32,
    /// Those that a constant may need, if they are not longer than this.
    pub constant: usize,
    /// What stands in the place of the others.
    pub stub: &'static str,
    pub care: Care,
}

/// What stays besides that which is mentioned and all of whose own words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Care {
    /// Nothing.
    None,
    /// Comparisons of what is needed, and what is about it by another name.
    Usual,
    /// Also what the compiler computes in classes that are needed.
    Checks,
    /// Also other operators of what is needed, whatever has a name that is mentioned anywhere, pragmas and other markers.
    Most,
}

/// Which items have to do with which names and which other items, for [`Reach`].
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The items that declare each name for everybody.
    pub declared: Vec<Vec<u32>>,
    /// What has to be needed before each item is, by [`Care`], as far as that was asked for.
    waits: [OnceLock<Waits>; 4],
    /// What is in each item but a namespace.
    pub members: Vec<Vec<u32>>,
    /// The outer items in namespaces of each name.
    pub spaces: BTreeMap<Name, Vec<u32>>,
    /// The items that are other names for types and no members.
    aliases: Vec<u32>,
    /// Which items are the first part of a namespace.
    pub is_first: Vec<bool>,
    /// Which items need not be mentioned.
    unnamed: Vec<bool>,
}

/// Which items wait for what.
#[derive(Debug, Default)]
struct Waits {
    /// The items that wait for each name.
    waiting: Vec<Vec<u32>>,
    /// How much has to be needed before each item is: a name of it, what it is in, and its conditions. Then how much has to be
    /// before each alias counts as mentioned: what it means.
    missing: Vec<u32>,
    /// Which items need not be mentioned.
    unnamed: Vec<bool>,
}

/// More than can be found: whatever comes, the item is not reached.
const NEVER: u32 = u32::MAX / 2;

/// How many namespaces around an item are looked at.
const SPACES: usize = 8;

impl Links {
    pub fn new(entities: &Entities) -> Links {
        let (items, names) = (entities.items.len(), entities.names.len());
        let mut links = Links {
            declared: vec![Vec::new(); names],
            members: vec![Vec::new(); items],
            is_first: vec![false; items],
            unnamed: vec![false; items],
            ..Links::default()
        };
        for (number, item) in entities.items.iter().enumerate() {
            if matches!(
                item.standing,
                Standing::Usual | Standing::Fixed | Standing::Check
            ) {
                for name in &item.names {
                    links.declared[*name as usize].push(number as u32);
                }
            }
            if item.is_alias && !item.is_member {
                links.aliases.push(number as u32);
            }
            let container = entities.items[number].container;
            if let Some(container) = container {
                links.members[container].push(number as u32);
            }
            // A constructor is called by the name of its class.
            let class: &[Name] = container.map_or(&[], |class| &entities.items[class].names);
            let is_constructor = item.names.iter().any(|name| class.contains(name));
            links.unnamed[number] = item.names.is_empty() || is_constructor;
        }
        // The number of each namespace, whatever part of it.
        let mut spaces: HashMap<(Option<usize>, &[Name]), usize> = HashMap::new();
        let mut space_of = vec![0; items];
        for (number, item) in entities.items.iter().enumerate() {
            if item.standing == Standing::Space {
                let parent = item.parent.map(|parent| space_of[parent]);
                let next = spaces.len();
                space_of[number] = *spaces.entry((parent, &item.names)).or_insert(next);
                links.is_first[number] = space_of[number] == next;
            }
        }
        for number in entities.outer() {
            let parent = |number: &usize| entities.items[*number].parent;
            for space in std::iter::successors(parent(&number), parent).take(SPACES) {
                for name in &entities.items[space].names {
                    let of_name = links.spaces.entry(*name).or_default();
                    if of_name.last() != Some(&(number as u32)) {
                        of_name.push(number as u32);
                    }
                }
            }
        }
        links
    }

    fn waits(&self, entities: &Entities, care: Care) -> Waits {
        let mut waits = Waits {
            waiting: vec![Vec::new(); entities.names.len()],
            missing: Vec::new(),
            unnamed: Vec::new(),
        };
        for (number, item) in entities.items.iter().enumerate() {
            let mut missing = u32::from(entities.items[number].container.is_some());
            let is_check = item.standing == Standing::Check;
            let is_unnamed = self.unnamed[number] || is_check && care >= Care::Checks;
            waits.unnamed.push(is_unnamed);
            if is_check || item.standing == Standing::Usual {
                missing += u32::from(!is_unnamed);
                let conditions = match &item.operands {
                    Some((operands, least)) if care >= *least => operands,
                    _ => &item.conditions,
                };
                for name in conditions {
                    let is_declared = !self.declared[*name as usize].is_empty();
                    if is_declared && !item.names.contains(name) {
                        waits.waiting[*name as usize].push(number as u32);
                        missing += 1;
                    }
                }
            }
            waits.missing.push(match item.standing {
                Standing::Space | Standing::Directive | Standing::Idle => NEVER,
                Standing::Marker if care < Care::Most => NEVER,
                Standing::Check if care < Care::Checks && item.names.is_empty() => NEVER,
                _ => missing,
            });
        }
        // A specialisation may be for a type by another name than the one by which that is mentioned.
        let aliases = self.aliases.iter().filter(|_| care > Care::None);
        for item in aliases {
            let item = &entities.items[*item as usize];
            let names = item
                .uses
                .iter()
                .map(|number| entities.references.get(*number).name);
            let mut names: Vec<Name> = names
                .filter(|name| {
                    !item.names.contains(name) && !self.declared[*name as usize].is_empty()
                })
                .collect();
            names.sort_unstable();
            names.dedup();
            let number = waits.missing.len() as u32;
            waits.missing.push(if names.is_empty() {
                NEVER
            } else {
                names.len() as u32
            });
            names
                .into_iter()
                .for_each(|name| waits.waiting[name as usize].push(number));
        }
        waits
    }
}

impl Entities {
    /// The items that are wanted, and all that they need, by names alone: an item is needed when something that is wanted
    /// or needed mentions a name that it declares, wherever that is. So more is needed than there has to be, but hardly
    /// ever less.
    pub(crate) fn needed(&self, want: &Want) -> Needed {
        let mut reach = Reach::new(self, want);
        if want.everything {
            for number in 0..self.items.len() {
                let parent = self.items[number].parent;
                if parent.is_none_or(|parent| reach.needed.items[parent]) {
                    reach.item(number);
                }
            }
            return reach.needed;
        }
        for number in 0..reach.missing.len() {
            if reach.waits.missing[number] == 0 {
                reach.found(number);
            }
        }
        for reference in &self.loose {
            reach.mention(*reference);
        }
        if let Some(tail) = &want.tail {
            for reference in self.references_of(tail) {
                reach.mention(reference);
            }
        }
        for number in &want.items {
            reach.whole(*number);
        }
        reach.go_on();
        reach.needed
    }

    /// The items that a reference may mean. If there is none where it looks for it, everything of its name.
    pub(super) fn meant(&self, reference: u32, care: Care) -> impl Iterator<Item = usize> {
        let Reference { name, scope } = self.references.get(reference);
        let declared = &self.links.declared[name as usize];
        let is_meant = move |item: &usize| self.spaces.is_visible(scope, &self.items[*item]);
        let all = || declared.iter().map(|item| *item as usize);
        let everything = care == Care::Most
            || matches!(scope, Scope::In(_) | Scope::From { .. })
                && !all().any(|item| is_meant(&item));
        all().filter(move |item| everything || is_meant(item))
    }

    /// Statements that go take with them those behind them that use their variables.
    fn remove_users(&self, is_unwanted: &mut [bool]) {
        // The variables that are gone, and where their blocks end.
        let mut gone: HashMap<Name, usize> = HashMap::new();
        for (number, item) in self.items.iter().enumerate() {
            let is_gone = |name: &Name| gone.get(name).is_some_and(|end| item.range.start < *end);
            is_unwanted[number] |= item.variables.iter().any(is_gone);
            if let Some(parent) = item.parent
                && item.standing == Standing::Statement
                && is_unwanted[number]
            {
                let block = self.items[parent].range.end;
                gone.extend(item.names.iter().map(|name| (*name, block)));
            }
        }
    }
}

struct Reach<'a> {
    entities: &'a Entities,
    waits: &'a Waits,
    bodies: Bodies,
    suspects: Arc<HashSet<usize>>,
    whole_from: usize,
    needed: Needed,
    is_unwanted: Vec<bool>,
    missing: Vec<u32>,
    has_name: Vec<bool>,
    is_unwanted_name: Vec<bool>,
    /// Whether something that stays mentions each reference.
    is_mentioned: Vec<bool>,
    /// Whether something that stays mentions or declares each name.
    is_met: Vec<bool>,
    open: VecDeque<usize>,
    /// The distance of the item that is looked at.
    distance: u32,
}

impl<'a> Reach<'a> {
    fn new(entities: &'a Entities, want: &Want) -> Self {
        let (items, names) = (entities.items.len(), entities.names.len());
        let care = want.bodies.care;
        let links = &entities.links;
        let waits = links.waits[care as usize].get_or_init(|| links.waits(entities, care));
        let mut reach = Reach {
            entities,
            waits,
            bodies: want.bodies,
            suspects: Arc::clone(&want.suspects),
            whole_from: want.whole_from,
            needed: Needed {
                items: vec![false; items],
                distances: vec![0; items],
                names: vec![false; names],
                order: Vec::new(),
                end: usize::MAX,
                stub: want.bodies.stub,
            },
            is_unwanted: vec![false; items],
            missing: waits.missing.clone(),
            has_name: waits.unnamed.clone(),
            is_unwanted_name: vec![false; names],
            is_mentioned: vec![false; entities.references.len()],
            is_met: vec![false; names],
            open: VecDeque::new(),
            distance: 0,
        };
        for part in &want.unwanted {
            match *part {
                Part::Item(item) => reach.is_unwanted[item] = true,
                Part::Name(name) => {
                    reach.needed.names[name as usize] = true;
                    reach.is_unwanted_name[name as usize] = true;
                }
                Part::Space(name) => {
                    for item in entities.links.spaces.get(&name).into_iter().flatten() {
                        reach.is_unwanted[*item as usize] = true;
                    }
                }
            }
        }
        if !want.unwanted.is_empty() {
            entities.remove_users(&mut reach.is_unwanted);
        }
        if let Some(tail) = &want.tail {
            for (number, item) in entities.items.iter().enumerate() {
                reach.is_unwanted[number] |= is_inside(&item.range, &tail.range);
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
            let parent = self.entities.items[inner].parent;
            let is_left_out =
                parent.is_some_and(|parent| parent >= number && !self.needed.items[parent]);
            if !is_left_out {
                self.item(inner);
            }
        }
    }

    fn item(&mut self, number: usize) {
        if !self.is_unwanted[number] && !std::mem::replace(&mut self.needed.items[number], true) {
            let Item {
                standing, range, ..
            } = &self.entities.items[number];
            let is_inside = matches!(standing, Standing::Body(_) | Standing::Statement);
            // What the user wrote is no farther than the root.
            self.needed.distances[number] = if range.start >= self.whole_from {
                0
            } else {
                self.distance + u32::from(!is_inside)
            };
            self.needed.order.push(Node::Item(number));
            self.open.push_back(number);
        }
    }

    /// Something that stays mentions a name.
    fn mention(&mut self, number: u32) {
        if std::mem::replace(&mut self.is_mentioned[number as usize], true) {
            return;
        }
        let entities = self.entities;
        let name = entities.references.get(number).name;
        if self.is_unwanted_name[name as usize] {
            return;
        }
        self.needed.names[name as usize] = true;
        self.needed.order.push(Node::Reference(number));
        for item in entities.meant(number, self.bodies.care) {
            self.named(item);
        }
        self.met(name);
    }

    /// Something that stays mentions or declares a name.
    fn met(&mut self, name: Name) {
        if !std::mem::replace(&mut self.is_met[name as usize], true) {
            for item in &self.waits.waiting[name as usize] {
                self.found(*item as usize);
            }
        }
    }

    /// Something mentions an item.
    fn named(&mut self, item: usize) {
        let standing = self.entities.items[item].standing;
        let is_usual = matches!(standing, Standing::Usual | Standing::Check);
        if is_usual && !std::mem::replace(&mut self.has_name[item], true) {
            self.found(item);
        }
    }

    /// One thing less is missing before an item is needed.
    fn found(&mut self, number: usize) {
        self.missing[number] = self.missing[number].saturating_sub(1);
        if self.missing[number] > 0 {
            return;
        }
        let entities = self.entities;
        if let Some(alias) = number.checked_sub(entities.items.len()) {
            let alias = &entities.items[entities.links.aliases[alias] as usize];
            alias.names.iter().for_each(|name| self.met(*name));
            return;
        }
        let mut inner = entities.links.members[number].iter();
        let body = inner.find_map(|member| {
            let body = entities.items[*member as usize].body();
            Some((*member as usize, body?))
        });
        let is_of_no_use = body.is_some_and(|(number, body)| {
            body.is_outside && !self.wants(number, body, self.distance + 1)
        });
        let is_left_out = self.entities.items[number]
            .body()
            .is_some_and(|body| !self.wants(number, body, self.distance));
        if !is_of_no_use && !is_left_out {
            self.item(number);
        }
    }

    /// Whether the body of a function at this distance is needed.
    fn wants(&self, number: usize, body: Body, distance: u32) -> bool {
        let length = self.entities.items[number].range.len();
        body.is_deduced
            || body.is_constant && length <= self.bodies.constant
            || distance <= self.bodies.near
            || self.suspects.contains(&number)
    }

    fn go_on(&mut self) {
        while let Some(number) = self.open.pop_front() {
            self.distance = self.needed.distances[number];
            let item = &self.entities.items[number];
            for reference in &item.uses {
                self.mention(*reference);
            }
            for name in &item.names {
                self.met(*name);
            }
            for member in &item.own {
                self.named(*member as usize);
            }
            for member in &self.entities.links.members[number] {
                if item.range.start >= self.whole_from {
                    self.item(*member as usize)
                } else {
                    self.found(*member as usize)
                }
            }
        }
    }
}
