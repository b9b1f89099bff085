//! `yester trace`: one run of an instrumented program, its path and its path condition.

mod job;
mod negation;
mod view;

use std::ffi::OsString;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use yester_core::Outcome;
use yester_path::{PathCondition, Recording, Run, Selection};
use yester_record::{Confinement, ProgramSession, Recorded, Recorder, RecorderSettings, RunPlace};
use yester_report::{
    Answer, Lost, Negated, NegatedSource, Report, Status, Story, TraceConditions, TraceResult,
    count, quote, visible_line,
};
use yester_run::{Event, Events, Sandbox, Why};

use self::job::TraceJob;
use self::negation::Negation;
use self::view::{ShownBranches, ShownConstraints};
use crate::call::Call;
use crate::cli::TraceArguments;
use crate::driver::{Frame, RunSubject, RunTarget, Workplace, with_runs};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::output;
use crate::record::{Keeping, ProgramCommand, refusals};
use crate::runs::Extent;

/// Runs `yester trace`.
pub fn run(arguments: TraceArguments, call: &Call, events: &Events) -> Result<Finished, Failure> {
    let job = TraceJob::new(arguments, &call.start, events)?;
    let command = quote::command(job.command.words.iter().map(OsString::as_os_str));
    let name = job.run_name();
    let subject = RunSubject {
        name: &name,
        target: RunTarget {
            words: command.clone(),
            test: command,
        },
        size: None,
        extent: Extent::Trials { trials: 0 },
        baseline: RUNNING,
        whole: None,
        wanted: Outcome::Pass,
    };
    let command = ProgramCommand {
        subject,
        state: (&job.arguments.state_dir, true),
        workplace: Workplace {
            name: &name,
            jobs: 1,
            sandbox: Sandbox::Auto,
            keep: false,
        },
        files: job.command.files(&job.start)?,
        confinement: Confinement::new(None, job.arguments.allow_writes),
        keeping: Keeping::Nothing,
    };
    command.carry_out(call, events, |session, frame| {
        carry_out(&job, session, frame)
    })
}

/// What the first run does, in words.
const RUNNING: &str = "running the program";

/// Runs the program, and tells what it did.
fn carry_out(job: &TraceJob, session: &ProgramSession, frame: &Frame) -> Result<Finished, Failure> {
    let events = &frame.events;
    events.step_within(RUNNING, "--timeout", job.arguments.timeout);
    let mut recorder = Recorder::new(RecorderSettings {
        session,
        program: &job.command.program,
        name: &job.command.words[0],
        place: RunPlace::Here(&job.start),
        input: &job.input,
        // It is run once more, whatever earlier runs have shown.
        why: Why::Baseline,
        program_in_tree: None,
        environment: Vec::new(),
    });
    let recorded = recorder.run(Run {
        input: &job.input,
        symbolic: &job.arguments.symbolic,
        timeout: job.arguments.timeout.unwrap_or(Duration::MAX),
    });
    let recorded = recorded
        .map_err(Failure::from)
        .map_err(|failure| match failure.exit {
            Exit::Interrupted => failure.hint(
                "--timeout TIME stops the program after that time and shows what it did until then",
            ),
            _ => failure,
        })?;
    let recorded = Rc::new(recorded);
    events.step("reading the recording", None);
    let recording = &recorded.recording;
    if job.arguments.output_style.verbose > 0 {
        show_output(&recorded, events);
    }
    check(recording)?;
    warn(&recorded, events);
    if let Some(path) = &job.arguments.smt {
        output::write(path, recording.smt().as_bytes(), 0o644)?;
    }
    let index = job.arguments.negate;
    let negation = index.map(|index| negation::negate(index, job, &mut recorder, &recorded));
    let (negation, failure) = match negation {
        // A usage error gives no report.
        Some(Err(failure)) if !matches!(failure.exit, Exit::Nothing | Exit::Limit) => {
            return Err(failure);
        }
        Some(Err(failure)) => (None, Some(failure)),
        Some(Ok(negation)) => (Some(negation), None),
        None => (None, None),
    };
    if let Some(note) = refusals(session.confinement()) {
        events.say(&note);
    }
    let shown = ShownBranches {
        selection: Rc::new(Selection::new(&job.arguments.only, &job.start)),
        recorded,
    };
    let frame = frame.report(session.counts(), Vec::new());
    let found = (negation.as_ref(), failure.as_ref());
    let report = report((job, session), &shown, found, frame)?;
    Ok(match failure {
        Some(failure) => Finished::failed(failure, report),
        None => Finished::new(Exit::Found, report),
    })
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

fn warn(recorded: &Recorded, events: &Events) {
    if recorded.others > 0 {
        let others =
            count(recorded.others as u64, "other process").replace("processs", "processes");
        events.say(&format!(
            "the program started {others}; this is the trace of the first process"
        ));
    }
    if recorded.recording.streams() > 1 {
        let threads = recorded.recording.streams();
        events.say(&format!(
            "the program has {threads} threads; they are shown one after the other"
        ));
    }
}

fn show_output(recorded: &Recorded, events: &Events) {
    let observation = &recorded.observation;
    for capture in [&observation.stdout, &observation.stderr] {
        events.emit(&Event::Output(&capture.text()));
    }
}

/// What a trace shows.
pub struct Trace {
    shown: TraceResult<ShownBranches, ShownConstraints>,
    /// Where the user is.
    start: PathBuf,
    /// Whether another input was looked for.
    is_negated: bool,
    /// The recording is read while it is told, and its files go with the session.
    _session: ProgramSession,
}

impl Serialize for Trace {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown.serialize(serializer)
    }
}

