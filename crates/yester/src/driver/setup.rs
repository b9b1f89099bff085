//! What a run needs before its first trial, and what is said about it.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_report::count;
use yester_run::{
    Baseline, Containment, ERROR_RATE, Events, Journal, Reading, Repeat, RunDirectory,
    RunDirectoryError, Runner, Signature, scratch_directory,
};

use super::{Drive, Presentation, TrialSetup, Workplace};
use crate::cli::{STATE, SandboxChoice};
use crate::failure::Failure;
use crate::interrupt;
use crate::runs::Record;

/// The running program, which becomes a warden or a janitor when it is started as one.
pub const PROGRAM: &str = "/proc/self/exe";

impl<I: Presentation> Drive<'_, I> {
    pub(super) fn runner(&self, journal: Journal, setup: TrialSetup) -> Result<Runner, Failure> {
        let arguments = self.investigation.arguments();
        let workplace = Workplace::of(arguments.trial, arguments.name);
        let deadline = arguments
            .run
            .max_time
            .and_then(|time| self.frame.call.begin.checked_add(time));
        let mut session = self
            .frame
            .session(journal, workplace, setup.visible, deadline)?;
        if let Some((tree, place)) = setup.base {
            session.provide(tree, &place);
        }
        Ok(Runner {
            session,
            invocation: Arc::new(setup.invocation),
            subject: Arc::new(setup.subject),
        })
    }

    /// Says what the baseline has found out and what contains the trials.
    pub(super) fn present(&self, baseline: &Baseline, runner: &Runner) {
        let (arguments, events) = (self.investigation.arguments(), &self.frame.events);
        events.say(&match &baseline.judge.reading {
            Reading::Interesting => {
                "reading: exit 0 means interesting, still failing (--failing reads it as passing)"
                    .to_owned()
            }
            // No line of its output announces an error.
            Reading::Failing(Signature { line: None, ending }) => {
                format!("failure to keep: {ending}, whatever it prints")
            }
            Reading::Failing(_) | Reading::Reproducing(..) => {
                format!("failure to keep: {}", failure(baseline))
            }
            Reading::Rules(_) => {
                let rules = || failure(baseline);
                format!(
                    "failure to keep: {}",
                    baseline.held.clone().unwrap_or_else(rules)
                )
            }
        });
        if baseline.failures < baseline.runs {
            let how = match baseline.repeat {
                Repeat::Once => "each candidate still runs once".to_owned(),
                Repeat::Always(_) => unreachable!("the input always fails"),
                Repeat::UpTo(most) => {
                    format!("each candidate runs up to {most} times, until it fails")
                }
                Repeat::Sequential { .. } => {
                    format!(
                        "each candidate runs as often as {:.0}% confidence needs",
                        100.0 * (1.0 - ERROR_RATE)
                    )
                }
            };
            events.say(&format!(
                "{} failed in {} of {} runs; {how}",
                self.investigation.scope().failing_side,
                baseline.failures,
                baseline.runs
            ));
        }
        if arguments.trial.keep {
            let scratch = scratch_directory(arguments.name);
            events.say(&format!(
                "the directories of the trials stay in {}",
                scratch.display()
            ));
        }
        if let Some(containment) = runner.session.containment() {
            events.note(&format!("containment: {}", containment.describe()));
            if containment == Containment::ProcessGroup
                && arguments.trial.sandbox == SandboxChoice::Auto
            {
                events.say(
                    "this machine allows no namespaces; tests are contained by their process group only",
                );
            }
        }
        events.note(&format!(
            "timeout: {:?}, jobs: {}",
            baseline.timeout,
            arguments.trial.jobs()
        ));
    }
}

/// Opens the directory of a run.
pub fn open(
    state: &Path,
    run: &str,
    fresh: bool,
    events: &Events,
) -> Result<RunDirectory, Failure> {
    // Nobody has asked for this one: it may come with a stranger's repository.
    if state == Path::new(STATE) && state.is_symlink() {
        return Err(Failure::usage(format!("{} is a link", STATE))
            .hint("--state-dir DIR keeps the run where you want it"));
    }
    let is_foreign = Record::is_foreign(&state.join(run))
        .map_err(|error| Failure::io("read the secret that yester keeps for you", &error))?
        && !fresh;
    if is_foreign {
        events.say("an earlier run of this command was not made by your yester; starting over");
    }
    RunDirectory::open(state, run, fresh || is_foreign).map_err(|error| match &error {
        RunDirectoryError::Busy { .. } => Failure::usage(&error)
            .code("busy")
            .hint("wait for it, stop it, or give this one another --state-dir"),
        RunDirectoryError::Io { error: cause, .. }
            if cause.kind() == io::ErrorKind::StorageFull =>
        {
            Failure::io(format!("use {}", state.display()), cause)
        }
        RunDirectoryError::Io { .. } => {
            Failure::usage(&error).hint("--state-dir DIR keeps the run somewhere else")
        }
    })
}

/// Deletes a directory of the run, however big. Whoever wants to stop does not have to wait for it.
pub fn discard(directory: &Path) {
    let interrupt = interrupt::descriptor().ok();
    let interrupt = interrupt.as_ref().map(AsFd::as_fd);
    // What cannot be deleted is in nobody's way, and goes with the run.
    let _ = yester_run::discard(directory, Path::new(PROGRAM), interrupt);
}

pub fn journal(run: &RunDirectory, name: &str) -> Result<Journal, Failure> {
    let path = run.path().join(name);
    Journal::open(&path).map_err(|error| Failure::io(format!("open {}", path.display()), &error))
}

/// Says what an earlier session of a run has left.
pub fn recount(run: &RunDirectory, journal: &Journal, events: &Events) {
    if journal.remembered() > 0 {
        let trials = count(journal.remembered() as u64, "trial");
        let run = run.path().display();
        events.say(&format!(
            "resuming {run}: {trials} already known (--fresh starts over)"
        ));
    }
    if journal.unreadable() > 0 {
        let lines = count(journal.unreadable() as u64, "line");
        events.say(&format!(
            "{lines} of its journal cannot be read; those trials run again"
        ));
    }
}

/// The directories that a test must be able to read in every sandbox: those of these files, and these.
pub fn visible(files: &[PathBuf], directories: &[&Path]) -> Vec<PathBuf> {
    let files: Vec<PathBuf> = files
        .iter()
        .flat_map(|file| {
            [
                file.canonicalize().unwrap_or_else(|_| file.clone()),
                file.clone(),
            ]
        })
        .collect();
    let around = files
        .iter()
        .filter_map(|file| file.parent())
        .map(Path::to_owned);
    let all: BTreeSet<PathBuf> = around
        .chain(directories.iter().map(|directory| (*directory).to_owned()))
        .collect();
    // What lies in another one is visible with it.
    all.iter()
        .filter(|one| {
            !all.iter()
                .any(|other| other != *one && one.starts_with(other))
        })
        .cloned()
        .collect()
}

/// What counts as the failure, in words.
pub fn failure(baseline: &Baseline) -> String {
    match &baseline.judge.reading {
        Reading::Interesting => "exit 0".to_owned(),
        Reading::Failing(signature) => signature.to_string(),
        Reading::Reproducing(ending, output) => match (output.headline(), output.len()) {
            (Some(line), 0 | 1) => format!("{ending}, \"{line}\""),
            (Some(line), lines) => {
                let more = count(lines as u64 - 1, "more line");
                format!("{ending}, \"{line}\" and {more}")
            }
            (None, _) => ending.to_string(),
        },
        Reading::Rules(rules) => rules
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" and "),
    }
}
