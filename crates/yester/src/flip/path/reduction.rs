//! The failing input is reduced before paths are generated: a shorter run has fewer branches, and each of them matters more.

use std::ops::Range;
use std::time::{Duration, Instant};

use yester_core::{Answer, Grouping, Limit, Outcome, Stop, Subset, Tester, ddmin};
use yester_path::InputSource;
use yester_run::{Ending, Observation};

use crate::failure::Failure;
use crate::flip::judge::{Judge, JudgedRun, SameFailure};
use crate::record::{ProgramInput, Recorder, Run};

/// An input of so many bytes is short enough.
const SHORT: usize = 8;
/// A longer input is reduced by its lines first, a shorter one by its bytes only.
const LONG: usize = 64;
/// So many candidates are run at once, whatever the number of jobs.
const BATCH: usize = 8;

/// So many runs may run out of time.
const MOST_HANGS: usize = 5;
/// So many events all runs may have together, if each has as many as the failing one.
const MOST_EVENTS: usize = 20_000_000;
/// A run that records more events than it may is taken for one of so many.
const CUT_EVENTS: usize = 1_000_000;

/// How far to go.
pub struct ReductionLimits {
    pub most_runs: usize,
    /// When to stop at the latest.
    pub deadline: Option<Instant>,
    /// How long a run may take.
    pub timeout: Duration,
}

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
    limits: &ReductionLimits,
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
    let mut hangs = 0;
    let mut most_runs = limits.most_runs;
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
                hangs: &mut hangs,
                limits,
                failure: None,
            };
            if failing.is_none() {
                let (failure, events) = bench.failure_of_given()?;
                most_runs = most_runs.min(MOST_EVENTS / events.max(1));
                bench.left = bench.left.min(most_runs);
                bench.failing = Some(failure);
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
    /// How many runs ran out of time.
    hangs: &'b mut usize,
    limits: &'b ReductionLimits,
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

    /// How the whole input fails, and how many events it takes.
    fn failure_of_given(&mut self) -> Result<(SameFailure, usize), Failure> {
        let given = self.given.clone();
        self.used += 1;
        let recorded = self.recorder.run(self.wanted(&given))?;
        let recording = &recorded.recording;
        let events = match recording.cut || recording.streams() != 1 {
            true => CUT_EVENTS,
            false => recording.events(0).map_or(CUT_EVENTS, Iterator::count),
        };
        let failure = self.judge.failure(&recorded.observation);
        Ok((failure, events))
    }

    fn wanted<'i>(&self, input: &'i ProgramInput) -> Run<'i> {
        Run {
            input,
            symbolic: &[],
            timeout: self.limits.timeout,
        }
    }

    fn observe(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Observation>, Failure> {
        self.used += inputs.len();
        self.left = self.left.saturating_sub(inputs.len());
        let runs: Vec<Run<'_>> = inputs.iter().map(|input| self.wanted(input)).collect();
        let observations = self.recorder.observe_all(&runs)?;
        let late = observations.iter();
        let late = late.filter(|observation| observation.ending == Ending::Timeout);
        *self.hangs += late.count();
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
            let failing = self.failing.as_ref();
            let is_other = failing.is_some_and(|failing| !failing.is_of(observation));
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
            let deadline = self.limits.deadline;
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if self.left < inputs.len() || *self.hangs >= MOST_HANGS || is_late {
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
