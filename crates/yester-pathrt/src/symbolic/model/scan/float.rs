//! Floating point numbers that scanf reads.

use super::super::super::engine::{Engine, enter};
use super::super::conversion::Conversion;
use super::Scan;
use core::ffi::c_char;

unsafe extern "C" {
    fn strtod(text: *const c_char, end: *mut *mut c_char) -> f64;
    fn strtof(text: *const c_char, end: *mut *mut c_char) -> f32;
}

impl Scan {
    /// A decimal number.
    pub(super) fn float(&mut self, conversion: &Conversion) -> Option<bool> {
        let (mut byte, mut node) = self.skip();
        if byte < 0 {
            return None;
        }
        let mut text = [0_u8; 128];
        let mut nodes = [0_u32; 128];
        let mut length = 0;
        let most = conversion.width.min(text.len() - 1);
        let (mut digits, mut point, mut exponent) = (0, false, false);
        while byte >= 0 && length < most {
            let character = byte as u8;
            let after_exponent = length > 0 && matches!(text[length - 1], b'e' | b'E');
            match character {
                b'0'..=b'9' => digits += 1,
                b'+' | b'-' if length == 0 || after_exponent => {}
                b'.' if !point && !exponent => point = true,
                b'e' | b'E' if digits > 0 && !exponent => exponent = true,
                _ => break,
            }
            text[length] = character;
            nodes[length] = node;
            length += 1;
            (byte, node) = self.origin.next(&mut self.reach);
        }
        self.origin.back(byte);
        // What follows ends the number, unless it was long enough.
        let mut known = length;
        if byte >= 0 && length < most && node != 0 {
            nodes[length] = node;
            known += 1;
        }
        // SAFETY: a text with a zero at its end.
        let value = unsafe {
            let text = text.as_ptr().cast();
            match conversion.size {
                4 => u64::from(strtof(text, core::ptr::null_mut()).to_bits()),
                _ => strtod(text, core::ptr::null_mut()).to_bits(),
            }
        };
        let result = self.decimal(&nodes[..known], digits > 0, value, conversion.size);
        if digits == 0 {
            return Some(false);
        }
        if conversion.is_stored {
            self.store(value, conversion.size, result);
        }
        Some(true)
    }

    /// The node of a number that was read, which has so many bytes. Whether there is one is a condition for everything after it.
    fn decimal(&mut self, nodes: &[u32], is_found: bool, value: u64, size: usize) -> u32 {
        let Some(mut engine) = enter() else { return 0 };
        let is_symbolic = |engine: &Engine, node: u32| node != 0 && !engine.graph.is_constant(node);
        if !nodes.iter().any(|&node| is_symbolic(&engine, node)) {
            return 0;
        }
        let origin = 1 << 32;
        let Some(number) = engine.decimal_in(nodes, origin, 8 * size as u32) else {
            engine.lose(&[b"a floating point number that scanf's model does not know"]);
            engine.concretise_all(nodes);
            return 0;
        };
        let none = engine.graph.is(number.end, origin);
        let some = engine.graph.not(none);
        let shape = match (is_found, nodes) {
            (true, _) => {
                let reached = engine.graph.value(number.end);
                engine.graph.is(number.end, reached)
            }
            // After a sign more would be read than is known.
            (false, &[only]) => {
                let [minus, plus] = [b'-', b'+'].map(|sign| engine.graph.is(only, u64::from(sign)));
                let sign = engine.graph.either(minus, plus);
                engine.graph.not(sign)
            }
            (false, _) => 0,
        };
        let result = engine.result(number.value, value);
        drop(engine);
        if !is_found {
            self.require(0, shape);
            self.require(some, 0);
        } else {
            self.require(some, shape);
        }
        result
    }
}
