//! Runs a program with everything that it starts, for a limited time, and adds up the processor time of them all.
//!
//! Whoever asks becomes the parent of every orphan below it (a "subreaper"), so that no descendant gets away from the
//! sum or from the end.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// How a run went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// From the start to the end of the program.
    pub wall: Duration,
    /// User and system time of all processes.
    pub processor: Duration,
    /// What the program ended with: its code, or 128 and its signal; nothing if it was killed at the limit.
    pub code: Option<i32>,
}

/// Runs a command until it ends or the limit is reached, then ends all descendants of this process, whoever started them:
/// nothing else in the process may run programs meanwhile.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Usage> {
    adopt_orphans()?;
    let before = processor_time();
    let start = Instant::now();
    let child = command.process_group(0).spawn()?;
    let leader = i32::try_from(child.id()).expect("process numbers are small");
    let code = loop {
        match reap() {
            EndedChild::One(process, code) if process == leader => break Some(code),
            EndedChild::One(..) => continue,
            EndedChild::NoneYet if start.elapsed() >= limit => break None,
            EndedChild::NoneYet => thread::sleep(Duration::from_millis(5)),
            EndedChild::NoneLeft => break None,
        }
    };
    let wall = start.elapsed();
    end_descendants();
    Ok(Usage {
        wall,
        processor: processor_time() - before,
        code,
    })
}

fn adopt_orphans() -> io::Result<()> {
    // SAFETY: the call takes plain numbers.
    match unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

enum EndedChild {
    One(i32, i32),
    NoneYet,
    NoneLeft,
}

/// Takes note of one child that has ended, if there is one.
fn reap() -> EndedChild {
    let mut status = 0;
    // SAFETY: the status is a live local.
    match unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) } {
        0 => EndedChild::NoneYet,
        process if process > 0 => {
            let code = if libc::WIFEXITED(status) {
                libc::WEXITSTATUS(status)
            } else {
                128 + libc::WTERMSIG(status)
            };
            EndedChild::One(process, code)
        }
        _ => EndedChild::NoneLeft,
    }
}

/// Kills descendants until there are none; some may be born meanwhile.
fn end_descendants() {
    loop {
        for process in descendants() {
            // SAFETY: the call takes plain numbers.
            unsafe { libc::kill(process, libc::SIGKILL) };
        }
        loop {
            match reap() {
                EndedChild::One(..) => continue,
                EndedChild::NoneYet => break,
                EndedChild::NoneLeft => return,
            }
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// The numbers of all processes below this one.
pub fn descendants() -> Vec<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok())
        else {
            continue;
        };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            continue;
        };
        // The name is in parentheses and may hold anything; behind it are the state and the parent.
        let parent = stat
            .rsplit_once(')')
            .and_then(|(_, fields)| fields.split_whitespace().nth(1)?.parse().ok());
        if let Some(parent) = parent {
            children.entry(parent).or_default().push(process);
        }
    }
    let own = i32::try_from(std::process::id()).expect("process numbers are small");
    let mut found = children.remove(&own).unwrap_or_default();
    let mut next = 0;
    while next < found.len() {
        found.extend(children.remove(&found[next]).unwrap_or_default());
        next += 1;
    }
    found
}

/// The processor time of all descendants that have ended so far.
fn processor_time() -> Duration {
    // SAFETY: rusage is plain data and the pointer is to a live local.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

fn duration(time: libc::timeval) -> Duration {
    let micros = time.tv_sec * 1_000_000 + time.tv_usec;
    Duration::from_micros(u64::try_from(micros).expect("time is not negative"))
}
