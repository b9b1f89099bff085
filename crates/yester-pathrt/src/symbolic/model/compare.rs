//! Comparisons of strings and of memory.

use super::super::engine::Engine;

use super::{MOST_TEXT, start};
use crate::format::Operation;
use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
    fn strnlen(text: *const c_char, most: usize) -> usize;
    fn strcmp(one: *const c_char, other: *const c_char) -> c_int;
    fn strncmp(one: *const c_char, other: *const c_char, most: usize) -> c_int;
    fn strcasecmp(one: *const c_char, other: *const c_char) -> c_int;
    fn strncasecmp(one: *const c_char, other: *const c_char, most: usize) -> c_int;
    fn memcmp(one: *const c_void, other: *const c_void, size: usize) -> c_int;
    fn bcmp(one: *const c_void, other: *const c_void, size: usize) -> c_int;
}

/// How two things are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CompareStyle {
    /// Upper and lower case are the same.
    pub folds: bool,
    /// A zero ends both.
    pub ends: bool,
}

impl Engine {
    /// The result (32 bits) of comparing `count` bytes, in the same style as `result`: a difference, or only its sign.
    pub fn comparison(
        &mut self,
        (one, other): (u64, u64),
        count: u64,
        manner: CompareStyle,
        result: c_int,
    ) -> u32 {
        let difference = self.comparison_in_style((one, other), count, manner, false);
        if difference != 0 && self.graph.value(difference) == u64::from(result as u32) {
            return difference;
        }
        self.comparison_in_style((one, other), count, manner, true)
    }

    fn comparison_in_style(
        &mut self,
        (one, other): (u64, u64),
        count: u64,
        manner: CompareStyle,
        only_sign: bool,
    ) -> u32 {
        let equal = self.graph.constant(32, 0);
        let mut node = equal;
        for index in (0..count).rev() {
            let mut first = self.byte(one + index);
            let mut second = self.byte(other + index);
            if manner.folds {
                first = self.lower(first);
                second = self.lower(second);
            }
            let same = self.graph.binary(Operation::Equal, first, second);
            let further = if manner.ends {
                let zero = self.graph.is(second, 0);
                self.graph.choose(zero, equal, node)
            } else {
                node
            };
            let different = if only_sign {
                let less = self.graph.binary(Operation::LessUnsigned, first, second);
                let minus = self.graph.constant(32, u64::MAX);
                let plus = self.graph.constant(32, 1);
                self.graph.choose(less, minus, plus)
            } else {
                let first = self.graph.extend(Operation::ZeroExtend, first, 32);
                let second = self.graph.extend(Operation::ZeroExtend, second, 32);
                self.graph.binary(Operation::Subtract, first, second)
            };
            node = self.graph.choose(same, further, different);
        }
        node
    }

    /// A byte in lower case, as the C locale has it.
    pub fn lower(&mut self, byte: u32) -> u32 {
        self.shifted_letter(byte, b'A', b'Z', 32)
    }

    /// A byte (or a wider value) with letters between `first` and `last` moved by `distance`.
    pub fn shifted_letter(&mut self, node: u32, first: u8, last: u8, distance: u64) -> u32 {
        if node == 0 {
            return 0;
        }
        let width = self.graph.width(node);
        let letter = self.graph.within(node, u64::from(first), u64::from(last));
        let distance = self.graph.constant(width, distance);
        let moved = self.graph.binary(Operation::Add, node, distance);
        self.graph.choose(letter, moved, node)
    }

    fn compared_texts(
        &mut self,
        callee: usize,
        (one, one_length): (u64, u64),
        (other, other_length): (u64, u64),
        manner: CompareStyle,
        limit: u64,
        result: c_int,
    ) {
        if !self.is_symbolic(one, one_length) && !self.is_symbolic(other, other_length) {
            return;
        }
        let bounded = |engine: &mut Engine, start: u64, length: u64| {
            if length >= limit {
                Some(limit)
            } else {
                engine
                    .text(start, length)
                    .map(|text| (text.length + 1).min(limit))
            }
        };
        let (Some(first), Some(second)) = (
            bounded(self, one, one_length),
            bounded(self, other, other_length),
        ) else {
            return;
        };
        let count = first.min(second);
        if count > MOST_TEXT {
            return self.lose(&[b"a comparison of long strings"]);
        }
        let node = self.comparison((one, other), count, manner, result);
        if node != 0 && self.graph.value(node) != u64::from(result as u32) {
            return self.lose(&[b"a comparison of strings in a locale that is not known"]);
        }
        self.give(callee as u64, node, u64::from(result as u32));
    }

