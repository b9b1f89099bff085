//! Evaluates operations on concrete values.

use super::float;
use crate::format::Operation;

/// The low `width` bits.
#[inline]
pub const fn truncate(value: u64, width: u32) -> u64 {
    if width >= 64 {
        value
    } else {
        value & ((1 << width) - 1)
    }
}

/// `value` of `width` bits with its sign, in 64 bits.
#[inline]
pub const fn signed(value: u64, width: u32) -> i64 {
    if width >= 64 {
        value as i64
    } else {
        ((value << (64 - width)) as i64) >> (64 - width)
    }
}

/// The result of an operation on two values of `width` bits, as SMT-LIB has it.
pub fn binary(operation: Operation, width: u32, a: u64, b: u64) -> u64 {
    let ones = truncate(u64::MAX, width);
    let (sa, sb) = (signed(a, width), signed(b, width));
    let result = match operation {
        Operation::Add => a.wrapping_add(b),
        Operation::Subtract => a.wrapping_sub(b),
        Operation::Multiply => a.wrapping_mul(b),
        Operation::DivideUnsigned => a.checked_div(b).unwrap_or(ones),
        Operation::RemainderUnsigned => a.checked_rem(b).unwrap_or(a),
        Operation::DivideSigned if sb == 0 => {
            if sa < 0 {
                1
            } else {
                ones
            }
        }
        Operation::DivideSigned => sa.wrapping_div(sb) as u64,
        Operation::RemainderSigned if sb == 0 => a,
        Operation::RemainderSigned => sa.wrapping_rem(sb) as u64,
        Operation::And => a & b,
        Operation::Or => a | b,
        Operation::ExclusiveOr => a ^ b,
        Operation::ShiftLeft if b >= u64::from(width) => 0,
        Operation::ShiftLeft => a << b,
        Operation::ShiftRightLogical if b >= u64::from(width) => 0,
        Operation::ShiftRightLogical => a >> b,
        Operation::ShiftRightArithmetic => (sa >> b.min(63)) as u64,
        Operation::Equal => u64::from(a == b),
        Operation::LessUnsigned => u64::from(a < b),
        Operation::LessOrEqualUnsigned => u64::from(a <= b),
        Operation::LessSigned => u64::from(sa < sb),
        Operation::LessOrEqualSigned => u64::from(sa <= sb),
        operation if operation.is_float() => float::binary(operation, width, a, b),
        _ => 0,
    };
    truncate(result, width)
}

/// Whether an operation compares: its result has one bit.
#[inline]
pub fn compares(operation: Operation) -> bool {
    operation.compares()
}

/// The operation with this number, which has to be one.
#[inline]
pub fn operation(number: u8) -> Operation {
    Operation::ALL[usize::from(number.saturating_sub(1)).min(Operation::ALL.len() - 1)]
}
