use std::ops::Range;
use std::sync::Arc;

/// A change of a text: each range is replaced by other bytes. The ranges are in order and do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    replacements: Vec<Replacement>,
}

/// One range of a text and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What goes.
    pub range: Range<usize>,
    /// What comes, often nothing.
    pub with: Arc<[u8]>,
}

impl Edit {
    /// An edit of these replacements. Where two overlap, the one that starts first stays, and of those the longest.
    pub fn new(mut replacements: Vec<Replacement>) -> Edit {
        replacements.sort_by_key(|replacement| {
            (replacement.range.start, usize::MAX - replacement.range.end)
        });
        let mut end = 0;
        replacements.retain(|replacement| {
            let is_free = replacement.range.start >= end;
            if is_free {
                end = replacement.range.end;
            }
            is_free
        });
        Edit { replacements }
    }

    /// An edit that leaves out these ranges.
    pub fn without(ranges: impl IntoIterator<Item = Range<usize>>) -> Edit {
        let nothing: Arc<[u8]> = Arc::from(&b""[..]);
        Edit::new(
            ranges
                .into_iter()
                .map(|range| Replacement {
                    range,
                    with: Arc::clone(&nothing),
                })
                .collect(),
        )
    }

    /// An edit that puts these bytes in the place of a range.
    pub fn replace(range: Range<usize>, with: impl Into<Arc<[u8]>>) -> Edit {
        Edit {
            replacements: vec![Replacement {
                range,
                with: with.into(),
            }],
        }
    }

    /// Both edits. Where they overlap, the one that starts first stays, and of those the longest.
    pub fn and(&self, other: &Edit) -> Edit {
        Edit::new([&self.replacements[..], &other.replacements[..]].concat())
    }

    /// The replacements, in order.
    pub fn replacements(&self) -> &[Replacement] {
        &self.replacements
    }

    /// The text after the edit.
    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        let added: usize = self.replacements.iter().map(|one| one.with.len()).sum();
        let mut edited = Vec::with_capacity(text.len() + added);
        let mut at = 0;
        for Replacement { range, with } in &self.replacements {
            edited.extend_from_slice(&text[at..range.start]);
            edited.extend_from_slice(with);
            at = range.end;
        }
        edited.extend_from_slice(&text[at..]);
        edited
    }
}
