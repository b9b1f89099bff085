use std::collections::HashMap;
use std::ops::Range;

use super::code;
use super::error::Misreading;
use super::lexer::parse;

/// A regular expression in the syntax of Rust's, and for each of its bytes the place in the file that it comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct Regex {
    pub text: String,
    pub places: Vec<usize>,
}

impl Regex {
    fn push(&mut self, text: &str, place: usize) {
        self.text.push_str(text);
        self.places.resize(self.text.len(), place);
    }

    fn push_literal(&mut self, character: char, place: usize) {
        self.push(&escaped(character), place);
    }

    fn push_all(&mut self, other: &Regex) {
        self.text.push_str(&other.text);
        self.places.extend(&other.places);
    }

    /// The same between two other texts.
    pub fn between(&self, before: &str, after: &str) -> Regex {
        let place = self.places.first().copied().unwrap_or_default();
        let mut whole = Regex::default();
        whole.push(before, place);
        whole.push_all(self);
        whole.push(after, place);
        whole
    }
}

/// A regular expression for one character, without white space or a sign that means something to a lexer.
pub(super) fn escaped(character: char) -> String {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => character.to_string(),
        _ if character.is_ascii() => format!("\\x{:02X}", u32::from(character)),
        _ => format!("\\U{:08X}", u32::from(character)),
    }
}

/// A parenthesis that is open, and what stands before it.
struct PatternGroup {
    at: usize,
    opening: &'static str,
    before: Regex,
    done: Vec<Regex>,
}

/// Alternatives as one expression. What may be longer comes first, since Rust takes the first that matches and flex
/// the longest.
fn longest_first(mut alternatives: Vec<Regex>) -> Regex {
    alternatives.sort_by_cached_key(|regex| {
        let length = parse(&regex.text).map(|hir| hir.properties().maximum_len());
        std::cmp::Reverse(length.ok().flatten().unwrap_or(usize::MAX))
    });
    let mut joined = Regex::default();
    for (number, alternative) in alternatives.iter().enumerate() {
        let place = alternative.places.first().copied().unwrap_or_default();
        joined.push(if number == 0 { "" } else { "|" }, place);
        joined.push_all(alternative);
    }
    joined
}

/// Translates the patterns of a flex file.
pub(super) struct Translator<'a> {
    pub text: &'a str,
    pub definitions: HashMap<&'a str, Range<usize>>,
}

/// The end of the pattern that starts here: the first white space outside of quotes and classes.
pub(super) fn pattern_end(text: &str, mut at: usize) -> usize {
    while let Some(character) = text[at..].chars().next() {
        at = match character {
            '\\' => code::unescape(text, at).1,
            '"' => code::after_quoted(text, at).unwrap_or(at + 1),
            '[' => class_end(text, at).unwrap_or(at + 1),
            _ if character.is_whitespace() => break,
            _ => at + character.len_utf8(),
        };
    }
    at
}

/// The place after the bracket that closes the class at this place.
fn class_end(text: &str, at: usize) -> Option<usize> {
    let mut here = at + 1;
    here += usize::from(text[here..].starts_with('^'));
    here += usize::from(text[here..].starts_with(']'));
    loop {
        let character = text[here..].chars().next()?;
        here = match character {
            '\n' => return None,
            ']' => return Some(here + 1),
            '\\' => code::unescape(text, here).1,
            '[' if text[here..].starts_with("[:") => code::find_after(text, here, ":]"),
            _ => here + character.len_utf8(),
        };
    }
}

