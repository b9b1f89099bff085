//! Chosen strings of argv. A string ends at its first zero, and any of its bytes may become one, so its length needs no number of
//! its own. The program gets a copy with room behind the end, where bytes of longer strings are.

use super::super::input::ChosenSource;
use super::super::memory::Region;
use core::ffi::{c_char, c_int};

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
}

/// By how many bytes a string may become longer.
const MOST_LONGER: u64 = 64;

/// Makes the chosen arguments symbolic. Called at the start of `main`.
///
/// # Safety
/// The arguments of `main`.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_symbolic_arguments(count: c_int, arguments: *mut *mut c_char) {
    let Some(mut engine) = super::super::enter() else {
        return;
    };
    for source in 0..engine.inputs.count {
        let ChosenSource::Argument(number) = engine.inputs.source(source) else {
            continue;
        };
        if number >= usize::try_from(count).unwrap_or(0) {
            engine.lose(&[b"an argument that was not given"]);
            continue;
        }
        // SAFETY: there are `count` strings.
        let text = unsafe { *arguments.add(number) };
        // SAFETY: as above.
        let length = unsafe { strlen(text) } as u64;
        // A zero that is assumed, and one that is certain.
        let size = length + MOST_LONGER + 2;
        let copy = Region::<u8>::reserve(size as usize);
        if (copy.capacity() as u64) < size {
            engine.lose(&[b"an argument for which there is no memory"]);
            continue;
        }
        let start = copy.at(0);
        // SAFETY: the string has so many bytes, the copy has more, and argv can be written to.
        unsafe {
            core::ptr::copy_nonoverlapping(text.cast(), start, length as usize);
            *arguments.add(number) = start.cast();
        }
        let start = start as u64;
        engine.objects.add(start, size);
        engine.read_into(start, source, 0, length + MOST_LONGER + 1);
        let last = engine.byte(start + length + MOST_LONGER);
        engine.concretise(last);
    }
}
