//! What the trials of two versions, or of many, start from, and what they are expected to show.

use std::io;
use std::path::{Path, PathBuf};

use yester_core::{Candidate, Hash};
use yester_patch::{Version, common_time};
use yester_run::{Expectation, Mismatch, RunDirectory, Subject, Survival, write_directory};

use super::{TreeCommand, unreadable};
use crate::cli::{
    BuildArguments, ReadingArguments, SameFailureChoice, TimeoutMeaning, TrialArguments,
};
use crate::complaint::UNMADE;
use crate::driver::TrialSetup;
use crate::failure::Failure;

/// What to say to people when no trial may start from what another has left.
pub const ALWAYS_CLEAN: &str = "a second build in the same tree gives other answers than a clean one; every trial gets a \
                                clean tree";

/// What to say to them before the search begins again with such trees.
pub const SECOND_LOOK: &str =
    "the answer does not hold in a clean tree; searching again with a clean tree for every trial";

/// Where test and build look for what they need.
pub const PLAIN_COPY: &str = "the build and the test run in a plain copy of the tree, without ignored files, submodules and \
                              earlier build products";

/// What the user can do about a mismatch, where that is the same for all versions.
pub fn hint(mismatch: Mismatch) -> Option<String> {
    Some(match mismatch {
        Mismatch::CannotRun(_) => format!(
            "exit 127 means command not found, 126 not executable; {PLAIN_COPY}, and always in its root"
        ),
        Mismatch::Unresolved(_) => {
            "exit 125 means that the test cannot tell; give it more time with --timeout, or look for the hang itself \
             with --timeout-means fail"
                .to_owned()
        }
        Mismatch::BadFailsDifferently => {
            "run the command above and compare its exit code and output with your --fail-if".to_owned()
        }
        Mismatch::Unmade => UNMADE.to_owned(),
        _ => return None,
    })
}

/// Makes a plain copy of a version, which all trials start from.
pub fn set_up(
    run: &str,
    (version, copy): (&Version, &Path),
    test: &TreeCommand,
    trial: &TrialArguments,
    build: &BuildArguments,
) -> Result<TrialSetup, Failure> {
    let _ = yester_run::remove(copy);
    let made = version.materialise_as_of(copy, common_time());
    made.map_err(|error| unreadable(&error))?;
    let base = copy
        .canonicalize()
        .map_err(|error| Failure::io(format!("write {}", copy.display()), &error))?;
    // The name of the run says everything that the tree depends on.
    let tree = Hash::of(run.as_bytes());
    Ok(TrialSetup {
        invocation: test.invocation(trial, build),
        visible: test.visible(&base)?,
        subject: Subject::Tree { base: tree },
        base: Some((tree, base)),
    })
}

/// How the versions are expected to answer. Messages may have these names in them, which say nothing.
pub fn expectation(
    build: &BuildArguments,
    reading: &ReadingArguments,
    same_failure: SameFailureChoice,
    names: Vec<String>,
) -> Expectation {
    Expectation {
        exit: None,
        rules: reading.fail_if.clone(),
        timeout: reading.timeout,
        build_timeout: build.build_timeout,
        timeout_fails: reading.timeout_means == TimeoutMeaning::Fail,
        repeat: reading.repeat,
        doubtful: false,
        names,
        same_failure: same_failure.into(),
    }
}

/// The directories of the workers.
pub fn worker_names(trial: &TrialArguments, run: &str) -> Vec<String> {
    let directories = trial.worker_directories(run);
    let names = directories.map(|directory| directory.to_string_lossy().into_owned());
    names.collect()
}

/// The names of files, the longest first, so that none is taken for a part of another.
pub fn file_names<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let names = paths.filter_map(|path| path.rsplit('/').next());
    let mut names: Vec<String> = names
        .filter(|name| name.contains('.'))
        .map(str::to_owned)
        .collect();
    names.sort_by_key(|name| (usize::MAX - name.len(), name.clone()));
    names.dedup();
    names
}

/// Puts a version below the run's directory. Gives the path that shows it.
pub fn save(run: &RunDirectory, place: &Path, candidate: &Candidate) -> io::Result<PathBuf> {
    let place = run.path().join(place);
    if let Candidate::Tree(entries) = candidate {
        write_directory(&place, entries, Survival::Kill)?;
    }
    Ok(place)
}
