//! The input that goes the same way up to one constraint and the other way there, seen to do so.

use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_path::{
    Answer, Condition, Constraint, Kind, Model, Query, Recording, RecordingError, Solver,
    SolverError, Source, Step,
};

use super::job::{Input, Job};
use super::stage::{Recorded, Stage, recording_failure};
use crate::failure::{Exit, Failure};
use crate::output;

/// What was found and run.
pub struct Negation {
    pub written: Vec<(Source, PathBuf)>,
    /// How many bytes differ.
    pub bytes: usize,
    /// How many branches went the same way before.
    pub same: u64,
    /// What the runs computed.
    pub cpu: Duration,
}

/// How far a run has followed another one.
#[derive(Debug, PartialEq, Eq)]
enum Followed {
    /// Up to the branch, which went another way.
    ToTheOtherWay(u64),
    /// Up to the branch, which went the same way.
    ToTheSameWay,
    /// So many branches only.
    NotSoFar(u64),
}

/// Finds the input that takes the other way at a constraint, and writes it.
pub fn negate(
    index: usize,
    job: &Job,
    stage: &mut Stage<'_>,
    recorded: &Recorded,
) -> Result<Negation, Failure> {
    let recording = &recorded.recording;
    let condition = Condition::new(&recording.graph, &recording.constraints);
    let constraint = checked(index, recording)?;
    let query = condition.negate(index).expect("it is of a branch");
    let mut solver = Solver::new(
        &recording.graph,
        recording.values(),
        job.arguments.solver.clone(),
        job.arguments.solver_timeout,
    );
    let model = find(&condition, index, &query, &mut solver, recording)?;
    let changes: Vec<_> = model
        .bytes()
        .map(|(byte, value)| (recording.input[byte as usize], value))
        .filter(|(byte, value)| byte.value != *value)
        .collect();
    let bytes = changes.len();
    let input = job.change(&recording.sources, changes);
    // As slow as ten times before, it is another run than was asked for.
    let patience = recorded.observation.elapsed.saturating_mul(10) + Duration::from_secs(5);
    let other = stage.try_out(&input, job.arguments.timeout.unwrap_or(patience))?;
    let followed = follow(recording, &other.recording, constraint)
        .map_err(|error| recording_failure(&error))?;
    let same = match followed {
        Followed::ToTheOtherWay(same) => same,
        Followed::ToTheSameWay => {
            return Err(gave_up(format!(
                "the solver's answer was run, but [{index}] went the same way"
            )));
        }
        Followed::NotSoFar(branches) => {
            return Err(gave_up(format!(
                "the solver's answer was run, but left the path after {branches} branches, before [{index}]"
            )));
        }
    };
    Ok(Negation {
        written: write(job, &input)?,
        bytes,
        same,
        cpu: other.observation.cpu,
    })
}

fn checked(index: usize, recording: &Recording) -> Result<&Constraint, Failure> {
    let constraints = &recording.constraints;
    let Some(constraint) = constraints.get(index) else {
        let failure = Failure::usage(format!("there is no constraint {index}"));
        return Err(match constraints.len() {
            0 => failure.hint("nothing depends on the input: say with --symbolic what to follow"),
            count => failure.hint(format!("they are counted from 0 to {}", count - 1)),
        });
    };
    match constraint.kind {
        Kind::Branch if constraint.stream.is_none() => Err(gave_up(format!(
            "the branch of constraint {index} came after the end of the recording"
        ))
        .hint("YESTER_RECORD_LIMIT=BYTES moves the end")),
        Kind::Branch => Ok(constraint),
        Kind::Concretised => Err(Failure::usage(format!(
            "constraint {index} is no branch: a value was taken there as it was"
        ))
        .hint("only constraints of branches have another way")),
    }
}

/// Asks for all constraints before. Where that has no answer, for less: what comes of it is run in any case.
fn find(
    condition: &Condition<'_>,
    index: usize,
    query: &Query,
    solver: &mut Solver<'_>,
    recording: &Recording,
) -> Result<Model, Failure> {
    let missing = |error: SolverError| Failure::usage(&error).hint(error.hint());
    // An argument ends at a zero, and what comes after it would be lost.
    let whole = Query {
        nonzero: arguments(&query.inputs, recording),
        ..query.clone()
    };
    if !whole.nonzero.is_empty()
        && let Answer::Satisfiable(model) = solver.solve(&whole).map_err(missing)?
    {
        return Ok(model);
    }
    match solver.solve(query).map_err(missing)? {
        Answer::Satisfiable(model) => Ok(model),
        Answer::Unsatisfiable if query.concretised => {
            let freely = condition.negate_freely(index).expect("it is of a branch");
            match solver.solve(&freely).map_err(missing)? {
                Answer::Satisfiable(model) => Ok(model),
                Answer::Unsatisfiable => Err(none(index, query, recording)),
                Answer::Unknown(reason) => Err(gave_up(reason)),
            }
        }
        Answer::Unsatisfiable => Err(none(index, query, recording)),
        Answer::Unknown(reason) => {
            let alone = condition.negate_alone(index).expect("it is of a branch");
            match solver.solve(&alone).map_err(missing)? {
                Answer::Satisfiable(model) => Ok(model),
                Answer::Unsatisfiable => Err(none(index, query, recording)),
                Answer::Unknown(_) => Err(gave_up(reason)),
            }
        }
    }
}

/// Those of these bytes that are in an argument and not behind its end.
fn arguments(inputs: &[u32], recording: &Recording) -> Vec<u32> {
    let inputs = inputs.iter().copied();
    inputs
        .filter(|byte| {
            let byte = &recording.input[*byte as usize];
            let is_argument = matches!(recording.sources[byte.source], Source::Argument(_));
            is_argument && byte.value != 0
        })
        .collect()
}

/// That there is none is sure only where everything was followed and nothing was taken as it was.
fn none(index: usize, query: &Query, recording: &Recording) -> Failure {
    let (message, hint) = match query.concretised || !recording.lost.is_empty() {
        false => ("no input goes", None),
        true => (
            "no input was found that goes",
            Some("what was taken as it was, or is listed as lost, may hide one"),
        ),
    };
    Failure {
        exit: Exit::Nothing,
        message: format!("{message} this way and the other way at [{index}]"),
        evidence: Vec::new(),
        hint: hint.map(str::to_owned),
    }
}

fn gave_up(message: String) -> Failure {
    Failure {
        exit: Exit::Limit,
        message,
        evidence: Vec::new(),
        hint: Some("--solver-timeout gives more time, --solver asks another one".to_owned()),
    }
}

/// Compares a run with the one before up to the branch of a constraint.
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
            return Ok(match (event.step, seen.step) {
                (one, other) if one == other => Followed::ToTheSameWay,
                (
                    Step::Branch { function, site, .. },
                    Step::Branch {
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
        if event.step != seen.step {
            return Ok(Followed::NotSoFar(same));
        }
        same += u64::from(matches!(event.step, Step::Branch { .. }));
    }
    Ok(Followed::NotSoFar(same))
}

/// Writes every source that has changed: the first to the file that was asked for, others beside it.
fn write(job: &Job, input: &Input) -> Result<Vec<(Source, PathBuf)>, Failure> {
    let output = job.arguments.output.as_deref();
    let output = output.unwrap_or(Path::new("negated"));
    let mut written: Vec<(Source, PathBuf)> = Vec::new();
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
