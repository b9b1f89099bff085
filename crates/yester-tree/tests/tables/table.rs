//! The table of a language, made from its grammar.

use yester_tree::{Grammar, Kind, Language, SitterGrammar};

use crate::check;
use crate::context::{Context, Kinds};
use crate::hand::{Hand, escape};
use crate::minimal::Shortest;
use crate::phrase::Phrase;
use crate::place::Places;
use crate::rule::Rules;

/// What was made for a language.
pub struct Table {
    /// The lines.
    pub text: String,
    /// The kinds.
    pub kinds: Vec<String>,
    /// The kinds without a text that the parser confirms.
    pub unconfirmed: Vec<String>,
}

/// Makes the table of a language from its rules and what was written by hand.
pub fn make(language: &Language, rules: &Rules, hand: &Hand) -> Table {
    let grammar = language.grammar();
    let shortest = Shortest::new(rules, hand);
    let found = Kinds::new(&shortest);
    let places = Places::new(rules);
    let maker = Maker {
        grammar: &grammar,
        shortest: &shortest,
        found: &found,
        hand,
        places: &places,
    };
    let mut table = Table {
        text: String::new(),
        kinds: visible(&grammar),
        unconfirmed: Vec::new(),
    };
    for kind in &table.kinds {
        let places = places.of(kind).join(",");
        let line = match maker.minimal(kind) {
            Some((minimal, contexts)) => {
                let preferred = maker.preferred(kind, &minimal, &contexts);
                let minimal = escape(&minimal);
                let preferred = escape(&preferred.unwrap_or_default());
                format!("{kind}\t{minimal}\t{places}\t{preferred}\n")
            }
            None => {
                table.unconfirmed.push(kind.clone());
                format!("{kind}\t-\t{places}\t\n")
            }
        };
        table.text.push_str(&line);
    }
    table
}

/// The names of the named kinds, each once, in order.
fn visible(grammar: &SitterGrammar) -> Vec<String> {
    let mut names: Vec<String> = grammar
        .kinds()
        .map(|kind: Kind| grammar.kind_name(kind).to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

struct Maker<'a> {
    grammar: &'a SitterGrammar,
    shortest: &'a Shortest<'a>,
    found: &'a Kinds,
    hand: &'a Hand,
    places: &'a Places,
}

impl Maker<'_> {
    /// The shortest text that the parser confirms, and the contexts where it does.
    fn minimal(&self, kind: &str) -> Option<(String, Vec<&Context>)> {
        let contexts = || {
            let by_hand = self.hand.contexts.get(kind).into_iter().flatten();
            by_hand.chain(self.found.contexts.get(kind).into_iter().flatten())
        };
        let by_hand = self.hand.minimal.get(kind).into_iter().flatten();
        let texts = by_hand.chain(self.found.texts.get(kind).into_iter().flatten());
        let is_whole = kind == self.shortest.rules.start;
        for phrase in texts.filter(|phrase| is_whole || !phrase.text.is_empty()) {
            let confirm = |context: &&Context| {
                check::confirm(self.grammar, &self.shortest.spacing, kind, phrase, context)
            };
            let good: Vec<(&Context, String)> = contexts()
                .filter_map(|context| Some((context, confirm(&context)?)))
                .collect();
            let shortest = good
                .iter()
                .map(|(_, text)| text)
                .min_by_key(|text| text.len());
            if let Some(text) = shortest {
                let text = text.clone();
                return Some((text, good.into_iter().map(|(context, _)| context).collect()));
            }
        }
        None
    }

    /// What was written down as best for one of the places of a kind, if it fits most of its contexts.
    fn preferred(&self, kind: &str, minimal: &str, contexts: &[&Context]) -> Option<String> {
        for (place, text) in &self.hand.preferred {
            let has_kind = |kinds: &std::collections::BTreeSet<String>| kinds.contains(kind);
            if place != kind && !self.places.named.get(place).is_some_and(has_kind) {
                continue;
            }
            let phrase = Phrase::token(text.clone());
            let valid = contexts.iter().filter(|context| {
                check::is_valid(self.grammar, &self.shortest.spacing, &phrase, context)
            });
            if valid.count() * 2 > contexts.len() {
                return (text != minimal).then(|| text.clone());
            }
        }
        None
    }
}
