//! Ending the processes of a trial, all of them.

use std::io;
use std::time::Duration;

use crate::{Containment, system};

/// Kills every process of the trial and waits for the last. The status of the command and the time of them all.
pub(crate) fn end_all(
    command: i32,
    containment: Containment,
) -> io::Result<(Option<i32>, Duration)> {
    let mut status = None;
    let mut cpu = Duration::ZERO;
    let mut kill_next = false;
    loop {
        if kill_next {
            kill_descendants(command, containment);
        }
        match system::reap(kill_next) {
            Ok(Some(ended)) => {
                cpu += ended.cpu;
                if ended.pid == command {
                    status = Some(ended.status);
                }
            }
            Ok(None) => kill_next = true,
            Err(error) if error.raw_os_error() == Some(libc::ECHILD) => return Ok((status, cpu)),
            Err(error) => return Err(error),
        }
    }
}

fn kill_descendants(command: i32, containment: Containment) {
    // That there is nobody left to kill is what we hope for.
    match containment {
        Containment::Namespaces | Containment::Full => {
            let _ = system::kill(-1, libc::SIGKILL);
        }
        Containment::ProcessGroup => {
            let _ = system::kill(-command, libc::SIGKILL);
            for child in children() {
                let _ = system::kill(child, libc::SIGKILL);
            }
        }
    }
}

/// The processes whose parent is this one, by birth or by adoption.
fn children() -> Vec<i32> {
    let own = std::process::id().to_string();
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .filter_map(|process| process.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|process| {
            // The name in parentheses may hold anything; what follows it is a state and the parent.
            std::fs::read_to_string(format!("/proc/{process}/stat"))
                .ok()
                .and_then(|line| {
                    let (_, rest) = line.rsplit_once(')')?;
                    Some(rest.split_whitespace().nth(1)? == own)
                })
                .unwrap_or(false)
        })
        .collect()
}
