//! Carries out actions, as many at once as there are workers.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;
use rustix::io::Errno;
use yester_run::{
    Action, ActionEvent, Executor, LocalExecutor, LocalSettings, Observation, Wakeup,
    scratch_directory,
};

use super::confinement::Confinement;
use crate::driver::{self, PROGRAM};
use crate::failure::Failure;
use crate::interrupt;

/// With fewer bytes left, nothing that a run writes can be relied on.
const LEAST_SPACE: u64 = 64 << 10;

/// Workers, and the scratch directory that is theirs and ours. It goes when they go.
pub struct Pool {
    executor: LocalExecutor,
    scratch: PathBuf,
    confinement: Confinement,
    /// What to do after an interruption.
    hint: &'static str,
}

impl Pool {
    /// `name` is that of the scratch directory. Workers see `start`, what lies beside `files` and where the user stands in every
    /// sandbox.
    pub fn open(
        name: &str,
        start: &Path,
        files: &[PathBuf],
        jobs: usize,
        confinement: Confinement,
        hint: &'static str,
    ) -> Result<Pool, Failure> {
        // A directory that the sandbox replaces as a whole, such as /tmp, would hide what lies in it.
        let here = env::current_dir().ok();
        let is_replaced = |here: &PathBuf| {
            let replaced = ["/", "/tmp", "/dev", "/dev/shm", "/run"];
            replaced.iter().any(|place| here == Path::new(place))
        };
        let here = here.filter(|here| !is_replaced(here));
        let here = here.unwrap_or_else(|| start.to_owned());
        let scratch = scratch_directory(name);
        let executor = LocalExecutor::open(LocalSettings {
            warden: PROGRAM.into(),
            jobs,
            sandbox: confinement.sandbox,
            scratch: scratch.clone(),
            visible: driver::visible(files, &[start, &here]),
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
            confinement,
            hint,
        })
    }

    /// A scratch directory, which runs do not see in every sandbox.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Carries out `count` actions. Each is prepared when a worker is free for it, with a directory that the worker's runs can write
    /// to, and taken when it has ended. The failure is one of ours or an interruption, and ends all of them.
    pub fn carry_out(
        &mut self,
        count: usize,
        mut prepare: impl FnMut(usize, &Path) -> Result<Action, Failure>,
        mut take: impl FnMut(usize, Observation),
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::io("run the program", &error);
        let prepared = |error: io::Error| Failure::io("prepare a run", &error);
        let mut idle: Vec<usize> = (0..self.executor.workers()).rev().collect();
        let mut busy: Vec<(usize, usize)> = Vec::new();
        let mut next = 0;
        while next < count || !busy.is_empty() {
            while next < count
                && let Some(worker) = idle.pop()
            {
                let exchange = self.executor.exchange(worker).map_err(prepared)?;
                let action = prepare(next, &exchange)?;
                let started = self.executor.start(worker, &action);
                started.map_err(|error| match error.kind() {
                    io::ErrorKind::Unsupported if action.invocation.is_guarded => {
                        cannot_guard(&error)
                    }
                    _ => failed(error),
                })?;
                busy.push((worker, next));
                next += 1;
            }
            let (worker, observation) = self.wait()?;
            let place = busy.iter().position(|(one, _)| *one == worker);
            let (_, index) = busy.remove(place.expect("it was started"));
            idle.push(worker);
            self.confinement.note(&observation);
            self.check_space()?;
            take(index, observation);
        }
        Ok(())
    }

    /// A program that cannot write its recording ends in any way, and is not to blame.
    fn check_space(&self) -> Result<(), Failure> {
        let is_full = statvfs(&self.scratch)
            .is_ok_and(|space| space.f_bavail.saturating_mul(space.f_frsize) < LEAST_SPACE);
        if !is_full {
            return Ok(());
        }
        let full = io::Error::from(Errno::NOSPC);
        let place = self.scratch.parent().unwrap_or(&self.scratch);
        Err(Failure::io(format!("write to {}", place.display()), &full)
            .hint("make space there, or set TMPDIR to another directory"))
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

fn cannot_guard(error: &io::Error) -> Failure {
    Failure {
        evidence: vec![error.to_string()],
        ..Failure::usage("cannot protect your files from code that only runs because yester makes it run")
    }
    .hint("allow user namespaces, or take the risk with --allow-writes: such runs can then change and delete your files")
    .code("cannot_guard")
}
