//! Runs an instrumented program and reads what it recorded. `trace`, `explain` and `flip` use this.
//! No other part of the program starts an instrumented program.

mod builder;
mod call;
mod confinement;
mod forcer;
mod input;
mod pool;
mod recorder;
mod run_directory;
mod workshop;

pub use self::call::{
    check_apart, check_language, check_source, plain_input, program, program_input, read,
    unfollowed,
};
pub use self::confinement::Confinement;
pub use self::forcer::{Forcer, ForcerSettings, Forcing};
pub use self::input::{ProgramInput, changed_sources, is_below, write_changed};
pub use self::pool::Pool;
pub use self::recorder::{Recorded, Recorder, RecorderSettings, Run, recording_failure};
pub use self::run_directory::RunDirectory;
pub use self::workshop::{NamedVersion, Recipe, Workshop};
