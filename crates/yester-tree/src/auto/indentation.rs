//! Narrower indentation, where it has a meaning.

use super::batch::{Batch, Idea, View};
use super::key::{Key, What};
use super::literal::plain_texts;
use crate::Change;

/// Every level of indentation becomes one blank, all at once: a line that stays behind would be on another level.
pub(super) fn indentation(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    if view.detail > 0 || !document.grammar.roles().is_indented {
        return Vec::new();
    }
    let mut changes = Vec::new();
    let mut gain = 0;
    // How wide the lines around are indented.
    let mut levels: Vec<usize> = Vec::new();
    let mut start = 0;
    for line in document.text.split_inclusive(|byte| *byte == b'\n') {
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        let width = line.iter().take_while(is_blank).count();
        let range = start..start + width;
        start += line.len();
        if line.trim_ascii().is_empty() {
            continue;
        }
        while levels.pop_if(|level| *level >= width).is_some() {}
        let depth = levels.len();
        levels.push(width);
        if depth < width {
            gain += (width - depth) as u64;
            changes.push(Change::Put(range, vec![b' '; depth].into()));
        }
    }
    let mut ideas = shifts(view);
    if !changes.is_empty() {
        ideas.push(Idea {
            key: Key::words(&[b"narrow"]),
            gain,
            changes,
        });
    }
    vec![view.batch(ideas)]
}

/// All lines of a text move to the left, as in a string of several lines, where some may have to be deeper than others.
fn shifts(view: &View<'_>) -> Vec<Idea> {
    let text = &view.document.text;
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    let mut ideas = Vec::new();
    for (range, _) in plain_texts(view) {
        let before = text[..range.start].iter().rev().take_while(is_blank);
        let mut start = range.start - before.count();
        if !text[range.clone()].contains(&b'\n') || start > 0 && text[start - 1] != b'\n' {
            continue;
        }
        let mut widths = Vec::new();
        for line in text[start..range.end].split_inclusive(|byte| *byte == b'\n') {
            if !line.trim_ascii().is_empty() {
                widths.push((start, line.iter().take_while(is_blank).count()));
            }
            start += line.len();
        }
        let least = widths.iter().map(|(_, width)| *width).min().unwrap_or(0);
        if least > 1 {
            let shift = |(start, _): &(usize, usize)| {
                Change::Put(*start..start + least - 1, (&b""[..]).into())
            };
            ideas.push(Idea {
                key: Key::place(range, What::Around(least)),
                gain: (widths.len() * (least - 1)) as u64,
                changes: widths.iter().map(shift).collect(),
            });
        }
    }
    ideas
}
