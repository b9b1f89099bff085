//! What is wrong with the words of a call, and what was probably meant. clap knows the rules, but not what people mean.

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use yester_report::{quote, spelling, visible_line};
use yester_run::on_path;

use crate::error::CallError;
use crate::settings::{Completed, FILE};

/// A call that clap has refused.
pub struct Mistake<'a> {
    pub error: &'a clap::Error,
    pub cli: &'a Command,
    pub call: &'a Completed,
    pub start: &'a Path,
}

impl Mistake<'_> {
    /// The words of the user, without those of the settings.
    fn given(&self) -> &[OsString] {
        &self.call.given
    }

    fn context(&self, kind: ContextKind) -> Option<String> {
        match self.error.get(kind)? {
            ContextValue::String(text) => Some(text.clone()),
            ContextValue::Strings(texts) => texts.first().cloned(),
            _ => None,
        }
    }

    /// The command that was called.
    fn called(&self) -> Option<&Command> {
        let name = self.given().get(1)?.to_str()?;
        self.cli.find_subcommand(name)
    }

    /// The words before `--`, and whether there is one.
    fn before_command(&self) -> (&[OsString], bool) {
        let end = self.given().iter().position(|word| word == "--");
        (
            &self.given()[..end.unwrap_or(self.given().len())],
            end.is_some(),
        )
    }

    pub fn explain(&self) -> CallError {
        let text = self.error.render().to_string();
        let mut lines = text.lines().take_while(|line| !line.is_empty());
        let message = lines.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let evidence: Vec<String> = lines.map(|line| format!("  {line}")).collect();
        let flag = self.context(ContextKind::InvalidArg).unwrap_or_default();
        let flag = flag.split([' ', '=']).next().unwrap_or_default();
        let is_setting = self
            .call
            .keys
            .iter()
            .any(|key| flag.strip_prefix("--") == Some(key));
        let message = if is_setting {
            format!("{FILE}: {message}")
        } else {
            message.to_owned()
        };
        let failure = CallError {
            evidence,
            ..CallError::new(message)
        };
        match self.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }

    fn hint(&self) -> Option<String> {
        let help = match self.called() {
            Some(command) => format!("yester {} --help says more", command.get_name()),
            None => "yester --help lists the commands".to_owned(),
        };
        match self.error.kind() {
            ErrorKind::InvalidSubcommand => self.meant_command().or(Some(help)),
            ErrorKind::UnknownArgument => self.meant_argument().or(Some(help)),
            ErrorKind::MissingRequiredArgument => self.meant_separator().or(Some(help)),
            // The message says what is allowed.
            ErrorKind::ValueValidation | ErrorKind::InvalidValue => None,
            _ => Some(help),
        }
    }

    fn meant_command(&self) -> Option<String> {
        let word = self.context(ContextKind::InvalidSubcommand)?;
        let known = self.cli.get_subcommands();
        let known = known
            .filter(|command| !command.is_hide_set())
            .map(Command::get_name);
        if let Some(name) = spelling::closest(&word, known) {
            return Some(format!("did you mean '{name}'?"));
        }
        let is_input = self.start.join(&word).exists();
        is_input.then(|| {
            let word = quote::word(word.as_ref());
            format!("the command comes first, such as: yester reduce {word} -- COMMAND")
        })
    }

    fn meant_argument(&self) -> Option<String> {
        let argument = self.context(ContextKind::InvalidArg)?;
        let (before, has_separator) = self.before_command();
        let is_meant = |word: &&OsString| {
            let word = visible_line(&word.to_string_lossy()).into_owned();
            let is_short = argument.len() == 2 && argument.starts_with('-');
            word == argument || is_short && !word.starts_with("--") && word.starts_with(&argument)
        };
        let index = before.iter().position(|word| is_meant(&word))?;
        let word = before[index].to_string_lossy();
        if let Some(name) = word.strip_prefix("--") {
            return self.meant_flag(name.split('=').next().unwrap_or_default());
        }
        if word.starts_with('-') {
            let letters = word.trim_start_matches('-');
            let is_number = letters.starts_with(|letter: char| letter.is_ascii_digit());
            let option = before[index - 1].to_string_lossy();
            if is_number && option.starts_with('-') {
                return Some(format!(
                    "'{word}' cannot be the value of {option}: it is less than zero"
                ));
            }
            let is_name = self.start.join(&before[index]).exists() || word.len() > 2;
            let path = quote::word(format!("./{word}").as_ref());
            return is_name.then(|| {
                format!("a name that begins with a dash is written with its directory: {path}")
            });
        }
        (!has_separator && self.takes_command()).then(|| self.with_separator(index))
    }

    fn meant_flag(&self, name: &str) -> Option<String> {
        let command = self.called()?;
        let flags = |command: &Command| {
            let flags = command.get_arguments().filter_map(|flag| flag.get_long());
            flags.map(str::to_owned).collect::<Vec<_>>()
        };
        let own = flags(command);
        if let Some(flag) = spelling::closest(name, own.iter().map(String::as_str)) {
            return Some(format!("did you mean '--{flag}'?"));
        }
        let others = self.cli.get_subcommands();
        let others = others.filter(|other| flags(other).iter().any(|flag| flag == name));
        let others: Vec<String> = others
            .map(|other| format!("yester {}", other.get_name()))
            .collect();
        (!others.is_empty()).then(|| format!("--{name} is a flag of {}", others.join(", ")))
    }

    /// Whether a test comes after `--`.
    fn takes_command(&self) -> bool {
        let is_command = |command: &Command| {
            let mut arguments = command.get_arguments();
            arguments.any(|argument| argument.is_last_set())
        };
        self.called().is_some_and(is_command)
    }

    /// Where `--` was probably meant, if COMMAND is what is missing.
    fn meant_separator(&self) -> Option<String> {
        let (before, has_separator) = self.before_command();
        if has_separator || !self.takes_command() {
            return None;
        }
        let is_command = |word: &OsString| {
            let name = word.to_string_lossy();
            if name.starts_with('-') {
                false
            } else if name.contains('/') {
                self.start.join(word).is_file()
            } else {
                on_path(word, self.start).is_some()
            }
        };
        let has_subject = |command: &Command| {
            let subject = command.get_positionals().next();
            subject.is_some_and(|subject| subject.is_required_set() && !subject.is_last_set())
        };
        let is_first = self.called().is_some_and(has_subject);
        let mut rest = before.iter().enumerate().skip(2 + usize::from(is_first));
        Some(match rest.find(|(_, word)| is_command(word)) {
            Some((index, _)) => self.with_separator(index),
            None => {
                let call = quote::command(before.iter().map(OsString::as_os_str).skip(1));
                // Nothing but the name of the command was given.
                let subject = self.called().filter(|_| is_first && before.len() == 2);
                let subject = subject.and_then(|command| command.get_positionals().next());
                let names = subject.and_then(|subject| subject.get_value_names());
                let name = names.and_then(|names| names.first());
                let name = name.map_or_else(String::new, |name| format!(" {name}"));
                format!("the test comes after --: yester {call}{name} -- COMMAND")
            }
        })
    }

    /// The call with `--` before a word.
    fn with_separator(&self, index: usize) -> String {
        let words = self.given();
        let shown = |words: &[OsString]| {
            let words = words.iter().map(|word| quote::word(word));
            // A shell leaves it alone.
            words
                .map(|word| word.replace("'{}'", "{}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        format!(
            "the test comes after --: yester {} -- {}",
            shown(&words[1..index]),
            shown(&words[index..])
        )
    }
}
