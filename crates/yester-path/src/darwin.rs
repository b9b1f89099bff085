//! DARWIN's first phase, after Roychoudhury and Vaswani (2008): inputs that one version of a program cannot tell from the failing
//! input, and that the other version can.
//!
//! With f the path condition of the failing input in the version whose path is kept, and ψ₁ ∧ … ∧ ψₘ that in the version whose path
//! is left, each answer to f ∧ ψ₁ ∧ … ∧ ψᵢ₋₁ ∧ ¬ψᵢ is such an input. Only the constraints that share bytes with ψᵢ go to the
//! solver, so all other bytes stay as they are.
//!
//! Small changes are tried before the solver is asked ([`Query::nearby`]): they are what is wanted, and cost less.
//!
//! A ψᵢ that is a conjunct of f too cannot be left, and is not asked for. Of two versions that differ in a few lines that leaves a
//! few questions out of thousands.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::condition::ConstraintKind;
use crate::expression::Expression;
use crate::joint::Joint;
use crate::query::{ByteRange, Query};
use crate::solver::{Model, Solver, SolverAnswer, SolverError, SolverProgram};

/// So many questions go to one solver. A solver tries earlier answers first, so what it answers depends on what it was asked before;
/// this number makes the answers independent of the number of threads.
const QUESTIONS_OF_ONE_SOLVER: usize = 8;

/// Questions over more nodes than this are not put to the solver: it takes seconds to read them, whatever limit it has.
const MOST_NODES: usize = 600;

/// How to ask.
#[derive(Clone, Debug)]
pub struct Asking {
    /// The solver.
    pub program: SolverProgram,
    /// How long one question may take.
    pub limit: Duration,
    /// How many solvers may run at once.
    pub jobs: NonZero<usize>,
}

/// An input that leaves a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The constraint at which it does, by its index in the run whose path it leaves.
    pub constraint: usize,
    /// The bytes that differ, by their common numbers.
    pub model: Model,
}

/// Finds inputs that take the whole path of run `kept`, and leave that of run `left` at one of these constraints, each at another one.
/// They are candidates: conditions know less than programs, so each has to be run.
///
/// # Errors
/// If the solver cannot be started.
pub fn deviations(
    joint: &Joint,
    kept: Option<usize>,
    left: usize,
    constraints: &[usize],
    asking: &Asking,
) -> Result<Vec<Deviation>, SolverError> {
    let answers = shared_out(constraints, asking, |chunk| {
        answer(joint, kept, left, chunk, asking)
    })?;
    Ok(answers.into_iter().flatten().collect())
}

/// Answers questions about constraints, a few of them with one solver, as many solvers at once as there are jobs. The answers are in the
/// order of the constraints.
pub(crate) fn shared_out<T: Send>(
    constraints: &[usize],
    asking: &Asking,
    answer: impl Fn(&[usize]) -> Result<Vec<T>, SolverError> + Sync,
) -> Result<Vec<Vec<T>>, SolverError> {
    let chunks: Vec<&[usize]> = constraints.chunks(QUESTIONS_OF_ONE_SOLVER).collect();
    let next = AtomicUsize::new(0);
    let answers = Mutex::new((0..chunks.len()).map(|_| None).collect::<Vec<_>>());
    thread::scope(|scope| {
        for _ in 0..asking.jobs.get().min(chunks.len()) {
            scope.spawn(|| {
                while let Some((index, chunk)) = take(&next, &chunks) {
                    let answer = answer(chunk);
                    answers.lock().expect("no thread panics")[index] = Some(answer);
                }
            });
        }
    });
    let answers = answers.into_inner().expect("no thread panics").into_iter();
    answers
        .map(|answer| answer.expect("each has its answer"))
        .collect()
}

fn take<'c, T>(next: &AtomicUsize, all: &'c [T]) -> Option<(usize, &'c T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    all.get(index).map(|one| (index, one))
}

