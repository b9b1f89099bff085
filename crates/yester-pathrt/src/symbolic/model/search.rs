//! Functions that look for something in a string or in memory.

use super::super::engine::Engine;
use super::super::memory::readable;
use super::text::{SearchResult, Wanted};
use super::{MOST_TEXT, StringSpan, start};
use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
    fn strnlen(text: *const c_char, most: usize) -> usize;
    fn strchr(text: *const c_char, byte: c_int) -> *mut c_char;
    fn strrchr(text: *const c_char, byte: c_int) -> *mut c_char;
    fn strstr(text: *const c_char, wanted: *const c_char) -> *mut c_char;
    fn strspn(text: *const c_char, set: *const c_char) -> usize;
    fn strcspn(text: *const c_char, set: *const c_char) -> usize;
    fn strpbrk(text: *const c_char, set: *const c_char) -> *mut c_char;
    fn memchr(start: *const c_void, byte: c_int, size: usize) -> *mut c_void;
}

/// The most pairs of bytes that a search compares.
const MOST_PAIRS: u64 = 1 << 14;

impl Engine {
    /// A set of bytes, whose length is assumed.
    fn set(&mut self, set: *const c_char) -> Option<StringSpan> {
        // SAFETY: the program has passed it as a string.
        let length = unsafe { strlen(set) } as u64;
        self.fixed(set as u64, length)
    }

    /// A string whose length is assumed.
    pub fn fixed(&mut self, start: u64, length: u64) -> Option<StringSpan> {
        if length > MOST_TEXT {
            self.lose(&[b"a string longer than 4096 bytes"]);
            return None;
        }
        if self.is_symbolic(start, length) {
            for index in 0..=length {
                let byte = self.byte(start + index);
                let zero = self.graph.is(byte, 0);
                let condition = if index == length {
                    zero
                } else {
                    self.graph.not(zero)
                };
                self.assume(condition);
            }
        }
        Some(StringSpan { start, length })
    }

    /// The lowest byte of an `int`.
    pub fn low_byte(&mut self, node: u32, value: c_int) -> u32 {
        if node == 0 {
            return self.graph.constant(8, value as u64);
        }
        self.graph.extract(node, 0, 8)
    }
}

/// `strlen`.
///
/// # Safety
/// As for the library function.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_model_strlen(text: *const c_char) -> usize {
    let callee = __yester_model_strlen as *const () as usize;
    // SAFETY: what the caller promises.
    let length = unsafe { strlen(text) };
    if let Some((mut engine, [pointer])) = start(callee, [(text as u64, 64)]) {
        engine.concretise(pointer);
        if engine.is_symbolic(text as u64, length as u64)
            && let Some(whole) = engine.text(text as u64, length as u64)
        {
            let node = engine.length_node(whole);
            engine.give(callee as u64, node, length as u64);
        }
    }
    length
}

/// `strnlen`.
///
/// # Safety
/// As for the library function.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_model_strnlen(text: *const c_char, most: usize) -> usize {
    let callee = __yester_model_strnlen as *const () as usize;
    // SAFETY: what the caller promises.
    let length = unsafe { strnlen(text, most) };
    if let Some((mut engine, [pointer, limit])) =
        start(callee, [(text as u64, 64), (most as u64, 64)])
    {
        engine.concretise(pointer);
        engine.concretise(limit);
        let ends = length < most;
        // If the limit stops it, the next byte is not read.
        let looked_at = length as u64 + u64::from(ends);
        let symbolic = looked_at > 0 && engine.is_symbolic(text as u64, looked_at - 1);
        let whole = if !symbolic {
            None
        } else if ends {
            engine.bounded_text(text as u64, length as u64, most as u64)
        } else if length as u64 > MOST_TEXT {
            engine.lose(&[b"a string longer than 4096 bytes"]);
            None
        } else {
            Some(StringSpan {
                start: text as u64,
                length: length as u64,
            })
        };
        if let Some(whole) = whole {
            let whole = StringSpan {
                length: whole.length.min(most as u64),
                ..whole
            };
            let node = engine.length_node(whole);
            engine.give(callee as u64, node, length as u64);
        }
    }
    length
}

macro_rules! byte_search {
    ($name:ident, $real:ident, $documentation:literal, $last:expr) => {
        #[doc = $documentation]
        ///
        /// # Safety
        /// As for the library function.
        #[cfg_attr(yester_runtime, unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(text: *const c_char, byte: c_int) -> *mut c_char {
            let callee = $name as *const () as usize;
            // SAFETY: what the caller promises.
            let (found, length) = unsafe { ($real(text, byte), strlen(text) as u64) };
            if let Some((mut engine, [pointer, wanted])) =
                start(callee, [(text as u64, 64), (byte as u32 as u64, 32)])
            {
                engine.concretise(pointer);
                if (wanted != 0 || engine.is_symbolic(text as u64, length))
                    && let Some(whole) = engine.text(text as u64, length)
                {
                    let wanted = engine.low_byte(wanted, byte);
                    let node = if $last {
                        engine.last(whole, wanted)
                    } else {
                        engine.first(whole, Wanted::Byte(wanted), SearchResult::Pointer)
                    };
                    engine.give(callee as u64, node, found as u64);
                }
            }
            found
        }
    };
}

