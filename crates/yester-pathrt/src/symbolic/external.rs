//! Calls of functions that are not instrumented: which symbolic values they got, and which memory they may have written.

use super::call;
use super::engine::{Engine, enter};
use super::memory;
use super::object::Object;
use super::shadow::range_may_have;
use core::ffi::{CStr, c_char};

/// How many bytes are checked if the object around an address is unknown.
const UNKNOWN_OBJECT_BYTES: u64 = 4096;
/// How many bytes an unknown function is assumed to have read from a known object on, and from an unknown one.
const MOST_ASSUMED: u64 = 4096;
const MOST_ASSUMED_AROUND: u64 = 256;

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// Where it points if it is a pointer, else 0.
    pub address: u64,
    /// The object around it, if the compiler knew that.
    pub object: u64,
    /// The size of that object, or 0.
    pub size: u64,
    /// What the function may have done there.
    pub usage: Usage,
}

/// What a function does with the memory that it has a pointer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// It reads a string.
    Text,
    /// It writes.
    Written,
    /// Nobody knows.
    Both,
}

impl Engine {
    /// Fixes memory that an unknown function may have read to what it was: what the program does next may depend on it. The shadow
    /// still has what was there before the call.
    fn assume_memory(&mut self, start: u64, size: u64) {
        if !range_may_have(start, size) {
            return;
        }
        for place in start..start + size {
            let node = self.shadow.unchecked_byte(&mut self.graph, place);
            self.concretise(node);
        }
    }

    /// How much of memory a function reads that got a pointer.
    fn read_bytes(&mut self, argument: Argument) -> u64 {
        let end = match argument.size {
            0 => self
                .objects
                .find(argument.address)
                .map(|object| object.start + object.size),
            size => Some(argument.object + size),
        };
        let rest = end.map_or(MOST_ASSUMED_AROUND, |end| {
            end.saturating_sub(argument.address)
        });
        let rest = rest.min(MOST_ASSUMED);
        match argument.usage {
            Usage::Written => 0,
            Usage::Both => rest,
            Usage::Text => {
                let zero = (0..rest).find(|&index| {
                    let place = argument.address + index;
                    memory::readable(place, 1) == 1 && memory::byte(place) == 0
                });
                zero.map_or(rest, |zero| zero + 1)
            }
        }
    }

    /// An unknown function may have written to memory that it has a pointer to. Returns whether any of it was symbolic.
    pub fn invalidate(&mut self, argument: Argument) -> bool {
        if argument.address == 0 {
            return false;
        }
        let known = Object {
            start: argument.object,
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
            if argument.usage != Usage::Text {
                self.shadow.clear(object.start, object.size);
            }
            return true;
        }
        // Probably the stack. Load each byte: that drops the shadow of changed bytes, and unchanged ones keep theirs.
        if !range_may_have(argument.address, UNKNOWN_OBJECT_BYTES) {
            return false;
        }
        let mut any = false;
        for place in argument.address..argument.address + UNKNOWN_OBJECT_BYTES {
            if self.shadow.any(place, 1) {
                any = true;
                self.shadow
                    .load(&mut self.graph, place, 1, u64::from(memory::byte(place)));
            }
        }
        any
    }
}

/// Set in what [`__yester_pass`] returns, and on to [`__yester_after_call`].
const PASSED: u32 = 1;
/// Set as well if the callee got something symbolic.
const SYMBOLIC: u32 = 2;

/// Before a call of `callee` with `count` arguments. Those with a bit in `left` have their nodes in this thread's block; `any` is
/// not 0 if one of these is not. `force` is not 0 if the callee must be watched even so, since it has pointers to memory that may
/// be symbolic.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_pass(callee: u64, any: u32, force: u32, count: u32, left: u64) -> u32 {
    if any | force == 0 {
        return 0;
    }
    let call = call::current();
    call.interrupt();
    call.callee = callee;
    for (index, node) in call.parameters[..count as usize].iter_mut().enumerate() {
        if left >> index & 1 == 0 {
            *node = 0;
        }
    }
    PASSED | if any == 0 { 0 } else { SYMBOLIC }
}

/// After a call of `callee`. If its nodes are still in this thread's block, no instrumented function has taken them, so the callee
/// is unknown.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_unknown(callee: u64, passed: u32) -> u32 {
    if passed == 0 || !call::current().is_unknown(callee) {
        return 0;
    }
    passed
}

/// A value that an unknown function got is fixed to what it was: what the program does next may depend on it.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_given(unknown: u32, node: u32) {
    if unknown == 0 || node == 0 {
        return;
    }
    if let Some(mut engine) = enter() {
        engine.concretise(node);
    }
}

/// A pointer that an unknown function got. `usage` is 0 for a string, 1 for what is written, 2 for what may be both. Returns `unknown` with what is known now.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_argument(
    unknown: u32,
    address: u64,
    object: u64,
    size: u64,
    usage: u32,
) -> u32 {
    if unknown == 0 {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let argument = Argument {
        address,
        object,
        size,
        usage: match usage {
            0 => Usage::Text,
            1 => Usage::Written,
            _ => Usage::Both,
        },
    };
    if address != 0 && range_may_have(address, 1) {
        let bytes = engine.read_bytes(argument);
        engine.assume_memory(address, bytes);
    }
    let lost = engine.invalidate(argument);
    unknown | if lost { SYMBOLIC } else { 0 }
}

/// After all pointers that an unknown function got.
///
/// # Safety
/// `name` is a C string.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_after_call(unknown: u32, name: *const c_char) {
    if unknown == 0 {
        return;
    }
    let Some(mut engine) = enter() else { return };
    engine.files.doubt();
    if unknown & SYMBOLIC != 0 {
        // SAFETY: what the caller promises.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        engine.lose(&[b"call of ", name, b", which is not modelled"]);
    }
}

