//! The front end that people call: what it prints, however a call ends. Any thread may have to end it, so they share it.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

use yester_report::{AnyReport, Report, ReportedInput, visible};
use yester_run::{Consumer, Event};
use yester_screen::Tone;

use crate::call::Call;
use crate::cli::OutputArguments;
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::output;

/// A handle on what the call has printed. Clones are handles on the same.
#[derive(Clone)]
pub struct Shell(Arc<Mutex<State>>);

struct State {
    call: Call,
    is_json: bool,
    /// Whether the events go to standard output, so that the report has to be one of them.
    is_stream: bool,
    /// Whether people want to know more than the answer.
    is_verbose: bool,
    /// What the call is about, once a command has said so.
    input: Option<ReportedInput>,
    /// The directory of the run, once there is one.
    run: Option<String>,
    /// Whether the report was printed, or is being printed.
    is_told: bool,
}

impl Shell {
    /// Until the flags of a call are read, only its words say whether JSON is wanted.
    pub fn new(call: Call) -> Shell {
        Shell(Arc::new(Mutex::new(State {
            is_json: wants_json(&call.words),
            is_stream: false,
            is_verbose: false,
            call,
            input: None,
            run: None,
            is_told: false,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The call has other words: those of the settings are among them.
    pub fn set_words(&self, words: &[OsString]) {
        let mut state = self.state();
        state.is_json = wants_json(words);
        state.call.words = words.to_vec();
    }

    /// Takes note of what the flags ask for.
    pub fn set_style(&self, style: &OutputArguments) {
        let mut state = self.state();
        state.is_json = style.json;
        state.is_stream = style.events.as_deref() == Some(Path::new("-"));
        state.is_verbose = style.verbose > 0 || style.watch;
    }

    pub fn call(&self) -> Call {
        self.state().call.clone()
    }

    /// Tells how a command has ended.
    pub fn tell(&self, finished: &Finished) -> Result<Exit, Failure> {
        let (is_json, is_verbose) = {
            let state = self.state();
            (state.is_json || state.is_stream, state.is_verbose)
        };
        let text = || {
            let mut text = finished.report.text();
            if is_verbose {
                text.push_str(&finished.report.passes_text());
            }
            text
        };
        if let Some(answer) = &finished.answer {
            output::print_answer(answer)?;
            let _ = anstream::stderr().write_all(visible(&text()).as_bytes());
        } else if is_json {
            self.print(&*finished.report)?;
        } else {
            output::print_report(&text())?;
        }
        if let Some(failure) = &finished.failure {
            failure.print();
            // A report without an answer has no line that names it.
            if let Some(page) = finished.report.page().filter(|_| text().is_empty()) {
                yester_screen::say(Tone::Note, &format!("what was seen is in {page}"));
            }
        }
        Ok(finished.exit)
    }

    /// A failure as the end of the run that it happened in. An error if it happened before there was one.
    pub fn end_run(&self, failure: Failure) -> Result<Finished, Failure> {
        let state = self.state();
        let Some(run) = state.run.clone() else {
            return Err(failure);
        };
        let report: Report<()> = Report {
            input: state.input.clone(),
            run: Some(run),
            ..state.call.report(failure.status())
        };
        Ok(Finished::failed(failure, report))
    }

    /// Says how the call failed: as JSON, if that is wanted and no report was printed yet, and in words.
    pub fn fail(&self, failure: &Failure) {
        self.print_failure(failure);
        failure.print();
    }

    /// Says as JSON that a bug of yester has ended the call. The words were said when it happened.
    pub fn crashed(&self) {
        self.print_failure(&Failure {
            exit: Exit::Bug,
            ..Failure::usage("this is a bug in yester")
        });
    }

    fn print_failure(&self, failure: &Failure) {
        let report: Report<()> = {
            let state = self.state();
            if !state.is_json && !state.is_stream {
                return;
            }
            Report {
                input: state.input.clone(),
                run: state.run.clone(),
                error: Some(failure.reported()),
                ..state.call.report(failure.status())
            }
        };
        // Where the result cannot be printed, the words are all there is.
        let _ = self.print(&report);
    }

    /// Prints a report as JSON, once. This is data and not made visible for a terminal. Whoever closes the pipe has seen enough.
    fn print(&self, report: &dyn AnyReport) -> Result<(), Failure> {
        let is_stream = {
            let mut state = self.state();
            // The thread that ends a program that does not hear a signal may have been faster.
            if std::mem::replace(&mut state.is_told, true) {
                return Ok(());
            }
            state.is_stream
        };
        yester_screen::close();
        let mut writer = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let written = if is_stream {
            write_as_event(report, &mut writer)
        } else {
            report.write_json(&mut writer)
        };
        let written = written
            .and_then(|()| writer.write_all(b"\n"))
            .and_then(|()| writer.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::io("print the result", &error))
            }
            _ => Ok(()),
        }
    }
}

/// A call that is ended before its command has an answer still says what it was about.
impl Consumer for Shell {
    fn consume(&mut self, event: &Event<'_>) {
        if let Event::Run(run) = event {
            let is_sized = !run.unit.is_empty();
            let mut state = self.state();
            state.run = Some(run.directory.to_owned());
            state.input = Some(ReportedInput {
                target: run.target.to_owned(),
                test: run.test.to_owned(),
                size: is_sized.then_some(run.size),
                unit: is_sized.then_some(run.unit),
            });
        }
    }
}

fn write_as_event(report: &dyn AnyReport, writer: &mut impl Write) -> io::Result<()> {
    writer.write_all(br#"{"event":"report","report":"#)?;
    report.write_json_line(writer)?;
    writer.write_all(b"}")
}

fn wants_json(words: &[OsString]) -> bool {
    let mut flags = words.iter().take_while(|word| *word != "--");
    flags.any(|word| word == "--json")
}
