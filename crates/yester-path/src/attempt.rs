//! How to ask for an input that is near to that of the run: by trying small changes before the solver is asked, by limits for the
//! solver, and by bringing its answer nearer.

use yester_pathrt::format::{FILLER, LENGTH_BYTES};

use crate::expression::{Evaluator, ExpressionGraph, NodeId};
use crate::query::{ByteRange, Query};
use crate::recording::{InputByte, InputSource, SourceLength, lengths};
use crate::solver::Model;

/// So many values are tried to bring a model nearer, and so many nodes computed.
const MOST_TRIED: usize = 2_000;
const MOST_COMPUTED_NEARER: usize = 20_000_000;
/// So many lengths are tried one by one.
const NEAR_LENGTHS: u64 = 128;
/// No input is longer than two to the power of this.
const MOST_DOUBLINGS: u32 = 8 * LENGTH_BYTES as u32 - 1;
/// So many nodes are computed at most to find a small change that will do. That takes about as long as an easy question to a solver.
const MOST_COMPUTED: usize = 2_000_000;
/// In a query over more bytes than this, only these are changed.
const MOST_CHANGED: usize = 64;

impl Query {
    /// Which lengths to allow, one list after the other: the same ones, one more or less, then twice as far away each time, and at last
    /// any. One length that is not allowed by two of them is as far away as the second says; several are as far away at most. An argument
    /// has no length, but a list of zeros that may end it.
    pub fn length_ranges(
        &self,
        lengths: &[SourceLength],
        ends: &[Vec<u32>],
    ) -> Vec<Vec<ByteRange>> {
        let asked: Vec<&SourceLength> = lengths
            .iter()
            .filter(|length| length.bytes.iter().any(|byte| self.inputs.contains(byte)))
            .collect();
        // An argument is longer if its zero is none any more.
        let ends: Vec<&Vec<u32>> = ends
            .iter()
            .filter(|end| end.first().is_some_and(|zero| self.inputs.contains(zero)))
            .collect();
        if asked.is_empty() && ends.is_empty() {
            return vec![Vec::new()];
        }
        let with = |longer: usize, reach: &dyn Fn(u64) -> (u64, u64)| {
            let ranges = asked.iter().map(|length| {
                let (least, most) = reach(length.value);
                ByteRange {
                    bytes: length.bytes.clone(),
                    least,
                    most,
                }
            });
            let ends = ends.iter().filter_map(|end| end.get(longer));
            let ends = ends.map(|zero| ByteRange {
                bytes: vec![*zero],
                least: 0,
                most: 0,
            });
            ranges.chain(ends).collect()
        };
        let mut limits = vec![
            with(0, &|value| (value, value)),
            with(1, &|value| (value.saturating_sub(1), value + 1)),
        ];
        for doubling in 1..MOST_DOUBLINGS {
            let (least, most) = (1 << doubling, (2 << doubling) - 1);
            let end = least as usize;
            if ends.iter().all(|zeros| zeros.len() <= end) && asked.is_empty() {
                break;
            }
            if asked.len() != 1 {
                limits.push(with(end, &|value| {
                    (value.saturating_sub(most), value + most)
                }));
                continue;
            }
            // Nobody wants to see again what an earlier question has found.
            limits.push(with(end, &|value| (value + least, value + most)));
            if asked[0].value >= least {
                limits.push(with(end, &|value| {
                    (value.saturating_sub(most), value - least)
                }));
            }
        }
        limits.push(Vec::new());
        limits
    }

    /// The bytes of arguments that it is about, without the zeros at their ends. If they become zero, the argument ends there.
    pub fn bytes_of_arguments(&self, input: &[InputByte], sources: &[InputSource]) -> Vec<u32> {
        let inputs = self.inputs.iter().copied();
        inputs
            .filter(|byte| {
                let byte = &input[*byte as usize];
                matches!(sources[byte.source], InputSource::Argument(_)) && byte.value != 0
            })
            .collect()
    }

