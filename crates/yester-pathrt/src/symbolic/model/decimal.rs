//! Decimal numbers in text, as `strtod` reads them: an integer of all digits, divided by or multiplied with a power of ten. As long
//! as both are exact, rounding the result once gives what the library gives.
//!
//! Before the point, space, sign and digits are found by an automaton, as for integers. Where the point is, how many digits are
//! behind it, and the exponent are assumed if there is a number at all.

use super::super::engine::Engine;
use super::super::float;
use super::number::is_space;
use super::start;
use crate::format::Operation;
use core::ffi::c_char;

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
    fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32;
}

/// As many bytes of a text are looked at.
const MOST_BYTES: usize = 80;
/// The greatest number of digits and power of ten that a `double` has exactly.
const MOST_DIGITS: usize = 15;
const MOST_POWER: i32 = 22;
/// The same for a `float`.
const MOST_FLOAT_DIGITS: usize = 7;
const MOST_FLOAT_POWER: i32 = 10;
/// A number that was found in a text.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    /// The bits of its value.
    pub value: u32,
    /// The address behind it, or of the text if there is none; 64 bits.
    pub end: u32,
}

/// How the number in a text is written, in this run.
struct Layout {
    /// Where the digits or the sign begin.
    first: usize,
    /// Where the point or the exponent is, if there is one.
    tail: Option<usize>,
    /// How many digits are behind the point.
    fraction: usize,
    exponent: i32,
    has_exponent: bool,
    /// Behind the number.
    end: usize,
}

impl Layout {
    /// Reads a text. None for what is no decimal number, such as infinity.
    fn of(text: impl Fn(usize) -> u8) -> Option<Layout> {
        let digits = |mut place: usize| {
            let from = place;
            while text(place).is_ascii_digit() {
                place += 1;
            }
            place - from
        };
        let mut place = 0;
        while is_space(text(place)) {
            place += 1;
        }
        let first = place;
        place += usize::from(matches!(text(place), b'+' | b'-'));
        let before = digits(place);
        if matches!(text(place) | 0x20, b'i' | b'n')
            || (before == 1 && text(place) == b'0' && text(place + 1) | 0x20 == b'x')
        {
            return None;
        }
        let mut layout = Layout {
            first,
            tail: None,
            fraction: 0,
            exponent: 0,
            has_exponent: false,
            end: place + before,
        };
        let fraction = if text(layout.end) == b'.' {
            digits(layout.end + 1)
        } else {
            0
        };
        if before + fraction == 0 {
            layout.end = 0;
            return Some(layout);
        }
        if text(layout.end) == b'.' {
            layout.tail = Some(layout.end);
            layout.fraction = fraction;
            layout.end += 1 + fraction;
        }
        if text(layout.end) | 0x20 == b'e' {
            let place = layout.end + 1;
            let sign = usize::from(matches!(text(place), b'+' | b'-'));
            let count = digits(place + sign);
            if count > 0 {
                layout.tail = layout.tail.or(Some(layout.end));
                let mut exponent = 0_i32;
                for index in 0..count {
                    let digit = i32::from(text(place + sign + index) - b'0');
                    exponent = exponent.saturating_mul(10).saturating_add(digit);
                }
                layout.has_exponent = true;
                let is_negative = text(place) == b'-';
                layout.exponent = if is_negative { -exponent } else { exponent };
                layout.end = place + sign + count;
            }
        }
        Some(layout)
    }
}

/// What the automaton knows of the digits before the point.
#[derive(Clone, Copy)]
struct Integer {
    /// Whether only space has come yet.
    skipping: u32,
    /// Whether a sign or digit was the last thing.
    inside: u32,
    /// Whether there was a digit.
    any: u32,
    /// Whether there were several.
    several: u32,
    minus: u32,
    sum: u32,
    end: u32,
}

impl Engine {
    /// Assumes a condition that matters only if another one holds. False if it does not hold in this run.
    fn assume_where(&mut self, matters: u32, condition: u32) -> bool {
        let idle = self.graph.not(matters);
        let weaker = self.graph.either(idle, condition);
        let holds = weaker != 0 && self.graph.value(weaker) == 1;
        if holds {
            self.assume(weaker);
        }
        holds
    }

