//! `yester.toml`: the flags of every call, written down once.
//!
//! A key is the name of a flag, its value what the flag is given. So there is one name for a thing, one place that
//! checks it, and a flag on the command line simply wins.
//!
//! There are two: the user's own, and the one of the directory, which may come with a stranger's repository. From the latter only
//! harmless settings count until the user trusts it.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use yester_report::{quote, spelling};
use yester_run::{file, personal, plain};
use yester_screen::{Tone, say};

use crate::error::CallError;

pub const FILE: &str = "yester.toml";

/// No settings are bigger.
const BIGGEST: u64 = 1 << 20;

/// A call with the settings put in.
pub struct Completed {
    pub words: Vec<OsString>,
    /// What the user gave.
    pub given: Vec<OsString>,
    /// The settings that were put in.
    pub keys: Vec<String>,
    /// The settings that do not count, since a stranger may have written them.
    pub ignored: Vec<String>,
}

impl Completed {
    fn without_settings(words: Vec<OsString>) -> Completed {
        Completed {
            given: words.clone(),
            words,
            keys: Vec::new(),
            ignored: Vec::new(),
        }
    }
}

/// The words of a call with the settings of `directory` and then the user's own put in where the call does not say otherwise.
pub fn complete(
    words: Vec<OsString>,
    cli: &Command,
    directory: &Path,
) -> Result<Completed, CallError> {
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
        return Ok(Completed::without_settings(words));
    }
    let mut completed = Completed::without_settings(words);
    let own = personal::configuration().map(|own| own.join(FILE));
    for (path, is_own) in [(Some(directory.join(FILE)), false), (own, true)] {
        let Some(path) = path else { continue };
        let text = match read(&path) {
            // HOME may be another user's, as under sudo or in a service.
            Err(_) if is_own && is_closed(&path) => continue,
            text => text?,
        };
        let Some(text) = text else { continue };
        let source = Source {
            directory: directory.to_owned(),
            is_trusted: is_own || personal::is_trusted(&path, text.as_bytes()),
            name: if is_own {
                path.display().to_string()
            } else {
                FILE.to_owned()
            },
        };
        let before = completed.words.clone();
        let with = with(completed.words, cli, &text, &source)?;
        tell(&source, &before, &with);
        completed = Completed {
            words: with.words,
            given: completed.given,
            keys: [completed.keys, with.keys].concat(),
            ignored: [completed.ignored, with.ignored].concat(),
        };
    }
    Ok(completed)
}

/// The words of a call with the settings of this text, which a stranger may have written. For those who try what such texts can do.
pub fn with_settings(words: &[&str], text: &str) -> Result<Vec<OsString>, CallError> {
    let words = words.iter().map(|word| (*word).into()).collect();
    let source = Source {
        name: FILE.to_owned(),
        directory: PathBuf::new(),
        is_trusted: false,
    };
    with(words, &crate::command_line(), text, &source).map(|call| call.words)
}

/// Whether this user may not even look there.
fn is_closed(path: &Path) -> bool {
    let closed = path.try_exists();
    closed.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
}

/// The text of a file of settings, if there is one.
pub fn read(path: &Path) -> Result<Option<String>, CallError> {
    match file::read(path, BIGGEST).and_then(text) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CallError::new(format!(
            "failed to read {FILE}: {}",
            plain(&error)
        ))),
    }
}

/// Where settings come from.
pub struct Source {
    pub name: String,
    /// The directory that they are for.
    pub directory: PathBuf,
    /// Whether all of them count, or only harmless ones.
    pub is_trusted: bool,
}

/// What settings of a stranger may say: numbers, languages, rules, and what is shown. None of them names a place outside of the
/// directory, starts a program, or lowers a protection.
const HARMLESS: &[&str] = &[
    "algorithm",
    "all",
    "allow-invalid",
    "build-timeout",
    "by",
    "by-branch",
    "fail-if",
    "failing",
    "first-parent",
    "from",
    "hoist",
    "interesting",
    "isolate",
    "jobs",
    "json",
    "keep-message",
    "language",
    "max-interventions",
    "max-time",
    "max-trials",
    "most-inputs",
    "plain",
    "quiet",
    "same-failure",
    "seed",
    "skip",
    "solver-timeout",
    "steps",
    "thorough",
    "timeout",
    "timeout-means",
    "until",
    "valid",
    "verbose",
    "watch",
];

/// What settings of a stranger may say if it is a path below the directory.
const HARMLESS_BELOW: &[&str] = &[
    "carry", "expect", "grammar", "input", "lexer", "only", "pin", "product", "stdin", "within",
];

/// The parts of an input: a path below the directory, or none at all.
const SOURCES: &[&str] = &["fixed", "symbolic"];

/// A stranger who wants more runs of every candidate than these wants a search without an end.
const MOST_REPEATED: i64 = 100;

