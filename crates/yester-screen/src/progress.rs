//! What a person sees while it runs: feeds the screen from the stream of events.

use yester_report::{grouped, seconds, visible};
use yester_run::{Consumer, Event};

use crate::screen::{self, Mode, Tone};

/// How much people want to see.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// Nothing.
    pub is_quiet: bool,
    /// The view that takes the whole terminal.
    pub is_watched: bool,
    /// With 1 also every improvement, with 2 every trial.
    pub verbosity: u8,
}

/// Shows what happens in a call.
pub struct Progress(Style);

impl Progress {
    /// Begins to show what happens in the call with these words, unless nobody wants to see it.
    pub fn open(style: Style, call: String) -> Progress {
        if !style.is_quiet {
            let mode = match (screen::is_terminal(), style.is_watched) {
                (false, _) => Mode::Plain,
                (true, false) => Mode::Line,
                (true, true) => Mode::Watch,
            };
            screen::open(mode, call);
            if style.is_watched && mode == Mode::Plain {
                screen::say(
                    Tone::Note,
                    "--watch needs a terminal; lines are written instead",
                );
            }
        }
        Progress(style)
    }
}

impl Consumer for Progress {
    fn consume(&mut self, event: &Event<'_>) {
        let Style {
            is_quiet,
            verbosity,
            ..
        } = self.0;
        if is_quiet {
            return;
        }
        screen::take_in(event);
        match event {
            Event::Message(text) => screen::say(Tone::Note, text),
            Event::Output(text) => visible(text).lines().for_each(screen::say_plain),
            Event::Step(step) if verbosity >= 1 => screen::say(Tone::Note, step.what),
            Event::Ran(trial) if verbosity >= 2 => {
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
            Event::Improved { .. } if verbosity >= 1 => {
                if let Some(summary) = screen::summary() {
                    screen::say_plain(&summary);
                }
            }
            _ => {}
        }
    }
}