    /// Whether a byte is one of some characters.
    fn one_of(&mut self, byte: u32, characters: &[u8]) -> u32 {
        let mut any = self.graph.truth(false);
        for &character in characters {
            let same = self.graph.is(byte, u64::from(character));
            any = self.graph.either(any, same);
        }
        any
    }

    /// The number at the start of `bytes`, in as many bits as a `float` or `double` has. `origin` is what the address of the first
    /// byte is taken for. None if it is not followed.
    pub fn decimal_in(&mut self, bytes: &[u32], origin: u64, width: u32) -> Option<Decimal> {
        let (most_digits, most_power) = match width {
            32 => (MOST_FLOAT_DIGITS, MOST_FLOAT_POWER),
            _ => (MOST_DIGITS, MOST_POWER),
        };
        if bytes.contains(&0) || !float::rounds_as_usual() {
            return None;
        }
        let graph = &self.graph;
        let text = |index: usize| bytes.get(index).map_or(0, |&byte| graph.value(byte) as u8);
        let layout = Layout::of(text)?;
        let power = layout.exponent.checked_sub(layout.fraction as i32)?;
        if power.abs() > most_power {
            return None;
        }
        let tail = layout.tail.unwrap_or(bytes.len());
        let room = most_digits.checked_sub(layout.fraction)?;
        let mut first = 0;
        if tail > room {
            // With so many bytes a number does not begin in the space before it.
            for &byte in &bytes[..layout.first] {
                let space = self.space_node(byte);
                self.assume(space);
            }
            first = layout.first;
        }
        let mut last = tail;
        if last - first > room {
            if layout.tail.is_some() || layout.end > first + room {
                return None;
            }
            last = first + room;
        }
        let digits = last - first + layout.fraction;
        let bits = (10 * digits as u32).div_ceil(3).max(7) + 1;
        let integer = self.integer_part(bytes, first..last, origin, bits)?;
        let (sum, negative, end) = match layout.tail {
            None => {
                let open = self.graph.either(integer.skipping, integer.inside);
                if let Some(&next) = bytes.get(last) {
                    self.assume_no_digit(open, next)?;
                    self.assume_end(&integer, next, &bytes[last + 1..])?;
                }
                // A sign without a number is none.
                let negative = self.graph.both(integer.minus, integer.any);
                (integer.sum, negative, integer.end)
            }
            Some(tail) => self.tail(bytes, tail, &layout, origin, &integer)?,
        };
        let number = self
            .graph
            .float_unary(Operation::FloatFromUnsigned, sum, width, 0);
        let ten = power_of_ten(power.unsigned_abs(), width);
        let ten = self.graph.constant(width, ten);
        let size = match power {
            0 => number,
            ..0 => self.graph.binary(Operation::FloatDivide, number, ten),
            _ => self.graph.binary(Operation::FloatMultiply, number, ten),
        };
        let turned = self.graph.float_negate(size);
        let value = self.graph.choose(negative, turned, size);
        (value != 0 && end != 0).then_some(Decimal { value, end })
    }

    /// Space, a sign and digits.
    fn integer_part(
        &mut self,
        bytes: &[u32],
        range: core::ops::Range<usize>,
        origin: u64,
        bits: u32,
    ) -> Option<Integer> {
        let no = self.graph.truth(false);
        let mut integer = Integer {
            skipping: self.graph.truth(true),
            inside: no,
            any: no,
            several: no,
            minus: no,
            sum: self.graph.constant(bits, 0),
            end: self.graph.constant(64, origin),
        };
        let ten = self.graph.constant(bits, 10);
        for index in range {
            let byte = bytes[index];
            let open = self.graph.either(integer.skipping, integer.inside);
            if self.graph.constant_value(open) == Some(0) {
                break;
            }
            self.assume_end(&integer, byte, &bytes[index + 1..])?;
            let (is_digit, worth) = self.digit_node(byte, 10, bits);
            let space = self.space_node(byte);
            let minus = self.graph.is(byte, u64::from(b'-'));
            let sign = self.one_of(byte, b"+-");
            let takes = self.graph.both(open, is_digit);
            let graph = &mut self.graph;
            let first_sign = graph.both(integer.skipping, sign);
            let first_minus = graph.both(integer.skipping, minus);
            integer.minus = graph.either(integer.minus, first_minus);
            let product = graph.binary(Operation::Multiply, integer.sum, ten);
            let next = graph.binary(Operation::Add, product, worth);
            integer.sum = graph.choose(takes, next, integer.sum);
            let again = graph.both(integer.any, takes);
            integer.several = graph.either(integer.several, again);
            integer.any = graph.either(integer.any, takes);
            let behind = graph.constant(64, origin + index as u64 + 1);
            integer.end = graph.choose(takes, behind, integer.end);
            integer.skipping = graph.both(integer.skipping, space);
            integer.inside = graph.either(takes, first_sign);
            if integer.sum == 0 || integer.inside == 0 {
                return None;
            }
        }
        Some(integer)
    }

