//! What can come next in a call. The scripts for the shells only ask; all that yester knows about its words is here.

use std::ffi::OsString;
use std::path::Path;

use clap::{Arg, Command};
use clap_complete::Shell;
use yester_tree::Language;

use crate::flag::STATE;

const BASH: &str = r#"_yester() {
    local current="${COMP_WORDS[COMP_CWORD]}" line
    [ "$current" = "=" ] && current=
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
            :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
            :directories) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
            :commands) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$current") ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _yester yester
"#;

const ZSH: &str = r#"#compdef yester
_yester() {
    local line
    local -a values
    for line in "${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2> /dev/null)}"; do
        case $line in
            '') ;;
            :files) _files ;;
            :directories) _files -/ ;;
            :commands) _command_names -e ;;
            *) values+=("${line%%$'\t'*}:${line#*$'\t'}") ;;
        esac
    done
    (( $#values )) && _describe yester values
}
if [ "$funcstack[1]" = "_yester" ]; then
    _yester "$@"
else
    compdef _yester yester
fi
"#;

const FISH: &str = r#"function __yester_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] complete -- $words[2..-1] 2> /dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :directories
                __fish_complete_directories (commandline -ct)
            case :commands
                __fish_complete_command
            case '*'
                echo $line
        end
    end
end
complete -c yester -f -a '(__yester_complete)'
"#;

/// The script that a shell reads.
pub fn script(shell: Shell, mut cli: Command) -> Vec<u8> {
    match shell {
        Shell::Bash => BASH.into(),
        Shell::Zsh => ZSH.into(),
        Shell::Fish => FISH.into(),
        // These have what never changes.
        shell => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut cli, "yester", &mut script);
            script
        }
    }
}

/// What the last word can become: a line for each, with its meaning after a tab. A line that begins with a colon tells the
/// shell what to list itself.
pub fn next(cli: &Command, words: &[OsString]) -> String {
    let words: Vec<String> = words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        // bash takes it for a word of its own.
        .filter(|word| word != "=")
        .collect();
    let (current, before) = match words.split_last() {
        Some((current, before)) => (current.as_str(), before),
        None => ("", &[][..]),
    };
    let mut text = String::new();
    for (value, meaning) in candidates(cli, before, current) {
        if value.starts_with(':') || value.starts_with(current) {
            text.push_str(&value);
            if !meaning.is_empty() {
                text.push_str(&format!("\t{meaning}"));
            }
            text.push('\n');
        }
    }
    text
}

fn candidates(cli: &Command, before: &[String], current: &str) -> Vec<(String, String)> {
    if let Some(separator) = before.iter().position(|word| word == "--") {
        let is_program = separator + 1 == before.len();
        return shell_list(if is_program && !current.contains('/') {
            ":commands"
        } else {
            ":files"
        });
    }
    let (mut command, mut words) = (cli, before);
    while let [first, rest @ ..] = words
        && let Some(below) = command.find_subcommand(first)
    {
        (command, words) = (below, rest);
    }
    if command.has_subcommands() && words.is_empty() && !current.starts_with('-') {
        let commands = command
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        let about = |command: &Command| first_line(command.get_about().map(ToString::to_string));
        return commands
            .map(|command| (command.get_name().to_owned(), about(command)))
            .collect();
    }
    let option = words.last().and_then(|word| option(command, word));
    if let Some(option) = option.filter(|option| option.get_action().takes_values()) {
        return values(cli, option);
    }
    if let Some((flag, _)) = current.split_once('=')
        && let Some(option) = self::option(command, flag)
    {
        let attached = |(value, meaning): (String, String)| (format!("{flag}={value}"), meaning);
        let values = values(cli, option).into_iter();
        return values
            .filter(|(value, _)| !value.starts_with(':'))
            .map(attached)
            .collect();
    }
    if current.starts_with('-') {
        let flags = command.get_arguments().filter(|flag| !flag.is_hide_set());
        let flags = flags.filter_map(|flag| {
            let help = first_line(flag.get_help().map(ToString::to_string));
            Some((format!("--{}", flag.get_long()?), help))
        });
        return flags
            .chain([("--".to_owned(), "the test comes after it".to_owned())])
            .collect();
    }
    let given = positionals(command, words);
    match command.get_positionals().nth(given) {
        Some(positional) if !positional.is_last_set() => values(cli, positional),
        _ => Vec::new(),
    }
}

/// How many of these words are neither flags nor their values.
fn positionals(command: &Command, words: &[String]) -> usize {
    let is_value = |index: usize| {
        let before = index
            .checked_sub(1)
            .and_then(|index| option(command, &words[index]));
        before.is_some_and(|option| option.get_action().takes_values())
    };
    let is_positional = |index: &usize| !words[*index].starts_with('-') && !is_value(*index);
    (0..words.len()).filter(is_positional).count()
}

fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let mut arguments = command.get_arguments();
    arguments.find(
        |argument| match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(name), _) => argument.get_long() == Some(name),
            (None, Some(letter)) => argument
                .get_short()
                .is_some_and(|short| letter == short.to_string()),
            (None, None) => false,
        },
    )
}

/// What can be given for an argument.
fn values(cli: &Command, argument: &Arg) -> Vec<(String, String)> {
    let plain = |value: &str| (value.to_owned(), String::new());
    let possible = argument.get_possible_values();
    if !possible.is_empty() {
        let possible = possible.iter().filter(|value| !value.is_hide_set());
        let help = |value: &clap::builder::PossibleValue| {
            first_line(value.get_help().map(ToString::to_string))
        };
        return possible
            .map(|value| (value.get_name().to_owned(), help(value)))
            .collect();
    }
    let name = argument.get_value_names().unwrap_or_default().first();
    match (
        argument.get_id().as_str(),
        name.map_or("", |name| name.as_str()),
    ) {
        ("language", _) => {
            let languages = Language::all().iter();
            let languages =
                languages.map(|language| (language.name.to_owned(), language.title.to_owned()));
            languages.chain([plain("text"), plain("binary")]).collect()
        }
        ("solver", _) => ["z3", "cvc5", "bitwuzla"].map(plain).to_vec(),
        ("symbolic" | "fixed", _) => ["stdin", "file:", "arg:"].map(plain).to_vec(),
        ("fail_if", _) => ["exit!=0", "signal=SEGV", "stderr~", "stdout~"]
            .map(plain)
            .to_vec(),
        // Of the manual.
        ("command", "COMMAND") => {
            let commands = cli
                .get_subcommands()
                .filter(|command| !command.is_hide_set());
            commands.map(|command| plain(command.get_name())).collect()
        }
        (_, "RUN" | "RUNS") => runs(),
        (_, "DIR") => shell_list(":directories"),
        (_, "LINE" | "PROG") => shell_list(":commands"),
        (_, "TIME" | "SIZE" | "N" | "K" | "FLAGS" | "GLOB") => Vec::new(),
        _ => shell_list(":files"),
    }
}

/// The runs that are kept here.
fn runs() -> Vec<(String, String)> {
    let runs = yester_run::runs(Path::new(STATE)).unwrap_or_default();
    let names = runs.iter().filter_map(|run| run.file_name());
    names
        .map(|name| (name.to_string_lossy().into_owned(), String::new()))
        .collect()
}

fn shell_list(what: &str) -> Vec<(String, String)> {
    vec![(what.to_owned(), String::new())]
}

fn first_line(text: Option<String>) -> String {
    text.unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}
