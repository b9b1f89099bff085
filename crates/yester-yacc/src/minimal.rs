use std::cell::RefCell;
use std::collections::HashMap;

use super::lexer::Lexer;
use super::rules::{Production, Rules, Symbol};
use super::shortest::{self, LONGEST};
use super::table::ParserTable;

/// The shortest texts of a grammar's symbols.
pub(super) struct Minimal {
    pub rules: Vec<Option<String>>,
    pub tokens: Vec<Option<String>>,
}

impl Minimal {
    /// Finds the shortest text of every rule and every token, and removes those that the parser does not take.
    pub fn new(rules: &Rules, lexer: &Lexer, table: &ParserTable) -> Minimal {
        let tokens = (0..rules.tokens.len())
            .map(|token| shortest::token_text(lexer, token))
            .collect();
        let printer = Printer::new(lexer, tokens);
        let sentences = sentences(rules, &printer);
        let contexts = contexts(rules, &sentences, &printer);
        let parses = |text: &str| {
            lexer
                .tokens(text)
                .is_ok_and(|lexed| table.run(&lexed, |_| {}).is_ok())
        };
        let texts = sentences
            .iter()
            .zip(&contexts)
            .map(|(sentence, context)| {
                let sentence = sentence.as_ref()?;
                let context = context.as_ref()?;
                let whole = [&context.before[..], &sentence.tokens, &context.after].concat();
                let text = printer.checked(&sentence.tokens)?;
                parses(&printer.checked(&whole)?).then_some(text)
            })
            .collect();
        Minimal {
            rules: texts,
            tokens: printer.texts,
        }
    }
}

/// Writes tokens as text.
struct Printer<'a> {
    lexer: &'a Lexer,
    texts: Vec<Option<String>>,
    space: &'static str,
    /// Whether two tokens stay apart without white space between them.
    apart: RefCell<HashMap<(usize, usize), bool>>,
}

impl Printer<'_> {
    fn new(lexer: &Lexer, texts: Vec<Option<String>>) -> Printer<'_> {
        let is_skipped = |space: &&str| lexer.tokens(space).is_ok_and(|tokens| tokens.is_empty());
        let space = [" ", "\n", "\t"].into_iter().find(is_skipped);
        Printer {
            lexer,
            texts,
            space: space.unwrap_or(" "),
            apart: RefCell::default(),
        }
    }

    fn text(&self, token: usize) -> &str {
        self.texts[token].as_deref().unwrap_or_default()
    }

    fn are_apart(&self, one: usize, other: usize) -> bool {
        let are_apart =
            || self.is_read_as(&[self.text(one), self.text(other)].concat(), &[one, other]);
        *self
            .apart
            .borrow_mut()
            .entry((one, other))
            .or_insert_with(are_apart)
    }

    fn is_read_as(&self, text: &str, tokens: &[usize]) -> bool {
        let lexed = self.lexer.tokens(text);
        lexed.is_ok_and(|lexed| lexed.iter().map(|one| one.token).eq(tokens.iter().copied()))
    }

    fn print(&self, tokens: &[usize]) -> String {
        let mut text = String::new();
        for (position, token) in tokens.iter().enumerate() {
            if position > 0 && !self.are_apart(tokens[position - 1], *token) {
                text.push_str(self.space);
            }
            text.push_str(self.text(*token));
        }
        text
    }

    /// The text of tokens if it is read as these tokens again. Three may run together where no two do.
    fn checked(&self, tokens: &[usize]) -> Option<String> {
        let spaced = || {
            let texts: Vec<&str> = tokens.iter().map(|token| self.text(*token)).collect();
            texts.join(self.space)
        };
        Some(self.print(tokens))
            .filter(|text| self.is_read_as(text, tokens))
            .or_else(|| Some(spaced()).filter(|text| self.is_read_as(text, tokens)))
    }
}

/// Tokens that are a rule, and their text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sentence {
    tokens: Vec<usize>,
    text: String,
}

impl Sentence {
    fn rank(&self) -> (usize, usize, &str) {
        (self.text.len(), self.tokens.len(), &self.text)
    }
}

/// The shortest sentence of each rule. At first none is known; a production has one as soon as its parts have, and
/// rounds are made until none gets shorter. A symbol without a sentence is the top of Misherghi's order.
fn sentences(rules: &Rules, printer: &Printer) -> Vec<Option<Sentence>> {
    let mut best: Vec<Option<Sentence>> = vec![None; rules.rules.len()];
    loop {
        let mut is_done = true;
        for production in &rules.productions {
            let Some(tokens) = joined(&production.symbols, &best, printer) else {
                continue;
            };
            let length: usize = tokens.iter().map(|token| printer.text(*token).len()).sum();
            let known = best[production.rule].as_ref();
            if length > known.map_or(LONGEST, |known| known.text.len()) {
                continue;
            }
            let text = printer.print(&tokens);
            let sentence = Sentence { tokens, text };
            if known.is_none_or(|known| sentence.rank() < known.rank()) {
                best[production.rule] = Some(sentence);
                is_done = false;
            }
        }
        if is_done {
            return best;
        }
    }
}

/// The tokens of symbols, if each has a sentence.
fn joined(symbols: &[Symbol], best: &[Option<Sentence>], printer: &Printer) -> Option<Vec<usize>> {
    let mut tokens = Vec::new();
    for symbol in symbols {
        match symbol {
            Symbol::Rule(rule) => tokens.extend(&best[*rule].as_ref()?.tokens),
            Symbol::Token(token) => {
                printer.texts[*token].as_ref()?;
                tokens.push(*token);
            }
        }
    }
    Some(tokens)
}

/// What stands before and after a rule in a short whole text.
#[derive(Clone, Debug)]
struct Context {
    before: Vec<usize>,
    after: Vec<usize>,
    length: usize,
}

fn contexts(rules: &Rules, best: &[Option<Sentence>], printer: &Printer) -> Vec<Option<Context>> {
    let mut contexts: Vec<Option<Context>> = vec![None; rules.rules.len()];
    contexts[rules.start] = Some(Context {
        before: Vec::new(),
        after: Vec::new(),
        length: 0,
    });
    // The length counts tokens too, so that every step makes it longer and the rounds end.
    let length = |tokens: &[usize]| -> usize {
        let texts = tokens.iter().map(|token| 1 + printer.text(*token).len());
        texts.sum()
    };
    loop {
        let mut is_done = true;
        for Production { rule, symbols, .. } in &rules.productions {
            for (position, symbol) in symbols.iter().enumerate() {
                let (Some(around), Symbol::Rule(inner)) = (&contexts[*rule], symbol) else {
                    continue;
                };
                let left = joined(&symbols[..position], best, printer);
                let right = joined(&symbols[position + 1..], best, printer);
                let (Some(left), Some(right)) = (left, right) else {
                    continue;
                };
                let total = around.length + length(&left) + length(&right);
                let known = contexts[*inner].as_ref();
                if total <= LONGEST && known.is_none_or(|known| total < known.length) {
                    contexts[*inner] = Some(Context {
                        before: [&around.before[..], &left].concat(),
                        after: [&right[..], &around.after].concat(),
                        length: total,
                    });
                    is_done = false;
                }
            }
        }
        if is_done {
            return contexts;
        }
    }
}
