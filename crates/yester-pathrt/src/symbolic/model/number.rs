//! Numbers in text: an automaton over the bytes (space, sign, digits, the rest) whose states are conditions. So a query can find
//! another number, with a sign or fewer digits, in text of the same length.

use super::super::engine::Engine;
use super::super::memory;
use super::{StringSpan, start};
use crate::format::Operation;
use core::ffi::{c_char, c_int};

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
    fn strtol(text: *const c_char, end: *mut *mut c_char, base: c_int) -> i64;
    fn strtoul(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64;
}

/// A number with more characters than this may overflow 64 bits.
const MOST_FREE: usize = 15;
/// By how many characters a number may become longer.
const MOST_MORE: usize = 4;
/// Longer numbers are not modelled.
pub const MOST_LENGTH: usize = 80;

/// A number that was parsed from text.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its value, 64 bits, modulo 2^64.
    pub value: u32,
    /// The address behind its last digit, or of the text if there is none; 64 bits.
    pub end: u32,
    /// Whether it may go on behind the text that was looked at; one bit.
    open: u32,
}

/// Space, as C's `isspace` has it.
pub fn is_space(byte: u8) -> bool {
    byte == b' ' || (9..=13).contains(&byte)
}

/// The value of a digit.
pub fn digit(byte: u8, base: u32) -> Option<u32> {
    (byte as char).to_digit(36).filter(|&digit| digit < base)
}

impl Engine {
    /// Whether a byte is space.
    pub fn space_node(&mut self, byte: u32) -> u32 {
        let control = self.graph.within(byte, 9, 13);
        let blank = self.graph.is(byte, 32);
        self.graph.either(control, blank)
    }

    /// Whether a byte is a digit, and what it is worth (in `width` bits).
    pub fn digit_node(&mut self, byte: u32, base: u32, width: u32) -> (u32, u32) {
        let count = base.min(10);
        let mut is_digit = self.graph.within(
            byte,
            u64::from(b'0'),
            u64::from(b'0') + u64::from(count) - 1,
        );
        let mut worth = self.offset(byte, b'0', 0, width);
        if base > 10 {
            for first in *b"aA" {
                let last = u64::from(first) + u64::from(base) - 11;
                let letter = self.graph.within(byte, u64::from(first), last);
                let value = self.offset(byte, first, 10, width);
                worth = self.graph.choose(letter, value, worth);
                is_digit = self.graph.either(is_digit, letter);
            }
        }
        (is_digit, worth)
    }

    fn offset(&mut self, byte: u32, first: u8, worth: u64, width: u32) -> u32 {
        let wide = self.graph.extend(Operation::ZeroExtend, byte, width);
        if wide == 0 {
            return 0;
        }
        let difference = self
            .graph
            .constant(width, worth.wrapping_sub(u64::from(first)));
        self.graph.binary(Operation::Add, wide, difference)
    }

    /// Assumes the kind of a byte (one of space, sign, digit, none).
    fn assume_kind(&mut self, byte: u32, base: u32) {
        if byte == 0 || self.graph.is_constant(byte) {
            return;
        }
        let concrete = self.graph.value(byte) as u8;
        if concrete == b'-' || concrete == b'+' {
            return self.concretise(byte);
        }
        let space = self.space_node(byte);
        let (is_digit, _) = self.digit_node(byte, base, 64);
        if is_space(concrete) {
            self.assume(space);
        } else if digit(concrete, base).is_some() {
            self.assume(is_digit);
        } else {
            for other in *b"+-" {
                let sign = self.graph.is(byte, u64::from(other));
                let no_sign = self.graph.not(sign);
                self.assume(no_sign);
            }
            let no_space = self.graph.not(space);
            let no_digit = self.graph.not(is_digit);
            self.assume(no_space);
            self.assume(no_digit);
        }
    }

    /// The number at the start of a text, as `strtol` reads it.
    pub fn number(&mut self, text: StringSpan, base: u32) -> Option<Number> {
        let mut bytes = [0; MOST_LENGTH];
        let mut count = (text.length as usize).min(MOST_LENGTH);
        // Behind the end of a short text are only bytes of longer ones. They need not have all that many digits: a query is harder
        // for each.
        let short = (0..MOST_FREE).find(|index| memory::byte(text.start + *index as u64) == 0);
        let most = short.map_or(count, |end| (end + MOST_MORE).min(MOST_FREE));
        let is_cut = most < count;
        count = count.min(most);
        for (index, byte) in bytes[..count].iter_mut().enumerate() {
            *byte = self.byte(text.start + index as u64);
        }
        let number = self.number_in(&bytes[..count], text.start, base)?;
        if is_cut {
            let next = self.byte(text.start + count as u64);
            let ends = self.graph.is(next, 0);
            let closed = self.graph.not(number.open);
            let is_whole = self.graph.either(closed, ends);
            self.assume(is_whole);
        }
        Some(number)
    }

