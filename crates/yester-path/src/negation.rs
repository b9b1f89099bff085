//! Finds an input that takes the same path up to one constraint and the other outcome there, and confirms it by a run.

use std::time::Duration;

use thiserror::Error;

use crate::{
    Constraint, ConstraintKind, EventKind, Model, PathCondition, ProgramInput, Query, Recorded,
    Recording, RecordingError, Run, Solver, SolverAnswer, SolverError, SolverProgram,
};

/// Why there is no input that takes the other way.
#[derive(Debug, Error)]
pub enum NegationError {
    /// No constraint has this number.
    #[error("there is no constraint {index}")]
    NoConstraint {
        /// The number.
        index: usize,
        /// How many constraints there are.
        count: usize,
    },
    /// The branch is not in the recording.
    #[error("the recording ends before the branch of constraint {0}")]
    Cut(usize),
    /// The constraint says that a value was taken as it was.
    #[error("constraint {0} is not a branch: yester fixed a value there to what it was")]
    NotBranch(usize),
    /// No input was found, though one may exist.
    #[error("found no input that takes the same path and the other way at [{0}]")]
    NotFound(usize),
    /// There is no such input, of the same length or of any up to a limit.
    #[error("no input of {what} takes the same path and the other way at [{index}]")]
    Impossible {
        /// The constraint.
        index: usize,
        /// Which inputs were asked about.
        what: &'static str,
    },
    /// The program does something else each time.
    #[error(
        "the program does not take the same path twice: its runs on the same input part at {0}"
    )]
    Unsteady(String),
    /// The solver or the program did something else than expected.
    #[error("{0}")]
    GaveUp(String),
    /// The solver cannot be used.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// A recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}

/// An input that was found and run.
pub struct NegatedInput<S> {
    /// The input.
    pub input: ProgramInput,
    /// What the program did on it.
    pub run: Recorded<S>,
    /// How many branches went the same way before.
    pub same: u64,
}

/// The search for an input that takes another path than a run.
pub struct Negation<'a, S> {
    /// The run.
    pub recorded: &'a Recorded<S>,
    /// Its input.
    pub input: &'a ProgramInput,
    /// Who solves.
    pub solver: SolverProgram,
    /// How long each question may take.
    pub limit: Duration,
    /// How long a run may take.
    pub timeout: Duration,
}

/// So many lists of lengths are the nearest ones.
const AFTER_NEAREST: usize = 2;
/// After so many questions without an answer, or inputs that went another way than was asked for, only any length is asked for.
const MOST_UNKNOWN: usize = 2;
const MOST_UNCONFIRMED: usize = 24;

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

impl<S> Negation<'_, S> {
    /// Finds an input for the other outcome of a constraint, and runs it.
    ///
    /// # Errors
    /// If there is none, if none was found, or if a run fails.
    pub fn find<E: From<NegationError>>(
        &self,
        index: usize,
        run: &mut dyn FnMut(Run<'_>) -> Result<Recorded<S>, E>,
    ) -> Result<NegatedInput<S>, E> {
        let recording = &self.recorded.recording;
        let condition = PathCondition::new(&recording.graph, &recording.constraints);
        let constraint = checked(index, recording)?;
        let query = condition.negate(index).expect("it is of a branch");
        let mut solver = Solver::new(
            &recording.graph,
            recording.values(),
            self.solver.clone(),
            self.limit,
        );
        let lengths = recording.lengths();
        let mut tried: Option<(ProgramInput, Recorded<S>, Followed)> = None;
        let mut failure = None;
        let mut runs = 0;
        let mut unknown = 0;
        // The first answer that is confirmed: an input of the same length rather than another one, and of the others the nearest.
        let all = query.length_ranges(&lengths, &recording.argument_ends());
        for (number, ranges) in all.iter().enumerate() {
            let is_last = number + 1 == all.len();
            let limited = query.clone().within(ranges.clone());
            if number == AFTER_NEAREST && !is_last {
                // Where no length at all will do, nobody has to look for the nearest.
                match find(&condition, index, &query, &mut solver, recording) {
                    Ok(_) => {}
                    Err(error @ NegationError::Solver(_)) => return Err(error.into()),
                    Err(error) => {
                        failure = Some(error);
                        break;
                    }
                }
            }
            if !is_last && (unknown > MOST_UNKNOWN || runs > MOST_UNCONFIRMED) {
                continue;
            }
            let model = match find(&condition, index, &limited, &mut solver, recording) {
                Ok(model) => model,
                Err(error @ NegationError::Solver(_)) => return Err(error.into()),
                Err(error) => {
                    unknown += usize::from(matches!(error, NegationError::GaveUp(_)));
                    failure = Some(error);
                    continue;
                }
            };
            let input = self
                .input
                .changed(&recording.sources, &recording.input, &lengths, &model);
            if tried.as_ref().is_some_and(|(known, ..)| *known == input) {
                continue;
            }
            let other = run(self.path_only(&input))?;
            let followed = follow(recording, &other.recording, constraint);
            let followed = followed.map_err(NegationError::from)?;
            let is_found = matches!(followed, Followed::ToTheOtherWay(_));
            tried = Some((input, other, followed));
            runs += 1;
            if is_found {
                break;
            }
        }
        let Some((input, other, followed)) = tried else {
            return Err(failure.expect("there is an attempt at least").into());
        };
        if !matches!(followed, Followed::ToTheOtherWay(_)) {
            // Blame the program, not the constraint, if the old input does not take its path again either.
            let again = run(self.path_only(self.input))?;
            let parting = parting_place(recording, &again.recording);
            if let Some(place) = parting.map_err(NegationError::from)? {
                return Err(NegationError::Unsteady(place).into());
            }
        }
        match followed {
            Followed::ToTheOtherWay(same) => Ok(NegatedInput {
                input,
                run: other,
                same,
            }),
            Followed::ToTheSameWay => Err(NegationError::GaveUp(format!(
                "yester ran the solver's input, but [{index}] went the same way"
            ))
            .into()),
            Followed::NotSoFar(branches) => Err(NegationError::GaveUp(format!(
                "yester ran the solver's input, but it left the path after {branches} branches, before [{index}]"
            ))
            .into()),
        }
    }

    /// A run that is compared with another one.
    fn path_only<'i>(&self, input: &'i ProgramInput) -> Run<'i> {
        Run {
            input,
            symbolic: &[],
            timeout: self.timeout,
        }
    }
}

