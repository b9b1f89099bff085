//! The value that would have made a run right, computed rather than guessed.
//!
//! A recording of a run in which a value is followed has a source of input of its own, [`InputSource::Intervention`]: the number that was
//! added to the value. What the run printed and which way it went are expressions over that number, so a solver can say with which
//! number the output is what is expected ([`steps`]). Where no number does that on the path of the run, there are numbers that leave it, each at
//! another branch, and the runs with them are asked the same.

use std::time::Duration;

use super::inversion::Inversion;
use super::printed;
use super::profile::{PlaceKind, Profile};
use super::value::FAR;
use super::{Intervention, InterventionAction, Way};
use crate::condition::{Constraint, ConstraintKind};
use crate::expression::{Evaluator, ExpressionGraph, NodeId};
use crate::joint::Joint;
use crate::query::{Query, Term};
use crate::recording::{InputSource, OutputByte, Recording, RecordingError};
use crate::solver::{Solver, SolverAnswer, SolverError, SolverProgram};
use crate::value::ValueForm;

/// So many executions of a place are followed by themselves.
const MOST_INSTANCES: usize = 4;
/// From one run, at so many branches others are looked for, and so many are made.
const MOST_TURNED: usize = 8;
const MOST_LEFT: usize = 3;
/// Questions over more nodes take a solver too long.
const MOST_NODES: usize = 600;
/// Numbers up to this one are tried before the solver is asked, where that takes few steps.
const NEAR: i64 = 24;
const FEW_NODES: usize = 4000;

/// A number to add to the value that was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// With this one the output is what is expected, if the path stays.
    Right(u64),
    /// With this one the run goes another way.
    Leave(u64),
}

/// Whom to ask what cannot be computed back.
#[derive(Debug)]
pub struct SolverBudget<'a> {
    /// The solver.
    pub program: &'a SolverProgram,
    /// How long it may take for one question.
    pub limit: Duration,
    /// So many questions are left. Each may take as long as everything else.
    pub questions: u64,
}

/// Why no steps can be told.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The solver cannot be started.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

/// What can be followed: each value that was assigned, passed, returned or used as an index, at its last execution, at all of them, at the first
/// one, and at some in between. They are what they were: what to add is to be found.
pub fn followed(profile: &Profile) -> Vec<Intervention> {
    let mut moments: Vec<Vec<usize>> = vec![Vec::new(); profile.places.len()];
    for (moment, (place, _)) in profile.log.iter().enumerate() {
        moments[*place].push(moment);
    }
    let is_value = |index: &usize| {
        let place = &profile.places[*index];
        matches!(place.kind, PlaceKind::Store | PlaceKind::Value)
            && !matches!(
                place.form,
                ValueForm::Pointer | ValueForm::Integer { bits: 1, .. }
            )
    };
    let places: Vec<usize> = (0..moments.len()).filter(is_value).collect();
    let mut found = Vec::new();
    let mut add = |place: usize, time: Option<usize>| {
        let moment = moments[place][time.unwrap_or(0)];
        found.push(Intervention {
            process: profile.process,
            place,
            instances: time.map(|time| time as u64 + 1).into_iter().collect(),
            action: InterventionAction::Add(0),
            way: Way::Solved,
            moment,
        });
    };
    for round in 0..MOST_INSTANCES {
        for &place in &places {
            if let Some(time) = super::catalog::chosen(moments[place].len(), round, MOST_INSTANCES)
            {
                add(place, Some(time));
            }
        }
        if round == 0 {
            for &place in &places {
                // All bits of a floating point number would be greater, whatever it is.
                let is_integer = matches!(profile.places[place].form, ValueForm::Integer { .. });
                if moments[place].len() > 1 && is_integer {
                    add(place, None);
                }
            }
        }
    }
    found
}

