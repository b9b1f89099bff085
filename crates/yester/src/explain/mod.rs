//! `yester explain`: two versions of a program, one input, and the place that makes them differ.

mod answer;
mod intervention;
mod job;
mod round;
mod source;
mod version;

use std::ffi::OsString;

use yester_core::Outcome;
use yester_path::explanation::{NEW, OLD, Suspect, best, with_definitions};
use yester_record::{ProgramSession, Workshop};
use yester_report::{ExplainReport, Status, quote};
use yester_run::Events;

use self::answer::Answer;
use self::job::ExplainJob;
use self::round::Round;
use self::source::Sources;
use self::version::{Instrumentation, build};
use crate::call::Call;
use crate::cli::{EvidenceChoice, ExplainArguments};
use crate::driver::{Frame, RunSubject, RunTarget, Workplace};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::record::{Keeping, ProgramCommand};
use crate::runs::Extent;

/// Runs `yester explain`.
pub fn run(arguments: ExplainArguments, call: &Call, events: &Events) -> Result<Finished, Failure> {
    events.step("reading both versions", None);
    let job = ExplainJob::new(arguments, &call.start)?;
    let words = [OLD, NEW].map(|version| OsString::from(&job.versions[version].word));
    let name = job.run_name()?;
    let subject = RunSubject {
        name: &name,
        target: RunTarget {
            words: quote::command(words.iter().map(OsString::as_os_str)),
            test: quote::command(job.command.words.iter().map(OsString::as_os_str)),
        },
        size: None,
        extent: Extent::Trials { trials: 0 },
        baseline: "running both versions on your input",
        whole: None,
        wanted: Outcome::Fail,
    };
    let arguments = &job.arguments;
    let command = ProgramCommand {
        subject,
        state: (&arguments.run.state_dir, arguments.run.fresh),
        workplace: Workplace::of(&arguments.trial, &name),
        files: job.files()?,
        confinement: job.confinement.clone(),
        keeping: Keeping::Within(&arguments.run),
    };
    command.carry_out(call, events, |session, frame| {
        let report = search(&job, session, frame)?;
        let exit = match report.status {
            Status::Found => Exit::Found,
            _ => Exit::Limit,
        };
        Ok(Finished::new(exit, report))
    })
}

/// From the job to its report.
fn search(
    job: &ExplainJob,
    session: &ProgramSession,
    frame: &Frame,
) -> Result<ExplainReport, Failure> {
    let events = &frame.events;
    let mut workshop = Workshop::open(session)?;
    let mut rounds: Vec<Round> = Vec::new();
    let mut suspects: Vec<Suspect> = Vec::new();
    let mut sources = None;
    for instrumentation in [Instrumentation::Values, Instrumentation::Predicates] {
        let evidence = wanted(job, instrumentation, suspects.is_empty());
        if evidence.is_empty() {
            continue;
        }
        let limit = job.arguments.program.build_timeout;
        events.step_within("building both versions", "--build-timeout", Some(limit));
        let built = build(&mut workshop, job, instrumentation)?;
        let sources = match &mut sources {
            Some(sources) => sources,
            none => none.insert(Sources::new(job, &built)?),
        };
        let round = Round::new((job, session), &built, &evidence, sources, events)?;
        let first = rounds.iter().map(|round| round.alternates.len()).sum();
        suspects.extend(round.suspects(sources, first));
        rounds.push(round);
    }
    let sources = sources.expect("there is a round at least");
    let mut intervention_runs = 0;
    if job.arguments.by.contains(&EvidenceChoice::Interventions) {
        let behaviours = &rounds[0].behaviours;
        let jobs = (job, session);
        let (found, runs) =
            intervention::interventions(jobs, &mut workshop, behaviours, &sources, events)?;
        suspects.extend(found);
        intervention_runs = runs;
    }
    let suspects = with_definitions(best(suspects), &sources);
    Answer {
        job,
        rounds: &rounds,
        suspects: &suspects,
        intervention_runs,
    }
    .report(&sources, frame.report(session.counts(), Vec::new()))
}

/// What a round looks for. Predicates take another build, so they are used only where they are asked for, or nothing else was found.
fn wanted(
    job: &ExplainJob,
    instrumentation: Instrumentation,
    is_nothing_found: bool,
) -> Vec<EvidenceChoice> {
    let by = &job.arguments.by;
    let of_round = |choice: &EvidenceChoice| {
        (*choice == EvidenceChoice::Predicates) == (instrumentation == Instrumentation::Predicates)
    };
    match (by.is_empty(), instrumentation) {
        (false, _) => by.iter().copied().filter(of_round).collect(),
        (true, Instrumentation::Values) => vec![EvidenceChoice::Branches, EvidenceChoice::Values],
        (true, Instrumentation::Predicates) if is_nothing_found => {
            vec![EvidenceChoice::Predicates]
        }
        (true, Instrumentation::Predicates) => Vec::new(),
    }
}
