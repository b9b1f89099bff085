//! What other operators would have given.

use crate::protocol::{OperandClass, Operator, Sign};

impl Operator {
    /// What it makes of these operands. `None` if that has no value.
    pub fn result(self, left: u64, right: u64) -> Option<u64> {
        match (self.class, self.bits) {
            (OperandClass::Float, 32) => {
                let [left, right] = [left, right].map(|one| f64::from(f32::from_bits(one as u32)));
                self.float(left, right, |result| u64::from((result as f32).to_bits()))
            }
            (OperandClass::Float, _) => {
                self.float(f64::from_bits(left), f64::from_bits(right), f64::to_bits)
            }
            _ => self.integer(left, right.wrapping_add(self.more.cast_unsigned())),
        }
    }

    fn integer(self, left: u64, right: u64) -> Option<u64> {
        let unused = 64 - self.bits;
        let mask = u64::MAX >> unused;
        let signed = |value: u64| (value << unused).cast_signed() >> unused;
        let is_unsigned = self.class == OperandClass::Unsigned;
        let order = if is_unsigned {
            (left & mask).cmp(&(right & mask))
        } else {
            signed(left).cmp(&signed(right))
        };
        let shift = (right < u64::from(self.bits)).then_some(right as u32);
        let result = match self.sign {
            Sign::Less => u64::from(order.is_lt()),
            Sign::LessOrEqual => u64::from(order.is_le()),
            Sign::Greater => u64::from(order.is_gt()),
            Sign::GreaterOrEqual => u64::from(order.is_ge()),
            Sign::Equal => u64::from(order.is_eq()),
            Sign::NotEqual => u64::from(order.is_ne()),
            Sign::Add => left.wrapping_add(right),
            Sign::Subtract => left.wrapping_sub(right),
            Sign::Multiply => left.wrapping_mul(right),
            Sign::Divide if is_unsigned => (left & mask).checked_div(right & mask)?,
            Sign::Divide => signed(left).checked_div(signed(right))?.cast_unsigned(),
            Sign::Remainder if is_unsigned => (left & mask).checked_rem(right & mask)?,
            Sign::Remainder => signed(left).checked_rem(signed(right))?.cast_unsigned(),
            Sign::And => left & right,
            Sign::Or => left | right,
            Sign::Exclusive => left ^ right,
            Sign::ShiftLeft => left << shift?,
            Sign::ShiftRight if is_unsigned => (left & mask) >> shift?,
            Sign::ShiftRight => (signed(left) >> shift?).cast_unsigned(),
        };
        Some(result & mask)
    }

    fn float(self, left: f64, right: f64, bits: impl Fn(f64) -> u64) -> Option<u64> {
        let right = right + self.more as f64;
        Some(match self.sign {
            Sign::Less => u64::from(left < right),
            Sign::LessOrEqual => u64::from(left <= right),
            Sign::Greater => u64::from(left > right),
            Sign::GreaterOrEqual => u64::from(left >= right),
            Sign::Equal => u64::from(left == right),
            Sign::NotEqual => u64::from(left != right),
            Sign::Add => bits(left + right),
            Sign::Subtract => bits(left - right),
            Sign::Multiply => bits(left * right),
            Sign::Divide => bits(left / right),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::OperandClass::{Float, Signed, Unsigned};
    use super::*;

    fn result(sign: &str, class: OperandClass, bits: u32, left: u64, right: u64) -> Option<u64> {
        let sign = Sign::parse(sign).expect("a sign");
        let operator = Operator {
            sign,
            class,
            bits,
            more: 0,
        };
        operator.result(left, right)
    }

    #[test]
    fn the_right_operand_may_be_more_or_less() {
        let result = |sign, class, bits, more, left, right| {
            let operator = Operator {
                sign,
                class,
                bits,
                more,
            };
            operator.result(left, right)
        };
        assert_eq!(result(Sign::Greater, Signed, 32, 1, 16, 15), Some(0));
        assert_eq!(result(Sign::Add, Unsigned, 8, -1, 0xFF, 1), Some(0xFF));
        assert_eq!(result(Sign::Divide, Signed, 32, -1, 8, 1), None);
        let [one, two] = [1.5_f64.to_bits(), 2.0_f64.to_bits()];
        let product = Some(4.5_f64.to_bits());
        assert_eq!(result(Sign::Multiply, Float, 64, 1, one, two), product);
    }

    #[test]
    fn comparisons_know_signs() {
        assert_eq!(result("<", Signed, 32, 0xFFFF_FFFF, 1), Some(1));
        assert_eq!(result("<", Unsigned, 32, 0xFFFF_FFFF, 1), Some(0));
        assert_eq!(result(">=", Signed, 8, 0x80, 0x7F), Some(0));
    }

    #[test]
    fn results_stay_within_their_bits() {
        assert_eq!(result("+", Signed, 8, 0xFF, 1), Some(0));
        assert_eq!(result("-", Signed, 32, 0, 1), Some(0xFFFF_FFFF));
        assert_eq!(result("/", Signed, 32, 0xFFFF_FFF8, 2), Some(0xFFFF_FFFC));
    }

    #[test]
    fn what_has_no_value_has_none() {
        assert_eq!(result("/", Signed, 32, 1, 0), None);
        assert_eq!(result("%", Unsigned, 32, 1, 0), None);
        assert_eq!(result("<<", Signed, 32, 1, 32), None);
        assert_eq!(result("&", Float, 64, 0, 0), None);
    }

    #[test]
    fn floating_point_numbers_are_their_bits() {
        let [one, two] = [1.5_f64.to_bits(), 2.0_f64.to_bits()];
        assert_eq!(result("*", Float, 64, one, two), Some(3.0_f64.to_bits()));
        let [one, two] = [1.5_f32, 2.0].map(|one| u64::from(one.to_bits()));
        let sum = u64::from(3.5_f32.to_bits());
        assert_eq!(result("+", Float, 32, one, two), Some(sum));
        assert_eq!(result("<", Float, 32, one, two), Some(1));
    }
}
