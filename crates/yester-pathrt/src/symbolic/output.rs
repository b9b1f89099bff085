//! What the program writes: each byte with its value and its expression, and the place in the source that wrote it.
//!
//! Nothing here changes what is known about the program's own values. How a printed text looks, how many digits a number has for
//! example, is not assumed but supposed: the piece of output has a condition under which its bytes have their expressions.

use super::engine::{Engine, enter_for_output};
use super::external::List;
use super::input::FileIdentity;
use super::memory::{self, Region};
use super::model::directive::Directive;
use super::model::file::{CStream, identity};
use super::model::print::{Destination, PrintArguments};
use super::shadow::range_may_have;
use crate::file::TextWriter;
use crate::format::{OUTPUT_CUT, OUTPUT_OUTER, Operation, OutputRecord, head};
use crate::symbolic_output::SymbolicOutput;
use core::ffi::{CStr, c_char, c_int, c_long};

unsafe extern "C" {
    static stdout: *mut CStream;
    fn fileno(stream: *mut CStream) -> c_int;
    fn strerror(error: c_int) -> *const c_char;
    fn vsnprintf(to: *mut c_char, room: usize, format: *const c_char, list: *mut List) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
}

const STANDARD_ERROR: c_int = 2;
/// The most files that are told apart.
const MOST_TARGETS: usize = 64;
/// The most streams whose file is remembered.
const MOST_STREAMS: usize = 32;
/// Longer texts of printf are cut.
const MOST_PRINTED: usize = 1 << 16;
/// The most arguments of printf that are followed.
const MOST_ARGUMENTS: usize = 64;

/// What was written so far.
pub struct Outputs {
    head: *mut u64,
    records: Region<OutputRecord>,
    count: usize,
    written: Region<u8>,
    bytes: usize,
    written_nodes: Region<u32>,
    nodes: usize,
    targets: [(c_int, Option<FileIdentity>); MOST_TARGETS],
    target_count: usize,
    /// Streams and their targets.
    streams: [(u64, u32); MOST_STREAMS],
    next_stream: usize,
    /// Where texts of printf are made.
    room: Region<u8>,
}

impl Outputs {
    /// Nothing yet.
    pub fn new(output: &SymbolicOutput) -> Outputs {
        Outputs {
            head: output.head,
            records: Region::borrowed(output.output, output.most_output),
            count: 0,
            written: Region::borrowed(output.written, output.most_written),
            bytes: 0,
            written_nodes: Region::borrowed(output.written_nodes, output.most_written_nodes),
            nodes: 0,
            targets: [(-1, None); MOST_TARGETS],
            target_count: 0,
            streams: [(0, 0); MOST_STREAMS],
            next_stream: 0,
            room: Region::reserve(MOST_PRINTED),
        }
    }

    /// A stream was opened or closed, and may be another file from now on.
    pub fn forget(&mut self, stream: u64) {
        for known in &mut self.streams {
            if known.0 == stream {
                *known = (0, 0);
            }
        }
    }

    fn publish(&self) {
        // SAFETY: `head` is a page of the recording, mapped as long as the program runs.
        unsafe {
            *self.head.add(head::WRITTEN) = self.bytes as u64;
            *self.head.add(head::WRITTEN_NODES) = self.nodes as u64;
            *self.head.add(head::OUTPUT) = self.count as u64;
        }
    }
}

impl Engine {
    /// The number of the file that a descriptor writes to; None if there are too many.
    pub fn target_of(&mut self, descriptor: c_int) -> Option<u32> {
        let key = (descriptor, identity(descriptor));
        let known = self.outputs.targets[..self.outputs.target_count]
            .iter()
            .position(|target| *target == key);
        if let Some(known) = known {
            return Some(known as u32);
        }
        if self.outputs.target_count == MOST_TARGETS {
            self.lose(&[b"output to more files than are told apart"]);
            return None;
        }
        let number = self.outputs.target_count;
        self.outputs.targets[number] = key;
        self.outputs.target_count += 1;
        let mut line = [0; 4096];
        let mut writer = TextWriter {
            bytes: &mut line,
            used: 0,
        };
        writer.number(u64::from(descriptor as u32));
        writer.text(b"\t");
        let digits = writer.used;
        let used = digits + path_of(descriptor, &mut line[digits..]);
        (self.symbolic_output.target)(&line[..used]);
        Some(number as u32)
    }

