use std::ops::Range;
use std::sync::Arc;

use imara_diff::{Algorithm, Diff, InternedInput};
use yester_core::{Candidate, Infeasible, Space, Subset, abridged};

use crate::document::Wrap;
use crate::size::is_word;
use crate::{Edit, Replacement};

/// The differences of two texts as deltas: words, blanks and signs that differ.
pub struct TextDifferences<'a> {
    /// The text without any delta.
    from: Arc<[u8]>,
    changes: Vec<Replacement>,
    wrap: Wrap<'a>,
}

impl<'a> TextDifferences<'a> {
    /// Compares two texts by lines, and where these differ by words.
    pub fn new(from: Arc<[u8]>, to: &[u8], wrap: Wrap<'a>) -> TextDifferences<'a> {
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
        TextDifferences {
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

/// The places where two texts differ, compared piece by piece.
fn differences(
    old: &[u8],
    new: &[u8],
    cut: impl Fn(&[u8]) -> Vec<Range<usize>>,
) -> Vec<(Range<usize>, Range<usize>)> {
    let (old_pieces, new_pieces) = (cut(old), cut(new));
    let mut input = InternedInput::default();
    input.update_before(old_pieces.iter().map(|piece| &old[piece.clone()]));
    input.update_after(new_pieces.iter().map(|piece| &new[piece.clone()]));
    let span = |pieces: &[Range<usize>], run: Range<u32>, end: usize| {
        let start = |piece: u32| pieces.get(piece as usize).map_or(end, |piece| piece.start);
        start(run.start)..start(run.end)
    };
    Diff::compute(Algorithm::Myers, &input)
        .hunks()
        .map(|hunk| {
            (
                span(&old_pieces, hunk.before, old.len()),
                span(&new_pieces, hunk.after, new.len()),
            )
        })
        .collect()
}

/// Cuts a text wherever two neighbouring bytes are to be parted.
fn pieces(text: &[u8], cut: impl Fn(u8, u8) -> bool) -> Vec<Range<usize>> {
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

impl Space for TextDifferences<'_> {
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

    fn describe(&self, subset: &Subset) -> String {
        let labels = subset.iter().map(|delta| self.label(delta));
        abridged(labels, subset.len())
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
        let space = TextDifferences::new(from.clone().into(), to, &Candidate::File);
        assert_eq!(space.text(&Subset::empty(space.len())), from);
        assert_eq!(space.text(&Subset::full(space.len())), to);
        assert!(space.len() >= 3);
    }

    #[test]
    fn only_what_differs_is_a_difference() {
        let from = b"let x = 1;\nlet y = 2;\n".to_vec();
        let to = b"let x = 1;\nlet z = 3;\n";
        let space = TextDifferences::new(from.into(), to, &Candidate::File);
        let labels: Vec<String> = (0..space.len()).map(|delta| space.label(delta)).collect();
        assert_eq!(labels, ["\"y\" → \"z\"", "\"2\" → \"3\""]);
    }
}
