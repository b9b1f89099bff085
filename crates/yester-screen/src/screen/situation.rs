//! What is going on, as far as somebody who watches wants to know it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use yester_core::{Candidate, Outcome};
use yester_run::{Event, Start, StepLimit, Why};

use super::difference::ChangedLine;
use crate::passes::Passes;

/// What a walk through a history counts.
pub const REVISIONS: &str = "revisions";

/// How many improvements are remembered, with what they changed.
const IMPROVEMENTS: usize = 6;

/// Bigger candidates are not kept for comparisons: each would stay in memory.
const MOST_COMPARED: u64 = 256 << 10;

pub struct Situation {
    /// The call, for the head of the view.
    pub call: String,
    pub begin: Instant,
    pub unit: &'static str,
    pub original: u64,
    pub best: u64,
    /// The outcome that the search is after.
    wanted: Outcome,
    /// What the baseline runs the command on.
    baseline: String,
    /// What sessions before this one have done.
    earlier: (u64, f64),
    /// The trials of this session.
    trials: u64,
    /// What is done where no trials are counted, and since when.
    step: Option<StepState>,
    pub phase: Option<PhaseState>,
    running: BTreeMap<u64, (Start, Instant)>,
    pub passes: Passes,
    /// Sizes of the best so far, with the seconds since the run began.
    pub sizes: Vec<(f64, u64)>,
    pub improvements: VecDeque<Improvement>,
    /// The best so far, if it is small enough to be shown.
    pub candidate: Option<Candidate>,
    /// Whether candidates are kept to be shown.
    keeps_candidates: bool,
    /// Whether anything has happened since a log was told.
    pub has_news: bool,
}

/// Something that is done where no trials are counted.
struct StepState {
    what: String,
    limit: Option<StepLimit>,
    since: Instant,
}

/// A phase of the search.
pub struct PhaseState {
    pub what: &'static str,
    /// How many ideas there were to try when it began.
    pub ideas: u64,
    pub tried: u64,
    pub succeeded: u64,
    since: Instant,
}

/// A candidate that became the best so far.
pub struct Improvement {
    pub pass: &'static str,
    pub removed: u64,
    pub before: Option<Candidate>,
    pub after: Option<Candidate>,
    /// What it changed, once somebody has looked at it.
    pub changed: OnceCell<Vec<ChangedLine>>,
}

impl Situation {
    pub fn new(call: String, keeps_candidates: bool) -> Situation {
        let begin = Instant::now();
        Situation {
            call,
            begin,
            unit: "",
            original: 0,
            best: 0,
            wanted: Outcome::Fail,
            baseline: String::new(),
            earlier: (0, 0.0),
            trials: 0,
            step: Some(StepState {
                what: "reading the call".to_owned(),
                limit: None,
                since: begin,
            }),
            phase: None,
            running: BTreeMap::new(),
            passes: Passes::default(),
            sizes: Vec::new(),
            improvements: VecDeque::new(),
            candidate: None,
            keeps_candidates,
            has_news: true,
        }
    }

    pub fn take_in(&mut self, event: &Event<'_>) {
        self.has_news = true;
        self.passes.take_in(event);
        match event {
            Event::Step(step) => {
                self.step = Some(StepState {
                    what: step.what.to_owned(),
                    limit: step.limit,
                    since: Instant::now(),
                });
            }
            Event::Run(run) => {
                (self.original, self.best, self.unit) = (run.size, run.size, run.unit);
                self.wanted = run.wanted;
                self.baseline = run.baseline.to_owned();
                self.sizes = vec![(self.elapsed(), run.size)];
                // One call may have several runs.
                self.phase = None;
                self.improvements.clear();
                self.candidate = run.whole.and_then(|whole| self.shown(whole));
            }
            Event::Resumed(earlier) => self.earlier = (earlier.counts.run, earlier.seconds),
            Event::Phase(phase) => {
                self.step = None;
                let ideas = phase.deltas as u64;
                let since = Instant::now();
                self.phase = Some(PhaseState {
                    what: phase.what,
                    ideas,
                    tried: 0,
                    succeeded: 0,
                    since,
                });
            }
            Event::Started(start) => {
                self.step = None;
                self.running.insert(start.trial, (*start, Instant::now()));
            }
            Event::Ran(trial) => {
                self.running.remove(&trial.trial);
                self.trials += 1;
            }
            Event::Dropped(trial) => drop(self.running.remove(trial)),
            Event::Answered(outcome) => {
                if let Some(phase) = &mut self.phase {
                    phase.tried += 1;
                    phase.succeeded += u64::from(*outcome == self.wanted);
                }
            }
            Event::Improved { left, candidate } => self.improve(*left, candidate),
            Event::Message(_)
            | Event::Output(_)
            | Event::Detail(_)
            | Event::Infeasible(_)
            | Event::Version(_)
            | Event::End { .. } => {}
        }
    }

    fn improve(&mut self, left: u64, candidate: &Candidate) {
        self.sizes.push((self.elapsed(), left));
        let removed = self.best.saturating_sub(left);
        self.best = left;
        if !self.keeps_candidates {
            return;
        }
        let after = self.shown(candidate);
        let before = std::mem::replace(&mut self.candidate, after.clone());
        if self.improvements.len() == IMPROVEMENTS {
            self.improvements.pop_front();
        }
        self.improvements.push_back(Improvement {
            pass: self.phase.as_ref().map_or("", |phase| phase.what),
            removed,
            before,
            after,
            changed: OnceCell::new(),
        });
    }

    /// A candidate, if it is to be shown.
    fn shown(&self, candidate: &Candidate) -> Option<Candidate> {
        let is_shown = self.keeps_candidates && candidate.bytes() <= MOST_COMPARED;
        is_shown.then(|| candidate.clone())
    }

    /// How long all sessions of the run have taken, in seconds.
    pub fn elapsed(&self) -> f64 {
        self.earlier.1 + self.begin.elapsed().as_secs_f64()
    }

    /// The trials of all sessions of the run.
    pub fn trials(&self) -> u64 {
        self.earlier.0 + self.trials
    }

    /// What is being done apart from the search, for how long, and what limits it.
    pub fn waiting(&self) -> Option<Waiting<'_>> {
        if let Some(step) = &self.step {
            return Some(Waiting {
                what: &step.what,
                time: step.since.elapsed(),
                limit: step.limit,
            });
        }
        let (start, since) = self.running.values().min_by_key(|(_, since)| *since)?;
        let is_baseline = start.why == Why::Baseline || self.phase.is_none();
        is_baseline.then(|| Waiting {
            what: &self.baseline,
            time: since.elapsed(),
            limit: Some(StepLimit {
                flag: "--timeout",
                time: Some(start.limit),
            }),
        })
    }

    /// The trial that runs longest.
    pub fn slowest(&self) -> Option<(Duration, Duration)> {
        let (start, since) = self.running.values().min_by_key(|(_, since)| *since)?;
        Some((since.elapsed(), start.limit))
    }
}

/// Something that has to end before anything else can happen.
pub struct Waiting<'a> {
    pub what: &'a str,
    pub time: Duration,
    pub limit: Option<StepLimit>,
}

impl PhaseState {
    /// How long the rest of the pass takes if none of its ideas works, at the rate so far.
    pub fn rest(&self) -> Option<f64> {
        let left = self
            .ideas
            .checked_sub(self.tried)
            .filter(|left| *left > 0)?;
        (self.tried > 0).then(|| {
            let each = self.since.elapsed().as_secs_f64() / self.tried as f64;
            each * left as f64
        })
    }
}