/// What shows whether an execution that can be followed matters: with other values, near ones and far ones, something else is printed.
pub fn probes(profile: &Profile, followed: &Intervention) -> Vec<Intervention> {
    let value = profile.log[followed.moment].1;
    let actions: Vec<InterventionAction> = match profile.places[followed.place].form {
        ValueForm::Float => [1.0, FAR as f32, -FAR as f32]
            .map(|more| f32::from_bits(value as u32) + more)
            .map(|other| InterventionAction::Set(other.to_bits().into()))
            .to_vec(),
        ValueForm::Double => [1.0, FAR as f64, -FAR as f64]
            .map(|more| f64::from_bits(value) + more)
            .map(|other| InterventionAction::Set(other.to_bits()))
            .to_vec(),
        _ => [1, FAR, -FAR]
            .map(|more: i64| InterventionAction::Add(more.cast_unsigned()))
            .to_vec(),
    };
    let with = |action| Intervention {
        action,
        ..followed.clone()
    };
    actions.into_iter().map(with).collect()
}

/// An intervention that was followed with another number added. At one execution, the value is told.
#[must_use]
pub fn with_sum(profile: &Profile, followed: &Intervention, sum: u64) -> Intervention {
    let form = profile.places[followed.place].form;
    let action = if followed.instances.is_empty() {
        InterventionAction::Add(sum)
    } else {
        let value = profile.log[followed.moment].1.wrapping_add(sum);
        InterventionAction::Set(match form {
            ValueForm::Integer { bits, .. } => value & (u64::MAX >> (64 - bits)),
            ValueForm::Float => value & u64::from(u32::MAX),
            _ => value,
        })
    };
    Intervention {
        action,
        ..followed.clone()
    }
}

/// The interventions at one execution if a number is printed wrong: it is the number that is expected, or differs from what it was as the
/// numbers that are printed do. Printed floating point numbers have no expressions, so this is all that is known of them.
pub fn by_printed_numbers(
    profile: &Profile,
    followed: &Intervention,
    (printed, expected): (f64, f64),
) -> Vec<Intervention> {
    if followed.instances.is_empty() {
        return Vec::new();
    }
    let form = profile.places[followed.place].form;
    let value = profile.log[followed.moment].1;
    let number = match form {
        ValueForm::Integer { bits, .. } => {
            (value.cast_signed() << (64 - bits) >> (64 - bits)) as f64
        }
        ValueForm::Float => f64::from(f32::from_bits(value as u32)),
        ValueForm::Double => f64::from_bits(value),
        ValueForm::Pointer => return Vec::new(),
    };
    let difference = expected - printed;
    let others = [
        number + difference,
        expected,
        number * expected / printed,
        number - difference,
    ];
    let mut bits: Vec<u64> = Vec::new();
    for other in others.into_iter().filter(|other| other.is_finite()) {
        let other = match form {
            ValueForm::Integer { .. } if other.fract() != 0.0 => continue,
            ValueForm::Integer { bits, .. } => {
                (other as i64).cast_unsigned() & (u64::MAX >> (64 - bits))
            }
            ValueForm::Float => u64::from((other as f32).to_bits()),
            _ => other.to_bits(),
        };
        if other != value && !bits.contains(&other) {
            bits.push(other);
        }
    }
    let interventions = bits.into_iter().map(|bits| Intervention {
        action: InterventionAction::Set(bits),
        ..followed.clone()
    });
    interventions.collect()
}

/// The numbers at which two texts begin to differ.
pub fn differing_numbers(printed: &[u8], expected: &[u8]) -> Option<(f64, f64)> {
    let pairs = printed.iter().zip(expected);
    let common = pairs.take_while(|(one, other)| one == other).count();
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e');
    let before = printed[..common].iter().rev();
    let begin = common - before.take_while(|byte| is_part(byte)).count();
    let number = |text: &[u8]| {
        let text = &text[begin..];
        let end = text.iter().position(|byte| !is_part(byte));
        let text = str::from_utf8(&text[..end.unwrap_or(text.len())]).ok()?;
        text.parse::<f64>().ok()
    };
    Some((number(printed)?, number(expected)?)).filter(|(one, other)| one != other)
}

