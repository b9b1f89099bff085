//! The shortest texts around a node, from the start rule.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::minimal::Shortest;
use crate::phrase::Phrase;
use crate::rule::Rule;

/// How many contexts are kept for a rule, and for a kind.
const KEPT_OF_RULE: usize = 8;
const KEPT_OF_KIND: usize = 60;
/// How many texts of the neighbours are tried.
const NEIGHBOURS: usize = 3;

/// What stands around a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Context {
    size: usize,
    tokens: usize,
    /// What stands before it.
    pub before: Phrase,
    /// What stands after it.
    pub after: Phrase,
}

impl Context {
    fn new(before: Phrase, after: Phrase) -> Context {
        Context {
            size: before.text.len() + after.text.len(),
            tokens: before.tokens + after.tokens,
            before,
            after,
        }
    }

    /// Exactly these texts, without spaces added.
    pub fn of(before: &str, after: &str) -> Context {
        let glued = |text: &str| Phrase {
            is_glued_before: true,
            is_glued_after: true,
            ..Phrase::token(text)
        };
        Context::new(glued(before), glued(after))
    }
}

/// What a place in a rule is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// The parts of a rule.
    Rule(String),
    /// A node.
    Kind(String),
}

/// The contexts of every kind, and the texts that the grammar has for it.
#[derive(Default)]
pub struct Kinds {
    /// What stands around a node of a kind, shortest first.
    pub contexts: BTreeMap<String, Vec<Context>>,
    /// The shortest texts of a kind, best first.
    pub texts: BTreeMap<String, Vec<Phrase>>,
    /// The symbols whose texts are among them.
    symbols: BTreeSet<String>,
}

impl Kinds {
    /// Goes from the start rule to ever longer contexts.
    pub fn new(shortest: &Shortest<'_>) -> Kinds {
        let rules = shortest.rules;
        let mut kinds = Kinds::default();
        let mut occurrences: BTreeMap<&str, Vec<(Target, Context)>> = BTreeMap::new();
        for (name, rule) in &rules.rules {
            let mut found = Vec::new();
            kinds.collect(shortest, rule, &mut found);
            found.sort();
            occurrences.insert(name, found);
        }
        let mut open = BinaryHeap::new();
        let start = || Context::new(Phrase::default(), Phrase::default());
        open.push(Reverse((start(), Target::Rule(rules.start.clone()))));
        kinds.text(&rules.start, shortest.of_symbol(&rules.start));
        open.push(Reverse((start(), Target::Kind(rules.start.clone()))));
        for extra in &rules.extras {
            let Rule::Symbol(name) = extra else { continue };
            kinds.text(name, shortest.of_symbol(name));
            let whole = shortest.of_symbol(&rules.start).into_iter();
            for after in whole.chain([Phrase::token("\n")]) {
                let context = Context::new(Phrase::default(), after);
                open.push(Reverse((context.clone(), Target::Kind(name.clone()))));
                open.push(Reverse((context, Target::Rule(name.clone()))));
            }
        }
        let mut of_rules: BTreeMap<String, Vec<Context>> = BTreeMap::new();
        while let Some(Reverse((context, target))) = open.pop() {
            match target {
                Target::Kind(name) => {
                    add(
                        kinds.contexts.entry(name).or_default(),
                        context,
                        KEPT_OF_KIND,
                    );
                }
                Target::Rule(name) => {
                    let known = of_rules.entry(name.clone()).or_default();
                    if !add(known, context.clone(), KEPT_OF_RULE) {
                        continue;
                    }
                    let inside = occurrences.get(name.as_str()).into_iter().flatten();
                    for (target, inner) in inside {
                        // What comes later is longer, and would not be kept.
                        let is_full = match target {
                            Target::Kind(name) => is_full(&kinds.contexts, name, KEPT_OF_KIND),
                            Target::Rule(name) => is_full(&of_rules, name, KEPT_OF_RULE),
                        };
                        if is_full {
                            continue;
                        }
                        let before = shortest.spacing.join(&context.before, &inner.before);
                        let after = shortest.spacing.join(&inner.after, &context.after);
                        open.push(Reverse((Context::new(before, after), target.clone())));
                    }
                }
            }
        }
        kinds
    }

