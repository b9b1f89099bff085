//! The program `yester`: flags, settings, progress, and the wiring of the other crates.
//!
//! # Invariants
//!
//! - stdout has the result and nothing else; everything for people goes to stderr.
//! - Every error that a user can cause says what to do next, and every way to end has its exit code.

mod call;
mod changes;
mod command;
mod companion;
mod complaint;
mod driver;
mod explain;
mod failure;
mod finished;
mod flip;
mod history;
mod identity;
mod interrupt;
mod language;
mod output;
mod program;
mod record;
mod reduce;
mod report;
mod runs;
mod shell;
mod step;
mod test_input;
mod trace;
mod trust;
mod user_file;
mod versions;
mod why;

use yester_cli as cli;

/// Runs the program on the arguments of this process.
pub fn main() -> std::process::ExitCode {
    yester_run::become_warden_if_asked();
    let shell = program::shell();
    failure::guard(
        &shell,
        std::panic::AssertUnwindSafe(|| program::run(&shell)),
    )
}
