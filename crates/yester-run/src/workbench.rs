use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use yester_core::{Candidate, Hash, Outcome, Stop};

use crate::{
    Action, Ending, Executor, Invocation, Journal, Judge, Observation, Report, Subject, Trial, Why,
};

/// What happens in the lab, for whoever shows it or logs it.
#[derive(Debug)]
pub enum Event<'a> {
    /// The command was run once.
    Ran(&'a Trial),
    /// A smaller failing candidate was accepted.
    Improved {
        /// Its size.
        bytes: u64,
    },
}

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
pub struct Workbench {
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
    /// Is told what happens.
    pub observer: Box<dyn FnMut(&Event<'_>)>,
    /// What was counted.
    pub counts: Counts,
}

/// What happens in a run.
pub(crate) enum Step {
    /// This worker has built a product and waits.
    Built(usize, String),
    /// This worker is idle again.
    Done(usize, Box<Observation>),
}

/// In what kind of place a run happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// In what is left of the last one, where that may be.
    Warm,
    /// In a clean one.
    Fresh,
    /// In a clean one, with an eye on what is read.
    Watched,
}

impl Workbench {
    pub(crate) fn start(
        &mut self,
        worker: usize,
        candidate: &Candidate,
        condition: Condition,
    ) -> Result<u64, Stop> {
        let trial = self.journal.next_number();
        let action = Action {
            invocation: Arc::clone(&self.invocation),
            subject: Arc::clone(&self.subject),
            candidate: candidate.clone(),
            trial,
            fresh: condition != Condition::Warm,
            watch: condition == Condition::Watched,
        };
        self.executor
            .start(worker, &action)
            .map_err(LabError::Trial)?;
        Ok(trial)
    }

    /// Waits for the next run to end. Whatever is built is tested.
    pub(crate) fn wait(&mut self) -> Result<(usize, Observation), Stop> {
        loop {
            match self.wait_for_step()? {
                Step::Built(worker, _) => self.executor.go_on(worker),
                Step::Done(worker, observation) => return Ok((worker, *observation)),
            }
        }
    }

    /// Waits for the next thing to happen in a run. The journal is synced on the way.
    pub(crate) fn wait_for_step(&mut self) -> Result<Step, Stop> {
        loop {
            let wake = [self.deadline, self.journal.sync_due()]
                .into_iter()
                .flatten()
                .min();
            match self.executor.wait(wake).map_err(LabError::Trial)? {
                Report::Done(worker, observation) => {
                    if let Ending::NotStarted(reason) = &observation.ending {
                        return Err(LabError::Command(reason.clone()).into());
                    }
                    return Ok(Step::Done(worker, observation));
                }
                Report::Built(worker, product) => return Ok(Step::Built(worker, product)),
                Report::Interrupted => return Err(Stop::Interrupted),
                Report::Deadline
                    if self
                        .deadline
                        .is_some_and(|deadline| deadline <= Instant::now()) =>
                {
                    return Err(Stop::Limit("time"));
                }
                Report::Deadline => self.journal.sync().map_err(LabError::Journal)?,
            }
        }
    }

    /// Whether the search has to stop, asked while nothing runs.
    pub(crate) fn check_stop(&mut self) -> Result<(), Stop> {
        match self
            .executor
            .wait(Some(Instant::now()))
            .map_err(LabError::Trial)?
        {
            Report::Interrupted => Err(Stop::Interrupted),
            _ if self
                .deadline
                .is_some_and(|deadline| deadline <= Instant::now()) =>
            {
                Err(Stop::Limit("time"))
            }
            _ => Ok(()),
        }
    }

    /// Writes a run down before anybody uses it.
    pub(crate) fn record(&mut self, trial: &Trial) -> Result<(), Stop> {
        if trial.same_product {
            self.counts.same_product += 1;
        } else {
            self.counts.run += 1;
            if let Some(outcome) = trial.outcome {
                self.counts.add(outcome);
            }
        }
        self.journal.append(trial).map_err(LabError::Journal)?;
        if self
            .journal
            .sync_due()
            .is_some_and(|due| due <= Instant::now())
        {
            self.journal.sync().map_err(LabError::Journal)?;
        }
        (self.observer)(&Event::Ran(trial));
        Ok(())
    }

    /// Runs the command so many times on one candidate, on all workers at once. Runs of an earlier session count.
    ///
    /// The judge says what to write down as the outcome; the baseline has none yet.
    pub(crate) fn observe(
        &mut self,
        candidate: &Candidate,
        why: Why,
        condition: Condition,
        times: usize,
        judge: Option<&Judge>,
    ) -> Result<Vec<Trial>, Stop> {
        let hash: Hash = candidate.hash();
        let mut trials = Vec::new();
        while trials.len() < times {
            match self.journal.recall(hash, why) {
                Some(trial) => {
                    self.counts.cached += 1;
                    trials.push(trial);
                }
                None => break,
            }
        }
        let mut lost = 0;
        let mut running = BTreeMap::new();
        let mut idle: Vec<usize> = (0..self.executor.workers()).rev().collect();
        while trials.len() < times {
            while trials.len() + running.len() < times
                && let Some(worker) = idle.pop()
            {
                running.insert(worker, self.start(worker, candidate, condition)?);
            }
            let (worker, observation) = self.wait()?;
            idle.push(worker);
            let number = running.remove(&worker).expect("only what was started ends");
            if observation.ending == Ending::Lost && lost < RETRIES {
                lost += 1;
                continue;
            }
            let verdict = judge.map(|judge| judge.judge(&observation));
            let candidate = (hash, candidate.bytes());
            let trial = Trial {
                observation: Some(observation.clone()),
                ..Trial::of(number, why, candidate, &observation, verdict)
            };
            self.record(&trial)?;
            trials.push(trial);
        }
        Ok(trials)
    }
}

/// Why a trial cannot be carried out or its result not be kept.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The command cannot be started any more.
    #[error("failed to run the command: {0}")]
    Command(String),
    /// The machinery around the command is broken.
    #[error("failed to run a trial: {0}")]
    Trial(io::Error),
    /// The journal cannot be written.
    #[error("failed to write the journal: {0}")]
    Journal(io::Error),
    /// The best candidate so far cannot be written.
    #[error("failed to write the best so far: {0}")]
    Best(io::Error),
}

impl LabError {
    /// Whether there is no room left on a disk.
    pub fn is_full_disk(&self) -> bool {
        match self {
            LabError::Command(reason) => reason.contains("No space left"),
            LabError::Trial(error) | LabError::Journal(error) | LabError::Best(error) => {
                matches!(
                    error.kind(),
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
                )
            }
        }
    }
}

impl From<LabError> for Stop {
    fn from(error: LabError) -> Stop {
        Stop::Broken(Box::new(error))
    }
}
