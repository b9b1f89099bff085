//! Which input takes the path of a run up to one of its constraints, and the other way there? If there is none, which constraints
//! forbid it?

use crate::darwin::{Asking, nearest, shared_out};
use crate::joint::Joint;
use crate::solver::{Model, Solver, SolverAnswer, SolverError};

/// The answer for one constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// This input may go the other way. It has to be run: conditions know less than programs.
    Input(Model),
    /// No input does, since these constraints, as indices, contradict each other if the last of them is the other way round.
    Never(Vec<usize>),
    /// The solver does not know.
    Unknown,
}

/// The answers for some constraints of a run, in their order, each by itself.
///
/// # Errors
/// If the solver cannot be started.
pub fn turns(
    joint: &Joint,
    run: usize,
    constraints: &[usize],
    asking: &Asking,
) -> Result<Vec<Turn>, SolverError> {
    let answers = shared_out(constraints, asking, |chunk| {
        let mut solver = Solver::new(
            joint.graph(),
            joint.values(run),
            asking.program.clone(),
            asking.limit,
        );
        let answers = chunk.iter();
        answers
            .map(|constraint| turn(joint, run, *constraint, &mut solver))
            .collect()
    })?;
    Ok(answers.into_iter().flatten().collect())
}

fn turn(
    joint: &Joint,
    run: usize,
    constraint: usize,
    solver: &mut Solver<'_>,
) -> Result<Turn, SolverError> {
    let constraints = &joint.run(run).constraints;
    let node = constraints[constraint].node;
    let before = &constraints[..constraint];
    if let Some(same) = before.iter().position(|one| one.node == node) {
        // It was decided before, as in every round of a loop that does not change what it asks for.
        return Ok(Turn::Never(vec![same, constraint]));
    }
    let mut query = joint.deviate(None, run, constraint);
    let mut answer = nearest(joint, &query, solver)?;
    if answer == SolverAnswer::Unsatisfiable && query.concretised {
        // Values that were taken as they were may be others. The run will tell.
        query = joint.deviate_freely(None, run, constraint);
        answer = nearest(joint, &query, solver)?;
    }
    Ok(match answer {
        SolverAnswer::Satisfiable(model) => Turn::Input(model),
        SolverAnswer::Unknown(_) => Turn::Unknown,
        // Limits that are ours, such as a length, may have been in the way. The core is asked for without them.
        SolverAnswer::Unsatisfiable => match solver.core(&query)? {
            None => Turn::Unknown,
            Some(core) => {
                let given = core.iter().filter_map(|term| {
                    let node = query.terms[*term].node;
                    before.iter().position(|one| one.node == node)
                });
                let mut core: Vec<usize> = given.collect();
                core.sort_unstable();
                core.push(constraint);
                Turn::Never(core)
            }
        },
    })
}
