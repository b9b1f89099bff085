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
    fn fopen(path: *const c_char, mode: *const c_char) -> *mut CStream;
    fn fdopen(descriptor: c_int, mode: *const c_char) -> *mut CStream;
    fn freopen(path: *const c_char, mode: *const c_char, stream: *mut CStream) -> *mut CStream;
    fn fclose(stream: *mut CStream) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
}

const STAT: c_long = 4;
const FSTAT: c_long = 5;

const MOST_STREAMS: usize = 256;

/// A stream that was used for reading.
#[derive(Clone, Copy)]
pub(super) struct OpenStream {
    stream: u64,
    pub(super) source: Option<usize>,
    offset: u64,
    fresh: bool,
    /// The last byte that somebody tried to read, if the end of the file would be told by it.
    pub(super) tried: Option<u64>,
    /// A node of where it is, 64 bits; 0 if `offset` says it.
    pub(super) place: u32,
    /// It is at a distance from the end.
    pub(super) is_from_end: bool,
}

impl OpenStream {
    fn doubt(&mut self) {
        self.fresh = false;
        self.tried = None;
        self.place = 0;
        self.is_from_end = false;
    }
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
            tried: None,
            place: 0,
            is_from_end: false,
        };
        OpenStreams {
            open: [none; MOST_STREAMS],
            count: 0,
        }
    }

    /// Any stream may have been read by code that is not instrumented.
    pub fn doubt(&mut self) {
        for open in &mut self.open[..self.count] {
            open.doubt();
        }
    }

    pub(super) fn doubt_one(&mut self, stream: *mut CStream) {
        for open in &mut self.open[..self.count] {
            if open.stream == stream as u64 {
                open.doubt();
            }
        }
    }

    pub(super) fn find(&mut self, stream: *mut CStream) -> Option<&mut OpenStream> {
        let mut open = self.open[..self.count].iter_mut();
        open.find(|open| open.stream == stream as u64)
    }

    /// A stream was read up to a byte, which may have been there or not.
    pub fn tried(&mut self, stream: *mut CStream, offset: u64) {
        if let Some(open) = self.find(stream) {
            open.tried = Some(offset);
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
                    tried: None,
                    place: 0,
                    is_from_end: false,
                };
                self.files.count += 1;
                index
            }
        };
        let open = &mut self.files.open[index];
        let source = open.source?;
        open.place = 0;
        if core::mem::take(&mut open.is_from_end) {
            // What is read there depends on where that is.
            self.pin_length(source);
        }
        let open = &mut self.files.open[index];
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
        if let Some(open) = self.files.find(stream) {
            open.offset = offset;
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

/// A byte that was read.
pub(super) struct NextByte {
    /// Its value, -1 at the end.
    pub value: c_int,
    /// Its node, of eight bits.
    pub node: u32,
    /// Its source and its offset there.
    pub place: Option<(usize, u64)>,
}

/// Reads a byte. Whoever calls this says what it means for the length.
pub(super) fn next(stream: *mut CStream) -> NextByte {
    let Some(mut engine) = super::super::enter() else {
        return NextByte {
            // SAFETY: the program reads from this stream.
            value: unsafe { fgetc(stream) },
            node: 0,
            place: None,
        };
    };
    let place = engine.position(stream);
    if let Some((_, offset)) = place {
        engine.files.tried(stream, offset);
    }
    // Reading may block until another thread does something, so do not hold the state.
    drop(engine);
    // SAFETY: as above.
    let value = unsafe { fgetc(stream) };
    let mut node = 0;
    if let Some((source, offset)) = place.filter(|_| value >= 0)
        && let Some(mut engine) = super::super::enter()
    {
        engine.advance(stream, offset + 1);
        node = engine.input_byte(source, offset, value as u8);
    }
    NextByte { value, node, place }
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
        if let Some(open) = engine.files.find(stream) {
            open.tried = None;
        }
    }
    result
}

fn next_character(callee: usize, stream: *mut CStream) -> c_int {
    let NextByte { value, node, place } = next(stream);
    if let Some(mut engine) = super::super::enter() {
        let wide = match value {
            0.. => {
                let character = engine.graph.extend(Operation::ZeroExtend, node, 32);
                let end = engine.graph.constant(32, u64::from(u32::MAX));
                match place.and_then(|(source, offset)| engine.goes_on(stream, source, offset)) {
                    Some(exists) => engine.graph.choose(exists, character, end),
                    None => character,
                }
            }
            _ => engine.end_of(stream).unwrap_or(0),
        };
        if wide != 0 {
            let wide = engine.resolved(wide);
            engine.give(callee as u64, wide, u64::from(value as u32));
        }
    }
    value
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
                    if wanted > 0 {
                        engine.files.tried(stream, offset.saturating_add(wanted - 1));
                    }
                    let descriptor = fileno(stream);
                    if let Some(bytes) =
                        engine.read_bytes_of(descriptor, source, offset, wanted, to as u64)
                    {
                        let start = engine.graph.constant(64, offset);
                        let place = engine.graph.binary(Operation::Add, start, bytes);
                        engine.is_at(stream, place);
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
