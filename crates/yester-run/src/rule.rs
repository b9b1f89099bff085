use std::fmt;
use std::str::FromStr;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::observation::{signal_name, signal_number};
use crate::{Ending, Observation};

/// One `--fail-if`: conditions of which one has to hold. All rules that are given must hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rule {
    alternatives: Vec<Condition>,
}

/// What one run has to show, or must not show.
#[derive(Clone, Debug)]
struct Condition {
    is_negated: bool,
    sign: Sign,
}

#[derive(Clone, Debug)]
enum Sign {
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
    /// It is none of the forms.
    #[error(
        "unknown rule '{0}'; use signal=NAME, exit=CODE, stdout~REGEX or stderr~REGEX, != and !~ for the opposite"
    )]
    Form(String),
    /// The name is right, and what is between it and the value is not.
    #[error("unknown rule '{written}'; write {meant}")]
    Operator {
        /// What was given.
        written: String,
        /// What was probably meant.
        meant: String,
    },
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
    /// Whether this rule holds for a run.
    pub fn holds(&self, observation: &Observation) -> bool {
        self.alternatives
            .iter()
            .any(|condition| condition.holds(observation))
    }

    /// The rule with what makes it hold for a run, as far as the rule does not say it itself.
    pub fn explain(&self, observation: &Observation) -> String {
        let mut alternatives = self.alternatives.iter();
        let shown = alternatives
            .find(|condition| condition.holds(observation))
            .and_then(|condition| condition.evidence(observation, self.alternatives.len() > 1));
        match shown {
            Some(shown) => format!("{self} ({shown})"),
            None => self.to_string(),
        }
    }
}

impl Condition {
    fn holds(&self, observation: &Observation) -> bool {
        let ending = &observation.ending;
        let matches = match &self.sign {
            Sign::Signal(signal) => *ending == Ending::Signal(*signal),
            Sign::Exit(code) => *ending == Ending::Exit(*code),
            Sign::Stdout(regex) => regex.is_match(&observation.stdout.text()),
            Sign::Stderr(regex) => regex.is_match(&observation.stderr.text()),
        };
        // `exit!=0` asks for any failure. These exits say that there is no answer, unless somebody asks for just them.
        let is_no_answer = matches!(self.sign, Sign::Signal(_) | Sign::Exit(_))
            && matches!(ending, Ending::Exit(125..=127));
        if self.is_negated {
            !matches && !is_no_answer
        } else {
            matches
        }
    }

    /// What of a run makes it hold. Nothing if that is only what the condition says; `is_choice` says that others might.
    fn evidence(&self, observation: &Observation, is_choice: bool) -> Option<String> {
        let line = |text: &str, regex: &Regex| {
            let found = regex.find(text)?;
            let begin = text[..found.start()].rfind('\n').map_or(0, |at| at + 1);
            let line = text[begin..].lines().next().unwrap_or_default().trim();
            let line: String = line.chars().take(200).collect();
            Some(format!("\"{line}\""))
        };
        match &self.sign {
            Sign::Signal(_) | Sign::Exit(_) => {
                (self.is_negated || is_choice).then(|| observation.ending.to_string())
            }
            Sign::Stdout(_) | Sign::Stderr(_) if self.is_negated => None,
            Sign::Stdout(regex) => line(&observation.stdout.text(), regex),
            Sign::Stderr(regex) => line(&observation.stderr.text(), regex),
        }
    }
}

/// The names of the signs, and whether a regular expression follows.
const NAMES: [(&str, bool); 4] = [
    ("signal", false),
    ("exit", false),
    ("stdout", true),
    ("stderr", true),
];

/// What stands between alternatives.
const OR: &str = "||";

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut alternatives = Vec::new();
        let mut rest = text;
        loop {
            // Only before the name of a sign: a regular expression may have it too.
            let mut places = rest.match_indices(OR).map(|(at, _)| at);
            let end = places.find(|at| begins_with_name(rest[at + OR.len()..].trim_start()));
            let one = &rest[..end.unwrap_or(rest.len())];
            let is_only = alternatives.is_empty() && end.is_none();
            alternatives.push(if is_only { one } else { one.trim() }.parse()?);
            match end {
                Some(end) => rest = &rest[end + OR.len()..],
                None => return Ok(Rule { alternatives }),
            }
        }
    }
}

impl TryFrom<String> for Rule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Self, RuleError> {
        text.parse()
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> String {
        rule.to_string()
    }
}

fn begins_with_name(text: &str) -> bool {
    NAMES.iter().any(|(name, _)| {
        let rest = text.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['=', '~', '!']))
    })
}

impl FromStr for Condition {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let named = NAMES
            .iter()
            .find_map(|(name, is_regex)| Some((*name, *is_regex, text.strip_prefix(name)?)));
        let Some((name, is_regex, rest)) = named else {
            return Err(RuleError::Form(text.to_owned()));
        };
        let operator = if is_regex { '~' } else { '=' };
        let (is_negated, after) = match rest.strip_prefix('!') {
            Some(after) => (true, after),
            None => (false, rest),
        };
        let Some(value) = after
            .strip_prefix(operator)
            .filter(|value| !value.starts_with('='))
        else {
            let value = rest.trim_start_matches(['=', '~', '!', '<', '>', ':', ' ']);
            if value.len() == rest.len() || value.is_empty() {
                return Err(RuleError::Form(text.to_owned()));
            }
            let not = if is_negated || rest.starts_with(['<', '>']) {
                "!"
            } else {
                ""
            };
            return Err(RuleError::Operator {
                written: text.to_owned(),
                meant: format!("{name}{not}{operator}{value}"),
            });
        };
        let sign = match name {
            "signal" => {
                let number = signal_number(value);
                Sign::Signal(number.ok_or_else(|| RuleError::Signal(value.to_owned()))?)
            }
            "exit" => match value.parse::<u8>() {
                Ok(code) => Sign::Exit(code.into()),
                Err(_) if signal_number(value).is_some() && value.parse::<i64>().is_err() => {
                    return Err(RuleError::Operator {
                        written: text.to_owned(),
                        meant: format!("signal{}={value}", if is_negated { "!" } else { "" }),
                    });
                }
                Err(_) => return Err(RuleError::Exit(value.to_owned())),
            },
            "stdout" => Sign::Stdout(multi_line(value)?),
            _ => Sign::Stderr(multi_line(value)?),
        };
        Ok(Condition { is_negated, sign })
    }
}

