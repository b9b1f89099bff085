//! Runs an instrumented program and reads what it recorded. `trace` uses this, and so will every command that looks inside a run.
//! No other part of the program starts an instrumented program.

mod input;
mod recorder;

pub use self::input::{ProgramInput, is_below};
pub use self::recorder::{Recorded, Recorder, RecorderSettings, Run, recording_failure};
