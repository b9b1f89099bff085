//! Telling a user why two versions cannot be searched, and how to see it with their own eyes.

use std::path::Path;

use yester_run::{BaselineMismatch, Mismatch, Stage, Trial, VersionSide};

use super::job::ChangesJob;
use crate::cli::suspicion::{self, lacks_build};
use crate::complaint::{self, evidence, unmade};
use crate::failure::{Exit, Failure};
use crate::versions::{PLAIN_COPY, hint};

/// What the user can do about two versions that do not answer as promised. `good` and `bad` are copies of them.
pub fn about(mismatch: &BaselineMismatch, job: &ChangesJob, good: &Path, bad: &Path) -> Failure {
    let show = |trial: &Trial, directory: &Path| {
        let command =
            job.test
                .command_in(directory, &job.arguments.build, trial.stage == Stage::Build);
        evidence(trial, &command)
    };
    let (the_good, the_bad) = (&job.good.word, &job.bad.word);
    let of_good = || show(&mismatch.good, good);
    let of_bad = || show(&mismatch.bad, bad);
    let both = || [of_good(), of_bad()].concat();
    let shown = match mismatch.mismatch {
        Mismatch::Build(VersionSide::Good)
        | Mismatch::CannotRun(VersionSide::Good)
        | Mismatch::Unresolved(VersionSide::Good)
        | Mismatch::GoodFails
        | Mismatch::GoodFailsDifferently => of_good(),
        Mismatch::Swapped => both(),
        _ => of_bad(),
    };
    let hint = hint(mismatch.mismatch).unwrap_or_else(|| match mismatch.mismatch {
        Mismatch::Build(VersionSide::Both) => format!(
            "run the command above and fix --build; {PLAIN_COPY}"
        ),
        Mismatch::Build(VersionSide::Good) => {
            format!("choose a version that builds instead of {the_good}, or fix --build; {PLAIN_COPY}")
        }
        Mismatch::Build(VersionSide::Bad) => format!(
            "if the broken build of {the_bad} is the failure, make it the test: leave out --build and put its \
             line after --, as in: -- sh -c 'LINE'"
        ),
        Mismatch::BadPasses => format!(
            "the test must fail on {the_bad}: is it the right version? does the failure need files that are not \
             part of it? {PLAIN_COPY}"
        ),
        Mismatch::GoodFails => format!(
            "choose an older version that passes instead of {the_good}, or make the test more specific with --fail-if; \
             if the test itself is broken: {PLAIN_COPY}"
        ),
        Mismatch::GoodFailsDifferently => format!(
            "the test must pass on {the_good}: choose another version, or let the test exit 0 for anything but the \
             failure"
        ),
        Mismatch::Swapped => format!(
            "GOOD comes first: yester changes {the_bad} {the_good}"
        ),
        // What else there is has the same hint for all versions.
        _ => {
            "the test depends on more than --product names: name all of it, or leave out --product".to_owned()
        }
    });
    // That a file is missing explains most of these, and is told best.
    let is_about_files = !matches!(
        mismatch.mismatch,
        Mismatch::Swapped
            | Mismatch::SameProduct
            | Mismatch::Unmade
            | Mismatch::BadFailsDifferently
            | Mismatch::Build(_)
    );
    let suspicion = || {
        suspicion::shell_word(&job.test.command.words)
            .or_else(|| job.doubtful_words())
            .or_else(|| {
                let (good, bad) = (&mismatch.good, &mismatch.bad);
                let is_missing = lacks_build(good) || lacks_build(bad) || job.is_test_elsewhere();
                let is_built = job.arguments.build.build.is_some();
                suspicion::missing_build(&job.bad.version).filter(|_| is_missing && !is_built)
            })
    };
    let hint = if is_about_files {
        suspicion().unwrap_or(hint)
    } else {
        hint
    };
    let message = match mismatch.mismatch {
        Mismatch::Unmade => unmade(&mismatch.bad),
        mismatch => mismatch.to_string(),
    };
    Failure {
        exit: Exit::Nothing,
        code: Some(complaint::code(mismatch.mismatch)),
        message,
        evidence: shown,
        hint: Some(hint),
    }
}
