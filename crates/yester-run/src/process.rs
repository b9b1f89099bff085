//! The processes of this machine, as /proc shows them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::{Child, Command};
use std::sync::Mutex;

use rustix::process::Signal;

use crate::system;

/// The processes that this one has started itself.
static OURS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Starts a process and notes it, so that [`end_strays`] spares it. The lock keeps that from running in between.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    let mut ours = ours();
    let child = command.spawn()?;
    ours.insert(child.id());
    Ok(child)
}

/// Forgets a process that was waited for.
pub(crate) fn forget(process: u32) {
    ours().remove(&process);
}

fn ours() -> std::sync::MutexGuard<'static, BTreeSet<u32>> {
    OURS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// The processes whose parent is this one, by birth or by adoption.
pub(crate) fn children_of(parent: u32) -> Vec<i32> {
    let parent = parent.to_string();
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .filter_map(|process| process.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|process| field(*process as u32, 1).is_some_and(|found| found == parent))
        .collect()
}

/// Whether there is such a process.
pub(crate) fn is_alive(process: u32) -> bool {
    field(process, 0).is_some()
}

/// Whether somebody has stopped a process.
pub(crate) fn is_stopped(process: u32) -> bool {
    field(process, 0).is_some_and(|state| matches!(&*state, "T" | "t"))
}

/// A field of a process's state: 0 is what it does, 1 its parent.
fn field(process: u32, index: usize) -> Option<String> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let (_, rest) = line.rsplit_once(')')?;
    rest.split_whitespace().nth(index).map(str::to_owned)
}

/// Ends the programs that this process has started for itself, such as git or a solver. For use right before it exits.
pub fn end_helpers() {
    let own_session = system::session(0);
    for child in children_of(std::process::id()) {
        // Wardens and janitors have their own sessions and end by themselves.
        if system::session(child) == own_session {
            let _ = system::kill(child, Signal::KILL);
        }
    }
}

/// Ends the processes that this one has inherited because a test killed its warden.
///
/// A warden starts its own session, which its trials can leave only for new ones. So a child of this process comes from a
/// trial if it is in another session and was not started by this process.
pub(crate) fn end_strays() {
    let own_session = system::session(0);
    loop {
        let ours = ours();
        let mut strays = children_of(std::process::id());
        strays.retain(|stray| {
            !ours.contains(&(*stray as u32)) && system::session(*stray) != own_session
        });
        if strays.is_empty() {
            return;
        }
        for stray in strays {
            let _ = system::kill(stray, Signal::KILL);
            let _ = system::reap_one(stray);
        }
    }
}
