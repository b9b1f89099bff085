//! Runs an instrumented program and reads what it recorded. `trace`, `explain` and `flip` use this.
//! No other part of the program starts an instrumented program.

mod builder;
mod call;
mod confinement;
mod input;
mod intervener;
mod intervention_target;
mod program_command;
mod recorder;
mod session;
mod workshop;

pub use self::call::{
    check_apart, check_language, check_source, plain_input, program, program_input, unfollowed,
};
pub use self::confinement::Confinement;
pub use self::input::{changed_sources, write_changed};
pub use self::intervener::{Intervener, IntervenerSettings, RunRequest};
pub use self::intervention_target::{RunJudge, TargetProgram};
pub use self::program_command::ProgramCommand;
pub use self::recorder::{Recorded, Recorder, RecorderSettings, RunPlace, Seen, expected};
pub use self::session::{Keeping, ProgramRun, ProgramSession, user_environment, verdict};
pub use self::workshop::{BuiltVersion, NamedVersion, Recipe, Workshop};
