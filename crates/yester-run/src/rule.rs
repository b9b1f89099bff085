use std::fmt;
use std::str::FromStr;

use regex::Regex;

use crate::observation::{signal_name, signal_number};
use crate::{Ending, Observation};

/// One condition of `--fail-if`. All conditions that are given must hold.
#[derive(Clone, Debug)]
pub enum Rule {
    /// `signal=SEGV`
    Signal(i32),
    /// `exit=3`
    Exit(i32),
    /// `stdout~REGEX`
    Stdout(Regex),
    /// `stderr~REGEX`
    Stderr(Regex),
}

/// Why a `--fail-if` cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// It is none of the four forms.
    #[error("unknown rule '{0}'; use signal=NAME, exit=CODE, stdout~REGEX or stderr~REGEX")]
    Form(String),
    /// There is no such signal.
    #[error("unknown signal '{0}'; use a name such as SEGV or ABRT, or a number")]
    Signal(String),
    /// That is no exit code.
    #[error("'{0}' is not an exit code; use a number from 0 to 255")]
    Exit(String),
    /// The regular expression is wrong.
    #[error("bad regular expression: {0}")]
    Regex(#[from] regex::Error),
}

impl Rule {
    /// Whether this condition holds for a run.
    pub fn holds(&self, observation: &Observation) -> bool {
        match self {
            Rule::Signal(signal) => observation.ending == Ending::Signal(*signal),
            Rule::Exit(code) => observation.ending == Ending::Exit(*code),
            Rule::Stdout(regex) => regex.is_match(&observation.stdout.text()),
            Rule::Stderr(regex) => regex.is_match(&observation.stderr.text()),
        }
    }
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if let Some(name) = text.strip_prefix("signal=") {
            signal_number(name)
                .map(Rule::Signal)
                .ok_or_else(|| RuleError::Signal(name.to_owned()))
        } else if let Some(code) = text.strip_prefix("exit=") {
            code.parse::<u8>()
                .map(|code| Rule::Exit(code.into()))
                .map_err(|_| RuleError::Exit(code.to_owned()))
        } else if let Some(regex) = text.strip_prefix("stdout~") {
            Ok(Rule::Stdout(multi_line(regex)?))
        } else if let Some(regex) = text.strip_prefix("stderr~") {
            Ok(Rule::Stderr(multi_line(regex)?))
        } else {
            Err(RuleError::Form(text.to_owned()))
        }
    }
}

/// `^` and `$` mean lines, as in grep.
fn multi_line(regex: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(regex).multi_line(true).build()
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(formatter, "signal={name}"),
                None => write!(formatter, "signal={signal}"),
            },
            Rule::Exit(code) => write!(formatter, "exit={code}"),
            Rule::Stdout(regex) => write!(formatter, "stdout~{regex}"),
            Rule::Stderr(regex) => write!(formatter, "stderr~{regex}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_forms_are_read_and_printed() {
        for text in [
            "signal=SEGV",
            "signal=42",
            "exit=3",
            "stdout~^a.*b$",
            "stderr~Assertion .* failed",
        ] {
            assert_eq!(text.parse::<Rule>().expect("a rule").to_string(), text);
        }
        assert_eq!(
            "signal=sigabrt"
                .parse::<Rule>()
                .expect("a rule")
                .to_string(),
            "signal=ABRT"
        );
        assert_eq!(
            "signal=11".parse::<Rule>().expect("a rule").to_string(),
            "signal=SEGV"
        );
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (text, complaint) in [
            ("segfault", "unknown rule"),
            ("signal=NONE", "unknown signal"),
            ("exit=256", "not an exit code"),
            ("exit=x", "not an exit code"),
            ("stderr~(", "bad regular expression"),
        ] {
            let error = text.parse::<Rule>().expect_err(text).to_string();
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }
}
