//! A language that the user describes: a Yacc grammar and a lexer, read at run time. Their code is never run.

mod action;
mod code;
mod error;
mod flex;
mod grow;
mod lexer;
mod minimal;
mod pattern;
mod read;
mod rules;
mod scan;
mod shortest;
mod table;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use error::GrammarError;
use error::{Misreading, place};
use grow::Growth;
use lexer::Lexer;
use minimal::Minimal;
use rules::{Rules, Symbol};
use table::{ParserTable, Surprise};

use yester_tree::{Edit, Grammar, Kind, Parse};

/// How many tokens a message lists as expected.
const LISTED: usize = 8;

/// A language that comes from a Yacc grammar and a lexer for it.
///
/// A text that does not parse is one fault as a whole: there is no recovery from errors.
pub struct OwnLanguage {
    name: String,
    rules: Rules,
    lexer: Lexer,
    table: ParserTable,
    /// For each kind, what it is called. The rules come first, then the tokens, then the fault.
    names: Vec<String>,
    is_named: Vec<bool>,
    minimal: Vec<Option<String>>,
    /// For each kind, the kinds that can be it alone.
    makers: Vec<Vec<usize>>,
    notes: Vec<String>,
}

/// Why a text does not parse.
enum Fault {
    Encoding(usize),
    Lexing(usize),
    Parsing {
        start: usize,
        end: usize,
        expected: Vec<usize>,
    },
}

impl OwnLanguage {
    /// Reads the language from the texts of a grammar and of a lexer in the syntax of flex or of lrlex. The paths are
    /// for messages only.
    pub fn new(
        grammar_path: &Path,
        grammar: &str,
        lexer_path: &Path,
        lexer: &str,
    ) -> Result<OwnLanguage, GrammarError> {
        let in_grammar = |misreading: Misreading| misreading.within(grammar_path, grammar);
        let rules = read::read(grammar).map_err(in_grammar)?;
        check(&rules).map_err(in_grammar)?;
        let (table, conflicts) = ParserTable::new(&rules).map_err(in_grammar)?;
        let (lexer_made, remarks) =
            Lexer::new(lexer, &rules).map_err(|misreading| misreading.within(lexer_path, lexer))?;

        let minimal = Minimal::new(&rules, &lexer_made, &table);
        let mut notes: Vec<String> = conflicts
            .into_iter()
            .map(|conflicts| format!("{}: {conflicts}", grammar_path.display()))
            .collect();
        for (at, message) in remarks {
            notes.push(
                Misreading::new(at, message)
                    .within(lexer_path, lexer)
                    .to_string(),
            );
        }
        let mut is_named = vec![true; rules.rules.len()];
        for (number, token) in rules.tokens.iter().enumerate() {
            let expressions = lexer_made.expressions(number);
            is_named.push(shortest::fixed_text(&expressions).is_none());
            if expressions.is_empty() && is_used(&rules, number) && token.name != "error" {
                let message = format!("the lexer never makes the token {token}");
                notes.push(in_grammar(Misreading::new(token.at, message)).to_string());
            }
        }
        let mut names: Vec<String> = rules.rules.iter().map(|rule| rule.name.clone()).collect();
        names.extend(rules.tokens.iter().map(ToString::to_string));
        names.push("fault".to_owned());
        let stem = grammar_path.file_stem().unwrap_or(grammar_path.as_os_str());
        Ok(OwnLanguage {
            name: stem.to_string_lossy().into_owned(),
            makers: rules.makers(),
            minimal: [minimal.rules, minimal.tokens].concat(),
            rules,
            lexer: lexer_made,
            table,
            names,
            is_named,
            notes,
        })
    }

