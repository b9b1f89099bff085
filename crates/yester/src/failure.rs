//! How yester ends: its exit codes, and errors that say what to do next.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Display;
use std::io::{self, Write};
use std::panic;
use std::path::Path;
use std::process::ExitCode;

use yester_cli::CallError;
use yester_path::{RecordingError, SolverError};
use yester_report::{ReportedError, Sheet, Status, VERSION, visible};
pub use yester_run::plain;

use crate::shell::Shell;
use yester_run::UnknownFile;
use yester_screen::{EventStreamError, Tone};

/// The exit codes, which the manual lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The answer is found.
    Found = 0,
    /// The baseline does not hold: there is nothing to debug.
    Nothing = 1,
    /// The call or the settings are wrong.
    Usage = 2,
    /// Stopped by a limit; the best so far is written.
    Limit = 3,
    /// An answer is found, but not all of its proof.
    Unproved = 4,
    /// A bug in yester.
    Bug = 70,
    /// Interrupted; the best so far is written, and the same command goes on.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An error that ends the program.
#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    /// What kind of error it is, where the exit does not say it all.
    pub code: Option<&'static str>,
    /// What went wrong, in one line.
    pub message: String,
    /// What shows it, a line each.
    pub evidence: Vec<String>,
    pub hint: Option<String>,
}

impl Failure {
    pub fn usage(message: impl Display) -> Failure {
        Failure {
            exit: Exit::Usage,
            code: None,
            message: message.to_string(),
            evidence: Vec::new(),
            hint: None,
        }
    }

    /// There is nothing to debug.
    pub fn nothing(message: impl Display) -> Failure {
        Failure {
            exit: Exit::Nothing,
            ..Failure::usage(message)
        }
    }

    pub fn hint(mut self, hint: impl Display) -> Failure {
        self.hint = Some(hint.to_string());
        self
    }

    /// An error of the system while doing something that can be done again once it is mended.
    pub fn io(doing: impl Display, error: &io::Error) -> Failure {
        let failure = Failure {
            exit: Exit::Limit,
            code: Some(SYSTEM),
            message: format!("failed to {doing}: {}", plain(error)),
            evidence: Vec::new(),
            hint: None,
        };
        if is_full(error) {
            failure.hint(MAKE_SPACE).code("disk_full")
        } else {
            failure
        }
    }

    /// A file or directory that the user has named cannot be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> Failure {
        Failure::usage(format!(
            "failed to read {}: {}",
            path.display(),
            plain(error)
        ))
    }

    /// What kind of error it is, for programs.
    pub fn code(mut self, code: &'static str) -> Failure {
        self.code = Some(code);
        self
    }

    /// How a call ends with it.
    pub fn status(&self) -> Status {
        match self.exit {
            Exit::Nothing => Status::Nothing,
            Exit::Interrupted => Status::Interrupted,
            Exit::Usage => Status::Usage,
            Exit::Bug => Status::Bug,
            Exit::Found | Exit::Limit | Exit::Unproved => Status::Limit,
        }
    }

    /// The error of a report.
    pub fn reported(&self) -> ReportedError {
        let of_exit = match self.exit {
            Exit::Nothing => "nothing_to_debug",
            Exit::Interrupted => "interrupted",
            Exit::Usage => "usage",
            Exit::Bug => "bug",
            Exit::Found | Exit::Limit | Exit::Unproved => "stopped",
        };
        ReportedError {
            code: self.code.unwrap_or(of_exit),
            message: self.whole_message(),
            hint: self.hint.clone(),
        }
    }

    /// Message and evidence, for the JSON.
    pub fn whole_message(&self) -> String {
        let lines = std::iter::once(&self.message).chain(&self.evidence);
        lines.map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    pub fn print(&self) {
        yester_screen::close();
        let mut sheet = Sheet::default();
        self.evidence.iter().for_each(|line| sheet.line(line));
        yester_screen::say(Tone::Error, &self.message);
        let _ = anstream::stderr().write_all(sheet.finish().as_bytes());
        if let Some(hint) = &self.hint {
            yester_screen::say(Tone::Hint, hint);
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Failure {
        Failure {
            evidence: error.evidence,
            hint: error.hint,
            ..Failure::usage(error.message)
        }
    }
}

impl From<RecordingError> for Failure {
    /// A recording that cannot be read.
    fn from(error: RecordingError) -> Failure {
        Failure {
            exit: Exit::Limit,
            code: matches!(error, RecordingError::Io { .. }).then_some(SYSTEM),
            message: without_number(&error.to_string()),
            evidence: Vec::new(),
            hint: Some(error.hint().to_owned()),
        }
    }
}

impl From<EventStreamError> for Failure {
    fn from(error: EventStreamError) -> Failure {
        match error {
            EventStreamError::Io { path, source } => Failure {
                exit: Exit::Usage,
                ..Failure::io(format!("write {}", path.display()), &source)
            },
            error @ EventStreamError::Foreign { .. } => {
                Failure::usage(error).hint("--events takes the name of a new file")
            }
        }
    }
}

impl From<UnknownFile> for Failure {
    fn from(UnknownFile { path, source }: UnknownFile) -> Failure {
        Failure::io(format!("look at {}", path.display()), &source)
    }
}

impl From<SolverError> for Failure {
    fn from(error: SolverError) -> Failure {
        Failure::usage(&error).hint(error.hint())
    }
}

/// The code of errors of the system.
pub const SYSTEM: &str = "system";

/// Whether there is no space left.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// What to do about a full disk.
pub const MAKE_SPACE: &str =
    "make space, then run the same command again: it goes on where it stopped";

/// A message that ends with what the system says, without Rust's number.
pub fn without_number(message: &str) -> String {
    message
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Runs the program. A panic is a bug of ours and says so.
pub fn guard(
    shell: &Shell,
    program: impl FnOnce() -> Result<Exit, Failure> + panic::UnwindSafe,
) -> ExitCode {
    panic::set_hook(Box::new(|info| {
        // Empty unless RUST_BACKTRACE asks for it.
        let backtrace = match Backtrace::capture() {
            backtrace if backtrace.status() == BacktraceStatus::Captured => {
                format!("\n{backtrace}")
            }
            _ => String::new(),
        };
        yester_screen::give_up();
        let _ = writeln!(
            io::stderr(),
            "{}\nyester: this is a bug in yester {}; nothing of your run is lost, the same command goes on",
            visible(&format!("{info}{backtrace}")),
            VERSION
        );
    }));
    let ended = panic::catch_unwind(program);
    yester_screen::close();
    match ended {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            shell.fail(&failure);
            failure.exit.into()
        }
        Err(_) => {
            shell.crashed();
            Exit::Bug.into()
        }
    }
}
