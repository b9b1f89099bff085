//! Reading by descriptors, and files as memory.

use super::start;
use core::ffi::{CStr, c_char, c_int, c_long, c_void};

unsafe extern "C" {
    fn read(descriptor: c_int, to: *mut c_void, size: usize) -> isize;
    fn pread(descriptor: c_int, to: *mut c_void, size: usize, offset: i64) -> isize;
    fn mmap(
        place: *mut c_void,
        size: usize,
        protection: c_int,
        flags: c_int,
        descriptor: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn readv(descriptor: c_int, pieces: *const IoVec, count: c_int) -> isize;
    fn fileno(stream: *mut c_void) -> c_int;
    fn munmap(place: *mut c_void, size: usize) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
}

const FSTAT: c_long = 5;
const SEEK: c_long = 8;
const FROM_HERE: c_long = 1;

/// How far each source was read, for pipes, which have no offset of their own.
static COUNTED: [core::sync::atomic::AtomicU64; super::super::input::MOST_SOURCES] =
    [const { core::sync::atomic::AtomicU64::new(0) }; super::super::input::MOST_SOURCES];

/// After memory was filled with `result` of `wanted` bytes. Gives the function at `callee` its result.
fn after_read(
    callee: usize,
    descriptor: c_int,
    to: u64,
    wanted: usize,
    result: isize,
    offset: Option<i64>,
) {
    let piece = IoVec {
        start: to,
        size: u64::MAX,
    };
    let Some((source, start)) = after_reads(descriptor, &[piece], result, offset) else {
        return;
    };
    if let Some(mut engine) = super::super::enter()
        && let Some(count) = engine.read_bytes_of(descriptor, source, start, wanted as u64, to)
    {
        engine.give(callee as u64, count, result as u64);
    }
}

/// C's `iovec`: an area of memory that `readv` fills and `writev` writes.
#[repr(C)]
pub struct IoVec {
    /// Where it begins.
    pub start: u64,
    /// How many bytes it has.
    pub size: u64,
}

/// After these areas of memory were filled in order with `result` bytes. Returns the source, and the offset in it.
fn after_reads(
    descriptor: c_int,
    pieces: &[IoVec],
    result: isize,
    offset: Option<i64>,
) -> Option<(usize, u64)> {
    let count = u64::try_from(result).ok()?;
    let mut engine = super::super::enter()?;
    let source = engine.source_of(descriptor);
    if source.is_none() {
        engine.reads_from_elsewhere(descriptor);
    }
    let mut start = match (source, offset) {
        (None, _) => 0,
        (_, Some(offset)) => offset as u64,
        (Some(source), None) => {
            // SAFETY: asks where a descriptor is.
            let here = unsafe { syscall(SEEK, c_long::from(descriptor), 0 as c_long, FROM_HERE) };
            match u64::try_from(here) {
                Ok(here) => here.saturating_sub(count),
                Err(_) => COUNTED[source].fetch_add(count, core::sync::atomic::Ordering::Relaxed),
            }
        }
    };
    let first = start;
    let mut rest = count;
    for piece in pieces {
        let filled = piece.size.min(rest);
        match source {
            Some(source) => engine.read_into(piece.start, source, start, filled),
            None => engine.written(piece.start, filled),
        }
        start += filled;
        rest -= filled;
    }
    source.map(|source| (source, first))
}

models! {
    /// `read`.
    fn __yester_model_read(descriptor: c_int, to: *mut c_void, size: usize) -> isize {
        let callee = __yester_model_read as *const () as usize;
        let result = read(descriptor, to, size);
        let values = [(u64::from(descriptor as u32), 32), (to as u64, 64), (size as u64, 64)];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
        }
        after_read(callee, descriptor, to as u64, size, result, None);
        result
    }

    /// `pread`.
    fn __yester_model_pread(
        descriptor: c_int,
        to: *mut c_void,
        size: usize,
        offset: i64,
    ) -> isize {
        let callee = __yester_model_pread as *const () as usize;
        let result = pread(descriptor, to, size, offset);
        let values = [
            (u64::from(descriptor as u32), 32),
            (to as u64, 64),
            (size as u64, 64),
            (offset as u64, 64),
        ];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
        }
        after_read(callee, descriptor, to as u64, size, result, Some(offset));
        result
    }

    /// `pread64`.
    fn __yester_model_pread64(
        descriptor: c_int,
        to: *mut c_void,
        size: usize,
        offset: i64,
    ) -> isize {
        __yester_model_pread(descriptor, to, size, offset)
    }

    /// `readv`.
    fn __yester_model_readv(descriptor: c_int, pieces: *const IoVec, count: c_int) -> isize {
        let callee = __yester_model_readv as *const () as usize;
        let result = readv(descriptor, pieces, count);
        let values = [
            (u64::from(descriptor as u32), 32),
            (pieces as u64, 64),
            (u64::from(count as u32), 32),
        ];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
        }
        if result > 0 {
            let pieces = core::slice::from_raw_parts(pieces, count as usize);
            let read = after_reads(descriptor, pieces, result, None);
            if let (Some((source, _)), Some(mut engine)) = (read, super::super::enter()) {
                engine.pin_length(source);
            }
        }
        result
    }

    /// Before a function without a model reads. Kinds: 0 from a descriptor, 1 from a stream, 2 from standard input, 3 from a stream
    /// of the C++ library.
    fn __yester_unread(kind: u32, from: u64, name: *const c_char) {
        let Some(mut engine) = super::super::enter() else {
            return;
        };
        engine.files.doubt();
        let descriptor = match kind {
            0 => from as c_int,
            1 if from == 0 => return,
            1 => fileno(from as *mut c_void),
            2 => 0,
            _ => {
                drop(engine);
                return __yester_unfollowed(name);
            }
        };
        if let Some(source) = engine.source_of(descriptor) {
            engine.pin_length(source);
            let name = CStr::from_ptr(name).to_bytes();
            engine.lose(&[b"input that ", name, b" reads, which is not modelled"]);
        }
    }

    /// Before a function of the C++ library reads letters of a stream by itself. All streams may have been read.
    fn __yester_unfollowed(name: *const c_char) {
        let Some(mut engine) = super::super::enter() else {
            return;
        };
        for source in 0..engine.inputs.count {
            engine.pin_length(source);
        }
        let name = CStr::from_ptr(name).to_bytes();
        engine.lose(&[b"what ", name, b" reads"]);
    }

    /// `mmap`.
    fn __yester_model_mmap(
        place: *mut c_void,
        size: usize,
        protection: c_int,
        flags: c_int,
        descriptor: c_int,
        offset: i64,
    ) -> *mut c_void {
        const ANONYMOUS: c_int = 0x20;
        let result = mmap(place, size, protection, flags, descriptor, offset);
        if result as isize == -1 {
            return result;
        }
        if let Some(mut engine) = super::super::enter() {
            super::super::call::current().callee = 0;
            engine.written(result as u64, size as u64);
            engine.objects.add(result as u64, size as u64);
            if flags & ANONYMOUS == 0
                && protection & 1 != 0
                && let Some(source) = engine.source_of(descriptor)
            {
                let mut status = [0_u64; 18];
                syscall(FSTAT, c_long::from(descriptor), status.as_mut_ptr());
                let rest = status[6].saturating_sub(offset as u64);
                let count = rest.min(size as u64);
                engine.read_into(result as u64, source, offset as u64, count);
                engine.pin_length(source);
            }
        }
        result
    }

    /// `mmap64`.
    fn __yester_model_mmap64(
        place: *mut c_void,
        size: usize,
        protection: c_int,
        flags: c_int,
        descriptor: c_int,
        offset: i64,
    ) -> *mut c_void {
        __yester_model_mmap(place, size, protection, flags, descriptor, offset)
    }

    /// `munmap`.
    fn __yester_model_munmap(place: *mut c_void, size: usize) -> c_int {
        if let Some(mut engine) = super::super::enter() {
            engine.written(place as u64, size as u64);
        }
        munmap(place, size)
    }
}
