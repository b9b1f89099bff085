//! Calls of functions that are not known: what they were told that depends on the input, and what they may have written.

use super::call;
use super::engine::{Engine, enter};
use super::memory;
use super::object::Object;
use super::shadow::range_may_have;
use core::ffi::{CStr, c_char};

/// Of memory of which no object is known, this much is looked at.
const NEAR: u64 = 4096;

/// An argument of a call: its value if it is a pointer (else 0), and the size of the object if the compiler knew it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Argument {
    /// Where it points.
    pub address: u64,
    /// From there to the end of the object, or 0.
    pub size: u64,
}

impl Engine {
    /// A function that is not known may have written to memory that it has a pointer to. Whether any of it was symbolic.
    pub fn invalidate(&mut self, argument: Argument) -> bool {
        if argument.address == 0 {
            return false;
        }
        let known = Object {
            start: argument.address,
            size: argument.size,
        };
        let object = if argument.size != 0 {
            Some(known)
        } else {
            self.objects.find(argument.address)
        };
        if let Some(object) = object {
            if !range_may_have(object.start, object.size)
                || !self.shadow.any(object.start, object.size)
            {
                return false;
            }
            self.shadow.clear(object.start, object.size);
            return true;
        }
        // Somewhere on the stack: what has changed is seen, and what has not is as it was.
        if !range_may_have(argument.address, NEAR) {
            return false;
        }
        let mut any = false;
        for place in argument.address..argument.address + NEAR {
            if self.shadow.any(place, 1) {
                any = true;
                self.shadow
                    .load(&mut self.graph, place, 1, u64::from(memory::byte(place)));
            }
        }
        any
    }
}

/// After a call of `callee`, for which nodes were left in the block of this thread. If they are still there, nobody
/// instrumented has taken them: the function is not known.
///
/// # Safety
/// `name` is a C string or null, and there are `count` arguments.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_after_call(
    callee: u64,
    name: *const c_char,
    arguments: *const Argument,
    count: u64,
) {
    let call = call::current();
    if call.callee != callee {
        return;
    }
    call.callee = 0;
    let Some(mut engine) = enter() else { return };
    let mut lost = call.parameters[..count as usize]
        .iter()
        .any(|&node| node != 0);
    for index in 0..count as usize {
        // SAFETY: what the caller promises.
        lost |= engine.invalidate(unsafe { *arguments.add(index) });
    }
    engine.files.doubt();
    if lost {
        let name = if name.is_null() {
            b"a function"
        } else {
            // SAFETY: what the caller promises.
            unsafe { CStr::from_ptr(name) }.to_bytes()
        };
        engine.lose(&[b"call of ", name, b", which is not modelled"]);
    }
}

/// A function of the library has written `size` bytes that are concrete now, made of what may have depended on the input.
///
/// # Safety
/// `name` is a C string.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_written(place: u64, size: u64) {
    if place != 0
        && size != 0
        && super::is_active()
        && range_may_have(place, size)
        && let Some(mut engine) = enter()
    {
        engine.shadow.clear(place, size);
    }
}
