//! `yester explain`: two versions of a program, one input, and the place that makes them differ.

mod alternate;
mod answer;
mod definition;
mod forced;
mod job;
mod laboratory;
mod relevance;
mod round;
mod source;
mod suspect;
mod version;
mod written;

use std::ffi::OsString;
use std::path::Path;

use yester_report::ReportedInput;
use yester_run::Events;

use self::answer::Answer;
use self::definition::with_definitions;
use self::job::ExplainJob;
use self::laboratory::{NEW, OLD};
use self::round::Round;
use self::source::Sources;
use self::suspect::{Suspect, best};
use self::version::{Instrumentation, build};
use crate::call;
use crate::cli::{EvidenceChoice, ExplainArguments};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::output;
use crate::progress::Doing;
use crate::quote;
use crate::record::Workshop;

/// Runs `yester explain`.
pub fn run(arguments: ExplainArguments, start: &Path, events: &Events) -> Result<Exit, Failure> {
    interrupt::starts_over();
    let doing = Doing::new(events);
    doing.say("reading both versions");
    let job = ExplainJob::new(arguments, start)?;
    let words = [OLD, NEW].map(|version| OsString::from(&job.versions[version].word));
    call::input(ReportedInput {
        target: quote::command(words.iter().map(OsString::as_os_str)),
        test: quote::command(job.command.words.iter().map(OsString::as_os_str)),
        size: None,
        unit: None,
    });
    let mut workshop = Workshop::open("explain-build", &job.start, &job.arguments.trial)?;
    let mut rounds: Vec<Round> = Vec::new();
    let mut suspects: Vec<Suspect> = Vec::new();
    let mut sources = None;
    for instrumentation in [Instrumentation::Values, Instrumentation::Predicates] {
        let evidence = wanted(&job, instrumentation, suspects.is_empty());
        if evidence.is_empty() {
            continue;
        }
        let limit = job.arguments.program.build_timeout;
        doing.say_within("building both versions", "--build-timeout", Some(limit));
        let built = build(&mut workshop, &job, instrumentation)?;
        let sources = match &mut sources {
            Some(sources) => sources,
            none => none.insert(Sources::new(&job, &built)?),
        };
        let round = Round::new(&job, &built, &evidence, sources, &doing)?;
        let first = rounds.iter().map(|round| round.alternates.len()).sum();
        suspects.extend(round.suspects(sources, first));
        rounds.push(round);
    }
    let sources = sources.expect("there is a round at least");
    let mut forced_runs = 0;
    if job.arguments.by.contains(&EvidenceChoice::Forced) {
        let behaviours = &rounds[0].behaviours;
        let (found, runs) = forced::forced(&job, &mut workshop, behaviours, &sources, &doing)?;
        suspects.extend(found);
        forced_runs = runs;
    }
    let suspects = with_definitions(best(suspects), &sources);
    let report = Answer {
        job: &job,
        rounds: &rounds,
        suspects: &suspects,
        forced_runs,
    }
    .report(&sources)?;
    if call::wants_json() {
        call::print(&report)?;
    } else {
        let words = [&job.versions[OLD].word, &job.versions[NEW].word];
        output::print_text(&report.text(words.map(String::as_str)))?;
    }
    Ok(match suspects.is_empty() {
        true => Exit::Limit,
        false => Exit::Found,
    })
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
