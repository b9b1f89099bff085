//! `strtok`: whether there is another token depends on the input, and so does where it is; where the text is cut is
//! assumed, but only if there is a token.

use super::super::engine::Engine;
use super::StringSpan;
use core::ffi::c_char;
use core::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
    fn strspn(text: *const c_char, set: *const c_char) -> usize;
    fn strcspn(text: *const c_char, set: *const c_char) -> usize;
}

/// Where `strtok` goes on.
static REST: AtomicPtr<c_char> = AtomicPtr::new(core::ptr::null_mut());

impl Engine {
    /// The node of the next token, which is `skipped` bytes behind the start and `length` bytes long.
    fn token(&mut self, text: StringSpan, set: StringSpan, skipped: u64, length: u64) -> u32 {
        let nowhere = self.graph.constant(64, 0);
        let mut node = nowhere;
        let mut none = self.graph.truth(true);
        for index in (0..text.length).rev() {
            let byte = self.byte(text.start + index);
            let ends = self.graph.is(byte, 0);
            let separates = self.member(byte, set);
            let here = self.graph.constant(64, text.start + index);
            let found = self.graph.choose(separates, node, here);
            node = self.graph.choose(ends, nowhere, found);
            let no_more = self.graph.both(separates, none);
            none = self.graph.either(ends, no_more);
        }
        if length > 0 {
            // The shape of this token, unless there is none.
            let mut shape = self.graph.truth(true);
            for index in 0..skipped + length + 1 {
                let byte = self.byte(text.start + index);
                let separates = self.member(byte, set);
                let ends = self.graph.is(byte, 0);
                let border = self.graph.either(separates, ends);
                let condition = match index {
                    index if index < skipped => separates,
                    index if index < skipped + length => self.graph.not(border),
                    _ => border,
                };
                shape = self.graph.both(shape, condition);
            }
            let weaker = self.graph.either(none, shape);
            self.assume(weaker);
        }
        node
    }
}

unsafe fn next(
    callee: usize,
    text: *mut c_char,
    set: *const c_char,
    rest: &mut *mut c_char,
) -> *mut c_char {
    let start = if text.is_null() { *rest } else { text };
    if start.is_null() {
        return start;
    }
    // SAFETY: the program has passed strings.
    unsafe {
        let skipped = strspn(start, set);
        let token = start.add(skipped);
        let length = strcspn(token, set);
        if let Some(mut engine) = super::super::enter() {
            super::super::call::current().callee = 0;
            let whole = strlen(start) as u64;
            let set_length = strlen(set) as u64;
            if engine.is_symbolic(start as u64, whole)
                && let Some(whole) = engine.text(start as u64, whole)
                && let Some(set) = engine.fixed(set as u64, set_length)
            {
                let result = if length == 0 { 0 } else { token as u64 };
                let node = engine.token(whole, set, skipped as u64, length as u64);
                engine.give(callee as u64, node, result);
            }
        }
        let end = token.add(length);
        if *end == 0 {
            *rest = end;
        } else {
            *end = 0;
            super::super::hook::__yester_fill(end as u64, 0, 1);
            *rest = end.add(1);
        }
        if length == 0 {
            core::ptr::null_mut()
        } else {
            token
        }
    }
}

models! {
    /// `strtok`.
    fn __yester_model_strtok(text: *mut c_char, set: *const c_char) -> *mut c_char {
        let callee = __yester_model_strtok as *const () as usize;
        let mut rest = REST.load(Ordering::Relaxed);
        let token = next(callee, text, set, &mut rest);
        REST.store(rest, Ordering::Relaxed);
        token
    }

    /// `strtok_r`.
    fn __yester_model_strtok_r(
        text: *mut c_char,
        set: *const c_char,
        place: *mut *mut c_char,
    ) -> *mut c_char {
        let callee = __yester_model_strtok_r as *const () as usize;
        let token = next(callee, text, set, &mut *place);
        super::super::hook::__yester_fill(place as u64, 0, 8);
        token
    }

    /// `strtok_r` as glibc calls it in its headers.
    fn __yester_model___strtok_r(
        text: *mut c_char,
        set: *const c_char,
        place: *mut *mut c_char,
    ) -> *mut c_char {
        let callee = __yester_model___strtok_r as *const () as usize;
        let token = next(callee, text, set, &mut *place);
        super::super::hook::__yester_fill(place as u64, 0, 8);
        token
    }
}
