//! Runs an instrumented program and reads what it recorded. `trace` and `explain` use this.
//! No other part of the program starts an instrumented program.

mod builder;
mod input;
mod pool;
mod recorder;
mod workshop;

pub use self::input::{ProgramInput, is_below};
pub use self::pool::Pool;
pub use self::recorder::{Recorded, Recorder, RecorderSettings, Run, recording_failure};
pub use self::workshop::{NamedVersion, PROGRAM_NAME, Recipe, Workshop};
