//! Builds versions of a C or C++ program with the instrumenting compilers, runs them in one session, and reads what they leave.
//!
//! A [`Workshop`] builds. A [`Recorder`] runs a program on any input and reads its recording, an [`Intervener`] runs it on the
//! user's with interventions, and a [`judge::Judge`] says whether a run is right. All of them make their runs in a [`ProgramSession`], which
//! has the journal, the workers and the counts. The searches of `yester-path` see a [`judge::JudgedProgram`], [`TwoVersions`] or a
//! [`TargetProgram`].
//!
//! # Invariants
//!
//! - A run is an action that is complete in itself: what it needs and leaves goes through its exchange.
//! - A run with an intervention, or on an input that yester made, is guarded, unless the user allows it to write.
//! - What a run has left is in the journal's directory, so that the same call goes on where it stopped.
//! - Errors are data: what the user may do about them is said by whoever talks to the user.

mod builder;
mod confinement;
mod error;
mod failing_test;
mod given_input;
mod input_placement;
mod intervener;
mod intervention_target;
pub mod judge;
mod near_runs;
mod recorder;
mod session;
mod two_versions;
mod workshop;

pub use confinement::Confinement;
pub use error::RecordError;
pub use failing_test::{FailingTest, TestCommand, TestLimits};
pub use given_input::{InputError, find_files, fixed_files, varying};
pub use intervener::{Intervener, IntervenerSettings, InterventionRun, RunRequest};
pub use intervention_target::{RunJudge, TargetProgram};
pub use near_runs::NearRuns;
pub use recorder::{Recorded, Recorder, RecorderSettings, RunPlace, Seen, expected};
pub use session::{ProgramRun, ProgramSession, ProgramSessionSettings, user_environment, verdict};
pub use two_versions::{Behaviour, TwoVersions, TwoVersionsSettings};
pub use workshop::{BuiltVersion, NamedVersion, PROGRAM_NAME, Recipe, Workshop};
