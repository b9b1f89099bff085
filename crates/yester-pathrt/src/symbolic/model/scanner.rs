//! The functions of the scanf family.

use super::super::engine::enter;
use super::super::external::{Argument, List, Usage};
use super::file::CStream;
use super::scan::{Pointers, ScanOrigin, scan, standard_input};
use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    fn sscanf(text: *const c_char, format: *const c_char, ...) -> c_int;
    fn fscanf(stream: *mut CStream, format: *const c_char, ...) -> c_int;
    fn vsscanf(text: *const c_char, format: *const c_char, list: *mut List) -> c_int;
    fn vfscanf(stream: *mut CStream, format: *const c_char, list: *mut List) -> c_int;
}

/// The most pointers of a call. `yester-cc` has the same limit.
const MOST_SCANNED: usize = 24;

/// Calls a function with the most pointers possible; it ignores those that the format does not use.
macro_rules! spread {
    ($function:ident, $source:expr, $format:expr, $p:expr) => {
        $function(
            $source, $format, $p[0], $p[1], $p[2], $p[3], $p[4], $p[5], $p[6], $p[7], $p[8], $p[9],
            $p[10], $p[11], $p[12], $p[13], $p[14], $p[15], $p[16], $p[17], $p[18], $p[19], $p[20],
            $p[21], $p[22], $p[23],
        )
    };
}

/// A call of scanf with its pointers in an array. Kinds: 0 from a string, 1 from a stream, 2 from standard input.
///
/// # Safety
/// As the function of the library; there are `count` pointers.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_scan(
    kind: u32,
    source: *mut c_void,
    format: *const c_char,
    pointers: *const *mut c_void,
    count: u64,
) -> c_int {
    let callee = __yester_scan as *const () as usize;
    let stream = if kind == 2 { standard_input() } else { source };
    let origin = match kind {
        0 => ScanOrigin::Text(source as u64, 0),
        _ => ScanOrigin::Stream(stream, 0),
    };
    if let Some(result) = scan(callee, origin, format, Pointers::Array(pointers)) {
        return result;
    }
    let mut all = [core::ptr::null_mut(); MOST_SCANNED];
    for (index, pointer) in all.iter_mut().enumerate().take(count as usize) {
        // SAFETY: what the caller promises.
        *pointer = unsafe { *pointers.add(index) };
    }
    // SAFETY: what the caller promises.
    let result = unsafe {
        match kind {
            0 => spread!(sscanf, source.cast::<c_char>(), format, all),
            _ => spread!(fscanf, stream, format, all),
        }
    };
    if let Some(mut engine) = enter() {
        for pointer in all {
            engine.invalidate(Argument {
                address: pointer as u64,
                object: 0,
                size: 0,
                usage: Usage::Written,
            });
        }
        engine.files.doubt();
    }
    result
}

fn doubt() {
    if let Some(mut engine) = enter() {
        engine.files.doubt();
    }
}

macro_rules! listed {
    ($($text:ident $stream:ident $input:ident),*) => {
        models! {$(
            /// `vsscanf`.
            fn $text(text: *const c_char, format: *const c_char, list: *mut List) -> c_int {
                let callee = $text as *const () as usize;
                let origin = ScanOrigin::Text(text as u64, 0);
                scan(callee, origin, format, Pointers::List(list))
                    .unwrap_or_else(|| vsscanf(text, format, list))
            }

            /// `vfscanf`.
            fn $stream(stream: *mut CStream, format: *const c_char, list: *mut List) -> c_int {
                let callee = $stream as *const () as usize;
                let origin = ScanOrigin::Stream(stream, 0);
                scan(callee, origin, format, Pointers::List(list)).unwrap_or_else(|| {
                    doubt();
                    vfscanf(stream, format, list)
                })
            }

            /// `vscanf`.
            fn $input(format: *const c_char, list: *mut List) -> c_int {
                let callee = $input as *const () as usize;
                let origin = ScanOrigin::Stream(standard_input(), 0);
                scan(callee, origin, format, Pointers::List(list)).unwrap_or_else(|| {
                    doubt();
                    vfscanf(standard_input(), format, list)
                })
            }
        )*}
    };
}

listed!(
    __yester_model_vsscanf __yester_model_vfscanf __yester_model_vscanf,
    __yester_model___isoc99_vsscanf __yester_model___isoc99_vfscanf __yester_model___isoc99_vscanf,
    __yester_model___isoc23_vsscanf __yester_model___isoc23_vfscanf __yester_model___isoc23_vscanf
);
