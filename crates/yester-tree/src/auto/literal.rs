//! Ideas about the characters of literals.

use std::ops::Range;

use super::batch::{Batch, Idea, Source, View};
use super::key::{Key, What};
use super::length::is_binary;
use super::name::{is_dashed_name, is_name};
use super::part::pooled;
use crate::{Change, Kind};

/// Characters of everything that is no name: numbers, strings, plain text.
pub(super) fn literals(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let tree = view.document.tree();
    let mut batches = Vec::new();
    let (mut pool, mut zeros) = (Vec::new(), Vec::new());
    for (range, kind) in plain_texts(view) {
        let text = &view.document.text[range.clone()];
        if text.len() > 1 && !is_name(text) {
            let ideas: Vec<Idea> = pieces(text)
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
                    source: Source::Literals,
                    kind,
                    ideas,
                    together: true,
                    needs: Vec::new(),
                    likely: false,
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
    pooled(zeros, Source::Literals, true, &mut batches);
    pooled(pool, Source::Literals, true, &mut batches);
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

/// What can be left out of a literal: the words of a name with dashes, the characters of everything else. A byte that is
/// part of no character counts as one.
fn pieces(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_dashed = is_dashed_name(text);
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        at += match rest.utf8_chunks().next() {
            _ if is_dashed => 1 + rest[1..].iter().take_while(|byte| **byte != b'-').count(),
            Some(chunk) if !chunk.valid().is_empty() => {
                chunk.valid().chars().next().map_or(1, char::len_utf8)
            }
            _ => 1,
        };
        Some(start..at)
    })
}
