use std::collections::HashMap;

use super::error::Misreading;
use super::rules::{Associativity, GrammarRule, Production, Rules, Symbol, Token};
use super::scan::{self, Word};

/// Declarations that play no role for the language.
const WITHOUT_MEANING: &[&str] = &[
    "union",
    "type",
    "nterm",
    "code",
    "define",
    "defines",
    "header",
    "debug",
    "destructor",
    "error-verbose",
    "expect",
    "expect-rr",
    "expect-unused",
    "file-prefix",
    "fixed-output-files",
    "glr-parser",
    "initial-action",
    "language",
    "lex-param",
    "locations",
    "name-prefix",
    "no-lines",
    "output",
    "param",
    "parse-param",
    "parse-generics",
    "actiontype",
    "avoid_insert",
    "epp",
    "grmtools",
    "printer",
    "pure-parser",
    "pure_parser",
    "require",
    "skeleton",
    "token-table",
    "verbose",
    "yacc",
];

/// Reads a grammar file.
pub(super) fn read(text: &str) -> Result<Rules, Misreading> {
    let words = scan::words(text)?;
    let border = words
        .iter()
        .position(|(_, word)| *word == Word::Border)
        .unwrap_or(words.len());
    let mut reader = GrammarReader {
        end: text.trim_end().len(),
        ..GrammarReader::default()
    };
    reader.declarations(&words[..border])?;
    reader.rules(words.get(border + 1..).unwrap_or_default())?;
    reader.finish(words.get(border).map_or(text.len(), |(at, _)| *at))
}

type PlacedWord<'a> = (usize, &'a Word);
type PlacedWords<'a> = Vec<PlacedWord<'a>>;
/// The name of a rule, the parts of one of its productions, and the token that this binds like.
type Body<'a> = (&'a str, PlacedWords<'a>, Option<PlacedWord<'a>>);