/// Whether a setting does no harm, whoever wrote it.
fn is_harmless(key: &str, value: &toml::Value, directory: &Path) -> bool {
    let is_below = |text: &str| {
        let mut parts = Path::new(text).components();
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        parts.all(is_inside) && !leads_out(directory, Path::new(text))
    };
    let is_path_below = |value: &toml::Value| match value {
        toml::Value::String(text) => is_below(text),
        // Of a flag that takes no value.
        toml::Value::Boolean(_) => true,
        _ => false,
    };
    let is_source = |value: &toml::Value| match value {
        toml::Value::String(text) => text.strip_prefix("file:").is_none_or(is_below),
        _ => false,
    };
    let all = |is_it: &dyn Fn(&toml::Value) -> bool| match value {
        toml::Value::Array(values) => values.iter().all(is_it),
        value => is_it(value),
    };
    match key {
        "repeat" => value
            .as_integer()
            .is_some_and(|times| times <= MOST_REPEATED),
        key if HARMLESS_BELOW.contains(&key) => all(&is_path_below),
        key if SOURCES.contains(&key) => all(&is_source),
        key => HARMLESS.contains(&key),
    }
}

/// Whether links lead from a path below a directory out of it.
fn leads_out(directory: &Path, path: &Path) -> bool {
    match (
        directory.canonicalize(),
        directory.join(path).canonicalize(),
    ) {
        (Ok(directory), Ok(real)) => !real.starts_with(directory),
        // What is not there leads nowhere.
        _ => false,
    }
}

/// The settings of a text that count only if the user trusts them, as they are written there.
pub fn harmful(text: &str, directory: &Path) -> Result<Vec<String>, CallError> {
    let table = parse(text)?;
    let harmful = table
        .iter()
        .filter(|(key, value)| !is_harmless(key, value, directory));
    Ok(harmful
        .map(|(key, value)| format!("{key} = {}", shown(value)))
        .collect())
}

fn parse(text: &str) -> Result<toml::Table, CallError> {
    text.parse().map_err(|error: toml::de::Error| {
        let error = error.to_string();
        let mut lines = error.trim().lines();
        let first = lines.next().unwrap_or_default();
        CallError {
            evidence: lines.map(str::to_owned).collect(),
            ..CallError::new(format!("{FILE} cannot be read: {first}"))
        }
    })
}

/// The words of a call with these settings put in.
pub fn with(
    words: Vec<OsString>,
    cli: &Command,
    text: &str,
    source: &Source,
) -> Result<Completed, CallError> {
    let table = parse(text)?;

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
    let mut keys = Vec::new();
    let mut ignored = Vec::new();
    for (key, value) in table {
        let argument = check_known(&key, &value, cli)?;
        // It is checked whatever is called.
        flags(argument, &key, &value)?;
        let Some(command) = called else { continue };
        let Some(argument) = command
            .get_arguments()
            .find(|argument| is_setting(argument, &key))
        else {
            continue;
        };
        let mut others = cli.get_subcommands().flat_map(Command::get_arguments);
        if !may_be(argument, &value)
            && others.any(|other| is_setting(other, &key) && may_be(other, &value))
        {
            // It is for the other command.
            continue;
        }
        let rivals = command.get_arg_conflicts_with(argument);
        if rivals.into_iter().chain([argument]).any(is_given) {
            continue;
        }
        if source.is_trusted || is_harmless(&key, &value, &source.directory) {
            settings.extend(flags(argument, &key, &value)?);
            keys.push(key);
        } else {
            ignored.push(key);
        }
    }
    let at = words.len().min(2);
    let mut completed = words.clone();
    completed.splice(at..at, settings);
    Ok(Completed {
        words: completed,
        given: words,
        keys,
        ignored,
    })
}

/// Says which words the settings have added, and which do not count.
fn tell(source: &Source, before: &[OsString], with: &Completed) {
    let is_quiet = |words: &[OsString]| {
        let mut flags = words.iter().take_while(|word| *word != "--");
        flags.any(|word| word == "-q" || word == "--quiet")
    };
    let (name, after) = (&source.name, &with.words);
    if after.len() > before.len() && !is_quiet(after) {
        let added = &after[before.len().min(2)..][..after.len() - before.len()];
        let added = quote::command(added.iter().map(OsString::as_os_str));
        say(Tone::Note, &format!("{name} adds {added}"));
    }
    // Settings cannot hide that others are ignored.
    if !with.ignored.is_empty() && !is_quiet(before) {
        let keys = with.ignored.join(", ");
        say(
            Tone::Note,
            &format!(
                "{name}: ignored {keys}; read it, then run 'yester trust' to allow what it asks for"
            ),
        );
    }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not utf-8"))
}

/// The flag that a setting is for.
fn check_known<'a>(key: &str, value: &toml::Value, cli: &'a Command) -> Result<&'a Arg, CallError> {
    let mut arguments = cli.get_subcommands().flat_map(Command::get_arguments);
    if let Some(argument) = arguments.find(|argument| is_setting(argument, key)) {
        return Ok(argument);
    }
    let failure = CallError::new(format!("{FILE}: unknown setting '{key}'"));
    if let toml::Value::Table(table) = value {
        let inside = table.iter().next();
        let inside = inside.map_or_else(
            || "jobs = 2".to_owned(),
            |(key, value)| format!("{key} = {}", shown(value)),
        );
        return Err(failure.hint(format!(
            "there are no sections: write {inside} without [{key}], and every command that knows it takes it"
        )));
    }
    let known = cli.get_subcommands().flat_map(Command::get_arguments);
    let known = known.filter_map(Arg::get_long);
    Err(match spelling::closest(key, known) {
        Some(known) => failure.hint(format!("did you mean '{known}'?")),
        None => failure.hint("a setting is called as its flag: yester reduce --help lists them"),
    })
}

