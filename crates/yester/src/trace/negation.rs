//! Finds an input that takes the same path up to one constraint and the other outcome there, and confirms it by a run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_path::{
    Constraint, ConstraintKind, EventKind, InputSource, Model, PathCondition, ProgramInput, Query,
    Recording, RecordingError, Run, Solver, SolverAnswer, SolverError,
};

use super::job::TraceJob;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::record::{Recorded, Recorder};

/// An input that was found and run.
pub struct Negation {
    pub written: Vec<(InputSource, PathBuf)>,
    /// How many bytes differ.
    pub bytes: usize,
    /// How many branches went the same way before.
    pub same: u64,
    /// The CPU time of the run.
    pub cpu: Duration,
}

/// How far a run followed the path of another one.
#[derive(Debug, PartialEq, Eq)]
enum Followed {
    /// Up to the branch, which had another outcome, after this many equal branches.
    ToTheOtherWay(u64),
    /// Up to the branch, which had the same outcome.
    ToTheSameWay,
    /// For this many branches only.
    NotSoFar(u64),
}

/// Finds an input for the other outcome of a constraint, and writes it.
pub fn negate(
    index: usize,
    job: &TraceJob,
    recorder: &mut Recorder<'_>,
    recorded: &Recorded,
) -> Result<Negation, Failure> {
    let recording = &recorded.recording;
    let condition = PathCondition::new(&recording.graph, &recording.constraints);
    let constraint = checked(index, recording)?;
    let query = condition.negate(index).expect("it is of a branch");
    let mut solver = Solver::new(
        &recording.graph,
        recording.values(),
        job.arguments.solver.clone(),
        job.arguments.solver_timeout,
    );
    // A run that takes ten times as long does not follow the same path.
    let patience = recorded.observation.elapsed.saturating_mul(10) + Duration::from_secs(5);
    let timeout = job.arguments.timeout.unwrap_or(patience);
    let lengths = recording.lengths();
    let mut tried = None;
    let mut failure = None;
    // The first answer that is confirmed: an input of the same length rather than another one.
    for ranges in query.length_ranges(&lengths, &recording.argument_ends()) {
        let limited = query.clone().within(ranges);
        let model = match find(&condition, index, &limited, &mut solver, recording) {
            Ok(model) => model,
            Err(error) if error.exit == Exit::Usage => return Err(error),
            Err(error) => {
                failure = Some(error);
                continue;
            }
        };
        let input = job
            .input
            .changed(&recording.sources, &recording.input, &lengths, &model);
        let other = recorder.run(path_only(&input, timeout))?;
        let followed = follow(recording, &other.recording, constraint)?;
        let is_found = matches!(followed, Followed::ToTheOtherWay(_));
        tried = Some((input, other, followed));
        if is_found {
            break;
        }
    }
    let Some((input, other, followed)) = tried else {
        return Err(failure.expect("there is an attempt at least"));
    };
    if !matches!(followed, Followed::ToTheOtherWay(_)) {
        // Blame the program, not the constraint, if the old input does not take its path again either.
        let again = recorder.run(path_only(&job.input, timeout))?;
        let parting = first_difference(recording, &again.recording);
        if let Some(place) = parting? {
            return Err(Failure {
                exit: Exit::Limit,
                code: None,
                message: format!(
                    "the program does not take the same path twice: its runs on the same input part at {place}"
                ),
                evidence: Vec::new(),
                hint: Some(
                    "fix what differs between runs: time, random numbers, the order of threads"
                        .to_owned(),
                ),
            });
        }
    }
    let same = match followed {
        Followed::ToTheOtherWay(same) => same,
        Followed::ToTheSameWay => {
            return Err(gave_up(format!(
                "yester ran the solver's input, but [{index}] went the same way"
            )));
        }
        Followed::NotSoFar(branches) => {
            return Err(gave_up(format!(
                "yester ran the solver's input, but it left the path after {branches} branches, before [{index}]"
            )));
        }
    };
    Ok(Negation {
        bytes: job.input.differing_bytes(&input),
        written: write(job, &input)?,
        same,
        cpu: other.observation.cpu,
    })
}

/// A run that is compared with another one.
fn path_only(input: &ProgramInput, timeout: Duration) -> Run<'_> {
    Run {
        input,
        symbolic: &[],
        timeout,
    }
}

fn checked(index: usize, recording: &Recording) -> Result<&Constraint, Failure> {
    let constraints = &recording.constraints;
    let Some(constraint) = constraints.get(index) else {
        let failure = Failure::usage(format!("there is no constraint {index}"));
        return Err(match constraints.len() {
            0 => failure
                .hint("no branch depends on the input: choose with --symbolic what to follow"),
            count => failure.hint(format!("constraints are numbered 0 to {}", count - 1)),
        });
    };
    match constraint.kind {
        ConstraintKind::Branch if constraint.stream.is_none() => Err(gave_up(format!(
            "the recording ends before the branch of constraint {index}"
        ))
        .hint("set YESTER_RECORD_LIMIT=BYTES to record more")),
        ConstraintKind::Branch => Ok(constraint),
        ConstraintKind::Concretised => Err(Failure::usage(format!(
            "constraint {index} is not a branch: yester fixed a value there to what it was"
        ))
        .hint("choose a constraint that is not marked 'taken as it was'")),
    }
}