    fn assume_no_digit(&mut self, matters: u32, byte: u32) -> Option<()> {
        let (is_digit, _) = self.digit_node(byte, 10, 8);
        let no_digit = self.graph.not(is_digit);
        self.assume_where(matters, no_digit).then_some(())
    }

    /// Assumes that a byte before the point does not go on the number in a way that is not modelled: with a point, an exponent,
    /// as a hexadecimal number, or as infinity or NaN.
    fn assume_end(&mut self, integer: &Integer, byte: u32, behind: &[u32]) -> Option<()> {
        let open = self.graph.either(integer.skipping, integer.inside);
        let point = self.graph.is(byte, u64::from(b'.'));
        let letter = self.one_of(byte, b"xX");
        let is_zero = self.graph.is(integer.sum, 0);
        let first = self.graph.not(integer.several);
        let prefix = self.graph.both(is_zero, first);
        let prefix = self.graph.both(prefix, integer.any);
        let hexadecimal = self.graph.both(letter, prefix);
        let letter = self.one_of(byte, b"iInN");
        let none = self.graph.not(integer.any);
        let word = self.graph.both(letter, none);
        let special = self.graph.either(point, hexadecimal);
        let special = self.graph.either(special, word);
        let other = self.graph.not(special);
        if !self.assume_where(open, other) {
            return None;
        }
        let digits = self.graph.both(open, integer.any);
        self.assume_no_exponent(digits, byte, behind)
    }

    /// Assumes that no exponent follows digits. An `e` that begins none, such as that of a unit, stays.
    fn assume_no_exponent(&mut self, digits: u32, byte: u32, behind: &[u32]) -> Option<()> {
        let letter = self.one_of(byte, b"eE");
        let other = self.graph.not(letter);
        if self.assume_where(digits, other) {
            return Some(());
        }
        self.assume_where(digits, letter);
        let Some((&next, behind)) = behind.split_first() else {
            return Some(());
        };
        let sign = self.one_of(next, b"+-");
        if self.graph.value(sign) == 1 {
            self.assume_where(digits, sign);
            return match behind.first() {
                Some(&next) => self.assume_no_digit(digits, next),
                None => Some(()),
            };
        }
        let no_sign = self.graph.not(sign);
        self.assume_where(digits, no_sign);
        self.assume_no_digit(digits, next)
    }

    /// The point, the digits behind it and the exponent, if the number reaches that far. Gives all digits, the sign, and the end.
    fn tail(
        &mut self,
        bytes: &[u32],
        tail: usize,
        layout: &Layout,
        origin: u64,
        integer: &Integer,
    ) -> Option<(u32, u32, u32)> {
        let open = self.graph.either(integer.skipping, integer.inside);
        let alive = match layout.fraction {
            0 => self.graph.both(open, integer.any),
            _ => open,
        };
        // Otherwise there is no number at all, wherever it could begin.
        let begun = self.graph.either(open, integer.any);
        let none = self.graph.not(begun);
        let either = self.graph.either(alive, none);
        self.assume(either);
        let mut sum = integer.sum;
        let bits = self.graph.width(sum);
        let ten = self.graph.constant(bits, 10);
        let fraction = tail + 1..tail + 1 + layout.fraction;
        for (index, &byte) in bytes.iter().enumerate().take(layout.end).skip(tail) {
            let condition = if fraction.contains(&index) {
                let (is_digit, worth) = self.digit_node(byte, 10, bits);
                let product = self.graph.binary(Operation::Multiply, sum, ten);
                sum = self.graph.binary(Operation::Add, product, worth);
                is_digit
            } else {
                self.graph.is(byte, self.graph.value(byte))
            };
            if condition == 0 || !self.assume_where(alive, condition) {
                return None;
            }
        }
        if let Some(&next) = bytes.get(layout.end) {
            self.assume_no_digit(alive, next)?;
            if !layout.has_exponent {
                self.assume_no_exponent(alive, next, &bytes[layout.end + 1..])?;
            }
        }
        let zero = self.graph.constant(bits, 0);
        let sum = self.graph.choose(alive, sum, zero);
        let negative = self.graph.both(integer.minus, alive);
        let nowhere = self.graph.constant(64, origin);
        let behind = self.graph.constant(64, origin + layout.end as u64);
        let end = self.graph.choose(alive, behind, nowhere);
        Some((sum, negative, end))
    }

