//! `yester.toml`: the flags of every call, written down once.
//!
//! A key is the name of a flag, its value what the flag is given. So there is one name for a thing, one place that
//! checks it, and a flag on the command line simply wins.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::failure::{self, Failure, plain};
use crate::{file, quote};

const FILE: &str = "yester.toml";

/// No settings are bigger.
const BIGGEST: u64 = 1 << 20;

/// The words of a call with the settings of `directory` put in where the call does not say otherwise.
pub fn complete(
    words: Vec<OsString>,
    cli: &Command,
    directory: &Path,
) -> Result<Vec<OsString>, Failure> {
    let asks_for_help = |word: &OsString| {
        ["--help", "-h", "--version", "-V"]
            .iter()
            .any(|flag| word == flag)
    };
    if words
        .iter()
        .take_while(|word| *word != "--")
        .any(asks_for_help)
    {
        return Ok(words);
    }
    let path = directory.join(FILE);
    let text = match file::read(&path, BIGGEST).and_then(text) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(words),
        Err(error) => {
            return Err(Failure::usage(format!(
                "failed to read {FILE}: {}",
                plain(&error)
            )));
        }
    };
    let completed = with(words.clone(), cli, &text)?;
    tell(&words, &completed);
    Ok(completed)
}

/// The words of a call with these settings put in.
pub fn with(mut words: Vec<OsString>, cli: &Command, text: &str) -> Result<Vec<OsString>, Failure> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let error = error.to_string();
        let mut lines = error.trim().lines();
        let first = lines.next().unwrap_or_default();
        Failure {
            evidence: lines.map(str::to_owned).collect(),
            ..Failure::usage(format!("{FILE} cannot be read: {first}"))
        }
    })?;

    // What is wrong with the call is said when all of it is read.
    let lenient = cli.clone().ignore_errors(true);
    let matches = lenient.try_get_matches_from(&words).ok();
    let given = matches.as_ref().and_then(ArgMatches::subcommand);
    let is_given = |argument: &Arg| {
        let source = given.and_then(|(_, given)| given.value_source(argument.get_id().as_str()));
        source == Some(ValueSource::CommandLine)
    };
    let called = given.and_then(|(name, _)| cli.find_subcommand(name));
    let mut settings = Vec::new();
    for (key, value) in table {
        check_known(&key, cli)?;
        let Some(command) = called else { continue };
        let Some(argument) = command
            .get_arguments()
            .find(|argument| is_setting(argument, &key))
        else {
            continue;
        };
        let rivals = command.get_arg_conflicts_with(argument);
        if !rivals.into_iter().chain([argument]).any(is_given) {
            settings.extend(flags(argument, &key, &value)?);
        }
    }
    let at = words.len().min(2);
    words.splice(at..at, settings);
    Ok(words)
}

/// Says which words the settings have added: they may come with a stranger's repository and name a build.
fn tell(before: &[OsString], after: &[OsString]) {
    let is_quiet = |word: &OsString| word == "-q" || word == "--quiet";
    let mut flags = after.iter().take_while(|word| *word != "--");
    if after.len() > before.len() && !flags.any(is_quiet) {
        let added = &after[before.len().min(2)..][..after.len() - before.len()];
        let added = quote::command(added.iter().map(OsString::as_os_str));
        failure::remark(&format!("{FILE} adds {added}"));
    }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not utf-8"))
}

fn check_known(key: &str, cli: &Command) -> Result<(), Failure> {
    if cli
        .get_subcommands()
        .flat_map(Command::get_arguments)
        .any(|argument| is_setting(argument, key))
    {
        return Ok(());
    }
    let failure = Failure::usage(format!("{FILE}: unknown setting '{key}'"));
    Err(match closest(key, cli) {
        Some(known) => failure.hint(format!("did you mean '{known}'?")),
        None => failure.hint("a setting is called as its flag: yester reduce --help lists them"),
    })
}

fn is_setting(argument: &Arg, key: &str) -> bool {
    argument.get_long() == Some(key) && !matches!(key, "help" | "version")
}

fn flags(argument: &Arg, key: &str, value: &toml::Value) -> Result<Vec<OsString>, Failure> {
    let flag = |value: &dyn std::fmt::Display| OsString::from(format!("--{key}={value}"));
    let bare = || OsString::from(format!("--{key}"));
    Ok(match value {
        toml::Value::Boolean(true) => vec![bare()],
        toml::Value::Boolean(false) => Vec::new(),
        toml::Value::Integer(times @ 0..=9)
            if matches!(argument.get_action(), ArgAction::Count) =>
        {
            (0..*times).map(|_| bare()).collect()
        }
        toml::Value::String(text) => vec![flag(text)],
        toml::Value::Integer(number) => vec![flag(number)],
        toml::Value::Float(number) => vec![flag(number)],
        toml::Value::Array(values) => values
            .iter()
            .map(|value| flags(argument, key, value))
            .collect::<Result<Vec<_>, _>>()?
            .concat(),
        toml::Value::Table(_) | toml::Value::Datetime(_) => {
            return Err(Failure::usage(format!(
                "{FILE}: '{key}' takes a text, a number, true, or a list of these"
            )));
        }
    })
}

/// The known setting that looks most like a wrong one.
fn closest(key: &str, cli: &Command) -> Option<String> {
    let known = cli
        .get_subcommands()
        .flat_map(Command::get_arguments)
        .filter_map(Arg::get_long);
    known
        .map(|name| (distance(key, name), name))
        .min()
        .filter(|(distance, _)| *distance <= 3)
        .map(|(_, name)| name.to_owned())
}

fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, left) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, right) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(left != *right);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_call_says_itself_wins_over_a_setting() {
        let with = |words: &[&str]| {
            let words = crate::with_settings(words, "jobs = 3").expect("a setting");
            let words = words.iter().map(|word| word.to_string_lossy().into_owned());
            words.collect::<Vec<_>>()
        };
        let says_jobs = |words: &[&str]| with(words).contains(&"--jobs=3".to_owned());
        let call = ["yester", "reduce", "in", "FLAG", "--", "test", "-j1"];
        let call = |flag: &'static str| call.map(|word| if word == "FLAG" { flag } else { word });
        // A name with a j in it is no number of jobs.
        for flag in ["-ojoe.txt", "--stdin", "-q", "-v"] {
            assert!(says_jobs(&call(flag)), "{flag}");
        }
        for flag in ["-j1", "-j=1", "--jobs=1", "-vj1"] {
            assert!(!says_jobs(&call(flag)), "{flag}");
        }
    }

    #[test]
    fn the_distance_counts_edits() {
        assert_eq!(distance("timeout", "timeout"), 0);
        assert_eq!(distance("time-out", "timeout"), 1);
        assert_eq!(distance("", "jobs"), 4);
    }
}
