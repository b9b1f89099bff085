//! Blocks of binary data that begin with their length.

use std::collections::BTreeSet;
use std::ops::Range;

use super::batch::{Batch, Idea, View};
use super::key::{Key, What};
use crate::Change;

/// In more bytes than this no lengths are looked for: almost every pair of bytes could be one.
const LONGEST_SEARCHED: usize = 1 << 16;

/// A block goes, with its length and a tag before that. Or bytes go at the end or at the beginning of a block, and its
/// length becomes lower by as many. Any number that could be the length of what follows is taken for one.
pub(super) fn lengths(view: &mut View<'_>) -> Vec<Batch> {
    let text = &view.document.text;
    if view.detail > 0 || text.len() > LONGEST_SEARCHED || !is_binary(view) {
        return Vec::new();
    }
    let mut ideas = Vec::new();
    for length in (0..text.len()).flat_map(|at| lengths_at(text, at)) {
        let block = length.block.clone();
        let before = [0, 1, 2, 4].into_iter().filter(|tag| *tag <= length.at);
        ideas.extend(before.map(|tag| cut(length.at - tag..block.end)));
        for cut in cuts(block.len()) {
            for place in [block.end - cut..block.end, block.start..block.start + cut] {
                ideas.push(Idea {
                    key: Key::place(place.clone(), length.what(&place)),
                    gain: cut as u64,
                    changes: vec![
                        Change::Put(
                            length.at..length.at + length.width,
                            length.lower(cut).into(),
                        ),
                        Change::Put(place, (&b""[..]).into()),
                    ],
                });
            }
        }
    }
    // The ideas that gain least are dropped first.
    ideas.sort_by_key(|idea| idea.gain);
    let ideas = ideas.split_off(ideas.len().saturating_sub(view.tuning.binary_ideas));
    vec![view.batch(ideas)]
}

/// Whether this is no text.
pub(super) fn is_binary(view: &View<'_>) -> bool {
    let text = &view.document.text;
    !view.document.grammar.is_strict() && (text.contains(&0) || std::str::from_utf8(text).is_err())
}

fn cut(range: Range<usize>) -> Idea {
    Idea {
        key: Key::place(range.clone(), What::Gone),
        gain: range.len() as u64,
        changes: vec![Change::Put(range, (&b""[..]).into())],
    }
}

/// How much of so many bytes is cut off: all, simple parts, and powers of two.
fn cuts(bytes: usize) -> BTreeSet<usize> {
    let parts = (1..=8).flat_map(|whole| (1..=whole).map(move |part| bytes * part / whole));
    let powers = (0..16).map(|power| 1 << power);
    let fits = |cut: &usize| (1..=bytes).contains(cut);
    parts.chain(powers).filter(fits).collect()
}

/// A number that could be the length of a block.
struct Length {
    at: usize,
    width: usize,
    is_little: bool,
    value: usize,
    block: Range<usize>,
}

impl Length {
    /// Which number becomes lower, for an idea about a place in its block.
    fn what(&self, place: &Range<usize>) -> What {
        What::Length {
            distance: place.start - self.at,
            width: self.width,
            is_little: self.is_little,
        }
    }

    /// The number that is lower by so many.
    fn lower(&self, by: usize) -> Vec<u8> {
        let bytes = ((self.value - by) as u64).to_be_bytes();
        let mut bytes = bytes[bytes.len() - self.width..].to_vec();
        if self.is_little {
            bytes.reverse();
        }
        bytes
    }
}

/// The lengths that start here: numbers of two or four bytes that count themselves or not.
fn lengths_at(text: &[u8], at: usize) -> Vec<Length> {
    let mut found = Vec::new();
    for (width, is_little) in [(2, false), (2, true), (4, false), (4, true)] {
        let Some(bytes) = text.get(at..at + width) else {
            continue;
        };
        let add = |value: usize, byte: &u8| value << 8 | usize::from(*byte);
        let value = if is_little {
            bytes.iter().rev().fold(0, add)
        } else {
            bytes.iter().fold(0, add)
        };
        let start = at + width;
        for end in [at.saturating_add(value), start.saturating_add(value)] {
            if start < end && end <= text.len() {
                found.push(Length {
                    at,
                    width,
                    is_little,
                    value,
                    block: start..end,
                });
            }
        }
    }
    found
}
