//! `yester trace`: one run of an instrumented program, its path and its path condition.

mod job;
mod negation;
mod selection;
mod view;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use yester_path::{PathCondition, Recording};
use yester_report::{
    Lost, Negated, NegatedSource, Report, ReportedInput, Status, TraceConditions, TraceResult,
    Trials, count, visible,
};
use yester_run::{Events, Sandbox, StepLimit};

use self::job::TraceJob;
use self::negation::Negation;
use self::selection::Selection;
use self::view::{ShownBranches, ShownConstraints};
use crate::call;
use crate::cli::TraceArguments;
use crate::failure::{Exit, Failure};
use crate::output::{self, print_text};
use crate::quote;
use crate::record::{Confinement, Recorded, Recorder, RecorderSettings, Run, recording_failure};
use crate::screen::{self, Tone};

/// Runs `yester trace`.
pub fn run(arguments: TraceArguments, start: &Path, events: &Events) -> Result<Exit, Failure> {
    let job = TraceJob::new(arguments, start)?;
    let command = quote::command(job.command.words.iter().map(OsString::as_os_str));
    call::input(ReportedInput {
        target: command.clone(),
        test: command,
        size: None,
        unit: None,
    });
    let limit = StepLimit {
        flag: "--timeout",
        time: job.arguments.timeout,
    };
    events.step("running the program", Some(limit));
    let confinement = Confinement::new(Sandbox::Auto, None, job.arguments.allow_writes);
    let mut recorder = Recorder::open(RecorderSettings {
        label: "trace",
        command: &job.command,
        start: &job.start,
        input: &job.input,
        in_copies: false,
        program_in_tree: None,
        environment: Vec::new(),
        jobs: 1,
        confinement: confinement.clone(),
        hint: "--timeout TIME stops the program after that time and shows what it did until then",
    })?;
    let recorded = recorder.run(Run {
        input: &job.input,
        symbolic: &job.arguments.symbolic,
        timeout: job.arguments.timeout.unwrap_or(Duration::MAX),
    })?;
    events.step("reading the recording", None);
    let recording = &recorded.recording;
    if job.arguments.output_style.verbose > 0 {
        show_output(&recorded);
    }
    check(recording)?;
    if !job.arguments.output_style.quiet {
        warn(&recorded);
    }
    if let Some(path) = &job.arguments.smt {
        output::write(path, recording.smt().as_bytes(), 0o644)?;
    }
    let index = job.arguments.negate;
    let negation = index.map(|index| negation::negate(index, &job, &mut recorder, &recorded));
    let (negation, failure) = match negation {
        // A usage error gives no report.
        Some(Err(failure)) if !matches!(failure.exit, Exit::Nothing | Exit::Limit) => {
            return Err(failure);
        }
        Some(Err(failure)) => (None, Some(failure)),
        Some(Ok(negation)) => (Some(negation), None),
        None => (None, None),
    };
    if let Some(note) = confinement.told() {
        events.say(&note);
    }
    let selection = Selection::new(&job.arguments.only, &job.start);
    let shown = ShownBranches {
        recording,
        selection: &selection,
    };
    let report = report(&job, &recorded, shown, negation.as_ref(), failure.as_ref())?;
    tell(&job, shown, &report)?;
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Exit::Found),
    }
}

/// Checks that the recorded constraints hold for the recorded input. If not, no conclusion from them is valid.
fn check(recording: &Recording) -> Result<(), Failure> {
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let wrong = condition.violated(&recording.values());
    let unsound = recording
        .lost
        .iter()
        .find(|loss| loss.what.starts_with("unsound"));
    let message = match (wrong, unsound) {
        (Some(index), _) => {
            format!("constraint {index} does not hold for the input of this run")
        }
        (None, Some(loss)) => format!("the program recorded: {} {}", loss.what, loss.place),
        (None, None) => return Ok(()),
    };
    Err(Failure {
        exit: Exit::Bug,
        code: None,
        message,
        evidence: Vec::new(),
        hint: Some("this is a bug in yester-cc; please report it with the program".to_owned()),
    })
}

fn warn(recorded: &Recorded) {
    if recorded.others > 0 {
        let others =
            count(recorded.others as u64, "other process").replace("processs", "processes");
        screen::say(
            Tone::Note,
            &format!("the program started {others}; this is the trace of the first process"),
        );
    }
    if recorded.recording.streams() > 1 {
        let threads = recorded.recording.streams();
        screen::say(
            Tone::Note,
            &format!("the program has {threads} threads; they are shown one after the other"),
        );
    }
}

