//! Carries out actions, as many at once as there are workers.

use std::io;
use std::path::{Path, PathBuf};

use yester_run::{
    Action, ActionEvent, Executor, LocalExecutor, LocalSettings, Observation, Sandbox, Wakeup,
    scratch_directory,
};

use crate::driver::PROGRAM;
use crate::failure::Failure;
use crate::interrupt;

/// Workers, and the scratch directory that is theirs and ours. It goes when they go.
pub struct Pool {
    executor: LocalExecutor,
    scratch: PathBuf,
    /// What to do after an interruption.
    hint: &'static str,
}

impl Pool {
    /// `name` is that of the scratch directory, and `start` what workers see in every sandbox.
    pub fn open(
        name: &str,
        start: &Path,
        jobs: usize,
        sandbox: Sandbox,
        hint: &'static str,
    ) -> Result<Pool, Failure> {
        let scratch = scratch_directory(name);
        let executor = LocalExecutor::open(LocalSettings {
            warden: PROGRAM.into(),
            jobs,
            sandbox,
            scratch: scratch.clone(),
            visible: vec![start.to_owned()],
            interrupt: Some(
                interrupt::descriptor()
                    .map_err(|error| Failure::io("watch for signals", &error))?,
            ),
            keep: false,
            complain: None,
        });
        let executor = executor.map_err(|error| {
            Failure::io("make a directory for the recording", &error)
                .hint("set TMPDIR to another directory")
        })?;
        Ok(Pool {
            executor,
            scratch,
            hint,
        })
    }

    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Carries out `count` actions. Each is prepared when a worker is free for it, and taken when it has ended. The failure is one
    /// of ours or an interruption, and ends all of them.
    pub fn carry_out(
        &mut self,
        count: usize,
        mut prepare: impl FnMut(usize) -> Result<Action, Failure>,
        mut take: impl FnMut(usize, Observation),
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::io("run the program", &error);
        let mut idle: Vec<usize> = (0..self.executor.workers()).rev().collect();
        let mut busy: Vec<(usize, usize)> = Vec::new();
        let mut next = 0;
        while next < count || !busy.is_empty() {
            while next < count
                && let Some(worker) = idle.pop()
            {
                let action = prepare(next)?;
                self.executor.start(worker, &action).map_err(failed)?;
                busy.push((worker, next));
                next += 1;
            }
            let (worker, observation) = self.wait()?;
            let place = busy.iter().position(|(one, _)| *one == worker);
            let (_, index) = busy.remove(place.expect("it was started"));
            idle.push(worker);
            take(index, observation);
        }
        Ok(())
    }

    fn wait(&mut self) -> Result<(usize, Observation), Failure> {
        let failed = |error: io::Error| Failure::io("run the program", &error);
        loop {
            match self.executor.wait(None).map_err(failed)? {
                Wakeup::Worker(worker, ActionEvent::Done(observation)) => {
                    return Ok((worker, *observation));
                }
                Wakeup::Worker(worker, ActionEvent::Built(_)) => self.executor.go_on(worker),
                Wakeup::Deadline => {}
                // The program ends with the executor.
                Wakeup::Interrupted => {
                    interrupt::heard();
                    return Err(interrupt::interrupted(self.hint));
                }
            }
        }
    }
}