    /// A number in a text that the program has passed, if any of it depends on the input. The library has read so many bytes.
    fn decimal_of(&mut self, text: *const c_char, read: usize, width: u32) -> Option<Decimal> {
        // SAFETY: the program has passed it as a string.
        let length = unsafe { strlen(text) } as u64;
        if !self.is_symbolic(text as u64, length) {
            return None;
        }
        let text = self.text(text as u64, length)?;
        let mut bytes = [0; MOST_BYTES];
        let count = (text.length as usize).min(MOST_BYTES);
        for (index, byte) in bytes[..count].iter_mut().enumerate() {
            *byte = self.byte(text.start + index as u64);
        }
        let number = self.decimal_in(&bytes[..count], text.start, width);
        if number.is_none() {
            self.lose(&[b"a floating point number that is too long or not decimal"]);
            // No more than a word such as "infinity" further is looked at, except for the end of `nan(...)`.
            let is_nan = self.graph.value(bytes[0]) | 0x20 == u64::from(b'n');
            let seen = if is_nan { count } else { count.min(read + 8) };
            self.concretise_all(&bytes[..seen]);
        }
        number
    }
}

/// The bits of an exact power of ten.
fn power_of_ten(power: u32, width: u32) -> u64 {
    let mut value = 1.0_f64;
    for _ in 0..power {
        value *= 10.0;
    }
    float::unary(Operation::FloatConvert, 0, 64, width, value.to_bits())
}

macro_rules! decimal {
    ($name:ident, $real:ident, $width:literal, $kind:ty, $documentation:literal) => {
        models! {
            #[doc = $documentation]
            fn $name(text: *const c_char, end: *mut *mut c_char) -> $kind {
                let callee = $name as *const () as usize;
                let mut behind = text.cast_mut();
                let result = $real(text, &raw mut behind);
                if !end.is_null() {
                    *end = behind;
                }
                let values = [(text as u64, 64), (end as u64, 64)];
                if let Some((mut engine, nodes)) = start(callee, values) {
                    engine.concretise_all(&nodes);
                    let number = engine.decimal_of(text, behind.offset_from_unsigned(text), $width);
                    if !end.is_null() {
                        let place = number.map_or(0, |number| number.end);
                        let place = engine.result(place, *end as u64);
                        engine.shadow.store(end as u64, 8, place);
                    }
                    if let Some(number) = number {
                        engine.give(callee as u64, number.value, u64::from(result.to_bits()));
                    }
                }
                result
            }
        }
    };
}

decimal!(__yester_model_strtod, strtod, 64, f64, "`strtod`.");
decimal!(__yester_model_strtof, strtof, 32, f32, "`strtof`.");

models! {
    /// `atof`.
    fn __yester_model_atof(text: *const c_char) -> f64 {
        let callee = __yester_model_atof as *const () as usize;
        let mut behind = text.cast_mut();
        let result = strtod(text, &raw mut behind);
        if let Some((mut engine, [pointer])) = start(callee, [(text as u64, 64)]) {
            engine.concretise(pointer);
            if let Some(number) = engine.decimal_of(text, behind.offset_from_unsigned(text), 64) {
                engine.give(callee as u64, number.value, result.to_bits());
            }
        }
        result
    }
}
