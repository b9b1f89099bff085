//! One session of a run. Whatever is run goes through here: it keeps the workers busy, writes down what they have seen, and says so.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use yester_core::{Breakage, BreakageKind, Hash, Limit, Outcome, Stop};

use crate::observation::is_full_disk;
use crate::{
    Action, ActionEvent, Containment, Event, Events, Executor, Journal, NotStarted, Observation,
    Outputs, Start, Trial, Wakeup, Why, plain,
};

/// How often a run that was lost with its worker is tried again: bad luck of the worker says nothing about the
/// candidate.
pub(crate) const RETRIES: u8 = 2;

/// How many trials there were, by how their answer was come by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Runs of the command in this session that came to their end.
    pub run: u64,
    /// Runs that were tested ahead and ended early, since their answer was not needed any more.
    pub cancelled: u64,
    /// Runs that were tested ahead and came to their end, but whose answer was never needed.
    pub unused: u64,
    /// Questions that were answered from memory or from the journal.
    pub cached: u64,
    /// Trials that were built and not tested, since an equal product had been tested.
    pub same_product: u64,
    /// Questions that were answered without running anything, since the candidate cannot be right.
    pub predicted: u64,
    /// Runs that passed.
    pub pass: u64,
    /// Runs that failed as the input does.
    pub fail: u64,
    /// Runs that were neither.
    pub unresolved: u64,
}

impl Counts {
    /// Counts a run by what it was.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Unresolved => self.unresolved += 1,
        }
    }
}

/// What carries runs out, what remembers them, and who is told of them.
pub struct Session {
    executor: Box<dyn Executor>,
    /// Remembers what was run.
    pub journal: Journal,
    /// When the search has to stop.
    deadline: Option<Instant>,
    /// Are told what happens.
    pub events: Events,
    /// What was counted.
    pub counts: Counts,
    /// Where what runs leave is kept for a later session, if it is.
    pub(crate) outputs: Option<PathBuf>,
}

/// Somebody with runs to be made: a search, or a list.
pub(crate) trait Work {
    fn session(&mut self) -> &mut Session;

    /// Starts on idle workers what is most useful now. False if there is nothing to wait for any more.
    fn give_out(&mut self) -> Result<bool, Stop>;

    /// Says whether to test what a worker has built.
    fn take_product(&mut self, worker: usize, _product: String) {
        self.session().go_on(worker);
    }

    /// Takes what a worker has seen, which is idle again.
    fn take_in(
        &mut self,
        worker: usize,
        observation: Observation,
        outputs: Option<Outputs>,
    ) -> Result<(), Stop>;
}

/// Keeps the workers busy until the work is done. No other loop starts runs or waits for them.
pub(crate) fn carry_out(work: &mut dyn Work) -> Result<(), Stop> {
    while work.give_out()? {
        match work.session().wait()? {
            (worker, ActionEvent::Built(product)) => work.take_product(worker, product),
            (worker, ActionEvent::Done(observation, outputs)) => {
                work.take_in(worker, *observation, outputs)?;
            }
        }
    }
    Ok(())
}

impl Session {
    /// A session in which nothing has happened yet.
    pub fn new(
        executor: Box<dyn Executor>,
        journal: Journal,
        deadline: Option<Instant>,
        events: Events,
    ) -> Session {
        Session {
            executor,
            journal,
            deadline,
            events,
            counts: Counts::default(),
            outputs: None,
        }
    }

    /// Keeps what runs leave in a directory, from now on, so that a later session has it too.
    pub fn keep_outputs(&mut self, directory: &Path) {
        self.outputs = Some(directory.to_owned());
    }

    /// How many actions can run at once.
    pub fn workers(&self) -> usize {
        self.executor.workers()
    }

    /// What contains the trials, once the first was started.
    pub fn containment(&self) -> Option<Containment> {
        self.executor.containment()
    }

    /// Says where a tree lies that actions start from.
    pub fn provide(&mut self, tree: Hash, place: &Path) {
        self.executor.provide(tree, place);
    }

