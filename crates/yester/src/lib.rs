//! The program `yester`: flags, settings, progress, and the wiring of the other crates.
//!
//! # Invariants
//!
//! - stdout has the result and nothing else; everything for people goes to stderr.
//! - Every error that a user can cause says what to do next, and every way to end has its exit code.

mod call;
mod changes;
mod cli;
mod command;
mod companion;
mod complaint;
mod completion;
mod driver;
mod explain;
mod failure;
mod finished;
mod flip;
mod history;
mod identity;
mod interrupt;
mod language;
mod manual;
mod mistake;
mod output;
mod personal;
mod program;
mod record;
mod reduce;
mod report;
mod runs;
mod settings;
mod shell;
mod step;
mod suspicion;
mod trace;
mod trust;
mod user_file;
mod versions;
mod why;

/// The words of a call with the settings of this text, or what is wrong with them. For those who try what strangers may
/// have put into `yester.toml`.
pub fn with_settings(words: &[&str], text: &str) -> Result<Vec<std::ffi::OsString>, String> {
    program::with_settings(words, text).map_err(|failure| failure.message)
}

/// Runs the program on the arguments of this process.
pub fn main() -> std::process::ExitCode {
    yester_run::become_warden_if_asked();
    let shell = program::shell();
    failure::guard(
        &shell,
        std::panic::AssertUnwindSafe(|| program::run(&shell)),
    )
}
