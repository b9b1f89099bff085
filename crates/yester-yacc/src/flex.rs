use std::collections::HashMap;

use super::action::{self, LexerAction};
use super::code;
use super::error::Misreading;
use super::pattern::{Regex, Translator, pattern_end};

/// What a flex file says.
#[derive(Debug, Default)]
pub(super) struct Flex {
    /// The start conditions and whether they are exclusive.
    pub states: Vec<(String, bool)>,
    pub rules: Vec<LexerRule>,
    /// What is read otherwise than flex would, with its place.
    pub notes: Vec<(usize, String)>,
}

#[derive(Debug)]
pub(super) struct LexerRule {
    pub at: usize,
    /// The start conditions that it is for, none for the usual ones.
    pub states: Vec<String>,
    pub alternatives: Vec<Regex>,
    pub action: LexerAction,
}

/// Reads a flex file.
pub(super) fn read(text: &str) -> Result<Flex, Misreading> {
    let mut reader = FlexReader {
        text,
        at: 0,
        translator: Translator {
            text,
            definitions: HashMap::new(),
        },
        ignores_case: false,
        flex: Flex::default(),
    };
    reader.definitions()?;
    reader.rules()?;
    let epilogue = &text[reader.at.min(text.len())..];
    if epilogue.contains("input(") {
        reader.flex.notes.push((
            reader.at,
            "this code reads the text itself with `input()`, which is not done here: write a pattern instead".to_owned(),
        ));
    }
    Ok(reader.flex)
}

struct FlexReader<'a> {
    text: &'a str,
    at: usize,
    translator: Translator<'a>,
    ignores_case: bool,
    flex: Flex,
}

