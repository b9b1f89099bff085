//! Computes back from what an expression has to be to the number that was added to a value: an addition is undone by a subtraction,
//! and so on. Most questions about one number need no more, and a solver takes a hundred times as long. What comes out has to be tried.

use std::collections::HashMap;

use yester_pathrt::format::Operation;

use crate::expression::{Evaluator, Expression, ExpressionGraph, NodeId};
use crate::query::Term;

/// So many conditions of a question are undone.
const MOST_TERMS: usize = 6;

/// Undoes expressions over one number.
pub struct Inversion<'a, 'g> {
    graph: &'g ExpressionGraph,
    /// The value of each node in the run.
    evaluator: &'a Evaluator<'g>,
    /// The offset of each byte in the number.
    offsets: HashMap<u32, u64>,
}

impl<'a, 'g> Inversion<'a, 'g> {
    /// `places` are the bytes of the number with their offsets in it.
    pub fn new(
        graph: &'g ExpressionGraph,
        evaluator: &'a Evaluator<'g>,
        places: &[(u32, u64)],
    ) -> Self {
        Inversion {
            graph,
            evaluator,
            offsets: places.iter().copied().collect(),
        }
    }

    /// Numbers with which one of the terms holds, the last term first. Not all of them are right.
    pub fn numbers(&self, terms: &[Term]) -> Vec<u64> {
        let mut found = Vec::new();
        for term in terms.iter().rev().take(MOST_TERMS) {
            for number in self.of_condition(term.node) {
                if !found.contains(&number) {
                    found.push(number);
                }
            }
        }
        found
    }

