//! Builds a graph in which equal expressions are one node, out of several graphs and of new expressions over them.

use std::collections::HashMap;

use yester_pathrt::format::Operation;

use super::{ExpressionGraph, ExpressionNode, NodeId};

/// A graph that grows.
#[derive(Clone, Debug)]
pub(crate) struct GraphBuilder {
    graph: ExpressionGraph,
    known: HashMap<ExpressionNode, u32>,
}

impl GraphBuilder {
    /// A graph without nodes, over so many bytes of input.
    pub(crate) fn new(inputs: usize) -> GraphBuilder {
        GraphBuilder {
            graph: ExpressionGraph::new(&[], inputs),
            known: HashMap::new(),
        }
    }

    /// What was built.
    pub(crate) fn graph(&self) -> &ExpressionGraph {
        &self.graph
    }

    /// Adds all nodes of a graph, with the number of each of its bytes in this one. For each of its nodes the node here.
    pub(crate) fn add(&mut self, other: &ExpressionGraph, bytes: &[u32]) -> Vec<NodeId> {
        let mut nodes = vec![NodeId(0)];
        for node in other.nodes.iter().skip(1) {
            let here = |operand: u32| nodes[operand as usize].0;
            let mut node = *node;
            match node.operation {
                Operation::Input => node.a = bytes[node.a as usize],
                Operation::Constant => {}
                Operation::Not
                | Operation::Negate
                | Operation::Extract
                | Operation::ZeroExtend
                | Operation::SignExtend
                | Operation::FloatSquareRoot
                | Operation::FloatRound
                | Operation::FloatConvert
                | Operation::FloatFromSigned
                | Operation::FloatFromUnsigned
                | Operation::FloatToSigned => node.a = here(node.a),
                Operation::Choose => {
                    (node.a, node.b, node.c) = (here(node.a), here(node.b), here(node.c));
                }
                _ => (node.a, node.b) = (here(node.a), here(node.b)),
            }
            nodes.push(self.intern(node));
        }
        nodes
    }

    /// Whether two nodes of the same width have the same value, as a node of one bit.
    pub(crate) fn equal(&mut self, one: NodeId, other: NodeId) -> NodeId {
        // One order for both, so that the same question is the same node.
        let (a, b) = (one.min(other).0, one.max(other).0);
        self.intern(ExpressionNode {
            operation: Operation::Equal,
            width: 1,
            a,
            b,
            c: 0,
        })
    }

    /// A constant.
    pub(crate) fn constant(&mut self, width: u32, value: u64) -> NodeId {
        let value = value & super::mask(width);
        self.intern(ExpressionNode {
            operation: Operation::Constant,
            width: width as u8,
            a: value as u32,
            b: (value >> 32) as u32,
            c: 0,
        })
    }

    fn intern(&mut self, node: ExpressionNode) -> NodeId {
        let next = self.graph.nodes.len() as u32;
        let number = *self.known.entry(node).or_insert(next);
        if number == next {
            debug_assert_eq!(self.graph.check(&node), Ok(()));
            self.graph.nodes.push(node);
        }
        NodeId(number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Expression;
    use super::*;

    #[test]
    fn the_same_expression_of_two_graphs_is_one_node() {
        let sum = |first: u32, second: u32| {
            ExpressionGraph::new(
                &[
                    (8, Expression::Input(first)),
                    (8, Expression::Input(second)),
                    (8, Expression::Binary(Operation::Add, NodeId(1), NodeId(2))),
                ],
                2,
            )
        };
        let mut builder = GraphBuilder::new(2);
        let one = builder.add(&sum(0, 1), &[0, 1]);
        // The other run has met its bytes in the other order.
        let other = builder.add(&sum(1, 0), &[1, 0]);
        assert_eq!(one, other);
        assert_eq!(builder.graph().len(), 4);
        let equal = builder.equal(one[3], one[1]);
        assert_eq!(equal, builder.equal(one[1], one[3]));
        assert_eq!(builder.graph().width(equal), 1);
    }
}
