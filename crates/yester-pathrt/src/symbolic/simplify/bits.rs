//! Extraction, concatenation and extension of bits.

use super::super::graph::NodeGraph;
use super::super::value::{signed, truncate};
use crate::format::Operation;

impl NodeGraph {
    /// `width` bits of a node from `low` on.
    pub fn extract(&mut self, node: u32, low: u32, width: u32) -> u32 {
        if node == 0 {
            return 0;
        }
        let whole = self.width(node);
        debug_assert!(low + width <= whole && width > 0);
        if width == whole {
            return node;
        }
        let parts = self.node(node);
        match self.operation(node) {
            Operation::Constant => return self.constant(width, self.value(node) >> low),
            Operation::Extract => return self.extract(parts.a, parts.b + low, width),
            Operation::Concatenate => {
                let border = self.width(parts.b);
                if low >= border {
                    return self.extract(parts.a, low - border, width);
                }
                if low + width <= border {
                    return self.extract(parts.b, low, width);
                }
                let high = self.extract(parts.a, 0, low + width - border);
                let low = self.extract(parts.b, low, border - low);
                return self.concatenate(high, low);
            }
            Operation::ZeroExtend => {
                let inner = self.width(parts.a);
                if low >= inner {
                    return self.constant(width, 0);
                }
                if low + width <= inner {
                    return self.extract(parts.a, low, width);
                }
                let rest = self.extract(parts.a, low, inner - low);
                return self.extend(Operation::ZeroExtend, rest, width);
            }
            Operation::SignExtend => {
                let inner = self.width(parts.a);
                if low + width <= inner {
                    return self.extract(parts.a, low, width);
                }
                if low < inner {
                    let rest = self.extract(parts.a, low, inner - low);
                    return self.extend(Operation::SignExtend, rest, width);
                }
            }
            // Narrower operands only where that makes nothing new: one of them is constant or extended.
            operation @ (Operation::And | Operation::Or | Operation::ExclusiveOr)
                if self.shrinks(parts.a) || self.shrinks(parts.b) =>
            {
                let a = self.extract(parts.a, low, width);
                let b = self.extract(parts.b, low, width);
                return self.binary(operation, a, b);
            }
            operation @ (Operation::Add | Operation::Subtract | Operation::Multiply)
                if low == 0 && self.shrinks(parts.a) && self.shrinks(parts.b) =>
            {
                let a = self.extract(parts.a, 0, width);
                let b = self.extract(parts.b, 0, width);
                return self.binary(operation, a, b);
            }
            Operation::Not => {
                let inner = self.extract(parts.a, low, width);
                return self.not(inner);
            }
            Operation::Choose if self.leaves(node) > 0 => {
                let a = self.extract(parts.b, low, width);
                let b = self.extract(parts.c, low, width);
                return self.choose(parts.a, a, b);
            }
            Operation::Choose if self.shrinks(parts.b) && self.shrinks(parts.c) => {
                let a = self.extract(parts.b, low, width);
                let b = self.extract(parts.c, low, width);
                return self.choose(parts.a, a, b);
            }
            _ => {}
        }
        let result = self.value(node) >> low;
        self.make(Operation::Extract, width, (node, low, 0), result)
    }

    fn shrinks(&self, node: u32) -> bool {
        matches!(
            self.operation(node),
            Operation::Constant
                | Operation::ZeroExtend
                | Operation::SignExtend
                | Operation::Concatenate
        )
    }

    /// `high` before `low`.
    pub fn concatenate(&mut self, high: u32, low: u32) -> u32 {
        if high == 0 || low == 0 {
            return 0;
        }
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        debug_assert!(width <= 64);
        let (above, below) = (self.node(high), self.node(low));
        let (above_operation, below_operation) = (self.operation(high), self.operation(low));
        match (self.constant_value(high), self.constant_value(low)) {
            (Some(left), Some(right)) => return self.constant(width, left << low_width | right),
            (Some(0), None) => return self.extend(Operation::ZeroExtend, low, width),
            _ => {}
        }
        if above_operation == Operation::Extract {
            // Neighbours of one value are one piece of it.
            if below_operation == Operation::Extract
                && below.a == above.a
                && below.b + low_width == above.b
            {
                return self.extract(above.a, below.b, width);
            }
        }
        if above_operation == Operation::ZeroExtend {
            let inner = self.concatenate(above.a, low);
            return self.extend(Operation::ZeroExtend, inner, width);
        }
        if below_operation == Operation::Concatenate {
            // The upper piece of what is below may be a neighbour.
            let joined = self.joined(high, below.a);
            if let Some(joined) = joined {
                return self.concatenate(joined, below.b);
            }
        }
        let result = self.value(high) << low_width | self.value(low);
        self.make(Operation::Concatenate, width, (high, low, 0), result)
    }

    fn joined(&mut self, high: u32, low: u32) -> Option<u32> {
        if self.is_constant(high) && self.is_constant(low) {
            return Some(self.concatenate(high, low));
        }
        if self.operation(high) != Operation::Extract || self.operation(low) != Operation::Extract {
            return None;
        }
        let (above, below) = (self.node(high), self.node(low));
        (below.a == above.a && below.b + u32::from(below.width) == above.b)
            .then(|| self.concatenate(high, low))
    }

    /// A node made wider, with zeros or with its sign.
    pub fn extend(&mut self, operation: Operation, node: u32, width: u32) -> u32 {
        if node == 0 {
            return 0;
        }
        let inner = self.width(node);
        debug_assert!(inner <= width);
        if inner == width {
            return node;
        }
        let parts = self.node(node);
        let is_signed = operation == Operation::SignExtend;
        let result = if is_signed {
            truncate(signed(self.value(node), inner) as u64, width)
        } else {
            self.value(node)
        };
        match self.operation(node) {
            Operation::Constant => return self.constant(width, result),
            Operation::ZeroExtend => {
                return self.extend(Operation::ZeroExtend, parts.a, width);
            }
            Operation::SignExtend if is_signed => return self.extend(operation, parts.a, width),
            Operation::Choose if self.leaves(node) > 0 => {
                let a = self.extend(operation, parts.b, width);
                let b = self.extend(operation, parts.c, width);
                return self.choose(parts.a, a, b);
            }
            _ => {}
        }
        self.make(operation, width, (node, 0, 0), result)
    }

    /// Bitwise not.
    pub fn not(&mut self, node: u32) -> u32 {
        if node == 0 {
            return 0;
        }
        let width = self.width(node);
        let parts = self.node(node);
        let swapped = match self.operation(node) {
            Operation::Constant => return self.constant(width, !self.value(node)),
            Operation::Not => return parts.a,
            Operation::LessUnsigned => Operation::LessOrEqualUnsigned,
            Operation::LessOrEqualUnsigned => Operation::LessUnsigned,
            Operation::LessSigned => Operation::LessOrEqualSigned,
            Operation::LessOrEqualSigned => Operation::LessSigned,
            _ => {
                let result = !self.value(node);
                return self.make(Operation::Not, width, (node, 0, 0), result);
            }
        };
        self.binary(swapped, parts.b, parts.a)
    }
}
