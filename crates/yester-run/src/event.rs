//! The one stream of events of a run. Whoever shows, logs or keeps something about a run consumes it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use yester_core::{Candidate, Outcome, Phase};

use crate::{EarlierSessions, Trial, Why};

/// Something that happened in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// Something that a person should know.
    Message(&'a str),
    /// Something that only the log has to know.
    Detail(&'a str),
    /// What the command has printed, for people who want to see it.
    Output(&'a str),
    /// Something begins that takes no trials, or whose trials nobody counts.
    Step(Step<'a>),
    /// A run begins, or goes on.
    Run(RunStart<'a>),
    /// Earlier sessions of the run have done this.
    Resumed(EarlierSessions),
    /// The search does something else from now on.
    Phase(Phase),
    /// The command starts on a candidate.
    Started(Start),
    /// The command ran once.
    Ran(&'a Trial),
    /// A trial that was started has no result: it was cancelled, or lost with its worker.
    Dropped(u64),
    /// The search got the outcome of a candidate for the first time. An earlier session may have run it.
    Answered(Outcome),
    /// A subset was answered without a run, since it is not a candidate. This is why.
    Infeasible(&'a str),
    /// There is a better answer than before.
    Improved {
        /// How much is left, in the units of the run: bytes or changed lines.
        left: u64,
        /// The candidate that fails.
        candidate: &'a Candidate,
    },
    /// A version of the history was tested. It may have been tested before, with another patch.
    Version(VersionTested<'a>),
    /// Nothing more will happen.
    End {
        /// The exit code of the program.
        exit: u8,
    },
}

/// Something that takes a while.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// What is done.
    pub what: &'a str,
    /// What ends it.
    pub limit: Option<StepLimit>,
}

/// What ends a step that takes too long.
#[derive(Clone, Copy, Debug)]
pub struct StepLimit {
    /// The flag that sets it.
    pub flag: &'static str,
    /// How long the step may take. Nothing if the flag was not given.
    pub time: Option<Duration>,
}

/// What a run is about.
#[derive(Clone, Copy, Debug)]
pub struct RunStart<'a> {
    /// Its directory.
    pub directory: &'a str,
    /// What is searched, in the user's words.
    pub target: &'a str,
    /// The command that decides, in the user's words.
    pub test: &'a str,
    /// How big what is searched is.
    pub size: u64,
    /// What the size counts: bytes, changed lines, revisions.
    pub unit: &'static str,
    /// What the baseline does, in words.
    pub baseline: &'a str,
    /// The whole input, where candidates are parts of one.
    pub whole: Option<&'a Candidate>,
    /// The outcome that the search is after.
    pub wanted: Outcome,
}

/// A version of the history with its outcome.
#[derive(Clone, Copy, Debug)]
pub struct VersionTested<'a> {
    /// How many versions are older, as far as the history is searched. Nothing for one beside it, on a branch that was merged.
    pub position: Option<usize>,
    /// How many versions there are.
    pub of: usize,
    /// The full id of its commit.
    pub id: &'a str,
    /// When it was made, in ISO 8601.
    pub date: &'a str,
    /// The first line of its message.
    pub subject: &'a str,
    /// The outcome.
    pub outcome: Outcome,
}

/// A trial that begins.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Its number.
    pub trial: u64,
    /// Why it is run.
    pub why: Why,
    /// How many bytes the candidate has.
    pub bytes: u64,
    /// How long the command may take.
    pub limit: Duration,
}

/// Is told of every event, in order.
pub trait Consumer {
    /// Takes one event in.
    fn consume(&mut self, event: &Event<'_>);
}

/// One stream may feed another.
impl Consumer for Events {
    fn consume(&mut self, event: &Event<'_>) {
        self.emit(event);
    }
}

/// A handle on the stream, for whoever makes events happen. Clones are handles on the same stream.
#[derive(Clone, Default)]
pub struct Events {
    consumers: Rc<RefCell<Vec<Box<dyn Consumer>>>>,
}

impl Events {
    /// A stream with these consumers.
    pub fn new(consumers: Vec<Box<dyn Consumer>>) -> Events {
        Events {
            consumers: Rc::new(RefCell::new(consumers)),
        }
    }

    /// Tells every consumer.
    pub fn emit(&self, event: &Event<'_>) {
        // A consumer that makes an event happen is not told of it: it knows.
        if let Ok(mut consumers) = self.consumers.try_borrow_mut() {
            for consumer in consumers.iter_mut() {
                consumer.consume(event);
            }
        }
    }

    /// Says what is done from now on.
    pub fn step(&self, what: &str, limit: Option<StepLimit>) {
        self.emit(&Event::Step(Step { what, limit }));
    }

    /// Says what is done from now on, and which flag ends it after how long.
    pub fn step_within(&self, what: &str, flag: &'static str, time: Option<Duration>) {
        self.step(what, Some(StepLimit { flag, time }));
    }

    /// Says what is tried from now on, and how often.
    pub fn phase(&self, what: &'static str, deltas: usize) {
        self.emit(&Event::Phase(Phase { what, deltas }));
    }

    /// Tells people something.
    pub fn say(&self, message: &str) {
        self.emit(&Event::Message(message));
    }

    /// Writes something to the log.
    pub fn note(&self, detail: &str) {
        self.emit(&Event::Detail(detail));
    }
}
