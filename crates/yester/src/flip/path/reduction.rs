//! The failing input is reduced before paths are generated: a shorter run has fewer branches, and each of them matters more.

use std::ops::Range;
use std::time::Duration;

use yester_core::{Answer, Grouping, Limit, Outcome, Stop, Subset, Tester, ddmin};
use yester_path::InputSource;
use yester_run::{Ending, Observation, Signature};

use super::tree::cost;
use crate::failure::Failure;
use crate::flip::judge::{Judge, JudgedRun};
use crate::record::{ProgramInput, Recorder, Run};

/// An input of so many bytes is short enough.
const SHORT: usize = 8;
/// A longer input is reduced by its lines first, a shorter one by its bytes only.
const LONG: usize = 64;
/// So many candidates are run at once, whatever the number of jobs.
const BATCH: usize = 8;

/// So much time all runs may compute together.
const MOST_COST: Duration = Duration::from_secs(5);

/// What became of the input.
pub struct Reduction {
    /// The input, which may be the one that was given.
    pub input: ProgramInput,
    pub runs: usize,
}

/// Reduces what may vary of an input, by ddmin, with so many runs at most. It goes on to fail in the same way. Arguments stay as they
/// are.
pub fn reduce<'r>(
    recorder: &mut Recorder<'r>,
    judge: &mut Judge<'r>,
    input: &ProgramInput,
    symbolic: &[InputSource],
    most_runs: usize,
    timeout: Duration,
) -> Result<Reduction, Failure> {
    let mut reduction = Reduction {
        input: input.clone(),
        runs: 0,
    };
    // A user would have to judge each of them.
    if judge.is_human() {
        return Ok(reduction);
    }
    let mut failing = None;
    let mut spent = Duration::ZERO;
    for source in symbolic {
        for unit in [Unit::Line, Unit::Byte] {
            let Some(content) = reduction.input.content(source) else {
                continue;
            };
            let is_argument = matches!(source, InputSource::Argument(_));
            let is_long = content.len() > LONG;
            if is_argument || content.len() <= SHORT || (unit == Unit::Line && !is_long) {
                continue;
            }
            let pieces = unit.pieces(content);
            let mut bench = Bench {
                recorder,
                judge,
                source,
                pieces: &pieces,
                content: content.to_vec(),
                best: reduction.input.clone(),
                given: reduction.input.clone(),
                failing: failing.clone(),
                left: most_runs.saturating_sub(reduction.runs),
                used: 0,
                cost: &mut spent,
                timeout,
                failure: None,
            };
            if failing.is_none() {
                bench.failing = Some(bench.failure_of_given()?);
                failing.clone_from(&bench.failing);
            }
            let all = Subset::full(pieces.len());
            // What was accepted until a limit is reached counts.
            let _ = ddmin(&mut bench, &Grouping::flat(pieces.len()), &all);
            reduction.runs += bench.used;
            if let Some(failure) = bench.failure {
                return Err(failure);
            }
            reduction.input = bench.best;
        }
    }
    Ok(reduction)
}

/// What is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Line,
    Byte,
}

impl Unit {
    fn pieces(self, content: &[u8]) -> Vec<Range<usize>> {
        match self {
            Unit::Byte => (0..content.len()).map(|at| at..at + 1).collect(),
            Unit::Line => {
                let mut begin = 0;
                let lines = content.split_inclusive(|byte| *byte == b'\n');
                lines
                    .map(|line| {
                        begin += line.len();
                        begin - line.len()..begin
                    })
                    .collect()
            }
        }
    }
}

/// What has to stay as it is.
#[derive(Clone)]
enum SameFailure {
    Crash(Signature),
    Ending(Ending),
}

/// Tests inputs that have some pieces of one source.
struct Bench<'b, 'r> {
    recorder: &'b mut Recorder<'r>,
    judge: &'b mut Judge<'r>,
    source: &'b InputSource,
    pieces: &'b [Range<usize>],
    content: Vec<u8>,
    /// The shortest that fails.
    best: ProgramInput,
    given: ProgramInput,
    /// How the input fails.
    failing: Option<SameFailure>,
    /// How many runs are left.
    left: usize,
    used: usize,
    cost: &'b mut Duration,
    timeout: Duration,
    failure: Option<Failure>,
}

impl Bench<'_, '_> {
    fn input(&self, subset: &Subset) -> ProgramInput {
        let kept = subset
            .iter()
            .flat_map(|piece| &self.content[self.pieces[piece].clone()]);
        let mut input = self.given.clone();
        input.replace(self.source, kept.copied().collect());
        input
    }

    /// How the whole input fails.
    fn failure_of_given(&mut self) -> Result<SameFailure, Failure> {
        let given = self.given.clone();
        let observations = self.observe(&[given])?;
        let observation = &observations[0];
        let has_signature = matches!(observation.ending, Ending::Signal(_))
            || matches!(self.judge, Judge::Crash(_));
        Ok(match has_signature {
            true => SameFailure::Crash(Signature::of(observation, &[])),
            // What a shorter input prints is another text, and as wrong.
            false => SameFailure::Ending(observation.ending.clone()),
        })
    }

    fn observe(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Observation>, Failure> {
        self.used += inputs.len();
        self.left = self.left.saturating_sub(inputs.len());
        let runs: Vec<Run<'_>> = inputs
            .iter()
            .map(|input| Run {
                input,
                symbolic: &[],
                timeout: self.timeout,
            })
            .collect();
        let observations = self.recorder.observe_all(&runs)?;
        *self.cost += observations.iter().map(cost).sum::<Duration>();
        Ok(observations)
    }

    fn outcomes(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Outcome>, Failure> {
        let observations = self.observe(inputs)?;
        let runs: Vec<JudgedRun<'_>> = inputs
            .iter()
            .zip(&observations)
            .map(|(input, observation)| JudgedRun { input, observation })
            .collect();
        let mut outcomes = self.judge.outcomes(&runs)?;
        for (outcome, observation) in outcomes.iter_mut().zip(&observations) {
            let is_other = self.failing.as_ref().is_some_and(|failing| match failing {
                SameFailure::Crash(signature) => Signature::of(observation, &[]) != *signature,
                SameFailure::Ending(ending) => observation.ending != *ending,
            });
            if *outcome == Outcome::Fail && is_other {
                *outcome = Outcome::Unresolved;
            }
        }
        Ok(outcomes)
    }
}

impl Tester for Bench<'_, '_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        let found = self.first(&mut std::iter::once(subset.clone()), Outcome::Fail)?;
        Ok(Answer::known(match found {
            Some(_) => Outcome::Fail,
            None => Outcome::Unresolved,
        }))
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        let mut passed = 0;
        loop {
            let batch: Vec<Subset> = (0..BATCH).map_while(|_| candidates.next()).collect();
            let inputs: Vec<ProgramInput> = batch.iter().map(|one| self.input(one)).collect();
            if inputs.is_empty() {
                return Ok(None);
            }
            if self.left < inputs.len() || *self.cost > MOST_COST {
                return Err(Stop::Limit(Limit::Trials));
            }
            let outcomes = self.outcomes(&inputs).map_err(|failure| {
                self.failure = Some(failure);
                Stop::Interrupted
            })?;
            if let Some(index) = outcomes.iter().position(|outcome| *outcome == wanted) {
                if wanted == Outcome::Fail {
                    self.best = inputs[index].clone();
                }
                return Ok(Some(passed + index));
            }
            passed += inputs.len();
        }
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}
