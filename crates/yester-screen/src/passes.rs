//! What each pass of the search has gained. A pass is everything that is tried under one name.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use yester_core::Outcome;
use yester_report::PassGain;
use yester_run::{Consumer, Event};

/// The gains of all passes, in the order in which they first began.
#[derive(Clone, Default)]
pub struct Passes {
    gains: Vec<PassGain>,
    /// The pass that is under way, and since when.
    current: Option<(usize, Instant)>,
    /// The smallest size so far.
    best: Option<u64>,
    /// The outcome that the search is after.
    wanted: Option<Outcome>,
}

impl Passes {
    pub fn take_in(&mut self, event: &Event<'_>) {
        match event {
            Event::Run(run) => {
                *self = Passes {
                    best: Some(run.size),
                    wanted: Some(run.wanted),
                    ..Passes::default()
                };
            }
            Event::Phase(phase) => {
                self.stop_clock();
                let known = self.gains.iter().position(|gain| gain.pass == phase.what);
                let index = known.unwrap_or_else(|| {
                    self.gains.push(PassGain {
                        pass: phase.what.to_owned(),
                        tried: 0,
                        succeeded: 0,
                        removed: 0,
                        seconds: 0.0,
                    });
                    self.gains.len() - 1
                });
                self.current = Some((index, Instant::now()));
            }
            Event::Answered(outcome) => {
                if let Some((current, _)) = self.current {
                    self.gains[current].tried += 1;
                    self.gains[current].succeeded += u64::from(Some(*outcome) == self.wanted);
                }
            }
            Event::Improved { left, .. } => {
                let before = self.best.replace(*left).unwrap_or(*left);
                if let Some((current, _)) = self.current {
                    self.gains[current].removed += before.saturating_sub(*left);
                }
            }
            _ => {}
        }
    }

    fn stop_clock(&mut self) {
        if let Some((index, since)) = self.current.take() {
            self.gains[index].seconds += since.elapsed().as_secs_f64();
        }
    }

    /// The gains until now. Passes in which nothing was tried say nothing.
    pub fn gains(&self) -> Vec<PassGain> {
        let mut all = self.clone();
        all.stop_clock();
        all.gains.retain(|gain| gain.tried > 0);
        all.gains
    }
}

/// A handle on the gains, for whoever reports them.
#[derive(Clone, Default)]
pub struct SharedPasses(Rc<RefCell<Passes>>);

impl SharedPasses {
    /// The gains until now.
    pub fn gains(&self) -> Vec<PassGain> {
        self.0.borrow().gains()
    }
}

impl Consumer for SharedPasses {
    fn consume(&mut self, event: &Event<'_>) {
        self.0.borrow_mut().take_in(event);
    }
}
