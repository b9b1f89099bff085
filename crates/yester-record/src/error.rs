use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use thiserror::Error;
use yester_core::Stop;
use yester_patch::PatchError;
use yester_path::{RecordingError, SolverError};
use yester_run::Ending;

/// Why a program was not built, run, read or judged.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The system is in the way.
    #[error("failed to {doing}: {source}")]
    Io {
        /// What was being done.
        doing: String,
        /// What the system said.
        source: io::Error,
    },
    /// What runs write has no space any more, so that nothing of it can be relied on.
    #[error("there is no space in {}", .0.display())]
    NoSpace(PathBuf),
    /// A limit was reached, the user wants to stop, or runs cannot be made.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// The machine has no sandbox for runs that nobody asked for.
    #[error("runs cannot be guarded: {0}")]
    Unguarded(String),
    /// A command could not be started.
    #[error("{what} cannot be run: {reason}")]
    NotStarted {
        /// What it is.
        what: &'static str,
        /// What the system said.
        reason: String,
    },
    /// A program left no recording.
    #[error("{program} recorded nothing ({ending})")]
    NotRecorded {
        /// The program, as the user calls it.
        program: String,
        /// How it ended.
        ending: Ending,
    },
    /// A recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The solver cannot be used.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// A version cannot be laid out.
    #[error(transparent)]
    Version(#[from] PatchError),
    /// An instrumenting compiler is not there.
    #[error("{0} is not installed")]
    NoCompiler(&'static str),
    /// A version does not build.
    #[error("{version} does not build: {ending}")]
    NotBuilt {
        /// The version, as the user calls it.
        version: String,
        /// Whether it is a single file.
        is_file: bool,
        /// How the build ended.
        ending: Ending,
        /// The last lines that it printed.
        lines: Vec<String>,
    },
    /// A build made no program.
    #[error("the build of {version} made no {program}")]
    NoProduct {
        /// The version, as the user calls it.
        version: String,
        /// The path of the program.
        program: String,
    },
    /// The command that fails cannot be run.
    #[error("the command cannot be run: {ending}")]
    CommandNotRun {
        /// How it ended.
        ending: Ending,
        /// The last lines that it printed.
        lines: Vec<String>,
    },
    /// Nothing that a command starts is instrumented.
    #[error("nothing that {program} starts was built with yester-cc ({ending})")]
    NotInstrumented {
        /// The command, as the user calls it.
        program: String,
        /// How it ended.
        ending: Ending,
    },
    /// All runs together have less time than the first one takes.
    #[error("the command did not end within --max-time")]
    NoTime,
    /// The program that is right does not end by itself.
    #[error("the reference program does not end by itself on your input: {0}")]
    ReferenceNotEnded(Ending),
    /// The command that judges cannot be run.
    #[error("the command that judges cannot be run: {what}")]
    CheckNotRun {
        /// How it ended, or what the system said.
        what: String,
        /// The last lines that it printed.
        lines: Vec<String>,
    },
    /// The user lets no code be to blame. These files have some.
    #[error("--only and --not leave out all code of the program")]
    AllLeftOut(BTreeSet<PathBuf>),
    /// The judge calls the failing run right.
    #[error("the run is right")]
    IsRight,
    /// The judge cannot tell whether the failing run is right.
    #[error("nobody can tell whether the run is right")]
    IsUnknown,
}

impl RecordError {
    /// An error of the system while doing something.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> RecordError {
        let doing = doing.into();
        |source| RecordError::Io { doing, source }
    }

    /// Whether the system is to blame, and not the program.
    pub(crate) fn is_of_system(&self) -> bool {
        matches!(
            self,
            RecordError::Io { .. } | RecordError::Recording(RecordingError::Io { .. })
        )
    }
}
