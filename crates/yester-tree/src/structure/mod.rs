//! The structure of what has no language: paragraphs, indentation, lines, brackets and words of a text; chunks and bytes
//! of anything else.
//!
//! The levels of a text, of which each is there only where it makes a difference:
//!
//! | level | what it is | where |
//! |---|---|---|
//! | paragraph | lines up to the next paragraph, with the blank lines between them | `layout` |
//! | block | a line, the more deeply indented lines after it, and the line that closes it | `layout` |
//! | line | with its indentation and its line end | `layout` |
//! | group, string | what is between brackets or quotes that match | `bracket` |
//! | item | what is between two commas or semicolons | `token` |
//! | word, sign | | `token` |
//! | run, character | | `chunk` |
//!
//! Nodes are split from the heaviest to the lightest until there are enough of them, so that the tree of a big text has
//! only coarse nodes, and finer ones appear when the text has become smaller.

mod bracket;
mod chunk;
mod grow;
mod layout;
mod shape;
mod token;

#[cfg(test)]
mod tests;

use self::shape::Shape;
use crate::{Edit, Grammar, Kind, Parse};

/// What tells apart the parts of a text without a language, or of binary data. Nothing is wrong in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structure {
    root: Shape,
    limit: usize,
}

/// How many nodes are enough.
const LIMIT: usize = 100_000;
/// A text with this many bytes for each node that is allowed is split whatever comes of it.
const BYTES_FOR_A_NODE: usize = 4;
/// How much is looked at to tell text from binary data.
const HEAD: usize = 1 << 16;

impl Structure {
    /// The structure of a text in no particular language. It need not be valid UTF-8.
    pub fn text() -> Structure {
        Structure {
            root: Shape::Text,
            limit: LIMIT,
        }
    }

    /// The structure of bytes that are no text.
    pub fn binary() -> Structure {
        Structure {
            root: Shape::Binary,
            limit: LIMIT,
        }
    }

    /// Tells text from binary data by how it starts: no text has a NUL byte, or hardly anything but control characters
    /// and invalid UTF-8.
    pub fn of(bytes: &[u8]) -> Structure {
        let head = &bytes[..bytes.len().min(HEAD)];
        let is_odd = |character: char| character.is_control() && !character.is_whitespace();
        let odd: usize = head
            .utf8_chunks()
            .map(|chunk| {
                let characters = chunk.valid().chars();
                characters.filter(|one| is_odd(*one)).count() + chunk.invalid().len()
            })
            .sum();
        if head.contains(&0) || odd * 10 > head.len() * 3 {
            Structure::binary()
        } else {
            Structure::text()
        }
    }

    /// The same, but with about as many nodes at most. The parts of one node are there all or none, so that a single list
    /// may be longer than that.
    pub fn with_limit(self, limit: usize) -> Structure {
        Structure { limit, ..self }
    }
}

impl Grammar for Structure {
    fn name(&self) -> &str {
        self.root.name()
    }

    fn is_strict(&self) -> bool {
        false
    }

    fn parse(&self, text: &[u8]) -> Parse {
        let is_small = text.len() <= self.limit / BYTES_FOR_A_NODE;
        let limit = if is_small { usize::MAX } else { self.limit };
        Parse {
            tree: grow::grow(text, self.root, limit),
            faults: 0,
            is_hard: false,
            memory: None,
        }
    }

    fn faults_after(&self, _before: &Parse, _edit: &Edit, _after: &[u8]) -> usize {
        0
    }

    fn kind_name(&self, kind: Kind) -> &str {
        Shape::of(kind).map_or("", Shape::name)
    }

    fn is_character(&self, kind: Kind) -> bool {
        Shape::of(kind) == Some(Shape::Character)
    }

    fn minimal(&self, _kind: Kind) -> Option<&str> {
        None
    }

    fn are_exchangeable(&self, one: Kind, other: Kind) -> bool {
        let place = |kind| Shape::of(kind).and_then(Shape::place);
        place(one).is_some() && place(one) == place(other)
    }
}
