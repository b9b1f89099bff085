use std::sync::Arc;

use yester_core::{Candidate, Infeasible, Space, Subset};

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
    /// A byte.
    Byte,
}

enum Pieces {
    /// Where each line starts, and the end of the text.
    Lines(Vec<usize>),
    /// Bytes need no table: ten million of them would make a big one.
    Bytes,
}

impl Flat {
    /// Cuts a text into its pieces.
    pub fn new(text: impl Into<Arc<[u8]>>, unit: Unit) -> Flat {
        let text = text.into();
        let pieces = match unit {
            Unit::Byte => Pieces::Bytes,
            Unit::Line => {
                let ends = text
                    .iter()
                    .enumerate()
                    .filter(|(_, byte)| **byte == b'\n')
                    .map(|(at, _)| at + 1);
                let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
                if starts.last() != Some(&text.len()) {
                    starts.push(text.len());
                }
                Pieces::Lines(starts)
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
            Pieces::Lines(starts) => starts[piece],
            Pieces::Bytes => piece,
        }
    }
}

impl Space for Flat {
    fn len(&self) -> usize {
        match &self.pieces {
            Pieces::Lines(starts) => starts.len() - 1,
            Pieces::Bytes => self.text.len(),
        }
    }

    fn label(&self, delta: usize) -> String {
        match &self.pieces {
            Pieces::Lines(_) => format!("line {}", delta + 1),
            Pieces::Bytes => format!("byte {}", delta + 1),
        }
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
            for unit in [Unit::Line, Unit::Byte] {
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
    fn lines_keep_their_ends_and_the_last_needs_none() {
        let flat = Flat::new(&b"one\r\n\ntwo"[..], Unit::Line);
        assert_eq!(flat.len(), 3);
        assert_eq!(&*flat.text(&Subset::of(3, [0, 2])), b"one\r\ntwo");
        assert_eq!(Flat::new(&b""[..], Unit::Line).len(), 0);
        assert_eq!(Flat::new(&b"\n"[..], Unit::Line).len(), 1);
    }
}
