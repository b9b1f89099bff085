//! Comparisons, narrowed to the bits that matter.

use super::super::float;
use super::super::graph::NodeGraph;
use super::super::value::{signed, truncate};
use crate::format::Operation;

impl NodeGraph {
    pub(super) fn equal(&mut self, a: u32, b: u32) -> u32 {
        use Operation::*;
        if a == b {
            return self.truth(true);
        }
        let (a, b) = if self.is_constant(a) || (a > b && !self.is_constant(b)) {
            (b, a)
        } else {
            (a, b)
        };
        let (left, right) = (self.node(a), self.node(b));
        let (left_operation, right_operation) = (self.operation(a), self.operation(b));
        let Some(constant) = self.constant_value(b) else {
            if left_operation == right_operation
                && matches!(left_operation, ZeroExtend | SignExtend)
                && self.width(left.a) == self.width(right.a)
            {
                return self.equal(left.a, right.a);
            }
            return self.plain(Equal, a, b);
        };
        let width = self.width(a);
        if width == 1 {
            return if constant == 1 { a } else { self.not(a) };
        }
        match left_operation {
            ZeroExtend => {
                let inner = self.width(left.a);
                if constant >> inner != 0 {
                    return self.truth(false);
                }
                return self.is(left.a, constant);
            }
            SignExtend => {
                let inner = self.width(left.a);
                let narrow = truncate(constant, inner);
                if truncate(signed(narrow, inner) as u64, width) != constant {
                    return self.truth(false);
                }
                return self.is(left.a, narrow);
            }
            Concatenate if self.is_constant(left.a) || self.is_constant(left.b) => {
                let border = self.width(left.b);
                let high = self.is(left.a, constant >> border);
                let low = self.is(left.b, truncate(constant, border));
                return self.both(high, low);
            }
            Add => {
                if let Some(other) = self.constant_value(left.b) {
                    return self.is(left.a, constant.wrapping_sub(other));
                }
            }
            Subtract if constant == 0 => return self.binary(Equal, left.a, left.b),
            Subtract => {
                if let Some(other) = self.constant_value(left.a) {
                    return self.is(left.b, other.wrapping_sub(constant));
                }
            }
            ExclusiveOr if constant == 0 => return self.binary(Equal, left.a, left.b),
            ExclusiveOr => {
                if let Some(other) = self.constant_value(left.b) {
                    return self.is(left.a, constant ^ other);
                }
            }
            Not => return self.is(left.a, !constant),
            FloatToSigned => {
                if let Some(node) = self.compare_truncated(Equal, a, constant, true) {
                    return node;
                }
            }
            // No other number is equal to it, and solvers like numbers better than their bits.
            FloatAdd | FloatSubtract | FloatMultiply | FloatDivide | FloatSquareRoot
            | FloatRound | FloatConvert | FloatFromSigned | FloatFromUnsigned
                if constant & !float::sign(width) != 0 && !float::is_nan(constant, width) =>
            {
                return self.binary(FloatEqual, a, b);
            }
            Choose if self.is_constant(left.b) || self.is_constant(left.c) => {
                let first = self.is(left.b, constant);
                let second = self.is(left.c, constant);
                return self.choose(left.a, first, second);
            }
            _ => {}
        }
        self.plain(Equal, a, b)
    }

