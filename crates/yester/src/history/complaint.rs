//! Telling a user why there is nothing to walk back from, and how to see it with their own eyes.

use std::path::Path;

use yester_run::{Mismatch, Stage, Trial};

use super::job::HistoryJob;
use crate::complaint::{self, UNMADE, evidence, unmade};
use crate::failure::{Exit, Failure};
use crate::suspicion::{self, lacks_build};

/// Where test and build look for what they need.
const PLAIN_COPY: &str = "the build and the test run in a plain copy of the tree, without ignored files, submodules and \
                          earlier build products";

/// What the user can do about a revision that does not fail as promised. `directory` is a copy of it.
pub fn about(mismatch: Mismatch, trial: &Trial, job: &HistoryJob, directory: &Path) -> Failure {
    let from = &job.arguments.from;
    let (message, hint) = match mismatch {
        Mismatch::Build(_) => (
            format!("the build fails on {from}"),
            format!("run the command above and fix --build; {PLAIN_COPY}"),
        ),
        Mismatch::CannotRun(_) => (
            format!("the command cannot be run on {from}"),
            format!(
                "exit 127 means command not found, 126 not executable; {PLAIN_COPY}, and always in its root"
            ),
        ),
        Mismatch::Unmade => (unmade(trial), UNMADE.to_owned()),
        Mismatch::Unresolved(_) => (
            format!("the test gives no answer for {from}"),
            "exit 125 means that the test cannot tell; give it more time with --timeout, or look for the hang itself \
             with --timeout-means fail"
                .to_owned(),
        ),
        Mismatch::BadFailsOtherwise => (
            format!("{from} does not fail in the way that was asked for"),
            "run the command above and compare its exit code and output with your --fail-if".to_owned(),
        ),
        _ => (
            format!("the test passes on {from}"),
            format!(
                "there is nothing to find if it passes; --from REV starts at a revision that fails. Does the failure need \
                 files that are not committed? --carry PATH adds them; {PLAIN_COPY}"
            ),
        ),
    };
    let is_built = job.arguments.build.build.is_some();
    let suspicion = suspicion::shell_word(&job.test.command.words).or_else(|| {
        let is_missing = !is_built && lacks_build(trial);
        suspicion::missing_build(&job.today).filter(|_| is_missing)
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
