//! Ends all processes of a trial.

use std::io;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Signal;

use crate::{Containment, process, system};

/// What is known of the processes of a trial when all of them have ended.
#[derive(Default)]
pub(crate) struct AllEnded {
    /// The status of the command.
    pub status: Option<i32>,
    /// The time of them all.
    pub cpu: Duration,
    /// The memory of the biggest, in bytes.
    pub memory: u64,
}

/// Kills every process of the trial and waits for the last.
pub(crate) fn end_all(command: i32, containment: Containment) -> io::Result<AllEnded> {
    let mut all = AllEnded::default();
    let mut block = false;
    loop {
        match system::reap(block) {
            Ok(Some(ended)) => {
                all.cpu += ended.cpu;
                all.memory = all.memory.max(ended.memory);
                if ended.pid == command {
                    all.status = Some(ended.status);
                }
                // A kill looks at all processes, so first take in whatever has ended.
                block = false;
            }
            Ok(None) => {
                kill_descendants(command, containment);
                block = true;
            }
            Err(error) if Errno::from_io_error(&error) == Some(Errno::CHILD) => {
                return Ok(all);
            }
            Err(error) => return Err(error),
        }
    }
}

fn kill_descendants(command: i32, containment: Containment) {
    // It is fine if nobody is left to kill.
    match containment {
        Containment::Namespaces | Containment::Full => {
            let _ = system::kill_all_others();
        }
        Containment::ProcessGroup => {
            let _ = system::kill_group(command, Signal::KILL);
            for child in process::children_of(std::process::id()) {
                let _ = system::kill(child, Signal::KILL);
            }
        }
    }
}
