//! The warden: a small process that owns one worker directory and runs the trials of one worker in it.
//!
//! yester starts one for each job, as a copy of itself. Three things follow from its being a process:
//!
//! - It is small, so starting the user's command from it costs the same however big yester has grown.
//! - It is the first process of a namespace of its own, where the machine allows that. Whatever a trial leaves behind
//!   is its child in the end, `kill(-1)` reaches all of it at once, and the kernel kills the rest when the warden dies.
//! - It dies with yester, and its trial with it, even when yester is killed with `kill -9`.

mod access;
mod containment;
mod directory;
mod manifest;
mod product;
mod reaper;
mod refusal;
mod tree;
mod trial;

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::process::Resource;
use serde::{Deserialize, Serialize};

pub(crate) use self::containment::{is_hidden, is_private};
use crate::wire::{self, Bytes};
use crate::{Containment, Invocation, Observation, Sandbox, scratch, system};

/// The name under which a copy of yester starts as a warden.
pub(crate) const NAME: &str = "yester-warden";

/// The directory for what trials and yester exchange, below the worker's own.
pub(crate) const EXCHANGE: &str = "exchange";

/// The first message to a warden.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub worker: usize,
    /// The directory of all workers of this run; each has a directory with its number in it.
    pub scratch: OsString,
    pub sandbox: Sandbox,
    /// Directories that must stay visible, read-only, where the sandbox hides their surroundings.
    pub visible: Vec<OsString>,
    /// Directories outside of the workers' ones that its trials may change in the full sandbox.
    pub writable: Vec<OsString>,
    /// Whether its trials run code that the user never ran.
    pub is_guarded: bool,
    /// Whether to keep what the last trial leaves.
    pub keep: bool,
}

/// A warden's answer to its orders: what contains its trials, and its process id; or why it cannot follow them.
pub(crate) type Ready = Result<(Containment, u32), String>;

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    Run(Assignment),
    /// Test what was built.
    Test,
    Cancel,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reply {
    pub event: WardenEvent,
    /// After the end: what the trial has changed of the tree, or nothing when the tree has to be made anew.
    pub touched: Option<Touched>,
}

/// What happens to an assignment.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum WardenEvent {
    /// The build has made a product with this hash. The warden waits to be told whether to test it.
    Built(String),
    /// It is over.
    Done(Box<Observation>),
}

/// What a trial has changed of the tree that was put in place for it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Touched {
    /// Files that are not what they were.
    pub changed: Vec<String>,
    /// Files that look as they did but may have been changed all the same.
    pub doubtful: Vec<String>,
    /// Whether the tree is as new once these files are restored and all that was added is gone.
    pub can_be_cleaned: bool,
}

/// An action in the terms of one worker.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Assignment {
    /// The command, if it is not that of the last assignment: with its environment it is most of a message.
    pub invocation: Option<Arc<Invocation>>,
    pub placement: Placement,
    pub surroundings: Surroundings,
    pub trial: u64,
    /// Whether to report which files the trial reads.
    pub watch: bool,
}

/// What this run has of its own beside the tree.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Surroundings {
    /// More variables of the environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Arguments in place of those of the command.
    pub arguments: Vec<(usize, OsString)>,
    /// The file that is the standard input.
    pub stdin: Option<OsString>,
    /// Where the command runs, instead of where the candidate lies.
    pub directory: Option<OsString>,
}

/// How a candidate gets into the worker's directory.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Placement {
    File {
        name: OsString,
        content: Bytes,
        executable: bool,
    },
    Tree {
        base: OsString,
        start: TreeStart,
        /// Where the candidate is in the tree. Nothing if it is the tree.
        candidate: Option<String>,
        /// What differs from what the worker's directory holds.
        edits: Vec<(String, TreeEdit)>,
    },
}

/// What a tree is before the candidate's edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TreeStart {
    /// A new copy of the base.
    New,
    /// What the last trial left, without what it or its build has made.
    Clean,
    /// What the last trial left.
    Used,
}

/// One step from what a worker's tree holds to what it must hold.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum TreeEdit {
    Write {
        content: Bytes,
        executable: bool,
    },
    Symlink(Bytes),
    Remove,
    /// Put back what the base tree has there.
    Restore,
}

/// Turns this process into a warden or a janitor if it was started as one, and then never returns.
///
/// A program that opens a [`crate::LocalExecutor`] calls this at the start of `main`.
pub fn become_warden_if_asked() {
    let serve = match std::env::args_os().next() {
        Some(name) if name == NAME => serve,
        Some(name) if name == scratch::JANITOR => scratch::serve_as_janitor,
        _ => return,
    };
    // Nobody is there to read an error: yester sees the closed socket or the exit.
    system::exit_now(i32::from(serve().is_err()));
}

fn serve() -> io::Result<()> {
    system::close_inherited();
    system::die_with_parent()?;
    system::hear_of_children()?;
    system::new_session();
    system::give_up_first();
    let socket = UnixStream::from(system::take_standard_input()?);
    let Some(orders) = wire::receive::<Orders>(&socket)? else {
        return Ok(());
    };
    let enclosure = match containment::enter(&orders) {
        Ok(enclosure) => enclosure,
        Err(error) => return wire::send(&socket, &Ready::Err(error.to_string())),
    };
    // A limit of one byte switches off core files and core handlers alike.
    system::limit(Resource::Core, 1)?;
    let containment = enclosure.containment;
    let mut directory = directory::WorkerDirectory::new(enclosure)?;
    let process = std::process::id();
    wire::send(&socket, &Ready::Ok((containment, process)))?;
    let mut current = None;
    loop {
        match wire::receive(&socket)? {
            None => return Ok(()),
            // The request crossed the answer that made it pointless.
            Some(Request::Cancel | Request::Test) => {}
            Some(Request::Run(Assignment {
                invocation,
                placement,
                surroundings,
                trial,
                watch,
            })) => {
                current = invocation.or(current);
                let run = trial::TrialRun {
                    invocation: current.as_ref().ok_or(io::ErrorKind::InvalidData)?,
                    surroundings: &surroundings,
                    socket: &socket,
                    trial,
                    worker: orders.worker,
                };
                let mut observation = Box::new(run.run(&placement, watch, &mut directory)?);
                let touched = directory.touched();
                let is_changed = |touched: &Touched| !touched.changed.is_empty();
                observation.changed_tree = touched.as_ref().is_none_or(is_changed);
                let event = WardenEvent::Done(observation);
                let reply = Reply { event, touched };
                wire::send(&socket, &reply)?;
                directory.tidy(orders.keep);
                directory.renew()?;
            }
        }
    }
}
