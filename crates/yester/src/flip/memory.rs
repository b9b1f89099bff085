//! What an earlier call of the same command has seen: the trials of a test are long, and none is run twice.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use yester_core::{Hash, Outcome};
use yester_path::InputSource;
use yester_run::{Journal, Observation, RunDirectory, Trial, Why};

use super::job::FlipJob;
use crate::driver;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::versions::failed;

/// The journal of a run, in the directory of that run.
pub struct Memory {
    journal: Journal,
    run: RunDirectory,
}

impl Memory {
    /// Opens that of this call.
    pub fn open(job: &FlipJob) -> Result<Memory, Failure> {
        let name = identity(job)?.name("flip", OsStr::new(&job.version.word));
        let arguments = &job.arguments.run;
        let run = driver::open(&arguments.state_dir, &name, arguments.fresh)?;
        let journal = driver::journal(&run, driver::JOURNAL)?;
        Ok(Memory { journal, run })
    }

    /// Where it is.
    pub fn place(&self) -> String {
        self.run.path().display().to_string()
    }

    /// How many trials are known from earlier calls.
    pub fn known(&self) -> usize {
        self.journal.remembered()
    }

    /// What tells one plan from another: its experiment. Its limits depend on the speed of the machine.
    fn key(plan: &str) -> Hash {
        let experiment = plan
            .split_once('\n')
            .map_or("", |(_, experiment)| experiment);
        Hash::of(experiment.as_bytes())
    }

    /// Whether the run of a plan was right, if an earlier call has seen it.
    pub fn recall(&mut self, plan: &str) -> Option<bool> {
        let trial = self.journal.recall(Memory::key(plan), Why::Search)?;
        Some(trial.outcome == Some(Outcome::Pass))
    }

    /// Writes down whether the run of a plan was right.
    pub fn remember(
        &mut self,
        plan: &str,
        observation: &Observation,
        is_right: bool,
    ) -> Result<(), Failure> {
        let outcome = match is_right {
            true => Outcome::Pass,
            false => Outcome::Fail,
        };
        let number = self.journal.next_number();
        let candidate = (Memory::key(plan), plan.len() as u64);
        let trial = Trial::seen(number, Why::Search, candidate, observation, outcome);
        let written = self
            .journal
            .append(&trial)
            .and_then(|()| self.journal.sync());
        written.map_err(|error| Failure::io("write the journal", &error))
    }
}

/// Everything that an answer depends on.
fn identity(job: &FlipJob) -> Result<Identity, Failure> {
    let mut identity = Identity::default();
    identity.add("version", env!("CARGO_PKG_VERSION"));
    identity.add("start", &job.start);
    identity.add("build", job.arguments.build.as_deref().unwrap_or_default());
    for word in &job.command.words {
        identity.add("word", word);
    }
    identity.add_file(&job.command.program)?;
    for (path, kind) in job.version.tree.paths() {
        identity.add("path", path);
        identity.add("mode", kind.mode());
        let state = job
            .version
            .tree
            .state(path)
            .map_err(|error| failed(&error))?;
        if let Some(state) = state {
            identity.add("content", OsStr::from_bytes(&state.content));
        }
    }
    identity.add(
        "stdin",
        OsStr::from_bytes(job.input.content(&InputSource::Stdin).unwrap_or_default()),
    );
    identity.add(
        "expected",
        OsStr::from_bytes(job.expected.as_deref().unwrap_or_default()),
    );
    Ok(identity)
}
