//! The smallest things that can be applied or left out.

use std::ops::Range;

use crate::line::{Hunk, LineEnds};
use crate::word::tokens;

/// One atom of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileEdit {
    /// The file is created. Each of its lines creates it too, so this atom matters only for a file without lines.
    Create,
    /// The file is deleted.
    Delete,
    /// The file moves to its new path.
    Rename,
    /// The file becomes executable, or stops being so.
    Mode,
    /// The whole content changes: of a binary file, a symbolic link or a submodule, or from one kind to another.
    Replace,
    /// One line.
    Line(LineEdit),
}

/// A line that is removed, added, or replaced by a similar one. Ranges count from 0 and hold at most one line. An empty
/// range says where the line would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// Which hunk of the file it is part of.
    pub hunk: u32,
    /// The line in the old file.
    pub old: Range<u32>,
    /// The line in the new file.
    pub new: Range<u32>,
}

/// Up to this many pairs of lines, all are compared to find the best. Longer hunks are read once.
const COMPARED: usize = 4096;

/// How many lines ahead a similar one is looked for in a long hunk.
const AHEAD: usize = 8;

/// How much two lines must have in common to count as one changed line, out of 1000.
const ALIKE: u32 = 500;

/// Cuts a hunk into line edits, in an order that is right for the old and the new file at once.
pub(crate) fn cut(
    hunk: &Hunk,
    number: u32,
    old: (&[u8], &LineEnds),
    new: (&[u8], &LineEnds),
) -> Vec<LineEdit> {
    let mut edits = Vec::with_capacity(hunk.old.len() + hunk.new.len());
    let (mut left, mut right) = (hunk.old.start, hunk.new.start);
    let mut upto = |left_end: u32, right_end: u32, edits: &mut Vec<LineEdit>| {
        let edit = |old: Range<u32>, new: Range<u32>| LineEdit {
            hunk: number,
            old,
            new,
        };
        edits.extend((left..left_end).map(|line| edit(line..line + 1, right..right)));
        edits.extend((right..right_end).map(|line| edit(left_end..left_end, line..line + 1)));
        (left, right) = (left_end + 1, right_end + 1);
    };
    for (one, other) in pairs(hunk, old, new) {
        let (one, other) = (hunk.old.start + one as u32, hunk.new.start + other as u32);
        upto(one, other, &mut edits);
        edits.push(LineEdit {
            hunk: number,
            old: one..one + 1,
            new: other..other + 1,
        });
    }
    upto(hunk.old.end, hunk.new.end, &mut edits);
    edits
}

/// Which removed line became which added line: pairs of similar lines that do not cross.
fn pairs(hunk: &Hunk, old: (&[u8], &LineEnds), new: (&[u8], &LineEnds)) -> Vec<(usize, usize)> {
    if hunk.old.is_empty() || hunk.new.is_empty() {
        return Vec::new();
    }
    let bags = |lines: &Range<u32>, (text, ends): (&[u8], &LineEnds)| -> Vec<Vec<u32>> {
        lines
            .clone()
            .map(|line| bag(&text[ends.bytes(&(line..line + 1))]))
            .collect()
    };
    let (removed, added) = (bags(&hunk.old, old), bags(&hunk.new, new));
    if removed.len() * added.len() > COMPARED {
        return pairs_nearby(&removed, &added);
    }
    best_pairs(&removed, &added)
}

/// The pairs with the highest total likeness, as in an alignment of two sequences.
fn best_pairs(removed: &[Vec<u32>], added: &[Vec<u32>]) -> Vec<(usize, usize)> {
    let width = added.len() + 1;
    let likeness: Vec<u32> = removed
        .iter()
        .flat_map(|one| added.iter().map(|other| likeness(one, other)))
        .collect();
    // What can be reached with the lines from here on.
    let mut reach = vec![0; (removed.len() + 1) * width];
    for one in (0..removed.len()).rev() {
        for other in (0..added.len()).rev() {
            let likeness = likeness[one * added.len() + other];
            let paired = (likeness > 0).then(|| likeness + reach[(one + 1) * width + other + 1]);
            let apart = reach[(one + 1) * width + other].max(reach[one * width + other + 1]);
            reach[one * width + other] = apart.max(paired.unwrap_or(0));
        }
    }
    let mut pairs = Vec::new();
    let (mut one, mut other) = (0, 0);
    while one < removed.len() && other < added.len() {
        let here = reach[one * width + other];
        let likeness = likeness[one * added.len() + other];
        if likeness > 0 && here == likeness + reach[(one + 1) * width + other + 1] {
            pairs.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if here == reach[(one + 1) * width + other] {
            one += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

/// Each removed line with the first similar line that was added, not far from the last pair.
fn pairs_nearby(removed: &[Vec<u32>], added: &[Vec<u32>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut next = 0;
    for (one, bag) in removed.iter().enumerate() {
        let window = &added[next..added.len().min(next + AHEAD)];
        if let Some(found) = window.iter().position(|other| likeness(bag, other) > 0) {
            pairs.push((one, next + found));
            next += found + 1;
        }
    }
    pairs
}

/// The tokens of a line, as sorted hashes.
fn bag(line: &[u8]) -> Vec<u32> {
    let hash = |token: &[u8]| {
        let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        token.iter().fold(0x811c_9dc5, step)
    };
    let mut bag: Vec<u32> = tokens(line).map(hash).collect();
    bag.sort_unstable();
    bag
}

/// How many of 1000 tokens two lines share; 0 if they are not alike.
fn likeness(one: &[u32], other: &[u32]) -> u32 {
    let (mut left, mut right, mut shared) = (0, 0, 0_usize);
    while left < one.len() && right < other.len() {
        match one[left].cmp(&other[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => (left, right, shared) = (left + 1, right + 1, shared + 1),
        }
    }
    let all = one.len() + other.len();
    // Two blank lines are alike.
    let likeness = (2000 * shared).checked_div(all).unwrap_or(1000) as u32;
    if likeness < ALIKE { 0 } else { likeness }
}
