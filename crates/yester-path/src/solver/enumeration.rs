//! Questions over one or two bytes: all values are tried, which is exact, fast, and the same on every machine.

use super::Solver;
use super::answer::SolverAnswer;
use crate::expression::Script;
use crate::query::Query;

/// How many nodes may be evaluated for a question. A solver takes about as long as that many take, and less than more would.
const MOST_EVALUATIONS: usize = 5_000_000;

impl Solver<'_> {
    /// The answer to a question over one or two bytes; `None` if it has more, or is too big.
    pub(super) fn enumerated(&mut self, query: &Query) -> Option<SolverAnswer> {
        let candidates = match query.inputs.len() {
            1 if !self.always_asks => 1 << 8,
            2 if !self.always_asks => 1 << 16,
            _ => return None,
        };
        let needed = self.graph.needed(query.terms.iter().map(|term| term.node));
        if needed.len().saturating_mul(candidates) > MOST_EVALUATIONS {
            return None;
        }
        let mut input = self.input.clone();
        for candidate in self.candidates(&query.inputs) {
            for (byte, value) in query.inputs.iter().zip(&candidate) {
                input[*byte as usize] = *value;
            }
            self.evaluator.compute(needed.iter().copied(), &input);
            let evaluator = &self.evaluator;
            let holds = query
                .terms
                .iter()
                .all(|term| (evaluator.value(term.node) == 1) == term.holds);
            if holds && query.is_within(&input) {
                let bytes = query.inputs.iter().copied().zip(candidate);
                return Some(SolverAnswer::Satisfiable(bytes.collect()));
            }
        }
        // An evaluation knows one pattern of bits for what is no number, and a proof must hold for all of them.
        if self.has_numbers && Script::new(self.graph).needs_bits_of_numbers(&needed) {
            return None;
        }
        Some(SolverAnswer::Unsatisfiable)
    }

    /// All values for one or two bytes. Those that change only one byte come first, and of these what can be read.
    fn candidates(&self, bytes: &[u32]) -> impl Iterator<Item = Vec<u8>> + use<> {
        let own: Vec<u8> = bytes
            .iter()
            .map(|byte| self.input[*byte as usize])
            .collect();
        let count = own.len();
        let single = (0..count).rev().flat_map(move |index| {
            let own = own.clone();
            values().map(move |value| {
                let mut candidate = own.clone();
                candidate[index] = value;
                candidate
            })
        });
        let pairs = (count == 2)
            .then(|| values().flat_map(|first| values().map(move |second| vec![first, second])));
        single.chain(pairs.into_iter().flatten())
    }
}

/// All bytes, those first that can be read.
fn values() -> impl Iterator<Item = u8> {
    let readable = |byte: &u8| (b' '..=b'~').contains(byte);
    (0..=u8::MAX)
        .filter(readable)
        .chain((0..=u8::MAX).filter(move |byte| !readable(byte)))
}
