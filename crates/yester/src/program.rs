//! From the words of a call to the command that they ask for.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches};
use yester_cli::{
    Arguments, Command, Mistake, OutputArguments, command_line, completion, manual, settings,
};
use yester_report::{VERSION, quote, visible_line};
use yester_run::{Consumer, Event, Events};
use yester_screen::{EventStream, Progress};

use crate::call::Call;
use crate::failure::{Exit, Failure, plain};
use crate::finished::Finished;
use crate::shell::Shell;
use crate::{language, output, report, runs, trust};

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
    let cli = command_line();
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
                return Err(mistake.explain().into());
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
        } => write_manual(&cli, &directory),
        Command::Man { command, .. } => output::print(&manual::page(&cli, command.as_deref())?),
        _ => unreachable!("it has an output style"),
    }
}

/// Writes all pages of the manual into a directory.
fn write_manual(cli: &clap::Command, directory: &Path) -> Result<Exit, Failure> {
    for (name, page) in manual::pages(cli)? {
        output::replace(&directory.join(name), &page, 0o644)?;
    }
    Ok(Exit::Found)
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
    let matches = command_line().try_get_matches_from(words);
    let matches = matches.map_err(|error| Failure::usage(error.to_string()))?;
    let arguments =
        Arguments::from_arg_matches(&matches).map_err(|error| Failure::usage(error.to_string()))?;
    Ok((matches, arguments.command))
}

/// The flags of a command.
pub fn flags(command: &str) -> Vec<clap::Arg> {
    let cli = command_line();
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
        Command::Report(_)
        | Command::Runs(_)
        | Command::Trust(_)
        | Command::Languages(_)
        | Command::Completions { .. }
        | Command::Complete { .. }
        | Command::Man { .. } => unreachable!("it has no output style"),
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
