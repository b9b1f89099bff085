use regex_syntax::hir::{Class, Hir, HirKind};

use super::lexer::{Lexed, Lexer};

/// Longer texts are of no use to a reducer.
pub(super) const LONGEST: usize = 4096;

/// A short text that is this token, and no other one.
pub(super) fn token_text(lexer: &Lexer, token: usize) -> Option<String> {
    let is_token = |text: &String| {
        let whole = Lexed {
            token,
            start: 0,
            end: text.len(),
        };
        !text.is_empty() && lexer.tokens(text).is_ok_and(|tokens| tokens == [whole])
    };
    // The first choice may be a keyword, so other characters have a turn, and then one more repetition.
    let try_all = |expression: &Hir| {
        let attempts = (0..2).flat_map(|more| preferred().map(move |first| (more, first)));
        attempts
            .filter_map(|(more, first)| shortest(expression, first, more))
            .find(is_token)
    };
    lexer
        .expressions(token)
        .iter()
        .filter_map(try_all)
        .min_by(|one, other| (one.len(), one).cmp(&(other.len(), other)))
}

/// The one text that a token always is.
pub(super) fn fixed_text(expressions: &[Hir]) -> Option<&str> {
    let mut texts = expressions
        .iter()
        .map(|expression| match expression.kind() {
            HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok(),
            _ => None,
        });
    let first = texts.next()??;
    texts.all(|text| text == Some(first)).then_some(first)
}

/// Characters from those that people like best to those that they like least.
fn preferred() -> impl Iterator<Item = char> {
    let punctuation = ('!'..='~').filter(|character| character.is_ascii_punctuation());
    ('0'..='9')
        .chain('a'..='z')
        .chain('A'..='Z')
        .chain(punctuation)
        .chain([' ', '\n', '\t'])
}

/// The shortest match of an expression that prefers a character, with so many more repetitions than it needs.
fn shortest(expression: &Hir, first: char, more: u32) -> Option<String> {
    let text = match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => String::new(),
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok()?,
        HirKind::Class(class) => choose(class, first)?.to_string(),
        HirKind::Capture(capture) => shortest(&capture.sub, first, more)?,
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let count = repetition.min.saturating_add(more).min(most) as usize;
            match count {
                0 => String::new(),
                _ if count > LONGEST => return None,
                _ => shortest(&repetition.sub, first, more)?.repeat(count),
            }
        }
        HirKind::Concat(parts) => parts
            .iter()
            .map(|part| shortest(part, first, more))
            .collect::<Option<String>>()?,
        HirKind::Alternation(parts) => parts
            .iter()
            .filter_map(|part| shortest(part, first, more))
            .min_by_key(String::len)?,
    };
    (text.len() <= LONGEST).then_some(text)
}

fn choose(class: &Class, first: char) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class
            .ranges()
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        Class::Bytes(class) => class
            .ranges()
            .iter()
            .filter(|range| range.end() < 0x80)
            .map(|range| (char::from(range.start()), char::from(range.end())))
            .collect(),
    };
    let contains = |character: &char| {
        ranges
            .iter()
            .any(|(start, end)| (start..=end).contains(&character))
    };
    std::iter::once(first)
        .chain(preferred())
        .find(contains)
        .or_else(|| ranges.first().map(|(start, _)| *start))
}