    fn text(&mut self, kind: &str, phrases: Vec<Phrase>) {
        let known = self.texts.entry(kind.to_owned()).or_default();
        known.extend(phrases);
        known.sort();
        known.dedup_by(|one, other| one.text == other.text);
    }

    /// Finds the places of a rule where something with a name stands.
    fn collect(
        &mut self,
        shortest: &Shortest<'_>,
        rule: &Rule,
        found: &mut Vec<(Target, Context)>,
    ) {
        let empty = || Context::new(Phrase::default(), Phrase::default());
        match rule {
            Rule::Symbol(name) => {
                found.push((Target::Rule(name.clone()), empty()));
                if !shortest.rules.hidden.contains(name) {
                    if self.symbols.insert(name.clone()) {
                        self.text(name, shortest.of_symbol(name));
                    }
                    found.push((Target::Kind(name.clone()), empty()));
                }
            }
            Rule::Alias {
                content,
                name,
                is_named,
            } => {
                if *is_named {
                    self.text(name, shortest.of(content));
                    found.push((Target::Kind(name.clone()), empty()));
                }
                match &**content {
                    Rule::Symbol(inner) => found.push((Target::Rule(inner.clone()), empty())),
                    other => self.collect(shortest, other, found),
                }
            }
            Rule::Choice(members) => {
                for member in members {
                    self.collect(shortest, member, found);
                }
            }
            Rule::Repeat(content) | Rule::RepeatOnce(content) => {
                self.collect(shortest, content, found);
            }
            Rule::Sequence(members) => {
                let mut before = vec![Phrase::default()];
                for (at, member) in members.iter().enumerate() {
                    let mut inner = Vec::new();
                    self.collect(shortest, member, &mut inner);
                    if !inner.is_empty() {
                        let after = shortest.of_sequence(&members[at + 1..], false);
                        found.extend(surround(shortest, &before, &inner, &after));
                    }
                    before = shortest.after(&before, member);
                }
                prune(found);
            }
            Rule::Blank
            | Rule::Text(_)
            | Rule::Pattern(..)
            | Rule::Token(_)
            | Rule::Immediate(_) => {}
        }
    }
}

/// The contexts that those of a part have with its neighbours.
fn surround(
    shortest: &Shortest<'_>,
    before: &[Phrase],
    inner: &[(Target, Context)],
    after: &[Phrase],
) -> Vec<(Target, Context)> {
    let mut found = Vec::new();
    for before in before.iter().take(NEIGHBOURS) {
        for after in after.iter().take(NEIGHBOURS) {
            found.extend(inner.iter().map(|(target, context)| {
                let before = shortest.spacing.join(before, &context.before);
                let after = shortest.spacing.join(&context.after, after);
                (target.clone(), Context::new(before, after))
            }));
        }
    }
    found
}

/// Keeps the best contexts of each target.
fn prune(found: &mut Vec<(Target, Context)>) {
    found.sort();
    found.dedup();
    let mut last: Option<Target> = None;
    let mut count = 0;
    found.retain(|(target, _)| {
        if last.as_ref() != Some(target) {
            last = Some(target.clone());
            count = 0;
        }
        count += 1;
        count <= KEPT_OF_RULE
    });
}

fn is_full(known: &BTreeMap<String, Vec<Context>>, name: &str, most: usize) -> bool {
    known.get(name).is_some_and(|known| known.len() >= most)
}

/// Adds a context unless there are enough or it is known.
fn add(known: &mut Vec<Context>, context: Context, most: usize) -> bool {
    let is_new = known.len() < most && !known.contains(&context);
    if is_new {
        known.push(context);
    }
    is_new
}
