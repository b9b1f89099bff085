use std::sync::Arc;

use yester_core::{Candidate, Grouping, Infeasible, Lab, Phase, Space, Stop, Subset, ddmin};

/// An input as a flat list of pieces.
pub struct Flat {
    text: Arc<[u8]>,
    pieces: Pieces,
}

/// What the pieces of a flat input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A line with its line end, be it LF or CRLF.
    Line,
    /// A word, a run of blanks, or any other single byte.
    Word,
    /// A byte.
    Byte,
}

enum Pieces {
    /// Where each piece starts, and the end of the text.
    Table {
        starts: Vec<usize>,
        name: &'static str,
    },
    /// Bytes need no table: ten million of them would make a big one.
    Bytes,
}

impl Flat {
    /// Cuts a text into its pieces.
    pub fn new(text: impl Into<Arc<[u8]>>, unit: Unit) -> Flat {
        let text = text.into();
        let pieces = match unit {
            Unit::Byte => Pieces::Bytes,
            Unit::Line => Pieces::Table {
                starts: starts(&text, |before, _| before == b'\n'),
                name: "line",
            },
            Unit::Word => {
                let starts = starts(&text, |before, after| {
                    !(is_word(before) && is_word(after) || is_blank(before) && is_blank(after))
                });
                Pieces::Table {
                    starts,
                    name: "word",
                }
            }
        };
        Flat { text, pieces }
    }

    /// The text that keeping these pieces gives.
    pub fn text(&self, subset: &Subset) -> Arc<[u8]> {
        if subset.len() == self.len() {
            return Arc::clone(&self.text);
        }
        let size = subset
            .runs()
            .map(|run| self.start(run.end) - self.start(run.start))
            .sum();
        let mut text = Vec::with_capacity(size);
        for run in subset.runs() {
            text.extend_from_slice(&self.text[self.start(run.start)..self.start(run.end)]);
        }
        text.into()
    }

    fn start(&self, piece: usize) -> usize {
        match &self.pieces {
            Pieces::Table { starts, .. } => starts[piece],
            Pieces::Bytes => piece,
        }
    }
}

/// Lines, then bytes, as Zeller and Hildebrandt have it. No single byte of what is left can go.
pub fn ddmin_text(lab: &mut dyn Lab, mut text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
    for (unit, what) in [
        (Unit::Line, "removing lines"),
        (Unit::Byte, "removing bytes"),
    ] {
        let space = Flat::new(Arc::clone(&text), unit);
        lab.enter(Phase {
            what,
            deltas: space.len(),
        });
        let all = Subset::full(space.len());
        let kept = ddmin(&mut *lab.tester(&space), &Grouping::flat(space.len()), &all)?;
        text = space.text(&kept);
    }
    Ok(text)
}

/// Where the pieces of a text start when it is cut between any two bytes for which `cut` says so, and where it ends.
fn starts(text: &[u8], cut: impl Fn(u8, u8) -> bool) -> Vec<usize> {
    let cuts = text
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| cut(pair[0], pair[1]))
        .map(|(at, _)| at + 1);
    let mut starts: Vec<usize> = std::iter::once(0).chain(cuts).collect();
    if !text.is_empty() {
        starts.push(text.len());
    }
    starts
}

/// Letters, digits and everything beyond ASCII, so that no character is cut.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl Space for Flat {
    fn len(&self) -> usize {
        match &self.pieces {
            Pieces::Table { starts, .. } => starts.len() - 1,
            Pieces::Bytes => self.text.len(),
        }
    }

    fn label(&self, delta: usize) -> String {
        match &self.pieces {
            Pieces::Table { name, .. } => format!("{name} {}", delta + 1),
            Pieces::Bytes => format!("byte {}", delta + 1),
        }
    }

    fn describe(&self, kept: &Subset) -> String {
        let gone = Subset::full(self.len()).difference(kept);
        let mut runs = gone.runs();
        let Some(first) = runs.next() else {
            return String::new();
        };
        let to = match first.len() {
            1 => String::new(),
            _ => format!(" to {}", self.label(first.end - 1)),
        };
        let more = match runs.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("without {}{to}{more}", self.label(first.start))
    }

    fn weight(&self, delta: usize) -> u64 {
        (self.start(delta + 1) - self.start(delta)) as u64
    }

    fn render(&self, subset: &Subset) -> Result<Candidate, Infeasible> {
        Ok(Candidate::File(self.text(subset)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keeping_every_piece_gives_any_input_back(text in prop::collection::vec(any::<u8>(), 0..200)) {
            for unit in [Unit::Line, Unit::Word, Unit::Byte] {
                let flat = Flat::new(text.clone(), unit);
                prop_assert_eq!(&*flat.text(&Subset::full(flat.len())), &text[..]);
                let weights: u64 = (0..flat.len()).map(|piece| flat.weight(piece)).sum();
                prop_assert_eq!(weights, text.len() as u64);
                let pieces: Vec<u8> = (0..flat.len())
                    .flat_map(|piece| flat.text(&Subset::of(flat.len(), [piece])).to_vec())
                    .collect();
                prop_assert_eq!(pieces, text.clone());
            }
        }
    }

    #[test]
    fn words_stay_whole_and_signs_stand_alone() {
        let flat = Flat::new("a_1 =  grün;\n".as_bytes(), Unit::Word);
        let pieces: Vec<Vec<u8>> = (0..flat.len())
            .map(|piece| flat.text(&Subset::of(flat.len(), [piece])).to_vec())
            .collect();
        let expected: [&str; 7] = ["a_1", " ", "=", "  ", "grün", ";", "\n"];
        assert_eq!(pieces, expected.map(|piece| piece.as_bytes().to_vec()));
    }

    #[test]
    fn a_candidate_is_described_by_what_is_left_out() {
        let flat = Flat::new("1\n2\n3\n4\n5\n6\n".as_bytes(), Unit::Line);
        let without = |lines: &[usize]| flat.describe(&Subset::full(6).without(lines));
        assert_eq!(without(&[]), "");
        assert_eq!(without(&[2]), "without line 3");
        assert_eq!(
            without(&[1, 2, 3, 5]),
            "without line 2 to line 4 and 1 more"
        );
    }

    #[test]
    fn lines_keep_their_ends_and_the_last_needs_none() {
        let flat = Flat::new(&b"one\r\n\ntwo"[..], Unit::Line);
        assert_eq!(flat.len(), 3);
        assert_eq!(&*flat.text(&Subset::of(3, [0, 2])), b"one\r\ntwo");
        assert_eq!(Flat::new(&b""[..], Unit::Line).len(), 0);
        assert_eq!(Flat::new(&b"\n"[..], Unit::Line).len(), 1);
    }
}
