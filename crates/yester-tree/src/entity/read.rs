use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::declaration::{Declaration, Shape};
use super::lexeme::{Kind, Lexemes, directive};
use super::{Body, Item, Name, Standing};
use crate::size::{is_word, tokens};

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

/// Reads the declarations of a text, and the statements in them.
pub(super) struct Reader<'a, 'text> {
    lexemes: &'a Lexemes<'text>,
    items: Vec<Found>,
}

/// An item by its lexemes.
struct Found {
    range: Range<usize>,
    parent: Option<usize>,
    standing: Standing,
    names: Vec<usize>,
    conditions: Vec<Range<usize>>,
    /// Names that mean something else here: parameters, variables.
    local: Vec<usize>,
    /// What it is a member of, if that is declared elsewhere.
    outside: Option<usize>,
    operands: Option<Range<usize>>,
}

/// A list of items that is being read.
struct List {
    /// What it belongs to.
    item: Option<usize>,
    end: usize,
    /// Where the list around it goes on.
    resume: usize,
    kind: ListKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ListKind {
    Space,
    Class,
    Block,
}

impl<'a, 'text> Reader<'a, 'text> {
    /// The items of a text, each before those in it, and the names that are mentioned outside of all.
    pub fn items(lexemes: &'a Lexemes<'text>) -> (Vec<Item>, Vec<Name>) {
        let mut reader = Reader {
            lexemes,
            items: Vec::new(),
        };
        reader.read();
        reader.finish()
    }

    fn read(&mut self) {
        let lexemes = self.lexemes;
        let mut lists = vec![List {
            item: None,
            end: lexemes.len(),
            resume: lexemes.len(),
            kind: ListKind::Space,
        }];
        let mut at = 0;
        while let Some(list) = lists.last() {
            if at >= list.end {
                at = list.resume;
                lists.pop();
                continue;
            }
            let (item, kind, end) = (list.item, list.kind, list.end);
            if lexemes.kind(at) == Some(Kind::Directive) {
                if kind != ListKind::Block && directive(lexemes.bytes(at)) == b"define" {
                    self.push(at..at + 1, item, Standing::Usual);
                }
                at += 1;
                continue;
            }
            match lexemes.bytes(at) {
                // A semicolon by itself, or a brace too many.
                b";" | b"}" => {
                    at += 1;
                    continue;
                }
                b"public" | b"private" | b"protected" if kind == ListKind::Class => {
                    at += 1;
                    while at < end && !lexemes.is(at, ":") && !lexemes.is(at, ";") {
                        at += 1;
                    }
                    at += 1;
                    continue;
                }
                _ => {}
            }
            at = match kind {
                ListKind::Block => self.statement(at, end, item, &mut lists),
                _ => self.declaration(at, end, item, kind, &mut lists),
            };
        }
    }

    fn push(&mut self, range: Range<usize>, parent: Option<usize>, standing: Standing) -> usize {
        self.items.push(Found {
            range,
            parent,
            standing,
            names: Vec::new(),
            conditions: Vec::new(),
            local: Vec::new(),
            outside: None,
            operands: None,
        });
        self.items.len() - 1
    }

    /// Reads a declaration. Returns where to go on.
    fn declaration(
        &mut self,
        at: usize,
        limit: usize,
        parent: Option<usize>,
        kind: ListKind,
        lists: &mut Vec<List>,
    ) -> usize {
        let is_member = kind == ListKind::Class;
        let Declaration {
            end,
            shape,
            names,
            qualifiers,
            parameters,
            operands,
            is_friend,
            outside,
            is_field,
        } = self.lexemes.declaration(at, limit, is_member);
        let standing = match shape {
            Shape::Space(_) => Standing::Space,
            Shape::Directive => Standing::Directive,
            Shape::Idle => Standing::Idle,
            _ if is_field => Standing::Fixed,
            _ => Standing::Usual,
        };
        let number = self.push(at..end, parent, standing);
        let is_operator = names.is_empty() && !is_member;
        let is_outside = outside.is_some() && !is_friend;
        let item = &mut self.items[number];
        item.names = names;
        item.local = parameters;
        item.outside = outside.filter(|_| !is_friend);
        item.conditions = qualifiers;
        // A friend that is defined here may be called by nobody's name.
        let is_mere_friend = is_friend && shape == Shape::Plain;
        if is_mere_friend || is_operator && standing == Standing::Usual {
            let head = match &shape {
                Shape::Function { body, .. } => at..body.start,
                _ => at..end,
            };
            item.conditions = vec![head];
            item.operands = operands.filter(|_| is_operator);
            // `friend class` declares nothing.
            let is_function = |name: &usize| self.lexemes.is(name + 1, "(");
            item.names
                .retain(|name| !is_mere_friend || is_function(name));
        }
        match shape {
            Shape::Function {
                body,
                is_constant,
                is_deduced,
            } => {
                let standing = Standing::Body(Body {
                    is_initialising: !self.lexemes.is(body.start, "{"),
                    is_constant,
                    is_deduced,
                    is_outside,
                });
                let inner = self.push(body.clone(), Some(number), standing);
                let open = self
                    .lexemes
                    .mate(body.end - 1)
                    .filter(|open| *open >= body.start);
                open.map_or(end, |open| self.open_block(open, end, inner, lists))
            }
            Shape::Class(braces) => {
                lists.push(List {
                    item: Some(number),
                    end: braces.end - 1,
                    resume: end,
                    kind: ListKind::Class,
                });
                braces.start + 1
            }
            Shape::Space(braces) => {
                lists.push(List {
                    item: Some(number),
                    end: braces.end - 1,
                    resume: end,
                    kind: ListKind::Space,
                });
                braces.start + 1
            }
            _ => end,
        }
    }

