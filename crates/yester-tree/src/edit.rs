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

/// Where places of a text are after an edit.
pub struct Moves<'a> {
    replacements: &'a [Replacement],
    /// How far a replacement is moved by those before it.
    shifts: Vec<isize>,
    /// How far what is behind all of them is moved.
    shift: isize,
}

impl Moves<'_> {
    /// Where a range is, if both its ends are still there. What is in the middle may have changed.
    pub fn range(&self, range: Range<usize>) -> Option<Range<usize>> {
        let start = self.place(range.start, |replaced| replaced.start)?;
        let end = self.place(range.end, |replaced| replaced.end)?;
        (start < end).then_some(start..end)
    }

    /// `border` is the end of a replaced range that a place may coincide with.
    fn place(&self, place: usize, border: impl Fn(&Range<usize>) -> usize) -> Option<usize> {
        let moved = |shift: isize| place.checked_add_signed(shift);
        // The first replacement that does not end before the place.
        let next = self
            .replacements
            .partition_point(|replacement| replacement.range.end < place);
        for (index, Replacement { range, with }) in self.replacements.iter().enumerate().skip(next)
        {
            if place < range.start {
                return moved(self.shifts[index]);
            }
            if place == border(range) && !with.is_empty() {
                let added = if place == range.start { 0 } else { with.len() };
                return (range.start + added).checked_add_signed(self.shifts[index]);
            }
            let is_outside = if border(range) == range.start {
                place == range.end
            } else {
                place == range.start
            };
            if !is_outside {
                return None;
            }
            if border(range) == range.end {
                return moved(self.shifts[index]);
            }
        }
        moved(self.shift)
    }
}

impl Edit {
    /// The edit that makes one text of another by replacing all from where they begin to differ to where they cease to.
    pub fn between(old: &[u8], new: &[u8]) -> Edit {
        let alike = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| {
            pairs.take_while(|(one, other)| one == other).count()
        };
        let start = alike(&mut old.iter().zip(new));
        let (old_rest, new_rest) = (&old[start..], &new[start..]);
        let end = alike(&mut old_rest.iter().rev().zip(new_rest.iter().rev()));
        Edit::new(vec![Replacement {
            range: start..old.len() - end,
            with: new_rest[..new_rest.len() - end].into(),
        }])
    }

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

    /// An edit that removes these ranges.
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

    /// Tells where places of the text are after the edit.
    pub fn moves(&self) -> Moves<'_> {
        let mut shift = 0;
        let shifts = self.replacements.iter().map(|replacement| {
            let before = shift;
            shift += replacement.with.len() as isize - replacement.range.len() as isize;
            before
        });
        let shifts = shifts.collect::<Vec<_>>();
        Moves {
            replacements: &self.replacements,
            shifts,
            shift,
        }
    }

    /// How much of the text after the edit comes from before a place.
    pub(crate) fn moved(&self, place: usize) -> usize {
        let mut moved = place;
        for Replacement { range, with } in &self.replacements {
            if range.start >= place {
                break;
            }
            moved = moved + with.len() - (range.end.min(place) - range.start);
        }
        moved
    }

    /// The text after the edit.
    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        let added: usize = self.replacements.iter().map(|one| one.with.len()).sum();
        let mut edited = Vec::with_capacity(text.len() + added);
        self.pieces(text, |piece| edited.extend_from_slice(piece));
        edited
    }

    /// What a part of the text is after the edit.
    pub fn apply_within(&self, text: &[u8], part: Range<usize>) -> Vec<u8> {
        let clipped = self
            .replacements
            .iter()
            .filter_map(|Replacement { range, with }| {
                let start = range.start.max(part.start);
                let end = range.end.min(part.end);
                (start < end).then(|| Replacement {
                    range: start - part.start..end - part.start,
                    with: Arc::clone(with),
                })
            });
        Edit::new(clipped.collect()).apply(&text[part])
    }

    /// The same to be shared. It is made where it stays, since a copy of a big text takes as much memory again.
    pub fn apply_shared(&self, text: &[u8]) -> Arc<[u8]> {
        let change = |one: &Replacement| one.with.len() as isize - one.range.len() as isize;
        let grown: isize = self.replacements.iter().map(change).sum();
        let size = text.len().saturating_add_signed(grown);
        let mut edited: Arc<[u8]> = std::iter::repeat_n(0, size).collect();
        let mut rest = Arc::get_mut(&mut edited).expect("nobody else has it yet");
        self.pieces(text, |piece| {
            let (here, after) = std::mem::take(&mut rest).split_at_mut(piece.len());
            here.copy_from_slice(piece);
            rest = after;
        });
        edited
    }

    /// Whether one text becomes another by the edit.
    pub fn makes(&self, text: &[u8], other: &[u8]) -> bool {
        let mut rest = Some(other);
        self.pieces(text, |piece| {
            rest = rest.and_then(|rest| rest.strip_prefix(piece));
        });
        rest.is_some_and(<[u8]>::is_empty)
    }

    /// What the text after the edit consists of.
    fn pieces(&self, text: &[u8], mut take: impl FnMut(&[u8])) {
        let mut at = 0;
        for Replacement { range, with } in &self.replacements {
            take(&text[at..range.start]);
            take(with);
            at = range.end;
        }
        take(&text[at..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_after_an_edit() {
        let text = b"one two three four";
        let edit = Edit::new(vec![
            Replacement {
                range: 4..8,
                with: (&b""[..]).into(),
            },
            Replacement {
                range: 8..13,
                with: (&b"3"[..]).into(),
            },
        ]);
        assert_eq!(edit.apply(text), b"one 3 four");
        assert_eq!(edit.apply_shared(text)[..], b"one 3 four"[..]);
        assert!(edit.makes(text, b"one 3 four"));
        assert!(!edit.makes(text, b"one 3 fou") && !edit.makes(text, b"one 3 four."));
        let moves = edit.moves();
        assert_eq!(moves.range(0..3), Some(0..3));
        assert_eq!(moves.range(4..7), None);
        assert_eq!(moves.range(8..13), Some(4..5), "it was replaced");
        assert_eq!(moves.range(14..18), Some(6..10));
        assert_eq!(moves.range(0..18), Some(0..10), "its middle has changed");
        assert_eq!(moves.range(9..12), None);
    }
}
