//! What every command that runs trials does in the same way: opening the run, the lab, and telling about both.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use yester_core::Stop;
use yester_report::{Report, Trials, count};
use yester_run::{
    Baseline, Containment, Counts, ERROR_RATE, Invocation, Journal, LabError, LocalExecutor,
    LocalSettings, Reading, Repeat, RunDirectory, RunDirectoryError, Subject, Workbench,
    scratch_directory,
};

use crate::cli::{
    self, ReadingArguments, RunArguments, SandboxChoice, TimeoutMeaning, TrialArguments,
};
use crate::failure::{Exit, Failure, MAKE_SPACE, without_number};
use crate::interrupt;
use crate::progress::Progress;

/// The running program, which becomes a warden or a janitor when it is started as one.
pub const PROGRAM: &str = "/proc/self/exe";

/// How working on a run has ended.
pub enum Attempt<Ended> {
    /// There is something to report.
    Ended(Box<Ended>),
    /// The run had an answer already, but it does not hold any more.
    Outdated,
}

/// How a call of a command ended.
pub struct Ended<R> {
    pub exit: Exit,
    pub report: Report<R>,
    pub failure: Option<Failure>,
}

impl<R: Serialize> Ended<R> {
    /// Shows it, for people with `text`.
    pub fn tell(&self, json: bool, text: fn(&Report<R>) -> String) -> Result<Exit, Failure> {
        match json {
            true => cli::print((self.report.json() + "\n").as_bytes())?,
            false => cli::print_text(&text(&self.report))?,
        };
        if let Some(failure) = &self.failure {
            failure.print();
        }
        Ok(self.exit)
    }
}

/// Works on a run, and once more from its beginning when an earlier answer does not hold any more.
pub fn until_it_holds<Ended>(
    fresh: bool,
    attempt: impl Fn(bool) -> Result<Attempt<Ended>, Failure>,
) -> Result<Box<Ended>, Failure> {
    match attempt(fresh)? {
        Attempt::Ended(ended) => Ok(ended),
        Attempt::Outdated => match attempt(true)? {
            Attempt::Ended(ended) => Ok(ended),
            Attempt::Outdated => unreachable!("a fresh run has no earlier answer"),
        },
    }
}

/// What a search runs with.
pub struct Session<'a> {
    /// The name of the run.
    pub run: &'a str,
    pub trial: &'a TrialArguments,
    pub limits: &'a RunArguments,
    /// When the program was started.
    pub begin: Instant,
    pub progress: &'a Rc<RefCell<Progress>>,
}

impl Session<'_> {
    pub fn workbench(
        &self,
        journal: Journal,
        invocation: Invocation,
        subject: Subject,
        visible: Vec<PathBuf>,
    ) -> Result<Workbench, Failure> {
        let progress = Rc::downgrade(self.progress);
        let executor = LocalExecutor::open(LocalSettings {
            warden: PROGRAM.into(),
            jobs: self.trial.jobs(),
            sandbox: self.trial.sandbox.into(),
            scratch: scratch_directory(self.run),
            visible,
            interrupt: Some(
                interrupt::descriptor()
                    .map_err(|error| Failure::io("watch for signals", &error))?,
            ),
            keep: self.trial.keep,
            complain: Some(Box::new(move |what| {
                if let Some(progress) = progress.upgrade()
                    && let Ok(mut progress) = progress.try_borrow_mut()
                {
                    progress.say(what);
                }
            })),
        })
        .map_err(|error| {
            Failure::io("make directories for the trials", &error)
                .hint("TMPDIR=DIR puts them somewhere else")
        })?;
        let progress = Rc::clone(self.progress);
        Ok(Workbench {
            executor: Box::new(executor),
            journal,
            invocation: Arc::new(invocation),
            subject: Arc::new(subject),
            deadline: self
                .limits
                .max_time
                .and_then(|time| self.begin.checked_add(time)),
            observer: Box::new(move |event| progress.borrow_mut().event(event)),
            counts: Counts::default(),
        })
    }

    /// Says what the baseline has found out and what contains the trials. `what` is what was run at the baseline.
    pub fn introduce(&self, what: &str, baseline: &Baseline, workbench: &Workbench) {
        let mut progress = self.progress.borrow_mut();
        progress.say(&match &baseline.judge.reading {
            Reading::Interesting => {
                "reading: exit 0 means interesting, still failing (--failing reads it as passing)"
                    .to_owned()
            }
            Reading::Failing(signature) => {
                format!("reading: the command fails with {signature}, and must go on to do so")
            }
            Reading::Rules(_) => format!("reading: {}", failure(baseline)),
        });
        if baseline.failures < baseline.runs {
            let how = match baseline.repeat {
                Repeat::Once => "every candidate is run once all the same".to_owned(),
                Repeat::UpTo(most) => {
                    format!("every candidate is run up to {most} times, until it fails")
                }
                Repeat::Sequential { .. } => {
                    format!(
                        "every candidate is run as often as needed for {:.0}% confidence",
                        100.0 * (1.0 - ERROR_RATE)
                    )
                }
            };
            progress.say(&format!(
                "{what} failed in {} of {} runs; {how}",
                baseline.failures, baseline.runs
            ));
        }
        if self.trial.keep {
            let scratch = scratch_directory(self.run);
            progress.say(&format!(
                "the directories of the trials stay in {}",
                scratch.display()
            ));
        }
        if let Some(containment) = workbench.executor.containment() {
            progress.note(&format!("containment: {}", containment.describe()));
            if containment == Containment::ProcessGroup && self.trial.sandbox == SandboxChoice::Auto
            {
                progress.say("this machine allows no namespaces; tests are contained by their process group only");
            }
        }
        progress.note(&format!(
            "timeout: {:?}, jobs: {}",
            baseline.timeout,
            self.trial.jobs()
        ));
    }
}

