//! Streams of the C library that read chosen files: their offsets, and the functions that read bytes and lines.

use super::super::engine::Engine;
use super::super::input::{ChosenSource, FileIdentity};
use super::super::memory;
use super::start;
use crate::format::Operation;
use core::ffi::{c_char, c_int, c_long, c_void};

/// C's `FILE`, which only the library looks into.
pub type CStream = c_void;

unsafe extern "C" {
    static stdin: *mut CStream;
    fn fileno(stream: *mut CStream) -> c_int;
    fn ftello(stream: *mut CStream) -> i64;
    fn fgetc(stream: *mut CStream) -> c_int;
    fn ungetc(byte: c_int, stream: *mut CStream) -> c_int;
    fn fread(to: *mut c_void, size: usize, count: usize, stream: *mut CStream) -> usize;
    fn getdelim(
        line: *mut *mut c_char,
        room: *mut usize,
        end: c_int,
        stream: *mut CStream,
    ) -> isize;
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut CStream;
    fn fdopen(descriptor: c_int, mode: *const c_char) -> *mut CStream;
    fn freopen(path: *const c_char, mode: *const c_char, stream: *mut CStream) -> *mut CStream;
    fn fclose(stream: *mut CStream) -> c_int;
    fn fseeko(stream: *mut CStream, offset: i64, from: c_int) -> c_int;
    fn rewind(stream: *mut CStream);
    fn syscall(number: c_long, ...) -> c_long;
}

const STAT: c_long = 4;
const FSTAT: c_long = 5;
const FROM_END: c_int = 2;

const MOST_STREAMS: usize = 256;

#[derive(Clone, Copy)]
struct OpenStream {
    stream: u64,
    source: Option<usize>,
    offset: u64,
    fresh: bool,
}

/// The streams that were used for reading.
pub struct OpenStreams {
    open: [OpenStream; MOST_STREAMS],
    count: usize,
}

impl OpenStreams {
    /// None.
    pub const fn new() -> OpenStreams {
        let none = OpenStream {
            stream: 0,
            source: None,
            offset: 0,
            fresh: false,
        };
        OpenStreams {
            open: [none; MOST_STREAMS],
            count: 0,
        }
    }

    /// Any stream may have been read by code that is not instrumented.
    pub fn doubt(&mut self) {
        for open in &mut self.open[..self.count] {
            open.fresh = false;
        }
    }

    fn doubt_one(&mut self, stream: *mut CStream) {
        for open in &mut self.open[..self.count] {
            if open.stream == stream as u64 {
                open.fresh = false;
            }
        }
    }

    fn forget(&mut self, stream: *mut CStream) {
        if let Some(index) = self.open[..self.count]
            .iter()
            .position(|open| open.stream == stream as u64)
        {
            self.count -= 1;
            self.open[index] = self.open[self.count];
        }
    }
}

impl Default for OpenStreams {
    fn default() -> OpenStreams {
        OpenStreams::new()
    }
}

/// Which file an open descriptor is.
pub fn identity(descriptor: c_int) -> Option<FileIdentity> {
    let mut status = [0_u64; 18];
    // SAFETY: `status` is as big as what the kernel writes.
    let answer = unsafe { syscall(FSTAT, c_long::from(descriptor), status.as_mut_ptr()) };
    (answer == 0).then_some((status[0], status[1]))
}

impl Engine {
    /// Finds out which file a source is, if it exists already.
    pub fn identify(&mut self, source: usize) {
        self.inputs.identities[source] = match self.inputs.source(source) {
            ChosenSource::Stdin => identity(0),
            ChosenSource::File(path) => {
                let mut name = [0; 4096];
                if path.len() >= name.len() {
                    return;
                }
                name[..path.len()].copy_from_slice(path);
                let mut status = [0_u64; 18];
                // SAFETY: a path with a zero at its end, and room for what the kernel writes.
                let answer = unsafe { syscall(STAT, name.as_ptr(), status.as_mut_ptr()) };
                (answer == 0).then_some((status[0], status[1]))
            }
            _ => None,
        };
    }