fn show_output(recorded: &Recorded) {
    let observation = &recorded.observation;
    for capture in [&observation.stdout, &observation.stderr] {
        visible(&capture.text()).lines().for_each(screen::say_plain);
    }
}

type TraceReport<'a> = Report<TraceResult<ShownBranches<'a>, ShownConstraints<'a>>>;

fn report<'a>(
    job: &TraceJob,
    recorded: &'a Recorded,
    shown: ShownBranches<'a>,
    negation: Option<&Negation>,
    failure: Option<&Failure>,
) -> Result<TraceReport<'a>, Failure> {
    let recording = &recorded.recording;
    let losses = recording
        .losses()
        .map_err(|error| recording_failure(&error))?;
    let lost = losses.into_iter().map(|loss| Lost {
        what: loss.what,
        place: loss.place,
    });
    let cpu = recorded.observation.cpu + negation.map_or(Duration::ZERO, |negation| negation.cpu);
    let (constraints, hidden) = constraints(shown)?;
    let result = TraceResult {
        branches: shown,
        hidden,
        constraints,
        lost: lost.chain(unread(job, recording)).collect(),
        ending: recorded.observation.ending.to_string(),
        cut: recording.cut,
        other_processes: recorded.others,
        cpu_seconds: cpu.as_secs_f64(),
        negated: negation.map(|negation| Negated {
            constraint: job.arguments.negate.unwrap_or_default(),
            files: negation
                .written
                .iter()
                .map(|(source, path)| NegatedSource {
                    source: source.to_string(),
                    path: path.display().to_string(),
                })
                .collect(),
            bytes: negation.bytes,
            same_branches: negation.same,
        }),
    };
    let next = match negation {
        Some(negation) => job.command_on(&negation.written),
        None if result.constraints.has_branch() => {
            "--negate K -o FILE finds an input that goes the other way at [K]".to_owned()
        }
        None if job.arguments.symbolic.is_empty() => {
            "--symbolic stdin, file:PATH or arg:N shows what the branches ask of it".to_owned()
        }
        None => "nothing depends on what was followed: does the program read it?".to_owned(),
    };
    let status = match failure.map(|failure| failure.exit) {
        None => Status::Found,
        Some(Exit::Nothing) => Status::Nothing,
        Some(_) => Status::Limit,
    };
    Ok(Report {
        trials: Trials {
            run: 1 + u64::from(negation.is_some()),
            ..Trials::default()
        },
        result: Some(result),
        error: failure.map(Failure::reported),
        next,
        ..call::report(status)
    })
}

/// Sources of `--symbolic` that are not empty but of which nothing was seen. A library that is not instrumented may have read
/// them, as the C++ library does for `std::cin`.
fn unread(job: &TraceJob, recording: &Recording) -> impl Iterator<Item = Lost> {
    let is_seen = |number: usize| {
        let mut content = recording
            .input
            .iter()
            .filter(|byte| byte.of_length().is_none());
        content.any(|byte| byte.source == number)
    };
    let sources = recording.sources.iter().enumerate();
    let unread = sources.filter(move |(number, source)| {
        !is_seen(*number)
            && job
                .input
                .content(source)
                .is_some_and(|content| !content.is_empty())
    });
    unread.map(|(_, source)| Lost {
        what: format!("{source} was read by code that is not instrumented, or not at all"),
        place: String::new(),
    })
}

/// The path condition, and how many branches are hidden.
fn constraints(shown: ShownBranches<'_>) -> Result<(ShownConstraints<'_>, u64), Failure> {
    let recording = shown.recording;
    let mut branches = recording
        .branches_of_constraints()
        .map_err(|error| recording_failure(&error))?;
    let hidden = shown
        .selection
        .renumber(recording, &mut branches)
        .map_err(|error| recording_failure(&error))?;
    Ok((ShownConstraints::new(recording, branches), hidden))
}

fn tell(job: &TraceJob, shown: ShownBranches<'_>, report: &TraceReport<'_>) -> Result<(), Failure> {
    if call::wants_json() {
        return call::print(report).map(drop);
    }
    let result = report.result.as_ref().expect("it was recorded");
    let (lines, count) = view::branches(shown, &result.constraints, &job.start)
        .map_err(|error| recording_failure(&error))?;
    let mut text = report.summary(count);
    if job.arguments.negate.is_none() {
        text.push_str(&format!("\n{lines}"));
        if result.constraints.count() > 0 {
            text.push_str("\nThe path condition:\n");
            text.push_str(&view::condition(&result.constraints));
        }
    } else if report.error.is_some() {
        // The message on stderr says it all.
        return Ok(());
    }
    print_text(&text).map(drop)
}
