//! Telling a user why there is nothing to walk back from, and how to see it with their own eyes.

use std::path::Path;

use yester_run::{Mismatch, Stage, Trial};

use super::job::HistoryJob;
use crate::cli::suspicion::{self, lacks_build};
use crate::complaint::{self, evidence, unmade};
use crate::failure::{Exit, Failure};
use crate::versions::{PLAIN_COPY, hint};

/// What the user can do about a revision that does not fail as promised. `directory` is a copy of it.
pub fn about(mismatch: Mismatch, trial: &Trial, job: &HistoryJob, directory: &Path) -> Failure {
    let from = &job.arguments.from;
    let message = match mismatch {
        Mismatch::Build(_) => format!("the build fails on {from}"),
        Mismatch::CannotRun(_) => format!("the command cannot be run on {from}"),
        Mismatch::Unmade => unmade(trial),
        Mismatch::Unresolved(_) => format!("the test gives no answer for {from}"),
        Mismatch::BadFailsDifferently => {
            format!("{from} does not fail in the way that was asked for")
        }
        _ => format!("the test passes on {from}"),
    };
    let hint = hint(mismatch).unwrap_or_else(|| match mismatch {
        Mismatch::Build(_) => format!("run the command above and fix --build; {PLAIN_COPY}"),
        _ => format!(
            "there is nothing to find if it passes; --from REV starts at a revision that fails. Does the failure need \
             files that are not committed? --carry PATH adds them; {PLAIN_COPY}"
        ),
    });
    let is_built = job.arguments.build.build.is_some();
    let suspicion = suspicion::shell_word(&job.test.command.words).or_else(|| {
        let is_missing = !is_built && lacks_build(trial);
        suspicion::missing_build(&job.history.today).filter(|_| is_missing)
    });
    let command = job
        .test
        .command_in(directory, &job.arguments.build, trial.stage == Stage::Build);
    Failure {
        exit: Exit::Nothing,
        code: Some(complaint::code(mismatch)),
        message,
        evidence: evidence(trial, &command),
        hint: Some(suspicion.unwrap_or(hint)),
    }
}
