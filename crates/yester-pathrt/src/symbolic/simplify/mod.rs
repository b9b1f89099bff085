//! Builds expressions and simplifies them.
//!
//! The rules are those that programs at -O0 call for: bytes put together to words and taken apart again, narrow values
//! computed with in wide registers, truth values made numbers and compared with zero, tables with few different entries.

mod arithmetic;
mod bits;
mod choice;
mod comparison;
mod float;

use super::graph::NodeGraph;
use super::value;
use crate::format::Operation;

impl NodeGraph {
    /// An operation on two nodes of the same width.
    pub fn binary(&mut self, operation: Operation, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b));
        let result_width = if value::compares(operation) { 1 } else { width };
        if let (Some(left), Some(right)) = (self.constant_value(a), self.constant_value(b)) {
            return self.constant(result_width, value::binary(operation, width, left, right));
        }
        if let Some(node) = self.binary_by_leaf(operation, a, b) {
            return node;
        }
        match operation {
            Operation::Equal => self.equal(a, b),
            Operation::LessUnsigned
            | Operation::LessOrEqualUnsigned
            | Operation::LessSigned
            | Operation::LessOrEqualSigned => self.less(operation, a, b),
            operation if operation.is_float() => self.float(operation, a, b),
            _ => self.arithmetic(operation, a, b),
        }
    }

    /// Bitwise not, or negation.
    pub fn unary(&mut self, operation: Operation, a: u32) -> u32 {
        if operation == Operation::Negate {
            if a == 0 {
                return 0;
            }
            let zero = self.constant(self.width(a), 0);
            return self.binary(Operation::Subtract, zero, a);
        }
        self.not(a)
    }

    /// A binary operation without simplification.
    pub(super) fn plain(&mut self, operation: Operation, a: u32, b: u32) -> u32 {
        let width = self.width(a);
        let result_width = if value::compares(operation) { 1 } else { width };
        let result = value::binary(operation, width, self.value(a), self.value(b));
        self.make(operation, result_width, (a, b, 0), result)
    }

    /// Whether all of `conditions` hold.
    pub fn both(&mut self, a: u32, b: u32) -> u32 {
        self.binary(Operation::And, a, b)
    }

    /// Whether one of two conditions holds.
    pub fn either(&mut self, a: u32, b: u32) -> u32 {
        self.binary(Operation::Or, a, b)
    }

    /// Whether a node has this value.
    pub fn is(&mut self, node: u32, value: u64) -> u32 {
        if node == 0 {
            return 0;
        }
        let constant = self.constant(self.width(node), value);
        self.binary(Operation::Equal, node, constant)
    }

    /// Whether a node is between two values, both included, without a sign.
    pub fn within(&mut self, node: u32, least: u64, most: u64) -> u32 {
        if node == 0 {
            return 0;
        }
        let width = self.width(node);
        let (least, most) = (self.constant(width, least), self.constant(width, most));
        let low = self.binary(Operation::LessOrEqualUnsigned, least, node);
        let high = self.binary(Operation::LessOrEqualUnsigned, node, most);
        self.both(low, high)
    }

    /// A condition that is the same in every run.
    pub fn truth(&mut self, holds: bool) -> u32 {
        self.constant(1, u64::from(holds))
    }
}
