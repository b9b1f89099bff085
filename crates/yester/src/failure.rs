//! How yester ends: its exit codes, and errors that say what to do next.

use std::fmt::Display;
use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

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
    pub message: String,
    pub hint: Option<String>,
}

impl Failure {
    pub fn usage(message: impl Display) -> Failure {
        Failure {
            exit: Exit::Usage,
            message: message.to_string(),
            hint: None,
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
            message: format!("failed to {doing}: {}", plain(error)),
            hint: None,
        };
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => failure
                .hint("make space, then run the same command again: it goes on where it stopped"),
            _ => failure,
        }
    }

    pub fn print(&self) {
        let mut stderr = anstream::stderr().lock();
        let _ = writeln!(stderr, "yester: {}", self.message);
        if let Some(hint) = &self.hint {
            let _ = writeln!(stderr, "hint: {hint}");
        }
    }
}

/// What to do about a full disk.
pub const MAKE_SPACE: &str =
    "make space, then run the same command again: it goes on where it stopped";

/// What the system says, without Rust's number.
pub fn plain(error: &io::Error) -> String {
    without_number(&error.to_string()).to_lowercase()
}

/// A message that ends with what the system says, without Rust's number.
pub fn without_number(message: &str) -> String {
    message
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Runs the program. A panic is a bug of ours and says so.
pub fn guard(program: impl FnOnce() -> Result<Exit, Failure> + panic::UnwindSafe) -> ExitCode {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        let _ = writeln!(
            io::stderr(),
            "yester: this is a bug in yester {}; nothing of your run is lost, the same command goes on",
            env!("CARGO_PKG_VERSION")
        );
    }));
    match panic::catch_unwind(program) {
        Ok(Ok(exit)) => exit.into(),
        Ok(Err(failure)) => {
            failure.print();
            failure.exit.into()
        }
        Err(_) => Exit::Bug.into(),
    }
}