    /// The same for bytes that are not in memory; `origin` is what the address of the first is taken for.
    pub fn number_in(&mut self, bytes: &[u32], origin: u64, base: u32) -> Option<Number> {
        if bytes.contains(&0) {
            return None;
        }
        let concrete = |engine: &Engine, index: usize| {
            bytes
                .get(index)
                .map_or(0, |&byte| engine.graph.value(byte) as u8)
        };
        let mut base = base;
        let mut first = 0;
        let mut negative = self.graph.truth(false);
        let mut skipping = self.graph.truth(true);
        let mut inside = self.graph.truth(false);
        if base == 0 || base == 16 {
            // The prefix is assumed, and so is everything before it.
            while is_space(concrete(self, first)) {
                self.assume_kind(bytes[first], 10);
                first += 1;
            }
            if let Some(&byte) = bytes.get(first) {
                self.assume_kind(byte, 10);
            }
            if matches!(concrete(self, first), b'-' | b'+') {
                negative = self.graph.truth(concrete(self, first) == b'-');
                first += 1;
            }
            let zero = concrete(self, first) == b'0';
            let prefixed = zero
                && concrete(self, first + 1) | 0x20 == b'x'
                && digit(concrete(self, first + 2), 16).is_some();
            if let Some(&byte) = bytes.get(first) {
                let is_zero = self.graph.is(byte, u64::from(b'0'));
                let condition = if zero {
                    is_zero
                } else {
                    self.graph.not(is_zero)
                };
                self.assume(condition);
            }
            if zero && let Some(&next) = bytes.get(first + 1) {
                if prefixed {
                    self.concretise(next);
                } else {
                    for letter in *b"xX" {
                        let same = self.graph.is(next, u64::from(letter));
                        let other = self.graph.not(same);
                        self.assume(other);
                    }
                }
            }
            if base == 0 {
                base = match (prefixed, zero) {
                    (true, _) => 16,
                    (false, true) => 8,
                    _ => 10,
                };
            }
            first += if prefixed { 2 } else { 0 };
            skipping = self.graph.truth(false);
            inside = self.graph.truth(true);
        }
        self.automaton(bytes, origin, first, base, (skipping, inside, negative))
    }

    fn automaton(
        &mut self,
        bytes: &[u32],
        origin: u64,
        first: usize,
        base: u32,
        (mut skipping, mut inside, mut negative): (u32, u32, u32),
    ) -> Option<Number> {
        let mut last = bytes.len();
        if last > first + MOST_FREE {
            last = self.assume_shape(bytes, first, base)?;
        }
        let count = last.saturating_sub(first) as u32;
        let bits = if base <= 10 { 4 } else { 6 };
        let width = (count * bits + 2).clamp(8, 64);
        let mut sum = self.graph.constant(width, 0);
        let mut end = self.graph.constant(64, origin);
        let base_node = self.graph.constant(width, u64::from(base));
        for (index, &byte) in bytes.iter().enumerate().take(last).skip(first) {
            let (is_digit, worth) = self.digit_node(byte, base, width);
            let space = self.space_node(byte);
            let minus = self.graph.is(byte, u64::from(b'-'));
            let plus = self.graph.is(byte, u64::from(b'+'));
            let sign = self.graph.either(minus, plus);
            let open = self.graph.either(skipping, inside);
            let takes = self.graph.both(open, is_digit);
            let first_sign = self.graph.both(skipping, sign);
            let first_minus = self.graph.both(skipping, minus);
            negative = self.graph.either(negative, first_minus);
            let product = self.graph.binary(Operation::Multiply, sum, base_node);
            let next = self.graph.binary(Operation::Add, product, worth);
            sum = self.graph.choose(takes, next, sum);
            let behind = self.graph.constant(64, origin + index as u64 + 1);
            end = self.graph.choose(takes, behind, end);
            skipping = self.graph.both(skipping, space);
            inside = self.graph.either(takes, first_sign);
            if sum == 0 || inside == 0 {
                return None;
            }
            if self.graph.constant_value(skipping) == Some(0)
                && self.graph.constant_value(inside) == Some(0)
            {
                break;
            }
        }
        let zero = self.graph.constant(width, 0);
        let turned = self.graph.binary(Operation::Subtract, zero, sum);
        let value = self.graph.choose(negative, turned, sum);
        let value = self.graph.extend(Operation::SignExtend, value, 64);
        let open = self.graph.either(skipping, inside);
        (value != 0 && end != 0).then_some(Number { value, end, open })
    }