/// `^` and `$` mean lines, as in grep.
fn multi_line(regex: &str) -> Result<Regex, regex::Error> {
    regex::RegexBuilder::new(regex).multi_line(true).build()
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, condition) in self.alternatives.iter().enumerate() {
            if index > 0 {
                write!(formatter, " {OR} ")?;
            }
            condition.fmt(formatter)?;
        }
        Ok(())
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let not = if self.is_negated { "!" } else { "" };
        match &self.sign {
            Sign::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(formatter, "signal{not}={name}"),
                None => write!(formatter, "signal{not}={signal}"),
            },
            Sign::Exit(code) => write!(formatter, "exit{not}={code}"),
            Sign::Stdout(regex) => write!(formatter, "stdout{not}~{regex}"),
            Sign::Stderr(regex) => write!(formatter, "stderr{not}~{regex}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Recorder;

    fn rule(text: &str) -> Rule {
        text.parse().expect("a rule")
    }

    fn seen(ending: Ending, stderr: &str) -> Observation {
        let mut recorder = Recorder::default();
        recorder.push(stderr.as_bytes());
        Observation {
            stderr: recorder.finish(),
            ..Observation::unseen(ending)
        }
    }

    #[test]
    fn all_forms_are_read_and_printed() {
        for text in [
            "signal=SEGV",
            "signal=42",
            "signal!=ABRT",
            "exit=3",
            "exit!=0",
            "stdout~^a.*b$",
            "stdout!~a=b",
            "stderr~Assertion .* failed",
            "stderr~a||b",
            "exit=3 || signal=SEGV || stderr~x || y",
        ] {
            assert_eq!(rule(text).to_string(), text);
        }
        assert_eq!(rule("signal=sigabrt").to_string(), "signal=ABRT");
        assert_eq!(rule("signal=11").to_string(), "signal=SEGV");
        assert_eq!(rule("exit=1||exit=2").to_string(), "exit=1 || exit=2");
    }

    #[test]
    fn one_alternative_is_enough() {
        let rule = rule("exit=3 || stderr~boom || signal=SEGV");
        for (ending, stderr, holds) in [
            (Ending::Exit(3), "", true),
            (Ending::Exit(0), "boom", true),
            (Ending::Signal(11), "", true),
            (Ending::Signal(6), "bang", false),
        ] {
            assert_eq!(rule.holds(&seen(ending, stderr)), holds);
        }
    }

    #[test]
    fn the_opposite_of_an_exit_is_any_other_end_but_no_answer() {
        let rule = rule("exit!=0");
        let holds = |ending| rule.holds(&seen(ending, ""));
        assert!(holds(Ending::Exit(1)) && holds(Ending::Exit(139)) && holds(Ending::Signal(11)));
        assert!(
            [0, 125, 126, 127]
                .map(Ending::Exit)
                .into_iter()
                .all(|ending| !holds(ending))
        );
    }

    #[test]
    fn the_opposite_of_a_text_is_that_it_is_not_there() {
        let rule = rule("stderr!~usage:");
        assert!(rule.holds(&seen(Ending::Exit(1), "error: x")));
        assert!(!rule.holds(&seen(Ending::Exit(1), "x\nusage: prog")));
    }

    #[test]
    fn a_rule_tells_what_it_found() {
        let seen = seen(Ending::Exit(3), "first\nit goes boom now\nlast\n");
        for (text, told) in [
            ("exit=3", "exit=3"),
            ("exit!=0", "exit!=0 (exit 3)"),
            ("exit=3 || exit=4", "exit=3 || exit=4 (exit 3)"),
            ("stderr~bo+m", "stderr~bo+m (\"it goes boom now\")"),
            ("stderr!~bang", "stderr!~bang"),
        ] {
            assert_eq!(rule(text).explain(&seen), told);
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (text, complaint) in [
            ("segfault", "unknown rule"),
            ("exit", "unknown rule"),
            ("stderr=", "unknown rule"),
            ("stderr=foo", "write stderr~foo"),
            ("stderr!=foo", "write stderr!~foo"),
            ("stdout==foo", "write stdout~foo"),
            ("exit~3", "write exit=3"),
            ("exit==3", "write exit=3"),
            ("exit>0", "write exit!=0"),
            ("exit=SEGV", "write signal=SEGV"),
            ("signal=NONE", "unknown signal"),
            ("exit=256", "not an exit code"),
            ("exit=x", "not an exit code"),
            ("exit=1 || exit=x", "not an exit code"),
            ("stderr~(", "bad regular expression"),
        ] {
            let error = text.parse::<Rule>().expect_err(text).to_string();
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }
}
