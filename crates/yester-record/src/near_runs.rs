//! Runs of the program on inputs near the user's, and what is right there.

use std::collections::HashSet;
use std::ops::Range;
use std::time::Duration;

use yester_core::Outcome;
use yester_path::intervention::search::{BatchRun, NearInput, Right, RightExit, RightOutput};
use yester_path::{InputSource, ProgramInput, Shown, near_inputs};
use yester_run::Ending;

use crate::error::RecordError;
use crate::intervener::{Intervener, InterventionRun, RunRequest};
use crate::recorder::Seen;

/// So many inputs are made, of which those are kept that tell the most.
const MOST_MADE: usize = 160;
/// So many inputs are kept on which the program fails, and so many others.
const MOST_FAILING: usize = 24;
const MOST_OTHERS: usize = 24;

/// Inputs near the user's.
pub struct NearRuns<'a> {
    given: &'a ProgramInput,
    /// What of the input varies.
    symbolic: &'a [InputSource],
    /// Runs a program that is right on any input, if somebody has one.
    reference: Option<Intervener<'a>>,
    /// The inputs that were kept, with what is right on them.
    kept: Vec<(ProgramInput, Vec<u8>)>,
}

impl<'a> NearRuns<'a> {
    /// For this input, of which these parts vary.
    pub fn new(
        given: &'a ProgramInput,
        symbolic: &'a [InputSource],
        reference: Option<Intervener<'a>>,
    ) -> NearRuns<'a> {
        NearRuns {
            given,
            symbolic,
            reference,
            kept: Vec::new(),
        }
    }

    /// Makes inputs, and keeps those of which it is known what is right, failing ones in turn with others. Different outputs tell more than the same one again. A failing run of the
    /// user's that crashed says that crashes are wrong.
    pub(crate) fn make(
        &mut self,
        intervener: &mut Intervener<'a>,
        has_crashed: bool,
        timeout: Duration,
    ) -> Result<Vec<NearInput>, RecordError> {
        let made = near_inputs(self.given, self.symbolic, MOST_MADE);
        let wanted: Vec<_> = made.iter().map(|one| (one, RunRequest::None)).collect();
        let seen = intervener.run_on(&wanted, timeout)?;
        check_not_lost(&seen)?;
        let rights: Vec<Option<Right>> = match &mut self.reference {
            Some(reference) => {
                let right = reference.run_on(&wanted, timeout)?;
                check_not_lost(&right)?;
                right.iter().map(|run| right_of(&run.observation)).collect()
            }
            None => {
                let right = |run: &InterventionRun| right_by_itself(&run.observation, has_crashed);
                seen.iter().map(right).collect()
            }
        };
        let is_known = has_crashed || self.reference.is_some();
        let (mut failing, mut others) = (Vec::new(), Vec::new());
        let mut shown = HashSet::new();
        for is_first_look in [true, false] {
            for (index, right) in rights.iter().enumerate() {
                let Some(right) = right.as_ref().filter(|right| right.is_in_records()) else {
                    continue;
                };
                let InterventionRun { observation, .. } = &seen[index];
                let is_new = shown.insert((observation.printed().digest, right.expected()));
                if is_new != is_first_look {
                    continue;
                }
                let outcome = match right.holds(observation) {
                    false => Outcome::Fail,
                    true if is_known => Outcome::Pass,
                    true => Outcome::Unresolved,
                };
                if outcome == Outcome::Fail {
                    failing.push((index, outcome, right));
                } else {
                    others.push((index, outcome, right));
                }
            }
        }
        let mut failing = failing.into_iter().take(MOST_FAILING);
        let mut others = others.into_iter().take(MOST_OTHERS);
        let mut found = Vec::new();
        loop {
            let turn = [failing.next(), others.next()];
            if turn.iter().all(Option::is_none) {
                break;
            }
            for (index, outcome, right) in turn.into_iter().flatten() {
                let right = right.clone();
                self.kept
                    .push((made[index].clone(), right.expected().to_vec()));
                found.push(NearInput { right, outcome });
            }
        }
        Ok(found)
    }

    /// Has the program itself carry out all interventions of a plan on some of them.
    pub(crate) fn carry_out(
        &self,
        intervener: &mut Intervener<'a>,
        plan: &str,
        inputs: Range<usize>,
        timeout: Duration,
    ) -> Result<Vec<BatchRun>, RecordError> {
        let kept = self.kept[inputs].iter();
        let wanted: Vec<_> = kept
            .map(|(input, expected)| (input, RunRequest::Batch { plan, expected }))
            .collect();
        let runs = intervener.run_on(&wanted, timeout)?;
        Ok(runs.into_iter().map(BatchRun::from).collect())
    }
}

/// Complains if the machine has lost a run: without it, other inputs would be kept.
fn check_not_lost(runs: &[InterventionRun]) -> Result<(), RecordError> {
    let is_lost = |run: &InterventionRun| run.observation.ending == Ending::Lost;
    if runs.iter().any(is_lost) {
        return Err(RecordError::NotStarted {
            what: "the program",
            reason: "its run was lost".to_owned(),
        });
    }
    Ok(())
}

/// What is right, if a program did this that is right on any input: it has to end by itself.
fn right_of(shown: &Seen) -> Option<Right> {
    let Ending::Exit(code) = shown.ending else {
        return None;
    };
    Some(Right {
        stdout: Some(RightOutput::of(shown)),
        exit: RightExit::Code(code),
    })
}

/// What is right as far as the program itself tells: not to crash, where it crashed on the user's input. Otherwise what it does has to do.
fn right_by_itself(shown: &Seen, has_crashed: bool) -> Option<Right> {
    match shown.ending {
        Ending::Signal(_) if has_crashed => Some(Right {
            stdout: None,
            exit: RightExit::Any,
        }),
        _ => right_of(shown),
    }
}
