//! Event streams. Instrumented code writes events directly, and calls this module when there is no room left.

use core::arch::global_asm;
use core::sync::atomic::{AtomicU64, Ordering, compiler_fence};

use crate::file::{SharedCell, Used};
use crate::format::{MOST_STREAMS, end_of_events, event, head};
use crate::pack::{BLOCK_HEAD, PLACES, WINDOW_HEAD, bound, pack};
use crate::recording::{LIMIT, LOCK, ON, RECORDING, lost};
use crate::system;
use crate::thread::{Thread, ThreadState, current};
use crate::value::ValueStream;

/// Small enough for a processor's cache.
const WINDOW_BYTES: usize = 1 << 17;
/// Room after the limit, since instrumented code writes an event and the end mark in one store of 8 bytes.
const SLACK: usize = 4096 - WINDOW_HEAD;
const NOWHERE_BYTES: usize = 1 << 15;

/// Where threads that are not recorded write their events. They may overwrite each other: nothing reads it.
static NOWHERE: SharedCell<[u8; NOWHERE_BYTES + 64]> = SharedCell::new([0; NOWHERE_BYTES + 64]);
/// How many bytes of events all threads together were allowed to write so far.
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// The stream of one thread, in private memory: after a fork parent and child each have their own.
pub struct EventStream {
    /// Which one.
    pub number: u32,
    /// The mapped window.
    pub window: *mut u8,
    /// The mapped blocks.
    pub blocks: *mut u8,
    /// How many bytes of blocks fit.
    pub capacity: usize,
    /// How many bytes of blocks there are.
    pub used: usize,
    /// How many bytes of events are in blocks; the window continues there.
    pub packed: u64,
    /// The values of the same thread.
    pub values: ValueStream,
    places: [u32; PLACES],
    scratch: [u8; bound(WINDOW_BYTES)],
}

impl EventStream {
    /// Where an event at this place of the window is in the stream.
    pub fn position(&self, cursor: *mut u8) -> u64 {
        self.packed + (cursor as u64).wrapping_sub(self.window as u64 + WINDOW_HEAD as u64)
    }
}

// Called where instrumented code has no registers to spare, so it preserves all general ones.
global_asm!(
    ".text",
    ".globl __yester_room",
    ".type __yester_room, @function",
    "__yester_room:",
    "push rax",
    "push rcx",
    "push rdx",
    "push rsi",
    "push rdi",
    "push r8",
    "push r9",
    "push r10",
    "sub rsp, 8",
    "call {room}",
    "add rsp, 8",
    "pop r10",
    "pop r9",
    "pop r8",
    "pop rdi",
    "pop rsi",
    "pop rdx",
    "pop rcx",
    "pop rax",
    "ret",
    ".size __yester_room, . - __yester_room",
    room = sym room,
);

extern "C" fn room() {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    unsafe {
        if (*thread).busy != 0 {
            nowhere(thread);
            return;
        }
        (*thread).busy = 1;
        match (*thread).state {
            ThreadState::New if ON.load(Ordering::Relaxed) => begin(thread),
            ThreadState::New | ThreadState::Ignored => nowhere(thread),
            ThreadState::Recorded => flush(thread),
        }
        (*thread).busy = 0;
    }
}

/// Writes an event and the mark of the end behind it. `bytes` has both; the event has `length` bytes of it.
#[inline]
fn write(bytes: u64, length: usize) {
    let thread = current();
    // SAFETY: the block belongs to this thread, and there is room for 8 bytes behind the limit.
    unsafe {
        if (*thread).cursor >= (*thread).limit {
            room();
        }
        let cursor = (*thread).cursor;
        cursor.cast::<u64>().write_unaligned(bytes);
        // A signal handler must find the event before the cursor has passed it.
        compiler_fence(Ordering::SeqCst);
        (*thread).cursor = cursor.add(length);
    }
}

/// Writes a code below 240, a return or an abort. The functions from here on are for code that is not optimised, which would grow
/// much if it wrote its events itself.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_event_byte(code: u32) {
    write(u64::from(code) | 0xFF00, 1);
}

