//! Ends all processes of a trial.

use std::io;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::Signal;

use crate::{Containment, process, system};

/// Kills every process of the trial and waits for the last. Returns the status of the command and the time of them all.
pub(crate) fn end_all(
    command: i32,
    containment: Containment,
) -> io::Result<(Option<i32>, Duration)> {
    let mut status = None;
    let mut cpu = Duration::ZERO;
    let mut block = false;
    loop {
        match system::reap(block) {
            Ok(Some(ended)) => {
                cpu += ended.cpu;
                if ended.pid == command {
                    status = Some(ended.status);
                }
                // A kill looks at all processes, so first take in whatever has ended.
                block = false;
            }
            Ok(None) => {
                kill_descendants(command, containment);
                block = true;
            }
            Err(error) if Errno::from_io_error(&error) == Some(Errno::CHILD) => {
                return Ok((status, cpu));
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
