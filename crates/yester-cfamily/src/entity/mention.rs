//! What declarations and statements mention.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::lexeme::{Kind, Lexemes, directive};
use super::read::Found;
use super::scope::{Reference, References, Scope, Spaces};
use super::{Item, Name, Standing};
use yester_tree::{is_word, tokens};

/// Names that are needed where a word stands, though nobody mentions them.
pub(super) const IMPLIED: &[(&str, &[&str])] = &[
    ("for", &["begin", "end"]),
    ("typeid", &["type_info"]),
    ("new", &["nothrow_t", "align_val_t"]),
    ("co_await", &["coroutine_traits", "coroutine_handle"]),
    ("co_return", &["coroutine_traits", "coroutine_handle"]),
    ("co_yield", &["coroutine_traits", "coroutine_handle"]),
];

/// The names of a structured binding, and those of `<=>`.
const BINDING: &[&str] = &["get", "tuple_size", "tuple_element"];
const COMPARISON: &[&str] = &["strong_ordering", "weak_ordering", "partial_ordering"];

/// How many words of a function tell whether it is virtual.
const VIRTUAL_WORDS: usize = 64;

/// The numbers of what is needed though nobody mentions it.
struct Implications {
    words: Vec<(Name, Vec<Name>)>,
    binding: Vec<Name>,
    comparison: Vec<Name>,
}

impl Implications {
    fn new(numbers: &HashMap<&[u8], Name>) -> Implications {
        let of = |names: &[&str]| -> Vec<Name> {
            let known = names.iter().filter_map(|name| numbers.get(name.as_bytes()));
            known.copied().collect()
        };
        let words = IMPLIED.iter().filter_map(|(word, names)| {
            let word = numbers.get(word.as_bytes())?;
            Some((*word, of(names)))
        });
        Implications {
            words: words.collect(),
            binding: of(BINDING),
            comparison: of(COMPARISON),
        }
    }

    fn word(&self, word: Name, mentioned: &mut Vec<Name>) {
        let implied = self.words.iter().filter(|(other, _)| *other == word);
        mentioned.extend(implied.flat_map(|(_, names)| names));
    }

    fn sign(&self, lexemes: &Lexemes<'_>, at: usize, mentioned: &mut Vec<Name>) {
        match lexemes.bytes(at) {
            b"[" if at > 0 && matches!(lexemes.bytes(at - 1), b"auto" | b"&") => {
                mentioned.extend(&self.binding);
            }
            b"<" if lexemes.is(at + 1, "=") && lexemes.is(at + 2, ">") => {
                mentioned.extend(&self.comparison);
            }
            _ => {}
        }
    }
}

/// Names that mean something else than elsewhere, and from where to where they do.
#[derive(Default)]
struct Locals(HashMap<Name, Vec<Range<usize>>>);

impl Locals {
    /// Parameters and variables mean something in their item, what a statement declares in the block around it.
    fn enter(&mut self, lexemes: &Lexemes<'_>, found: &Found, around: Option<&Found>) {
        let end = found.range.end;
        let mut add = |at: usize, end: usize| {
            if let Some(name) = lexemes.word(at) {
                self.0.entry(name).or_default().push(at..end);
            }
        };
        found.local.iter().for_each(|at| add(*at, end));
        if found.standing == Standing::Statement {
            let block = around.map_or(end, |around| around.range.end);
            found.names.iter().for_each(|at| add(*at, block));
        }
    }

    fn has(&mut self, name: Name, at: usize) -> bool {
        let Some(ranges) = self.0.get_mut(&name) else {
            return false;
        };
        while ranges.last().is_some_and(|range| range.end <= at) {
            ranges.pop();
        }
        ranges.iter().rev().any(|range| range.contains(&at))
    }
}

/// How many classes around an item are looked at.
const AROUND: usize = 16;

/// The items of a text and what they mention.
pub(super) struct Mentioned {
    pub items: Vec<Item>,
    /// What is mentioned outside of all: references.
    pub loose: Vec<u32>,
    pub references: References,
    pub spaces: Spaces,
}

/// Goes once through all lexemes.
pub(super) struct Mentions<'a, 'text> {
    lexemes: &'a Lexemes<'text>,
    found: Vec<Found>,
    references: References,
    spaces: Spaces,
    /// From where each item looks for a name without a qualifier.
    views: Vec<View>,
}

