//! Where two texts differ, by whole lines, in about the time that it takes to read them. The differences need not be the
//! fewest: they only have to be small, since what lies in them is parsed again.

use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// Among how many places the nearest one is taken where the texts may meet again.
const CHOICES: usize = 16;

/// A text by its lines.
pub(super) struct Lines<'a> {
    text: &'a [u8],
    /// Where each line starts, and where the text ends.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Lines<'a> {
        let mut starts = vec![0];
        let breaks = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        starts.extend(breaks.map(|(at, _)| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Lines { text, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where a line starts, or the text ends.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts[line]
    }

    fn line(&self, line: usize) -> &'a [u8] {
        &self.text[self.starts[line]..self.starts[line + 1]]
    }
}

/// Lines of the old text, and those of the new one that stand there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// Where the new text differs from the old one, from the first line to the last.
pub(super) fn differences(old: &Lines<'_>, new: &Lines<'_>) -> Vec<Difference> {
    let shorter = old.len().min(new.len());
    let first = (0..shorter)
        .take_while(|line| old.line(*line) == new.line(*line))
        .count();
    let last = (1..=shorter - first)
        .take_while(|back| old.line(old.len() - back) == new.line(new.len() - back))
        .count();
    let (old_end, new_end) = (old.len() - last, new.len() - last);
    let unique = unique(old, first..old_end);
    let mut found = Vec::new();
    let (mut old_at, mut new_at) = (first, first);
    while old_at < old_end || new_at < new_end {
        if old_at < old_end && new_at < new_end && old.line(old_at) == new.line(new_at) {
            old_at += 1;
            new_at += 1;
            continue;
        }
        let meetings = (new_at..new_end).filter_map(|line| {
            let place = unique.get(&digest(new.line(line))).copied().flatten()?;
            (place >= old_at && old.line(place) == new.line(line)).then_some((place, line))
        });
        let (old_next, new_next) = meetings
            .take(CHOICES)
            .min_by_key(|(old, new)| (old - old_at) + (new - new_at))
            .unwrap_or((old_end, new_end));
        found.push(Difference {
            old: old_at..old_next,
            new: new_at..new_next,
        });
        (old_at, new_at) = (old_next, new_next);
    }
    found
}

/// The lines that occur once, by their digest.
fn unique(lines: &Lines<'_>, range: Range<usize>) -> HashMap<u64, Option<usize>> {
    let mut unique = HashMap::with_capacity(range.len());
    for line in range {
        match unique.entry(digest(lines.line(line))) {
            Entry::Vacant(entry) => {
                entry.insert(Some(line));
            }
            Entry::Occupied(mut entry) => {
                entry.insert(None);
            }
        }
    }
    unique
}

fn digest(line: &[u8]) -> u64 {
    // The keys of this one are always the same, and so are the differences.
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn between(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
        let (old, new) = (Lines::new(old.as_bytes()), Lines::new(new.as_bytes()));
        let differences = differences(&old, &new).into_iter();
        differences
            .map(|difference| (difference.old, difference.new))
            .collect()
    }

    #[test]
    fn changes_far_apart_are_two_differences() {
        let (old, new) = ("a\nb\nc\nd\ne\n", "a\nB\nc\nd\nE\nf\n");
        assert_eq!(between(old, new), [(1..2, 1..2), (4..5, 4..6)]);
        assert_eq!(between("a\nb\nc\n", "a\nc\n"), [(1..2, 1..1)]);
        assert_eq!(between("a\nc\n", "a\nb\nc\n"), [(1..1, 1..2)]);
        assert_eq!(between("a", "a"), []);
        assert_eq!(between("", "a"), [(0..0, 0..1)]);
    }

    proptest! {
        #[test]
        fn the_old_text_with_its_differences_replaced_is_the_new_one(
            old in "[a-f\n]{0,60}", new in "[a-f\n]{0,60}",
        ) {
            let (old, new) = (Lines::new(old.as_bytes()), Lines::new(new.as_bytes()));
            let mut text = Vec::new();
            let mut at = 0;
            for Difference { old: gone, new: come } in differences(&old, &new) {
                prop_assert!(gone.start >= at && !(gone.is_empty() && come.is_empty()));
                text.extend_from_slice(&old.text[old.start(at)..old.start(gone.start)]);
                text.extend_from_slice(&new.text[new.start(come.start)..new.start(come.end)]);
                at = gone.end;
            }
            text.extend_from_slice(&old.text[old.start(at)..]);
            prop_assert_eq!(text, new.text);
        }
    }
}
