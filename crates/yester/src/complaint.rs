//! Telling a user why there is nothing to search for, and how to see it with their own eyes.

use yester_run::{BaselineError, Mismatch, Trial};

use crate::failure::{Exit, Failure};

/// What the user can do about a baseline that does not hold. `reproduce` is the command that shows it, `exit_given`
/// whether they said themselves what exit 0 means, `suspicion` what is probably wrong with the command.
pub fn about(
    error: &BaselineError,
    reproduce: &str,
    exit_given: bool,
    rules_given: bool,
    suspicion: impl Fn(&Trial) -> Option<String>,
) -> Failure {
    let (trial, hint) = match error {
        BaselineError::Stop(_) => unreachable!("a stopped baseline is no complaint"),
        BaselineError::CannotRun(trial) => (
            trial,
            "exit 127 means command not found, 126 not executable; the test runs in an empty directory, so name other \
             files as $YESTER_START/FILE or by their full path",
        ),
        BaselineError::Unresolved(trial) => (
            trial,
            "give it more time with --timeout, or look for the hang itself with --timeout-means fail",
        ),
        BaselineError::CounterpartFails(trial) => (
            trial,
            "the test has to pass there by the same rules, within the same time",
        ),
        BaselineError::NotFailing(trial) if rules_given => (
            trial,
            "run the command above and compare its exit code and output with your --fail-if",
        ),
        BaselineError::NotFailing(trial) if exit_given => (
            trial,
            "perhaps exit 0 means the opposite: --interesting reads 0 as still failing, --failing as passing; the test \
             runs in an empty directory, so name other files as $YESTER_START/FILE",
        ),
        BaselineError::NotFailing(trial) => (
            trial,
            "run the command above; it must fail on the unreduced input",
        ),
        BaselineError::EmptyFails(trial) => (
            trial,
            "the test gives the same answer for any input: perhaps it does not read the candidate ({} in the command \
             stands for its path), the input does not fail, or the test itself is broken",
        ),
    };
    let code = match error {
        BaselineError::CannotRun(_) => "command_cannot_run",
        BaselineError::Unresolved(_) => "no_answer",
        BaselineError::CounterpartFails(_) => "counterpart_fails",
        BaselineError::EmptyFails(_) => "empty_input_fails",
        BaselineError::NotFailing(_) | BaselineError::Stop(_) => "not_failing",
    };
    Failure {
        exit: Exit::Nothing,
        code: Some(code),
        message: error.to_string(),
        evidence: evidence(trial, reproduce),
        hint: Some(suspicion(trial).unwrap_or_else(|| hint.to_owned())),
    }
}

/// What to do about a product that is never made.
pub const UNMADE: &str = "--product takes the path of a file that --build makes, from the root of the tree; run the command above to see";

/// Which products a build has not made.
pub fn unmade(trial: &Trial) -> String {
    let observation = trial.observation.as_ref();
    let names = observation.map(|observation| observation.unmade.join(", "));
    format!("the build does not make {}", names.unwrap_or_default())
}

/// What kind of error it is that versions do not answer as promised.
pub fn code(mismatch: Mismatch) -> &'static str {
    match mismatch {
        Mismatch::Build(_) => "does_not_build",
        Mismatch::CannotRun(_) => "command_cannot_run",
        Mismatch::Unresolved(_) => "no_answer",
        Mismatch::BadPasses => "not_failing",
        Mismatch::BadFailsDifferently => "fails_differently",
        Mismatch::GoodFails | Mismatch::GoodFailsDifferently => "good_fails",
        Mismatch::Swapped => "swapped",
        Mismatch::Unmade => "product_is_not_made",
        Mismatch::SameProduct => "product_is_not_all",
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