    fn compared_memory(&mut self, callee: usize, one: u64, other: u64, size: u64, result: c_int) {
        if size == 0 || (!self.is_symbolic(one, size - 1) && !self.is_symbolic(other, size - 1)) {
            return;
        }
        if size > MOST_TEXT {
            return self.lose(&[b"a comparison of much memory"]);
        }
        let manner = CompareStyle {
            folds: false,
            ends: false,
        };
        let node = self.comparison((one, other), size, manner, result);
        if node != 0 && self.graph.value(node) != u64::from(result as u32) {
            return self.lose(&[b"a comparison of memory in a style that is not known"]);
        }
        self.give(callee as u64, node, u64::from(result as u32));
    }
}

/// Both in full.
const NO_LIMIT: u64 = u64::MAX;
const EXACT: CompareStyle = CompareStyle {
    folds: false,
    ends: true,
};
const FOLDED: CompareStyle = CompareStyle {
    folds: true,
    ends: true,
};

models! {
    /// `strcmp`.
    fn __yester_model_strcmp(one: *const c_char, other: *const c_char) -> c_int {
        let callee = __yester_model_strcmp as *const () as usize;
        let result = strcmp(one, other);
        if let Some((mut engine, nodes)) = start(callee, [(one as u64, 64), (other as u64, 64)]) {
            engine.concretise_all(&nodes);
            let (one, other) = ((one as u64, strlen(one) as u64), (other as u64, strlen(other) as u64));
            engine.compared_texts(callee, one, other, EXACT, NO_LIMIT, result);
        }
        result
    }

    /// `strcasecmp`.
    fn __yester_model_strcasecmp(one: *const c_char, other: *const c_char) -> c_int {
        let callee = __yester_model_strcasecmp as *const () as usize;
        let result = strcasecmp(one, other);
        if let Some((mut engine, nodes)) = start(callee, [(one as u64, 64), (other as u64, 64)]) {
            engine.concretise_all(&nodes);
            let (one, other) = ((one as u64, strlen(one) as u64), (other as u64, strlen(other) as u64));
            engine.compared_texts(callee, one, other, FOLDED, NO_LIMIT, result);
        }
        result
    }

    /// `strncmp`.
    fn __yester_model_strncmp(one: *const c_char, other: *const c_char, most: usize) -> c_int {
        let callee = __yester_model_strncmp as *const () as usize;
        let result = strncmp(one, other, most);
        let values = [(one as u64, 64), (other as u64, 64), (most as u64, 64)];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
            let one = (one as u64, strnlen(one, most) as u64);
            let other = (other as u64, strnlen(other, most) as u64);
            engine.compared_texts(callee, one, other, EXACT, most as u64, result);
        }
        result
    }

    /// `strncasecmp`.
    fn __yester_model_strncasecmp(one: *const c_char, other: *const c_char, most: usize) -> c_int {
        let callee = __yester_model_strncasecmp as *const () as usize;
        let result = strncasecmp(one, other, most);
        let values = [(one as u64, 64), (other as u64, 64), (most as u64, 64)];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
            let one = (one as u64, strnlen(one, most) as u64);
            let other = (other as u64, strnlen(other, most) as u64);
            engine.compared_texts(callee, one, other, FOLDED, most as u64, result);
        }
        result
    }

    /// `memcmp`.
    fn __yester_model_memcmp(one: *const c_void, other: *const c_void, size: usize) -> c_int {
        let callee = __yester_model_memcmp as *const () as usize;
        let result = memcmp(one, other, size);
        let values = [(one as u64, 64), (other as u64, 64), (size as u64, 64)];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
            engine.compared_memory(callee, one as u64, other as u64, size as u64, result);
        }
        result
    }

    /// `bcmp`.
    fn __yester_model_bcmp(one: *const c_void, other: *const c_void, size: usize) -> c_int {
        let callee = __yester_model_bcmp as *const () as usize;
        let result = bcmp(one, other, size);
        let values = [(one as u64, 64), (other as u64, 64), (size as u64, 64)];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
            engine.compared_memory(callee, one as u64, other as u64, size as u64, result);
        }
        result
    }
}