    /// The chosen source that a descriptor reads.
    pub fn source_of(&mut self, descriptor: c_int) -> Option<usize> {
        for source in 0..self.inputs.count {
            if self.inputs.identities[source].is_none() {
                self.identify(source);
            }
        }
        self.inputs.with_identity(identity(descriptor)?)
    }

    /// The source that a stream reads, and at which offset it is.
    pub(super) fn position(&mut self, stream: *mut CStream) -> Option<(usize, u64)> {
        let known = self.files.open[..self.files.count]
            .iter()
            .position(|open| open.stream == stream as u64);
        let index = match known {
            Some(index) => index,
            None => {
                if self.files.count == MOST_STREAMS {
                    self.files.count = 0;
                }
                // SAFETY: the program reads from it, so it is open.
                let descriptor = unsafe { fileno(stream) };
                let source = self.source_of(descriptor);
                if source.is_none() {
                    self.reads_from_elsewhere(descriptor);
                }
                let index = self.files.count;
                self.files.open[index] = OpenStream {
                    stream: stream as u64,
                    source,
                    offset: 0,
                    fresh: false,
                };
                self.files.count += 1;
                index
            }
        };
        let open = &mut self.files.open[index];
        let source = open.source?;
        if !open.fresh {
            // SAFETY: as above. A pipe cannot tell; there every byte was counted.
            if let Ok(offset) = u64::try_from(unsafe { ftello(stream) }) {
                open.offset = offset;
            }
            open.fresh = true;
        }
        Some((source, open.offset))
    }

    /// Notes that a stream was read up to an offset.
    pub fn advance(&mut self, stream: *mut CStream, offset: u64) {
        for open in &mut self.files.open[..self.files.count] {
            if open.stream == stream as u64 {
                open.offset = offset;
            }
        }
    }

    /// The node of a byte of a source; 0 if it cannot have one.
    pub fn input_byte(&mut self, source: usize, offset: u64, value: u8) -> u32 {
        match self.inputs.index(source, offset, value) {
            Some(index) => self.graph.input(index, value),
            None => {
                self.lose(&[b"input that is too long or has changed since it was read first"]);
                0
            }
        }
    }

    /// Memory was filled from a source.
    pub fn read_into(&mut self, place: u64, source: usize, offset: u64, count: u64) {
        for index in 0..count {
            let value = memory::byte(place + index);
            if self.inputs.is_known(source, offset + index) {
                // In a run with a shorter input the two places need not hold the same.
                self.lengths.reached(source, offset + index + 1);
            }
            let node = self.input_byte(source, offset + index, value);
            self.shadow.store(place + index, 1, node);
        }
    }

    /// The library looked whether a byte is the one that ends something.
    pub fn assume_border(&mut self, node: u32, border: u8) {
        if node == 0 || self.graph.is_constant(node) {
            return;
        }
        let mut condition = self.graph.is(node, u64::from(border));
        if condition != 0 && self.graph.value(condition) == 0 {
            condition = self.graph.not(condition);
        }
        self.assume(condition);
    }

    /// Memory was written by the library with what depends on nothing.
    pub fn written(&mut self, place: u64, size: u64) {
        if super::super::shadow::range_may_have(place, size) {
            self.shadow.clear(place, size);
        }
    }
}

/// Reads a byte and gives its node, of eight bits.
pub(super) fn next(stream: *mut CStream) -> (c_int, u32) {
    let Some(mut engine) = super::super::enter() else {
        // SAFETY: the program reads from this stream.
        return (unsafe { fgetc(stream) }, 0);
    };
    let position = engine.position(stream);
    // Reading may block until another thread does something, so do not hold the state.
    drop(engine);
    // SAFETY: as above.
    let byte = unsafe { fgetc(stream) };
    let Some((source, offset)) = position.filter(|_| byte >= 0) else {
        return (byte, 0);
    };
    match super::super::enter() {
        Some(mut engine) => {
            engine.advance(stream, offset + 1);
            engine.lengths.reached(source, offset + 1);
            let node = engine.input_byte(source, offset, byte as u8);
            (byte, node)
        }
        None => (byte, 0),
    }
}

