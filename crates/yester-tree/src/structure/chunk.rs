//! What is cut by length: binary data, and words.

use std::ops::Range;

use super::shape::{Part, Shape};

/// How long the parts of something longer are.
const SIZES: [usize; 4] = [4096, 512, 64, 8];
/// Words that are not longer than this consist of characters.
const LONG_WORD: usize = 512;

/// Parts of bytes that are no text.
pub(super) fn bytes(range: Range<usize>, parts: &mut Vec<Part>) {
    if range.len() < 2 {
        return;
    }
    let size = SIZES.into_iter().find(|size| *size < range.len());
    let size = size.unwrap_or(1);
    for start in range.clone().step_by(size) {
        let end = (start + size).min(range.end);
        let shape = if end - start == 1 {
            Shape::Byte
        } else {
            Shape::Chunk
        };
        parts.push(Part::new(shape, start..end));
    }
}

/// The characters of a word, or shorter runs of characters if it is very long.
pub(super) fn characters(text: &[u8], part: &Part, parts: &mut Vec<Part>) {
    let range = part.range();
    let is_word = part.shape == Shape::Word && range.len() <= LONG_WORD;
    // A run of eight would hardly be better than its characters.
    let sizes = if is_word { &[] } else { &SIZES[..3] };
    if let Some(size) = sizes.iter().find(|size| **size < range.len()) {
        let mut start = range.start;
        while start < range.end {
            let end = border(text, start + size).min(range.end);
            parts.push(Part::new(Shape::Run, start..end));
            start = end;
        }
        return;
    }
    let mut start = range.start;
    for chunk in text[range].utf8_chunks() {
        let valid = chunk.valid().chars().map(char::len_utf8);
        for length in valid.chain(chunk.invalid().iter().map(|_| 1)) {
            parts.push(Part::new(Shape::Character, start..start + length));
            start += length;
        }
    }
}

/// The last place up to this one that is not inside a character.
fn border(text: &[u8], place: usize) -> usize {
    let is_border = |place: &usize| text.get(*place).is_none_or(|byte| byte & 0xc0 != 0x80);
    let nearby = place - 3..=place;
    nearby.rev().find(is_border).unwrap_or(place)
}
