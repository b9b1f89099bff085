//! `yester.toml`: the flags of every call, written down once.
//!
//! A key is the name of a flag, its value what the flag is given. So there is one name for a thing, one place that
//! checks it, and a flag on the command line simply wins.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use clap::Command;

use crate::failure::{Failure, plain};

const FILE: &str = "yester.toml";

/// The words of a call with the settings of `directory` put in where the call does not say otherwise.
pub fn complete(
    mut words: Vec<OsString>,
    cli: &Command,
    directory: &Path,
) -> Result<Vec<OsString>, Failure> {
    let path = directory.join(FILE);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(words),
        Err(error) => {
            return Err(Failure::usage(format!(
                "failed to read {FILE}: {}",
                plain(&error)
            )));
        }
    };
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        Failure::usage(format!(
            "{FILE} cannot be read: {}",
            error.to_string().trim()
        ))
    })?;

    let given = words
        .get(1)
        .and_then(|word| word.to_str())
        .and_then(|name| cli.find_subcommand(name))
        .cloned();
    let mut settings = Vec::new();
    for (key, value) in table {
        let is_known = |command: &Command| {
            command
                .get_arguments()
                .any(|argument| is_setting(argument, &key))
        };
        if !cli.get_subcommands().any(is_known) {
            let failure = Failure::usage(format!("{FILE}: unknown setting '{key}'"));
            return Err(match closest(&key, cli) {
                Some(known) => failure.hint(format!("did you mean '{known}'?")),
                None => {
                    failure.hint("a setting is called as its flag: yester reduce --help lists them")
                }
            });
        }
        let Some(argument) = given.as_ref().and_then(|command| {
            command
                .get_arguments()
                .find(|argument| is_setting(argument, &key))
                .cloned()
        }) else {
            continue;
        };
        if !is_given(&words, &key, argument.get_short()) {
            settings.extend(flags(&key, &value)?);
        }
    }
    let at = words.len().min(2);
    words.splice(at..at, settings);
    Ok(words)
}

fn is_setting(argument: &clap::Arg, key: &str) -> bool {
    argument.get_long() == Some(key) && !matches!(key, "help" | "version")
}

fn is_given(words: &[OsString], key: &str, short: Option<char>) -> bool {
    let flag = format!("--{key}");
    words
        .iter()
        .take_while(|word| *word != "--")
        .filter_map(|word| word.to_str())
        .any(|word| {
            word == flag
                || word.starts_with(&format!("{flag}="))
                || short.is_some_and(|short| word.starts_with(&format!("-{short}")))
        })
}

fn flags(key: &str, value: &toml::Value) -> Result<Vec<OsString>, Failure> {
    let flag = |value: &dyn std::fmt::Display| OsString::from(format!("--{key}={value}"));
    Ok(match value {
        toml::Value::Boolean(true) => vec![format!("--{key}").into()],
        toml::Value::Boolean(false) => Vec::new(),
        toml::Value::String(text) => vec![flag(text)],
        toml::Value::Integer(number) => vec![flag(number)],
        toml::Value::Float(number) => vec![flag(number)],
        toml::Value::Array(values) => values
            .iter()
            .map(|value| flags(key, value))
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
        .filter_map(clap::Arg::get_long);
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
    fn the_distance_counts_edits() {
        assert_eq!(distance("timeout", "timeout"), 0);
        assert_eq!(distance("time-out", "timeout"), 1);
        assert_eq!(distance("", "jobs"), 4);
    }
}