    /// What people should know about the grammar and the lexer: conflicts, and tokens that only one of them knows.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The first place where a text makes no sense, if there is one: its line and column, from 1, and why.
    pub fn fault_of(&self, text: &[u8]) -> Option<(usize, usize, String)> {
        let (at, message) = match self.check(text).err()? {
            Fault::Encoding(at) => (at, "this is not UTF-8".to_owned()),
            Fault::Lexing(at) => {
                let rest = String::from_utf8_lossy(&text[at..]);
                let start: String = rest.chars().take(10).collect();
                let start = start.escape_debug();
                (at, format!("no token starts with `{start}`"))
            }
            Fault::Parsing {
                start,
                end,
                expected,
            } => {
                let found = String::from_utf8_lossy(&text[start..end]);
                let found = if found.is_empty() {
                    "the end".to_owned()
                } else {
                    format!("`{}`", found.escape_debug())
                };
                let expected = self.listed(&expected);
                (
                    start,
                    format!("{found} makes no sense here, expected {expected}"),
                )
            }
        };
        let (line, column) = place(text, at);
        Some((line, column, message))
    }

    fn listed(&self, tokens: &[usize]) -> String {
        let name = |token: &usize| match self.rules.tokens.get(*token) {
            Some(token) => token.to_string(),
            None => "the end".to_owned(),
        };
        let names: Vec<String> = tokens.iter().take(LISTED).map(name).collect();
        match (names.split_last(), tokens.len().saturating_sub(LISTED)) {
            (None, _) => "nothing".to_owned(),
            (Some((last, [])), 0) => last.clone(),
            (Some((last, others)), 0) => format!("{} or {last}", others.join(", ")),
            (Some(_), more) => format!("{} or {more} others", names.join(", ")),
        }
    }

    /// Parses without a tree.
    fn check(&self, text: &[u8]) -> Result<(), Fault> {
        self.run(text, |_| {})
    }

    fn run(&self, text: &[u8], step: impl FnMut(table::ParserStep)) -> Result<(), Fault> {
        let text =
            std::str::from_utf8(text).map_err(|error| Fault::Encoding(error.valid_up_to()))?;
        let lexed = self.lexer.tokens(text).map_err(Fault::Lexing)?;
        let outcome = self.table.run(&lexed, step);
        outcome.map_err(|Surprise { at, expected }| {
            let (start, end) = match lexed.get(at) {
                Some(token) => (token.start, token.end),
                None => (text.len(), text.len()),
            };
            Fault::Parsing {
                start,
                end,
                expected,
            }
        })
    }
}

impl Grammar for OwnLanguage {
    fn name(&self) -> &str {
        &self.name
    }

    fn parse(&self, text: &[u8]) -> Parse {
        let mut growth = Growth::default();
        let outcome = self.run(text, |step| growth.step(step, self.rules.rules.len()));
        let (tree, faults) = match outcome {
            Ok(()) => (growth.tree(text.len(), &self.is_named), 0),
            Err(_) => (grow::fault(text.len(), (self.names.len() - 1) as Kind), 1),
        };
        Parse {
            tree,
            faults,
            is_hard: false,
            memory: None,
        }
    }

    fn faults_after(&self, _before: &Parse, _edit: &Edit, after: &[u8]) -> usize {
        usize::from(self.check(after).is_err())
    }

    fn kind_name(&self, kind: Kind) -> &str {
        self.names.get(kind as usize).map_or("", String::as_str)
    }

    fn minimal(&self, kind: Kind) -> Option<&str> {
        self.minimal.get(kind as usize)?.as_deref()
    }

    fn are_exchangeable(&self, one: Kind, other: Kind) -> bool {
        let makers = |kind: Kind| {
            self.makers
                .get(kind as usize)
                .map_or(&[][..], Vec::as_slice)
        };
        let (ones, others) = (makers(one), makers(other));
        one == other || ones.iter().any(|maker| others.binary_search(maker).is_ok())
    }
}

fn check(rules: &Rules) -> Result<(), Misreading> {
    if let Some(endless) = rules.endless() {
        let rule = &rules.rules[endless];
        let message = format!(
            "`{0}` never ends: each of its productions needs another `{0}`",
            rule.name
        );
        return Err(Misreading::new(rule.at, message));
    }
    if rules.rules.len() + rules.tokens.len() >= usize::from(Kind::MAX) {
        return Err(Misreading::new(0, "there are too many rules and tokens"));
    }
    Ok(())
}

fn is_used(rules: &Rules, token: usize) -> bool {
    let productions = &mut rules.productions.iter();
    productions.any(|production| production.symbols.contains(&Symbol::Token(token)))
}