    /// Goes into braces that have statements in them. Returns where to go on.
    fn open_block(&self, open: usize, resume: usize, item: usize, lists: &mut Vec<List>) -> usize {
        lists.push(List {
            item: Some(item),
            end: self.lexemes.behind(open) - 1,
            resume,
            kind: ListKind::Block,
        });
        open + 1
    }

    fn statement(
        &mut self,
        at: usize,
        limit: usize,
        parent: Option<usize>,
        lists: &mut Vec<List>,
    ) -> usize {
        let end = self.lexemes.behind_statement(at, limit);
        let number = self.push(at..end, parent, Standing::Statement);
        self.items[number].names = self.lexemes.variables(at..end);
        self.items[number].local = self.lexemes.inner_variables(at..end);
        // The blocks in it, the first one on top.
        let mut blocks = Vec::new();
        let mut inner = at;
        while inner < end {
            if self.lexemes.is(inner, "{") && self.has_statements(inner) {
                blocks.push(inner);
                inner = self.lexemes.behind(inner);
            } else {
                inner += 1;
            }
        }
        let mut at = end;
        for open in blocks.into_iter().rev() {
            at = self.open_block(open, at, number, lists);
        }
        at
    }

    fn has_statements(&self, open: usize) -> bool {
        let Some(close) = self.lexemes.mate(open) else {
            return false;
        };
        let mut at = open + 1;
        while at < close {
            if self.lexemes.is(at, ";") {
                return true;
            }
            at = self.lexemes.behind(at);
        }
        false
    }

