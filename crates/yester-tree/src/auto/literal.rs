//! Ideas about the characters of literals.

use std::collections::HashMap;
use std::ops::Range;

use super::batch::{Batch, Idea, View};
use super::key::{Key, What};
use super::length::is_binary;
use super::name::{is_dashed_name, is_name};
use crate::{Change, Kind};

/// Characters of everything that is no name: numbers, strings, plain text.
pub(super) fn literals(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let tree = view.document.tree();
    let mut batches = Vec::new();
    let (mut pool, mut zeros) = (Vec::new(), Vec::new());
    let texts = plain_texts(view);
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    for (range, _) in &texts {
        *places
            .entry(&view.document.text[range.clone()])
            .or_default() += 1;
    }
    for (range, kind) in texts {
        let text = &view.document.text[range.clone()];
        let pieces = match is_name(text) {
            true if places[text] == 1 => pieces_of_name(text),
            true => Vec::new(),
            false => pieces(text),
        };
        if text.len() > 1 {
            let ideas: Vec<Idea> = pieces
                .into_iter()
                .map(|part| {
                    let part = range.start + part.start..range.start + part.end;
                    Idea {
                        key: Key::place(part.clone(), What::Gone),
                        gain: part.len() as u64,
                        changes: vec![Change::Put(part, (&b""[..]).into())],
                    }
                })
                .collect();
            if ideas.len() >= view.tuning.long_list {
                batches.push(Batch {
                    kind,
                    together: true,
                    ..view.batch(ideas)
                });
            } else {
                pool.extend(ideas);
            }
        }
    }
    for leaf in tree.leaves().filter(|leaf| tree.node(*leaf).is_named) {
        let text = view.document.slice(leaf);
        if text.first().is_some_and(u8::is_ascii_digit) && text != b"0" {
            zeros.push(Idea {
                key: view.key(leaf),
                gain: text.len() as u64,
                changes: vec![Change::Put(tree.range(leaf), (&b"0"[..]).into())],
            });
        }
    }
    zeros.extend(zero_bytes(view));
    batches.extend([zeros, pool].map(|ideas| Batch {
        together: true,
        ..view.batch(ideas)
    }));
    batches
}

/// The tokens that have a name in the grammar, and visible text that has no node of its own: some grammars have nodes for
/// the quotation marks around a value and none for the value.
pub(super) fn plain_texts(view: &View<'_>) -> Vec<(Range<usize>, Kind)> {
    let document = view.document;
    let tree = document.tree();
    let mut texts = Vec::new();
    let mut end = 0;
    for leaf in tree.leaves() {
        let range = tree.range(leaf);
        if let Some(parent) = tree.parent(leaf) {
            let hidden = trimmed(&document.text, end..range.start);
            if !hidden.is_empty() && tree.range(parent).start < hidden.start {
                texts.push((hidden, parent));
            }
        }
        end = end.max(range.end);
        if tree.node(leaf).is_named {
            texts.push((range, leaf));
        }
        // Behind the last part of a node.
        let mut last = leaf;
        while let Some(parent) = tree.parent(last)
            && tree.within(parent).end == tree.within(last).end
        {
            let hidden = trimmed(&document.text, end..tree.range(parent).end);
            if !hidden.is_empty() {
                end = hidden.end;
                texts.push((hidden, parent));
            }
            last = parent;
        }
    }
    let is_strict = document.grammar.is_strict();
    texts.retain(|(_, node)| is_strict || tree.is_leaf(*node));
    let kind = |(range, node): (Range<usize>, usize)| (range, tree.node(node).kind);
    texts.into_iter().map(kind).collect()
}

/// A part of a text without the blanks around it, empty if there is nothing else.
fn trimmed(text: &[u8], part: Range<usize>) -> Range<usize> {
    let text = text.get(part.clone()).unwrap_or_default();
    let start = part.start + text.len() - text.trim_ascii_start().len();
    start..start + text.trim_ascii().len()
}