    /// The number of the file that a stream writes to.
    fn target_of_stream(&mut self, stream: *mut CStream) -> Option<u32> {
        let known = self.outputs.streams.iter();
        if let Some((_, target)) = known.copied().find(|(known, _)| *known == stream as u64) {
            return Some(target);
        }
        // SAFETY: the program writes to it, so it is open.
        let target = self.target_of(unsafe { fileno(stream) })?;
        let next = self.outputs.next_stream;
        self.outputs.streams[next % MOST_STREAMS] = (stream as u64, target);
        self.outputs.next_stream += 1;
        Some(target)
    }

    /// Records that memory was written to a file, with the condition under which it looks like that.
    pub fn outputs(&mut self, target: Option<u32>, from: u64, length: u64, layout: u32) {
        let Some(target) = target.filter(|_| length > 0) else {
            return;
        };
        let is_symbolic = range_may_have(from, length) && self.shadow.any(from, length);
        let Some(record) = self.output_piece(target, length, is_symbolic, layout) else {
            return;
        };
        for index in 0..length {
            let value = memory::byte(from + index);
            self.outputs
                .written
                .set(record.bytes as usize + index as usize, value);
            if is_symbolic {
                let loaded = self
                    .shadow
                    .load(&mut self.graph, from + index, 1, u64::from(value));
                let place = record.nodes as usize - 1 + index as usize;
                self.outputs.written_nodes.set(place, loaded.node);
            }
        }
        self.outputs.publish();
    }

    /// Makes room for a piece.
    fn output_piece(
        &mut self,
        target: u32,
        length: u64,
        is_symbolic: bool,
        layout: u32,
    ) -> Option<OutputRecord> {
        let outputs = &mut self.outputs;
        let (count, bytes) = (outputs.count, outputs.bytes as u64 + length);
        let nodes = outputs.nodes as u64 + if is_symbolic { length } else { 0 };
        if count >= outputs.records.capacity()
            || bytes > outputs.written.capacity() as u64
            || nodes > outputs.written_nodes.capacity() as u64
        {
            self.lose(&[b"more output than fits"]);
            return None;
        }
        let here = super::call::here();
        let record = OutputRecord {
            event: here.event,
            bytes: outputs.bytes as u64,
            nodes: if is_symbolic {
                outputs.nodes as u64 + 1
            } else {
                0
            },
            length: length as u32,
            target,
            place: here.place,
            stream: here.stream,
            class: here.class,
            layout,
            flags: if super::call::is_outer() {
                OUTPUT_OUTER
            } else {
                0
            },
        };
        outputs.records.set(count, record);
        (outputs.count, outputs.bytes, outputs.nodes) = (count + 1, bytes as usize, nodes as usize);
        Some(record)
    }
}

/// Writes the path that a descriptor leads to, and says how many bytes it has.
fn path_of(descriptor: c_int, to: &mut [u8]) -> usize {
    const READ_LINK: c_long = 89;
    let mut name = [0; 40];
    let mut writer = TextWriter {
        bytes: &mut name,
        used: 0,
    };
    writer.text(b"/proc/self/fd/");
    writer.number(u64::from(descriptor as u32));
    // SAFETY: a path with a zero at its end, and room for so many bytes.
    let length = unsafe { syscall(READ_LINK, name.as_ptr(), to.as_mut_ptr(), to.len()) };
    let length = usize::try_from(length).unwrap_or(0);
    for byte in &mut to[..length] {
        if *byte == b'\n' {
            *byte = b'?';
        }
    }
    length
}

/// The stream that a hook was given; null stands for standard output.
unsafe fn stream_or_stdout(stream: *mut CStream) -> *mut CStream {
    if stream.is_null() {
        // SAFETY: a variable of the library.
        unsafe { stdout }
    } else {
        stream
    }
}

