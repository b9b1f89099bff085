//! What other operators would have given.

/// An operator and the form of its operands, as a plan has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// One byte: `<`, `l` for `<=`, `>`, `g` for `>=`, `=`, `!`, `+`, `-`, `*`, `/`, `%`, `&`, `|`, `^`, `L` and `R` for shifts.
    sign: u8,
    /// `i`, `u`, `f`.
    class: u8,
    bits: u32,
}

impl Operator {
    /// From a number: the sign, the class and the bits, a byte each.
    pub fn new(code: u64) -> Operator {
        Operator {
            sign: code as u8,
            class: (code >> 8) as u8,
            bits: ((code >> 16) as u8).clamp(1, 64).into(),
        }
    }

    /// What it makes of these operands. `None` if that has no value.
    pub fn result(self, left: u64, right: u64) -> Option<u64> {
        match (self.class, self.bits) {
            (b'f', 32) => {
                let [left, right] = [left, right].map(|one| f32::from_bits(one as u32));
                self.float(f64::from(left), f64::from(right), |result| {
                    u64::from((result as f32).to_bits())
                })
            }
            (b'f', _) => self.float(f64::from_bits(left), f64::from_bits(right), f64::to_bits),
            _ => self.integer(left, right),
        }
    }

    fn integer(self, left: u64, right: u64) -> Option<u64> {
        let unused = 64 - self.bits;
        let mask = u64::MAX >> unused;
        let signed = |value: u64| (value << unused).cast_signed() >> unused;
        let is_unsigned = self.class == b'u';
        let order = match is_unsigned {
            true => (left & mask).cmp(&(right & mask)),
            false => signed(left).cmp(&signed(right)),
        };
        let shift = (right < u64::from(self.bits)).then_some(right as u32);
        let result = match self.sign {
            b'<' => u64::from(order.is_lt()),
            b'l' => u64::from(order.is_le()),
            b'>' => u64::from(order.is_gt()),
            b'g' => u64::from(order.is_ge()),
            b'=' => u64::from(order.is_eq()),
            b'!' => u64::from(order.is_ne()),
            b'+' => left.wrapping_add(right),
            b'-' => left.wrapping_sub(right),
            b'*' => left.wrapping_mul(right),
            b'/' if is_unsigned => (left & mask).checked_div(right & mask)?,
            b'/' => signed(left).checked_div(signed(right))?.cast_unsigned(),
            b'%' if is_unsigned => (left & mask).checked_rem(right & mask)?,
            b'%' => signed(left).checked_rem(signed(right))?.cast_unsigned(),
            b'&' => left & right,
            b'|' => left | right,
            b'^' => left ^ right,
            b'L' => left << shift?,
            b'R' if is_unsigned => (left & mask) >> shift?,
            b'R' => (signed(left) >> shift?).cast_unsigned(),
            _ => return None,
        };
        Some(result & mask)
    }

    fn float(self, left: f64, right: f64, bits: impl Fn(f64) -> u64) -> Option<u64> {
        Some(match self.sign {
            b'<' => u64::from(left < right),
            b'l' => u64::from(left <= right),
            b'>' => u64::from(left > right),
            b'g' => u64::from(left >= right),
            b'=' => u64::from(left == right),
            b'!' => u64::from(left != right),
            b'+' => bits(left + right),
            b'-' => bits(left - right),
            b'*' => bits(left * right),
            b'/' => bits(left / right),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(sign: u8, class: u8, bits: u64, left: u64, right: u64) -> Option<u64> {
        let code = u64::from(sign) | u64::from(class) << 8 | bits << 16;
        Operator::new(code).result(left, right)
    }

    #[test]
    fn comparisons_know_signs() {
        assert_eq!(result(b'<', b'i', 32, 0xFFFF_FFFF, 1), Some(1));
        assert_eq!(result(b'<', b'u', 32, 0xFFFF_FFFF, 1), Some(0));
        assert_eq!(result(b'g', b'i', 8, 0x80, 0x7F), Some(0));
    }

    #[test]
    fn results_stay_within_their_bits() {
        assert_eq!(result(b'+', b'i', 8, 0xFF, 1), Some(0));
        assert_eq!(result(b'-', b'i', 32, 0, 1), Some(0xFFFF_FFFF));
        assert_eq!(result(b'/', b'i', 32, 0xFFFF_FFF8, 2), Some(0xFFFF_FFFC));
    }

    #[test]
    fn what_has_no_value_has_none() {
        assert_eq!(result(b'/', b'i', 32, 1, 0), None);
        assert_eq!(result(b'%', b'u', 32, 1, 0), None);
        assert_eq!(result(b'L', b'i', 32, 1, 32), None);
        assert_eq!(result(b'&', b'f', 64, 0, 0), None);
    }

    #[test]
    fn floating_point_numbers_are_their_bits() {
        let [one, two] = [1.5_f64.to_bits(), 2.0_f64.to_bits()];
        assert_eq!(result(b'*', b'f', 64, one, two), Some(3.0_f64.to_bits()));
        let [one, two] = [1.5_f32, 2.0].map(|one| u64::from(one.to_bits()));
        let sum = u64::from(3.5_f32.to_bits());
        assert_eq!(result(b'+', b'f', 32, one, two), Some(sum));
        assert_eq!(result(b'<', b'f', 32, one, two), Some(1));
    }
}
