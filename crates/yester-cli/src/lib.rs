//! The words of a call: what can be asked and the help that teaches it, the settings that add to it, what can come next, and what was
//! probably meant. Nothing here carries out a command.
//!
//! # Invariants
//!
//! - A setting is a flag: one name for a thing, and one place that checks it.
//! - Settings that this user did not write or trust neither start a program, nor write anywhere, nor lower a protection.
//! - Every [`CallError`] that a user can cause says what to do next, where the message does not.
#![allow(
    missing_docs,
    reason = "doc comments of flags are the help: what says nothing there has none"
)]

mod changes;
pub mod completion;
mod error;
mod explain;
mod flag;
mod flip;
mod history;
pub mod manual;
mod mistake;
mod reduce;
mod report;
mod runs;
pub mod settings;
pub mod suspicion;
mod trace;
mod why;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};

pub use self::changes::{BuildArguments, ChangesArguments, SameFailureChoice};
pub use self::error::CallError;
pub use self::explain::{EvidenceChoice, ExplainArguments};
pub use self::flag::{
    OutputArguments, ProgramArguments, ReadingArguments, RunArguments, STATE, SandboxChoice,
    TimeoutMeaning, TrialArguments,
};
pub use self::flip::{FlipArguments, FlipWay};
pub use self::history::HistoryArguments;
pub use self::mistake::Mistake;
pub use self::reduce::{Algorithm, MethodArguments, ReduceArguments};
pub use self::report::{ReportArguments, ReportFormat};
pub use self::runs::{RunsArguments, RunsCommand};
pub use self::settings::with_settings;
pub use self::trace::TraceArguments;
pub use self::why::{StepChoice, WhyArguments};

/// It worked yesterday, today it does not: why?
#[derive(Debug, Parser)]
#[command(
    name = "yester",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = "\
Start here:
  yester reduce crash.c -- ./test.sh {}     the part of crash.c that makes the test fail
  yester changes v1 HEAD -- make test       the changes between two versions that broke it
  yester history -- make test               no good version is known: which one was right, and the fix
  yester explain old.c new.c -- {} 7        the branch or value that makes two versions differ
  yester flip sum.c --expect out -- {} 7    the change to a failing run that makes it pass
  yester trace --symbolic stdin -- ./app    the branches of one run, and what they require of its input
  yester why v1 -- ./test.sh in.txt         all of the above, one after the other, in one report
  yester report --open                      the page of the last run, to look at or to send
  yester reduce --help                      everything about a command, with examples

Exit codes: 0 found, 1 nothing to debug, 2 usage or settings, 3 stopped by a limit, 70 a bug in
yester, 130 interrupted. After 3 and 130 the same command resumes.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Reduce(Box<ReduceArguments>),
    Changes(Box<ChangesArguments>),
    History(Box<HistoryArguments>),
    Explain(Box<ExplainArguments>),
    Flip(Box<FlipArguments>),
    Trace(Box<TraceArguments>),
    Why(Box<WhyArguments>),
    Report(ReportArguments),
    Runs(RunsArguments),
    Trust(TrustArguments),
    Languages(LanguagesArguments),
    /// Print a completion script for your shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page: yester man reduce | man -l -
    Man {
        /// The command [default: yester itself]
        command: Option<String>,

        /// Write the pages of all commands into this directory instead
        #[arg(long, value_name = "DIR", conflicts_with = "command")]
        all: Option<PathBuf>,
    },
    /// Print what can come next in a call, for the completion scripts
    #[command(hide = true)]
    Complete {
        /// The words after yester, up to the one that is to be completed
        #[arg(last = true)]
        words: Vec<OsString>,
    },
}

/// The command line. A number after an option is its value, even if it is less than zero and refused for that.
pub fn command_line() -> clap::Command {
    let is_option = |argument: &clap::Arg| {
        argument.get_long().is_some()
            && argument.get_action().takes_values()
            && !argument.is_allow_hyphen_values_set()
    };
    Arguments::command().mut_subcommands(|command| {
        command.mut_args(|argument| {
            if is_option(&argument) {
                argument.allow_negative_numbers(true)
            } else {
                argument
            }
        })
    })
}

/// Allow what the yester.toml of a directory asks for
///
/// A yester.toml may come with a stranger's repository. So only harmless settings of it count: numbers,
/// languages, rules, and paths below its directory. Those that write somewhere, start a program or lower a
/// protection, such as output, build or sandbox, are ignored until you have read and trusted the file. When the
/// file changes, read it and trust it again. Your own settings, in $XDG_CONFIG_HOME/yester/yester.toml, always count.
#[derive(Debug, Args)]
pub struct TrustArguments {
    /// The directory that has the yester.toml
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,

    /// Do not trust it any longer
    #[arg(long)]
    pub forget: bool,
}

/// List the languages that yester knows
#[derive(Debug, Args)]
pub struct LanguagesArguments {
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

impl Command {
    /// The flags that say how to tell what happens, of the commands that take long.
    pub fn style(&self) -> Option<&OutputArguments> {
        match self {
            Command::Reduce(arguments) => Some(&arguments.output_style),
            Command::Changes(arguments) => Some(&arguments.output_style),
            Command::History(arguments) => Some(&arguments.output_style),
            Command::Explain(arguments) => Some(&arguments.output_style),
            Command::Flip(arguments) => Some(&arguments.output_style),
            Command::Trace(arguments) => Some(&arguments.output_style),
            Command::Why(arguments) => Some(&arguments.output_style),
            Command::Report(_)
            | Command::Runs(_)
            | Command::Trust(_)
            | Command::Languages(_)
            | Command::Completions { .. }
            | Command::Complete { .. }
            | Command::Man { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn no_line_after_the_flags_is_broken_in_two() {
        let cli = Arguments::command();
        for command in cli.get_subcommands() {
            let text = command.get_after_long_help().map(ToString::to_string);
            for line in text.unwrap_or_default().lines() {
                assert!(
                    line.chars().count() <= 100,
                    "{}: {line}",
                    command.get_name()
                );
            }
        }
    }
}
