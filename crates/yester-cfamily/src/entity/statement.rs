use std::ops::Range;

use super::lexeme::{Kind, Lexemes};

/// Words that begin a statement which declares nothing.
const ACTIONS: &[&str] = &[
    "return",
    "throw",
    "delete",
    "goto",
    "case",
    "default",
    "break",
    "continue",
    "if",
    "for",
    "while",
    "do",
    "switch",
    "else",
    "try",
    "using",
    "new",
    "co_return",
    "co_yield",
    "co_await",
    "static_assert",
];

impl Lexemes<'_> {
    /// Behind the statement that begins here.
    pub fn behind_statement(&self, start: usize, limit: usize) -> usize {
        let mut at = start;
        loop {
            let mut is_loop = false;
            // What comes before the statement inside.
            loop {
                match self.bytes(at) {
                    b"if" | b"for" | b"while" | b"switch" | b"catch" => {
                        at += 1;
                        while at < limit
                            && matches!(self.bytes(at), b"constexpr" | b"!" | b"consteval")
                        {
                            at += 1;
                        }
                        if self.is(at, "(") {
                            at = self.behind(at);
                        }
                    }
                    b"do" => {
                        is_loop = true;
                        at += 1;
                    }
                    b"else" | b"try" => at += 1,
                    _ => break,
                }
                if at >= limit {
                    return limit;
                }
            }
            if self.is(at, "{") {
                at = self.behind(at);
            } else {
                at = self.behind_semicolon(at, limit);
            }
            if at >= limit {
                return limit;
            }
            match self.bytes(at) {
                b"else" | b"catch" => {}
                b"while" if is_loop => return self.behind_semicolon(at, limit),
                _ => return at.max(start + 1),
            }
        }
    }

    fn behind_semicolon(&self, mut at: usize, limit: usize) -> usize {
        while at < limit && !self.is(at, ";") && !self.is(at, "}") {
            if self.kind(at) == Some(Kind::Directive) {
                return at + 1;
            }
            at = self.behind(at);
        }
        if self.is(at, "}") {
            at.min(limit)
        } else {
            (at + 1).min(limit)
        }
    }

    /// Whether a word in a statement looks like a variable that is declared there: it is behind a type.
    pub fn is_inner_variable(&self, at: usize) -> bool {
        let is_behind_type = at > 1
            && (self.is_name(at - 1)
                || matches!(
                    self.bytes(at - 1),
                    b"auto"
                        | b"int"
                        | b"char"
                        | b"bool"
                        | b"long"
                        | b"unsigned"
                        | b"double"
                        | b"float"
                        | b"short"
                )
                || matches!(self.bytes(at - 1), b"&" | b"*") && self.is(at - 2, "auto"));
        let is_end = matches!(
            self.bytes(at + 1),
            b"=" | b";" | b"," | b")" | b":" | b"{" | b"["
        );
        is_behind_type && is_end && self.is_name(at)
    }

    /// The variables that a statement declares: words behind a type and before a value, a comma or the end.
    pub fn variables(&self, statement: Range<usize>) -> Vec<usize> {
        let mut names = Vec::new();
        let is_action = ACTIONS.iter().any(|word| self.is(statement.start, word));
        if is_action || !matches!(self.kind(statement.start), Some(Kind::Word)) {
            return names;
        }
        let mut at = statement.start + 1;
        let mut is_value = false;
        while at < statement.end {
            match self.bytes(at) {
                b"=" | b"." | b"->" | b"+" | b"-" | b"/" | b"?" => is_value = true,
                b"," => is_value = false,
                // A structured binding.
                b"[" if !is_value && matches!(self.bytes(at - 1), b"auto" | b"&") => {
                    let inner = at + 1..self.behind(at) - 1;
                    names.extend(inner.filter(|at| self.is_name(*at)));
                }
                b"<" if self.is_name(at - 1) => {
                    if let Some(behind) = self.behind_arguments(at, statement.end) {
                        at = behind;
                        continue;
                    }
                }
                _ if !is_value && self.is_name(at) => {
                    let is_behind_type = self.kind(at - 1) == Some(Kind::Word)
                        || matches!(self.bytes(at - 1), b">" | b"*" | b"&")
                        || self.is(at - 1, ",") && !names.is_empty();
                    let is_end =
                        matches!(self.bytes(at + 1), b"=" | b";" | b"," | b"(" | b"{" | b"[");
                    if is_behind_type && is_end {
                        names.push(at);
                    }
                }
                _ => {}
            }
            at = self.behind(at);
        }
        names
    }
}