    /// What the items mention.
    fn finish(self) -> (Vec<Item>, Vec<Name>) {
        let lexemes = self.lexemes;
        let numbers: HashMap<&[u8], Name> = (lexemes.words.iter())
            .enumerate()
            .map(|(number, word)| (*word, number as Name))
            .collect();
        let implications = Implications::new(&numbers);
        let mut items: Vec<Item> = Vec::with_capacity(self.items.len());
        let mut loose: BTreeSet<Name> = BTreeSet::new();
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        let mut mentioned: Vec<Name> = Vec::new();
        // Names that mean something else, and where.
        let mut local: Vec<(Name, Range<usize>)> = Vec::new();
        for at in 0..=lexemes.len() {
            while open
                .last()
                .is_some_and(|item| self.items[*item].range.end <= at)
            {
                open.pop();
                local.retain(|(_, range)| range.end > at);
            }
            while let Some(found) = self.items.get(next).filter(|found| found.range.start <= at) {
                let words = |places: &[usize]| -> Vec<Name> {
                    places.iter().filter_map(|at| lexemes.word(*at)).collect()
                };
                let names = words(&found.names);
                let meant = |end: usize| move |at: &usize| Some((lexemes.word(*at)?, *at..end));
                local.extend(found.local.iter().filter_map(meant(found.range.end)));
                if found.standing == Standing::Statement {
                    let block = open
                        .last()
                        .map_or(found.range.end, |item| self.items[*item].range.end);
                    local.extend(found.names.iter().filter_map(meant(block)));
                }
                items.push(Item {
                    range: self.bytes(found),
                    parent: found.parent,
                    names,
                    standing: found.standing,
                    operands: found.operands.is_some().then(Vec::new),
                    ..Item::default()
                });
                open.push(next);
                next += 1;
            }
            let item = open.last().copied();
            mentioned.clear();
            match lexemes.kind(at) {
                Some(Kind::Word) => {
                    let word = lexemes.word(at).expect("a word has a number");
                    let is_member = at > 0 && matches!(lexemes.bytes(at - 1), b"." | b"->" | b"::");
                    let is_local = !is_member
                        && local
                            .iter()
                            .any(|(name, range)| *name == word && range.contains(&at));
                    match item {
                        Some(item) if is_local => items[item].variables.push(word),
                        _ => mentioned.push(word),
                    }
                    implications.word(word, &mut mentioned);
                }
                Some(Kind::Sign) => implications.sign(lexemes, at, &mut mentioned),
                Some(Kind::Directive) => {
                    let line = lexemes.bytes(at);
                    let words = tokens(line).filter(|word| is_word(word[0]));
                    let mut words = words.skip(1).filter_map(|word| numbers.get(word).copied());
                    match (directive(line), item) {
                        (b"include" | b"pragma", _) => {}
                        (b"define", Some(item)) if self.items[item].range == (at..at + 1) => {
                            items[item].names.extend(words.next());
                            mentioned.extend(words);
                        }
                        _ => mentioned.extend(words),
                    }
                }
                Some(Kind::Literal) | None => {}
            }
            let Some(item) = item else {
                loose.extend(&mentioned);
                continue;
            };
            let found = &self.items[item];
            let is_foreign = at > 1
                && matches!(lexemes.bytes(at - 1), b"." | b"->" | b"::")
                && !lexemes.is(at - 2, "this");
            match found.names.contains(&at) {
                // Other declarations may be about the same thing.
                true if self.stands_alone(found) => {}
                true => items[item].uses.extend(&mentioned),
                false if is_foreign => items[item].uses.extend(&mentioned),
                false => items[item].own.extend(&mentioned),
            }
            if found.conditions.iter().any(|range| range.contains(&at))
                && !found.names.contains(&at)
            {
                items[item].conditions.extend(&mentioned);
                if let Some(operands) = &mut items[item].operands
                    && found
                        .operands
                        .as_ref()
                        .is_some_and(|range| range.contains(&at))
                {
                    operands.extend(&mentioned);
                }
            }
        }
        for item in &mut items {
            for names in [&mut item.names, &mut item.own, &mut item.conditions] {
                names.sort_unstable();
                names.dedup();
            }
        }
        self.resolve(&mut items);
        for item in &mut items {
            let Item {
                names,
                uses,
                own,
                variables,
                conditions,
                operands,
                ..
            } = item;
            let lists = [names, uses, own, variables, conditions].into_iter();
            for names in lists.chain(operands) {
                names.sort_unstable();
                names.dedup();
                names.shrink_to_fit();
            }
        }
        (items, loose.into_iter().collect())
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
            let is_member = matches!(item.standing, Standing::Usual | Standing::Fixed);
            if let Some(parent) = item.parent
                && is_member
                && items[parent].standing != Standing::Space
            {
                let of_class = members.entry(parent).or_default();
                for name in item
                    .names
                    .iter()
                    .filter(|name| !items[parent].names.contains(name))
                {
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
        for (number, found) in self.items.iter().enumerate() {
            let outside = found.outside.and_then(|at| self.lexemes.word(at));
            for class in outside
                .and_then(|name| classes.get(&name))
                .into_iter()
                .flatten()
            {
                let of_class = members.entry(*class).or_default();
                for name in &items[number].names {
                    of_class.entry(*name).or_default().push(number as u32);
                }
            }
        }
        for number in 0..items.len() {
            let mut around: Vec<usize> = Vec::new();
            let mut at = Some(number);
            while let Some(item) = at {
                if members.contains_key(&item) && item != number {
                    around.push(item);
                }
                let outside = self.items[item]
                    .outside
                    .and_then(|at| self.lexemes.word(at));
                around.extend(
                    outside
                        .and_then(|name| classes.get(&name))
                        .into_iter()
                        .flatten(),
                );
                at = items[item].parent;
            }
            let own = std::mem::take(&mut items[number].own);
            for name in own {
                let found = around
                    .iter()
                    .filter_map(|class| members.get(class)?.get(&name));
                let found: Vec<u32> = found.flatten().copied().collect();
                match found.is_empty() {
                    true => items[number].uses.push(name),
                    false => items[number].own.extend(found),
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
