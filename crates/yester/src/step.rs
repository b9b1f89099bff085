//! Calls the other commands of yester as a user would, and reads what they report.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches};
use yester_core::{Limit, Stop};
use yester_report::{AnyReport, Trials, WhyStep, quote};
use yester_run::Events;

use crate::call::Call;
use crate::driver::{Frame, reason};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::{interrupt, program, report};

/// Flags that the steps do not share with the call: each has a value of its own, or the whole has one.
const OWN: [&str; 13] = [
    "events",
    "fresh",
    "input",
    "json",
    "max-time",
    "max-trials",
    "output",
    "quiet",
    "skip",
    "state-dir",
    "steps",
    "verbose",
    "watch",
];

/// Carries out the steps of a call.
pub struct Steps<'a> {
    frame: &'a Frame,
    call: &'a Call,
    flags: SharedFlags,
    /// Where the runs of the steps are kept.
    state: PathBuf,
    max_trials: Option<u64>,
    deadline: Option<Instant>,
    /// What was done so far, and why what was not done was left out.
    pub done: Vec<WhyStep>,
    /// Whether a limit has kept something from being done.
    pub was_cut: bool,
    /// What all of it took, also what turned out to be of no use.
    pub trials: Trials,
}

/// What a step is called with.
pub struct StepCall<'a> {
    /// The command of yester.
    pub command: &'static str,
    /// Why it is called, for people.
    pub why: String,
    /// The words between the command and the flags that it shares with `yester why`.
    pub words: Vec<OsString>,
    /// Flags that it does not share although it has them.
    pub without: &'a [&'a str],
    /// The words after `--`.
    pub test: Vec<OsString>,
    /// Which share of the time that is left it may take.
    pub share: f64,
}

/// How a step has ended.
pub struct StepEnd {
    pub exit: Exit,
    /// Why it has no answer.
    pub failure: Option<Failure>,
    pub report: Box<dyn AnyReport>,
}

impl StepEnd {
    /// What it has found.
    pub fn result<R: 'static>(&self) -> Option<&R> {
        self.report.result()?.downcast_ref()
    }
}

/// The flags of a call, for the steps that have them too.
pub struct SharedFlags(ArgMatches);

impl SharedFlags {
    pub fn of(call: &Call) -> Result<SharedFlags, Failure> {
        let (matches, _) = program::parse(&call.words)?;
        let (_, flags) = matches.subcommand().expect("the call names a command");
        Ok(SharedFlags(flags.clone()))
    }

    /// The words of a step as a user would call it.
    pub fn words(&self, step: &StepCall<'_>) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["yester".into(), step.command.into()];
        words.extend(step.words.iter().cloned());
        for flag in program::flags(step.command) {
            let Some(long) = flag.get_long() else {
                continue;
            };
            let id = flag.get_id().as_str();
            let is_given = self.0.try_contains_id(id).is_ok()
                && self.0.value_source(id) == Some(ValueSource::CommandLine);
            if !is_given || OWN.contains(&long) || step.without.contains(&long) {
                continue;
            }
            let name = OsString::from(format!("--{long}"));
            if matches!(flag.get_action(), ArgAction::SetTrue) {
                words.push(name);
                continue;
            }
            for value in self.0.get_raw(id).into_iter().flatten() {
                words.extend([name.clone(), value.to_owned()]);
            }
        }
        words
    }
}

impl<'a> Steps<'a> {
    pub fn new(
        frame: &'a Frame,
        call: &'a Call,
        limits: &crate::cli::RunArguments,
    ) -> Result<Self, Failure> {
        Ok(Steps {
            frame,
            call,
            flags: SharedFlags::of(call)?,
            state: frame.run.path().join(report::STEPS),
            max_trials: limits.max_trials.map(|most| most as u64),
            deadline: limits
                .max_time
                .and_then(|time| call.begin.checked_add(time)),
            done: Vec::new(),
            was_cut: false,
            trials: Trials::default(),
        })
    }

