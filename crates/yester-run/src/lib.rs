//! The only crate that starts the user's command.
//!
//! A [`CommandLab`] takes subsets of a space and renders them to candidates. Its [`Runner`] has an [`Executor`] run
//! them and writes each [`Observation`] to the [`Journal`] before anybody uses it. The [`Judge`] turns it into an
//! outcome.
//!
//! What a run writes is whole or not there, and nobody else works on the run meanwhile:
//!
//! ```
//! use yester_run::{RunDirectory, RunDirectoryError};
//!
//! let state = tempfile::tempdir()?;
//! let run = RunDirectory::open(state.path(), "reduce-input-0123456789", false)?;
//! let best = run.write("best/input", b"[[")?;
//! assert_eq!(std::fs::read(best)?, b"[[");
//!
//! let second = RunDirectory::open(state.path(), "reduce-input-0123456789", false);
//! assert!(matches!(second, Err(RunDirectoryError::Busy { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! - The user's files are only read. Trials run in directories of their own, and every process of a trial is gone
//!   before its outcome is used.
//! - What the journal holds is never run again. A run that is started again replays it.
//! - There are no threads: wardens are processes, and one loop waits for all of them.

#![deny(clippy::undocumented_unsafe_blocks)]

mod action;
mod baseline;
mod capture;
mod command_lab;
mod command_line;
mod command_word;
mod event;
mod executor;
mod failing_baseline;
mod failure_output;
pub mod file;
mod journal;
mod judge;
mod local;
mod observation;
mod output_line;
mod outputs;
mod own_file;
pub mod personal;
mod placement;
mod process;
mod removal;
mod repeat;
mod replacement;
mod request;
mod root;
mod rule;
mod run_directory;
mod runner;
mod scratch;
mod session;
mod signature;
mod system;
mod system_message;
mod two_sided_baseline;
mod warden;
mod wire;
mod yard;

pub use action::{Action, Build, Counterpart, Exchange, Helper, Invocation, Subject};
pub use baseline::{Baseline, BaselineError, ExitMeaning, Expectation, SameFailure};
pub use capture::Capture;
pub use command_lab::{BestSoFar, CommandLab, Confirmation, Failing, LabSettings, OtherFailure};
pub use command_line::{CommandLine, CommandLineError};
pub use command_word::{
    UnknownFile, contains_placeholder, file_of, is_executable, is_file, is_output_option,
    is_product, is_trouble, on_path, script, tree_path,
};
pub use event::{Consumer, Event, Events, RunStart, Start, Step, StepLimit, VersionTested};
pub use executor::{ActionEvent, Containment, Executor, Sandbox, Wakeup};
pub use failing_baseline::{FailingBaseline, FailingError};
pub use failure_output::{FailureOutput, OutputDifference};
pub use journal::{EarlierSessions, Journal, JournalLength, Output, Trial, Why, read_trials};
pub use judge::{Judge, Reading, Verdict};
pub use local::{Complain, LocalExecutor, LocalSettings};
pub use observation::{Ending, NotStarted, Observation, Stage};
pub use output_line::{Printed, announcements};
pub use outputs::Outputs;
pub use own_file::open_own;
pub use process::end_helpers;
pub use removal::remove;
pub use repeat::{ERROR_RATE, Repeat};
pub use replacement::{Survival, check_writable, make_directory, write_directory, write_file};
pub use request::{Ran, ReadRun, Request};
pub use rule::{Rule, RuleError};
pub use run_directory::{
    RUN_DIGITS, RunDirectory, RunDirectoryError, delete_run, has_searched, open_record, runs,
};
pub use runner::Runner;
pub use scratch::{discard, scratch_directory};
pub use session::{Counts, Session};
pub use signature::Signature;
pub use system::is_ignored;
pub use system_message::plain;
pub use two_sided_baseline::{
    BaselineMismatch, Mismatch, TwoSidedBaseline, TwoSidedError, VersionSide,
};
pub use warden::become_warden_if_asked;
pub use yard::Yard;
