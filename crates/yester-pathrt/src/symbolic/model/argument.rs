//! Chosen strings of argv.

use super::super::input::ChosenSource;
use core::ffi::{c_char, c_int};

unsafe extern "C" {
    fn strlen(text: *const c_char) -> usize;
}

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
        engine.objects.add(text as u64, length + 1);
        engine.read_into(text as u64, source, 0, length);
        for place in text as u64..text as u64 + length {
            // No argument has a zero inside.
            let byte = engine.byte(place);
            let zero = engine.graph.is(byte, 0);
            let no_zero = engine.graph.not(zero);
            engine.assume(no_zero);
        }
    }
}