fn checked(index: usize, recording: &Recording) -> Result<&Constraint, NegationError> {
    let constraints = &recording.constraints;
    let Some(constraint) = constraints.get(index) else {
        let count = constraints.len();
        return Err(NegationError::NoConstraint { index, count });
    };
    match constraint.kind {
        ConstraintKind::Branch if constraint.stream.is_none() => Err(NegationError::Cut(index)),
        ConstraintKind::Branch => Ok(constraint),
        ConstraintKind::Concretised => Err(NegationError::NotBranch(index)),
    }
}

/// Tries small changes, asks the solver with all constraints before this one, and with fewer if that has no answer. The result is as
/// near to the input of the run as can be had by trying, and is run in any case.
fn find(
    condition: &PathCondition<'_>,
    index: usize,
    query: &Query,
    solver: &mut Solver<'_>,
    recording: &Recording,
) -> Result<Model, NegationError> {
    let known = &recording.input;
    // An argument ends at a zero byte, so first ask for a model without any.
    let whole = Query {
        nonzero: query.bytes_of_arguments(known, &recording.sources),
        ..query.clone()
    };
    if let Some(model) = solver.nearby(&whole, known) {
        return Ok(model);
    }
    if !whole.nonzero.is_empty()
        && let SolverAnswer::Satisfiable(model) = solver.solve(&whole)?
    {
        return Ok(solver.nearer(&whole, &model, known));
    }
    match solver.solve(query)? {
        SolverAnswer::Satisfiable(model) => Ok(solver.nearer(query, &model, known)),
        SolverAnswer::Unsatisfiable if query.concretised => {
            let freely = condition.negate_freely(index).expect("it is of a branch");
            let freely = freely.within(query.ranges.clone());
            match solver.solve(&freely)? {
                SolverAnswer::Satisfiable(model) => Ok(solver.nearer(&freely, &model, known)),
                SolverAnswer::Unsatisfiable => Err(none(index, query, recording)),
                SolverAnswer::Unknown(reason) => Err(NegationError::GaveUp(reason)),
            }
        }
        SolverAnswer::Unsatisfiable => Err(none(index, query, recording)),
        SolverAnswer::Unknown(reason) => {
            let alone = condition.negate_alone(index).expect("it is of a branch");
            let alone = alone.within(query.ranges.clone());
            match solver.solve(&alone)? {
                SolverAnswer::Satisfiable(model) => Ok(solver.nearer(&alone, &model, known)),
                SolverAnswer::Unsatisfiable => Err(none(index, query, recording)),
                SolverAnswer::Unknown(_) => Err(NegationError::GaveUp(reason)),
            }
        }
    }
}

/// Says that there is no such input only if nothing was lost and no value was fixed. How long the input is, is fixed unless
/// the question is about it.
fn none(index: usize, query: &Query, recording: &Recording) -> NegationError {
    if query.concretised || !recording.lost.is_empty() {
        return NegationError::NotFound(index);
    }
    let of_length = |byte: &u32| recording.input[*byte as usize].of_length().is_some();
    let what = if query.inputs.iter().any(of_length) {
        "less than 16 MB"
    } else {
        "the same length"
    };
    NegationError::Impossible { index, what }
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
fn parting_place(
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
