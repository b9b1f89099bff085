//! A list of runs, all of which somebody wants to see.

use std::collections::BTreeMap;
use std::path::PathBuf;

use yester_core::{Hash, Stop};

use crate::outputs::MOST_BYTES;
use crate::session::{RETRIES, RunError, Session, Work, carry_out};
use crate::{Action, Ending, Event, Observation, Outputs, Trial, Verdict, Why};

/// A run that is wanted, once or several times.
pub struct Request<'a> {
    /// What tells it from other runs: equal keys, equal runs.
    pub key: Hash,
    /// How big what is run is.
    pub bytes: u64,
    /// Why it is run.
    pub why: Why,
    /// How many runs are wanted. Those of an earlier session count.
    pub times: usize,
    /// The worker that it should start on, if that is idle.
    pub worker: usize,
    /// What to carry out, given the number of the trial. Made when a worker is free for it.
    pub action: Box<dyn Fn(u64) -> Action + 'a>,
}

/// A run that was made.
pub struct Ran {
    /// What was written down of it, with all that was seen.
    pub trial: Trial,
    /// What it has left, if that was wanted.
    pub outputs: Option<Outputs>,
}

impl Ran {
    /// What was seen.
    pub fn observation(&self) -> &Observation {
        let observation = self.trial.observation.as_ref();
        observation.expect("runs of a list keep what they have seen")
    }
}

/// Reads a run, as far as it can be read by itself.
pub type ReadRun<'a> = &'a dyn Fn(usize, &Observation) -> Option<Verdict>;

struct List<'a, 'r> {
    session: &'a mut Session,
    requests: &'a [Request<'r>],
    read: ReadRun<'a>,
    take: &'a mut dyn FnMut(usize, Ran) -> Result<(), Stop>,
    /// How many runs of each are still to be started.
    open: Vec<usize>,
    /// The request and the number of what each worker runs.
    running: BTreeMap<usize, (usize, u64)>,
    idle: Vec<usize>,
    lost: Vec<u8>,
}

impl Session {
    /// Makes all runs of a list, on all workers at once, and gives each as soon as it has ended, with the place of its request in the list. What an earlier
    /// session has run is given first. A command that cannot be started is given too, and not written down.
    pub fn run_all(
        &mut self,
        requests: &[Request<'_>],
        read: ReadRun<'_>,
        take: &mut dyn FnMut(usize, Ran) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut open: Vec<usize> = requests.iter().map(|request| request.times).collect();
        for (index, request) in requests.iter().enumerate() {
            while open[index] > 0
                && let Some(ran) = self.recall(request.key, request.why)
            {
                self.counts.cached += 1;
                open[index] -= 1;
                take(index, ran)?;
            }
        }
        let idle = (0..self.workers()).collect();
        carry_out(&mut List {
            session: self,
            requests,
            read,
            take,
            open,
            running: BTreeMap::new(),
            idle,
            lost: vec![0; requests.len()],
        })
    }

    /// A run that was made before, unless what it has left is gone. What the search asks for is run once, however often it asks; of
    /// anything else a run counts once. What was built is gone with the session that has built it.
    fn recall(&mut self, key: Hash, why: Why) -> Option<Ran> {
        if why == Why::Build {
            return None;
        }
        loop {
            let trial = if why == Why::Search {
                self.journal.known(key, why)?
            } else {
                self.journal.recall(key, why)?
            };
            let outputs = if trial.has_outputs {
                self.place_of(&trial)
                    .and_then(|place| Outputs::kept(&place))
            } else {
                None
            };
            if trial.observation.is_some() && trial.has_outputs == outputs.is_some() {
                return Some(Ran { trial, outputs });
            }
            if why == Why::Search {
                self.journal.forget_first(key, why);
            }
        }
    }

    /// Where what a run leaves is kept.
    fn place_of(&self, trial: &Trial) -> Option<PathBuf> {
        Some(self.outputs.as_ref()?.join(trial.trial.to_string()))
    }

    /// Keeps what a run has left, if that is kept at all.
    fn keep(&self, trial: &mut Trial, outputs: &mut Option<Outputs>) -> Result<(), Stop> {
        trial.has_outputs = outputs.is_some();
        let Some(outputs) = outputs else {
            return Ok(());
        };
        let place = self.place_of(trial);
        let most = if place.is_some() {
            MOST_BYTES
        } else {
            u64::MAX
        };
        outputs.clear_out(most).map_err(RunError::Outputs)?;
        if let Some(place) = place {
            outputs.keep(&place).map_err(RunError::Outputs)?;
        }
        Ok(())
    }
}

impl Work for List<'_, '_> {
    fn session(&mut self) -> &mut Session {
        self.session
    }

    fn give_out(&mut self) -> Result<bool, Stop> {
        while !self.idle.is_empty()
            && let Some(index) = self.open.iter().position(|open| *open > 0)
        {
            let request = &self.requests[index];
            let wanted = self
                .idle
                .iter()
                .position(|worker| *worker == request.worker);
            let worker = self.idle.remove(wanted.unwrap_or(0));
            let number = self.session.journal.next_number();
            let action = (request.action)(number);
            self.session.start(worker, &action, request.why)?;
            self.open[index] -= 1;
            self.running.insert(worker, (index, number));
        }
        Ok(!self.running.is_empty())
    }

    fn take_in(
        &mut self,
        worker: usize,
        observation: Observation,
        mut outputs: Option<Outputs>,
    ) -> Result<(), Stop> {
        self.idle.push(worker);
        let (index, number) = self
            .running
            .remove(&worker)
            .expect("only what was started ends");
        if observation.ending == Ending::Lost && self.lost[index] < RETRIES {
            self.lost[index] += 1;
            self.open[index] += 1;
            self.session.events.emit(&Event::Dropped(number));
            return Ok(());
        }
        let request = &self.requests[index];
        let verdict = (self.read)(index, &observation);
        let is_run = !matches!(observation.ending, Ending::NotStarted(_));
        let candidate = (request.key, request.bytes);
        let mut trial = Trial::of(number, request.why, candidate, &observation, verdict);
        trial.observation = Some(observation);
        if is_run {
            self.session.keep(&mut trial, &mut outputs)?;
            self.session.record(&mut trial)?;
            if trial.why == Why::Search {
                self.session.journal.remember(&trial);
            }
        } else {
            self.session.events.emit(&Event::Dropped(number));
        }
        (self.take)(index, Ran { trial, outputs })
    }
}