impl Answer for Trace {
    // A trace may have millions of branches.
    const IS_LONG: bool = true;

    fn text(report: &Report<Trace>) -> String {
        let Some(trace) = &report.result else {
            return String::new();
        };
        // The message on stderr says it all.
        if trace.is_negated && report.error.is_some() {
            return String::new();
        }
        let (branches, constraints) = (&trace.shown.branches, &trace.shown.constraints);
        match view::branches(branches, constraints, &trace.start) {
            Ok((lines, count)) => {
                let mut text = trace.shown.summary(count, &report.next);
                if let Some(line) = report.page_line() {
                    text.push_str(&visible_line(&line));
                    text.push('\n');
                }
                if !trace.is_negated {
                    text.push_str(&format!("\n{lines}"));
                    if constraints.count() > 0 {
                        text.push_str("\nThe path condition:\n");
                        text.push_str(&view::condition(constraints));
                    }
                }
                text
            }
            // It was read before, and changes no more.
            Err(error) => format!("{error}\n"),
        }
    }

    fn story(report: &Report<Trace>) -> Story {
        let Some(trace) = &report.result else {
            return Story::default();
        };
        let shown = &trace.shown;
        let constraints = shown.constraints.count() as u64;
        let lost = shown.lost.iter();
        Story {
            headline: format!(
                "{} on the input, {}",
                count(constraints, "condition"),
                shown.ending
            ),
            doubts: lost
                .map(|lost| format!("not followed: {} {}", lost.what, lost.place))
                .collect(),
            ..Story::default()
        }
    }
}

type TraceReport = Report<Trace>;

fn report(
    (job, session): (&TraceJob, &ProgramSession),
    shown: &ShownBranches,
    (negation, failure): (Option<&Negation>, Option<&Failure>),
    frame: TraceReport,
) -> Result<TraceReport, Failure> {
    let recorded = &shown.recorded;
    let recording = shown.recording();
    let losses = recording.losses()?;
    let lost = losses.into_iter().map(|loss| Lost {
        what: loss.what,
        place: loss.place,
    });
    let cpu = recorded.observation.cpu + negation.map_or(Duration::ZERO, |negation| negation.cpu);
    let (constraints, hidden) = constraints(shown)?;
    let result = TraceResult {
        branches: shown.clone(),
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
        trials: with_runs(frame.trials, 1 + u64::from(negation.is_some())),
        status,
        result: Some(Trace {
            shown: result,
            start: job.start.clone(),
            is_negated: job.arguments.negate.is_some(),
            _session: session.clone(),
        }),
        error: failure.map(Failure::reported),
        next,
        ..frame
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
fn constraints(shown: &ShownBranches) -> Result<(ShownConstraints, u64), Failure> {
    let recording = shown.recording();
    let mut branches = recording.branches_of_constraints()?;
    let hidden = shown.selection.renumber(recording, &mut branches)?;
    Ok((
        ShownConstraints::new(Rc::clone(&shown.recorded), branches),
        hidden,
    ))
}
