//! How long the input is. The length of a chosen file is a part of the input, as a number of three bytes, and so are bytes
//! behind its end, which exist in runs with a longer input.
//!
//! Only regular files have a length before they are read to their end; a pipe is as long as it was. A character is a byte or the
//! end, by the length; what was read byte by byte far behind the start is assumed to be there. Whoever reads in a way that is not
//! described here *pins* the length: it is assumed to be what it was.

use super::super::engine::Engine;
use super::super::input::MOST_SOURCES;
use super::super::memory;
use super::file::CStream;
use super::start;
use crate::format::{FILLER, LENGTH_BYTES, LENGTH_OFFSET, Operation};
use core::ffi::{c_int, c_long, c_void};

unsafe extern "C" {
    fn fileno(stream: *mut CStream) -> c_int;
    fn fstat(descriptor: c_int, status: *mut c_void) -> c_int;
    fn lseek(descriptor: c_int, offset: i64, from: c_int) -> i64;
    fn syscall(number: c_long, ...) -> c_long;
}

const FSTAT: c_long = 5;
const FROM_END: c_int = 2;
/// Where `struct stat` has the size of a file.
const SIZE_PLACE: u64 = 48;
/// The length of a longer file is no part of the input.
const MOST_LENGTH: u64 = 1 << (8 * LENGTH_BYTES - 1);
/// So many bytes behind the end can be read in another run.
const MOST_BEHIND: u64 = 256;

/// Up to here each byte that is read by itself may be missing in another run. Farther bytes are assumed to be there.
const MOST_SINGLE: u64 = 1 << 16;

/// What is known about the length of a source.
#[derive(Clone, Copy)]
struct Length {
    /// Its node of 64 bits; 0 if it was not needed yet.
    node: u32,
    /// In this run.
    value: u64,
    /// How far it was read byte by byte.
    least: u64,
    /// For how much of that it is assumed already.
    assumed: u64,
    is_pinned: bool,
}

/// The lengths of all sources.
pub struct Lengths {
    of_source: [Length; MOST_SOURCES],
}

impl Lengths {
    /// Nothing was read yet.
    pub const fn new() -> Lengths {
        let none = Length {
            node: 0,
            value: 0,
            least: 0,
            assumed: 0,
            is_pinned: false,
        };
        Lengths {
            of_source: [none; MOST_SOURCES],
        }
    }

    /// A source was read up to an offset, and nobody has looked whether it goes on so far.
    pub fn reached(&mut self, source: usize, offset: u64) {
        let length = &mut self.of_source[source];
        length.least = length.least.max(offset);
    }
}

impl Default for Lengths {
    fn default() -> Lengths {
        Lengths::new()
    }
}

/// The size of a regular file.
fn size_of_file(descriptor: c_int) -> Option<u64> {
    const KIND: u64 = 0o170_000;
    const REGULAR: u64 = 0o100_000;
    let mut status = [0_u64; 18];
    // SAFETY: `status` is as big as what the kernel writes.
    let answer = unsafe { syscall(FSTAT, c_long::from(descriptor), status.as_mut_ptr()) };
    (answer == 0 && status[3] & KIND == REGULAR).then_some(status[6])
}

impl Engine {
    /// The length of a source that a descriptor reads, as a node of 64 bits. None if it is no part of the input.
    pub(super) fn length(&mut self, source: usize, descriptor: c_int) -> Option<u32> {
        let size = size_of_file(descriptor).filter(|size| *size < MOST_LENGTH)?;
        let known = self.lengths.of_source[source];
        if known.node != 0 && known.value != size {
            self.lose(&[b"the length of a file that has changed since it was asked for"]);
            return None;
        }
        if known.node == 0 {
            let mut node = 0;
            for index in 0..LENGTH_BYTES {
                let value = (size >> (8 * index)) as u8;
                let byte = self.inputs.push(source, LENGTH_OFFSET + index, value)?;
                let byte = self.graph.input(byte, value);
                node = match index {
                    0 => byte,
                    _ => self.graph.concatenate(byte, node),
                };
            }
            let node = self.graph.extend(Operation::ZeroExtend, node, 64);
            if node == 0 {
                return None;
            }
            let length = &mut self.lengths.of_source[source];
            (length.node, length.value) = (node, size);
        }
        let length = self.lengths.of_source[source];
        if length.is_pinned {
            self.concretise(length.node);
        } else if length.least > length.assumed {
            self.lengths.of_source[source].assumed = length.least;
            let least = self.graph.constant(64, length.least);
            let reaches = self
                .graph
                .binary(Operation::LessOrEqualUnsigned, least, length.node);
            self.assume(reaches);
        }
        Some(length.node)
    }

