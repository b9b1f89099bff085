//! From the words of a call to the command that they ask for.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use yester_report::{VERSION, quote, visible_line};
use yester_run::{Consumer, Event, Events};
use yester_screen::{EventStream, Progress};

use crate::call::Call;
use crate::cli::{Arguments, Command, OutputArguments};
use crate::failure::{Exit, Failure, plain};
use crate::finished::Finished;
use crate::mistake::Mistake;
use crate::settings::Source;
use crate::shell::Shell;
use crate::{completion, language, manual, output, report, runs, settings, trust};

/// The words of a call with the settings of this text.
pub fn with_settings(words: &[&str], text: &str) -> Result<Vec<OsString>, Failure> {
    let words = words.iter().map(|word| (*word).into()).collect();
    let source = Source {
        name: settings::FILE.to_owned(),
        directory: PathBuf::new(),
        is_trusted: false,
    };
    settings::with(words, &cli(), text, &source).map(|call| call.words)
}

/// The command line. A number after an option is its value, even if it is less than zero and refused for that.
fn cli() -> clap::Command {
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

/// The front end of this process.
pub fn shell() -> Shell {
    let words: Vec<OsString> = env::args_os().collect();
    Shell::new(Call::new(&words, Path::new("")))
}

/// Does what the call asks for.
pub fn run(shell: &Shell) -> Result<Exit, Failure> {
    // On a build server anstream takes any terminal for one with colours.
    if env::var_os("TERM").is_some_and(|terminal| terminal == "dumb") {
        anstream::ColorChoice::Never.write_global();
    }
    let start = env::current_dir().map_err(|error| {
        Failure::usage(format!(
            "failed to find the current directory: {}",
            plain(&error)
        ))
    })?;
    carry_out(shell, shell.call().words, &start)
}

/// Does what a call with these words asks for, in the directory `start`.
pub fn carry_out(shell: &Shell, words: Vec<OsString>, start: &Path) -> Result<Exit, Failure> {
    let cli = cli();
    let call = settings::complete(words, &cli, start)?;
    shell.set_words(&call.words);
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
                    start,
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
    crate::interrupt::watch(shell).map_err(|error| Failure::io("watch for signals", &error))?;
    if let Some(style) = arguments.command.style() {
        shell.set_style(style);
        let call = Call {
            start: start.to_owned(),
            ..shell.call()
        };
        let events = events(shell, &call, style)?;
        let ended = investigate(arguments.command, &call, &events);
        let ended = ended.or_else(|failure| shell.end_run(failure));
        let ended = ended.map(|finished| report::keep(finished, start, &events));
        let exit = match ended.and_then(|finished| shell.tell(&finished)) {
            Ok(exit) => exit,
            Err(failure) => {
                shell.fail(&failure);
                failure.exit
            }
        };
        events.emit(&Event::End { exit: exit as u8 });
        return Ok(exit);
    }
    match arguments.command {
        Command::Report(arguments) => report::run(&arguments, start),
        Command::Runs(arguments) => runs::run(arguments, start, shell),
        Command::Trust(arguments) => trust::run(&arguments, start),
        Command::Languages(arguments) => language::list(&arguments),
        Command::Completions { shell } => output::print(&completion::script(shell, cli)),
        Command::Complete { words } => output::print(completion::next(&cli, &words).as_bytes()),
        Command::Man {
            all: Some(directory),
            ..
        } => manual::write_all(&cli, &directory),
        Command::Man { command, .. } => output::print(&manual::page(&cli, command.as_deref())?),
        _ => unreachable!("it has an output style"),
    }
}

/// The one stream of events of a call, with whoever wants to know of them.
fn events(shell: &Shell, call: &Call, style: &OutputArguments) -> Result<Events, Failure> {
    let mut consumers: Vec<Box<dyn Consumer>> = vec![Box::new(shell.clone())];
    if let Some(path) = &style.events {
        consumers.push(Box::new(EventStream::open(path, VERSION, call.texts())?));
    }
    let words = call.texts();
    let line = quote::command(words.iter().map(OsStr::new));
    consumers.push(Box::new(Progress::open(style.into(), line)));
    Ok(Events::new(consumers))
}

/// The parts of a call, as its command line defines them.
pub fn parse(words: &[OsString]) -> Result<(ArgMatches, Command), Failure> {
    let matches = cli().try_get_matches_from(words);
    let matches = matches.map_err(|error| Failure::usage(error.to_string()))?;
    let arguments =
        Arguments::from_arg_matches(&matches).map_err(|error| Failure::usage(error.to_string()))?;
    Ok((matches, arguments.command))
}

/// The flags of a command.
pub fn flags(command: &str) -> Vec<clap::Arg> {
    let cli = cli();
    let command = cli.find_subcommand(command).expect("it is one of ours");
    command.get_arguments().cloned().collect()
}

/// Carries out a command that runs the user's command or program.
pub fn investigate(command: Command, call: &Call, events: &Events) -> Result<Finished, Failure> {
    match command {
        Command::Reduce(arguments) => crate::reduce::run(*arguments, call, events),
        Command::Changes(arguments) => crate::changes::run(*arguments, call, events),
        Command::History(arguments) => crate::history::run(*arguments, call, events),
        Command::Explain(arguments) => crate::explain::run(*arguments, call, events),
        Command::Flip(arguments) => crate::flip::run(*arguments, call, events),
        Command::Trace(arguments) => crate::trace::run(*arguments, call, events),
        Command::Why(arguments) => crate::why::run(*arguments, call, events),
        _ => unreachable!("it has no output style"),
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