/// Asks the solver with all constraints before this one, and with fewer if that has no answer. The result is run in any case.
fn find(
    condition: &PathCondition<'_>,
    index: usize,
    query: &Query,
    solver: &mut Solver<'_>,
    recording: &Recording,
) -> Result<Model, Failure> {
    let missing = |error: SolverError| Failure::usage(&error).hint(error.hint());
    // An argument ends at a zero byte, so first ask for a model without any.
    let whole = Query {
        nonzero: query.bytes_of_arguments(&recording.input, &recording.sources),
        ..query.clone()
    };
    if !whole.nonzero.is_empty()
        && let SolverAnswer::Satisfiable(model) = solver.solve(&whole).map_err(missing)?
    {
        return Ok(model);
    }
    match solver.solve(query).map_err(missing)? {
        SolverAnswer::Satisfiable(model) => Ok(model),
        SolverAnswer::Unsatisfiable if query.concretised => {
            let freely = condition.negate_freely(index).expect("it is of a branch");
            let freely = freely.within(query.ranges.clone());
            match solver.solve(&freely).map_err(missing)? {
                SolverAnswer::Satisfiable(model) => Ok(model),
                SolverAnswer::Unsatisfiable => Err(none(index, query, recording)),
                SolverAnswer::Unknown(reason) => Err(gave_up(reason)),
            }
        }
        SolverAnswer::Unsatisfiable => Err(none(index, query, recording)),
        SolverAnswer::Unknown(reason) => {
            let alone = condition.negate_alone(index).expect("it is of a branch");
            let alone = alone.within(query.ranges.clone());
            match solver.solve(&alone).map_err(missing)? {
                SolverAnswer::Satisfiable(model) => Ok(model),
                SolverAnswer::Unsatisfiable => Err(none(index, query, recording)),
                SolverAnswer::Unknown(_) => Err(gave_up(reason)),
            }
        }
    }
}

/// Says that there is no such input only if nothing was lost and no value was fixed. How long the input is, is fixed unless
/// the question is about it.
fn none(index: usize, query: &Query, recording: &Recording) -> Failure {
    let of_length = |byte: &u32| recording.input[*byte as usize].of_length().is_some();
    let proved = if query.inputs.iter().any(of_length) {
        "no input of less than 16 MB takes"
    } else {
        "no input of the same length takes"
    };
    let (exit, message, hint) = if query.concretised || !recording.lost.is_empty() {
        (
            Exit::Limit,
            "found no input that takes",
            Some("one may exist: some values were taken as they were or lost, see the trace"),
        )
    } else {
        (Exit::Nothing, proved, None)
    };
    Failure {
        exit,
        code: None,
        message: format!("{message} the same path and the other way at [{index}]"),
        evidence: Vec::new(),
        hint: hint.map(str::to_owned),
    }
}

fn gave_up(message: String) -> Failure {
    Failure {
        exit: Exit::Limit,
        code: None,
        message,
        evidence: Vec::new(),
        hint: Some("try a longer --solver-timeout, or another --solver".to_owned()),
    }
}

/// Compares two runs up to the branch of a constraint.
fn follow(
    recording: &Recording,
    other: &Recording,
    constraint: &Constraint,
) -> Result<Followed, RecordingError> {
    let mut same = 0;
    let Some(stream) = constraint.stream.filter(|stream| *stream < other.streams()) else {
        return Ok(Followed::NotSoFar(same));
    };
    let mut events = other.events(stream)?;
    for event in recording.events(stream)? {
        let event = event?;
        let Some(seen) = events.next().transpose()? else {
            return Ok(Followed::NotSoFar(same));
        };
        if event.offset >= constraint.event {
            return Ok(match (event.kind, seen.kind) {
                (one, other) if one == other => Followed::ToTheSameWay,
                (
                    EventKind::Branch { function, site, .. },
                    EventKind::Branch {
                        function: other_function,
                        site: other_site,
                        ..
                    },
                ) if (function, site) == (other_function, other_site) => {
                    Followed::ToTheOtherWay(same)
                }
                _ => Followed::NotSoFar(same),
            });
        }
        if event.kind != seen.kind {
            return Ok(Followed::NotSoFar(same));
        }
        same += u64::from(matches!(event.kind, EventKind::Branch { .. }));
    }
    Ok(Followed::NotSoFar(same))
}

/// The first event that differs between two runs, by its place in the source.
fn first_difference(
    recording: &Recording,
    other: &Recording,
) -> Result<Option<String>, RecordingError> {
    for stream in 0..recording.streams().min(other.streams()) {
        let mut events = other.events(stream)?;
        for event in recording.events(stream)? {
            let event = event?;
            let seen = events.next().transpose()?;
            if seen.is_some_and(|seen| seen.kind == event.kind) {
                continue;
            }
            let (EventKind::Branch { function, site, .. } | EventKind::Call { function, site }) =
                event.kind
            else {
                return Ok(Some(format!("event {} of thread {stream}", event.offset)));
            };
            let function = recording.sites.function(function);
            let place = function.map(|function| {
                let site = &function.sites[site as usize];
                let file = function.file_of(site);
                format!("{file}:{}:{}, {}", site.line, site.column, function.name)
            });
            return Ok(place);
        }
    }
    Ok(None)
}

/// Writes every source that changed: the first one to `-o FILE`, the others next to it.
fn write(job: &TraceJob, input: &ProgramInput) -> Result<Vec<(InputSource, PathBuf)>, Failure> {
    let output = job.arguments.output.as_deref();
    let output = output.unwrap_or(Path::new("negated"));
    let mut written: Vec<(InputSource, PathBuf)> = Vec::new();
    for source in &job.arguments.symbolic {
        let (before, after) = (job.input.content(source), input.content(source));
        let known = written.iter().any(|(known, _)| known == source);
        let Some(content) = after.filter(|_| before != after && !known) else {
            continue;
        };
        let path = match written.len() {
            0 => output.to_owned(),
            count => {
                let mut name = output.as_os_str().to_owned();
                name.push(format!(".{}", count + 1));
                name.into()
            }
        };
        output::write(&path, content, 0o644)?;
        written.push((source.clone(), path));
    }
    Ok(written)
}