/// From where an item looks for names.
#[derive(Clone, Copy, Default)]
struct View {
    /// In this namespace, for what stands in the item.
    space: u32,
    /// It is in a class.
    is_member: bool,
    /// It belongs to a class that is in another namespace.
    is_elsewhere: bool,
}

impl<'a, 'text> Mentions<'a, 'text> {
    pub fn new(lexemes: &'a Lexemes<'text>, found: Vec<Found>) -> Self {
        Mentions {
            lexemes,
            found,
            references: References::new(lexemes.words.len()),
            spaces: Spaces::new(),
            views: Vec::new(),
        }
    }

    /// The items with what they mention.
    pub fn items(mut self) -> Mentioned {
        let lexemes = self.lexemes;
        let words = lexemes.words.iter().enumerate();
        let numbers = words.map(|(number, word)| (*word, number as Name));
        let numbers: HashMap<&[u8], Name> = numbers.collect();
        let implications = Implications::new(&numbers);
        let mut items: Vec<Item> = Vec::with_capacity(self.found.len());
        let mut loose: BTreeSet<u32> = BTreeSet::new();
        let mut open: Vec<usize> = Vec::new();
        // What is mentioned here: the word as it stands, and names everywhere.
        let mut mentioned: Vec<Reference> = Vec::new();
        let mut implied: Vec<Name> = Vec::new();
        let mut locals = Locals::default();
        for at in 0..=lexemes.len() {
            while (open.last()).is_some_and(|item| self.found[*item].range.end <= at) {
                open.pop();
            }
            while let Some(found) = self.found.get(items.len())
                && found.range.start <= at
            {
                let around = open.last().map(|item| &self.found[*item]);
                locals.enter(lexemes, found, around);
                open.push(items.len());
                items.push(self.item(found));
                self.enter(items.len() - 1);
            }
            let item = open.last().copied();
            mentioned.clear();
            implied.clear();
            match lexemes.kind(at) {
                Some(Kind::Word) => {
                    let word = lexemes.word(at).expect("a word has a number");
                    let is_declared = item.is_some_and(|item| self.declares(item, at));
                    let is_local = !is_declared && !self.is_member(at) && locals.has(word, at);
                    match item {
                        Some(item) if is_local => items[item].variables.push(word),
                        _ => mentioned.push(Reference {
                            name: word,
                            scope: self.scope(at, item),
                        }),
                    }
                    implications.word(word, &mut implied);
                    self.note_space(at, item);
                }
                Some(Kind::Sign) => implications.sign(lexemes, at, &mut implied),
                Some(Kind::Directive) => {
                    let line = lexemes.bytes(at);
                    let words = tokens(line).filter(|word| is_word(word[0]));
                    let mut words = words.skip(1).filter_map(|word| numbers.get(word).copied());
                    match (directive(line), item) {
                        (b"include" | b"pragma" | b"line" | [b'0'..=b'9', ..], _) => {}
                        (b"define", Some(item)) if self.found[item].range == (at..at + 1) => {
                            items[item].names.extend(words.next());
                            implied.extend(words);
                        }
                        _ => implied.extend(words),
                    }
                }
                Some(Kind::Literal) | None => {}
            }
            mentioned.extend(implied.iter().map(|name| Reference {
                name: *name,
                scope: Scope::Everywhere,
            }));
            match item {
                None => loose.extend(mentioned.iter().map(|to| self.references.add(*to))),
                Some(item) => self.note(at, item, &mut items[item], &mentioned),
            }
        }
        items.iter_mut().for_each(Item::sort);
        self.resolve(&mut items);
        items.iter_mut().for_each(Item::sort);
        self.spaces.finish();
        Mentioned {
            items,
            loose: loose.into_iter().collect(),
            references: self.references,
            spaces: self.spaces,
        }
    }

