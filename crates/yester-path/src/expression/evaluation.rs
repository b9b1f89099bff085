//! Evaluates nodes for a given input.

use yester_pathrt::format::Operation;

use super::{Expression, ExpressionGraph, NodeId, float, mask};

/// Evaluates nodes, for one input after another.
///
/// It keeps a slot for the value of each node, so that an evaluation costs no more than the nodes it is asked for.
pub struct Evaluator<'g> {
    graph: &'g ExpressionGraph,
    values: Vec<u64>,
}

impl<'g> Evaluator<'g> {
    /// For the nodes of `graph`.
    pub fn new(graph: &'g ExpressionGraph) -> Self {
        Evaluator {
            graph,
            values: vec![0; graph.len()],
        }
    }

    /// Evaluates these nodes, in the order in which [`ExpressionGraph::needed`] returns them. `input` has the value of each byte.
    pub fn compute(&mut self, nodes: impl IntoIterator<Item = NodeId>, input: &[u8]) {
        for node in nodes {
            self.values[node.0 as usize] = self.value_of(node, input);
        }
    }

    /// Evaluates all nodes.
    pub fn compute_all(&mut self, input: &[u8]) {
        self.compute((1..self.graph.len() as u32).map(NodeId), input);
    }

    /// The value of a node that was evaluated.
    pub fn value(&self, node: NodeId) -> u64 {
        self.values[node.0 as usize]
    }

    fn value_of(&self, node: NodeId, input: &[u8]) -> u64 {
        let graph = self.graph;
        let width = graph.width(node);
        let value = match graph.expression(node) {
            Expression::Input(byte) => u64::from(input[byte as usize]),
            Expression::Constant(value) => value,
            Expression::Unary(Operation::Not, a) => !self.value(a),
            Expression::Unary(Operation::Negate, a) => self.value(a).wrapping_neg(),
            Expression::Unary(operation, a) => {
                float::unary(operation, self.value(a), graph.width(a), width)
            }
            Expression::Round(rounding, a) => float::round(rounding, self.value(a), width),
            Expression::Binary(Operation::Concatenate, a, b) => {
                self.value(a) << graph.width(b) | self.value(b)
            }
            Expression::Binary(operation, a, b) => {
                binary(operation, self.value(a), self.value(b), graph.width(a))
            }
            Expression::Extract(a, low) => self.value(a) >> low,
            Expression::ZeroExtend(a) => self.value(a),
            Expression::SignExtend(a) => signed(self.value(a), graph.width(a)) as u64,
            Expression::Choose(condition, a, b) => {
                self.value(if self.value(condition) == 1 { a } else { b })
            }
        };
        value & mask(width)
    }
}

/// A bit vector as a signed number.
pub(crate) fn signed(value: u64, width: u32) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

/// Operands of `width` bits. The caller truncates the result.
fn binary(operation: Operation, a: u64, b: u64, width: u32) -> u64 {
    let (signed_a, signed_b) = (signed(a, width), signed(b, width));
    match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::Multiply => a.wrapping_mul(b),
        Operation::DivideUnsigned => a.checked_div(b).unwrap_or(u64::MAX),
        Operation::RemainderUnsigned => a.checked_rem(b).unwrap_or(a),
        // SMT-LIB: dividing by zero gives 1 or -1, whichever has the other sign.
        Operation::DivideSigned if b == 0 => {
            if signed_a < 0 {
                1
            } else {
                u64::MAX
            }
        }
        Operation::DivideSigned => signed_a.wrapping_div(signed_b) as u64,
        Operation::RemainderSigned if b == 0 => a,
        Operation::RemainderSigned => signed_a.wrapping_rem(signed_b) as u64,
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::ExclusiveOr => a ^ b,
        Operation::ShiftLeft if b >= u64::from(width) => 0,
        Operation::ShiftLeft => a << b,
        Operation::ShiftRightLogical if b >= u64::from(width) => 0,
        Operation::ShiftRightLogical => a >> b,
        Operation::ShiftRightArithmetic => (signed_a >> b.min(u64::from(width) - 1)) as u64,
        Operation::Equal => u64::from(a == b),
        Operation::LessUnsigned => u64::from(a < b),
        Operation::LessOrEqualUnsigned => u64::from(a <= b),
        Operation::LessSigned => u64::from(signed_a < signed_b),
        Operation::LessOrEqualSigned => u64::from(signed_a <= signed_b),
        _ if operation.is_float() => float::binary(operation, a, b, width),
        _ => unreachable!("no operation of two operands of one width"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_by_zero_and_long_shifts_are_as_in_smt_lib() {
        let eight = |operation, a, b| binary(operation, a, b, 8) & 0xff;
        assert_eq!(eight(Operation::DivideUnsigned, 7, 0), 0xff);
        assert_eq!(eight(Operation::RemainderUnsigned, 7, 0), 7);
        assert_eq!(eight(Operation::DivideSigned, 7, 0), 0xff);
        assert_eq!(eight(Operation::DivideSigned, 0x87, 0), 1);
        assert_eq!(eight(Operation::RemainderSigned, 0x87, 0), 0x87);
        assert_eq!(eight(Operation::DivideSigned, 0x80, 0xff), 0x80);
        assert_eq!(eight(Operation::ShiftLeft, 1, 8), 0);
        assert_eq!(eight(Operation::ShiftRightArithmetic, 0x80, 200), 0xff);
        assert_eq!(eight(Operation::ShiftRightLogical, 0x80, 200), 0);
    }

    #[test]
    fn a_million_nodes_upon_each_other_are_computed() {
        let mut expressions = vec![
            (8, Expression::Input(0)),
            (64, Expression::ZeroExtend(NodeId(1))),
        ];
        for index in 2..1_000_000 {
            let before = NodeId(index);
            expressions.push((64, Expression::Binary(Operation::Add, before, before)));
        }
        let graph = ExpressionGraph::new(&expressions, 1);
        let last = NodeId(1_000_000);
        let needed = graph.needed([last]);
        assert_eq!(needed.len(), 1_000_000);
        let mut evaluator = Evaluator::new(&graph);
        evaluator.compute(needed, &[3]);
        assert_eq!(evaluator.value(NodeId(5)), 24);
        assert_eq!(evaluator.value(last), 0);
        assert_eq!(graph.inputs_of([last]), [0]);
    }
}
