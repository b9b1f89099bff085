//! What an earlier call of the same command has seen: the trials of a test are long, and none is run twice.

use std::path::Path;

use yester_core::{Hash, Outcome};
use yester_run::{Journal, Observation, RunDirectory, Trial, Why};

use crate::cli::RunArguments;
use crate::driver;
use crate::failure::Failure;
use crate::runs::{Extent, Record, RunStatus};

/// The journal of a run, in the directory of that run.
pub struct Memory {
    journal: Journal,
    run: RunDirectory,
    /// What the run says of itself.
    record: Record,
}

impl Memory {
    /// Opens that of a run with this name.
    pub fn open(name: &str, arguments: &RunArguments, start: &Path) -> Result<Memory, Failure> {
        let run = driver::open(&arguments.state_dir, name, arguments.fresh)?;
        let journal = driver::journal(&run, driver::JOURNAL)?;
        let trials = journal.remembered() as u64;
        let mut record = Record::of_call(start, Extent::Trials { trials });
        if let Some(earlier) = Record::read(run.path()) {
            record.started = earlier.started;
        }
        record
            .write_first(&run)
            .map_err(|error| Failure::io(format!("write to {}", run.path().display()), &error))?;
        Ok(Memory {
            journal,
            run,
            record,
        })
    }

    /// Says that the run has its answer, for `yester runs`.
    pub fn found(&mut self) {
        self.record.status = RunStatus::Found;
    }

    /// Where it is.
    pub fn place(&self) -> String {
        self.run.path().display().to_string()
    }

    /// How many trials are known from earlier calls.
    pub fn known(&self) -> usize {
        self.journal.remembered()
    }

    /// What tells one plan from another: its test and its experiment. Its limits depend on the speed of the machine.
    fn key(test: usize, plan: &str) -> Hash {
        let experiment = plan
            .split_once('\n')
            .map_or("", |(_, experiment)| experiment);
        Hash::of(format!("{test}\n{experiment}").as_bytes())
    }

    /// Whether the run of a plan in a test was right, if an earlier call has seen it.
    pub fn recall(&mut self, test: usize, plan: &str) -> Option<bool> {
        let trial = self.journal.recall(Memory::key(test, plan), Why::Search)?;
        Some(trial.outcome == Some(Outcome::Pass))
    }

    /// Writes down whether the run of a plan in a test was right.
    pub fn remember(
        &mut self,
        test: usize,
        plan: &str,
        observation: &Observation,
        is_right: bool,
    ) -> Result<(), Failure> {
        let outcome = match is_right {
            true => Outcome::Pass,
            false => Outcome::Fail,
        };
        let number = self.journal.next_number();
        let candidate = (Memory::key(test, plan), plan.len() as u64);
        let trial = Trial::seen(number, Why::Search, candidate, observation, outcome);
        let written = self
            .journal
            .append(&trial)
            .and_then(|()| self.journal.sync());
        if let Extent::Trials { trials } = &mut self.record.extent {
            *trials += 1;
        }
        written.map_err(|error| Failure::io("write the journal", &error))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.record.status == RunStatus::Running {
            self.record.status = RunStatus::Stopped;
        }
        // The journal knows it all; this is for `yester runs`.
        let _ = self.record.write(&self.run);
    }
}
