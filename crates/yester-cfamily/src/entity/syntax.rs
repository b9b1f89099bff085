//! Names, and the pieces of declarations that need no look at what is around them.

use std::ops::Range;

use super::lexeme::{Kind, Lexemes};

/// Words that are no names.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char",
    "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "concept",
    "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype",
    "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export",
    "extern", "false", "final", "float", "for", "friend", "goto", "if", "inline", "int", "long",
    "mutable", "namespace", "new", "noexcept", "not", "nullptr", "operator", "or", "override",
    "private", "protected", "public", "register", "reinterpret_cast", "requires", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "_Alignas",
    "_Bool", "_Complex", "_Noreturn", "_Static_assert", "_Thread_local", "__const", "__inline",
    "__int128", "__signed__", "__thread", "__typeof", "__typeof__", "__volatile__", "typeof",
    "__decltype",
];

/// How far a template's arguments are looked for.
const LONGEST_ARGUMENTS: usize = 2_000;

impl Lexemes<'_> {
    fn is_keyword(&self, at: usize) -> bool {
        let bytes = self.bytes(at);
        KEYWORDS.iter().any(|keyword| keyword.as_bytes() == bytes)
    }

    /// Whether a lexeme is a word that may be declared.
    pub fn is_name(&self, at: usize) -> bool {
        self.kind(at) == Some(Kind::Word) && !self.is_keyword(at)
    }

    pub fn is_one_of(&self, at: usize, words: &[&str]) -> bool {
        let bytes = self.bytes(at);
        words.iter().any(|word| word.as_bytes() == bytes)
    }

    /// Whether `<` or `>` is a part of `<=`, `<<` or `>=`.
    fn is_operator(&self, at: usize) -> bool {
        let is_joined = self.kind(at + 1).is_some() && self.end(at) == self.start(at + 1);
        is_joined && (self.is(at + 1, "=") || self.is(at, "<") && self.is(at + 1, "<"))
    }

    /// The first operand of a comparison, behind whose sign these are the operands. What it is compared with may be made from
    /// something else.
    pub fn compared(&self, operands: Range<usize>) -> Option<Range<usize>> {
        let is_compared = |at: usize| matches!(self.bytes(at), b"<" | b">" | b"=" | b"!");
        let sign = (1..=2).find(|length| {
            let start = operands.start.wrapping_sub(*length);
            self.is(start.wrapping_sub(1), "operator") && is_compared(start)
        })?;
        if sign == 2 && !self.is(operands.start - 1, "=") {
            return None;
        }
        let mut at = operands.start + 1;
        while at + 1 < operands.end && !self.is(at, ",") {
            let arguments = self.behind_arguments(at, operands.end);
            at = (arguments.filter(|_| self.is(at, "<"))).unwrap_or_else(|| self.behind(at));
        }
        let first = operands.start + 1..at;
        first.clone().any(|at| self.is_name(at)).then_some(first)
    }

    /// Whether `<` stands behind a value.
    fn is_less(&self, at: usize) -> bool {
        match self.kind(at - 1) {
            Some(Kind::Literal) => true,
            _ if !self.is(at - 1, ")") => false,
            _ => self
                .mate(at - 1)
                .is_none_or(|open| open == 0 || !self.is(open - 1, "operator")),
        }
    }

    /// Behind the `>` that belongs to a `<`, unless that is a comparison.
    pub fn behind_arguments(&self, open: usize, limit: usize) -> Option<usize> {
        let limit = limit.min(open + LONGEST_ARGUMENTS);
        let mut depth = 0usize;
        let mut at = open;
        while at < limit {
            match self.bytes(at) {
                b"<" | b">" if self.is_operator(at) => {
                    if at == open {
                        return None;
                    }
                    at += 1;
                }
                b"<" if at > open && self.is_less(at) => {}
                b"<" => depth += 1,
                b">" => depth -= 1,
                b";" | b"}" | b")" | b"]" => return None,
                b"operator" => at += 1,
                _ => {}
            }
            at = self.behind(at);
            if depth == 0 {
                return Some(at);
            }
        }
        None
    }

    /// Behind the constraint of a template.
    pub fn behind_constraint(&self, mut at: usize, limit: usize) -> usize {
        loop {
            while self.is(at, "!") {
                at += 1;
            }
            if self.is(at, "requires") {
                at += 1;
                if self.is(at, "(") {
                    at = self.behind(at);
                }
                at = self.behind(at);
            } else if self.is(at, "(") {
                at = self.behind(at);
            } else {
                at += 1;
                loop {
                    if self.is(at, "::") {
                        at += 2;
                    } else if self.is(at, "<")
                        && let Some(behind) = self.behind_arguments(at, limit)
                    {
                        at = behind;
                    } else {
                        break;
                    }
                }
                if self.is(at, "(") {
                    at = self.behind(at);
                }
            }
            if at < limit && (self.is_pair(at, "&") || self.is_pair(at, "|")) {
                at += 2;
            } else {
                return at.min(limit);
            }
        }
    }

    /// The parameters between `<` and `>`: the words before a comma, a default or the end.
    pub fn template_parameters(&self, arguments: Range<usize>) -> Vec<usize> {
        let mut parameters = Vec::new();
        let mut at = arguments.start + 1;
        let mut is_default = false;
        while at < arguments.end {
            let next = self.behind(at);
            match self.bytes(at) {
                b"=" => is_default = true,
                b"," => is_default = false,
                _ => {}
            }
            if self.is(at, "<")
                && let Some(behind) = self.behind_arguments(at, arguments.end)
            {
                at = behind;
                continue;
            }
            let is_end = matches!(self.bytes(next), b"," | b"=" | b">");
            let is_type = matches!(self.bytes(at - 1), b"<" | b"," | b"=" | b"::");
            if is_end && self.is_name(at) && !is_type && !is_default {
                parameters.push(at);
            }
            at = next;
        }
        parameters
    }

    /// The names of the parameters in parentheses.
    pub fn parameters(&self, open: usize) -> Vec<usize> {
        let close = self.behind(open) - 1;
        let mut names = Vec::new();
        let mut at = open + 1;
        while at < close {
            let is_end = matches!(self.bytes(at + 1), b"," | b")" | b"=" | b"[");
            let is_behind_type = self.kind(at - 1) == Some(Kind::Word)
                || matches!(self.bytes(at - 1), b">" | b"*" | b"&" | b".");
            if is_end && is_behind_type && self.is_name(at) && at > open + 1 {
                names.push(at);
            }
            at = self.behind(at);
        }
        names
    }
}