/// What to add next to the value that a recording follows, the most promising first. `added` is what was added in the recording. Where
/// nothing is right on its path, other paths are looked for if `leaves` says so.
///
/// # Errors
/// If the recording cannot be read, or the solver cannot be started.
pub fn steps(
    recording: &Recording,
    added: u64,
    expected: &[u8],
    budget: &mut SolverBudget<'_>,
    leaves: bool,
) -> Result<Vec<Step>, StepError> {
    if recording.input.is_empty() {
        return Ok(Vec::new());
    }
    let mut joint = Joint::new(&[recording]);
    let wanted = Wanted::of(recording, expected, &mut joint)?;
    let mut search = Search {
        graph: joint.graph(),
        places: places(&joint),
        input: joint.values(0),
        evaluator: Evaluator::new(joint.graph()),
        solver: Solver::new(
            joint.graph(),
            joint.values(0),
            budget.program.clone(),
            budget.limit,
        ),
        questions: budget.questions,
        added,
        found: Vec::new(),
    };
    let right = search.steps(&joint, &wanted, leaves);
    budget.questions -= search.solver.asked();
    Ok(right?)
}

/// What the output has to be.
#[derive(Default)]
struct Wanted {
    /// All of it is what is expected. None if that cannot be on this path.
    terms: Option<Vec<Term>>,
    /// That what is printed where the output goes wrong has the layout that it had.
    layout: Option<NodeId>,
    /// When that is printed, as an offset among the events.
    moment: Option<u64>,
}

impl Wanted {
    fn of(
        recording: &Recording,
        expected: &[u8],
        joint: &mut Joint,
    ) -> Result<Wanted, RecordingError> {
        let output = recording.output()?;
        let Some(target) = output.target(1) else {
            return Ok(Wanted::default());
        };
        let bytes: Vec<OutputByte> = output.bytes(target).collect();
        let pairs = bytes.iter().zip(expected);
        let common = pairs
            .take_while(|(one, right)| one.value == **right)
            .count();
        let wrong = bytes.get(common).map(|byte| &output.pieces[byte.piece]);
        let layout = wrong.and_then(|piece| piece.layout);
        let layout = layout.map(|layout| joint.run(0).node(layout));
        let terms = if output.is_whole(target) {
            printed::terms(&bytes, expected, joint)
        } else {
            None
        };
        Ok(Wanted {
            // Without any, nothing that is printed depends on the value.
            terms: terms.filter(|terms| !terms.is_empty()),
            layout,
            moment: wrong.map(|piece| piece.origin.event),
        })
    }
}

/// The bytes of the number that was added, the lowest first.
fn places(joint: &Joint) -> Vec<(u32, u64)> {
    let bytes = joint.input.iter().zip(0..);
    let bytes = bytes.filter(|(byte, _)| joint.sources[byte.source] == InputSource::Intervention);
    bytes.map(|(byte, index)| (index, byte.offset)).collect()
}

/// Looks for numbers.
struct Search<'g> {
    graph: &'g ExpressionGraph,
    places: Vec<(u32, u64)>,
    input: Vec<u8>,
    evaluator: Evaluator<'g>,
    solver: Solver<'g>,
    /// How many questions it may be asked.
    questions: u64,
    added: u64,
    found: Vec<u64>,
}

