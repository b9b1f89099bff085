//! Functions that move bytes, and the shadow with them.

use super::super::memory::readable;
use super::super::shadow::range_may_have;
use super::start;
use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
    fn memmove(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
    fn memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void;
    fn strlen(text: *const c_char) -> usize;
    fn strnlen(text: *const c_char, most: usize) -> usize;
    fn strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char;
    fn strncpy(to: *mut c_char, from: *const c_char, most: usize) -> *mut c_char;
    fn malloc(size: usize) -> *mut c_void;
}

/// Copies the shadow of `size` bytes, if there is any.
fn moved(to: u64, from: u64, size: u64) {
    super::super::hook::__yester_copy(to, from, size);
}

/// After a text of `length` bytes and its zero was copied. In runs where it is longer, more is copied, `most` bytes at most; where
/// nothing is, `old` stands, or what was there before.
fn lengthened(to: u64, from: u64, length: u64, most: u64, old: Option<u8>) {
    if !range_may_have(from + length, 1) || length >= most {
        return;
    }
    let Some(mut engine) = super::super::enter() else {
        return;
    };
    let zero = engine.byte(from + length);
    if zero == 0 || engine.graph.is_constant(zero) {
        return;
    }
    let Some(text) = engine.text(from, length) else {
        return;
    };
    let room = match engine.objects.find(to) {
        Some(object) => object.start + object.size - to,
        None => readable(to, text.length + 1),
    };
    let mut ended = engine.graph.truth(false);
    for index in 0..=text.length.min(most - 1) {
        if index >= room {
            // There is no place for a text that is so long.
            return engine.assume(ended);
        }
        let byte = engine.byte(from + index);
        if index > length {
            let before = match old {
                Some(old) => engine.graph.constant(8, u64::from(old)),
                None => engine.byte(to + index),
            };
            let node = engine.graph.choose(ended, before, byte);
            engine.shadow.store(to + index, 1, node);
        }
        let ends = engine.graph.is(byte, 0);
        ended = engine.graph.either(ended, ends);
    }
}

/// Assumes where a text ends, unless a limit ends it.
fn with_fixed_length(text: *const c_char, length: usize, most: usize) {
    if length < most
        && range_may_have(text as u64, length as u64 + 1)
        && let Some(mut engine) = super::super::enter()
    {
        engine.fixed(text as u64, length as u64);
    }
}

macro_rules! moving {
    ($name:ident, $real:ident, $documentation:literal, $behind:literal) => {
        models! {
            #[doc = $documentation]
            fn $name(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void {
                let callee = $name as *const () as usize;
                $real(to, from, size);
                let values = [(to as u64, 64), (from as u64, 64), (size as u64, 64)];
                if let Some((mut engine, nodes)) = start(callee, values) {
                    engine.concretise_all(&nodes);
                    let (to, from, size) = (to as u64, from as u64, size as u64);
                    if range_may_have(to, size) || range_may_have(from, size) {
                        engine.shadow.copy(to, from, size);
                    }
                }
                if $behind { to.byte_add(size) } else { to }
            }
        }
    };
}

moving!(__yester_model_memcpy, memcpy, "`memcpy`.", false);
moving!(__yester_model_memmove, memmove, "`memmove`.", false);
moving!(__yester_model_mempcpy, memcpy, "`mempcpy`.", true);

/// The end of a string, which is assumed if it depends on the input.
unsafe fn end(text: *mut c_char) -> *mut c_char {
    // SAFETY: what the caller promises.
    let length = unsafe { strlen(text) };
    if range_may_have(text as u64, length as u64 + 1)
        && let Some(mut engine) = super::super::enter()
    {
        engine.fixed(text as u64, length as u64);
    }
    text.wrapping_add(length)
}

models! {
    /// `memset`.
    fn __yester_model_memset(to: *mut c_void, byte: c_int, size: usize) -> *mut c_void {
        let callee = __yester_model_memset as *const () as usize;
        memset(to, byte, size);
        let values = [(to as u64, 64), (u64::from(byte as u32), 32), (size as u64, 64)];
        let mut filling = 0;
        if let Some((mut engine, [pointer, node, count])) = start(callee, values) {
            engine.concretise(pointer);
            engine.concretise(count);
            filling = node;
        }
        super::super::hook::__yester_fill(to as u64, filling, size as u64);
        to
    }

    /// `strcpy`.
    fn __yester_model_strcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
        strcpy(to, from);
        let length = strlen(to) as u64;
        moved(to as u64, from as u64, length + 1);
        lengthened(to as u64, from as u64, length, u64::MAX, None);
        to
    }

    /// `stpcpy`.
    fn __yester_model_stpcpy(to: *mut c_char, from: *const c_char) -> *mut c_char {
        __yester_model_strcpy(to, from);
        end(to)
    }

    /// `strncpy`.
    fn __yester_model_strncpy(to: *mut c_char, from: *const c_char, most: usize) -> *mut c_char {
        let length = strnlen(from, most);
        strncpy(to, from, most);
        moved(to as u64, from as u64, (length + 1).min(most) as u64);
        if length + 1 < most {
            super::super::hook::__yester_fill(
                to as u64 + length as u64 + 1,
                0,
                (most - length - 1) as u64,
            );
        }
        lengthened(to as u64, from as u64, length as u64, most as u64, Some(0));
        to
    }

    /// `strcat`.
    fn __yester_model_strcat(to: *mut c_char, from: *const c_char) -> *mut c_char {
        __yester_model_strcpy(end(to), from);
        to
    }

    /// `strncat`.
    fn __yester_model_strncat(to: *mut c_char, from: *const c_char, most: usize) -> *mut c_char {
        let place = end(to);
        let length = strnlen(from, most);
        with_fixed_length(from, length, most);
        memmove(place.cast(), from.cast(), length);
        *place.add(length) = 0;
        moved(place as u64, from as u64, length as u64);
        super::super::hook::__yester_fill(place as u64 + length as u64, 0, 1);
        to
    }

    /// `strdup`.
    fn __yester_model_strdup(text: *const c_char) -> *mut c_char {
        let length = strlen(text);
        // Room for what would be copied in runs where the text is longer.
        let room = if range_may_have(text as u64 + length as u64, 1) { super::super::enter().and_then(|mut engine| engine.text(text as u64, length as u64))
 } else { None
 };
        let size = room.map_or(length as u64, |text| text.length) as usize + 1;
        let copy = malloc(size);
        super::heap::allocated(copy, size);
        if !copy.is_null() {
            memset(copy, 0, size);
            memcpy(copy, text.cast(), length);
            moved(copy as u64, text as u64, length as u64 + 1);
            lengthened(copy as u64, text as u64, length as u64, u64::MAX, None);
        }
        copy.cast()
    }

    /// `strndup`.
    fn __yester_model_strndup(text: *const c_char, most: usize) -> *mut c_char {
        let length = strnlen(text, most);
        with_fixed_length(text, length, most);
        let copy: *mut c_char = malloc(length + 1).cast();
        super::heap::allocated(copy.cast(), length + 1);
        if !copy.is_null() {
            memcpy(copy.cast(), text.cast(), length);
            *copy.add(length) = 0;
            moved(copy as u64, text as u64, length as u64);
        }
        copy
    }
}
