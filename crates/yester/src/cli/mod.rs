//! The command line: what can be asked, and the help that teaches it.

mod changes;
mod flag;
mod reduce;
mod trace;

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use yester_report::{visible, visible_line};

pub use self::changes::{BuildArguments, ChangesArguments};
pub use self::flag::{
    ReadingArguments, RunArguments, STATE, SandboxChoice, TimeoutMeaning, TrialArguments,
};
pub use self::reduce::{Algorithm, MethodArguments, ReduceArguments};
pub use self::trace::TraceArguments;
use crate::failure::{Exit, Failure, plain};
use crate::{runs, settings};

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
  yester trace --symbolic stdin -- ./app    the branches of one run, and what they ask of its input
  yester reduce --help                      everything about a command, with examples

Exit codes: 0 found, 1 nothing to debug, 2 wrong call or settings, 3 stopped by a limit,
70 a bug in yester, 130 interrupted. After 3 and 130 the same command goes on.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Reduce(Box<ReduceArguments>),
    Changes(Box<ChangesArguments>),
    Trace(Box<TraceArguments>),
    Runs(RunsArguments),
    /// List the languages that inputs are understood in
    Languages,
    /// Print a script that completes yester's commands and flags in your shell
    Completions {
        /// The shell to complete in
        shell: clap_complete::Shell,
    },
    /// Print a manual page: yester man reduce | man -l -
    Man {
        /// The command it is about, or none for yester itself
        command: Option<String>,
    },
}

/// List the runs that are kept here, the newest first
#[derive(Debug, Args)]
pub struct RunsArguments {
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = STATE)]
    pub state_dir: PathBuf,

    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

/// The words of a call with the settings of this text.
pub fn with_settings(words: &[&str], text: &str) -> Result<Vec<OsString>, Failure> {
    let words = words.iter().map(|word| (*word).into()).collect();
    settings::with(words, &Arguments::command(), text)
}

/// Does what the call asks for.
pub fn run() -> Result<Exit, Failure> {
    let cli = Arguments::command();
    let start = env::current_dir().map_err(|error| {
        Failure::usage(format!(
            "failed to find the current directory: {}",
            plain(&error)
        ))
    })?;
    let words = settings::complete(env::args_os().collect(), &cli, &start)?;
    let matches = match cli.clone().try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => {
            let error = shown(&cli, &words).unwrap_or(error);
            // Help goes to stdout and is no error. A closed pipe is no reason to complain.
            let _ = error.print();
            return Ok(if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Found
            });
        }
    };
    let arguments =
        Arguments::from_arg_matches(&matches).map_err(|error| Failure::usage(error.to_string()))?;
    crate::interrupt::watch().map_err(|error| Failure::io("watch for signals", &error))?;
    match arguments.command {
        Command::Reduce(arguments) => crate::reduce::run(*arguments, &start),
        Command::Changes(arguments) => crate::changes::run(*arguments, &start),
        Command::Trace(arguments) => crate::trace::run(*arguments, &start),
        Command::Runs(arguments) => runs::run(&arguments),
        Command::Languages => print(languages().as_bytes()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut cli.clone(), "yester", &mut script);
            print(&script)
        }
        Command::Man { command } => print(&manual(cli, command.as_deref())?),
    }
}

/// What is wrong with a call, about words that a terminal cannot take for commands: clap shows words as they are, and
/// those of `yester.toml` may be a stranger's.
fn shown(cli: &clap::Command, words: &[OsString]) -> Option<clap::Error> {
    let words = words
        .iter()
        .map(|word| visible_line(&word.to_string_lossy()).into_owned());
    cli.clone().try_get_matches_from(words).err()
}

fn languages() -> String {
    let mut text = String::new();
    for language in yester_tree::Language::all() {
        let files = language
            .extensions
            .iter()
            .map(|extension| format!(".{extension}"));
        let files = files.chain(language.file_names.iter().map(ToString::to_string));
        let files: Vec<String> = files.collect();
        text.push_str(&format!(
            "{:<12}{:<21}{}\n",
            language.name,
            language.title,
            files.join(" ")
        ));
    }
    text.push_str(
        "text        any text             by paragraphs, lines, brackets, words and characters\n",
    );
    text.push_str("binary      any bytes            by chunks and bytes\n");
    text
}

fn manual(cli: clap::Command, name: Option<&str>) -> Result<Vec<u8>, Failure> {
    let page = match name {
        None => cli,
        Some(name) => cli
            .find_subcommand(name)
            .ok_or_else(|| {
                Failure::usage(format!("there is no command '{name}'"))
                    .hint("yester --help lists them")
            })?
            .clone()
            .display_name(format!("yester {name}"))
            .bin_name(format!("yester {name}")),
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::usage(format!("failed to make the manual page: {error}")))?;
    Ok(text)
}

/// Prints text for people, with nothing in it that a terminal obeys.
pub fn print_text(text: &str) -> Result<Exit, Failure> {
    print(visible(text).as_bytes())
}

/// Prints a result as it is. Whoever closes the pipe has seen enough.
pub fn print(result: &[u8]) -> Result<Exit, Failure> {
    let written = anstream::stdout()
        .write_all(result)
        .and_then(|()| io::stdout().flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("print the result", &error))
        }
        _ => Ok(Exit::Found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