/// Puts a byte back.
pub(super) fn back(byte: c_int, stream: *mut CStream) -> c_int {
    // SAFETY: the program reads from this stream.
    let result = unsafe { ungetc(byte, stream) };
    if result >= 0
        && let Some(mut engine) = super::super::enter()
        && let Some((_, offset)) = engine.position(stream)
    {
        engine.advance(stream, offset.wrapping_sub(1));
    }
    result
}

fn next_character(callee: usize, stream: *mut CStream) -> c_int {
    let (byte, node) = next(stream);
    if let Some(mut engine) = super::super::enter() {
        let wide = match byte {
            0.. => engine.graph.extend(Operation::ZeroExtend, node, 32),
            _ => engine.end_of(stream).unwrap_or(0),
        };
        if wide != 0 {
            engine.give(callee as u64, wide, u64::from(byte as u32));
        }
    }
    byte
}

macro_rules! next_of_stream {
    ($($name:ident $documentation:literal),*) => {
        models! {$(
            #[doc = $documentation]
            fn $name(stream: *mut CStream) -> c_int {
                next_character($name as *const () as usize, stream)
            }
        )*}
    };
}

next_of_stream!(
    __yester_model_fgetc "`fgetc`.",
    __yester_model_getc "`getc`.",
    __yester_model__IO_getc "`getc` of older glibc.",
    __yester_model_fgetc_unlocked "`fgetc_unlocked`.",
    __yester_model_getc_unlocked "`getc_unlocked`."
);