impl Translator<'_> {
    /// The alternatives of a pattern. They are kept apart since a flex lexer takes the longest of them, and a Rust
    /// expression the first.
    pub fn alternatives(&self, range: Range<usize>) -> Result<Vec<Regex>, Misreading> {
        self.translate(range, 0)
    }

    fn translate(&self, range: Range<usize>, nesting: usize) -> Result<Vec<Regex>, Misreading> {
        let text = &self.text[..range.end];
        let mut done = Vec::new();
        let mut regex = Regex::default();
        let mut open: Vec<PatternGroup> = Vec::new();
        let mut is_repeated = false;
        let mut at = range.start;
        while let Some(character) = text[at..].chars().next() {
            let here = at;
            at += character.len_utf8();
            let was_repeated = std::mem::take(&mut is_repeated);
            match character {
                '"' => {
                    at = code::after_quoted(text, here)
                        .ok_or_else(|| Misreading::new(here, "this quote is never closed"))?;
                    regex.push("(?:", here);
                    for character in code::unescaped(&text[here + 1..at - 1]).chars() {
                        regex.push_literal(character, here);
                    }
                    regex.push(")", here);
                }
                '\\' => {
                    let (character, after) = code::unescape(text, here);
                    regex.push_literal(character, here);
                    at = after;
                }
                '[' => at = translate_class(text, here, &mut regex)?,
                '{' => {
                    at = code::find_after(text, here, "}");
                    let content = text[here + 1..at].trim_end_matches('}');
                    if content.starts_with(|first: char| first.is_ascii_digit()) {
                        regex.push(&text[here..at], here);
                        is_repeated = true;
                    } else {
                        self.push_definition(content, here, nesting, &mut regex)?;
                    }
                }
                '.' => regex.push("[^\\n]", here),
                '(' if text[at..].starts_with('?') && !text[at..].starts_with("?i:") => {
                    let message = "of `(?…)` only `(?i:…)` is supported";
                    return Err(Misreading::new(here, message));
                }
                '(' => {
                    let opening = if text[at..].starts_with("?i:") {
                        "(?i:"
                    } else {
                        "(?:"
                    };
                    at += if opening == "(?i:" { 3 } else { 0 };
                    open.push(PatternGroup {
                        at: here,
                        opening,
                        before: std::mem::take(&mut regex),
                        done: std::mem::take(&mut done),
                    });
                }
                ')' => {
                    let group = open
                        .pop()
                        .ok_or_else(|| Misreading::new(here, "there is no `(` for this `)`"))?;
                    done.push(regex);
                    regex = group.before;
                    regex.push(group.opening, group.at);
                    regex.push_all(&longest_first(std::mem::replace(&mut done, group.done)));
                    regex.push(")", here);
                }
                '|' => done.push(std::mem::take(&mut regex)),
                '*' | '+' | '?' => {
                    if was_repeated {
                        let message = "two repetitions in a row: put the first one in parentheses";
                        return Err(Misreading::new(here, message));
                    }
                    regex.push(&text[here..at], here);
                    is_repeated = true;
                }
                '$' if at == text.len() && open.is_empty() => {
                    regex.push("$", here);
                    for regex in &mut done {
                        regex.push("$", here);
                    }
                }
                '/' => {
                    let message =
                        "trailing context (`a/b`) is not supported; for a slash write \"/\"";
                    return Err(Misreading::new(here, message));
                }
                _ => regex.push_literal(character, here),
            }
        }
        if let Some(PatternGroup { at, .. }) = open.pop() {
            return Err(Misreading::new(at, "this `(` is never closed"));
        }
        done.push(regex);
        Ok(done)
    }

    fn push_definition(
        &self,
        name: &str,
        at: usize,
        nesting: usize,
        regex: &mut Regex,
    ) -> Result<(), Misreading> {
        if matches!(name, "-" | "+") {
            let message = "differences and unions of classes are not supported";
            return Err(Misreading::new(at, message));
        }
        let range = self.definitions.get(name).ok_or_else(|| {
            Misreading::new(at, format!("there is no definition of `{{{name}}}`"))
        })?;
        if nesting > self.definitions.len() {
            let message = format!("the definition of `{{{name}}}` needs itself");
            return Err(Misreading::new(range.start, message));
        }
        regex.push("(?:", at);
        regex.push_all(&longest_first(self.translate(range.clone(), nesting + 1)?));
        regex.push(")", at);
        Ok(())
    }
}

fn translate_class(text: &str, start: usize, regex: &mut Regex) -> Result<usize, Misreading> {
    let end =
        class_end(text, start).ok_or_else(|| Misreading::new(start, "this `[` is never closed"))?;
    let inside = &text[..end - 1];
    let mut at = start + 1;
    regex.push("[", start);
    if inside[at..].starts_with('^') {
        regex.push("^", at);
        at += 1;
    }
    if at >= inside.len() {
        return Err(Misreading::new(
            start,
            "there is nothing between the brackets",
        ));
    }
    let member = |at: usize| match inside[at..].chars().next() {
        Some('\\') => Some(code::unescape(inside, at)),
        Some(character) => Some((character, at + character.len_utf8())),
        None => None,
    };
    while let Some((first, after)) = member(at) {
        if inside[at..].starts_with("[:") {
            let after = code::find_after(inside, at, ":]");
            regex.push(&inside[at..after], at);
            at = after;
            continue;
        }
        let last = inside[after..]
            .starts_with('-')
            .then(|| member(after + 1))
            .flatten();
        regex.push_literal(first, at);
        at = match last {
            Some((last, after)) => {
                // What flex calls the upper bytes is, in a text, every character beyond ASCII.
                let is_rest = first >= '\u{80}' && last == '\u{ff}';
                regex.push("-", at);
                regex.push_literal(if is_rest { char::MAX } else { last }, at);
                after
            }
            None => after,
        };
    }
    regex.push("]", start);
    Ok(end)
}