    /// When all of it has to be over.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Calls a command. An error ends the whole call.
    pub fn carry_out(&mut self, step: StepCall<'_>) -> Result<StepEnd, Failure> {
        let events = &self.frame.events;
        if self
            .deadline
            .is_some_and(|deadline| deadline <= Instant::now())
        {
            return Ok(self.no_time(&step));
        }
        let mut words = self.flags.words(&step);
        let shown = text(&words, &step.test);
        events.say(&format!("{}: {}", step.command, step.why));
        events.note(&format!("calls {shown}"));
        words.extend(["--state-dir".into(), self.state.clone().into_os_string()]);
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            let time = left.mul_f64(step.share).max(Duration::from_millis(1));
            words.extend([
                "--max-time".into(),
                format!("{}ms", time.as_millis()).into(),
            ]);
        }
        let is_limited = program::flags(step.command)
            .iter()
            .any(|flag| flag.get_long() == Some("max-trials"));
        if let Some(most) = self.max_trials.filter(|_| is_limited) {
            let left = most.saturating_sub(self.trials.run).max(1);
            words.extend(["--max-trials".into(), left.to_string().into()]);
        }
        words.push("--".into());
        words.extend(step.test.iter().cloned());
        let call = Call {
            words: words.clone(),
            start: self.call.start.clone(),
            begin: Instant::now(),
        };
        let finished = program::parse(&words)
            .and_then(|(_, command)| program::investigate(command, &call, events));
        let finished = match finished {
            Ok(finished) => report::keep(finished, &call.start, events),
            Err(failure) => {
                let report = call.report::<()>(failure.status());
                Finished::failed(failure, report)
            }
        };
        let end = self.take_note(step, shown, finished);
        if end.exit == Exit::Interrupted {
            return Err(end
                .failure
                .unwrap_or_else(|| interrupt::interrupted(interrupt::GO_ON)));
        }
        Ok(end)
    }

    fn take_note(&mut self, step: StepCall<'_>, call: String, finished: Finished) -> StepEnd {
        let Finished {
            exit,
            report,
            failure,
            ..
        } = finished;
        let story = report.story();
        let headline = match (&story.headline, &failure) {
            (headline, Some(failure)) if headline.is_empty() => failure.message.clone(),
            (headline, _) => headline.clone(),
        };
        let (trials, seconds) = report.effort();
        self.trials += trials;
        self.done.push(WhyStep {
            command: step.command.to_owned(),
            why: step.why,
            call,
            status: Some(report.status()),
            headline,
            trials: trials.run,
            seconds,
            run: report.run().map(str::to_owned),
            story,
        });
        StepEnd {
            exit,
            failure,
            report,
        }
    }

    /// Takes note of a step that would begin when the time is over.
    fn no_time(&mut self, step: &StepCall<'_>) -> StepEnd {
        let failure = reason(Stop::Limit(Limit::Time));
        self.leave_out(step.command, &failure.message);
        self.was_cut = true;
        StepEnd {
            exit: failure.exit,
            report: Box::new(self.call.report::<()>(failure.status())),
            failure: Some(failure),
        }
    }

    /// Takes note of a step that is left out.
    pub fn leave_out(&mut self, command: &str, reason: &str) {
        self.done.push(WhyStep {
            command: command.to_owned(),
            why: reason.to_owned(),
            headline: reason.to_owned(),
            ..WhyStep::default()
        });
    }

    /// Forgets the last step: another one takes its place.
    pub fn forget_last(&mut self) {
        self.done.pop();
    }

    pub fn events(&self) -> &'a Events {
        &self.frame.events
    }
}

/// Words and test, to be copied into a shell.
pub fn text(words: &[OsString], test: &[OsString]) -> String {
    let dashes = OsStr::new("--");
    let words = words.iter().map(OsString::as_os_str);
    let test = test.iter().map(OsString::as_os_str);
    quote::command(words.chain([dashes]).chain(test))
}