models! {
    /// `getchar`.
    fn __yester_model_getchar() -> c_int {
        next_character(__yester_model_getchar as *const () as usize, stdin)
    }

    /// `getchar_unlocked`.
    fn __yester_model_getchar_unlocked() -> c_int {
        next_character(__yester_model_getchar_unlocked as *const () as usize, stdin)
    }

    /// `ungetc`.
    fn __yester_model_ungetc(byte: c_int, stream: *mut CStream) -> c_int {
        let callee = __yester_model_ungetc as *const () as usize;
        // The byte that is put back may be symbolic, but the byte that is read again gets its node from the file.
        if let Some((mut engine, [node, _])) =
            start(callee, [(u64::from(byte as u32), 32), (stream as u64, 64)])
            && node != 0
        {
            engine.give(callee as u64, node, u64::from(byte as u32));
        }
        back(byte, stream)
    }

    /// `fgets`.
    fn __yester_model_fgets(to: *mut c_char, room: c_int, stream: *mut CStream) -> *mut c_char {
        if !super::super::is_active() {
            return fgets(to, room, stream);
        }
        let callee = __yester_model_fgets as *const () as usize;
        let mut count = 0;
        while count < room - 1 {
            let (byte, node) = next(stream);
            if byte < 0 {
                let ended = super::super::enter();
                if count > 0 {
                    // A longer line would be read in another run.
                    if let Some(mut engine) = ended {
                        engine.pin_stream(stream);
                    }
                    break;
                }
                if let Some(mut engine) = ended
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
            let place = to.add(count as usize);
            *place = 0;
            super::super::hook::__yester_fill(place as u64, 0, 1);
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

    /// `fread`.
    fn __yester_model_fread(
        to: *mut c_void,
        size: usize,
        count: usize,
        stream: *mut CStream,
    ) -> usize {
        let position = super::super::enter().and_then(|mut engine| engine.position(stream));
        let result = fread(to, size, count, stream);
        if let Some(mut engine) = super::super::enter() {
            let whole = (result * size) as u64;
            if result < count {
                engine.files.doubt_one(stream);
                let rest = (size as u64).min((count * size) as u64 - whole);
                engine.written(to as u64 + whole, rest);
            }
            match position {
                Some((source, offset)) => {
                    engine.read_into(to as u64, source, offset, whole);
                    engine.advance(stream, offset + whole);
                    let wanted = (size as u64).saturating_mul(count as u64);
                    let descriptor = fileno(stream);
                    if let Some(bytes) =
                        engine.read_bytes_of(descriptor, source, offset, wanted, to as u64)
                    {
                        let size = engine.graph.constant(64, size as u64);
                        let items = engine.graph.binary(Operation::DivideUnsigned, bytes, size);
                        let callee = __yester_model_fread as *const () as usize;
                        engine.give(callee as u64, items, result as u64);
                    }
                }
                None => engine.written(to as u64, whole),
            }
        }
        result
    }

    /// `fread_unlocked`.
    fn __yester_model_fread_unlocked(
        to: *mut c_void,
        size: usize,
        count: usize,
        stream: *mut CStream,
    ) -> usize {
        __yester_model_fread(to, size, count, stream)
    }

    /// `getdelim`.
    fn __yester_model_getdelim(
        line: *mut *mut c_char,
        room: *mut usize,
        end: c_int,
        stream: *mut CStream,
    ) -> isize {
        let position = super::super::enter().and_then(|mut engine| engine.position(stream));
        let result = getdelim(line, room, end, stream);
        if let Some(mut engine) = super::super::enter() {
            // At the end, or in the last line, more would be read in another run.
            if result < 0 || *(*line).add(result as usize - 1) as u8 != end as u8 {
                engine.pin_stream(stream);
            }
            if let Some((source, offset)) = position {
                engine.lengths.reached(source, offset + result.max(0) as u64);
            }
            engine.written(line as u64, 8);
            engine.written(room as u64, 8);
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
        __yester_model_getdelim(line, room, c_int::from(b'\n'), stream)
    }

    /// `fopen`.
    fn __yester_model_fopen(path: *const c_char, mode: *const c_char) -> *mut CStream {
        named(path, b"fopen");
        opened_for(fopen(path, mode), mode)
    }

    /// `fopen64`.
    fn __yester_model_fopen64(path: *const c_char, mode: *const c_char) -> *mut CStream {
        named(path, b"fopen");
        opened_for(fopen(path, mode), mode)
    }

    /// `fdopen`.
    fn __yester_model_fdopen(descriptor: c_int, mode: *const c_char) -> *mut CStream {
        opened_for(fdopen(descriptor, mode), mode)
    }

    /// `freopen`.
    fn __yester_model_freopen(
        path: *const c_char,
        mode: *const c_char,
        stream: *mut CStream,
    ) -> *mut CStream {
        named(path, b"freopen");
        opened(stream);
        opened_for(freopen(path, mode, stream), mode)
    }

    /// `fclose`.
    fn __yester_model_fclose(stream: *mut CStream) -> c_int {
        opened(stream);
        fclose(stream)
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

unsafe extern "C" {
    fn fgets(to: *mut c_char, room: c_int, stream: *mut CStream) -> *mut c_char;
}

/// The path of a file may depend on the input, and so may the success of opening it.
unsafe fn named(path: *const c_char, name: &[u8]) {
    if path.is_null() {
        return;
    }
    // SAFETY: the program passes a string.
    let length = unsafe { core::ffi::CStr::from_ptr(path) }.count_bytes() as u64;
    if let Some(mut engine) = super::super::enter()
        && engine.is_symbolic(path as u64, length)
    {
        engine.lose(&[b"result of ", name, b" does not follow its arguments"]);
    }
}

fn opened(stream: *mut CStream) -> *mut CStream {
    if let Some(mut engine) = super::super::engine::enter_for_output() {
        engine.files.forget(stream);
        engine.outputs.forget(stream as u64);
    }
    stream
}

/// The same, for a stream that was opened with a mode.
fn opened_for(stream: *mut CStream, mode: *const c_char) -> *mut CStream {
    if !stream.is_null()
        && let Some(mut engine) = super::super::enter()
    {
        // SAFETY: the stream was just opened, with this mode.
        unsafe { engine.opens(fileno(stream), mode) };
    }
    opened(stream)
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
        if from == FROM_END {
            engine.pin_stream(stream);
        }
    }
    result
}
