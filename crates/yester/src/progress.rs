//! What a person sees while it runs.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use yester_core::Phase;
use yester_report::{count, grouped, percent, seconds, visible_line};
use yester_run::{Consumer, Event};

use crate::cli::OutputArguments;

/// What a walk through a history counts.
pub const REVISIONS: &str = "revisions";

/// Shows what happens in a run.
pub struct Progress {
    bar: ProgressBar,
    quiet: bool,
    verbose: u8,
    /// Without a terminal, a plain line now and then does what the bar does.
    plain_lines: bool,
    shown: Instant,
    start: Instant,
    /// What is counted: bytes, changed lines.
    unit: &'static str,
    original: u64,
    best: u64,
    trials: u64,
    doing: String,
}

/// Says what is being done, for a command whose trials are not worth counting.
pub struct Doing {
    bar: ProgressBar,
    verbose: u8,
}

impl Doing {
    pub fn new(style: &OutputArguments) -> Doing {
        Doing {
            bar: spinner(is_terminal() && !style.quiet),
            verbose: style.verbose,
        }
    }

    /// Says something that stays on the screen.
    pub fn tell(&self, text: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(anstream::stderr(), "yester: {}", visible_line(text));
        });
    }

    pub fn say(&self, text: &str) {
        self.bar.set_message(visible_line(text).into_owned());
        if self.verbose > 0 {
            self.tell(text);
        }
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn is_terminal() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A line that moves, if it is drawn.
fn spinner(is_drawn: bool) -> ProgressBar {
    let target = match is_drawn {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(None, target);
    bar.set_style(ProgressStyle::with_template("{spinner} {wide_msg}").expect("a constant"));
    // It takes a thread, which a machine that is short of them must not be asked for in vain.
    if is_drawn {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

impl Progress {
    pub fn new(style: &OutputArguments, (original, unit): (u64, &'static str)) -> Progress {
        let (quiet, verbose) = (style.quiet, style.verbose);
        let is_terminal = is_terminal();
        let bar = spinner(is_terminal && !quiet);
        let start = Instant::now();
        Progress {
            bar,
            quiet,
            verbose,
            plain_lines: !is_terminal && !quiet,
            shown: start,
            start,
            unit,
            original,
            best: original,
            trials: 0,
            doing: "baseline".to_owned(),
        }
    }

    fn show(&mut self) {
        let pause = if self.plain_lines {
            Duration::from_secs(2)
        } else {
            Duration::from_millis(100)
        };
        if self.shown.elapsed() >= pause {
            self.draw();
        }
    }

    fn draw(&mut self) {
        self.shown = Instant::now();
        let text = self.summary();
        if self.plain_lines {
            self.show_line(&format!("yester: {text}"));
        } else {
            self.bar.set_message(visible_line(&text).into_owned());
        }
    }

    /// Every line that stays goes through here, so that none has anything in it that a terminal obeys.
    fn show_line(&self, text: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(anstream::stderr(), "{}", visible_line(text));
        });
    }

    fn summary(&self) -> String {
        let elapsed = self.start.elapsed().as_secs_f64();
        let gone = self.original.saturating_sub(self.best);
        let original = grouped(self.original);
        let far = match self.unit {
            // Nothing is left of a history when the walk is over.
            REVISIONS => format!("{} of {original} revisions behind", grouped(gone)),
            unit => format!(
                "{} of {original} {unit} left ({} removed)",
                grouped(self.best),
                percent(gone, self.original)
            ),
        };
        format!(
            "{}: {far} · {}, {:.0}/s · {}",
            self.doing,
            count(self.trials, "trial"),
            self.trials as f64 / elapsed.max(0.001),
            seconds(elapsed),
        )
    }
}

impl Consumer for Progress {
    fn consume(&mut self, event: &Event<'_>) {
        match event {
            Event::Message(text) => {
                if !self.quiet {
                    self.show_line(&format!("yester: {text}"));
                }
                return;
            }
            Event::Detail(_) | Event::Infeasible(_) => return,
            Event::Phase(Phase { what, deltas }) => {
                self.doing = match deltas {
                    0 => (*what).to_owned(),
                    _ => format!("{what}, {} to try", grouped(*deltas as u64)),
                };
            }
            Event::Ran(trial) => {
                self.trials += 1;
                if self.verbose >= 2 {
                    let outcome = trial
                        .outcome
                        .map_or_else(|| "baseline".to_owned(), |outcome| outcome.to_string());
                    let text = format!(
                        "trial {}: {} bytes, {}, {}, {outcome}",
                        trial.trial,
                        grouped(trial.bytes),
                        trial.ending,
                        seconds(trial.seconds),
                    );
                    self.show_line(&text);
                }
            }
            Event::Improved { left, .. } => {
                self.best = *left;
                if self.verbose >= 1 {
                    self.show_line(&self.summary());
                }
            }
            Event::End => {
                self.bar.finish_and_clear();
                return;
            }
        }
        self.show();
    }
}
