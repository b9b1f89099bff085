//! What the grammar does not tell and was written by hand: tokens of external scanners, better replacements, and the
//! shortest texts that a fixpoint does not find.

use std::collections::BTreeMap;

use crate::context::Context;
use crate::phrase::Phrase;

/// The table of one language.
#[derive(Default)]
pub struct Hand {
    /// What an external scanner reads as one of its tokens, or what counts as a rule's only texts, which may
    /// be none.
    pub tokens: BTreeMap<String, Vec<Phrase>>,
    /// Texts of a kind that are tried before what was computed.
    pub minimal: BTreeMap<String, Vec<Phrase>>,
    /// Contexts of a kind that are tried before what was computed.
    pub contexts: BTreeMap<String, Vec<Context>>,
    /// What stands best in a place or for a kind; the first line that fits counts.
    pub preferred: Vec<(String, String)>,
}

impl Hand {
    /// Reads a table: lines of a word, a name and texts.
    pub fn read(table: &str) -> Hand {
        let mut hand = Hand::default();
        for line in table.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let columns: Vec<&str> = line.split('\t').collect();
            let name = columns[1].to_owned();
            let text = unescape(columns.get(2).copied().unwrap_or_default());
            let last = columns.get(3).copied().unwrap_or_default();
            match columns[0] {
                "token" => {
                    let mut phrase = Phrase::token(text);
                    phrase.is_glued_before = matches!(last, "before" | "both");
                    phrase.is_glued_after = matches!(last, "after" | "both");
                    hand.tokens.entry(name).or_default().push(phrase);
                }
                "never" => {
                    hand.tokens.insert(name, Vec::new());
                }
                "minimal" => {
                    let phrases = hand.minimal.entry(name).or_default();
                    phrases.push(Phrase::token(text));
                }
                "context" => {
                    let contexts = hand.contexts.entry(name).or_default();
                    contexts.push(Context::of(&text, &unescape(last)));
                }
                "preferred" => hand.preferred.push((name, text)),
                word => panic!("{word} is no line of a hand table"),
            }
        }
        hand
    }
}

/// A text as one column of a table, where a dash alone would say that there is none.
pub fn escape(text: &str) -> String {
    if text == "-" {
        return "\\-".to_owned();
    }
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\t', "\\t")
        .replace('\r', "\\r")
}

/// The text that a column of a table tells.
pub fn unescape(column: &str) -> String {
    let mut text = String::new();
    let mut characters = column.chars();
    while let Some(character) = characters.next() {
        let plain = match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => '\\',
            },
            other => other,
        };
        text.push(plain);
    }
    text
}
