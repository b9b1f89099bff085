//! What a person sees while it runs: feeds the screen from the stream of events.

use std::ffi::OsStr;
use std::time::Duration;

use yester_core::Phase;
use yester_report::{grouped, seconds, visible};
use yester_run::{Consumer, Event, Events, StepLimit};

use crate::call::Call;
use crate::cli::OutputArguments;
use crate::quote;
use crate::screen::{self, Mode, Tone};

pub use crate::screen::REVISIONS;

/// Shows what happens in a call.
pub struct Progress {
    quiet: bool,
    verbose: u8,
}

impl Progress {
    /// Begins to show what happens, unless nobody wants to see it.
    pub fn open(style: &OutputArguments, call: &Call) -> Progress {
        if !style.quiet {
            let mode = match (screen::is_terminal(), style.watch) {
                (false, _) => Mode::Plain,
                (true, false) => Mode::Line,
                (true, true) => Mode::Watch,
            };
            let words = call.texts();
            let words = words.iter().map(OsStr::new);
            screen::open(mode, quote::command(words));
            if style.watch && mode == Mode::Plain {
                screen::say(
                    Tone::Note,
                    "--watch needs a terminal; lines are written instead",
                );
            }
        }
        Progress {
            quiet: style.quiet,
            verbose: style.verbose,
        }
    }
}

impl Consumer for Progress {
    fn consume(&mut self, event: &Event<'_>) {
        if self.quiet {
            return;
        }
        screen::take_in(event);
        match event {
            Event::Message(text) => screen::say(Tone::Note, text),
            Event::Output(text) => visible(text).lines().for_each(screen::say_plain),
            Event::Step(step) if self.verbose >= 1 => screen::say(Tone::Note, step.what),
            Event::Ran(trial) if self.verbose >= 2 => {
                let outcome = trial
                    .outcome
                    .map_or_else(|| "baseline".to_owned(), |outcome| outcome.to_string());
                screen::say_plain(&format!(
                    "trial {}: {} bytes, {}, {}, {outcome}",
                    trial.trial,
                    grouped(trial.bytes),
                    trial.ending,
                    seconds(trial.seconds),
                ));
            }
            Event::Improved { .. } if self.verbose >= 1 => {
                if let Some(summary) = screen::summary() {
                    screen::say_plain(&summary);
                }
            }
            _ => {}
        }
    }
}

/// Says what is being done, for a command whose trials are not worth counting.
pub struct Doing {
    events: Events,
}

impl Doing {
    pub fn new(events: &Events) -> Doing {
        Doing {
            events: events.clone(),
        }
    }

    /// Says what is tried from now on, and how often.
    pub fn phase(&self, what: &'static str, ideas: usize) {
        let phase = Phase {
            what,
            deltas: ideas,
        };
        self.events.emit(&Event::Phase(phase));
    }

    pub fn say(&self, text: &str) {
        self.events.step(text, None);
    }

    /// Says what is done, and what ends it if it takes too long.
    pub fn say_within(&self, text: &str, flag: &'static str, time: Option<Duration>) {
        self.events.step(text, Some(StepLimit { flag, time }));
    }
}