#[derive(Default)]
struct GrammarReader<'a> {
    end: usize,
    tokens: Vec<Token>,
    aliases: HashMap<&'a str, usize>,
    start: Option<(usize, &'a str)>,
    levels: Vec<(Associativity, PlacedWords<'a>)>,
    rules: Vec<(usize, &'a str)>,
    bodies: Vec<Body<'a>>,
}

impl<'a> GrammarReader<'a> {
    fn declarations(&mut self, words: &'a [(usize, Word)]) -> Result<(), Misreading> {
        let mut rest = words;
        while let [(at, word), following @ ..] = rest {
            let Word::Directive(directive) = word else {
                return Err(Misreading::new(
                    *at,
                    "a declaration such as `%token` or the line `%%` is expected here",
                ));
            };
            let length = following
                .iter()
                .position(|(_, word)| matches!(word, Word::Directive(_)))
                .unwrap_or(following.len());
            let arguments = &following[..length];
            rest = &following[length..];
            match directive.as_str() {
                "token" | "term" => self.declare_tokens(arguments),
                "left" => self.declare_level(Associativity::Left, arguments),
                // What has only a precedence shifts, as what binds to the right does.
                "right" | "precedence" => self.declare_level(Associativity::Right, arguments),
                "nonassoc" | "binary" => self.declare_level(Associativity::None, arguments),
                "start" => {
                    let [(at, Word::Name(name)), ..] = arguments else {
                        return Err(Misreading::new(*at, "`%start` needs the name of a rule"));
                    };
                    self.start = Some((*at, name));
                }
                known if WITHOUT_MEANING.contains(&known) => {}
                unknown => {
                    return Err(Misreading::new(
                        *at,
                        format!("unknown declaration `%{unknown}`"),
                    ));
                }
            }
        }
        Ok(())
    }

    fn declare_tokens(&mut self, words: &'a [(usize, Word)]) {
        let mut last = None;
        for (at, word) in words {
            match (word, last) {
                (Word::Literal(alias, false), Some(token)) => {
                    self.aliases.insert(alias, token);
                }
                (Word::Name(_) | Word::Literal(..), _) => last = Some(self.declare(*at, word)),
                _ => {}
            }
        }
    }

    fn declare_level(&mut self, associativity: Associativity, words: &'a [(usize, Word)]) {
        let names: PlacedWords = words
            .iter()
            .filter(|(_, word)| matches!(word, Word::Name(_) | Word::Literal(..)))
            .map(|(at, word)| (*at, word))
            .collect();
        self.levels.push((associativity, names));
    }

    /// The number of a token, which is new if it was not known.
    fn declare(&mut self, at: usize, word: &Word) -> usize {
        if let Some(token) = self.known(word) {
            return token;
        }
        let (name, is_literal) = match word {
            Word::Literal(text, _) => (text.clone(), true),
            Word::Name(name) => (name.clone(), false),
            _ => unreachable!("only names and literals are symbols"),
        };
        self.tokens.push(Token {
            name,
            is_literal,
            at,
        });
        self.tokens.len() - 1
    }

    fn known(&self, word: &Word) -> Option<usize> {
        let find = |name: &str, is_literal: bool| {
            self.tokens
                .iter()
                .position(|token| token.name == name && token.is_literal == is_literal)
        };
        match word {
            Word::Name(name) => find(name, false),
            Word::Literal(text, _) => {
                let alias = self.aliases.get(text.as_str()).copied();
                let is_character = text.chars().count() == 1;
                // Some lexers have all names in quotes.
                let named = || (!is_character).then(|| find(text, false)).flatten();
                alias.or_else(|| find(text, true)).or_else(named)
            }
            _ => None,
        }
    }

    fn rules(&mut self, words: &'a [(usize, Word)]) -> Result<(), Misreading> {
        let mut rest = words;
        while let [(at, first), following @ ..] = rest {
            rest = match (first, following) {
                (Word::Name(name), [(_, Word::Colon), body @ ..]) => {
                    self.rules.push((*at, name));
                    self.bodies.push((name, PlacedWords::new(), None));
                    self.body(name, body)?
                }
                (Word::Semicolon | Word::Aside, _) => following,
                (Word::Name(name), _) => {
                    return Err(Misreading::new(
                        *at,
                        format!("a `:` is missing after `{name}`"),
                    ));
                }
                _ => {
                    return Err(Misreading::new(*at, "the name of a rule is expected here"));
                }
            };
        }
        Ok(())
    }

    /// Reads the productions of a rule and returns what comes after its semicolon.
    fn body(
        &mut self,
        name: &'a str,
        mut rest: &'a [(usize, Word)],
    ) -> Result<&'a [(usize, Word)], Misreading> {
        while let [(at, word), following @ ..] = rest {
            let (_, symbols, precedence) = self.bodies.last_mut().expect("a rule has begun");
            rest = following;
            match word {
                Word::Semicolon => return Ok(following),
                Word::Bar => self.bodies.push((name, PlacedWords::new(), None)),
                Word::Name(next) if matches!(following, [(_, Word::Colon), ..]) => {
                    return Err(Misreading::new(
                        *at,
                        format!("a `;` is missing before the rule `{next}`"),
                    ));
                }
                Word::Name(_) | Word::Literal(..) => symbols.push((*at, word)),
                Word::Directive(directive) => match (directive.as_str(), following) {
                    (
                        "prec",
                        [
                            (at, token @ (Word::Name(_) | Word::Literal(..))),
                            after @ ..,
                        ],
                    ) => {
                        *precedence = Some((*at, token));
                        rest = after;
                    }
                    ("empty" | "dprec" | "merge" | "expect" | "expect-rr", _) => {}
                    _ => {
                        return Err(Misreading::new(
                            *at,
                            format!("`%{directive}` makes no sense here"),
                        ));
                    }
                },
                Word::Aside => {}
                Word::Colon | Word::Border => {
                    return Err(Misreading::new(*at, "`:` makes no sense here"));
                }
            }
        }
        Err(Misreading::new(
            self.end,
            format!("a `;` is missing at the end of the rule `{name}`"),
        ))
    }

    fn finish(mut self, end: usize) -> Result<Rules, Misreading> {
        let mut rules: Vec<GrammarRule> = Vec::new();
        let mut numbers = HashMap::new();
        for (at, name) in &self.rules {
            numbers.entry(*name).or_insert_with(|| {
                rules.push(GrammarRule {
                    name: (*name).to_owned(),
                    at: *at,
                    productions: 0..0,
                });
                rules.len() - 1
            });
        }
        let mut levels = Vec::new();
        for (associativity, names) in std::mem::take(&mut self.levels) {
            let tokens = names.iter().map(|(at, word)| self.declare(*at, word));
            levels.push((associativity, tokens.collect::<Vec<_>>()));
        }
        let mut bodies = std::mem::take(&mut self.bodies);
        // A rule may be continued later; its productions then stand together.
        bodies.sort_by_key(|(name, ..)| numbers[name]);
        let mut productions = Vec::new();
        for (name, symbols, precedence) in bodies {
            let rule = numbers[name];
            let symbols = symbols
                .into_iter()
                .map(|(at, word)| self.symbol(at, word, &numbers))
                .collect::<Result<_, _>>()?;
            let precedence = precedence.map(|(at, word)| self.declare(at, word));
            rules[rule].productions.end = productions.len() + 1;
            if rules[rule].productions.start == 0 && rule > 0 {
                rules[rule].productions.start = rules[rule - 1].productions.end;
            }
            productions.push(Production {
                rule,
                symbols,
                precedence,
            });
        }
        if rules.is_empty() {
            return Err(Misreading::new(end, "there are no rules"));
        }
        let start = match self.start {
            None => 0,
            Some((at, name)) => *numbers.get(name).ok_or_else(|| {
                Misreading::new(at, format!("there is no rule `{name}` to start with"))
            })?,
        };
        Ok(Rules {
            rules,
            tokens: self.tokens,
            productions,
            start,
            levels,
        })
    }

    fn symbol(
        &mut self,
        at: usize,
        word: &Word,
        numbers: &HashMap<&str, usize>,
    ) -> Result<Symbol, Misreading> {
        if let Word::Name(name) = word {
            if let Some(rule) = numbers.get(name.as_str()) {
                return Ok(Symbol::Rule(*rule));
            }
            // Yacc has this token for error recovery. No lexer makes it.
            if self.known(word).is_none() && name != "error" {
                return Err(Misreading::new(
                    at,
                    format!("`{name}` is neither a rule nor declared by `%token`"),
                ));
            }
        }
        Ok(Symbol::Token(self.declare(at, word)))
    }
}