    /// A source was read in a way that does not say what would be read if it were longer or shorter.
    pub fn pin_length(&mut self, source: usize) {
        let length = &mut self.lengths.of_source[source];
        length.is_pinned = true;
        let node = length.node;
        self.concretise(node);
    }

    /// The same for the source of a stream.
    pub fn pin_stream(&mut self, stream: *mut CStream) {
        if let Some((source, _)) = self.position(stream) {
            self.pin_length(source);
        }
    }

    /// The length of the source of a stream, without a look at the file if it is known.
    fn known_length(&mut self, stream: *mut CStream, source: usize) -> Option<u32> {
        match self.lengths.of_source[source] {
            known if known.is_pinned => None,
            known if known.node != 0 => Some(known.node),
            // SAFETY: the program reads from it, so it is open.
            _ => self.length(source, unsafe { fileno(stream) }),
        }
    }

    /// Whether a source goes on at an offset where a byte was read: a node. None if the byte is taken to be there.
    pub fn goes_on(&mut self, stream: *mut CStream, source: usize, offset: u64) -> Option<u32> {
        let length = if offset < MOST_SINGLE {
            self.known_length(stream, source)
        } else {
            None
        };
        let Some(length) = length else {
            self.lengths.reached(source, offset + 1);
            return None;
        };
        let place = self.graph.constant(64, offset);
        let exists = self.graph.binary(Operation::LessUnsigned, place, length);
        (exists != 0 && self.graph.value(exists) == 1).then_some(exists)
    }

    /// The same for the first of `count` bytes that were read together. That the others are there if it is, and the end behind
    /// them if `is_at_end`, is assumed.
    pub fn goes_on_for(
        &mut self,
        stream: *mut CStream,
        source: usize,
        first: u64,
        count: u64,
        is_at_end: bool,
    ) -> Option<u32> {
        let Some(exists) = self.goes_on(stream, source, first) else {
            if is_at_end {
                self.pin_length(source)
            } else {
                self.lengths.reached(source, first + count)
            }
            return None;
        };
        let length = self.lengths.of_source[source].node;
        let end = self.graph.constant(64, first + count);
        let shape = if is_at_end {
            self.graph.binary(Operation::Equal, length, end)
        } else {
            self.graph
                .binary(Operation::LessOrEqualUnsigned, end, length)
        };
        self.assume_if(exists, shape);
        Some(exists)
    }

    /// At the end of a source: whether it goes on in another run, with a single byte then, and that byte.
    pub fn one_byte_more(
        &mut self,
        stream: *mut CStream,
        source: usize,
        offset: u64,
    ) -> Option<(u32, u32)> {
        let length = self.known_length(stream, source);
        let Some(length) = length.filter(|_| self.lengths.of_source[source].value == offset) else {
            self.pin_length(source);
            return None;
        };
        let (exists, byte) = self.behind(source, length, offset)?;
        let end = self.graph.constant(64, offset + 1);
        let shape = self
            .graph
            .binary(Operation::LessOrEqualUnsigned, length, end);
        self.assume_if(exists, shape);
        Some((exists, byte))
    }

    /// Assumes something for runs in which a condition holds.
    pub fn assume_if(&mut self, condition: u32, shape: u32) {
        if self.graph.is_known(condition) {
            return self.assume(shape);
        }
        let otherwise = self.graph.not(condition);
        let weaker = self.graph.either(otherwise, shape);
        self.assume(weaker);
    }

    /// Whether a byte that somebody tried to read is missing: a node.
    pub fn is_missing(&mut self, stream: *mut CStream, source: usize, tried: u64) -> Option<u32> {
        let length = self.known_length(stream, source)?;
        let place = self.graph.constant(64, tried);
        Some(
            self.graph
                .binary(Operation::LessOrEqualUnsigned, length, place),
        )
    }

    /// Whether a source goes on at an offset, and the byte that is there then: two nodes.
    fn behind(&mut self, source: usize, length: u32, offset: u64) -> Option<(u32, u32)> {
        let place = self.graph.constant(64, offset);
        let exists = self.graph.binary(Operation::LessUnsigned, place, length);
        let byte = self.inputs.index(source, offset, FILLER)?;
        let byte = self.graph.input(byte, FILLER);
        (exists != 0 && byte != 0).then_some((exists, byte))
    }

    /// At the end of a stream: a character of 32 bits that is -1 in this run, and the next byte if there is one.
    pub fn end_of(&mut self, stream: *mut CStream) -> Option<u32> {
        let (source, offset) = self.position(stream)?;
        // SAFETY: the program reads from it, so it is open.
        let length = self.length(source, unsafe { fileno(stream) })?;
        if self.lengths.of_source[source].value != offset {
            // It is not the end, but an error.
            return None;
        }
        let (exists, byte) = self.behind(source, length, offset)?;
        let character = self.graph.extend(Operation::ZeroExtend, byte, 32);
        let end = self.graph.constant(32, u64::from(u32::MAX));
        Some(self.graph.choose(exists, character, end))
    }

