//! The thread-local block of the trace. Instrumented code reads and writes its first two words directly.

use core::arch::{asm, global_asm};

use crate::stream::EventStream;

/// The thread-local block `__yester_thread`.
#[repr(C)]
pub struct Thread {
    /// Where the next event goes.
    pub cursor: *mut u8,
    /// At or after this address there is no room for an event.
    pub limit: *mut u8,
    /// The stream of this thread, or null.
    pub stream: *mut EventStream,
    /// How the thread is recorded.
    pub state: ThreadState,
    /// The serial number of the last frame that an exception or longjmp can land in.
    pub serial: u32,
    /// 1 while the runtime runs in this thread.
    pub busy: u32,
}

/// How a thread is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ThreadState {
    /// Not yet decided.
    New = 0,
    /// Into a stream.
    Recorded = 1,
    /// Not at all: its events are discarded.
    Ignored = 2,
}

// Without the standard library, thread-local statics need an unstable feature. The initial-exec model works in programs and,
// for a few bytes, in libraries that are loaded later.
global_asm!(
    ".section .tbss.__yester_thread,\"awT\",@nobits",
    ".globl __yester_thread",
    ".type __yester_thread, @object",
    ".size __yester_thread, 64",
    ".p2align 4",
    "__yester_thread:",
    ".zero 64",
    ".text",
);

const _: () = assert!(size_of::<Thread>() <= 64);

/// The block of the current thread.
#[must_use]
pub fn current() -> *mut Thread {
    let thread: *mut Thread;
    // SAFETY: this is how the address of a thread-local variable is computed in the initial-exec model.
    unsafe {
        asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + __yester_thread@GOTTPOFF]",
            out(reg) thread,
            options(pure, nomem, nostack),
        );
    }
    thread
}
