use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use yester_core::{Candidate, Infeasible, Space, Subset};

use crate::document::Wrap;
use crate::size::is_word;
use crate::{Edit, Replacement};

/// What makes one text into another, as deltas: words, blanks and signs that differ.
pub struct Between<'a> {
    /// The text without any delta.
    from: Arc<[u8]>,
    changes: Vec<Replacement>,
    wrap: Wrap<'a>,
}

impl<'a> Between<'a> {
    /// Compares two texts by lines, and where these differ by words.
    pub fn new(from: Arc<[u8]>, to: &[u8], wrap: Wrap<'a>) -> Between<'a> {
        let lines = |text: &[u8]| pieces(text, |before, _| before == b'\n');
        let words = |text: &[u8]| {
            pieces(text, |before, after| {
                let blank = |byte: u8| matches!(byte, b' ' | b'\t');
                !(is_word(before) && is_word(after) || blank(before) && blank(after))
            })
        };
        let mut changes = Vec::new();
        for (old, new) in differences(&from, to, lines) {
            for (part, replacement) in differences(&from[old.clone()], &to[new.clone()], words) {
                let with = &to[new.start + replacement.start..new.start + replacement.end];
                changes.push(Replacement {
                    range: old.start + part.start..old.start + part.end,
                    with: with.into(),
                });
            }
        }
        Between {
            from,
            changes,
            wrap,
        }
    }

    /// The text with these deltas.
    pub fn text(&self, subset: &Subset) -> Vec<u8> {
        let applied = subset.iter().map(|delta| self.changes[delta].clone());
        Edit::new(applied.collect()).apply(&self.from)
    }
}

type Ranges = (std::ops::Range<usize>, std::ops::Range<usize>);

/// The places where two texts differ, compared piece by piece.
fn differences(
    old: &[u8],
    new: &[u8],
    cut: impl Fn(&[u8]) -> Vec<std::ops::Range<usize>>,
) -> Vec<Ranges> {
    let (old_pieces, new_pieces) = (cut(old), cut(new));
    let texts = |text: &'_ [u8], pieces: &[std::ops::Range<usize>]| -> Vec<Vec<u8>> {
        pieces
            .iter()
            .map(|piece| text[piece.clone()].to_vec())
            .collect()
    };
    let span = |pieces: &[std::ops::Range<usize>], at: usize, count: usize, end: usize| {
        let start = pieces.get(at).map_or(end, |piece| piece.start);
        let end = match count {
            0 => start,
            _ => pieces[at + count - 1].end,
        };
        start..end
    };
    let operations = capture_diff_slices(
        Algorithm::Myers,
        &texts(old, &old_pieces),
        &texts(new, &new_pieces),
    );
    operations
        .into_iter()
        .filter(|operation| !matches!(operation, DiffOp::Equal { .. }))
        .map(|operation| {
            let (old_range, new_range) = (operation.old_range(), operation.new_range());
            (
                span(&old_pieces, old_range.start, old_range.len(), old.len()),
                span(&new_pieces, new_range.start, new_range.len(), new.len()),
            )
        })
        .collect()
}

fn pieces(text: &[u8], cut: impl Fn(u8, u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut start = 0;
    let mut pieces = Vec::new();
    for at in 1..=text.len() {
        if at == text.len() || cut(text[at - 1], text[at]) {
            pieces.push(start..at);
            start = at;
        }
    }
    pieces
}

impl Space for Between<'_> {
    fn len(&self) -> usize {
        self.changes.len()
    }

    fn label(&self, delta: usize) -> String {
        let Replacement { range, with } = &self.changes[delta];
        format!(
            "{:?} → {:?}",
            String::from_utf8_lossy(&self.from[range.clone()]),
            String::from_utf8_lossy(with)
        )
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        Ok((self.wrap)(self.text(subset).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_differences_together_make_the_other_text() {
        let from = b"one\ntwo words\nthree\n".to_vec();
        let to = b"one\ntwo other words\nfour\nthree";
        let between = Between::new(from.clone().into(), to, &Candidate::File);
        assert_eq!(between.text(&Subset::empty(between.len())), from);
        assert_eq!(between.text(&Subset::full(between.len())), to);
        assert!(between.len() >= 3);
    }
}
