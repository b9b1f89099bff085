//! The tree of runs: each was made from another one by turning a branch, and begins like that one.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

use yester_core::Outcome;

use super::taken::{ChangedBranch, TakenRun};
use super::work::{Limit, Work};
use crate::alignment::Distance;
use crate::darwin::Asking;
use crate::input::ProgramInput;
use crate::joint::Joint;
use crate::program::{JudgedRun, Program, Run, RunEnd, Shown};
use crate::recording::InputSource;
use crate::turn::{Turn, turns};

/// The failing run.
pub(super) const FAILING: usize = 0;

/// So many runs are kept with all that was recorded. Others are recorded again when they are needed.
const MOST_KEPT: usize = 24;
/// So many events and nodes the runs that are kept may have together.
const BIGGEST_KEPT: usize = 8_000_000;

/// How to make runs, and how many.
pub struct PathSettings<'a> {
    /// What of the input may vary.
    pub symbolic: &'a [InputSource],
    /// How the solver is asked.
    pub asking: Asking,
    /// How long a run may take at most. It takes much longer than others, since its input is followed.
    pub timeout: Duration,
    /// How many runs may be made.
    pub most_runs: usize,
    /// When to stop at the latest.
    pub deadline: Option<Instant>,
}

/// Why the search ends early.
pub(super) enum Stop<E> {
    /// All runs or questions are used up.
    Budget,
    Failed(E),
}

/// Something that ends the search for good.
pub(super) fn failed<E: From<X>, X>(error: X) -> Stop<E> {
    Stop::Failed(error.into())
}

/// A run that was made.
pub(super) struct MadeRun<S> {
    pub input: ProgramInput,
    pub observation: S,
    /// The branches of the failing run that go another way. Empty if none does.
    pub changed: Vec<ChangedBranch>,
    /// The branch of the failing run, if it was one, that was turned first to make it.
    pub cause: Option<usize>,
    /// What the judge says, once it was asked.
    outcome: Option<Outcome>,
}

impl<S> MadeRun<S> {
    pub fn distance(&self) -> Distance {
        Distance(self.changed.iter().map(|one| one.event).collect())
    }
}

/// What turning a branch of a run leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// This run.
    Run(usize),
    /// Nothing: no input does that, since these events of the run contradict it.
    Never(Vec<usize>),
    /// Nothing: after what came before, the input does not matter any more.
    Decided,
    /// Nothing that is known.
    Unknown,
}

/// All runs that were made.
pub(super) struct Tree<'a, P: Program> {
    settings: &'a PathSettings<'a>,
    program: &'a mut P,
    pub failing: Rc<TakenRun<P::Shown>>,
    /// The first is the failing run.
    pub runs: Vec<MadeRun<P::Shown>>,
    known: HashMap<ProgramInput, usize>,
    turned: HashMap<(usize, usize), Next>,
    /// The latest is the last.
    kept: VecDeque<(usize, Rc<TakenRun<P::Shown>>)>,
    pub work: Work,
    /// How many runs there may be by now.
    pub allowed: usize,
    /// What was in the way of more work.
    pub stopped_by: Option<Limit>,
    /// The distance of the nearest that succeeds.
    nearest: Option<Distance>,
    timeout: Duration,
}