    pub(crate) fn start(&mut self, worker: usize, action: &Action, why: Why) -> Result<(), Stop> {
        self.executor
            .start(worker, action)
            .map_err(RunError::Trial)?;
        self.events.emit(&Event::Started(Start {
            trial: action.trial,
            why,
            bytes: action.candidate.bytes(),
            limit: action.invocation.limit(),
        }));
        Ok(())
    }

    pub(crate) fn go_on(&mut self, worker: usize) {
        self.executor.go_on(worker);
    }

    pub(crate) fn cancel(&mut self, worker: usize) {
        self.executor.cancel(worker);
    }

    /// Waits for something to happen on a worker. The journal is synced on the way.
    fn wait(&mut self) -> Result<(usize, ActionEvent), Stop> {
        loop {
            let wake = [self.deadline, self.journal.sync_due()]
                .into_iter()
                .flatten()
                .min();
            match self.executor.wait(wake).map_err(RunError::Trial)? {
                Wakeup::Worker(worker, event) => return Ok((worker, event)),
                Wakeup::Interrupted => return Err(Stop::Interrupted),
                Wakeup::Deadline if self.is_over() => return Err(Stop::Limit(Limit::Time)),
                Wakeup::Deadline => self.journal.sync().map_err(RunError::Journal)?,
            }
        }
    }

    fn is_over(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Whether the search has to stop, asked while nothing runs.
    pub(crate) fn check_stop(&mut self) -> Result<(), Stop> {
        let wakeup = self.executor.wait(Some(Instant::now()));
        match wakeup.map_err(RunError::Trial)? {
            Wakeup::Interrupted => Err(Stop::Interrupted),
            _ if self.is_over() => Err(Stop::Limit(Limit::Time)),
            _ => Ok(()),
        }
    }

    /// Writes a run down before anybody uses it.
    pub(crate) fn record(&mut self, trial: &mut Trial) -> Result<(), Stop> {
        trial.at = self.journal.age();
        if trial.same_product {
            self.counts.same_product += 1;
        } else {
            self.counts.run += 1;
            if let Some(outcome) = trial.outcome {
                self.counts.add(outcome);
            }
        }
        self.journal.append(trial).map_err(RunError::Journal)?;
        if self
            .journal
            .sync_due()
            .is_some_and(|due| due <= Instant::now())
        {
            self.journal.sync().map_err(RunError::Journal)?;
        }
        self.events.emit(&Event::Ran(trial));
        Ok(())
    }
}

/// Why a trial cannot be carried out or its result not be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// The command cannot be started any more.
    #[error("failed to run the command: {}", .0.reason)]
    Command(NotStarted),
    /// The machinery around the command is broken.
    #[error("failed to run a trial: {}", plain(.0))]
    Trial(io::Error),
    /// The journal cannot be written.
    #[error("failed to write the journal: {}", plain(.0))]
    Journal(io::Error),
    /// The best candidate so far cannot be written.
    #[error("failed to write the best so far: {}", plain(.0))]
    Best(io::Error),
    /// What a run has left cannot be kept.
    #[error("failed to keep what a run has left: {}", plain(.0))]
    Outputs(io::Error),
}

impl RunError {
    fn kind(&self) -> BreakageKind {
        match self {
            RunError::Command(why) if why.is_full_disk => BreakageKind::FullDisk,
            RunError::Command(_) => BreakageKind::Other,
            RunError::Trial(error)
            | RunError::Journal(error)
            | RunError::Best(error)
            | RunError::Outputs(error)
                if is_full_disk(error) =>
            {
                BreakageKind::FullDisk
            }
            RunError::Trial(error) if error.kind() == io::ErrorKind::Unsupported => {
                BreakageKind::Unsupported
            }
            RunError::Trial(_)
            | RunError::Journal(_)
            | RunError::Best(_)
            | RunError::Outputs(_) => BreakageKind::Other,
        }
    }
}

impl From<RunError> for Stop {
    fn from(error: RunError) -> Stop {
        Stop::Broken(Breakage {
            kind: error.kind(),
            message: match &error {
                // It says all that there is to say.
                RunError::Trial(cause) if cause.kind() == io::ErrorKind::Unsupported => {
                    plain(cause)
                }
                _ => error.to_string(),
            },
        })
    }
}
