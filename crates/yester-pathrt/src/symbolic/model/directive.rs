//! Conversions in formats of printf.

use super::super::memory;

/// Numbers with more digits than this are not followed.
pub const MOST_DIGITS: u64 = 64;

/// A power of a base, if it fits.
pub fn power(base: u64, exponent: u32) -> Option<u64> {
    base.checked_pow(exponent)
}

/// One conversion of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    /// `-`.
    pub is_left: bool,
    /// `+` or a space.
    pub has_sign: bool,
    /// `#`.
    pub is_alternative: bool,
    /// `0`.
    pub has_zeros: bool,
    /// `'` or `I`, which ask the locale.
    pub is_grouped: bool,
    /// At least so many characters.
    pub width: u64,
    /// What stands behind the point.
    pub precision: Option<u64>,
    /// The width of an integer.
    pub bits: u32,
    /// Whether `c` and `s` are wide.
    pub is_wide: bool,
    /// `L`.
    pub is_long_double: bool,
    /// Its letter.
    pub kind: u8,
}

fn number(place: &mut u64) -> u64 {
    let mut number = 0_u64;
    while let digit @ b'0'..=b'9' = memory::byte(*place) {
        number = number
            .saturating_mul(10)
            .saturating_add(u64::from(digit - b'0'));
        *place += 1;
    }
    number
}

impl Directive {
    /// Reads one behind its percent sign; also what is behind it. `argument` gives the number for a star. None for
    /// arguments by their numbers, and at the end of a format.
    pub fn parse(place: u64, mut argument: impl FnMut() -> i32) -> Option<(Directive, u64)> {
        let mut place = place;
        let mut directive = Directive {
            is_left: false,
            has_sign: false,
            is_alternative: false,
            has_zeros: false,
            is_grouped: false,
            width: 0,
            precision: None,
            bits: 32,
            is_wide: false,
            is_long_double: false,
            kind: 0,
        };
        loop {
            match memory::byte(place) {
                b'-' => directive.is_left = true,
                b'+' | b' ' => directive.has_sign = true,
                b'#' => directive.is_alternative = true,
                b'0' => directive.has_zeros = true,
                b'\'' | b'I' => directive.is_grouped = true,
                _ => break,
            }
            place += 1;
        }
        if memory::byte(place) == b'*' {
            place += 1;
            if memory::byte(place).is_ascii_digit() {
                return None;
            }
            let width = argument();
            directive.is_left |= width < 0;
            directive.width = u64::from(width.unsigned_abs());
        } else {
            directive.width = number(&mut place);
        }
        if memory::byte(place) == b'$' {
            return None;
        }
        if memory::byte(place) == b'.' {
            place += 1;
            if memory::byte(place) == b'*' {
                place += 1;
                if memory::byte(place).is_ascii_digit() {
                    return None;
                }
                directive.precision = u64::try_from(argument()).ok();
            } else {
                directive.precision = Some(number(&mut place));
            }
        }
        loop {
            match memory::byte(place) {
                b'h' => directive.bits /= 2,
                b'l' | b'q' | b'j' | b'z' | b't' | b'Z' => {
                    directive.bits = 64;
                    directive.is_wide |= memory::byte(place) == b'l';
                }
                b'L' => {
                    directive.bits = 64;
                    directive.is_long_double = true;
                }
                _ => break,
            }
            place += 1;
        }
        directive.kind = memory::byte(place);
        (directive.kind != 0 && directive.bits >= 8).then_some((directive, place + 1))
    }
}