/// In binary data every byte could be 0.
fn zero_bytes(view: &View<'_>) -> Vec<Idea> {
    let text = &view.document.text;
    if !is_binary(view) || text.len() > view.tuning.binary_ideas {
        return Vec::new();
    }
    (0..text.len())
        .filter(|at| text[*at] != 0)
        .map(|at| Idea {
            key: Key::place(at..at + 1, What::Text((&b"\0"[..]).into())),
            gain: 1,
            changes: vec![Change::Put(at..at + 1, (&b"\0"[..]).into())],
        })
        .collect()
}

/// About how many pieces a literal has at most. As it becomes shorter, they do.
const MANY_PIECES: usize = 1024;

/// What can be left out of a literal: the words of a name with dashes, the characters of everything else, several at once
/// if there are many. A byte that is part of no character counts as one.
fn pieces(text: &[u8]) -> Vec<Range<usize>> {
    let is_dashed = is_dashed_name(text);
    let shortest = text.len().div_ceil(MANY_PIECES);
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        let characters = chunk.valid().chars().map(char::len_utf8);
        for length in characters.chain(chunk.invalid().iter().map(|_| 1)) {
            let is_new = if is_dashed {
                text[at] == b'-'
            } else {
                pieces.last().is_none_or(|last| last.len() >= shortest)
            };
            match pieces.last_mut() {
                Some(last) if !is_new => last.end = at + length,
                _ => pieces.push(at..at + length),
            }
            at += length;
        }
    }
    pieces
}

/// Up to this length, a name loses a character at an end at a time. Most names have to stay as they are.
const SHORT_NAME: usize = 16;

/// What can be left out of a name that must not be just any name: pieces that are longer the farther they are from its
/// ends, so that a few trials find what is needed in the middle.
fn pieces_of_name(text: &[u8]) -> Vec<Range<usize>> {
    let Ok(name) = std::str::from_utf8(text) else {
        return Vec::new();
    };
    let (left, right) = match name.len() {
        short if short <= SHORT_NAME => (1, 1),
        long => (long / 2, long - long / 2),
    };
    let growing = |most: usize| {
        let mut length = 1;
        let mut start = 0;
        std::iter::from_fn(move || {
            let end = if start + 3 * length > most {
                most
            } else {
                start + length
            };
            let piece = (start < most).then_some(start..end);
            (start, length) = (end, 2 * length);
            piece
        })
    };
    let mirrored = |piece: Range<usize>| name.len() - piece.end..name.len() - piece.start;
    let right: Vec<Range<usize>> = growing(right).map(mirrored).collect();
    let is_whole = |piece: &Range<usize>| name.get(piece.clone()).is_some();
    growing(left)
        .chain(right.into_iter().rev())
        .filter(is_whole)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_of_a_literal_are_all_of_it() {
        let whole = |text: &[u8]| {
            let pieces = pieces(text);
            assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(pieces.last().map_or(0, |last| last.end), text.len());
            pieces.len()
        };
        assert_eq!(whole(b""), 0);
        assert_eq!(whole("aé\u{1F600}".as_bytes()), 3);
        assert_eq!(whole(b"\xff\xfea\xc3"), 4);
        assert_eq!(whole(b"margin-left-auto"), 3);
        assert_eq!(whole(b"-a"), 1);
        assert!(whole(&[b' '; 1_000_000]) <= MANY_PIECES);
        assert!(whole("\u{1F600}".repeat(100_000).as_bytes()) <= MANY_PIECES);
    }

    #[test]
    fn a_short_name_loses_its_ends_and_a_long_one_more() {
        assert_eq!(pieces_of_name(b"needle"), [0..1, 5..6]);
        let pieces = pieces_of_name(&[b'a'; 2000]);
        assert!(pieces.len() < 24, "{pieces:?}");
        assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
        assert_eq!((pieces[0].start, pieces[pieces.len() - 1].end), (0, 2000));
        // Nothing cuts a character in two.
        assert!(pieces_of_name("ééé".as_bytes()).is_empty());
    }
}