    /// A model that changes one byte of the input, or one number that is written in it, found by trying. None if there is none among
    /// those that were tried.
    pub(crate) fn nearby(
        &self,
        graph: &ExpressionGraph,
        evaluator: &mut Evaluator<'_>,
        known: &[InputByte],
        input: &[u8],
    ) -> Option<Model> {
        // Lengths stay as they are.
        if !self.is_within(input) {
            return None;
        }
        let all = graph.needed(self.terms.iter().map(|term| term.node));
        // What is asked for comes last, and mostly does not hold: so it is computed alone first.
        let wanted = self.terms.last()?;
        let first: Vec<NodeId> = graph.needed([wanted.node]);
        let mut changed = input.to_vec();
        let mut computed = 0;
        let mut try_change = |change: &[(u32, u8)]| -> Option<bool> {
            for (byte, value) in change {
                changed[*byte as usize] = *value;
            }
            computed += first.len();
            evaluator.compute(first.iter().copied(), &changed);
            let mut holds = (evaluator.value(wanted.node) == 1) == wanted.holds;
            if holds {
                computed += all.len();
                evaluator.compute(all.iter().copied(), &changed);
                let is_fulfilled =
                    |term: &crate::query::Term| (evaluator.value(term.node) == 1) == term.holds;
                holds = self.terms.iter().all(is_fulfilled) && self.is_within(&changed);
            }
            if !holds {
                for (byte, _) in change {
                    changed[*byte as usize] = input[*byte as usize];
                }
            }
            (computed < MOST_COMPUTED || holds).then_some(holds)
        };
        let bytes: Vec<u32> = self
            .inputs
            .iter()
            .copied()
            .filter(|byte| known[*byte as usize].of_length().is_none())
            .take(MOST_CHANGED)
            .collect();
        for number in numbers(&bytes, known, input) {
            for change in neighbours(&number, input) {
                if try_change(&change)? {
                    return Some(change.into_iter().collect());
                }
            }
        }
        // Values of the same kind first, at all places, then all others.
        for is_own_kind in [true, false] {
            for &byte in &bytes {
                let before = input[byte as usize];
                for value in nearer_values(before) {
                    if value != before && (kind(value) == kind(before)) == is_own_kind {
                        let change = [(byte, value)];
                        if try_change(&change)? {
                            return Some(change.into_iter().collect());
                        }
                    }
                }
            }
        }
        None
    }

    /// A model with lengths as near as can be had by trying, with as few bytes changed, and with those that stay changed as near to what
    /// they were as possible: a letter rather than a control character where a letter was. `input` has the values of the run, and what is
    /// `known` of its bytes tells which of them it did not have.
    pub(crate) fn nearer(
        &self,
        graph: &ExpressionGraph,
        evaluator: &mut Evaluator<'_>,
        model: &Model,
        (known, input): (&[InputByte], &[u8]),
    ) -> Model {
        let needed = graph.needed(self.terms.iter().map(|term| term.node));
        let mut changed = input.to_vec();
        for (byte, value) in model.bytes() {
            changed[byte as usize] = value;
        }
        let most = MOST_TRIED.min(MOST_COMPUTED_NEARER / needed.len().max(1));
        let mut tried = 0;
        // Whether it goes on to hold with these bytes. They stay if it does.
        let mut try_bytes = |changed: &mut Vec<u8>, bytes: &[(u32, u8)]| {
            tried += 1;
            if tried > most {
                return false;
            }
            let before: Vec<u8> = bytes.iter().map(|one| changed[one.0 as usize]).collect();
            for (byte, value) in bytes {
                changed[*byte as usize] = *value;
            }
            evaluator.compute(needed.iter().copied(), changed);
            let mut terms = self.terms.iter();
            let holds = terms.all(|term| (evaluator.value(term.node) == 1) == term.holds)
                && self.is_within(changed);
            if !holds {
                for ((byte, _), before) in bytes.iter().zip(before) {
                    changed[*byte as usize] = before;
                }
            }
            holds
        };
        let lengths = lengths(known);
        for length in &lengths {
            let bytes = length.bytes.iter().rev();
            let found = bytes.fold(0, |value, byte| {
                value << 8 | u64::from(changed[*byte as usize])
            });
            for nearer in nearer_lengths(length.value, found) {
                let bytes = length.bytes.iter().copied().zip(nearer.to_le_bytes());
                if try_bytes(&mut changed, &bytes.collect::<Vec<_>>()) {
                    break;
                }
            }
        }
        // A byte that the run's input did not have is one of those that make it longer.
        let before = |byte: u32| {
            let place = known.get(byte as usize);
            let length = lengths
                .iter()
                .find(|length| place.is_some_and(|place| place.source == length.source));
            match (place, length) {
                (Some(place), Some(length))
                    if place.of_length().is_none() && place.offset >= length.value =>
                {
                    FILLER
                }
                _ => input[byte as usize],
            }
        };
        let is_length = |byte: u32| {
            let place = known.get(byte as usize);
            place.is_some_and(|place| place.of_length().is_some())
        };
        // First as few as possible, then each as near as possible.
        for (byte, _) in model.bytes().filter(|(byte, _)| !is_length(*byte)) {
            if changed[byte as usize] != before(byte) {
                try_bytes(&mut changed, &[(byte, before(byte))]);
            }
        }
        for (byte, _) in model.bytes().filter(|(byte, _)| !is_length(*byte)) {
            let value = changed[byte as usize];
            for better in nearer_values(before(byte)).take_while(|better| *better != value) {
                if try_bytes(&mut changed, &[(byte, better)]) {
                    break;
                }
            }
        }
        let bytes = model
            .bytes()
            .map(|(byte, _)| (byte, changed[byte as usize]));
        bytes.collect()
    }
}