fn is_setting(argument: &Arg, key: &str) -> bool {
    argument.get_long() == Some(key) && !matches!(key, "help" | "version")
}

/// Whether a value is among those that a flag takes, if these are few.
fn may_be(argument: &Arg, value: &toml::Value) -> bool {
    let possible = argument.get_possible_values();
    let is_it = |text: &str| {
        possible
            .iter()
            .any(|possible| possible.matches(text, false))
    };
    possible.is_empty() || value.as_str().is_none_or(is_it)
}

/// The flags that say what a setting says. What a setting may be is what its flag may be.
fn flags(argument: &Arg, key: &str, value: &toml::Value) -> Result<Vec<OsString>, CallError> {
    let flag = |value: &dyn std::fmt::Display| vec![OsString::from(format!("--{key}={value}"))];
    let times = |times: usize| vec![OsString::from(format!("--{key}")); times];
    let wrong = |hint: &str| {
        Err(CallError::new(format!("{FILE}: '{key}' cannot be {}", describe(value))).hint(hint))
    };
    match (argument.get_action(), value) {
        (ArgAction::SetTrue | ArgAction::Count, toml::Value::Boolean(is_set)) => {
            Ok(times(usize::from(*is_set)))
        }
        (ArgAction::Count, toml::Value::Integer(number @ 0..=9)) => Ok(times(*number as usize)),
        (ArgAction::SetTrue, _) => wrong(&format!("it is on or off: {key} = true")),
        (ArgAction::Count, _) => wrong(&format!("it is a number: {key} = 1")),
        (ArgAction::Append, toml::Value::Array(values)) => {
            let flags = values.iter().map(|value| match value {
                toml::Value::Array(_) => wrong("a list has texts and numbers in it"),
                value => flags(argument, key, value),
            });
            Ok(flags.collect::<Result<Vec<_>, _>>()?.concat())
        }
        (_, toml::Value::String(text)) => Ok(flag(text)),
        (_, toml::Value::Integer(number)) => Ok(flag(number)),
        (_, toml::Value::Float(number)) => Ok(flag(number)),
        (_, toml::Value::Array(_)) => wrong(&format!("it takes one value: {key} = \"...\"")),
        (_, toml::Value::Boolean(_)) => wrong(&format!("it takes a value: {key} = \"...\"")),
        (_, toml::Value::Table(_) | toml::Value::Datetime(_)) => {
            wrong(&format!("it takes a text or a number: {key} = \"...\""))
        }
    }
}

fn describe(value: &toml::Value) -> String {
    match value {
        toml::Value::String(_) => format!("the text {}", shown(value)),
        toml::Value::Array(_) => "a list".to_owned(),
        toml::Value::Table(_) => "a table".to_owned(),
        value => shown(value),
    }
}

/// A value as it is written, if it is short.
fn shown(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => format!("\"{text}\""),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(value) => value.to_string(),
        toml::Value::Datetime(time) => time.to_string(),
        toml::Value::Array(values) => {
            let values: Vec<String> = values.iter().map(shown).collect();
            format!("[{}]", values.join(", "))
        }
        toml::Value::Table(_) => "...".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_only_another_command_takes_is_left_to_that() {
        let adds = |command: &str, setting: &str| {
            let call = ["yester", command, "in", "out", "--", "test"];
            let words = with_settings(&call, setting).expect("a setting");
            words.len() > call.len()
        };
        for (command, setting, is_for_it) in [
            ("reduce", "algorithm = \"hdd\"", true),
            ("changes", "algorithm = \"hdd\"", false),
            ("reduce", "algorithm = \"dd+\"", false),
            ("changes", "algorithm = \"dd+\"", true),
            // What no command takes is wrong for all.
            ("changes", "algorithm = \"best\"", true),
        ] {
            assert_eq!(adds(command, setting), is_for_it, "{command} {setting}");
        }
    }

    #[test]
    fn a_stranger_names_no_part_of_the_input_outside_and_no_number_without_an_end() {
        let directory = Path::new("/nowhere");
        for (setting, is_ignored) in [
            ("symbolic = ['stdin', 'arg:1', 'file:in/a']", false),
            ("symbolic = ['stdin', 'file:/etc/passwd']", true),
            ("fixed = 'file:../a'", true),
            ("repeat = 8", false),
            ("repeat = 1000000000", true),
            ("repeat = '1000000000'", true),
        ] {
            let ignored = harmful(setting, directory).expect("a setting");
            assert_eq!(!ignored.is_empty(), is_ignored, "{setting}");
        }
    }

    #[test]
    fn only_what_the_call_says_itself_wins_over_a_setting() {
        let with = |words: &[&str]| {
            let words = with_settings(words, "jobs = 3").expect("a setting");
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
}
