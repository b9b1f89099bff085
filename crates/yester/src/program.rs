//! From the words of a call to the command that they ask for.

use std::env;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use yester_report::visible_line;

use crate::cli::{Arguments, Command};
use crate::failure::{Exit, Failure, plain};
use crate::mistake::Mistake;
use crate::{completion, manual, output, runs, settings};

/// The words of a call with the settings of this text.
pub fn with_settings(words: &[&str], text: &str) -> Result<Vec<OsString>, Failure> {
    let words = words.iter().map(|word| (*word).into()).collect();
    settings::with(words, &cli(), text).map(|call| call.words)
}

/// The command line. A number after an option is its value, even if it is less than zero and refused for that.
fn cli() -> clap::Command {
    let is_option = |argument: &clap::Arg| {
        argument.get_long().is_some()
            && argument.get_action().takes_values()
            && !argument.is_allow_hyphen_values_set()
    };
    Arguments::command().mut_subcommands(|command| {
        command.mut_args(|argument| match is_option(&argument) {
            true => argument.allow_negative_numbers(true),
            false => argument,
        })
    })
}

/// Does what the call asks for.
pub fn run() -> Result<Exit, Failure> {
    let cli = cli();
    let start = env::current_dir().map_err(|error| {
        Failure::usage(format!(
            "failed to find the current directory: {}",
            plain(&error)
        ))
    })?;
    let call = settings::complete(env::args_os().collect(), &cli, &start)?;
    let matches = match cli.clone().try_get_matches_from(&call.words) {
        Ok(matches) => matches,
        Err(error) => {
            let error = shown(&cli, &call.words).unwrap_or(error);
            let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
            if error.use_stderr() && !is_help {
                let mistake = Mistake {
                    error: &error,
                    cli: &cli,
                    call: &call,
                    start: &start,
                };
                return Err(mistake.explain());
            }
            // Help goes to stdout and is no error. A closed pipe is no reason to complain.
            let _ = error.print();
            return Ok(if is_help { Exit::Usage } else { Exit::Found });
        }
    };
    let arguments =
        Arguments::from_arg_matches(&matches).map_err(|error| Failure::usage(error.to_string()))?;
    crate::interrupt::watch().map_err(|error| Failure::io("watch for signals", &error))?;
    match arguments.command {
        Command::Reduce(arguments) => crate::reduce::run(*arguments, &start),
        Command::Changes(arguments) => crate::changes::run(*arguments, &start),
        Command::History(arguments) => crate::history::run(*arguments, &start),
        Command::Explain(arguments) => crate::explain::run(*arguments, &start),
        Command::Flip(arguments) => crate::flip::run(*arguments, &start),
        Command::Trace(arguments) => crate::trace::run(*arguments, &start),
        Command::Runs(arguments) => runs::run(&arguments),
        Command::Languages => output::print(languages().as_bytes()),
        Command::Completions { shell } => output::print(&completion::script(shell, cli)),
        Command::Complete { words } => output::print(completion::next(&cli, &words).as_bytes()),
        Command::Man {
            all: Some(directory),
            ..
        } => manual::write_all(&cli, &directory),
        Command::Man { command, .. } => output::print(&manual::page(&cli, command.as_deref())?),
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
