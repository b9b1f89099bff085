//! What smaller means.

/// How big a text is: fewer tokens are better, then fewer bytes, then what comes first byte by byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size<'a> {
    /// How many tokens it has, by a rule that needs no grammar. In data with a zero byte every byte is one.
    pub tokens: usize,
    /// How many bytes it has.
    pub bytes: usize,
    /// The text.
    pub text: &'a [u8],
}

impl Size<'_> {
    /// Measures a text.
    pub fn of(text: &[u8]) -> Size<'_> {
        let is_binary = text.contains(&0);
        Size {
            tokens: if is_binary {
                text.len()
            } else {
                tokens(text).count()
            },
            bytes: text.len(),
            text,
        }
    }
}

/// Whether a text has more tokens than this. It is not read to its end for that: the nodes of a deep tree are long texts
/// inside each other.
pub(crate) fn has_more_tokens(text: &[u8], than: usize) -> bool {
    text.len() > than && (tokens(text).nth(than).is_some() || text.contains(&0))
}

/// The tokens of a text in any language: a word or number, a quoted string on one line, or any other visible byte.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = match rest[0] {
            byte if is_word(byte) => rest.iter().take_while(|byte| is_word(**byte)).count(),
            quote @ (b'"' | b'\'') => string(rest, quote).unwrap_or(1),
            _ => 1,
        };
        at += length;
        Some(&rest[..length])
    })
}

/// Letters, digits and everything beyond ASCII.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// How long a quoted string is, if it ends on its line.
fn string(text: &[u8], quote: u8) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            byte if *byte == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_strings_and_signs() {
        let of = |text: &'static str| {
            tokens(text.as_bytes())
                .map(|token| String::from_utf8_lossy(token).into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("int x1= f(\"a b\", 'c');").len(), 10);
        assert_eq!(of("it's so"), ["it", "'", "s", "so"]);
        assert_eq!(of(" \n"), Vec::<String>::new());
    }

    #[test]
    fn tokens_are_compared_as_they_are_counted() {
        for text in ["", "a", "a b", "(a)", "a\0\0", "\"a b\" c"] {
            let text = text.as_bytes();
            let count = Size::of(text).tokens;
            for than in 0..8 {
                assert_eq!(has_more_tokens(text, than), count > than, "{text:?}");
            }
        }
    }

    #[test]
    fn fewer_tokens_are_better_than_fewer_bytes() {
        assert!(Size::of(b"aaaaaaaa") < Size::of(b"(a)"));
        assert!(Size::of(b"0") < Size::of(b"7"));
    }
}
