//! From the words of a call to the command that they ask for.

use std::env;
use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};
use yester_report::visible_line;

use crate::cli::{Arguments, Command};
use crate::failure::{Exit, Failure, plain};
use crate::{output, runs, settings};

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
        Command::History(arguments) => crate::history::run(*arguments, &start),
        Command::Explain(arguments) => crate::explain::run(*arguments, &start),
        Command::Flip(arguments) => crate::flip::run(*arguments, &start),
        Command::Trace(arguments) => crate::trace::run(*arguments, &start),
        Command::Runs(arguments) => runs::run(&arguments),
        Command::Languages => output::print(languages().as_bytes()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut cli.clone(), "yester", &mut script);
            output::print(&script)
        }
        Command::Man { command } => output::print(&manual(cli, command.as_deref())?),
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