    /// Assumes what is space, sign and digit in a number that may be too long. Gives where it ends.
    fn assume_shape(&mut self, bytes: &[u32], first: usize, base: u32) -> Option<usize> {
        let mut index = first;
        let mut digits = 0;
        let mut signed = false;
        while let Some(&byte) = bytes.get(index) {
            let concrete = self.graph.value(byte) as u8;
            self.assume_kind(byte, base);
            let goes_on = if digit(concrete, base).is_some() {
                digits += 1;
                true
            } else if digits == 0 && !signed {
                signed = matches!(concrete, b'+' | b'-');
                signed || is_space(concrete)
            } else {
                false
            };
            if !goes_on {
                break;
            }
            index += 1;
        }
        if digits > MOST_FREE + 3 {
            self.lose(&[b"a number that may be too big"]);
            return None;
        }
        Some(index)
    }

    /// A number in a text that the program has passed, if any of it depends on the input.
    fn number_of(&mut self, text: *const c_char, base: u32) -> Option<Number> {
        // SAFETY: the program has passed it as a string.
        let length = unsafe { strlen(text) } as u64;
        if !self.is_symbolic(text as u64, length) || base == 1 || base > 36 {
            return None;
        }
        let text = self.text(text as u64, length)?;
        self.number(text, base)
    }
}

macro_rules! plain_number {
    ($name:ident, $kind:ty, $width:literal, $documentation:literal) => {
        models! {
            #[doc = $documentation]
            fn $name(text: *const c_char) -> $kind {
                let callee = $name as *const () as usize;
                let result = strtol(text, core::ptr::null_mut(), 10) as $kind;
                if let Some((mut engine, [pointer])) = start(callee, [(text as u64, 64)]) {
                    engine.concretise(pointer);
                    if let Some(number) = engine.number_of(text, 10) {
                        let node = engine.graph.extract(number.value, 0, $width);
                        engine.give(callee as u64, node, result as u64);
                    }
                }
                result
            }
        }
    };
}

plain_number!(__yester_model_atoi, c_int, 32, "`atoi`.");
plain_number!(__yester_model_atol, i64, 64, "`atol`.");
plain_number!(__yester_model_atoll, i64, 64, "`atoll`.");

macro_rules! number_with_end {
    ($name:ident, $real:ident, $kind:ty, $documentation:literal) => {
        models! {
            #[doc = $documentation]
            fn $name(text: *const c_char, end: *mut *mut c_char, base: c_int) -> $kind {
                let callee = $name as *const () as usize;
                let result = $real(text, end, base);
                let values = [(text as u64, 64), (end as u64, 64), (u64::from(base as u32), 32)];
                if let Some((mut engine, nodes)) = start(callee, values) {
                    engine.concretise_all(&nodes);
                    let number = engine.number_of(text, base as u32);
                    if !end.is_null() {
                        let place = number.map_or(0, |number| number.end);
                        let place = engine.result(place, *end as u64);
                        engine.shadow.store(end as u64, 8, place);
                    }
                    if let Some(number) = number {
                        engine.give(callee as u64, number.value, result as u64);
                    }
                }
                result
            }
        }
    };
}

number_with_end!(__yester_model_strtol, strtol, i64, "`strtol`.");
number_with_end!(__yester_model_strtoll, strtol, i64, "`strtoll`.");
number_with_end!(__yester_model_strtoul, strtoul, u64, "`strtoul`.");
number_with_end!(__yester_model_strtoull, strtoul, u64, "`strtoull`.");
number_with_end!(
    __yester_model___isoc23_strtol,
    strtol,
    i64,
    "`strtol` of newer glibc."
);
number_with_end!(
    __yester_model___isoc23_strtoul,
    strtoul,
    u64,
    "`strtoul` of newer glibc."
);
number_with_end!(
    __yester_model___isoc23_strtoll,
    strtol,
    i64,
    "`strtoll` of newer glibc."
);
number_with_end!(
    __yester_model___isoc23_strtoull,
    strtoul,
    u64,
    "`strtoull` of newer glibc."
);
