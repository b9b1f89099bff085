//! Steps over code that is not run: the actions, prologues and epilogues of grammars and lexers.

/// The end of the piece of code at this place: a comment, a string, a character in quotes, or one other character.
pub(super) fn after_piece(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let mut characters = rest.chars();
    let first = characters.next().map_or(0, char::len_utf8);
    match rest.as_bytes() {
        [b'/', b'*', ..] => find_after(text, at + 2, "*/"),
        [b'/', b'/', ..] => find(text, at, "\n"),
        [b'"', ..] => after_quoted(text, at).unwrap_or(text.len()),
        // A quote may also be the start of a Rust lifetime.
        [b'\'', b'\\', ..] => after_quoted(text, at).unwrap_or(at + 1),
        [b'\'', ..] if characters.nth(1) == Some('\'') => {
            at + 2 + rest[1..].chars().next().map_or(0, char::len_utf8)
        }
        _ => at + first,
    }
}

/// The end of the code in braces at this place, if they are closed.
pub(super) fn after_braces(text: &str, mut at: usize) -> Option<usize> {
    let mut depth = 0;
    while at < text.len() {
        let byte = text.as_bytes()[at];
        at = after_piece(text, at);
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The end of the text in quotes at this place, if it is closed on its line.
pub(super) fn after_quoted(text: &str, at: usize) -> Option<usize> {
    let quote = text.as_bytes()[at];
    let mut bytes = text.bytes().enumerate().skip(at + 1);
    while let Some((here, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'\n' => return None,
            _ if byte == quote => return Some(here + 1),
            _ => {}
        }
    }
    None
}

/// The next place of a string, or the end of the text.
pub(super) fn find(text: &str, at: usize, what: &str) -> usize {
    text[at..]
        .find(what)
        .map_or(text.len(), |offset| at + offset)
}

/// The place after the next occurrence of a string, or the end of the text.
pub(super) fn find_after(text: &str, at: usize, what: &str) -> usize {
    text.len().min(find(text, at, what) + what.len())
}

/// The character that an escape stands for and the place after it. The backslash is at `at`.
pub(super) fn unescape(text: &str, at: usize) -> (char, usize) {
    let rest = &text[at + 1..];
    let digits = |text: &str, radix: u32, most: usize| {
        text.chars()
            .take(most)
            .take_while(|character| character.is_digit(radix))
            .count()
    };
    let number = |start: usize, length: usize, radix: u32| {
        u32::from_str_radix(&rest[start..start + length], radix)
            .ok()
            .and_then(char::from_u32)
            .unwrap_or('\0')
    };
    let Some(first) = rest.chars().next() else {
        return ('\\', at + 1);
    };
    let plain = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'f' => '\x0c',
        'v' => '\x0b',
        'a' => '\x07',
        'b' => '\x08',
        '0'..='7' => {
            let length = digits(rest, 8, 3);
            return (number(0, length, 8), at + 1 + length);
        }
        'x' if digits(&rest[1..], 16, 2) > 0 => {
            let length = digits(&rest[1..], 16, 2);
            return (number(1, length, 16), at + 2 + length);
        }
        other => other,
    };
    (plain, at + 1 + first.len_utf8())
}

/// A text with its escapes undone.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let (character, after) = match character {
            '\\' => unescape(text, at),
            _ => (character, at + character.len_utf8()),
        };
        plain.push(character);
        at = after;
    }
    plain
}