    /// Notes from where an item looks for names.
    fn enter(&mut self, number: usize) {
        let found = &self.found[number];
        let around = found
            .parent
            .map_or(View::default(), |parent| self.views[parent]);
        let is_in_class = found.parent.is_some_and(|parent| {
            let parent = &self.found[parent];
            matches!(parent.standing, Standing::Usual | Standing::Fixed) && !parent.is_callable
        });
        let mut view = View {
            is_member: around.is_member || is_in_class || found.outside.is_some(),
            is_elsewhere: around.is_elsewhere
                || found
                    .outside
                    .is_some_and(|at| at > 0 && self.lexemes.is(at - 1, "::")),
            ..around
        };
        if found.standing == Standing::Space {
            for at in &found.names {
                let name = self.lexemes.word(*at).expect("a namespace has a name");
                let is_inline = (at - 2.min(*at)..*at).any(|at| self.lexemes.is(at, "inline"));
                view.space = self.spaces.enter(view.space, name, is_inline);
            }
        }
        self.views.push(view);
    }

    /// `using namespace`, and other names of namespaces.
    fn note_space(&mut self, at: usize, item: Option<usize>) {
        if !self.lexemes.is(at, "namespace") {
            return;
        }
        if at > 0 && self.lexemes.is(at - 1, "using") {
            let mut last = at + 1;
            while self.lexemes.is(last, "::") || self.lexemes.is(last + 1, "::") {
                last += 1;
            }
            let space = item.map_or(0, |item| self.views[item].space);
            if let Some(name) = self.lexemes.word(last) {
                self.spaces.use_name(space, name);
            }
        } else if self.lexemes.is(at + 2, "=")
            && let Some(name) = self.lexemes.word(at + 1)
        {
            self.spaces.add_alias(name);
        }
    }

    /// Where the word here is looked for.
    fn scope(&self, at: usize, item: Option<usize>) -> Scope {
        let lexemes = self.lexemes;
        let view = item.map_or(View::default(), |item| self.views[item]);
        if view.is_elsewhere {
            return Scope::Everywhere;
        }
        let from = |space| Scope::From {
            space,
            is_call: matches!(lexemes.bytes(at + 1), b"(" | b"<"),
            is_member: view.is_member,
        };
        let Some(before) = self.before_member(at) else {
            return from(view.space);
        };
        let Some(outer) = before.checked_sub(1) else {
            return from(0);
        };
        let is_joined = lexemes.end(outer) == lexemes.start(before);
        match lexemes.bytes(before) {
            b"::" if lexemes.is_name(outer) && is_joined => {
                Scope::In(lexemes.word(outer).expect("a name is a word"))
            }
            b"::" if lexemes.is_name(outer) => Scope::Everywhere,
            b"::" if !matches!(lexemes.bytes(outer), b">" | b")") => from(0),
            b"::" if !is_joined => Scope::Everywhere,
            // The type of a function may stand behind it.
            b"->" if !lexemes.is_name(outer) && !lexemes.is(outer, "this") => Scope::Everywhere,
            _ => Scope::Classes,
        }
    }

    /// The sign before a word that is said to be in something.
    fn before_member(&self, at: usize) -> Option<usize> {
        let is_template = at > 1 && self.lexemes.is(at - 1, "template");
        let before = at.checked_sub(1 + usize::from(is_template))?;
        matches!(self.lexemes.bytes(before), b"." | b"->" | b"::").then_some(before)
    }

    /// An item that mentions nothing yet.
    fn item(&self, found: &Found) -> Item {
        let names = found.names.iter().filter_map(|at| self.lexemes.word(*at));
        Item {
            range: self.bytes(found),
            parent: found.parent,
            is_callable: found.is_callable,
            is_member: found.is_member,
            is_friend: found.is_friend,
            is_alias: found.is_alias,
            space: found.parent.map_or(0, |parent| self.views[parent].space),
            names: names.collect(),
            standing: found.standing,
            operands: (found.operands.as_ref()).map(|(_, care)| (Vec::new(), *care)),
            ..Item::default()
        }
    }

    /// Whether an item declares the word here.
    fn declares(&self, item: usize, at: usize) -> bool {
        self.found[item].names.binary_search(&at).is_ok()
    }

    /// Whether a word is said to be in something.
    fn is_member(&self, at: usize) -> bool {
        self.before_member(at).is_some()
    }

