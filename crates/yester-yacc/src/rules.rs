use std::collections::HashMap;
use std::ops::Range;

/// What a grammar file says about its language.
#[derive(Debug)]
pub(super) struct Rules {
    pub rules: Vec<GrammarRule>,
    pub tokens: Vec<Token>,
    pub productions: Vec<Production>,
    pub start: usize,
    /// The tokens that bind, the weakest first.
    pub levels: Vec<(Associativity, Vec<usize>)>,
}

#[derive(Debug)]
pub(super) struct GrammarRule {
    pub name: String,
    pub at: usize,
    pub productions: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub name: String,
    /// Whether the name is a text in quotes.
    pub is_literal: bool,
    pub at: usize,
}

#[derive(Debug)]
pub(super) struct Production {
    pub rule: usize,
    pub symbols: Vec<Symbol>,
    /// The token that it binds like, if it says so.
    pub precedence: Option<usize>,
}

/// A part of a production, by its number among the rules or among the tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    Rule(usize),
    Token(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Associativity {
    Left,
    Right,
    None,
}

impl Rules {
    /// The productions of a rule.
    pub fn productions_of(&self, rule: usize) -> &[Production] {
        &self.productions[self.rules[rule].productions.clone()]
    }

    /// A token by the name that a lexer gives it.
    pub fn token(&self, name: &str) -> Option<usize> {
        self.tokens
            .iter()
            .position(|token| token.name == name && !token.is_literal)
            .or_else(|| self.literal(name))
    }

    /// A token by its text in quotes.
    pub fn literal(&self, text: &str) -> Option<usize> {
        self.tokens
            .iter()
            .position(|token| token.name == text && token.is_literal)
    }

    /// A symbol as it is written in the grammar.
    pub fn symbol_name(&self, symbol: Symbol) -> String {
        match symbol {
            Symbol::Rule(rule) => self.rules[rule].name.clone(),
            Symbol::Token(token) => self.tokens[token].to_string(),
        }
    }

    /// A production as it is written in the grammar.
    pub fn production_name(&self, production: usize) -> String {
        let Production { rule, symbols, .. } = &self.productions[production];
        let mut name = format!("{}:", self.rules[*rule].name);
        for symbol in symbols {
            name.push(' ');
            name.push_str(&self.symbol_name(*symbol));
        }
        if symbols.is_empty() {
            name.push_str(" %empty");
        }
        name
    }

    /// A rule that no text can be, since each of its productions leads back to it.
    pub fn endless(&self) -> Option<usize> {
        let mut ends = vec![false; self.rules.len()];
        loop {
            let before = ends.clone();
            for Production { rule, symbols, .. } in &self.productions {
                ends[*rule] |= symbols.iter().all(|symbol| match symbol {
                    Symbol::Rule(part) => ends[*part],
                    Symbol::Token(_) => true,
                });
            }
            if before == ends {
                break;
            }
        }
        // Following what does not end leads into the circle that is the cause.
        let mut seen = vec![false; self.rules.len()];
        let mut rule = ends.iter().position(|ends| !ends)?;
        while !std::mem::replace(&mut seen[rule], true) {
            let parts = self.productions_of(rule).iter();
            rule = parts.flat_map(|production| &production.symbols).find_map(
                |symbol| match symbol {
                    Symbol::Rule(part) if !ends[*part] => Some(*part),
                    _ => None,
                },
            )?;
        }
        Some(rule)
    }

    /// For each symbol, rules first and then tokens, the rules that can be this symbol alone, in order, and for a
    /// rule itself too.
    pub fn makers(&self) -> Vec<Vec<usize>> {
        let number = |symbol: Symbol| match symbol {
            Symbol::Rule(rule) => rule,
            Symbol::Token(token) => self.rules.len() + token,
        };
        let mut units: HashMap<usize, Vec<usize>> = HashMap::new();
        for Production { rule, symbols, .. } in &self.productions {
            if let [symbol] = symbols[..] {
                units.entry(number(symbol)).or_default().push(*rule);
            }
        }
        let makers_of = |symbol: usize| {
            let mut makers = Vec::new();
            let mut open = vec![symbol];
            while let Some(next) = open.pop() {
                if !makers.contains(&next) {
                    makers.push(next);
                    open.extend(units.get(&next).into_iter().flatten());
                }
            }
            makers.sort_unstable();
            makers
        };
        (0..self.rules.len() + self.tokens.len())
            .map(makers_of)
            .collect()
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.is_literal {
            return formatter.write_str(&self.name);
        }
        let text = self.name.escape_debug();
        match self.name.as_str() {
            "\"" => formatter.write_str("'\"'"),
            "'" => formatter.write_str("'\\''"),
            name if name.chars().count() == 1 => write!(formatter, "'{text}'"),
            _ => write!(formatter, "\"{text}\""),
        }
    }
}
