//! Telling a user why there is nothing to search for, and how to see it with their own eyes.

use yester_run::{BaselineError, Trial};

use crate::failure::{Exit, Failure};

/// What the user can do about a baseline that does not hold. `reproduce` is the command that shows it, `exit_given`
/// whether they said themselves what exit 0 means.
pub fn about(
    error: &BaselineError,
    reproduce: &str,
    exit_given: bool,
    rules_given: bool,
) -> Failure {
    let (trial, hint) = match error {
        BaselineError::Stop(_) => unreachable!("a stopped baseline is no complaint"),
        BaselineError::CannotRun(trial) => (
            trial,
            "exit 127 means that a command was not found, 126 that it cannot be executed; the test runs in an empty \
             directory: name files as $YESTER_START/FILE or by their full path",
        ),
        BaselineError::Unresolved(trial) => (
            trial,
            "give it more time with --timeout, or hunt the hang itself with --timeout-means fail",
        ),
        BaselineError::NotFailing(trial) if rules_given => (
            trial,
            "run the command above and compare its exit and output with your --fail-if",
        ),
        BaselineError::NotFailing(trial) if exit_given => (
            trial,
            "the meaning of exit 0 may be the other way round: --interesting reads 0 as still failing, --failing as \
             passing; the test runs in an empty directory: name other files as $YESTER_START/FILE",
        ),
        BaselineError::NotFailing(trial) => (
            trial,
            "run the command above; it must fail on the unreduced input",
        ),
        BaselineError::EmptyFails(trial) => (
            trial,
            "the test says the same whatever the input is: perhaps it does not read the candidate ({} in the command \
             is its path), or the input does not fail, or the test fails for a reason of its own",
        ),
    };
    Failure {
        exit: Exit::Nothing,
        message: error.to_string(),
        evidence: evidence(trial, reproduce),
        hint: Some(hint.to_owned()),
    }
}

/// A run that shows what is wrong, and how to see it oneself.
pub fn evidence(trial: &Trial, reproduce: &str) -> Vec<String> {
    let mut lines = vec![
        format!("    {reproduce}"),
        format!("    # {}", trial.ending),
    ];
    if let Some(observation) = &trial.observation {
        for (name, capture) in [
            ("stdout", &observation.stdout),
            ("stderr", &observation.stderr),
        ] {
            for line in capture.last_lines(8) {
                let line: String = line.chars().take(200).collect();
                lines.push(format!("    # {name}: {line}"));
            }
        }
    }
    lines
}
