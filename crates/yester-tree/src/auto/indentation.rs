//! Narrower indentation, where it has a meaning.

use super::batch::{Batch, Idea, Source, View};
use super::key::Key;
use super::part::pooled;
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
    let mut batches = Vec::new();
    if !changes.is_empty() {
        let idea = Idea {
            key: Key::words(&[b"narrow"]),
            gain,
            changes,
        };
        pooled(vec![idea], Source::Indentation, false, &mut batches);
    }
    batches
}