impl Search<'_> {
    fn steps(
        &mut self,
        joint: &Joint,
        wanted: &Wanted,
        leaves: bool,
    ) -> Result<Vec<Step>, SolverError> {
        let constraints = &joint.run(0).constraints;
        if let Some(terms) = &wanted.terms {
            let query = Query::new(joint.graph(), constraints.iter().copied(), terms);
            if let Some(sum) = self.sum(&query)? {
                return Ok(vec![Step::Right(sum)]);
            }
        }
        if !leaves {
            return Ok(Vec::new());
        }
        if let Some(layout) = wanted.layout {
            let query = Query::new(
                joint.graph(),
                constraints.iter().copied(),
                &[Term::not(layout)],
            );
            self.leave(&query)?;
        }
        // What was decided last before the output went wrong comes first.
        let decided = |constraint: &Constraint| {
            constraint.kind == ConstraintKind::Branch
                && wanted
                    .moment
                    .is_none_or(|moment| constraint.event <= moment)
        };
        let branches = (0..constraints.len()).rev();
        let branches = branches.filter(|index| decided(&constraints[*index]));
        for index in branches.take(MOST_TURNED) {
            if self.found.len() >= MOST_LEFT {
                break;
            }
            // Another outcome here and nowhere else, if that can be.
            let others = constraints
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != index);
            let others = others.map(|(_, constraint)| *constraint);
            let turned = Term::not(constraints[index].node);
            let alone = Query::new(joint.graph(), others, &[turned]);
            if !self.leave(&alone)? {
                self.leave(&joint.deviate(None, 0, index))?;
            }
        }
        Ok(self.found.iter().copied().map(Step::Leave).collect())
    }

    /// Notes a number that fulfils a query. False if there is none.
    fn leave(&mut self, query: &Query) -> Result<bool, SolverError> {
        let sum = self.sum(query)?;
        self.found
            .extend(sum.filter(|sum| !self.found.contains(sum)));
        Ok(sum.is_some())
    }

    /// A number that fulfils a query: computed back if that can be, then a small one, then whatever the solver says.
    fn sum(&mut self, query: &Query) -> Result<Option<u64>, SolverError> {
        let needed = self.graph.needed(query.terms.iter().map(|term| term.node));
        if needed.len() <= FEW_NODES {
            self.evaluator.compute(needed.iter().copied(), &self.input);
            let inversion = Inversion::new(self.graph, &self.evaluator, &self.places);
            let mut numbers = inversion.numbers(&query.terms);
            let near = (1..=NEAR).flat_map(|size| [size, -size]);
            numbers.extend(near.map(|more| self.added.wrapping_add_signed(more)));
            for sum in numbers {
                let mut input = self.input.clone();
                for (byte, offset) in &self.places {
                    input[*byte as usize] = sum.to_le_bytes()[*offset as usize];
                }
                if query.holds(self.graph, &mut self.evaluator, &input) {
                    return Ok(Some(sum));
                }
            }
        }
        if needed.len() > MOST_NODES || self.solver.asked() >= self.questions {
            return Ok(None);
        }
        Ok(match self.solver.solve(query)? {
            SolverAnswer::Satisfiable(model) => {
                let model = self.solver.nearer(query, &model, &[]);
                let input = self.solver.apply(&model);
                let mut bytes = [0; 8];
                for (byte, offset) in &self.places {
                    bytes[*offset as usize] = input[*byte as usize];
                }
                Some(u64::from_le_bytes(bytes))
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intervention::InterventionPlace;

    fn profile(form: &str, value: u64) -> Profile {
        Profile {
            process: 1,
            places: vec![InterventionPlace {
                module: 1,
                number: 0,
                kind: PlaceKind::Store,
                form: ValueForm::parse(form).expect("a form"),
                file: "a.c".to_owned(),
                line: 1,
                column: 1,
                function: "main".to_owned(),
                text: "x".to_owned(),
            }],
            counts: vec![1],
            relations: vec![0],
            log: vec![(0, value)],
            ..Profile::default()
        }
    }

    #[test]
    fn numbers_are_found_where_texts_begin_to_differ() {
        let found = |one: &str, other: &str| differing_numbers(one.as_bytes(), other.as_bytes());
        assert_eq!(found("sum 53\n", "sum 530\n"), Some((53.0, 530.0)));
        assert_eq!(found("a 1.25 b", "a 1.5 b"), Some((1.25, 1.5)));
        assert_eq!(found("x -3", "x -12"), Some((-3.0, -12.0)));
        assert_eq!(found("yes", "no"), None);
        assert_eq!(found("", ""), None);
        assert_eq!(found("7", "7"), None);
    }

    #[test]
    fn a_printed_number_tells_what_to_try() {
        let profile_of_integer = profile("i32", 40);
        let one = &followed(&profile_of_integer)[0];
        let tried = by_printed_numbers(&profile_of_integer, one, (20.0, 30.0));
        let actions: Vec<InterventionAction> = tried.iter().map(|one| one.action).collect();
        assert_eq!(actions, [50, 30, 60].map(InterventionAction::Set));
        let profile_of_double = profile("f64", 2.5_f64.to_bits());
        let one = &followed(&profile_of_double)[0];
        let tried = by_printed_numbers(&profile_of_double, one, (5.0, 6.0));
        assert_eq!(
            tried[2].action,
            InterventionAction::Set(3.0_f64.to_bits()),
            "what is printed is twice the value"
        );
    }

    #[test]
    fn a_sum_wraps_at_the_width_of_the_value() {
        let profile = profile("i8", 0xFF);
        let one = &followed(&profile)[0];
        assert_eq!(
            with_sum(&profile, one, 3).action,
            InterventionAction::Set(2)
        );
    }
}
