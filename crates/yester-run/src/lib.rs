//! The lab of yester: the only crate that starts the user's command.
//!
//! A [`Laboratory`] takes subsets of a space, renders them to candidates, has them run by an [`Executor`], writes each
//! [`Observation`] to the [`Journal`] before it is used, and lets the [`Judge`] turn it into an outcome.
//!
//! # Invariants
//!
//! - The user's files are only read. Trials run in directories of their own, and every process of a trial is gone
//!   before its outcome is used.
//! - What the journal holds is never run again. A run that is started again replays it.
//! - There are no threads: wardens are processes, and one loop waits for all of them.

mod action;
mod capture;
mod executor;
mod local;
mod observation;
mod system;
mod warden;
mod wire;

pub use action::{Action, Invocation, Subject};
pub use capture::Capture;
pub use executor::{Containment, Executor, Report, Sandbox};
pub use local::{LocalExecutor, LocalSettings, scratch_directory};
pub use observation::{Ending, Observation};
pub use warden::become_warden_if_asked;
