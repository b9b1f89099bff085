//! The words of a text in any language.

/// The tokens of a line: words and numbers as a whole, each other byte alone, no blanks.
pub(crate) fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_ascii_start();
        let first = rest.first()?;
        let length = if is_word(*first) {
            rest.iter().take_while(|byte| is_word(**byte)).count()
        } else {
            1
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}

/// The words that may be names.
pub(crate) fn names(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| !is_word(*byte))
        .filter(|word| word.first().is_some_and(|first| !first.is_ascii_digit()))
}

/// Letters of any alphabet count, in any encoding that extends ASCII.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Words that come before the name in a definition, in one language or another.
const DEFINING: &[&str] = &[
    "class",
    "const",
    "def",
    "define",
    "enum",
    "fn",
    "func",
    "function",
    "interface",
    "let",
    "macro_rules",
    "mod",
    "module",
    "namespace",
    "record",
    "struct",
    "trait",
    "type",
    "union",
    "val",
    "var",
];

/// What may come between such a word and the name.
const BETWEEN: &[&[u8]] = &[b"mut", b"async", b"static", b"*", b"!"];

/// The names that a line seems to define, in an unknown language: after a word like `class`, before `=` at the start of the
/// line, or before `(` in a line without indentation that ends like the head of a function.
pub(crate) fn definitions(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let tokens: Vec<&[u8]> = tokens(line).collect();
    let is_name = |token: &[u8]| is_word(token[0]) && !token[0].is_ascii_digit();
    let mut defined = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        if DEFINING.iter().any(|keyword| keyword.as_bytes() == *token) {
            let mut after = tokens[place + 1..]
                .iter()
                .skip_while(|token| BETWEEN.contains(token));
            defined.extend(after.next().filter(|name| is_name(name)));
        }
    }
    let is_assignment = match tokens[..] {
        [_, b"=", value, ..] => value != b"=",
        // With a type.
        [_, b":", ..] => tokens.contains(&&b"="[..]),
        _ => false,
    };
    if is_assignment && is_name(tokens[0]) {
        defined.push(tokens[0]);
    }
    let has_indentation = line.first().is_none_or(|first| !is_word(*first));
    // A call alone on its line ends like a head too, but has no type before it.
    let is_head = match tokens.last() {
        Some(last) if *last == b"{" => true,
        Some(last) if *last == b")" => tokens.get(1).is_some_and(|second| *second != b"("),
        _ => false,
    };
    if !has_indentation
        && is_head
        && let Some(open) = tokens.iter().position(|token| *token == b"(")
        && open > 0
        && is_name(tokens[open - 1])
    {
        defined.push(tokens[open - 1]);
    }
    defined.into_iter()
}

/// How many arguments follow the first mention of a name in a line, as far as the line goes.
pub(crate) fn arguments(line: &[u8], name: &[u8]) -> Option<usize> {
    let mut tokens = tokens(line)
        .skip_while(|token| *token != name)
        .skip(1)
        .peekable();
    if tokens.peek().is_some_and(|token| *token == b"<") {
        // What is generic about a function.
        tokens.by_ref().find(|token| *token == b">");
    }
    if tokens.peek().is_none_or(|token| *token != b"(") {
        return None;
    }
    let (mut depth, mut commas, mut some) = (0, 0, false);
    for token in tokens {
        match token {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            b"," if depth == 1 => commas += 1,
            _ => some = true,
        }
        if depth == 0 {
            break;
        }
    }
    Some(if some { commas + 1 } else { commas })
}
