//! The runtime that instrumented programs are linked with.
//!
//! `yester-cc` compiles this crate by itself, with `--cfg yester_runtime`, into the static library that goes into each
//! program. As an ordinary library it has the format of recordings, for those who read them, and what can be tested alone.
//!
//! It runs inside programs that it must not disturb: no libc function is called that a program may have replaced, `errno`
//! keeps its value, nothing is allocated but by `mmap`, and nothing happens unless `YESTER_RECORD` is set.
#![cfg_attr(not(test), no_std)]
#![warn(clippy::undocumented_unsafe_blocks)]

pub mod file;
pub mod fork;
pub mod format;
pub mod ground;
pub mod lock;
pub mod pack;
pub mod recording;
pub mod stream;
pub mod symbolic;
pub mod system;
pub mod thread;

#[cfg(all(yester_runtime, not(test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    system::stop()
}
