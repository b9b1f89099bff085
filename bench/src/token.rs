//! Counts tokens by a rule that is the same for every reducer and nearly the same for every language.

/// What the tables mean by a token.
pub const RULE: &str = "A token is a word ([A-Za-z0-9_] or bytes beyond ASCII), a string in quotes that ends on its \
line, or any other byte that is not white. Comments of C, C++, Java and JavaScript are none.";

/// How many tokens a text has; `comments` says that it has comments as C has them.
pub fn count(text: &[u8], comments: bool) -> usize {
    let mut tokens = 0;
    let mut rest = text;
    while let Some(first) = rest.first() {
        if first.is_ascii_whitespace() {
            rest = &rest[1..];
            continue;
        }
        if comments && let Some(length) = comment(rest) {
            rest = &rest[length..];
            continue;
        }
        tokens += 1;
        rest = &rest[token(rest)..];
    }
    tokens
}

/// The length of the comment that a text starts with.
fn comment(text: &[u8]) -> Option<usize> {
    let end = if text.starts_with(b"//") {
        find(text, b"\n")
    } else if text.starts_with(b"/*") {
        find(&text[2..], b"*/").map(|place| place + 4)
    } else {
        return None;
    };
    Some(end.unwrap_or(text.len()))
}

/// The length of the token that a text starts with.
fn token(text: &[u8]) -> usize {
    let word = text.iter().take_while(|byte| in_word(**byte)).count();
    if word > 0 {
        return word;
    }
    string(text).unwrap_or(1)
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The length of the string that a text starts with, if it ends on the same line.
fn string(text: &[u8]) -> Option<usize> {
    let quote = *text.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let mut place = 1;
    while place < text.len() {
        match text[place] {
            b'\n' => return None,
            b'\\' => place += 2,
            byte if byte == quote => return Some(place + 1),
            _ => place += 1,
        }
    }
    None
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_strings_and_other_bytes_are_one_each() {
        let text = b"int a_1 = b->c == \"x \\\" y\" ? 'q' : 0x1F; a <<= 2;";
        assert_eq!(count(text, true), 21);
    }

    #[test]
    fn comments_are_none_where_there_are_comments() {
        let text = b"a // b c\n/* d\n e */ f /* g";
        assert_eq!(count(text, true), 2);
        assert!(count(text, false) > 10);
    }

    #[test]
    fn a_quote_without_its_partner_is_a_byte() {
        assert_eq!(count(b"don't\nwon't", false), 6);
    }

    #[test]
    fn white_space_is_nothing() {
        assert_eq!(count(b" \n\t\r ", false), 0);
        assert_eq!(count(b"", true), 0);
    }
}