    pub(super) fn less(&mut self, operation: Operation, a: u32, b: u32) -> u32 {
        use Operation::*;
        if a == b {
            let holds = matches!(operation, LessOrEqualUnsigned | LessOrEqualSigned);
            return self.truth(holds);
        }
        let width = self.width(a);
        let is_signed = matches!(operation, LessSigned | LessOrEqualSigned);
        let strict = matches!(operation, LessSigned | LessUnsigned);
        let (left, right) = (self.node(a), self.node(b));
        let (left_operation, right_operation) = (self.operation(a), self.operation(b));
        let unsigned = if strict {
            LessUnsigned
        } else {
            LessOrEqualUnsigned
        };
        match (self.constant_value(a), self.constant_value(b)) {
            (None, None) => {
                if left_operation == right_operation && self.width(left.a) == self.width(right.a) {
                    match left_operation {
                        ZeroExtend => return self.binary(unsigned, left.a, right.a),
                        // Extending a sign keeps both orders.
                        SignExtend => return self.binary(operation, left.a, right.a),
                        _ => {}
                    }
                }
            }
            (Some(constant), None) => {
                if let Some(holds) = self.against(b, constant, is_signed) {
                    // `constant < b` for every b, or for none.
                    return self.truth(holds);
                }
                if right_operation == ZeroExtend {
                    let narrow = self.constant(self.width(right.a), constant);
                    return self.binary(unsigned, narrow, right.a);
                }
                if right_operation == FloatToSigned
                    && is_signed
                    && let Some(node) = self.compare_truncated(operation, b, constant, false)
                {
                    return node;
                }
                if right_operation == SignExtend && is_signed {
                    let narrow = self.constant(self.width(right.a), constant);
                    return self.binary(operation, narrow, right.a);
                }
                if !is_signed {
                    if constant == 0 {
                        if !strict {
                            return self.truth(true);
                        }
                        let zero = self.is(b, 0);
                        return self.not(zero);
                    }
                    if constant == truncate(u64::MAX, width) {
                        return if strict {
                            self.truth(false)
                        } else {
                            self.is(b, constant)
                        };
                    }
                }
            }
            (None, Some(constant)) => {
                if let Some(above) = self.against(a, constant, is_signed) {
                    return self.truth(!above);
                }
                if left_operation == ZeroExtend {
                    let narrow = self.constant(self.width(left.a), constant);
                    return self.binary(unsigned, left.a, narrow);
                }
                if left_operation == FloatToSigned
                    && is_signed
                    && let Some(node) = self.compare_truncated(operation, a, constant, true)
                {
                    return node;
                }
                if left_operation == SignExtend && is_signed {
                    let narrow = self.constant(self.width(left.a), constant);
                    return self.binary(operation, left.a, narrow);
                }
                if !is_signed {
                    match (strict, constant) {
                        (true, 0) => return self.truth(false),
                        (true, 1) | (false, 0) => return self.is(a, 0),
                        (false, most) if most == truncate(u64::MAX, width) => {
                            return self.truth(true);
                        }
                        _ => {}
                    }
                }
            }
            (Some(_), Some(_)) => {}
        }
        if let Some(node) = self.less_by_choice(operation, a, b) {
            return node;
        }
        self.plain(operation, a, b)
    }

    /// A choice with a constant, such as a character or the end of a file, compared with a constant.
    fn less_by_choice(&mut self, operation: Operation, a: u32, b: u32) -> Option<u32> {
        let is_open = |graph: &NodeGraph, node: u32, other: u32| {
            let choice = graph.node(node);
            graph.is_constant(other)
                && graph.operation(node) == Operation::Choose
                && (graph.is_constant(choice.b) || graph.is_constant(choice.c))
        };
        let (choice, first, second) = if is_open(self, a, b) {
            let choice = self.node(a);
            let first = self.binary(operation, choice.b, b);
            (choice, first, self.binary(operation, choice.c, b))
        } else if is_open(self, b, a) {
            let choice = self.node(b);
            let first = self.binary(operation, a, choice.b);
            (choice, first, self.binary(operation, a, choice.c))
        } else {
            return None;
        };
        Some(self.choose(choice.a, first, second))
    }

    /// Whether an extended value is above `constant` in every run (true) or below in every run (false).
    fn against(&self, node: u32, constant: u64, is_signed: bool) -> Option<bool> {
        let width = self.width(node);
        let inner = self.width(match self.operation(node) {
            Operation::ZeroExtend | Operation::SignExtend => self.node(node).a,
            _ => return None,
        });
        if self.operation(node) == Operation::ZeroExtend {
            let most = truncate(u64::MAX, inner);
            if is_signed && signed(constant, width) < 0 {
                return Some(true);
            }
            return (constant > most).then_some(false);
        }
        if !is_signed {
            return None;
        }
        let most = (truncate(u64::MAX, inner) >> 1) as i64;
        let constant = signed(constant, width);
        if constant > most {
            Some(false)
        } else if constant < -most - 1 {
            Some(true)
        } else {
            None
        }
    }
}
