//! The functions of the printf family.

use super::super::external::List;
use super::super::output::printf_target;
use super::print::{Destination, PrintArguments, printed, prints};
use core::ffi::{CStr, c_char, c_int};

unsafe extern "C" {
    fn vsprintf(to: *mut c_char, format: *const c_char, list: *mut List) -> c_int;
    fn vsnprintf(to: *mut c_char, room: usize, format: *const c_char, list: *mut List) -> c_int;
    fn vasprintf(to: *mut *mut c_char, format: *const c_char, list: *mut List) -> c_int;
    fn __vsprintf_chk(
        to: *mut c_char,
        flag: c_int,
        size: usize,
        format: *const c_char,
        list: *mut List,
    ) -> c_int;
    fn __vsnprintf_chk(
        to: *mut c_char,
        room: usize,
        flag: c_int,
        size: usize,
        format: *const c_char,
        list: *mut List,
    ) -> c_int;
    fn __vasprintf_chk(
        to: *mut *mut c_char,
        flag: c_int,
        format: *const c_char,
        list: *mut List,
    ) -> c_int;
}

/// Where a function of the library prints to.
const LIMITED: u32 = 2;
const ALLOCATED: u32 = 3;

fn done(
    kind: u32,
    to: *mut c_char,
    room: u64,
    format: *const c_char,
    arguments: PrintArguments,
    result: c_int,
) {
    let destination = match kind {
        ALLOCATED => {
            // SAFETY: the library has just written there.
            let text = unsafe { *to.cast::<u64>() };
            let size = u64::try_from(result).map_or(0, |length| length + 1);
            if let Some(mut engine) = super::super::enter() {
                engine.written(to as u64, 8);
                if size > 0 {
                    engine.objects.allocated(text, size);
                }
            }
            Destination {
                start: text,
                room: size,
            }
        }
        LIMITED => Destination {
            start: to as u64,
            room,
        },
        _ => Destination {
            start: to as u64,
            room: u64::MAX,
        },
    };
    printed(destination, format as u64, arguments, result);
}

models! {
    /// After a call with its arguments in an array, pairs of a value and its node. The kind is 1 for `sprintf`, 2 for
    /// `snprintf`, 3 for `asprintf`.
    fn __yester_printed(
        kind: u32,
        to: *mut c_char,
        room: u64,
        format: *const c_char,
        arguments: *const [u64; 2],
        count: u64,
        result: c_int,
    ) {
        if super::super::engine::is_active() {
            done(kind, to, room, format, PrintArguments::Array(arguments, count), result);
        }
    }

    /// Before a call that prints, with its arguments in an array or in a list. The kind is 0 for standard output, 1 for a stream,
    /// 2 for a descriptor.
    fn __yester_prints(
        is_used: u32,
        format: *const c_char,
        arguments: *const [u64; 2],
        count: u64,
        list: *const List,
        name: *const c_char,
        kind: u32,
        to: u64,
    ) {
        if super::super::engine::records_output() {
            let get = || if list.is_null() {
                PrintArguments::Array(arguments, count)
            } else {
                PrintArguments::List(*list)
            };
            prints(is_used != 0, format as u64, get(), CStr::from_ptr(name).to_bytes());
            if let Some(mut engine) = super::super::engine::enter_for_output() {
                let target = printf_target(&mut engine, kind, to);
                if engine.prints_to(target, format as u64, get()).is_none() {
                    engine.cut_output(target);
                }
            }
        }
    }

    /// `vsprintf`.
    fn __yester_model_vsprintf(to: *mut c_char, format: *const c_char, list: *mut List) -> c_int {
        let before = *list;
        let result = vsprintf(to, format, list);
        listed(__yester_model_vsprintf as *const () as usize, 1, to, 0, format, before, result)
    }

    /// `vsnprintf`.
    fn __yester_model_vsnprintf(
        to: *mut c_char,
        room: usize,
        format: *const c_char,
        list: *mut List,
    ) -> c_int {
        let before = *list;
        let result = vsnprintf(to, room, format, list);
        let callee = __yester_model_vsnprintf as *const () as usize;
        if let Some((mut engine, nodes)) = super::start(callee, [(to as u64, 64), (room as u64, 64)]) {
            engine.concretise_all(&nodes);
        }
        listed(0, LIMITED, to, room as u64, format, before, result)
    }

    /// `vasprintf`.
    fn __yester_model_vasprintf(
        to: *mut *mut c_char,
        format: *const c_char,
        list: *mut List,
    ) -> c_int {
        let before = *list;
        let result = vasprintf(to, format, list);
        let callee = __yester_model_vasprintf as *const () as usize;
        listed(callee, ALLOCATED, to.cast(), 0, format, before, result)
    }

    /// `__vsprintf_chk`.
    fn __yester_model___vsprintf_chk(
        to: *mut c_char,
        flag: c_int,
        size: usize,
        format: *const c_char,
        list: *mut List,
    ) -> c_int {
        let before = *list;
        let result = __vsprintf_chk(to, flag, size, format, list);
        listed(__yester_model___vsprintf_chk as *const () as usize, 1, to, 0, format, before, result)
    }

    /// `__vsnprintf_chk`.
    fn __yester_model___vsnprintf_chk(
        to: *mut c_char,
        room: usize,
        flag: c_int,
        size: usize,
        format: *const c_char,
        list: *mut List,
    ) -> c_int {
        let before = *list;
        let result = __vsnprintf_chk(to, room, flag, size, format, list);
        let callee = __yester_model___vsnprintf_chk as *const () as usize;
        if let Some((mut engine, nodes)) = super::start(callee, [(to as u64, 64), (room as u64, 64)]) {
            engine.concretise_all(&nodes);
        }
        listed(0, LIMITED, to, room as u64, format, before, result)
    }

    /// `__vasprintf_chk`.
    fn __yester_model___vasprintf_chk(
        to: *mut *mut c_char,
        flag: c_int,
        format: *const c_char,
        list: *mut List,
    ) -> c_int {
        let before = *list;
        let result = __vasprintf_chk(to, flag, format, list);
        let callee = __yester_model___vasprintf_chk as *const () as usize;
        listed(callee, ALLOCATED, to.cast(), 0, format, before, result)
    }
}

fn listed(
    callee: usize,
    kind: u32,
    to: *mut c_char,
    room: u64,
    format: *const c_char,
    before: List,
    result: c_int,
) -> c_int {
    if super::super::engine::is_active() {
        if let Some((mut engine, [pointer])) = super::start(callee, [(to as u64, 64)]) {
            engine.concretise(pointer);
        }
        done(kind, to, room, format, PrintArguments::List(before), result);
    }
    result
}
