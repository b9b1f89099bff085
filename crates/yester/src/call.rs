//! This call of yester: its words, what it is about, and the report that it prints as JSON, however it ends.
//!
//! There is one call in a process, and any thread may have to end it. So it is the state of the program, and not handed around.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use serde::Serialize;
use yester_report::{Report, ReportedInput, SCHEMA, Status, Trials};

use crate::cli::OutputArguments;
use crate::failure::{Exit, Failure};
use crate::screen;

/// yester's own version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

struct Call {
    words: Vec<OsString>,
    begin: Option<Instant>,
    is_json: bool,
    /// Whether the events go to standard output, so that the report has to be one of them.
    is_stream: bool,
    input: Option<ReportedInput>,
    /// Whether the report was printed, or is being printed.
    is_told: bool,
}

static CALL: Mutex<Call> = Mutex::new(Call {
    words: Vec::new(),
    begin: None,
    is_json: false,
    is_stream: false,
    input: None,
    is_told: false,
});

fn call() -> MutexGuard<'static, Call> {
    CALL.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A call with these words begins. Until its flags are read, only they say whether JSON is wanted.
pub fn begin(words: &[OsString]) {
    let mut call = call();
    call.is_json = words
        .iter()
        .take_while(|word| *word != "--")
        .any(|word| word == "--json");
    call.words = words.to_vec();
    call.begin.get_or_insert_with(Instant::now);
}

/// Says what the flags ask for.
pub fn style(style: &OutputArguments) {
    let mut call = call();
    call.is_json = style.json;
    call.is_stream = style.events.as_deref() == Some(Path::new("-"));
}

/// Says what the call is about.
pub fn input(input: ReportedInput) {
    call().input = Some(input);
}

/// The words of the call, as the user and `yester.toml` say them.
pub fn words() -> Vec<OsString> {
    call().words.clone()
}

/// Whether the result is wanted as JSON.
pub fn wants_json() -> bool {
    let call = call();
    call.is_json || call.is_stream
}

/// A report of this call in which nothing has happened yet.
pub fn report<R>(status: Status) -> Report<R> {
    let call = call();
    let word = |word: &OsString| word.to_string_lossy().into_owned();
    let command = call.words.get(1).map(word);
    let is_name = |command: &String| !command.starts_with('-');
    Report {
        schema: SCHEMA,
        yester: VERSION,
        command: command.filter(is_name).unwrap_or("yester".to_owned()),
        call: std::iter::once("yester".to_owned())
            .chain(call.words.iter().skip(1).map(word))
            .collect(),
        input: call.input.clone(),
        status,
        trials: Trials::default(),
        passes: Vec::new(),
        seconds: call
            .begin
            .map_or(0.0, |begin| begin.elapsed().as_secs_f64()),
        result: None,
        run: None,
        failure: None,
        sure: None,
        also_seen: Vec::new(),
        error: None,
        next: String::new(),
    }
}

/// Prints a report as JSON, once. This is data and not made visible for a terminal. Whoever closes the pipe has seen enough.
pub fn print<R: Serialize>(report: &Report<R>) -> Result<Exit, Failure> {
    let is_stream = {
        let mut call = call();
        // The thread that ends a program that does not hear a signal may have been faster.
        if std::mem::replace(&mut call.is_told, true) {
            return Ok(Exit::Found);
        }
        call.is_stream
    };
    screen::close();
    let mut writer = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = match is_stream {
        true => write_as_event(report, &mut writer),
        // A trace may have millions of branches, which are not worth an indentation each.
        false if report.command == "trace" => report.write_json_line(&mut writer),
        false => report.write_json(&mut writer),
    };
    let written = written
        .and_then(|()| writer.write_all(b"\n"))
        .and_then(|()| writer.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("print the result", &error))
        }
        _ => Ok(Exit::Found),
    }
}

fn write_as_event<R: Serialize>(report: &Report<R>, writer: &mut impl Write) -> io::Result<()> {
    writer.write_all(br#"{"event":"report","report":"#)?;
    report.write_json_line(&mut *writer)?;
    writer.write_all(b"}")
}

/// Says how the call failed: as JSON, if that is wanted and no report was printed yet, and in words.
pub fn fail(failure: &Failure) {
    if wants_json() {
        // Where the result cannot be printed, the words are all there is.
        let _ = print(&failure.report::<()>());
    }
    failure.print();
}

/// Says as JSON that a bug of yester has ended the call. The words were said when it happened.
pub fn crashed() {
    if wants_json() {
        let failure = Failure {
            exit: Exit::Bug,
            ..Failure::usage("this is a bug in yester")
        };
        let _ = print(&failure.report::<()>());
    }
}
