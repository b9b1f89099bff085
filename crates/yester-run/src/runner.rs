use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use yester_core::{Breakage, BreakageKind, Candidate, Hash, Limit, Outcome, Stop};

use crate::observation::is_full_disk;
use crate::{
    Action, ActionEvent, Ending, Event, Events, Executor, Invocation, Journal, Judge, NotStarted,
    Observation, Start, Subject, Trial, Wakeup, Why, plain,
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
    pub(crate) fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Unresolved => self.unresolved += 1,
        }
    }
}

/// Everything needed to run the command on a candidate and write down what happened.
pub struct Runner {
    /// Carries the runs out.
    pub executor: Box<dyn Executor>,
    /// Remembers them.
    pub journal: Journal,
    /// The command.
    pub invocation: Arc<Invocation>,
    /// What candidates are.
    pub subject: Arc<Subject>,
    /// When the search has to stop.
    pub deadline: Option<Instant>,
    /// Are told what happens.
    pub events: Events,
    /// What was counted.
    pub counts: Counts,
}

/// The state of the directory that a run starts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    /// What the last run left may stay, such as build products.
    Reused,
    /// Nothing is left of earlier runs.
    Clean,
    /// Clean, and the run says which files it reads.
    CleanAndWatched,
}

impl Runner {
    pub(crate) fn start(
        &mut self,
        worker: usize,
        candidate: &Candidate,
        why: Why,
        freshness: Freshness,
    ) -> Result<u64, Stop> {
        let trial = self.journal.next_number();
        let action = Action {
            invocation: Arc::clone(&self.invocation),
            subject: Arc::clone(&self.subject),
            candidate: candidate.clone(),
            trial,
            fresh: freshness != Freshness::Reused,
            watch: freshness == Freshness::CleanAndWatched,
        };
        self.executor
            .start(worker, &action)
            .map_err(RunError::Trial)?;
        self.events.emit(&Event::Started(Start {
            trial,
            why,
            bytes: candidate.bytes(),
            limit: self.limit(),
        }));
        Ok(trial)
    }

    /// How long a run may take, with its build.
    fn limit(&self) -> Duration {
        let build = self.invocation.build.as_ref().map(|build| build.timeout);
        self.invocation
            .timeout
            .saturating_add(build.unwrap_or_default())
    }

    /// Waits for the next run to end. Whatever is built is tested.
    fn wait(&mut self) -> Result<(usize, Observation), Stop> {
        loop {
            match self.wait_for_event()? {
                (worker, ActionEvent::Built(_)) => self.executor.go_on(worker),
                (worker, ActionEvent::Done(observation)) => return Ok((worker, *observation)),
            }
        }
    }

    /// Waits for something to happen on a worker. The journal is synced on the way.
    pub(crate) fn wait_for_event(&mut self) -> Result<(usize, ActionEvent), Stop> {
        loop {
            let wake = [self.deadline, self.journal.sync_due()]
                .into_iter()
                .flatten()
                .min();
            match self.executor.wait(wake).map_err(RunError::Trial)? {
                Wakeup::Worker(worker, event) => {
                    if let ActionEvent::Done(observation) = &event
                        && let Ending::NotStarted(why) = &observation.ending
                    {
                        return Err(RunError::Command(why.clone()).into());
                    }
                    return Ok((worker, event));
                }
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

    /// Runs the command so many times on one candidate, on all workers at once. Runs of an earlier session count.
    ///
    /// The judge says what to write down as the outcome; the baseline has none yet.
    pub(crate) fn observe(
        &mut self,
        candidate: &Candidate,
        why: Why,
        freshness: Freshness,
        times: usize,
        judge: Option<&Judge>,
    ) -> Result<Vec<Trial>, Stop> {
        let request = ObservationRequest {
            candidate,
            why,
            freshness,
            times,
            worker: 0,
        };
        let mut trials = self.observe_all(&[request], judge)?;
        Ok(trials.pop().expect("one list of runs for each request"))
    }

    /// The same for several candidates, all on all workers at once. Gives the runs of each.
    pub(crate) fn observe_all(
        &mut self,
        requests: &[ObservationRequest<'_>],
        judge: Option<&Judge>,
    ) -> Result<Vec<Vec<Trial>>, Stop> {
        let hashes: Vec<Hash> = requests
            .iter()
            .map(|request| request.candidate.hash())
            .collect();
        let mut trials: Vec<Vec<Trial>> = vec![Vec::new(); requests.len()];
        for (index, request) in requests.iter().enumerate() {
            while trials[index].len() < request.times
                && let Some(trial) = self.journal.recall(hashes[index], request.why)
            {
                self.counts.cached += 1;
                trials[index].push(trial);
            }
        }
        let mut lost = 0;
        let mut running: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
        let mut idle: Vec<usize> = (0..self.executor.workers()).collect();
        loop {
            while !idle.is_empty() {
                let started = |index| {
                    running
                        .values()
                        .filter(|(other, _)| *other == index)
                        .count()
                };
                let open = (0..requests.len())
                    .find(|index| trials[*index].len() + started(*index) < requests[*index].times);
                let Some(index) = open else {
                    break;
                };
                let request = &requests[index];
                let wanted = idle.iter().position(|worker| *worker == request.worker);
                let worker = idle.remove(wanted.unwrap_or(0));
                let number =
                    self.start(worker, request.candidate, request.why, request.freshness)?;
                running.insert(worker, (index, number));
            }
            if running.is_empty() {
                return Ok(trials);
            }
            let (worker, observation) = self.wait()?;
            idle.push(worker);
            let (index, number) = running.remove(&worker).expect("only what was started ends");
            if observation.ending == Ending::Lost && lost < RETRIES {
                lost += 1;
                self.events.emit(&Event::Dropped(number));
                continue;
            }
            let request = &requests[index];
            let verdict = judge.map(|judge| judge.judge(&observation));
            let candidate = (hashes[index], request.candidate.bytes());
            let mut trial = Trial {
                observation: Some(observation.clone()),
                ..Trial::of(number, request.why, candidate, &observation, verdict)
            };
            self.record(&mut trial)?;
            trials[index].push(trial);
        }
    }
}

/// Runs of one candidate that somebody wants to see.
pub(crate) struct ObservationRequest<'a> {
    pub candidate: &'a Candidate,
    pub why: Why,
    pub freshness: Freshness,
    pub times: usize,
    /// The worker that it should start on, if that is idle.
    pub worker: usize,
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
}

impl RunError {
    fn kind(&self) -> BreakageKind {
        match self {
            RunError::Command(why) if why.is_full_disk => BreakageKind::FullDisk,
            RunError::Command(_) => BreakageKind::Other,
            RunError::Trial(error) | RunError::Journal(error) | RunError::Best(error)
                if is_full_disk(error) =>
            {
                BreakageKind::FullDisk
            }
            RunError::Trial(error) if error.kind() == io::ErrorKind::Unsupported => {
                BreakageKind::Unsupported
            }
            RunError::Trial(_) | RunError::Journal(_) | RunError::Best(_) => BreakageKind::Other,
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
