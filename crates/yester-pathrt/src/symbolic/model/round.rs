//! Ways around: what the program writes into a pipe or a file and reads again is not followed, so it is told as lost.

use super::super::engine::Engine;
use super::super::input::FileIdentity;
use super::super::shadow::range_may_have;
use super::file::identity;
use super::read::IoVec;
use super::start;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};

unsafe extern "C" {
    fn write(descriptor: c_int, from: *const c_void, size: usize) -> isize;
    fn writev(descriptor: c_int, pieces: *const IoVec, count: c_int) -> isize;
    fn syscall(number: c_long, ...) -> c_long;
}

/// How many files are remembered; of more, the last ones.
const MOST_WRITTEN: usize = 64;
/// Standard input, output and error come from whoever started the program.
const INHERITED: usize = 3;

/// Which files may lead back into the program.
pub struct RoundTrips {
    inherited: [Option<FileIdentity>; INHERITED],
    written: [Option<FileIdentity>; MOST_WRITTEN],
    next: usize,
}

impl RoundTrips {
    /// At the start of the program.
    pub fn new() -> RoundTrips {
        RoundTrips {
            inherited: [identity(0), identity(1), identity(2)],
            written: [None; MOST_WRITTEN],
            next: 0,
        }
    }
}

/// Whether a descriptor is a pipe or socket.
fn is_pipe(descriptor: c_int) -> bool {
    const FSTAT: c_long = 5;
    let mut status = [0_u64; 18];
    // SAFETY: `status` is as big as what the kernel writes.
    let answer = unsafe { syscall(FSTAT, c_long::from(descriptor), status.as_mut_ptr()) };
    answer == 0 && matches!(status[3] & 0o170_000, 0o010_000 | 0o140_000)
}

/// Whether a descriptor may be written to as well as read.
fn is_for_both(descriptor: c_int) -> bool {
    const FCNTL: c_long = 72;
    const GET_FLAGS: c_long = 3;
    const FOR_BOTH: c_long = 2;
    // SAFETY: only asks for flags.
    let flags = unsafe { syscall(FCNTL, c_long::from(descriptor), GET_FLAGS, 0 as c_long) };
    flags >= 0 && flags & 3 == FOR_BOTH
}

impl Engine {
    /// Notes that the program writes to a descriptor.
    pub fn writes_to(&mut self, descriptor: c_int) {
        let Some(file) = identity(descriptor) else {
            return;
        };
        let trips = &mut self.round_trips;
        if trips.inherited.contains(&Some(file)) || trips.written.contains(&Some(file)) {
            return;
        }
        trips.written[trips.next % MOST_WRITTEN] = Some(file);
        trips.next += 1;
    }

    /// Tells the loss if the program reads from what is no chosen source, but may have what it wrote itself.
    pub fn reads_from_elsewhere(&mut self, descriptor: c_int) {
        let Some(file) = identity(descriptor) else {
            return;
        };
        if self.round_trips.inherited.contains(&Some(file)) {
            return;
        }
        if is_pipe(descriptor) {
            self.lose(&[b"input from a pipe of the program's own is not followed"]);
        } else if self.round_trips.written.contains(&Some(file)) || is_for_both(descriptor) {
            self.lose(&[b"input from a file that the program may have written is not followed"]);
        }
    }

    /// Notes that a stream was opened by a mode that allows writing.
    ///
    /// # Safety
    /// `mode` is a C string or null.
    pub unsafe fn opens(&mut self, descriptor: c_int, mode: *const c_char) {
        if mode.is_null() {
            return;
        }
        // SAFETY: what the caller promises.
        let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
        if mode.iter().any(|letter| b"wa+".contains(letter)) {
            self.writes_to(descriptor);
        }
    }
}

models! {
    /// `write`.
    fn __yester_model_write(descriptor: c_int, from: *const c_void, size: usize) -> isize {
        let callee = __yester_model_write as *const () as usize;
        let values = [(u64::from(descriptor as u32), 32), (from as u64, 64), (size as u64, 64)];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
            if range_may_have(from as u64, size as u64) && engine.shadow.any(from as u64, size as u64) {
                engine.writes_to(descriptor);
            }
        }
        let result = write(descriptor, from, size);
        if result > 0
            && let Some(mut engine) = super::super::engine::enter_for_output()
        {
            let target = engine.target_of(descriptor);
            engine.outputs(target, from as u64, result as u64, 0);
        }
        result
    }

    /// `writev`.
    fn __yester_model_writev(descriptor: c_int, pieces: *const IoVec, count: c_int) -> isize {
        let callee = __yester_model_writev as *const () as usize;
        let areas = core::slice::from_raw_parts(pieces, usize::try_from(count).unwrap_or(0));
        let values = [
            (u64::from(descriptor as u32), 32),
            (pieces as u64, 64),
            (u64::from(count as u32), 32),
        ];
        if let Some((mut engine, nodes)) = start(callee, values) {
            let engine = &mut *engine;
            engine.concretise_all(&nodes);
            for (place, area) in areas.iter().enumerate() {
                // Where the areas are and how long.
                let place = pieces as u64 + 16 * place as u64;
                for (place, value) in [(place, area.start), (place + 8, area.size)] {
                    let loaded = engine.shadow.load(&mut engine.graph, place, 8, value);
                    engine.concretise(loaded.node);
                }
                if range_may_have(area.start, area.size) && engine.shadow.any(area.start, area.size) {
                    engine.writes_to(descriptor);
                }
            }
        }
        let result = writev(descriptor, pieces, count);
        if result > 0
            && let Some(mut engine) = super::super::engine::enter_for_output()
        {
            let target = engine.target_of(descriptor);
            let mut rest = result as u64;
            for area in areas {
                engine.outputs(target, area.start, area.size.min(rest), 0);
                rest = rest.saturating_sub(area.size);
            }
        }
        result
    }
}