impl<'a> FlexReader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn line(&self) -> &'a str {
        self.rest().lines().next().unwrap_or_default()
    }

    fn next_line(&mut self) {
        self.at = code::find_after(self.text, self.at, "\n");
    }

    /// Steps over a line or a block that says nothing, if there is one.
    fn skip(&mut self) -> bool {
        let indent = self.line().len() - self.line().trim_start().len();
        let start = &self.rest()[indent..];
        if start.starts_with("%{") {
            self.at = code::find_after(self.text, self.at, "%}");
        } else if start.starts_with("%top") {
            let brace = code::find(self.text, self.at, "{");
            self.at = code::after_braces(self.text, brace).unwrap_or(self.text.len());
        } else if start.starts_with("/*") {
            self.at = code::find_after(self.text, self.at, "*/");
        } else if !start.starts_with("//") && !self.line().trim().is_empty() {
            return false;
        }
        self.next_line();
        true
    }

    fn definitions(&mut self) -> Result<(), Misreading> {
        while self.at < self.text.len() {
            let line = self.line();
            if line.starts_with("%%") {
                self.next_line();
                return Ok(());
            }
            if self.skip() {
                continue;
            }
            let word = line.split_whitespace().next().unwrap_or_default();
            if let Some(directive) = word.strip_prefix('%') {
                self.directive(directive, line)?;
            } else if let Some(definition) = line.strip_prefix(word) {
                let definition = definition.trim();
                let start = self.at + line.rfind(definition).unwrap_or_default();
                let range = start..start + definition.len();
                self.translator.definitions.insert(word, range);
            }
            self.next_line();
        }
        Err(Misreading::new(
            self.text.len(),
            "there are no rules: a line `%%` must come before them",
        ))
    }

    fn directive(&mut self, directive: &str, line: &str) -> Result<(), Misreading> {
        let arguments = line.split_whitespace().skip(1);
        match directive {
            "option" => {
                self.ignores_case |= arguments
                    .clone()
                    .any(|option| matches!(option, "case-insensitive" | "caseless"));
            }
            "x" | "X" | "s" | "S" => {
                let is_exclusive = directive.eq_ignore_ascii_case("x");
                let states = arguments.map(|name| (name.to_owned(), is_exclusive));
                self.flex.states.extend(states);
            }
            "array" | "pointer" | "a" | "e" | "k" | "n" | "o" | "p" => {}
            unknown => {
                return Err(Misreading::new(
                    self.at,
                    format!("unknown declaration `%{unknown}`"),
                ));
            }
        }
        Ok(())
    }

    fn rules(&mut self) -> Result<(), Misreading> {
        let mut scopes: Vec<Vec<String>> = Vec::new();
        let mut waiting = Vec::new();
        while self.at < self.text.len() {
            let line = self.line();
            if line.starts_with("%%") {
                break;
            }
            if self.skip() {
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            if line[indent..].starts_with('}') && scopes.pop().is_some() {
                self.next_line();
                continue;
            }
            if indent > 0 && scopes.is_empty() {
                // Code for the start of the generated function.
                self.next_line();
                continue;
            }
            self.at += indent;
            let at = self.at;
            let mut states = self.states()?;
            states.extend(scopes.iter().flatten().cloned());
            let opens =
                self.rest().starts_with('{') && self.rest()[1..].starts_with(char::is_whitespace);
            if opens {
                scopes.push(states);
                self.next_line();
                continue;
            }
            let pattern = self.at;
            self.at = pattern_end(self.text, self.at);
            let pattern = pattern..self.at;
            let (action_at, action) = self.action();
            if self.text[pattern.clone()].starts_with("<<EOF>>") {
                continue;
            }
            let alternatives = self.pattern(pattern)?;
            waiting.push((at, states, alternatives));
            if action.trim() == "|" {
                continue;
            }
            let action =
                action::read(action).map_err(|message| Misreading::new(action_at, message))?;
            for (at, states, alternatives) in waiting.drain(..) {
                self.flex.rules.push(LexerRule {
                    at,
                    states,
                    alternatives,
                    action: action.clone(),
                });
            }
        }
        match waiting.pop() {
            Some((at, ..)) => Err(Misreading::new(
                at,
                "no rule follows whose action is meant by `|`",
            )),
            None => Ok(()),
        }
    }

    /// Reads `<ONE,OTHER>`, if it is there.
    fn states(&mut self) -> Result<Vec<String>, Misreading> {
        let rest = self.rest();
        let Some(list) = rest.strip_prefix('<').filter(|list| !list.starts_with('<')) else {
            return Ok(Vec::new());
        };
        let end = list
            .find('>')
            .ok_or_else(|| Misreading::new(self.at, "this `<` is never closed"))?;
        let mut states = Vec::new();
        for name in list[..end].split(',').map(str::trim) {
            if name == "*" {
                states.push("INITIAL".to_owned());
                states.extend(self.flex.states.iter().map(|(name, _)| name.clone()));
            } else if name == "INITIAL" || self.flex.states.iter().any(|(known, _)| known == name) {
                states.push(name.to_owned());
            } else {
                let message = format!("there is no start condition `{name}`");
                return Err(Misreading::new(self.at, message));
            }
        }
        self.at += end + 2;
        Ok(states)
    }

    fn pattern(&mut self, range: std::ops::Range<usize>) -> Result<Vec<Regex>, Misreading> {
        let is_bound = self.text[range.clone()].starts_with('^');
        if is_bound {
            self.flex.notes.push((
                range.start,
                "`^` is ignored: the pattern may match inside a line too".to_owned(),
            ));
        }
        let range = range.start + usize::from(is_bound)..range.end;
        let mut alternatives = self.translator.alternatives(range)?;
        if self.ignores_case {
            for regex in &mut alternatives {
                *regex = regex.between("(?i:", ")");
            }
        }
        Ok(alternatives)
    }

    /// Steps over the action, which ends with its line unless a brace is open.
    fn action(&mut self) -> (usize, &'a str) {
        let line_end = code::find(self.text, self.at, "\n");
        let line = &self.text[self.at..line_end];
        let start = self.at + (line.len() - line.trim_start().len());
        let mut at = start;
        let mut depth = 0usize;
        while at < self.text.len() {
            match self.text.as_bytes()[at] {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                b'\n' if depth == 0 => break,
                _ => {}
            }
            at = code::after_piece(self.text, at);
        }
        self.at = code::find_after(self.text, at, "\n");
        (start, &self.text[start..at])
    }
}
