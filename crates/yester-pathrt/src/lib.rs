//! The runtime of instrumented programs, and the format of the recordings that it writes.
//!
//! The build of `yester-cc` compiles this crate with `--cfg yester_runtime` into the object that it links into each program. As an
//! ordinary library the crate has only the format, which `yester-path` reads.
//!
//! ```
//! use yester_pathrt::format::{end_of_events, event, event_bytes};
//! use yester_pathrt::pack::{PLACES, bound, pack, unpack};
//!
//! // A loop: enter function 7, take one branch a thousand times, return.
//! let mut events = vec![event::ENTER, 7, 0, 0, 0];
//! events.extend([1; 1000]);
//! events.push(event::RETURN);
//! assert_eq!(event_bytes(events[0]), Some(5));
//! assert_eq!(end_of_events(&events, 0), events.len());
//!
//! let mut packed = vec![0; bound(events.len())];
//! let size = pack(&events, &mut packed, &mut [0; PLACES]);
//! assert!(size < 30);
//! let mut unpacked = Vec::new();
//! unpack(&packed[..size], events.len(), &mut unpacked).expect("an intact block");
//! assert_eq!(unpacked, events);
//! ```
//!
//! The runtime must not disturb its program. It calls no libc function that a program may have replaced, preserves `errno`,
//! gets memory from `mmap` only, and does nothing unless `YESTER_RECORD` is set.
#![cfg_attr(not(test), no_std)]
#![warn(clippy::undocumented_unsafe_blocks)]
// Instrumented programs call the runtime; its tests call only a part of it.
#![cfg_attr(test, allow(dead_code))]

#[cfg(any(yester_runtime, test))]
mod file;
#[cfg(any(yester_runtime, test))]
mod fork;
pub mod format;
#[cfg(any(yester_runtime, test))]
mod intervention;
#[cfg(any(yester_runtime, test))]
mod lock;
pub mod pack;
pub mod protocol;
#[cfg(any(yester_runtime, test))]
mod recording;
#[cfg(any(yester_runtime, test))]
mod stream;
#[cfg(any(yester_runtime, test))]
mod symbolic;
#[cfg(any(yester_runtime, test))]
mod symbolic_output;
#[cfg(any(yester_runtime, test))]
mod system;
#[cfg(any(yester_runtime, test))]
mod thread;
#[cfg(any(yester_runtime, test))]
mod value;

#[cfg(all(yester_runtime, not(test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    system::stop()
}
