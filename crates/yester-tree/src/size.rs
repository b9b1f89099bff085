//! What smaller means.

use yester_core::{Candidate, Entry};

/// How much there is of a text, or of all files of a directory together. Leaving something out never makes it more, neither
/// in tokens nor in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// How many tokens there are.
    pub tokens: usize,
    /// How many bytes there are.
    pub bytes: usize,
}

impl Extent {
    /// Measures a text.
    pub fn of(text: &[u8]) -> Extent {
        let Size { tokens, bytes, .. } = Size::of(text);
        Extent { tokens, bytes }
    }

    /// Measures a candidate. An entry of a tree is a byte more than its content.
    pub fn of_candidate(candidate: &Candidate) -> Extent {
        let of_entry = |entry: &Entry| match entry {
            Entry::File { content, .. } => {
                let Extent { tokens, bytes } = Extent::of(content);
                Extent {
                    tokens,
                    bytes: bytes + 1,
                }
            }
            Entry::Symlink(_) => Extent {
                tokens: 0,
                bytes: 1,
            },
            Entry::Absent => Extent::default(),
        };
        let add = |sum: Extent, part: Extent| Extent {
            tokens: sum.tokens + part.tokens,
            bytes: sum.bytes + part.bytes,
        };
        match candidate {
            Candidate::File(text) => Extent::of(text),
            Candidate::Tree(entries) => entries.values().map(of_entry).fold(Extent::default(), add),
        }
    }
}

/// How simple a text is that is to be put in the place of another: fewer tokens are simpler, then fewer bytes, then what
/// comes first byte by byte.
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

/// The tokens of a text in any language: a word or number, or any other visible byte.
///
/// Strings are not one token, since where one begins and ends depends on the language: an apostrophe may be a lifetime or
/// part of a word. A rule that took it for a quotation mark would count more tokens after something was left out.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += text[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let word = rest.iter().take_while(|byte| is_word(**byte)).count();
        let length = word.max(1);
        at += length;
        Some(&rest[..length])
    })
}

/// Letters, digits and everything beyond ASCII.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tokens_are_words_and_signs() {
        let of = |text: &'static str| {
            tokens(text.as_bytes())
                .map(|token| String::from_utf8_lossy(token).into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(of("int x1= f(2.5);").len(), 10);
        assert_eq!(of("it's so"), ["it", "'", "s", "so"]);
        assert_eq!(of("&'a 'b'"), ["&", "'", "a", "'", "b", "'"]);
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
    fn fewer_tokens_are_simpler_than_fewer_bytes() {
        assert!(Size::of(b"aaaaaaaa") < Size::of(b"(a)"));
        assert!(Size::of(b"0") < Size::of(b"7"));
    }

    proptest! {
        #[test]
        fn leaving_something_out_never_adds_tokens(
            text in "[ab'\"\\\\(){} \n\\x00é.]{0,60}", start in 0usize..60, length in 0usize..60,
        ) {
            let text = text.as_bytes();
            let start = start.min(text.len());
            let end = text.len().min(start + length);
            let rest = [&text[..start], &text[end..]].concat();
            prop_assert!(Size::of(&rest).tokens <= Size::of(text).tokens, "{rest:?} of {text:?}");
        }
    }
}
