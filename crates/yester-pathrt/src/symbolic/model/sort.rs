//! `qsort` and `bsearch`, with the same result as the library's, but moving shadows along with elements and passing them to the
//! program's comparison function. The result of a comparison is assumed, since no branch of the program depends on it.

use super::super::call;
use super::super::engine::Engine;
use super::super::shadow::range_may_have;
use crate::format::Operation;
use core::ffi::{c_int, c_void};

unsafe extern "C" {
    fn qsort(base: *mut c_void, count: usize, size: usize, compare: Compare);
    fn bsearch(
        key: *const c_void,
        base: *const c_void,
        count: usize,
        size: usize,
        compare: Compare,
    ) -> *mut c_void;
    fn malloc(size: usize) -> *mut c_void;
    fn free(chunk: *mut c_void);
    fn memcpy(to: *mut c_void, from: *const c_void, size: usize) -> *mut c_void;
}

/// A function that compares.
pub type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// Calls the program's function. Returns its result and the node of that.
unsafe fn ask(compare: Compare, one: *const c_void, other: *const c_void) -> (c_int, u32) {
    let call = call::current();
    call.callee = 0;
    call.results[0] = 0;
    // SAFETY: what the caller promises.
    let answer = unsafe { compare(one, other) };
    let node = core::mem::take(&mut call::current().results[0]);
    if node == 0 || call::current().returned != compare as usize as u64 {
        return (answer, 0);
    }
    let node = super::super::enter().map_or(0, |mut engine| {
        engine.checked(node, u64::from(answer as u32), 32)
    });
    (answer, node)
}

impl Engine {
    /// That an answer is below zero or above, as it was.
    fn order(&mut self, node: u32) -> u32 {
        let zero = self.graph.constant(32, 0);
        let value = self.graph.value(node) as i32;
        match value {
            ..0 => self.graph.binary(Operation::LessSigned, node, zero),
            _ => self.graph.binary(Operation::LessSigned, zero, node),
        }
    }
}

unsafe fn carry(to: *mut u8, from: *const u8, size: usize) {
    // SAFETY: what the caller promises.
    unsafe { memcpy(to.cast(), from.cast(), size) };
    super::super::hook::__yester_copy(to as u64, from as u64, size as u64);
}

/// A stable merge sort.
unsafe fn sort(base: *mut u8, count: usize, size: usize, room: *mut u8, compare: Compare) {
    if count <= 1 {
        return;
    }
    let half = count / 2;
    // SAFETY: what the caller promises; both halves are inside.
    unsafe {
        let second = base.add(half * size);
        sort(base, half, size, room, compare);
        sort(second, count - half, size, room, compare);
        let (mut left, mut right, mut written) = (0, half, 0);
        while left < half && right < count {
            let (one, other) = (base.add(left * size), base.add(right * size));
            let (answer, node) = ask(compare, one.cast(), other.cast());
            let first = answer <= 0;
            if node != 0
                && let Some(mut engine) = super::super::enter()
            {
                let zero = engine.graph.constant(32, 0);
                let mut order = engine
                    .graph
                    .binary(Operation::LessOrEqualSigned, node, zero);
                if !first {
                    order = engine.graph.not(order);
                }
                engine.assume(order);
            }
            carry(
                room.add(written * size),
                if first { one } else { other },
                size,
            );
            if first {
                left += 1;
            } else {
                right += 1;
            }
            written += 1;
        }
        while left < half {
            carry(room.add(written * size), base.add(left * size), size);
            left += 1;
            written += 1;
        }
        carry(base, room, written * size);
    }
}

models! {
    /// `qsort`.
    fn __yester_model_qsort(base: *mut c_void, count: usize, size: usize, compare: Compare) {
        let bytes = count * size;
        if !super::super::is_active() || !range_may_have(base as u64, bytes as u64) {
            return qsort(base, count, size, compare);
        }
        let room: *mut u8 = malloc(bytes.max(1)).cast();
        if room.is_null() {
            return qsort(base, count, size, compare);
        }
        sort(base.cast(), count, size, room, compare);
        super::super::hook::__yester_fill(room as u64, 0, bytes as u64);
        free(room.cast());
    }

    /// `bsearch`.
    fn __yester_model_bsearch(
        key: *const c_void,
        base: *const c_void,
        count: usize,
        size: usize,
        compare: Compare,
    ) -> *mut c_void {
        if !super::super::is_active() {
            return bsearch(key, base, count, size, compare);
        }
        let callee = __yester_model_bsearch as *const () as usize;
        let (mut low, mut high) = (0, count);
        let mut asked = [(0, 0); 64];
        let mut steps = 0;
        let mut found = core::ptr::null_mut();
        // Whether it was found before: then later comparisons do not matter.
        let mut hit = 0;
        while low < high {
            let middle = low + (high - low) / 2;
            let place = base.byte_add(middle * size);
            let (answer, node) = ask(compare, key, place);
            if node != 0
                && let Some(mut engine) = super::super::enter()
            {
                let equal = engine.graph.is(node, 0);
                hit = if hit == 0 { equal } else { engine.graph.either(hit, equal) };
                asked[steps] = (equal, place as u64);
                steps += 1;
                if answer != 0 {
                    let order = engine.order(node);
                    let weaker = engine.graph.either(hit, order);
                    engine.assume(weaker);
                }
            }
            match answer {
                0 => {
                    found = place.cast_mut();
                    break;
                }
                ..0 => high = middle,
                _ => low = middle + 1,
            }
        }
        if steps > 0 && let Some(mut engine) = super::super::enter() {
            let mut node = engine.graph.constant(64, 0);
            for &(equal, place) in asked[..steps].iter().rev() {
                let place = engine.graph.constant(64, place);
                node = engine.graph.choose(equal, place, node);
            }
            engine.give(callee as u64, node, found as u64);
        }
        found
    }
}
