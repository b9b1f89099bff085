//! Where two expressions part: what two versions of a program compute for the same byte of their output, followed back in step
//! until they do something else.

use std::collections::HashSet;

use crate::expression::{Expression, ExpressionGraph, NodeId};

/// So many pairs are followed at most.
const MOST_PAIRS: usize = 100_000;

/// The pairs of nodes, of one graph, at which two expressions part: both are computed in the same way from them, and they are not. The
/// last ones that were computed come first. Constants were computed nowhere, so two that differ stand for what is computed from them.
pub fn partings(graph: &ExpressionGraph, one: NodeId, other: NodeId) -> Vec<(NodeId, NodeId)> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![(one, other)];
    while let Some((one, other)) = open.pop() {
        if one == other || seen.len() == MOST_PAIRS || !seen.insert((one, other)) {
            continue;
        }
        let (left, right) = (graph.expression(one), graph.expression(other));
        let is_alike = graph.width(one) == graph.width(other) && is_same_operation(left, right);
        let pairs: Vec<(NodeId, NodeId)> = left.operands().zip(right.operands()).collect();
        let is_constant = |node: NodeId| graph.constant(node).is_some();
        let goes_on = |(one, other): &(NodeId, NodeId)| {
            one != other && !is_constant(*one) && !is_constant(*other)
        };
        if is_alike && pairs.iter().any(goes_on) {
            open.extend(pairs.into_iter().filter(goes_on))
        } else {
            found.push((one, other))
        }
    }
    found.sort_by_key(|(_, other)| std::cmp::Reverse(*other));
    found
}

fn is_same_operation(one: Expression, other: Expression) -> bool {
    match (one, other) {
        (Expression::Unary(one, _), Expression::Unary(other, _)) => one == other,
        (Expression::Binary(one, ..), Expression::Binary(other, ..)) => one == other,
        (Expression::Extract(_, one), Expression::Extract(_, other)) => one == other,
        (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
    }
}

#[cfg(test)]
mod tests {
    use yester_pathrt::format::Operation;

    use super::*;

    #[test]
    fn expressions_part_where_the_first_operation_differs() {
        let node = NodeId;
        let graph = ExpressionGraph::new(
            &[
                (8, Expression::Input(0)),
                (8, Expression::Constant(3)),
                (8, Expression::Constant(4)),
                (8, Expression::Binary(Operation::Add, node(1), node(2))),
                (8, Expression::Binary(Operation::Multiply, node(1), node(2))),
                (8, Expression::Binary(Operation::Add, node(1), node(3))),
                (8, Expression::Unary(Operation::Negate, node(4))),
                (8, Expression::Unary(Operation::Negate, node(5))),
                (8, Expression::Unary(Operation::Negate, node(6))),
            ],
            1,
        );
        assert_eq!(partings(&graph, node(7), node(8)), [(node(4), node(5))]);
        // Two constants were computed nowhere: what is made of them parts.
        assert_eq!(partings(&graph, node(7), node(9)), [(node(4), node(6))]);
        assert_eq!(partings(&graph, node(7), node(7)), []);
    }
}
