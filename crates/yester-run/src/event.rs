//! The one stream of events of a run. Whoever shows, logs or keeps something about a run consumes it.

use std::cell::RefCell;
use std::rc::Rc;

use yester_core::{Candidate, Phase};

use crate::Trial;

/// Something that happened in a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// Something that a person should know.
    Message(&'a str),
    /// Something that only the log has to know.
    Detail(&'a str),
    /// The search does something else from now on.
    Phase(Phase),
    /// The command ran once.
    Ran(&'a Trial),
    /// A subset was answered without a run, since it is not a candidate. This is why.
    Infeasible(&'a str),
    /// There is a better answer than before.
    Improved {
        /// How much is left, in the units of the run: bytes or changed lines.
        left: u64,
        /// The candidate that fails.
        candidate: &'a Candidate,
    },
    /// Nothing more will happen.
    End,
}

/// Is told of every event, in order.
pub trait Consumer {
    /// Takes one event in.
    fn consume(&mut self, event: &Event<'_>);
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

    /// Tells people something.
    pub fn say(&self, message: &str) {
        self.emit(&Event::Message(message));
    }

    /// Writes something to the log.
    pub fn note(&self, detail: &str) {
        self.emit(&Event::Detail(detail));
    }
}
