//! A text made of tokens, and how such texts are put next to each other.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::rule::{Rule, Rules};

/// A text that a rule derives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phrase {
    /// The text.
    pub text: String,
    /// How many tokens it has.
    pub tokens: usize,
    /// Whether no white space may stand before it.
    pub is_glued_before: bool,
    /// Whether no white space may stand after it.
    pub is_glued_after: bool,
}

impl Phrase {
    /// One token.
    pub fn token(text: impl Into<String>) -> Phrase {
        Phrase {
            text: text.into(),
            tokens: 1,
            ..Phrase::default()
        }
    }

    /// Both, without anything between them.
    pub fn glue(&self, next: &Phrase) -> Phrase {
        self.join(next, false)
    }

    fn join(&self, next: &Phrase, has_space: bool) -> Phrase {
        let space = if has_space { " " } else { "" };
        let glued = |one: &Phrase, other: &Phrase, is: fn(&Phrase) -> bool| {
            is(one) || one.text.is_empty() && (is(other) || one.is_glue())
        };
        Phrase {
            text: format!("{}{space}{}", self.text, next.text),
            tokens: self.tokens + next.tokens,
            is_glued_before: glued(self, next, |phrase| phrase.is_glued_before),
            is_glued_after: glued(next, self, |phrase| phrase.is_glued_after),
        }
    }

    /// A token without text that says that nothing may stand at its place.
    fn is_glue(&self) -> bool {
        self.text.is_empty() && (self.is_glued_before || self.is_glued_after)
    }
}

impl Ord for Phrase {
    fn cmp(&self, other: &Phrase) -> Ordering {
        let key = |phrase: &Phrase| {
            (
                phrase.text.len(),
                phrase.tokens,
                phrase.is_glued_before,
                phrase.is_glued_after,
            )
        };
        let (one, two) = (key(self), key(other));
        (one.0, one.1)
            .cmp(&(two.0, two.1))
            .then_with(|| {
                let ranks = self.text.chars().map(rank);
                ranks.cmp(other.text.chars().map(rank))
            })
            .then_with(|| one.cmp(&two))
    }
}

impl PartialOrd for Phrase {
    fn partial_cmp(&self, other: &Phrase) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Among texts of one length a number is best, then a name, then what is readable.
pub fn rank(character: char) -> (u8, char) {
    let class = match character {
        '0'..='9' => 0,
        'a'..='z' => 1,
        'A'..='Z' => 2,
        ' ' => 3,
        '!'..='~' => 4,
        '\n' => 5,
        '\t' => 6,
        _ => 7,
    };
    (class, character)
}

/// Says where a space is needed.
pub struct Spacing {
    is_free: bool,
    merging: BTreeSet<(char, char)>,
}

impl Spacing {
    /// Learns from the tokens of a grammar which signs would merge.
    pub fn new(rules: &Rules) -> Spacing {
        let mut merging = BTreeSet::from([('/', '/'), ('/', '*'), ('-', '-')]);
        rules.each_part(|_, part| {
            if let Rule::Text(text) = part {
                let pairs = text.chars().zip(text.chars().skip(1));
                merging.extend(pairs.filter(|pair| is_operator(pair.0) && is_operator(pair.1)));
            }
        });
        // A pair of brackets is a token only where an operator is named.
        merging.remove(&('[', ']'));
        Spacing {
            is_free: rules.has_free_spaces(),
            merging,
        }
    }

    /// Both, with a space between them if they would run together.
    pub fn join(&self, one: &Phrase, two: &Phrase) -> Phrase {
        let is_glued = !self.is_free || one.is_glued_after || two.is_glued_before || one.is_glue();
        let has_space = match (one.text.chars().last(), two.text.chars().next()) {
            (Some(before), Some(after)) => !is_glued && self.merge(before, after),
            _ => false,
        };
        one.join(two, has_space)
    }

    /// Whether two characters next to each other would become part of one token.
    pub fn merge(&self, before: char, after: char) -> bool {
        is_word(before) && is_word(after)
            || before.is_ascii_digit() && after == '.'
            || before == '.' && after.is_ascii_digit()
            || self.merging.contains(&(before, after))
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

fn is_operator(character: char) -> bool {
    character.is_ascii_punctuation() && !matches!(character, '(' | ')' | '"' | '\'' | '`' | ',')
}
