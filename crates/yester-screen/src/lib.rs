//! What people and programs see of a call while it works: consumers of the one stream of events.
//!
//! ```
//! use yester_core::{Outcome, Phase};
//! use yester_run::{Consumer, Event, RunStart};
//! use yester_screen::SharedPasses;
//!
//! let mut passes = SharedPasses::default();
//! passes.consume(&Event::Run(RunStart {
//!     directory: ".yester/run",
//!     target: "crash.json",
//!     test: "jq {}",
//!     size: 4000,
//!     unit: "bytes",
//!     baseline: "running the command on the whole input",
//!     whole: None,
//!     wanted: Outcome::Fail,
//! }));
//! passes.consume(&Event::Phase(Phase { what: "removing parts", deltas: 2 }));
//! passes.consume(&Event::Answered(Outcome::Pass));
//! passes.consume(&Event::Answered(Outcome::Fail));
//! let gains = passes.gains();
//! assert_eq!((gains[0].tried, gains[0].succeeded), (2, 1));
//! ```
//!
//! # Invariants
//!
//! - Whoever works never waits for whoever shows: a thread draws, and takes only what the consumers have put down.
//! - Everything for people passes through `visible`: a terminal obeys nothing in it.

mod event_stream;
pub mod keep;
mod log;
mod passes;
mod progress;
mod screen;

pub use event_stream::{EventStream, EventStreamError};
pub use log::Log;
pub use passes::SharedPasses;
pub use progress::{Progress, Style};
pub use screen::{REVISIONS, Tone, ask, close, give_up, is_terminal, say};