    /// Notes what an item mentions at a place.
    fn note(&mut self, at: usize, number: usize, item: &mut Item, mentioned: &[Reference]) {
        let found = &self.found[number];
        let is_declared = self.declares(number, at);
        let is_foreign = self.is_member(at) && !(at > 1 && self.lexemes.is(at - 2, "this"));
        if !is_declared && found.conditions.iter().any(|range| range.contains(&at)) {
            let names = mentioned.iter().map(|reference| reference.name);
            item.conditions.extend(names.clone());
            let is_operand =
                (found.operands.as_ref()).is_some_and(|(range, _)| range.contains(&at));
            if let Some((operands, _)) = item.operands.as_mut().filter(|_| is_operand) {
                operands.extend(names);
            }
        }
        let stands_alone = is_declared && self.stands_alone(found);
        let references = mentioned
            .iter()
            .map(|reference| self.references.add(*reference));
        match is_declared {
            // Other declarations may be about the same thing.
            true if stands_alone => {}
            false if !is_foreign => item.own.extend(references),
            _ => item.uses.extend(references),
        }
    }

    /// Whether what an item declares is declared nowhere else: neither a specialisation nor a member that is defined outside
    /// of its class, nor `using`, nor a function that may be one of another class.
    fn stands_alone(&self, found: &Found) -> bool {
        let mut words = found.range.clone().take(VIRTUAL_WORDS);
        found.outside.is_none()
            && found.conditions.is_empty()
            && !words.any(|at| {
                matches!(
                    self.lexemes.bytes(at),
                    b"virtual" | b"override" | b"final" | b"using"
                )
            })
    }

    /// Of the names in `own`, those stay that are members of a class around an item, as numbers of these members. The others
    /// are uses.
    fn resolve(&self, items: &mut [Item]) {
        let mut members: HashMap<usize, HashMap<Name, Vec<u32>>> = HashMap::new();
        let mut classes: HashMap<Name, Vec<usize>> = HashMap::new();
        for (number, item) in items.iter().enumerate() {
            let is_member = matches!(
                item.standing,
                Standing::Usual | Standing::Fixed | Standing::Check
            );
            if let Some(parent) = item.parent
                && is_member
                && items[parent].standing != Standing::Space
            {
                let of_class = members.entry(parent).or_default();
                let class = &items[parent].names;
                for name in item.names.iter().filter(|name| !class.contains(name)) {
                    of_class.entry(*name).or_default().push(number as u32);
                }
                if of_class.len() == 1 {
                    for name in &items[parent].names {
                        let of_name = classes.entry(*name).or_default();
                        if of_name.last() != Some(&parent) {
                            of_name.push(parent);
                        }
                    }
                }
            }
        }
        let outside = |number: usize| {
            let name = self.found[number]
                .outside
                .and_then(|at| self.lexemes.word(at));
            let of_name = name.and_then(|name| classes.get(&name));
            of_name.into_iter().flatten().take(AROUND).copied()
        };
        for (number, item) in items.iter().enumerate() {
            for class in outside(number) {
                let of_class = members.entry(class).or_default();
                let names = &items[class].names;
                for name in item.names.iter().filter(|name| !names.contains(name)) {
                    of_class.entry(*name).or_default().push(number as u32);
                }
            }
        }
        // The next class around each item, or the next item that is a member of one elsewhere.
        let mut next: Vec<Option<usize>> = Vec::with_capacity(items.len());
        for number in 0..items.len() {
            next.push(items[number].parent.and_then(|parent| {
                let is_class =
                    members.contains_key(&parent) || self.found[parent].outside.is_some();
                if is_class { Some(parent) } else { next[parent] }
            }));
            let mut around: Vec<usize> = outside(number).collect();
            for class in std::iter::successors(next[number], |class| next[*class]).take(AROUND) {
                around.push(class);
                around.extend(outside(class));
            }
            let own = std::mem::take(&mut items[number].own);
            for reference in own {
                let name = self.references.get(reference).name;
                let found = around
                    .iter()
                    .filter_map(|class| members.get(class)?.get(&name));
                let found: Vec<u32> = found.flatten().copied().collect();
                if found.is_empty() {
                    items[number].uses.push(reference)
                } else {
                    items[number].own.extend(found)
                }
            }
        }
    }

    /// Where an item is: from behind what is before it on, so that comments and attributes go with it.
    fn bytes(&self, found: &Found) -> Range<usize> {
        let Range { start, end } = found.range;
        let end = self.lexemes.end(end - 1);
        match (found.standing, start) {
            (Standing::Body(_), _) => self.lexemes.start(start)..end,
            (_, 0) => 0..end,
            _ => self.lexemes.end(start - 1)..end,
        }
    }
}
