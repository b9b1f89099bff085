//! The shortest texts of every rule, as a fixpoint.

use std::collections::{BTreeMap, BTreeSet};

use crate::hand::Hand;
use crate::pattern;
use crate::phrase::{Phrase, Spacing};
use crate::rule::{Rule, Rules};

/// How many texts are kept for a rule.
const KEPT: usize = 6;

/// The shortest texts of the rules of a language.
pub struct Shortest<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// Where spaces go.
    pub spacing: Spacing,
    texts: BTreeMap<String, Vec<Phrase>>,
    patterns: BTreeMap<(String, String), Vec<Phrase>>,
}

impl<'a> Shortest<'a> {
    /// Starts from the tokens and goes on until nothing gets shorter.
    pub fn new(rules: &'a Rules, hand: &Hand) -> Shortest<'a> {
        let mut shortest = Shortest {
            rules,
            spacing: Spacing::new(rules),
            texts: hand.tokens.clone(),
            patterns: BTreeMap::new(),
        };
        rules.each_part(|_, part| {
            if let Rule::Pattern(text, flags) = part {
                let phrases = pattern::shortest(text, flags).into_iter();
                let phrases = phrases.map(Phrase::token).collect();
                let key = (text.clone(), flags.clone());
                shortest.patterns.insert(key, phrases);
            }
        });
        let users = users(rules);
        let mut open: BTreeSet<&str> = rules.rules.keys().map(String::as_str).collect();
        while let Some(name) = open.pop_first() {
            if hand.tokens.contains_key(name) {
                continue;
            }
            let found = shortest.of(&rules.rules[name]);
            let before = shortest.texts.entry(name.to_owned()).or_default();
            let merged = best(found.into_iter().chain(before.iter().cloned()));
            if merged != *before {
                *before = merged;
                open.extend(users.get(name).into_iter().flatten());
            }
        }
        shortest
    }

    /// The shortest texts of a part of a rule, best first.
    pub fn of(&self, rule: &Rule) -> Vec<Phrase> {
        self.evaluate(rule, false)
    }

    /// The shortest texts of a rule or an external token.
    pub fn of_symbol(&self, name: &str) -> Vec<Phrase> {
        self.texts.get(name).cloned().unwrap_or_default()
    }

    /// The shortest texts of parts one after the other.
    pub fn of_sequence(&self, parts: &[Rule], is_token: bool) -> Vec<Phrase> {
        let start = vec![Phrase::default()];
        parts.iter().fold(start, |before, part| {
            let part = self.evaluate(part, is_token);
            self.pairs(&before, &part, is_token)
        })
    }

    /// The shortest texts of a part after these.
    pub fn after(&self, before: &[Phrase], part: &Rule) -> Vec<Phrase> {
        self.pairs(before, &self.of(part), false)
    }

    fn pairs(&self, before: &[Phrase], after: &[Phrase], is_token: bool) -> Vec<Phrase> {
        best(before.iter().flat_map(|one| {
            after.iter().map(move |two| {
                if is_token {
                    one.glue(two)
                } else {
                    self.spacing.join(one, two)
                }
            })
        }))
    }

    fn evaluate(&self, rule: &Rule, is_token: bool) -> Vec<Phrase> {
        match rule {
            Rule::Blank | Rule::Repeat(_) => vec![Phrase::default()],
            Rule::Text(text) => vec![Phrase::token(text.clone())],
            Rule::Pattern(text, flags) => {
                let key = (text.clone(), flags.clone());
                self.patterns.get(&key).cloned().unwrap_or_default()
            }
            Rule::Symbol(name) => self.of_symbol(name),
            Rule::Sequence(parts) => self.of_sequence(parts, is_token),
            Rule::Choice(parts) => {
                best(parts.iter().flat_map(|part| self.evaluate(part, is_token)))
            }
            Rule::RepeatOnce(content) => self.evaluate(content, is_token),
            Rule::Alias { content, .. } => self.evaluate(content, is_token),
            Rule::Token(content) | Rule::Immediate(content) => {
                let mut phrases = self.evaluate(content, true);
                for phrase in &mut phrases {
                    phrase.tokens = 1;
                    phrase.is_glued_before = matches!(rule, Rule::Immediate(_));
                }
                phrases
            }
        }
    }
}

/// The rules that mention each name.
fn users(rules: &Rules) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    rules.each_part(|name, part| {
        if let Rule::Symbol(used) = part {
            users.entry(used).or_default().insert(name);
        }
    });
    users
}

/// The best of these, without repetition.
pub fn best(phrases: impl Iterator<Item = Phrase>) -> Vec<Phrase> {
    let mut phrases: Vec<Phrase> = phrases.collect();
    phrases.sort();
    let mut seen = BTreeSet::new();
    phrases.retain(|phrase| {
        seen.len() < KEPT && seen.insert((phrase.text.clone(), phrase.is_glued_before))
    });
    phrases
}