/// Before a function like `putc` writes a character.
///
/// # Safety
/// `stream` is open, or null for standard output.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_writes_character(value: u32, node: u32, stream: *mut CStream) {
    let Some(mut engine) = enter_for_output() else {
        return;
    };
    // SAFETY: what the caller promises.
    let Some(target) = engine.target_of_stream(unsafe { stream_or_stdout(stream) }) else {
        return;
    };
    let byte = value as u8;
    let node = match node {
        0 => 0,
        node => engine.graph.extract(node, 0, 8),
    };
    let is_symbolic =
        node != 0 && !engine.graph.is_constant(node) && engine.graph.value(node) == u64::from(byte);
    if let Some(record) = engine.output_piece(target, 1, is_symbolic, 0) {
        engine.outputs.written.set(record.bytes as usize, byte);
        if is_symbolic {
            let place = record.nodes as usize - 1;
            engine.outputs.written_nodes.set(place, node);
        }
        engine.outputs.publish();
    }
}

/// Before a function like `fputs` writes a string, and `puts` a new line behind it.
///
/// # Safety
/// `text` is a C string, and `stream` open, or null for standard output.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_writes_text(
    text: *const c_char,
    stream: *mut CStream,
    has_line: u32,
) {
    let Some(mut engine) = enter_for_output() else {
        return;
    };
    if text.is_null() {
        return;
    }
    // SAFETY: what the caller promises.
    let (stream, text) = unsafe { (stream_or_stdout(stream), CStr::from_ptr(text)) };
    let (from, length) = (text.as_ptr() as u64, text.count_bytes() as u64);
    let target = engine.target_of_stream(stream);
    let layout = engine.supposed_length(from, length);
    engine.outputs(target, from, length, layout);
    if has_line != 0 {
        engine.outputs(target, c"\n".as_ptr() as u64, 1, 0);
    }
}

/// Before `fwrite`, with the nodes of the size and the count.
///
/// # Safety
/// There are so many bytes at `from`, and `stream` is open.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_writes_block(
    from: u64,
    size: u64,
    count: u64,
    stream: *mut CStream,
    size_node: u32,
    count_node: u32,
) {
    let Some(mut engine) = enter_for_output() else {
        return;
    };
    let target = engine.target_of_stream(stream);
    let size_node = engine.checked(size_node, size, 64);
    let count_node = engine.checked(count_node, count, 64);
    engine.supposed = Some(0);
    engine.concretise_all(&[size_node, count_node]);
    let layout = engine.supposed.take().unwrap_or(0);
    engine.outputs(target, from, size.saturating_mul(count), layout);
}

/// Before `putw` writes the bytes of a number.
///
/// # Safety
/// `stream` is open.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_writes_word(value: u32, node: u32, stream: *mut CStream) {
    let Some(mut engine) = enter_for_output() else {
        return;
    };
    let target = engine.target_of_stream(stream);
    let node = engine.checked(node, u64::from(value), 32);
    let room = engine.outputs.room.at(0);
    // SAFETY: the room has far more than four bytes.
    unsafe { room.cast::<u32>().write_unaligned(value) };
    if node != 0 {
        engine.shadow.store(room as u64, 4, node);
    }
    engine.outputs(target, room as u64, 4, 0);
    engine.written(room as u64, 4);
}

/// Before `perror` writes.
///
/// # Safety
/// `text` is a C string or null.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_writes_error(text: *const c_char) {
    // SAFETY: every thread has its own.
    let error = unsafe { *super::engine::__errno_location() };
    let Some(mut engine) = enter_for_output() else {
        return;
    };
    let target = engine.target_of(STANDARD_ERROR);
    if !text.is_null() {
        // SAFETY: what the caller promises.
        let length = unsafe { CStr::from_ptr(text) }.count_bytes() as u64;
        if length > 0 {
            let layout = engine.supposed_length(text as u64, length);
            engine.outputs(target, text as u64, length, layout);
            engine.outputs(target, c": ".as_ptr() as u64, 2, 0);
        }
    }
    // SAFETY: a message of the library, which is a C string.
    let message = unsafe { CStr::from_ptr(strerror(error)) };
    let length = message.count_bytes() as u64;
    engine.outputs(target, message.as_ptr() as u64, length, 0);
    engine.outputs(target, c"\n".as_ptr() as u64, 1, 0);
}

