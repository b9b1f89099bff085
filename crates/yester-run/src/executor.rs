use std::io;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use yester_core::Hash;

use crate::{Action, Observation, Outputs};

/// How tightly the user asked trials to be contained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sandbox {
    /// The strongest that changes nothing for an honest test.
    Auto,
    /// No namespaces.
    None,
    /// No network, a read-only root, private `/tmp` and `/dev`. An error where that is impossible.
    Full,
}

/// What contains the trials in fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Containment {
    /// A process group and the adoption of orphans.
    ProcessGroup,
    /// Process and mount namespaces.
    Namespaces,
    /// What [`Sandbox::Full`] promises.
    Full,
}

impl Containment {
    /// What that means, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Containment::ProcessGroup => "process group, no namespaces",
            Containment::Namespaces => "process and mount namespaces",
            Containment::Full => "no network, read-only root, private /tmp and /dev",
        }
    }
}

/// What happens to an action on its worker.
#[derive(Debug)]
pub enum ActionEvent {
    /// The build has made a product with this hash. The worker waits to be told whether to test it.
    Built(String),
    /// The action is over, and the worker idle.
    Done(Box<Observation>, Option<Outputs>),
}

/// What an executor was woken up by.
#[derive(Debug)]
pub enum Wakeup {
    /// Something happened on this worker.
    Worker(usize, ActionEvent),
    /// The user wants to stop.
    Interrupted,
    /// The deadline has come.
    Deadline,
}

/// Carries out actions, one at a time on each of its workers.
pub trait Executor {
    /// How many actions can run at once.
    fn workers(&self) -> usize;

    /// Says where a tree lies that actions start from. It is never written to.
    fn provide(&mut self, tree: Hash, place: &Path);

    /// Starts an action on an idle worker.
    fn start(&mut self, worker: usize, action: &Action) -> io::Result<()>;

    /// Lets a worker that has told what it built go on with the test.
    fn go_on(&mut self, worker: usize);

    /// Ends the action of a busy worker early. It is still reported, as cancelled or as it ended just before.
    fn cancel(&mut self, worker: usize);

    /// Waits until there is something to tell.
    fn wait(&mut self, deadline: Option<Instant>) -> io::Result<Wakeup>;

    /// What contains the trials, once the first was started.
    fn containment(&self) -> Option<Containment>;
}