impl<'a, P: Program> Tree<'a, P> {
    /// Records the failing run.
    pub fn new(
        settings: &'a PathSettings<'a>,
        program: &'a mut P,
        input: &ProgramInput,
    ) -> Result<Tree<'a, P>, P::Stop> {
        let recorded = program.record(Run {
            input,
            symbolic: settings.symbolic,
            timeout: settings.timeout,
        })?;
        let observation = recorded.observation.clone();
        // A run that takes much longer will not be the nearest one.
        let patience = match observation.end() {
            RunEnd::Timeout => Duration::from_secs(1),
            _ => observation.elapsed() * 5 + Duration::from_secs(2),
        };
        let failing = TakenRun::failing(recorded)?;
        let mut work = Work::default();
        work.runs += 1;
        work.ran(&observation, failing.size());
        let run = MadeRun {
            input: input.clone(),
            observation,
            changed: Vec::new(),
            cause: None,
            outcome: Some(Outcome::Fail),
        };
        Ok(Tree {
            settings,
            program,
            failing: Rc::new(failing),
            runs: vec![run],
            known: [(input.clone(), FAILING)].into(),
            turned: HashMap::new(),
            kept: VecDeque::new(),
            work,
            allowed: settings.most_runs,
            stopped_by: None,
            nearest: None,
            timeout: patience.min(settings.timeout),
        })
    }

    /// How many runs may still be made.
    fn room(&mut self) -> usize {
        let (room, limit) = self.work.room(self.allowed, self.settings.deadline);
        if room == 0 {
            self.stopped_by = Some(limit);
        }
        room
    }

    /// Turns branches of the failing run, each by itself.
    pub fn turn_all(&mut self, events: &[usize]) -> Result<(), Stop<P::Stop>> {
        let failing = Rc::clone(&self.failing);
        let open = events.iter().copied();
        let open = open.filter(|event| !self.turned.contains_key(&(FAILING, *event)));
        let open: Vec<usize> = open.collect();
        let joint = failing.joint();
        let constraints = open.iter().filter_map(|event| failing.constraint(*event));
        let constraints: Vec<usize> = constraints.collect();
        let room = self.room();
        if room == 0 {
            return Err(Stop::Budget);
        }
        let answers = self.ask(joint, &constraints)?;
        let mut wanted = Vec::new();
        for (event, answer) in open.iter().zip(answers) {
            match self.next(FAILING, &failing, answer) {
                Ok(input) => wanted.push((*event, input)),
                Err(next) => {
                    self.turned.insert((FAILING, *event), next);
                }
            }
        }
        let is_short = wanted.len() > room;
        if is_short {
            self.stopped_by = Some(Limit::Runs);
        }
        wanted.truncate(room);
        self.make(FAILING, wanted)?;
        if is_short { Err(Stop::Budget) } else { Ok(()) }
    }

    /// Turns a branch of a run.
    pub fn turn(&mut self, run: usize, event: usize) -> Result<Next, Stop<P::Stop>> {
        if let Some(next) = self.turned.get(&(run, event)) {
            return Ok(next.clone());
        }
        if self.room() == 0 {
            return Err(Stop::Budget);
        }
        let taken = self.taken(run)?;
        let Some(constraint) = taken.constraint(event) else {
            let next = if taken.is_whole() {
                Next::Decided
            } else {
                Next::Unknown
            };
            self.turned.insert((run, event), next.clone());
            return Ok(next);
        };
        let joint = taken.joint();
        let mut answers = self.ask(joint, &[constraint])?;
        let answer = answers.pop().unwrap_or(Turn::Unknown);
        match self.next(run, &taken, answer) {
            Ok(input) => self.make(run, vec![(event, input)])?,
            Err(next) => {
                self.turned.insert((run, event), next);
            }
        }
        Ok(self.turned[&(run, event)].clone())
    }

    /// Asks how to turn branches of a run.
    fn ask(&mut self, joint: &Joint, constraints: &[usize]) -> Result<Vec<Turn>, Stop<P::Stop>> {
        self.work.asked(constraints.len(), joint.graph().len());
        let answers = turns(joint, 0, constraints, &self.settings.asking).map_err(failed)?;
        let unanswered = answers.iter().filter(|answer| **answer == Turn::Unknown);
        self.work.stayed_unanswered(unanswered.count());
        Ok(answers)
    }

    /// The input that an answer of the solver stands for.
    fn next(
        &self,
        run: usize,
        taken: &TakenRun<P::Shown>,
        answer: Turn,
    ) -> Result<ProgramInput, Next> {
        match answer {
            Turn::Input(model) => {
                let joint = taken.joint();
                let lengths = joint.lengths();
                let input = &self.runs[run].input;
                Ok(input.changed(&joint.sources, &joint.input, &lengths, &model))
            }
            Turn::Never(core) if taken.is_whole() => {
                let events = core
                    .iter()
                    .filter_map(|constraint| taken.event(*constraint));
                Err(Next::Never(events.collect()))
            }
            Turn::Never(_) | Turn::Unknown => Err(Next::Unknown),
        }
    }

    /// Makes runs that turn a branch of another run each.
    fn make(
        &mut self,
        from: usize,
        wanted: Vec<(usize, ProgramInput)>,
    ) -> Result<(), Stop<P::Stop>> {
        let parent = self.taken(from)?;
        let mut inputs: Vec<&ProgramInput> = Vec::new();
        for (_, input) in &wanted {
            if !self.known.contains_key(input) && !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        self.work.runs += inputs.len();
        let runs: Vec<Run<'_>> = inputs.iter().map(|input| self.wanted(input)).collect();
        let recorded = self.program.record_all(&runs).map_err(failed)?;
        let mut made = Vec::new();
        for (input, recorded) in inputs.into_iter().zip(recorded) {
            // A program that leaves no recording for some input does not speak against the others.
            let Some(recorded) = recorded else { continue };
            let observation = recorded.observation.clone();
            let taken = TakenRun::new(recorded, &self.failing).map_err(failed)?;
            self.work.ran(&observation, taken.size());
            let run = MadeRun {
                input: input.clone(),
                observation,
                changed: taken.changed(&self.failing),
                cause: None,
                outcome: None,
            };
            made.push((run, taken));
        }
        if !self.program.is_judged_by_person() {
            let judged: Vec<JudgedRun<'_, P::Shown>> = made
                .iter()
                .map(|(run, _)| JudgedRun {
                    input: &run.input,
                    observation: &run.observation,
                })
                .collect();
            let outcomes = self.program.judge(&judged).map_err(failed)?;
            for ((run, _), outcome) in made.iter_mut().zip(outcomes) {
                run.outcome = Some(outcome);
            }
        }
        for (run, taken) in made {
            let number = self.runs.len();
            self.known.insert(run.input.clone(), number);
            self.runs.push(run);
            self.note(number);
            self.keep(number, Rc::new(taken));
        }
        for (event, input) in wanted {
            let mut next = Next::Unknown;
            if let Some(&number) = self.known.get(&input) {
                let taken = self.taken(number)?;
                if parent.is_left_at(event, &taken) {
                    next = Next::Run(number);
                    let first = self.runs[from].cause.or(parent.partners[event]);
                    let cause = &mut self.runs[number].cause;
                    *cause = cause.or(first);
                }
            }
            self.turned.insert((from, event), next);
        }
        Ok(())
    }

    fn wanted<'i>(&self, input: &'i ProgramInput) -> Run<'i>
    where
        'a: 'i,
    {
        Run {
            input,
            symbolic: self.settings.symbolic,
            timeout: self.timeout,
        }
    }

    /// All that was recorded of a run. It is recorded again if it was not kept.
    pub fn taken(&mut self, run: usize) -> Result<Rc<TakenRun<P::Shown>>, Stop<P::Stop>> {
        if run == FAILING {
            return Ok(Rc::clone(&self.failing));
        }
        if let Some((_, taken)) = self.kept.iter().find(|(number, _)| *number == run) {
            return Ok(Rc::clone(taken));
        }
        let input = self.runs[run].input.clone();
        self.work.runs += 1;
        let recorded = self.program.record(self.wanted(&input)).map_err(failed)?;
        let taken = TakenRun::new(recorded, &self.failing).map_err(failed)?;
        let taken = Rc::new(taken);
        self.work.ran(&taken.recorded.observation, taken.size());
        self.keep(run, Rc::clone(&taken));
        Ok(taken)
    }

    fn keep(&mut self, run: usize, taken: Rc<TakenRun<P::Shown>>) {
        self.kept.push_back((run, taken));
        let size = |kept: &VecDeque<(usize, Rc<TakenRun<P::Shown>>)>| -> usize {
            kept.iter().map(|(_, taken)| taken.size()).sum()
        };
        while self.kept.len() > MOST_KEPT
            || (self.kept.len() > 1 && size(&self.kept) > BIGGEST_KEPT)
        {
            self.kept.pop_front();
        }
    }

    /// What the judge says of a run.
    pub fn outcome(&mut self, run: usize) -> Result<Outcome, Stop<P::Stop>> {
        let made = &mut self.runs[run];
        if let Some(outcome) = made.outcome {
            return Ok(outcome);
        }
        let judged = JudgedRun {
            input: &made.input,
            observation: &made.observation,
        };
        let outcomes = self.program.judge(&[judged]).map_err(failed)?;
        let outcome = outcomes.first().copied().unwrap_or(Outcome::Unresolved);
        made.outcome = Some(outcome);
        self.note(run);
        Ok(outcome)
    }

    /// The runs that succeed and go another way somewhere.
    pub fn successes(&self) -> impl Iterator<Item = usize> + '_ {
        let runs = self.runs.iter().enumerate();
        runs.filter(|(_, run)| run.outcome == Some(Outcome::Pass) && !run.changed.is_empty())
            .map(|(number, _)| number)
    }

    /// The shortest distance of a run that succeeds.
    pub fn nearest(&self) -> Option<&Distance> {
        self.nearest.as_ref()
    }

    /// Takes note of a run that was judged.
    fn note(&mut self, run: usize) {
        let made = &self.runs[run];
        if made.outcome == Some(Outcome::Pass) && !made.changed.is_empty() {
            let distance = made.distance();
            let is_nearer = self.nearest.as_ref().is_none_or(|known| distance < *known);
            if is_nearer {
                self.nearest = Some(distance);
            }
        }
    }

    /// Whether a run was judged, and is not right.
    pub fn is_failure(&self, run: &MadeRun<P::Shown>) -> bool {
        run.outcome == Some(Outcome::Fail)
    }

    pub fn is_judged_by_person(&self) -> bool {
        self.program.is_judged_by_person()
    }
}