/// Writes a code of up to 16 bits.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_event_wide(code: u32) {
    write(
        u64::from(event::WIDE) | u64::from(code) << 8 | 0xFF << 24,
        3,
    );
}

/// Writes a code of up to 32 bits.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_event_wider(code: u32) {
    write(
        u64::from(event::WIDER) | u64::from(code) << 8 | 0xFF << 40,
        5,
    );
}

/// Writes that a function is entered.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_event_enter(function: u32) {
    write(
        u64::from(event::ENTER) | u64::from(function) << 8 | 0xFF << 40,
        5,
    );
}

/// Opens the stream of this thread.
pub fn open() {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    unsafe {
        if (*thread).state == ThreadState::New {
            begin(thread);
        }
    }
}

/// Opens the stream of this thread if the process is recorded and it was not decided yet.
#[cold]
pub fn open_if_recording() {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    if unsafe { (*thread).state } == ThreadState::New && ON.load(Ordering::Relaxed) {
        room();
    }
}

/// Discards the events of a thread.
unsafe fn nowhere(thread: *mut Thread) {
    // SAFETY: the place has room for an event behind the limit.
    unsafe {
        (*thread).cursor = NOWHERE.get().cast();
        (*thread).limit = (*thread).cursor.add(NOWHERE_BYTES);
    }
}

unsafe fn begin(thread: *mut Thread) {
    // SAFETY: under the lock; the new stream is as big as was asked for.
    let opened = LOCK.hold(|| unsafe {
        let recording = &mut *RECORDING.get();
        let streams = &mut *recording.head.add(head::STREAMS);
        let number = *streams as u32;
        if *streams >= MOST_STREAMS as u64 {
            return None;
        }
        let stream: *mut EventStream = system::map_memory(size_of::<EventStream>())?.cast();
        let limit = usize::try_from(LIMIT.load(Ordering::Relaxed)).unwrap_or(usize::MAX);
        let capacity = bound(limit.min(1 << 40)) + (1 << 20);
        let (blocks, descriptor) = recording.add_open(
            b"events-",
            Some(number),
            capacity,
            1 << 20,
            Used::Blocks(stream),
        )?;
        system::close(descriptor);
        let (window, descriptor) = recording.add_open(
            b"window-",
            Some(number),
            WINDOW_HEAD + WINDOW_BYTES + SLACK,
            WINDOW_HEAD + WINDOW_BYTES + SLACK,
            Used::Window(stream),
        )?;
        system::close(descriptor);
        if !system::populate(window.place, window.capacity) {
            return None;
        }
        (*stream).number = number;
        (*stream).window = window.place;
        (*stream).blocks = blocks.place;
        (*stream).capacity = blocks.capacity;
        *window.place.add(WINDOW_HEAD) = event::END;
        *streams += 1;
        Some(stream)
    });
    // SAFETY: the block belongs to this thread, and the stream is its own.
    unsafe {
        let Some(stream) = opened else {
            (*thread).state = ThreadState::Ignored;
            nowhere(thread);
            lost(b"thread not recorded", b"");
            return;
        };
        (*thread).stream = stream;
        (*thread).state = ThreadState::Recorded;
        give(thread);
    }
}

/// Lets the thread write into its empty window, if the limit allows it.
unsafe fn give(thread: *mut Thread) {
    // SAFETY: the block belongs to this thread, its window is mapped.
    unsafe {
        let given = GIVEN.fetch_add(WINDOW_BYTES as u64, Ordering::Relaxed);
        let allowed = LIMIT.load(Ordering::Relaxed).saturating_sub(given);
        if allowed == 0 {
            cut(thread);
            return;
        }
        (*thread).cursor = (*(*thread).stream).window.add(WINDOW_HEAD);
        (*thread).limit = (*thread).cursor.add(WINDOW_BYTES.min(allowed as usize));
    }
}