/// The constraints of run `left` that may be left on the path of run `kept`: branches that are not already decided by what was decided
/// before.
pub fn open_constraints(joint: &Joint, kept: usize, left: usize) -> Vec<usize> {
    let graph = joint.graph();
    // What was given, or asked before, holds on the path up to the question.
    let given = joint.run(kept).constraints.iter();
    let mut known: HashSet<_> = given.map(|constraint| constraint.node).collect();
    let constraints = joint.run(left).constraints.iter().enumerate();
    let open = constraints.filter(|(_, constraint)| {
        let is_constant = matches!(graph.expression(constraint.node), Expression::Constant(_));
        let is_new = known.insert(constraint.node);
        constraint.kind == ConstraintKind::Branch
            && constraint.stream.is_some()
            && is_new
            && !is_constant
    });
    open.map(|(index, _)| index).collect()
}

fn answer(
    joint: &Joint,
    kept: Option<usize>,
    left: usize,
    constraints: &[usize],
    asking: &Asking,
) -> Result<Vec<Deviation>, SolverError> {
    let mut solver = Solver::new(
        joint.graph(),
        joint.values(left),
        asking.program.clone(),
        asking.limit,
    );
    let mut found = Vec::new();
    for &constraint in constraints {
        let query = joint.deviate(kept, left, constraint);
        let mut answer = nearest(joint, &query, &mut solver)?;
        if answer == SolverAnswer::Unsatisfiable && query.concretised {
            // Values that were taken as they were may be others. The run will tell.
            let freely = joint.deviate_freely(kept, left, constraint);
            answer = nearest(joint, &freely, &mut solver)?;
        }
        if let SolverAnswer::Satisfiable(model) = answer {
            found.push(Deviation { constraint, model });
        }
    }
    Ok(found)
}

/// An input as near as possible to that of the run: a small change that is found by trying; otherwise the solver's, of the same lengths
/// if there is one, and without a zero in an argument.
pub(crate) fn nearest(
    joint: &Joint,
    query: &Query,
    solver: &mut Solver<'_>,
) -> Result<SolverAnswer, SolverError> {
    if let Some(model) = solver.nearby(query, &joint.input) {
        return Ok(SolverAnswer::Satisfiable(model));
    }
    let nodes = query.terms.iter().map(|term| term.node);
    if joint.graph().needed(nodes).len() > MOST_NODES {
        return Ok(SolverAnswer::Unknown("it is too big a question".to_owned()));
    }
    let ranges = query.length_ranges(&joint.lengths(), &joint.argument_ends());
    let Some((any, limited)) = ranges.split_last() else {
        return Ok(SolverAnswer::Unsatisfiable);
    };
    let within = |ranges: &Vec<ByteRange>| Query {
        nonzero: query.bytes_of_arguments(&joint.input, &joint.sources),
        ..query.clone().within(ranges.clone())
    };
    let (nearest, farther) = limited.split_at(limited.len().min(2));
    for ranges in nearest {
        let attempt = within(ranges);
        match solver.solve(&attempt)? {
            SolverAnswer::Satisfiable(model) => {
                let model = solver.nearer(&attempt, &model, &joint.input);
                return Ok(SolverAnswer::Satisfiable(model));
            }
            SolverAnswer::Unsatisfiable => {}
            SolverAnswer::Unknown(reason) => return Ok(SolverAnswer::Unknown(reason)),
        }
    }
    // Each attempt without an answer may take all the time that a question has: only where any length has one, the nearest is looked for.
    let attempt = within(any);
    let model = match solver.solve(&attempt)? {
        SolverAnswer::Satisfiable(model) => model,
        none => return Ok(none),
    };
    for ranges in farther {
        let attempt = within(ranges);
        match solver.solve(&attempt)? {
            SolverAnswer::Satisfiable(model) => {
                let model = solver.nearer(&attempt, &model, &joint.input);
                return Ok(SolverAnswer::Satisfiable(model));
            }
            SolverAnswer::Unsatisfiable => {}
            SolverAnswer::Unknown(_) => break,
        }
    }
    let model = solver.nearer(&attempt, &model, &joint.input);
    Ok(SolverAnswer::Satisfiable(model))
}