    /// At the end of a stream: a pointer that is null in this run, and not if there are more bytes.
    pub fn pointer_at_end(&mut self, stream: *mut CStream, pointer: u64) -> Option<u32> {
        let (source, offset) = self.position(stream)?;
        // SAFETY: the program reads from it, so it is open.
        let length = self.length(source, unsafe { fileno(stream) })?;
        if self.lengths.of_source[source].value != offset {
            return None;
        }
        let (exists, _) = self.behind(source, length, offset)?;
        let (some, none) = (self.graph.constant(64, pointer), self.graph.constant(64, 0));
        Some(self.graph.choose(exists, some, none))
    }

    /// After `wanted` bytes of a source were asked for at an offset, and put to `place`: the node of how many there are, of 64
    /// bits. Bytes behind the end become what is read there in runs with a longer input.
    pub fn read_bytes_of(
        &mut self,
        descriptor: c_int,
        source: usize,
        offset: u64,
        wanted: u64,
        place: u64,
    ) -> Option<u32> {
        let length = self.length(source, descriptor)?;
        let size = self.lengths.of_source[source].value;
        let start = self.graph.constant(64, offset);
        let zero = self.graph.constant(64, 0);
        let rest = self.graph.binary(Operation::Subtract, length, start);
        let is_short = self.graph.binary(Operation::LessUnsigned, length, start);
        let rest = self.graph.choose(is_short, zero, rest);
        let most = self.graph.constant(64, wanted);
        let is_less = self.graph.binary(Operation::LessUnsigned, rest, most);
        let count = self.graph.choose(is_less, rest, most);
        let end = offset.saturating_add(wanted);
        let first = size.max(offset);
        let last = end.min(first.saturating_add(MOST_BEHIND));
        for behind in first..last {
            let (exists, byte) = self.behind(source, length, behind)?;
            let address = place + (behind - offset);
            let before = self.byte(address);
            let node = self.graph.choose(exists, byte, before);
            if node != 0 && self.graph.value(node) == u64::from(memory::byte(address)) {
                self.shadow.store(address, 1, node);
            }
        }
        if last < end {
            // What stands farther behind the end has no bytes.
            let last = self.graph.constant(64, last);
            let fits = self
                .graph
                .binary(Operation::LessOrEqualUnsigned, length, last);
            self.assume(fits);
        }
        (count != 0).then_some(count)
    }
}

models! {
    /// `fstat`.
    fn __yester_model_fstat(descriptor: c_int, status: *mut c_void) -> c_int {
        let callee = __yester_model_fstat as *const () as usize;
        let result = fstat(descriptor, status);
        let values = [(u64::from(descriptor as u32), 32), (status as u64, 64)];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
            engine.written(status as u64, 144);
            if result == 0
                && let Some(source) = engine.source_of(descriptor)
                && let Some(length) = engine.length(source, descriptor)
            {
                engine.shadow.store(status as u64 + SIZE_PLACE, 8, length);
            }
        }
        result
    }

    /// `fstat64`.
    fn __yester_model_fstat64(descriptor: c_int, status: *mut c_void) -> c_int {
        __yester_model_fstat(descriptor, status)
    }

    /// `lseek`.
    fn __yester_model_lseek(descriptor: c_int, offset: i64, from: c_int) -> i64 {
        let callee = __yester_model_lseek as *const () as usize;
        let result = lseek(descriptor, offset, from);
        let values = [
            (u64::from(descriptor as u32), 32),
            (offset as u64, 64),
            (u64::from(from as u32), 32),
        ];
        if let Some((mut engine, nodes)) = start(callee, values) {
            engine.concretise_all(&nodes);
            if nodes.iter().any(|node| *node != 0) {
                engine.lose(&[b"result of lseek does not follow its arguments"]);
            }
            if from == FROM_END
                && result >= 0
                && let Some(source) = engine.source_of(descriptor)
                && let Some(length) = engine.length(source, descriptor)
            {
                let offset = engine.graph.constant(64, offset as u64);
                let place = engine.graph.binary(Operation::Add, length, offset);
                engine.give(callee as u64, place, result as u64);
            }
        }
        result
    }

    /// `lseek64`.
    fn __yester_model_lseek64(descriptor: c_int, offset: i64, from: c_int) -> i64 {
        __yester_model_lseek(descriptor, offset, from)
    }
}