byte_search!(__yester_model_strchr, strchr, "`strchr`.", false);
byte_search!(__yester_model_strrchr, strrchr, "`strrchr`.", true);

macro_rules! set_search {
    ($name:ident, $real:ident, $documentation:literal, $result:ty, $wanted:expr, $answer:expr) => {
        #[doc = $documentation]
        ///
        /// # Safety
        /// As for the library function.
        #[cfg_attr(yester_runtime, unsafe(no_mangle))]
        pub unsafe extern "C" fn $name(text: *const c_char, set: *const c_char) -> $result {
            let callee = $name as *const () as usize;
            // SAFETY: what the caller promises.
            let (found, length) = unsafe { ($real(text, set), strlen(text) as u64) };
            if let Some((mut engine, [pointer, other])) =
                start(callee, [(text as u64, 64), (set as u64, 64)])
            {
                engine.concretise(pointer);
                engine.concretise(other);
                // SAFETY: what the caller promises.
                let set_length = unsafe { strlen(set) } as u64;
                let symbolic = engine.is_symbolic(text as u64, length)
                    || engine.is_symbolic(set as u64, set_length);
                if symbolic && length * set_length > MOST_PAIRS {
                    engine.lose(&[b"a long search in a string"]);
                } else if symbolic
                    && let Some(whole) = engine.text(text as u64, length)
                    && let Some(set) = engine.set(set)
                {
                    let node = engine.first(whole, $wanted(set), $answer);
                    engine.give(callee as u64, node, found as u64);
                }
            }
            found
        }
    };
}

set_search!(
    __yester_model_strspn,
    strspn,
    "`strspn`.",
    usize,
    Wanted::None,
    SearchResult::Count
);
set_search!(
    __yester_model_strcspn,
    strcspn,
    "`strcspn`.",
    usize,
    Wanted::Any,
    SearchResult::Count
);
set_search!(
    __yester_model_strpbrk,
    strpbrk,
    "`strpbrk`.",
    *mut c_char,
    Wanted::Any,
    SearchResult::Pointer
);

/// `strstr`.
///
/// # Safety
/// As for the library function.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_model_strstr(
    text: *const c_char,
    wanted: *const c_char,
) -> *mut c_char {
    let callee = __yester_model_strstr as *const () as usize;
    // SAFETY: what the caller promises.
    let (found, length, wanted_length) =
        unsafe { (strstr(text, wanted), strlen(text), strlen(wanted)) };
    if let Some((mut engine, nodes)) = start(callee, [(text as u64, 64), (wanted as u64, 64)]) {
        engine.concretise_all(&nodes);
        let symbolic = engine.is_symbolic(text as u64, length as u64)
            || engine.is_symbolic(wanted as u64, wanted_length as u64);
        if symbolic && (length * wanted_length) as u64 > MOST_PAIRS {
            engine.lose(&[b"a long search in a string"]);
        } else if symbolic
            && let Some(whole) = engine.text(text as u64, length as u64)
            && let Some(wanted) = engine.set(wanted)
        {
            let node = engine.first_text(whole, wanted);
            engine.give(callee as u64, node, found as u64);
        }
    }
    found
}

/// `memchr`.
///
/// # Safety
/// As for the library function.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_model_memchr(
    memory: *const c_void,
    byte: c_int,
    size: usize,
) -> *mut c_void {
    let callee = __yester_model_memchr as *const () as usize;
    // SAFETY: what the caller promises.
    let found = unsafe { memchr(memory, byte, size) };
    if let Some((mut engine, [pointer, wanted, limit])) = start(
        callee,
        [
            (memory as u64, 64),
            (u64::from(byte as u32), 32),
            (size as u64, 64),
        ],
    ) {
        engine.concretise(pointer);
        engine.concretise(limit);
        // Memory after the first hit may not exist: callers of memchr may pass a size that is too big.
        let size = size as u64;
        let object = engine.objects.find(memory as u64);
        let there = match object {
            Some(object) => (object.start + object.size - memory as u64).min(size),
            None if found.is_null() => size,
            None => readable(memory as u64, size.min(MOST_TEXT + 1)),
        };
        let most = there.min(MOST_TEXT);
        let symbolic = wanted != 0 || (most > 0 && engine.is_symbolic(memory as u64, most - 1));
        if there > MOST_TEXT && (symbolic || engine.is_symbolic(memory as u64, there - 1)) {
            engine.lose(&[b"a long search in memory"]);
        } else if symbolic {
            let wanted = engine.low_byte(wanted, byte);
            let node = engine.first_in_memory(memory as u64, most, wanted);
            engine.give(callee as u64, node, found as u64);
        }
    }
    found
}