impl Engine {
    /// The condition that a string has this length.
    fn supposed_length(&mut self, text: u64, length: u64) -> u32 {
        if !self.is_symbolic(text, length) {
            return 0;
        }
        let mut layout = 0;
        for index in 0..=length {
            if !self.shadow.any(text + index, 1) {
                continue;
            }
            let byte = self.byte(text + index);
            let mut border = self.graph.is(byte, 0);
            if index < length {
                border = self.graph.not(border);
            }
            if border != 0 && !self.graph.is_constant(border) {
                layout = match layout {
                    0 => border,
                    layout => self.graph.binary(Operation::And, layout, border),
                };
            }
        }
        layout
    }

    /// What a call of the printf family is about to write to a stream. None if it cannot be told, or not all of it.
    pub fn prints_to(
        &mut self,
        target: Option<u32>,
        format: u64,
        mut arguments: PrintArguments,
    ) -> Option<()> {
        let is_array = matches!(arguments, PrintArguments::Array(..));
        if !can_be_made(format, is_array) {
            return None;
        }
        let mut words = [0; MOST_ARGUMENTS];
        let mut list = match &arguments {
            PrintArguments::List(list) => *list,
            PrintArguments::Array(pairs, count) => {
                let count = usize::try_from(*count).ok()?;
                for (index, word) in words.get_mut(..count)?.iter_mut().enumerate() {
                    // SAFETY: the caller has promised so many.
                    *word = unsafe { (*pairs.wrapping_add(index))[0] };
                }
                List::in_memory(words.as_ptr() as u64)
            }
        };
        let start = self.outputs.room.at(0);
        let room = self.outputs.room.capacity();
        // SAFETY: a format with its arguments, which the library is about to print.
        let total =
            unsafe { vsnprintf(start.cast(), room, format as *const c_char, &raw mut list) };
        let total = u64::try_from(total).ok()?;
        let destination = Destination {
            start: start as u64,
            room: room as u64,
        };
        self.supposed = Some(0);
        self.print(destination, format, &mut arguments, total);
        let layout = self.supposed.take().unwrap_or(0);
        let length = total.min(room as u64 - 1);
        self.outputs(target, start as u64, length, layout);
        self.written(start as u64, length + 1);
        (length == total).then_some(())
    }

    /// Records that more was written to a file than is told.
    pub fn cut_output(&mut self, target: Option<u32>) {
        if let Some(target) = target
            && let Some(mut record) = self.output_piece(target, 0, false, 0)
        {
            record.flags |= OUTPUT_CUT;
            let last = self.outputs.count - 1;
            self.outputs.records.set(last, record);
            self.outputs.publish();
        }
    }
}

/// Whether a text can be made twice from its format, and from arguments that are in an array: storing a length (`%n`) twice may
/// harm, and what is wider than a word is not in the array.
fn can_be_made(format: u64, is_array: bool) -> bool {
    let mut place = format;
    while memory::byte(place) != 0 {
        place += 1;
        if memory::byte(place - 1) == b'%' {
            let Some((directive, behind)) = Directive::parse(place, || 0) else {
                return false;
            };
            if directive.kind == b'n' || (directive.is_long_double && is_array) {
                return false;
            }
            place = behind;
        }
    }
    true
}

/// The target of a function of the printf family. Kinds: 0 standard output, 1 a stream, 2 a descriptor.
pub fn printf_target(engine: &mut Engine, kind: u32, to: u64) -> Option<u32> {
    match kind {
        // SAFETY: a variable of the library.
        0 => engine.target_of_stream(unsafe { stdout }),
        1 => engine.target_of_stream(to as *mut CStream),
        _ => engine.target_of(to as c_int),
    }
}