/// Lengths between that of the run and the one that was found: the nearest ones one by one, the others by their double.
fn nearer_lengths(value: u64, found: u64) -> impl Iterator<Item = u64> {
    let distance = found.abs_diff(value);
    let one_by_one = 1..=NEAR_LENGTHS.min(distance);
    let doubled = (NEAR_LENGTHS.ilog2() + 1..MOST_DOUBLINGS).map(|doubling| 1 << doubling);
    let near = one_by_one.chain(doubled);
    near.take_while(move |near| *near < distance)
        .map(move |near| {
            if found > value {
                value + near
            } else {
                value - near
            }
        })
}

/// The decimal numbers in the input, as runs of neighbouring digits.
fn numbers(bytes: &[u32], known: &[InputByte], input: &[u8]) -> Vec<Vec<u32>> {
    let mut digits: Vec<u32> = bytes
        .iter()
        .copied()
        .filter(|byte| input[*byte as usize].is_ascii_digit())
        .collect();
    let place = |byte: u32| {
        let byte = &known[byte as usize];
        (byte.source, byte.offset)
    };
    digits.sort_by_key(|byte| place(*byte));
    let follows = |one: &u32, other: &u32| {
        let ((source, offset), (next_source, next_offset)) = (place(*one), place(*other));
        source == next_source && offset + 1 == next_offset
    };
    let runs = digits.chunk_by(follows).map(<[u32]>::to_vec);
    runs.filter(|run| (2..=9).contains(&run.len())).collect()
}

/// Other numbers with as many digits, the nearest first: so far away, each in both directions, and double and half as much.
fn neighbours(number: &[u32], input: &[u8]) -> Vec<Vec<(u32, u8)>> {
    let digits = number.iter().map(|byte| input[*byte as usize]);
    let value = digits.fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
    let end = 10_i64.pow(number.len() as u32);
    let distances = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 10_000];
    let near = distances
        .iter()
        .flat_map(|distance| [value + distance, value - distance]);
    let far = [value * 2, value / 2, 0, end - 1];
    let others = near
        .chain(far)
        .filter(|other| (0..end).contains(other) && *other != value);
    let written = others.map(|other| {
        let text = format!("{other:0width$}", width = number.len());
        let pairs = number.iter().copied().zip(text.into_bytes());
        pairs
            .filter(|(byte, digit)| input[*byte as usize] != *digit)
            .collect()
    });
    written.collect()
}

/// What a byte is in a text.
fn kind(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' | b'A'..=b'Z' => 1,
        b'\t' | b'\n' | b' '..=b'~' => 2,
        _ => 3,
    }
}

/// All values of a byte in the order in which they are welcome: its own, its neighbours of the same kind (digits, letters, what can be
/// printed), then all others.
fn nearer_values(value: u8) -> impl Iterator<Item = u8> {
    let own = kind(value);
    let mut all: Vec<u8> = (0..=255).collect();
    all.sort_by_key(|byte| {
        let rank = match kind(*byte) {
            _ if *byte == value => 0,
            one if one == own => 1,
            3 => 3,
            // What was no text need not become text.
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

    #[test]
    fn lengths_are_tried_by_one_and_then_doubled() {
        let longer: Vec<u64> = nearer_lengths(6, 1 << 20).collect();
        assert_eq!(&longer[..3], [7, 8, 9]);
        assert_eq!(&longer[127..130], [134, 262, 518]);
        assert_eq!(nearer_lengths(6, 3).collect::<Vec<_>>(), [5, 4]);
        assert_eq!(nearer_lengths(6, 6).count(), 0);
        let query = Query {
            terms: Vec::new(),
            inputs: vec![0],
            nonzero: Vec::new(),
            ranges: Vec::new(),
            concretised: false,
        };
        let length = SourceLength {
            source: 0,
            bytes: vec![0, 1, 2],
            value: 6,
        };
        let ranges = query.length_ranges(&[length], &[]);
        let reach = |ranges: &Vec<ByteRange>| ranges.first().map(|one| (one.least, one.most));
        let reaches: Vec<Option<(u64, u64)>> = ranges.iter().map(reach).collect();
        let first = [(6, 6), (5, 7), (8, 9), (3, 4), (10, 13), (0, 2), (14, 21)];
        assert_eq!(&reaches[..7], first.map(Some));
        assert_eq!(reaches.last(), Some(&None));
    }

    #[test]
    fn neighbours_of_a_number_have_as_many_digits() {
        let changes = neighbours(&[0, 1, 2], b"199");
        let shown = |change: &[(u32, u8)]| {
            let mut text = *b"199";
            for (byte, digit) in change {
                text[*byte as usize] = *digit;
            }
            String::from_utf8(text.to_vec()).expect("digits")
        };
        let texts: Vec<String> = changes.iter().map(|change| shown(change)).collect();
        assert_eq!(&texts[..4], ["200", "198", "201", "197"]);
        assert!(texts.contains(&"000".to_owned()) && texts.contains(&"999".to_owned()));
    }
}
