//! Computes with floating point numbers by their bits.

use yester_pathrt::format::{Operation, Rounding, not_a_number};

use super::evaluation::signed;

/// The bits of a result. All that are no number are alike.
fn single(value: f32) -> u64 {
    if value.is_nan() {
        not_a_number(32)
    } else {
        value.to_bits().into()
    }
}

fn double(value: f64) -> u64 {
    if value.is_nan() {
        not_a_number(64)
    } else {
        value.to_bits()
    }
}

/// Arithmetic, or a comparison, of numbers of `width` bits.
pub(super) fn binary(operation: Operation, a: u64, b: u64, width: u32) -> u64 {
    if width == 32 {
        let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        return match operation {
            Operation::FloatAdd => single(a + b),
            Operation::FloatSubtract => single(a - b),
            Operation::FloatMultiply => single(a * b),
            Operation::FloatDivide => single(a / b),
            Operation::FloatEqual => u64::from(a == b),
            Operation::FloatLess => u64::from(a < b),
            Operation::FloatLessOrEqual => u64::from(a <= b),
            _ => unreachable!("no operation on two floating point numbers"),
        };
    }
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    match operation {
        Operation::FloatAdd => double(a + b),
        Operation::FloatSubtract => double(a - b),
        Operation::FloatMultiply => double(a * b),
        Operation::FloatDivide => double(a / b),
        Operation::FloatEqual => u64::from(a == b),
        Operation::FloatLess => u64::from(a < b),
        Operation::FloatLessOrEqual => u64::from(a <= b),
        _ => unreachable!("no operation on two floating point numbers"),
    }
}

/// An operation on a value of `from` bits, with a result of `to` bits.
pub(super) fn unary(operation: Operation, a: u64, from: u32, to: u32) -> u64 {
    match (operation, from, to) {
        (Operation::FloatSquareRoot, 32, _) => single(f32::from_bits(a as u32).sqrt()),
        (Operation::FloatSquareRoot, ..) => double(f64::from_bits(a).sqrt()),
        (Operation::FloatConvert, 32, 32) => single(f32::from_bits(a as u32)),
        (Operation::FloatConvert, 32, _) => double(f32::from_bits(a as u32).into()),
        (Operation::FloatConvert, _, 32) => single(f64::from_bits(a) as f32),
        (Operation::FloatConvert, ..) => double(f64::from_bits(a)),
        (Operation::FloatFromSigned, _, 32) => single(signed(a, from) as f32),
        (Operation::FloatFromSigned, ..) => double(signed(a, from) as f64),
        (Operation::FloatFromUnsigned, _, 32) => single(a as f32),
        (Operation::FloatFromUnsigned, ..) => double(a as f64),
        (Operation::FloatToSigned, 32, _) => integer(f32::from_bits(a as u32).into(), to),
        (Operation::FloatToSigned, ..) => integer(f64::from_bits(a), to),
        _ => unreachable!("no operation on one floating point number"),
    }
}

/// Toward zero; the smallest integer for what does not fit, as x86 has it.
fn integer(value: f64, width: u32) -> u64 {
    let limit = 2f64.powi(width as i32 - 1);
    if -limit < value && value < limit {
        value as i64 as u64
    } else {
        1 << (width - 1)
    }
}

/// A number of `width` bits as an integral one.
pub(super) fn round(rounding: Rounding, a: u64, width: u32) -> u64 {
    let value = match width {
        32 => f64::from(f32::from_bits(a as u32)),
        _ => f64::from_bits(a),
    };
    let rounded = match rounding {
        Rounding::NearestEven => value.round_ties_even(),
        Rounding::NearestAway => value.round(),
        Rounding::Up => value.ceil(),
        Rounding::Down => value.floor(),
        Rounding::TowardZero => value.trunc(),
    };
    match width {
        // An integral number that is no greater than a float is one.
        32 => single(rounded as f32),
        _ => double(rounded),
    }
}

/// The bit of the sign.
pub(super) fn sign(width: u32) -> u64 {
    1 << (width - 1)
}
