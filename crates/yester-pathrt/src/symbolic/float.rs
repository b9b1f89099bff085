//! Evaluates operations on floating point numbers, which are given by their bits: 32 for a `float`, 64 for a `double`.

use super::value::{signed, truncate};
use crate::format::{Operation, Rounding, not_a_number};

/// Whether the bits are those of no number.
pub fn is_nan(bits: u64, width: u32) -> bool {
    if width == 32 {
        f32::from_bits(bits as u32).is_nan()
    } else {
        f64::from_bits(bits).is_nan()
    }
}

/// Whether the bits are those of a number that is not infinite.
pub fn is_finite(bits: u64, width: u32) -> bool {
    if width == 32 {
        f32::from_bits(bits as u32).is_finite()
    } else {
        f64::from_bits(bits).is_finite()
    }
}

/// The bit that says whether a number is negative.
pub const fn sign(width: u32) -> u64 {
    1 << (width - 1)
}

/// The bits of a result: all that are no number are alike.
fn single(value: f32) -> u64 {
    if value.is_nan() {
        not_a_number(32)
    } else {
        u64::from(value.to_bits())
    }
}

fn double(value: f64) -> u64 {
    if value.is_nan() {
        not_a_number(64)
    } else {
        value.to_bits()
    }
}

/// The result of arithmetic or of a comparison.
pub fn binary(operation: Operation, width: u32, a: u64, b: u64) -> u64 {
    if width == 32 {
        let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        match operation {
            Operation::FloatAdd => single(a + b),
            Operation::FloatSubtract => single(a - b),
            Operation::FloatMultiply => single(a * b),
            Operation::FloatDivide => single(a / b),
            Operation::FloatEqual => u64::from(a == b),
            Operation::FloatLess => u64::from(a < b),
            _ => u64::from(a <= b),
        }
    } else {
        let (a, b) = (f64::from_bits(a), f64::from_bits(b));
        match operation {
            Operation::FloatAdd => double(a + b),
            Operation::FloatSubtract => double(a - b),
            Operation::FloatMultiply => double(a * b),
            Operation::FloatDivide => double(a / b),
            Operation::FloatEqual => u64::from(a == b),
            Operation::FloatLess => u64::from(a < b),
            _ => u64::from(a <= b),
        }
    }
}

/// The result of an operation on one value of `from` bits, in `to` bits. `rounding` is for [`Operation::FloatRound`] only.
pub fn unary(operation: Operation, rounding: u32, from: u32, to: u32, a: u64) -> u64 {
    match operation {
        Operation::FloatFromSigned => {
            let number = signed(a, from);
            if to == 32 {
                single(number as f32)
            } else {
                double(number as f64)
            }
        }
        Operation::FloatFromUnsigned if to == 32 => single(a as f32),
        Operation::FloatFromUnsigned => double(a as f64),
        Operation::FloatToSigned => integer(wide(a, from), to),
        _ => {
            let value = wide(a, from);
            // A square root that is rounded to a double and then to a float is the root as it is rounded to a float.
            let value = match operation {
                Operation::FloatSquareRoot => square_root(value),
                Operation::FloatRound => round(value, rounding),
                _ => value,
            };
            if to == 32 {
                single(value as f32)
            } else {
                double(value)
            }
        }
    }
}

fn wide(bits: u64, width: u32) -> f64 {
    if width == 32 {
        f64::from(f32::from_bits(bits as u32))
    } else {
        f64::from_bits(bits)
    }
}

/// Toward zero; the smallest number for what does not fit.
fn integer(value: f64, width: u32) -> u64 {
    let least = sign(width);
    let limit = least as f64;
    if -limit < value && value < limit {
        truncate(value as i64 as u64, width)
    } else {
        least
    }
}

fn square_root(value: f64) -> f64 {
    use core::arch::x86_64::{_mm_cvtsd_f64, _mm_set_sd, _mm_sqrt_sd};
    // SAFETY: every x86-64 processor has these instructions.
    #[allow(unused_unsafe)]
    unsafe {
        let value = _mm_set_sd(value);
        _mm_cvtsd_f64(_mm_sqrt_sd(value, value))
    }
}

fn round(value: f64, rounding: u32) -> f64 {
    /// From here on every number is integral.
    const INTEGRAL: f64 = (1_u64 << 52) as f64;
    if !(-INTEGRAL < value && value < INTEGRAL) {
        return value;
    }
    let toward = value as i64 as f64;
    let away = if value < 0.0 {
        toward - 1.0
    } else {
        toward + 1.0
    };
    // Both are exact, as is the difference.
    let rest = if value < toward {
        toward - value
    } else {
        value - toward
    };
    let goes_away = match Rounding::ALL.get(rounding as usize) {
        Some(Rounding::NearestEven) => rest > 0.5 || (rest == 0.5 && toward as i64 % 2 != 0),
        Some(Rounding::NearestAway) => rest >= 0.5,
        Some(Rounding::Up) => value > toward,
        Some(Rounding::Down) => value < toward,
        _ => false,
    };
    let rounded = if goes_away { away } else { toward };
    // A zero keeps the sign.
    let magnitude = rounded.to_bits() & !sign(64);
    f64::from_bits(magnitude | value.to_bits() & sign(64))
}

/// Whether this thread rounds to nearest and has small numbers, as C programs do unless they ask for something else.
pub fn rounds_as_usual() -> bool {
    /// Rounding, flushing results to zero, and taking operands for zero.
    const MODES: u32 = 0x6000 | 0x8000 | 0x40;
    let mut control = 0_u32;
    // SAFETY: this stores 32 bits.
    unsafe {
        core::arch::asm!("stmxcsr [{0}]", in(reg) &raw mut control, options(nostack, preserves_flags));
    }
    control & MODES == 0
}
