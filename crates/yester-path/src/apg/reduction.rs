//! The failing input is reduced before paths are generated: a shorter run has fewer branches, and each of them matters more.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::input::ProgramInput;
use crate::program::{JudgedRun, Program, Run, RunEnd, Shown};
use crate::recording::InputSource;
use yester_core::{Answer, Grouping, Limit, Outcome, Stop, Subset, Tester, ddmin};

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
    /// How many runs there may be.
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
    /// How many runs it took.
    pub runs: usize,
}

/// Reduces what may vary of an input, by ddmin, with so many runs at most. It goes on to fail in the same way. Arguments stay as they
/// are.
///
/// # Errors
/// If the program ends the search.
pub fn reduce<P: Program>(
    program: &mut P,
    input: &ProgramInput,
    symbolic: &[InputSource],
    limits: &ReductionLimits,
) -> Result<Reduction, P::Stop> {
    let mut reduction = Reduction {
        input: input.clone(),
        runs: 0,
    };
    // A user would have to judge each of them.
    if program.is_judged_by_person() {
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
            let mut tester = InputTester {
                program,
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
                let (failure, events) = tester.failure_of_given()?;
                most_runs = most_runs.min(MOST_EVENTS / events.max(1));
                tester.left = tester.left.min(most_runs);
                tester.failing = Some(failure);
                failing.clone_from(&tester.failing);
            }
            let all = Subset::full(pieces.len());
            // What was accepted until a limit is reached counts.
            let _ = ddmin(&mut tester, &Grouping::flat(pieces.len()), &all);
            reduction.runs += tester.used;
            if let Some(failure) = tester.failure {
                return Err(failure);
            }
            reduction.input = tester.best;
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
struct InputTester<'b, P: Program> {
    program: &'b mut P,
    source: &'b InputSource,
    pieces: &'b [Range<usize>],
    content: Vec<u8>,
    /// The shortest that fails.
    best: ProgramInput,
    given: ProgramInput,
    /// How the input fails.
    failing: Option<P::Failure>,
    /// How many runs are left.
    left: usize,
    used: usize,
    /// How many runs ran out of time.
    hangs: &'b mut usize,
    limits: &'b ReductionLimits,
    failure: Option<P::Stop>,
}

impl<P: Program> InputTester<'_, P> {
    fn input(&self, subset: &Subset) -> ProgramInput {
        let kept = subset
            .iter()
            .flat_map(|piece| &self.content[self.pieces[piece].clone()]);
        let mut input = self.given.clone();
        input.replace(self.source, kept.copied().collect());
        input
    }

    /// How the whole input fails, and how many events it takes.
    fn failure_of_given(&mut self) -> Result<(P::Failure, usize), P::Stop> {
        let given = self.given.clone();
        self.used += 1;
        let recorded = self.program.record(self.wanted(&given))?;
        let recording = &recorded.recording;
        let events = if recording.cut || recording.streams() != 1 {
            CUT_EVENTS
        } else {
            recording.events(0).map_or(CUT_EVENTS, Iterator::count)
        };
        let failure = self.program.failure(&recorded.observation);
        Ok((failure, events))
    }

    fn wanted<'i>(&self, input: &'i ProgramInput) -> Run<'i> {
        Run {
            input,
            symbolic: &[],
            timeout: self.limits.timeout,
        }
    }

    fn observe(&mut self, inputs: &[ProgramInput]) -> Result<Vec<P::Shown>, P::Stop> {
        self.used += inputs.len();
        self.left = self.left.saturating_sub(inputs.len());
        let runs: Vec<Run<'_>> = inputs.iter().map(|input| self.wanted(input)).collect();
        let observations = self.program.observe_all(&runs)?;
        let late = observations.iter();
        let late = late.filter(|observation| observation.end() == RunEnd::Timeout);
        *self.hangs += late.count();
        Ok(observations)
    }

    fn outcomes(&mut self, inputs: &[ProgramInput]) -> Result<Vec<Outcome>, P::Stop> {
        let observations = self.observe(inputs)?;
        let runs: Vec<JudgedRun<'_, P::Shown>> = inputs
            .iter()
            .zip(&observations)
            .map(|(input, observation)| JudgedRun { input, observation })
            .collect();
        let mut outcomes = self.program.judge(&runs)?;
        for (outcome, observation) in outcomes.iter_mut().zip(&observations) {
            let failing = self.failing.as_ref();
            let is_other =
                failing.is_some_and(|failing| !self.program.fails_so(failing, observation));
            if *outcome == Outcome::Fail && is_other {
                *outcome = Outcome::Unresolved;
            }
        }
        Ok(outcomes)
    }
}

impl<P: Program> Tester for InputTester<'_, P> {
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