/// Before a call of a library function whose result is not modelled. `any` is not 0 if an argument depends on the input; up to two
/// arguments are strings.
///
/// # Safety
/// `name` is a C string, as are the strings that are not null.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_observed(
    any: u32,
    first: *const c_char,
    second: *const c_char,
    name: *const c_char,
) {
    let Some(mut engine) = enter() else { return };
    let mut depends = any != 0;
    for text in [first, second] {
        if !text.is_null() {
            // SAFETY: what the caller promises.
            let length = unsafe { CStr::from_ptr(text) }.count_bytes() as u64;
            if engine.is_symbolic(text as u64, length) {
                depends = true;
                engine.assume_memory(text as u64, length + 1);
            }
        }
    }
    if depends {
        // SAFETY: what the caller promises.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        engine.lose(&[b"result of ", name, b" does not follow its arguments"]);
    }
}

/// How many 64-bit words a variadic function keeps for the nodes of its arguments.
const KEPT_WORDS: usize = call::MOST_PARAMETERS;

/// At the entry of a variadic function: keeps the nodes and kinds of this call's arguments, which the next call overwrites. Each
/// word has a node in its lower half and the kind in its upper half; a zero ends them.
///
/// # Safety
/// There are 65 words at `room`.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_variadic(callee: u64, room: *mut u64) {
    let call = call::current();
    let meant = super::is_active() && call.callee == callee;
    for index in 0..KEPT_WORDS {
        let word = if meant {
            u64::from(call.parameters[index]) | call.originals[index] << 32
        } else {
            0
        };
        // SAFETY: what the caller promises.
        unsafe { *room.add(index) = word };
    }
    // SAFETY: what the caller promises.
    unsafe { *room.add(KEPT_WORDS) = 0 };
}

/// The `va_list` of the x86-64 ABI.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct List {
    integers: u32,
    floats: u32,
    overflow: u64,
    saved: u64,
}

impl List {
    /// A list whose arguments are the words at an address, as if all registers were used up.
    pub const fn in_memory(words: u64) -> List {
        List {
            integers: 48,
            floats: 176,
            overflow: words,
            saved: 0,
        }
    }

    /// The next integer or pointer argument.
    pub fn take(&mut self) -> u64 {
        // SAFETY: a list that the program may read from.
        unsafe { *(self.next_place() as *const u64) }
    }

    /// The address of the next integer or pointer argument.
    pub fn next_place(&mut self) -> u64 {
        if self.integers < 48 {
            self.integers += 8;
            self.saved + u64::from(self.integers) - 8
        } else {
            self.overflow += 8;
            self.overflow - 8
        }
    }

    /// The address of the next `double`, or `long double`.
    pub fn next_float(&mut self, is_long: bool) -> u64 {
        if is_long {
            self.overflow = self.overflow.next_multiple_of(16) + 16;
            self.overflow - 16
        } else if self.floats < 176 {
            self.floats += 16;
            self.saved + u64::from(self.floats) - 16
        } else {
            self.overflow += 8;
            self.overflow - 8
        }
    }
}

/// After `va_start`: gives the arguments in memory the nodes that were kept.
///
/// # Safety
/// `list` was just made, and `room` filled by [`__yester_variadic`].
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_list(list: *const List, room: *const u64, fixed: u64) {
    let Some(mut engine) = enter() else { return };
    // SAFETY: what the caller promises.
    let list = unsafe { &*list };
    let (mut integers, mut floats, mut overflow) = (list.integers, list.floats, list.overflow);
    // The prologue has stored the registers there without the runtime knowing.
    if range_may_have(list.saved, 176) {
        engine.shadow.clear(list.saved, 176);
    }
    engine.written(list as *const List as u64, size_of::<List>() as u64);
    for index in fixed as usize..KEPT_WORDS {
        // SAFETY: what the caller promises.
        let word = unsafe { *room.add(index) };
        let (node, kind) = (word as u32, word >> 32);
        let place = match kind {
            0 => return,
            1 if integers < 48 => {
                integers += 8;
                list.saved + u64::from(integers) - 8
            }
            2 if floats < 176 => {
                floats += 16;
                list.saved + u64::from(floats) - 16
            }
            1 | 2 => {
                overflow += 8;
                overflow - 8
            }
            size => {
                overflow += (size - 16).next_multiple_of(8);
                continue;
            }
        };
        engine.written(place, 8);
        if node != 0 {
            let size = u64::from(engine.graph.width(node)).div_ceil(8);
            let value = memory::value(place, size as usize);
            let width = engine.graph.width(node);
            let node = engine.checked(node, value, width);
            if node != 0 && width % 8 == 0 {
                engine.shadow.store(place, size, node);
            }
        }
    }
}
