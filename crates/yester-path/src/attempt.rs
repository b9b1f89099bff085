//! Ways to ask the same question, from the input that is nearest to that of the run to any input at all; and how to bring an answer
//! nearer to it.

use crate::expression::{Evaluator, ExpressionGraph};
use crate::query::{ByteRange, Query};
use crate::recording::{InputByte, InputSource, SourceLength, lengths};
use crate::solver::Model;

impl Query {
    /// The query with limits, one after the other: first for inputs of the same lengths, then nearly the same, somewhat longer, and
    /// at last any; each time without a zero in an argument, which would end there, before with one.
    pub fn attempts(&self, input: &[InputByte], sources: &[InputSource]) -> Vec<Query> {
        let nonzero: Vec<u32> = self
            .inputs
            .iter()
            .copied()
            .filter(|byte| {
                let byte = &input[*byte as usize];
                matches!(sources[byte.source], InputSource::Argument(_)) && byte.value != 0
            })
            .collect();
        let mut attempts = Vec::new();
        for ranges in self.length_ranges(&lengths(input)) {
            let limited = self.clone().within(ranges);
            if !nonzero.is_empty() {
                attempts.push(Query {
                    nonzero: nonzero.clone(),
                    ..limited.clone()
                });
            }
            attempts.push(limited);
        }
        attempts
    }

    fn length_ranges(&self, lengths: &[SourceLength]) -> Vec<Vec<ByteRange>> {
        let asked: Vec<&SourceLength> = lengths
            .iter()
            .filter(|length| length.bytes.iter().any(|byte| self.inputs.contains(byte)))
            .collect();
        if asked.is_empty() {
            return vec![Vec::new()];
        }
        let with = |reach: &dyn Fn(u64) -> (u64, u64)| {
            let ranges = asked.iter().map(|length| {
                let (least, most) = reach(length.value);
                ByteRange {
                    bytes: length.bytes.clone(),
                    least,
                    most,
                }
            });
            ranges.collect()
        };
        vec![
            with(&|value| (value, value)),
            with(&|value| (value.saturating_sub(1), value + 1)),
            with(&|value| (value, value + 64)),
            with(&|value| (0, value + 4096)),
            Vec::new(),
        ]
    }

    /// A model with as few bytes changed as can be had by trying, and those that stay changed as near to what they were as possible: a
    /// letter rather than a control character where a letter was. `input` has the values of the run.
    pub(crate) fn nearer(
        &self,
        graph: &ExpressionGraph,
        evaluator: &mut Evaluator<'_>,
        model: &Model,
        input: &[u8],
    ) -> Model {
        let mut changed = input.to_vec();
        for (byte, value) in model.bytes() {
            changed[byte as usize] = value;
        }
        let mut tried = 0;
        for (byte, value) in model.bytes() {
            let before = input[byte as usize];
            if before == value {
                continue;
            }
            for better in nearer_values(before).take_while(|better| *better != value) {
                tried += 1;
                if tried > MOST_TRIED {
                    break;
                }
                changed[byte as usize] = better;
                if self.holds(graph, evaluator, &changed) {
                    break;
                }
                changed[byte as usize] = value;
            }
        }
        let bytes = model
            .bytes()
            .map(|(byte, _)| (byte, changed[byte as usize]));
        bytes.collect()
    }
}

/// So many values are tried to bring a model nearer.
const MOST_TRIED: usize = 4_000;

/// All values of a byte in the order in which they are welcome: its own, its neighbours of the same kind (digits, letters, what can be
/// printed), then all others.
fn nearer_values(value: u8) -> impl Iterator<Item = u8> {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' | b'A'..=b'Z' => 1,
        b'\n' | b' '..=b'~' => 2,
        _ => 3,
    };
    let own = kind(value);
    let mut all: Vec<u8> = (0..=255).collect();
    all.sort_by_key(|byte| {
        let rank = match kind(*byte) {
            _ if *byte == value => 0,
            one if one == own => 1,
            3 => 3,
            // What was no text needs not become text.
            _ if own == 3 => 3,
            _ => 2,
        };
        (rank, byte.abs_diff(value), *byte)
    });
    all.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digit_becomes_another_digit_before_anything_else() {
        let order: Vec<u8> = nearer_values(b'2').take(4).collect();
        assert_eq!(order, *b"2130");
        let letters: Vec<u8> = nearer_values(b'2').skip(10).take(1).collect();
        assert!(letters[0].is_ascii_graphic());
        assert_eq!(nearer_values(7).count(), 256);
    }
}