impl TrialArguments {
    pub fn jobs(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(processors)
    }

    /// The environment of the command when yester was started in the directory `start`.
    pub fn environment(&self, start: &Path) -> Vec<(OsString, OsString)> {
        let mut environment: Vec<(OsString, OsString)> = env::vars_os().collect();
        environment.push(("YESTER_START".into(), start.into()));
        if let Some(seed) = self.seed {
            environment.push(("YESTER_SEED".into(), seed.to_string().into()));
        }
        environment
    }

    /// The directories of the workers, which messages of the command may name.
    pub fn worker_directories(&self, run: &str) -> impl Iterator<Item = PathBuf> {
        let scratch = scratch_directory(run);
        let names = (0..self.jobs()).map(|worker| format!("{worker}/tree"));
        names
            .chain(["work".to_owned()])
            .map(move |name| scratch.join(name))
    }
}

impl ReadingArguments {
    pub fn check(&self) -> Result<(), Failure> {
        if self.timeout_means == TimeoutMeaning::Fail && self.timeout.is_none() {
            return Err(
                Failure::usage("--timeout-means fail needs to know how long is too long")
                    .hint("add --timeout TIME, such as --timeout 5s"),
            );
        }
        Ok(())
    }
}

/// Opens the directory of a run.
pub fn open(state: &Path, run: &str, fresh: bool) -> Result<RunDirectory, Failure> {
    // Nobody has asked for this one: it may come with a stranger's repository.
    if state == Path::new(cli::STATE) && state.is_symlink() {
        return Err(Failure::usage(format!("{} is a link", cli::STATE))
            .hint("--state-dir DIR keeps the run where you want it"));
    }
    RunDirectory::open(state, run, fresh).map_err(|error| match &error {
        RunDirectoryError::Busy { .. } => Failure::usage(&error)
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
pub fn recount(run: &RunDirectory, journal: &Journal, progress: &mut Progress) {
    if journal.remembered() > 0 {
        let trials = count(journal.remembered() as u64, "trial");
        let run = run.path().display();
        progress.say(&format!(
            "going on with {run}: {trials} known already (--fresh starts over)"
        ));
    }
    if journal.unreadable() > 0 {
        let lines = count(journal.unreadable() as u64, "line");
        progress.say(&format!(
            "{lines} of its journal cannot be read; those trials are run again"
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
        Reading::Rules(rules) => rules
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" and "),
    }
}

/// The counts of a lab as they are reported.
pub fn trials(counts: Counts) -> Trials {
    let Counts {
        run,
        cancelled,
        cached,
        same_product,
        predicted,
        pass,
        fail,
        unresolved,
    } = counts;
    Trials {
        run,
        cancelled,
        cached,
        same_product,
        predicted,
        pass,
        fail,
        unresolved,
    }
}

/// Why a search had to stop, and how to go on.
pub fn stopped(stop: Stop) -> Failure {
    match stop {
        Stop::Limit(what) => Failure {
            exit: Exit::Limit,
            message: format!("stopped: the limit of {what} is reached"),
            evidence: Vec::new(),
            hint: Some("the same command with a higher limit goes on from here".to_owned()),
        },
        Stop::Interrupted => {
            interrupt::heard();
            interrupt::interrupted("the same command goes on from here")
        }
        Stop::Broken(error) => broken(&*error),
    }
}

/// Something around the trials is broken.
fn broken(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Failure {
    if let Some(error) = error.downcast_ref::<yester_patch::PatchError>() {
        return Failure {
            exit: Exit::Limit,
            message: format!("failed to {}", without_number(&error.to_string())),
            evidence: Vec::new(),
            hint: Some("the same command goes on from here".to_owned()),
        };
    }
    let message = without_number(&error.to_string()).to_lowercase();
    match error.downcast_ref::<LabError>() {
        Some(LabError::Trial(cause)) if cause.kind() == io::ErrorKind::Unsupported => {
            Failure::usage(without_number(&cause.to_string())).hint(
                "start in another directory if the message names this one; --sandbox auto takes the strongest that \
                 this machine allows",
            )
        }
        Some(error) if error.is_full_disk() => Failure {
            exit: Exit::Limit,
            message,
            evidence: Vec::new(),
            hint: Some(MAKE_SPACE.to_owned()),
        },
        _ => Failure {
            exit: Exit::Limit,
            message,
            evidence: Vec::new(),
            hint: None,
        },
    }
}
