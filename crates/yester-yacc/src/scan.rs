use super::code;
use super::error::Misreading;

/// A word of a grammar file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `%%`
    Border,
    /// The name of a rule, of a token or of a setting.
    Name(String),
    /// A text in quotes, and whether the quotes are single.
    Literal(String, bool),
    /// `%token` and the like, without the percent sign.
    Directive(String),
    Colon,
    Bar,
    Semicolon,
    /// What plays no role for the language: code in braces, a `<type>`, a number.
    Aside,
}

/// The words of the declarations and the rules, each with its place. Comments and code are removed, and what comes
/// after the rules.
pub(super) fn words(text: &str) -> Result<Vec<(usize, Word)>, Misreading> {
    let mut words = Vec::new();
    let mut borders = 0;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let (after, word) = match character {
            _ if character.is_whitespace() => (at + character.len_utf8(), None),
            '/' if rest.starts_with("/*") || rest.starts_with("//") => {
                (code::after_piece(text, at), None)
            }
            '%' if rest.starts_with("%{") => (code::find_after(text, at, "%}"), None),
            '%' if rest.starts_with("%%") => {
                borders += 1;
                if borders == 2 {
                    break;
                }
                (at + 2, Some(Word::Border))
            }
            '%' => directive(text, at)?,
            '{' => {
                let after = code::after_braces(text, at)
                    .ok_or_else(|| Misreading::new(at, "this `{` is never closed"))?;
                (after, Some(Word::Aside))
            }
            '\'' | '"' => literal(text, at)?,
            '<' => (after_tag(text, at)?, Some(Word::Aside)),
            // A name that an action uses for the symbol before it, or an old number.
            '[' => (code::find_after(text, at, "]"), None),
            ':' => (at + 1, Some(Word::Colon)),
            '|' => (at + 1, Some(Word::Bar)),
            ';' => (at + 1, Some(Word::Semicolon)),
            // Old grammars have commas between tokens, and an equals sign before actions and values.
            ',' | '=' => (at + 1, None),
            '-' if rest.starts_with("->") && borders == 1 => (after_type(text, at), None),
            '0'..='9' => (at + name_length(rest), Some(Word::Aside)),
            _ if starts_name(character) => {
                let length = name_length(rest);
                (at + length, Some(Word::Name(rest[..length].to_owned())))
            }
            _ => {
                return Err(Misreading::new(
                    at,
                    format!("`{}` makes no sense here", character.escape_debug()),
                ));
            }
        };
        words.extend(word.map(|word| (at, word)));
        at = after;
    }
    if borders == 0 {
        return Err(Misreading::new(
            text.len(),
            "there are no rules: a line `%%` must come before them",
        ));
    }
    Ok(words)
}

fn directive(text: &str, at: usize) -> Result<(usize, Option<Word>), Misreading> {
    let length = name_length(&text[at + 1..]);
    let name = &text[at + 1..at + 1 + length];
    let mut after = at + 1 + length;
    if length == 0 {
        return Err(Misreading::new(at, "`%` makes no sense here"));
    }
    let is_rust = matches!(name, "actiontype" | "parse-generics" | "parse-param")
        && !text[after..].trim_start().starts_with('{');
    if is_rust {
        after = code::find(text, after, "\n");
    }
    Ok((after, Some(Word::Directive(name.to_owned()))))
}

fn literal(text: &str, at: usize) -> Result<(usize, Option<Word>), Misreading> {
    let after = code::after_quoted(text, at)
        .ok_or_else(|| Misreading::new(at, "this quote is never closed"))?;
    let content = code::unescaped(&text[at + 1..after - 1]);
    if content.is_empty() {
        return Err(Misreading::new(at, "there is nothing between the quotes"));
    }
    let is_single = text[at..].starts_with('\'');
    Ok((after, Some(Word::Literal(content, is_single))))
}

fn after_tag(text: &str, at: usize) -> Result<usize, Misreading> {
    let mut depth = 0;
    for (offset, character) in text[at..].char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            '\n' => break,
            _ => {}
        }
        if depth == 0 {
            return Ok(at + offset + 1);
        }
    }
    Err(Misreading::new(at, "this `<` is never closed"))
}

/// The place of the colon that ends a Rust type, in which `::` may occur.
fn after_type(text: &str, at: usize) -> usize {
    let mut at = at;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("::") {
            at += 2;
        } else if rest.starts_with(':') {
            break;
        } else {
            at = code::after_piece(text, at);
        }
    }
    at
}

fn starts_name(character: char) -> bool {
    character.is_ascii_alphabetic() || matches!(character, '_' | '.')
}

fn name_length(text: &str) -> usize {
    text.char_indices()
        .find(|(at, character)| {
            let is_part = character.is_ascii_alphanumeric()
                || matches!(character, '_' | '.')
                || (*character == '-' && !text[*at..].starts_with("->"));
            !is_part
        })
        .map_or(text.len(), |(at, _)| at)
}
