//! Functions that read lines of streams.

use super::file::{CStream, NextByte, next};
use core::ffi::{c_char, c_int};

unsafe extern "C" {
    fn fgets(to: *mut c_char, room: c_int, stream: *mut CStream) -> *mut c_char;
    fn getdelim(
        line: *mut *mut c_char,
        room: *mut usize,
        end: c_int,
        stream: *mut CStream,
    ) -> isize;
}

models! {
    /// `fgets`.
    fn __yester_model_fgets(to: *mut c_char, room: c_int, stream: *mut CStream) -> *mut c_char {
        if !super::super::is_active() {
            return fgets(to, room, stream);
        }
        let callee = __yester_model_fgets as *const () as usize;
        let mut count = 0;
        let mut first = None;
        let mut is_at_end = false;
        while count < room - 1 {
            let NextByte { value: byte, node, place } = next(stream);
            if count == 0 {
                first = place;
            }
            if byte < 0 {
                if count > 0 {
                    is_at_end = true;
                    break;
                }
                if let Some(mut engine) = super::super::enter()
                    && let Some(pointer) = engine.pointer_at_end(stream, to as u64)
                {
                    engine.give(callee as u64, pointer, 0);
                }
                return core::ptr::null_mut();
            }
            let place = to.add(count as usize);
            *place = byte as c_char;
            if let Some(mut engine) = super::super::enter() {
                engine.shadow.store(place as u64, 1, node);
                engine.assume_border(node, b'\n');
            }
            count += 1;
            if byte == c_int::from(b'\n') {
                break;
            }
        }
        if room > 0 {
            let place = to.add(count as usize) as u64;
            let mut ending = 0;
            if let Some(mut engine) = super::super::enter()
                && let Some((source, first)) = first
                && let Some(exists) = engine.goes_on_for(stream, source, first, count as u64, is_at_end)
            {
                let (line, none) = (engine.graph.constant(64, to as u64), engine.graph.constant(64, 0));
                let pointer = engine.graph.choose(exists, line, none);
                engine.give(callee as u64, pointer, to as u64);
                let (zero, before) = (engine.graph.constant(8, 0), engine.byte(place));
                ending = engine.graph.choose(exists, zero, before);
            }
            *(place as *mut u8) = 0;
            super::super::hook::__yester_fill(place, ending, 1);
        }
        to
    }

    /// `fgets_unlocked`.
    fn __yester_model_fgets_unlocked(
        to: *mut c_char,
        room: c_int,
        stream: *mut CStream,
    ) -> *mut c_char {
        __yester_model_fgets(to, room, stream)
    }

    /// `getdelim`.
    fn __yester_model_getdelim(
        line: *mut *mut c_char,
        room: *mut usize,
        end: c_int,
        stream: *mut CStream,
    ) -> isize {
        let callee = __yester_model_getdelim as *const () as usize;
        let position = super::super::enter().and_then(|mut engine| engine.position(stream));
        let result = getdelim(line, room, end, stream);
        if let Some(mut engine) = super::super::enter() {
            engine.written(line as u64, 8);
            engine.written(room as u64, 8);
            if let Some((source, offset)) = position {
                // In the last line, more would be read in another run.
                let count = result.max(0) as u64;
                let is_at_end = count == 0 || *(*line).add(count as usize - 1) as u8 != end as u8;
                engine.files.tried(stream, offset + count - u64::from(!is_at_end));
                let one = engine.graph.constant(64, count.max(1));
                let none = engine.graph.constant(64, u64::MAX);
                let exists = match count {
                    0 => engine.one_byte_more(stream, source, offset).map(|more| more.0),
                    _ => engine.goes_on_for(stream, source, offset, count, is_at_end),
                };
                if let Some(exists) = exists {
                    let node = engine.graph.choose(exists, one, none);
                    engine.give(callee as u64, node, result as u64);
                }
            }
            if result >= 0 {
                let (place, count) = (*line as u64, result as u64);
                engine.objects.allocated(place, *room as u64);
                match position {
                    Some((source, offset)) => {
                        engine.read_into(place, source, offset, count);
                        engine.advance(stream, offset + count);
                        for index in 0..count {
                            let node = engine.byte(place + index);
                            engine.assume_border(node, end as u8);
                        }
                    }
                    None => engine.written(place, count),
                }
                engine.written(place + count, 1);
            }
        }
        result
    }

    /// `getline`.
    fn __yester_model_getline(
        line: *mut *mut c_char,
        room: *mut usize,
        stream: *mut CStream,
    ) -> isize {
        let result = __yester_model_getdelim(line, room, c_int::from(b'\n'), stream);
        if super::super::is_active() {
            super::super::call::current().returned = __yester_model_getline as *const () as u64;
        }
        result
    }
}
