//! Event streams. The instrumented code writes events by itself; here is what it does when there is no room.

use core::arch::global_asm;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::file::{Shared, Used};
use crate::format::{MOST_STREAMS, event, head};
use crate::recording::{LIMIT, LOCK, ON, RECORDING, lost};
use crate::system;
use crate::thread::{State, Thread, current};

/// An event is written with its end in one store of 8 bytes, so there is always room for that behind the limit.
const SLACK: usize = 4096;
const FIRST_CHUNK: usize = 1 << 16;
const MOST_CHUNK: usize = 1 << 20;
const NOWHERE_BYTES: usize = 1 << 15;

/// Where the events of threads go that are not recorded. Threads may write over each other's: nobody reads it.
static NOWHERE: Shared<[u8; NOWHERE_BYTES + 64]> = Shared::new([0; NOWHERE_BYTES + 64]);
/// How many bytes all streams have got so far.
static GIVEN: AtomicU64 = AtomicU64::new(0);

// The instrumented code calls it where it has no registers to spare: all general ones keep their values.
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
            State::New if ON.load(Ordering::Relaxed) => begin(thread),
            State::New | State::Ignored => nowhere(thread),
            State::Recorded => extend(thread),
        }
        (*thread).busy = 0;
    }
}

/// Opens the stream of this thread.
pub fn open() {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    unsafe {
        if (*thread).state == State::New {
            begin(thread);
        }
    }
}

/// Lets the events of a thread go nowhere.
unsafe fn nowhere(thread: *mut Thread) {
    // SAFETY: the place has room for an event behind the limit.
    unsafe {
        (*thread).cursor = NOWHERE.get().cast();
        (*thread).limit = (*thread).cursor.add(NOWHERE_BYTES);
    }
}

unsafe fn begin(thread: *mut Thread) {
    // SAFETY: under the lock.
    let opened = LOCK.hold(|| unsafe {
        let recording = &mut *RECORDING.get();
        let streams = &mut *recording.head.add(head::STREAMS);
        let stream = *streams as u32;
        if *streams >= MOST_STREAMS as u64 {
            return None;
        }
        let capacity = (LIMIT.load(Ordering::Relaxed) as usize)
            .saturating_add(2 * SLACK)
            .min(1 << 40);
        let used = Used::Events {
            word: head::STREAM + stream as usize,
        };
        let (file, descriptor) = recording.add_open(
            b"events-",
            Some(stream),
            capacity,
            FIRST_CHUNK.min(capacity),
            used,
        )?;
        *file.place = event::END;
        *streams += 1;
        Some((stream, file, descriptor))
    });
    // SAFETY: the block belongs to this thread, and the file is mapped.
    unsafe {
        let Some((stream, file, descriptor)) = opened else {
            (*thread).state = State::Ignored;
            nowhere(thread);
            lost(b"thread not recorded", b"");
            return;
        };
        system::close(descriptor);
        (*thread).base = file.place;
        (*thread).cursor = file.place;
        (*thread).limit = file.place;
        (*thread).stream = stream;
        (*thread).state = State::Recorded;
        extend(thread);
    }
}

/// Gives the thread's stream more room, if the limit allows it.
unsafe fn extend(thread: *mut Thread) {
    // SAFETY: the block belongs to this thread, its stream is mapped with its capacity.
    unsafe {
        let recording = &*RECORDING.get();
        let word = head::STREAM + (*thread).stream as usize;
        let used = (*thread).cursor.offset_from((*thread).base) as usize;
        *recording.head.add(word) = used as u64;
        let capacity = recording
            .files
            .iter()
            .flatten()
            .find(|file| file.place == (*thread).base)
            .map_or(0, |file| file.capacity.saturating_sub(SLACK));
        let wanted = used.clamp(FIRST_CHUNK, MOST_CHUNK);
        let given = GIVEN.fetch_add(wanted as u64, Ordering::Relaxed);
        let allowed = LIMIT.load(Ordering::Relaxed).saturating_sub(given) as usize;
        let chunk = wanted.min(allowed).min(capacity.saturating_sub(used));
        if chunk == 0 || !system::populate((*thread).cursor, chunk + 64) {
            *recording.head.add(head::CUT) = 1;
            (*thread).state = State::Ignored;
            nowhere(thread);
            return;
        }
        (*thread).limit = (*thread).cursor.add(chunk);
    }
}

/// Where the next event of this thread will be: the stream and the offset.
#[must_use]
pub fn position() -> (u32, u64) {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    unsafe {
        if (*thread).state == State::New {
            room();
        }
        if (*thread).state != State::Recorded {
            return (u32::MAX, 0);
        }
        let offset = (*thread).cursor.offset_from((*thread).base);
        ((*thread).stream, offset as u64)
    }
}

/// The serial number for a frame that can be landed in.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_serial() -> u32 {
    let thread = current();
    // SAFETY: the block belongs to this thread.
    unsafe {
        (*thread).serial += 1;
        (*thread).serial
    }
}

/// Behind `vfork`, in the parent: takes back what the child has written since.
///
/// # Safety
/// `cursor` was the thread's cursor before.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_back(cursor: *mut u8) {
    let thread = current();
    // SAFETY: the block belongs to this thread, and the cursor was its own.
    unsafe {
        if (*thread).state == State::Recorded {
            *cursor = event::END;
            (*thread).cursor = cursor;
        }
    }
}
