//! Where streams are: functions that tell it, and that move there.

use super::super::engine::Engine;
use super::file::CStream;
use super::start;
use crate::format::Operation;
use core::ffi::{c_int, c_long};

unsafe extern "C" {
    fn fileno(stream: *mut CStream) -> c_int;
    fn feof(stream: *mut CStream) -> c_int;
    fn clearerr(stream: *mut CStream);
    fn ftello(stream: *mut CStream) -> i64;
    fn fseeko(stream: *mut CStream, offset: i64, from: c_int) -> c_int;
    fn rewind(stream: *mut CStream);
}

const FROM_END: c_int = 2;

impl Engine {
    /// A stream is at a place that depends on how long the file is.
    pub fn is_at(&mut self, stream: *mut CStream, place: u32) {
        if let Some(open) = self.files.find(stream) {
            open.place = place;
        }
    }
}

models! {
    /// `feof`.
    fn __yester_model_feof(stream: *mut CStream) -> c_int {
        let callee = __yester_model_feof as *const () as usize;
        let result = feof(stream);
        if let Some(mut engine) = super::super::enter() {
            super::super::call::current().callee = 0;
            let tried = engine.files.find(stream).and_then(|open| Some((open.source?, open.tried?)));
            match tried.and_then(|(source, tried)| engine.is_missing(stream, source, tried)) {
                Some(missing) => {
                    let node = engine.graph.extend(Operation::ZeroExtend, missing, 32);
                    let one = engine.graph.constant(32, result as u64);
                    let none = engine.graph.constant(32, 0);
                    // The library may use another number than 1.
                    let node = match result {
                        0 | 1 => node,
                        _ => engine.graph.choose(missing, one, none),
                    };
                    engine.give(callee as u64, node, u64::from(result as u32));
                }
                None if result != 0 => engine.pin_stream(stream),
                None => {}
            }
        }
        result
    }

    /// `clearerr`.
    fn __yester_model_clearerr(stream: *mut CStream) {
        if let Some(mut engine) = super::super::enter()
            && let Some(open) = engine.files.find(stream)
        {
            open.tried = None;
        }
        clearerr(stream);
    }

    /// `ftell`.
    fn __yester_model_ftell(stream: *mut CStream) -> c_long {
        tell(__yester_model_ftell as *const () as usize, stream)
    }

    /// `ftello`.
    fn __yester_model_ftello(stream: *mut CStream) -> c_long {
        tell(__yester_model_ftello as *const () as usize, stream)
    }

    /// `fseek`.
    fn __yester_model_fseek(stream: *mut CStream, offset: c_long, from: c_int) -> c_int {
        let callee = __yester_model_fseek as *const () as usize;
        sought(callee, stream, offset, from)
    }

    /// `fseeko`.
    fn __yester_model_fseeko(stream: *mut CStream, offset: c_long, from: c_int) -> c_int {
        let callee = __yester_model_fseeko as *const () as usize;
        sought(callee, stream, offset, from)
    }

    /// `rewind`.
    fn __yester_model_rewind(stream: *mut CStream) {
        rewind(stream);
        if let Some(mut engine) = super::super::enter() {
            engine.files.doubt_one(stream);
        }
    }
}

fn tell(callee: usize, stream: *mut CStream) -> c_long {
    // SAFETY: the program has passed an open stream.
    let result = unsafe { ftello(stream) };
    if let Some(mut engine) = super::super::enter() {
        super::super::call::current().callee = 0;
        let place = engine.files.find(stream).map_or(0, |open| open.place);
        if place != 0 {
            engine.give(callee as u64, place, result as u64);
        }
    }
    result
}

fn sought(callee: usize, stream: *mut CStream, offset: c_long, from: c_int) -> c_int {
    // SAFETY: the program has passed an open stream.
    let result = unsafe { fseeko(stream, offset, from) };
    let values = [
        (stream as u64, 64),
        (offset as u64, 64),
        (u64::from(from as u32), 32),
    ];
    if let Some((mut engine, nodes)) = start(callee, values) {
        // The offset decides which bytes are read.
        engine.concretise_all(&nodes);
        engine.files.doubt_one(stream);
        if from == FROM_END
            && result == 0
            && let Some((source, _)) = engine.position(stream)
        {
            // SAFETY: as above.
            match engine.length(source, unsafe { fileno(stream) }) {
                Some(length) => {
                    let offset = engine.graph.constant(64, offset as u64);
                    let place = engine.graph.binary(Operation::Add, length, offset);
                    engine.is_at(stream, place);
                    if let Some(open) = engine.files.find(stream) {
                        open.is_from_end = true;
                    }
                }
                None => engine.pin_length(source),
            }
        }
    }
    result
}
