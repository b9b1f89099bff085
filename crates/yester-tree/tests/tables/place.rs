//! The places of a grammar: where nodes of several kinds may stand alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::rule::{Rule, Rules};

type Names = BTreeSet<String>;

/// The places of a language, and the kinds that may stand in each.
pub struct Places {
    /// The kinds that a hidden rule derives alone.
    pub named: BTreeMap<String, Names>,
    /// The kinds that other parts of rules derive alone, where they add a pair.
    pub slots: Vec<Names>,
}

impl Places {
    /// Finds all places.
    pub fn new(rules: &Rules) -> Places {
        let mut derivation = Derivation {
            rules,
            nullable: Names::new(),
            units: BTreeMap::new(),
        };
        derivation.close();
        let mut named = derivation.units.clone();
        named.retain(|name, kinds| rules.hidden.contains(name) && kinds.len() > 1);
        let mut pairs = BTreeSet::new();
        for kinds in named.values() {
            pairs.extend(pairs_of(kinds));
        }
        let mut candidates: BTreeSet<Names> = BTreeSet::new();
        rules.each_part(|_, part| {
            let kinds = derivation.of(part);
            if kinds.len() > 1 {
                candidates.insert(kinds);
            }
        });
        let mut candidates: Vec<Names> = candidates.into_iter().collect();
        candidates.sort_by_key(|kinds| (usize::MAX - kinds.len(), kinds.clone()));
        let mut slots = Vec::new();
        for kinds in candidates {
            let before = pairs.len();
            pairs.extend(pairs_of(&kinds));
            if pairs.len() > before {
                slots.push(kinds);
            }
        }
        Places { named, slots }
    }

    /// The names of the places where a kind may stand.
    pub fn of(&self, kind: &str) -> Vec<String> {
        let named = self
            .named
            .iter()
            .filter(|(_, kinds)| kinds.contains(kind))
            .map(|(name, _)| name.clone());
        let slots = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, kinds)| kinds.contains(kind))
            .map(|(number, _)| format!("@{number}"));
        named.chain(slots).collect()
    }
}

fn pairs_of(kinds: &Names) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (at, one) in kinds.iter().enumerate() {
        for other in kinds.iter().skip(at + 1) {
            pairs.push((one.clone(), other.clone()));
        }
    }
    pairs
}

struct Derivation<'a> {
    rules: &'a Rules,
    /// The rules that derive nothing at all.
    nullable: Names,
    /// The kinds that a rule derives alone.
    units: BTreeMap<String, Names>,
}

impl Derivation<'_> {
    fn close(&mut self) {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (name, rule) in &self.rules.rules {
                if !self.nullable.contains(name) && self.is_nullable(rule) {
                    self.nullable.insert(name.clone());
                    has_changed = true;
                }
            }
        }
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (name, rule) in &self.rules.rules {
                let kinds = self.of(rule);
                let known = self.units.entry(name.clone()).or_default();
                has_changed |= kinds.len() > known.len();
                *known = kinds;
            }
        }
    }

    fn is_nullable(&self, rule: &Rule) -> bool {
        match rule {
            Rule::Blank | Rule::Repeat(_) => true,
            Rule::Text(text) => text.is_empty(),
            Rule::Symbol(name) => self.nullable.contains(name),
            Rule::Sequence(members) => members.iter().all(|member| self.is_nullable(member)),
            Rule::Choice(members) => members.iter().any(|member| self.is_nullable(member)),
            Rule::RepeatOnce(content) | Rule::Alias { content, .. } => self.is_nullable(content),
            Rule::Pattern(..) | Rule::Token(_) | Rule::Immediate(_) => false,
        }
    }

    /// The kinds of which one node alone is what this part derives.
    fn of(&self, rule: &Rule) -> Names {
        match rule {
            Rule::Blank
            | Rule::Text(_)
            | Rule::Pattern(..)
            | Rule::Token(_)
            | Rule::Immediate(_) => Names::new(),
            Rule::Symbol(name) if self.rules.hidden.contains(name) => {
                self.units.get(name).cloned().unwrap_or_default()
            }
            Rule::Symbol(name) => Names::from([name.clone()]),
            Rule::Alias { name, is_named, .. } => {
                if *is_named {
                    Names::from([name.clone()])
                } else {
                    Names::new()
                }
            }
            Rule::Choice(members) => members.iter().flat_map(|member| self.of(member)).collect(),
            Rule::Repeat(content) | Rule::RepeatOnce(content) => self.of(content),
            Rule::Sequence(members) => {
                let needed = members.iter().filter(|member| !self.is_nullable(member));
                let needed: Vec<&Rule> = needed.collect();
                match needed[..] {
                    [] => members.iter().flat_map(|member| self.of(member)).collect(),
                    [alone] => self.of(alone),
                    _ => Names::new(),
                }
            }
        }
    }
}