/// Ends the recording of a thread.
unsafe fn cut(thread: *mut Thread) {
    // SAFETY: the block belongs to this thread, `head` is mapped.
    unsafe {
        *(*RECORDING.get()).head.add(head::CUT) = 1;
        (*(*thread).stream).values.end();
        (*thread).state = ThreadState::Ignored;
        nowhere(thread);
    }
}

/// Packs the full window into a block.
unsafe fn flush(thread: *mut Thread) {
    // SAFETY: the block belongs to this thread, its stream is mapped with its capacity.
    unsafe {
        let stream = &mut *(*thread).stream;
        let begin = stream.window.add(WINDOW_HEAD);
        let raw = (*thread).cursor.offset_from(begin) as usize;
        let events = core::slice::from_raw_parts(begin, raw);
        let size = pack(events, &mut stream.scratch, &mut stream.places);
        let place = stream.blocks.add(stream.used);
        let end = stream.used + BLOCK_HEAD + size;
        if end + BLOCK_HEAD > stream.capacity || !system::populate(place, BLOCK_HEAD + size) {
            cut(thread);
            return;
        }
        // In this order a reader finds each event exactly once, whenever the process is killed.
        core::ptr::copy_nonoverlapping(stream.scratch.as_ptr(), place.add(BLOCK_HEAD), size);
        compiler_fence(Ordering::SeqCst);
        let sizes = raw as u64 | (size as u64) << 32;
        place.cast::<u64>().write_unaligned(sizes);
        compiler_fence(Ordering::SeqCst);
        let word = head::STREAM + stream.number as usize;
        *(*RECORDING.get()).head.add(word) = end as u64;
        compiler_fence(Ordering::SeqCst);
        *begin = event::END;
        compiler_fence(Ordering::SeqCst);
        stream.packed += raw as u64;
        *stream.window.cast::<u64>() = stream.packed;
        stream.used = end;
        give(thread);
    }
}

/// Where the next event of this thread will be: the stream and the offset. The stream is `u32::MAX` if there is none.
#[must_use]
pub fn position() -> (u32, u64) {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    unsafe {
        if (*thread).state == ThreadState::New {
            room();
        }
        if (*thread).state != ThreadState::Recorded {
            return (u32::MAX, 0);
        }
        let stream = &*(*thread).stream;
        (stream.number, stream.position((*thread).cursor))
    }
}

/// Called by functions that may be signal handlers. Moves the cursor past events that the interrupted code has written but not
/// passed. When the handler returns, that code moves the cursor to the end of its own event. The handler's events are then
/// overwritten, and the stream looks as if there had been no signal.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_written() {
    let thread = current();
    // SAFETY: the block belongs to this thread; in a stream of its own the cursor is never behind the limit by more than an event.
    unsafe {
        if (*thread).state == ThreadState::Recorded && (*thread).busy == 0 {
            let room = (*thread).limit.offset_from((*thread).cursor).max(0) as usize + 64;
            let rest = core::slice::from_raw_parts((*thread).cursor, room);
            (*thread).cursor = (*thread).cursor.add(end_of_events(rest, 0));
        }
    }
}

/// The serial number of a frame that an exception or longjmp can land in.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_serial() -> u32 {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    unsafe {
        (*thread).serial += 1;
        (*thread).serial
    }
}

/// Before `vfork`: where the parent is in its stream.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_mark() -> u64 {
    let (_, position) = position();
    let thread = current();
    // SAFETY: the block and its stream belong to this thread.
    unsafe {
        if (*thread).state == ThreadState::Recorded {
            (*(*thread).stream).values.mark();
        }
    }
    position
}

/// After `vfork`, in the parent: removes the events that the child wrote, unless they are already packed.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_back(mark: u64) {
    let thread = current();
    // SAFETY: the block belongs to this thread, and the mark is in its window.
    unsafe {
        if (*thread).state != ThreadState::Recorded {
            return;
        }
        let stream = &mut *(*thread).stream;
        stream.values.back();
        if mark >= stream.packed && mark <= position().1 {
            let place = stream
                .window
                .add(WINDOW_HEAD + (mark - stream.packed) as usize);
            *place = event::END;
            (*thread).cursor = place;
        }
    }
}
