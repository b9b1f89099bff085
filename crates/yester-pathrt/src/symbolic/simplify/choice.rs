//! Choices by a condition. An operation on a choice among constants (such as a table entry or a length) is applied to each leaf,
//! since most leaves become equal once they are masked or compared.

use super::super::graph::NodeGraph;
use crate::format::Operation;

impl NodeGraph {
    /// `a` if the condition holds, else `b`.
    pub fn choose(&mut self, condition: u32, a: u32, b: u32) -> u32 {
        if condition == 0 || a == 0 || b == 0 {
            return 0;
        }
        if a == b {
            return a;
        }
        if let Some(holds) = self.constant_value(condition) {
            return if holds == 1 { a } else { b };
        }
        if self.operation(condition) == Operation::Not {
            return self.choose(self.node(condition).a, b, a);
        }
        let width = self.width(a);
        if width == 1 {
            match (self.constant_value(a), self.constant_value(b)) {
                (Some(1), _) => return self.either(condition, b),
                (_, Some(0)) => return self.both(condition, a),
                (Some(_), _) => {
                    let otherwise = self.not(condition);
                    return self.both(otherwise, b);
                }
                (_, Some(_)) => {
                    let otherwise = self.not(condition);
                    return self.either(otherwise, a);
                }
                _ => {}
            }
        }
        // A condition that was already decided further out is decided here too.
        let (first, second) = (self.node(a), self.node(b));
        if self.operation(a) == Operation::Choose && first.a == condition {
            return self.choose(condition, first.b, b);
        }
        if self.operation(b) == Operation::Choose && second.a == condition {
            return self.choose(condition, a, second.c);
        }
        // The same leaf on two ways: one choice with both conditions.
        if self.operation(b) == Operation::Choose && second.b == a {
            let any = self.either(condition, second.a);
            return self.choose(any, a, second.c);
        }
        let result = if self.value(condition) == 1 {
            self.value(a)
        } else {
            self.value(b)
        };
        self.make(Operation::Choose, width, (condition, a, b), result)
    }

    /// An operation on a choice among constants and a constant, leaf by leaf.
    pub(super) fn binary_by_leaf(&mut self, operation: Operation, a: u32, b: u32) -> Option<u32> {
        let (left, right) = (self.leaves(a), self.leaves(b));
        let (tree, left_is_tree) = match (left, right) {
            (2.., 1) => (self.node(a), true),
            (1, 2..) => (self.node(b), false),
            _ => return None,
        };
        let (first, second) = if left_is_tree {
            (
                self.binary(operation, tree.b, b),
                self.binary(operation, tree.c, b),
            )
        } else {
            (
                self.binary(operation, a, tree.b),
                self.binary(operation, a, tree.c),
            )
        };
        Some(self.choose(tree.a, first, second))
    }
}
