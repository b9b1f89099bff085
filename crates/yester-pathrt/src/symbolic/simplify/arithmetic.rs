//! Sums, products, masks and shifts.

use super::super::graph::NodeGraph;
use super::super::value::{self, truncate};
use crate::format::Operation;

impl NodeGraph {
    pub(super) fn arithmetic(&mut self, operation: Operation, a: u32, b: u32) -> u32 {
        use Operation::*;
        let commutes = matches!(operation, Add | Multiply | And | Or | ExclusiveOr);
        // A constant is the second operand, and otherwise the older node the first, so that equal sums are equal nodes.
        let (a, b) = if commutes && (self.is_constant(a) || (a > b && !self.is_constant(b))) {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(constant) = self.constant_value(b) {
            return self.with_constant(operation, a, b, constant);
        }
        let width = self.width(a);
        if a == b {
            match operation {
                And | Or => return a,
                Subtract | ExclusiveOr => return self.constant(width, 0),
                _ => {}
            }
        }
        if width == 1 && (self.negates(a, b) || self.negates(b, a)) {
            match operation {
                And => return self.constant(1, 0),
                Or => return self.constant(1, 1),
                _ => {}
            }
        }
        if matches!(operation, And | Or | ExclusiveOr)
            && self.operation(a) == ZeroExtend
            && self.operation(b) == ZeroExtend
        {
            let (inner_a, inner_b) = (self.node(a).a, self.node(b).a);
            if self.width(inner_a) == self.width(inner_b) {
                let inner = self.binary(operation, inner_a, inner_b);
                return self.extend(ZeroExtend, inner, width);
            }
        }
        if matches!(operation, Or | Add | ExclusiveOr)
            && let Some(node) = self.pieces(a, b)
        {
            return node;
        }
        self.plain(operation, a, b)
    }

    fn negates(&self, a: u32, b: u32) -> bool {
        self.operation(a) == Operation::Not && self.node(a).a == b
    }

    /// `high << k | low` where `low` has only k bits is one behind the other. So programs read numbers byte by byte.
    fn pieces(&mut self, a: u32, b: u32) -> Option<u32> {
        let (high, low) = if self.ends_in_zeros(a) > 0 {
            (a, b)
        } else {
            (b, a)
        };
        let zeros = self.ends_in_zeros(high);
        if zeros == 0 || self.operation(low) != Operation::ZeroExtend {
            return None;
        }
        let inner = self.node(low).a;
        if self.width(inner) > zeros {
            return None;
        }
        let width = self.width(high);
        let above = self.extract(high, zeros, width - zeros);
        let below = self.extract(low, 0, zeros);
        Some(self.concatenate(above, below))
    }

    fn ends_in_zeros(&self, node: u32) -> u32 {
        let parts = self.node(node);
        match self.operation(node) {
            Operation::ZeroExtend => self.ends_in_zeros(parts.a),
            Operation::Concatenate => match self.constant_value(parts.b) {
                Some(0) => self.width(parts.b),
                Some(_) => 0,
                None => self.ends_in_zeros(parts.b),
            },
            _ => 0,
        }
    }

    fn with_constant(&mut self, operation: Operation, a: u32, b: u32, constant: u64) -> u32 {
        use Operation::*;
        let width = self.width(a);
        let ones = truncate(u64::MAX, width);
        let parts = self.node(a);
        let inner = self.operation(a);
        match (operation, constant) {
            (Add | Subtract | Or | ExclusiveOr | ShiftLeft, 0) => return a,
            (ShiftRightLogical | ShiftRightArithmetic, 0) => return a,
            (And | Multiply, 0) => return self.constant(width, 0),
            (Multiply | DivideUnsigned, 1) => return a,
            (DivideSigned, 1) if width > 1 => return a,
            (And, all) if all == ones => return a,
            (Or, all) if all == ones => return self.constant(width, ones),
            (ExclusiveOr, all) if all == ones => return self.not(a),
            (Subtract, _) => {
                let negative = self.constant(width, constant.wrapping_neg());
                return self.binary(Add, a, negative);
            }
            (Add | Multiply | And | Or | ExclusiveOr, _) if inner == operation => {
                // Operands are kept with the constant second, so that two constants meet here.
                if let Some(other) = self.constant_value(parts.b) {
                    let both =
                        self.constant(width, value::binary(operation, width, constant, other));
                    return self.binary(operation, parts.a, both);
                }
            }
            (And, mask) if (mask & (mask + 1)) == 0 => {
                let kept = self.extract(a, 0, mask.count_ones());
                return self.extend(ZeroExtend, kept, width);
            }
            (And | Or | ExclusiveOr, _)
                if inner == ZeroExtend && constant >> self.width(parts.a) == 0 =>
            {
                let narrow = self.constant(self.width(parts.a), constant);
                let result = self.binary(operation, parts.a, narrow);
                return self.extend(ZeroExtend, result, width);
            }
            (And, _) if inner == ZeroExtend => {
                let narrow = self.constant(self.width(parts.a), constant);
                let result = self.binary(And, parts.a, narrow);
                return self.extend(ZeroExtend, result, width);
            }
            (And, mask) if mask.trailing_zeros() > 0 && is_run(mask) => {
                let zeros = mask.trailing_zeros();
                let kept = self.extract(a, zeros, mask.count_ones());
                let low = self.constant(zeros, 0);
                let joined = self.concatenate(kept, low);
                return self.extend(ZeroExtend, joined, width);
            }
            (ShiftLeft | ShiftRightLogical, amount) if amount >= u64::from(width) => {
                return self.constant(width, 0);
            }
            (ShiftLeft, amount) => {
                let kept = self.extract(a, 0, width - amount as u32);
                let low = self.constant(amount as u32, 0);
                return self.concatenate(kept, low);
            }
            (ShiftRightLogical, amount) => {
                let kept = self.extract(a, amount as u32, width - amount as u32);
                return self.extend(ZeroExtend, kept, width);
            }
            (ShiftRightArithmetic, amount) => {
                let amount = amount.min(u64::from(width - 1)) as u32;
                let kept = self.extract(a, amount, width - amount);
                return self.extend(SignExtend, kept, width);
            }
            // Division is dear for solvers: on no more bits than there are.
            (DivideUnsigned | RemainderUnsigned | DivideSigned | RemainderSigned, _)
                if inner == ZeroExtend && constant != 0 && constant >> self.width(parts.a) == 0 =>
            {
                let narrow = self.constant(self.width(parts.a), constant);
                let unsigned = match operation {
                    DivideSigned => DivideUnsigned,
                    RemainderSigned => RemainderUnsigned,
                    other => other,
                };
                let result = self.binary(unsigned, parts.a, narrow);
                return self.extend(ZeroExtend, result, width);
            }
            _ => {}
        }
        self.plain(operation, a, b)
    }
}

fn is_run(mask: u64) -> bool {
    let shifted = mask >> mask.trailing_zeros();
    shifted & (shifted.wrapping_add(1)) == 0
}