    /// Numbers around those for which a condition changes.
    fn of_condition(&self, mut node: NodeId) -> Vec<u64> {
        while let Expression::Unary(Operation::Not, inner) = self.graph.expression(node) {
            node = inner;
        }
        let Expression::Binary(operation, left, right) = self.graph.expression(node) else {
            return Vec::new();
        };
        let is_float = matches!(
            operation,
            Operation::FloatEqual | Operation::FloatLess | Operation::FloatLessOrEqual
        );
        let is_comparison = is_float
            || matches!(
                operation,
                Operation::Equal
                    | Operation::LessUnsigned
                    | Operation::LessOrEqualUnsigned
                    | Operation::LessSigned
                    | Operation::LessOrEqualSigned
            );
        if !is_comparison {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (node, other) in [(left, right), (right, left)] {
            // Where both sides depend on the number, the other side is taken to stay.
            if self.graph.constant(node).is_some() {
                continue;
            }
            let border = self.evaluator.value(other);
            let around = if is_float {
                [0, 1, u64::MAX].map(|more| border.wrapping_add(more))
            } else {
                [0, 1, u64::MAX].map(|more| self.narrow(node, border.wrapping_add(more)))
            };
            found.extend(
                around
                    .into_iter()
                    .filter_map(|wanted| self.undo(node, wanted)),
            );
        }
        found
    }

    /// The number with which a node has a value.
    fn undo(&self, mut node: NodeId, mut wanted: u64) -> Option<u64> {
        loop {
            if let Some((0, end)) = self.bytes(node) {
                let unused = 64 - 8 * end as u32;
                return Some((wanted.cast_signed() << unused >> unused).cast_unsigned());
            }
            let width = self.graph.width(node);
            (node, wanted) = match self.graph.expression(node) {
                Expression::Unary(Operation::Negate, a) => (a, wanted.wrapping_neg()),
                Expression::Unary(Operation::Not, a) => (a, !wanted),
                Expression::Unary(Operation::FloatFromSigned, a) if width == 64 => {
                    (a, (f64::from_bits(wanted) as i64).cast_unsigned())
                }
                Expression::Unary(Operation::FloatConvert, a) => match (width, self.graph.width(a))
                {
                    (64, 32) => (a, u64::from((f64::from_bits(wanted) as f32).to_bits())),
                    (32, 64) => (a, f64::from(f32::from_bits(wanted as u32)).to_bits()),
                    _ => return None,
                },
                // Whatever was above is taken to be the sign.
                Expression::Extract(a, 0) => (a, self.signed(node, wanted)),
                Expression::ZeroExtend(a) | Expression::SignExtend(a) => (a, wanted),
                Expression::Choose(condition, a, b) => match self.evaluator.value(condition) {
                    1 => (a, wanted),
                    _ => (b, wanted),
                },
                Expression::Binary(operation, a, b) => {
                    self.undo_binary(operation, a, b, width, wanted)?
                }
                _ => return None,
            };
            wanted = self.narrow(node, wanted);
        }
    }

    /// Undoes an operation with a constant.
    fn undo_binary(
        &self,
        operation: Operation,
        a: NodeId,
        b: NodeId,
        width: u32,
        wanted: u64,
    ) -> Option<(NodeId, u64)> {
        // What is added or multiplied stands behind; what else depends on the number too is taken to stay.
        let (inner, other, is_swapped) = match self.graph.constant(a) {
            Some(other) => (b, other, true),
            None => (a, self.evaluator.value(b), false),
        };
        let signed = |value: u64| {
            let unused = 64 - width;
            value.cast_signed() << unused >> unused
        };
        let float = |result: fn(f64, f64) -> f64| {
            (width == 64).then(|| result(f64::from_bits(wanted), f64::from_bits(other)).to_bits())
        };
        let before = match (operation, is_swapped) {
            (Operation::Add, _) => wanted.wrapping_sub(other),
            (Operation::Subtract, false) => wanted.wrapping_add(other),
            (Operation::Subtract, true) => other.wrapping_sub(wanted),
            (Operation::ExclusiveOr, _) => wanted ^ other,
            (Operation::Multiply, _) => {
                let (wanted, other) = (signed(wanted), signed(other));
                let is_whole = other != 0 && wanted.wrapping_rem(other) == 0;
                is_whole.then(|| wanted.wrapping_div(other).cast_unsigned())?
            }
            (Operation::DivideSigned | Operation::DivideUnsigned, false) => {
                wanted.wrapping_mul(other)
            }
            (Operation::ShiftLeft, false) => (signed(wanted) >> other.min(63)).cast_unsigned(),
            (Operation::ShiftRightLogical | Operation::ShiftRightArithmetic, false) => {
                wanted << other.min(63)
            }
            (Operation::FloatAdd, _) => float(|wanted, other| wanted - other)?,
            (Operation::FloatSubtract, false) => float(|wanted, other| wanted + other)?,
            (Operation::FloatSubtract, true) => float(|wanted, other| other - wanted)?,
            (Operation::FloatMultiply, _) => float(|wanted, other| wanted / other)?,
            (Operation::FloatDivide, false) => float(|wanted, other| wanted * other)?,
            _ => return None,
        };
        Some((inner, before))
    }

    /// The bytes of the number that a node consists of, from the lowest up: the first and the end.
    fn bytes(&self, node: NodeId) -> Option<(u64, u64)> {
        match self.graph.expression(node) {
            Expression::Input(byte) => {
                let offset = *self.offsets.get(&byte)?;
                Some((offset, offset + 1))
            }
            Expression::Binary(Operation::Concatenate, high, low) => {
                let (low, high) = (self.bytes(low)?, self.bytes(high)?);
                (low.1 == high.0).then_some((low.0, high.1))
            }
            _ => None,
        }
    }

    /// A value with as many bits as a node has.
    fn narrow(&self, node: NodeId, value: u64) -> u64 {
        value & (u64::MAX >> (64 - self.graph.width(node)))
    }

    fn signed(&self, node: NodeId, value: u64) -> u64 {
        let unused = 64 - self.graph.width(node);
        (value.cast_signed() << unused >> unused).cast_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of two bytes, and an expression over it.
    fn graph(rest: &[(u32, Expression)]) -> ExpressionGraph {
        let mut expressions = vec![
            (8, Expression::Input(0)),
            (8, Expression::Input(1)),
            (
                16,
                Expression::Binary(Operation::Concatenate, NodeId(2), NodeId(1)),
            ),
        ];
        expressions.extend_from_slice(rest);
        ExpressionGraph::new(&expressions, 2)
    }

    fn numbers(graph: &ExpressionGraph, condition: u32) -> Vec<u64> {
        let mut evaluator = Evaluator::new(graph);
        evaluator.compute_all(&[0, 0]);
        let inversion = Inversion::new(graph, &evaluator, &[(0, 0), (1, 1)]);
        inversion.numbers(&[Term::holds(NodeId(condition))])
    }

    #[test]
    fn sums_and_products_are_undone() {
        // 3 * (number + 7) == 120
        let graph = graph(&[
            (16, Expression::Constant(7)),
            (16, Expression::Binary(Operation::Add, NodeId(3), NodeId(4))),
            (16, Expression::Constant(3)),
            (
                16,
                Expression::Binary(Operation::Multiply, NodeId(5), NodeId(6)),
            ),
            (16, Expression::Constant(120)),
            (
                1,
                Expression::Binary(Operation::Equal, NodeId(7), NodeId(8)),
            ),
        ]);
        assert_eq!(numbers(&graph, 9), [33]);
    }

    #[test]
    fn a_border_is_tried_on_both_sides() {
        // number < -2, where the number is signed
        let graph = graph(&[
            (16, Expression::Constant(0xFFFE)),
            (
                1,
                Expression::Binary(Operation::LessSigned, NodeId(3), NodeId(4)),
            ),
        ]);
        let near: Vec<i64> = numbers(&graph, 5)
            .into_iter()
            .map(u64::cast_signed)
            .collect();
        assert_eq!(near, [-2, -1, -3]);
    }

    #[test]
    fn what_cannot_be_undone_gives_nothing() {
        let graph = graph(&[
            (
                16,
                Expression::Binary(Operation::Multiply, NodeId(3), NodeId(3)),
            ),
            (16, Expression::Constant(7)),
            (
                16,
                Expression::Binary(Operation::RemainderUnsigned, NodeId(4), NodeId(5)),
            ),
            (
                1,
                Expression::Binary(Operation::Equal, NodeId(6), NodeId(5)),
            ),
        ]);
        assert_eq!(numbers(&graph, 7), Vec::<u64>::new());
    }
}
