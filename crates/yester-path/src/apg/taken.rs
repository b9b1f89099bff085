//! A run that was recorded while its input was followed.

use std::cell::OnceCell;

use crate::alignment::{Run, RunEvent, Statement, aligned};
use crate::condition::ConstraintKind;
use crate::joint::Joint;
use crate::program::Recorded;
use crate::recording::RecordingError;
use crate::site::SiteKind;

/// How many constraints of a run count. An endless loop has no end of them.
const MOST_CONSTRAINTS: usize = 20_000;

/// A run, by the events of its first thread.
pub(super) struct TakenRun<S> {
    pub recorded: Recorded<S>,
    pub run: Run,
    /// For each event the one of the failing run that it corresponds to.
    pub partners: Vec<Option<usize>>,
    /// What it computed, as the solver is asked about it. Made when it is needed.
    joint: OnceCell<Joint>,
    /// The events that the input decides, with their constraints, in order.
    decided: Vec<(usize, usize)>,
}

/// A branch of the failing run that goes another way in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChangedBranch {
    /// Its place in the failing run.
    pub event: usize,
    /// Its outcome in the other run.
    pub becomes: u32,
}

impl<S> TakenRun<S> {
    /// The failing run, which corresponds to itself.
    pub fn failing(recorded: Recorded<S>) -> Result<TakenRun<S>, RecordingError> {
        let mut taken = TakenRun::read(recorded)?;
        taken.partners = (0..taken.run.events.len()).map(Some).collect();
        Ok(taken)
    }

    /// Another run of the same program.
    pub fn new(
        recorded: Recorded<S>,
        failing: &TakenRun<S>,
    ) -> Result<TakenRun<S>, RecordingError> {
        let mut taken = TakenRun::read(recorded)?;
        for (event, partner) in aligned(&failing.run, &taken.run).into_iter().enumerate() {
            if let Some(partner) = partner {
                taken.partners[partner] = Some(event);
            }
        }
        Ok(taken)
    }

    fn read(mut recorded: Recorded<S>) -> Result<TakenRun<S>, RecordingError> {
        let recording = &mut recorded.recording;
        recording.constraints.truncate(MOST_CONSTRAINTS);
        let run = match recording.streams() {
            0 => Run::default(),
            _ => Run::new(&recording.sites, recording.events(0)?)?,
        };
        let constraints = recording.constraints.iter().enumerate();
        let branches = constraints.filter(|(_, constraint)| {
            constraint.kind == ConstraintKind::Branch && constraint.stream == Some(0)
        });
        let mut decided: Vec<(usize, usize)> = branches
            .filter_map(|(index, constraint)| {
                let key = |event: &RunEvent| event.offset;
                let event = run.events.binary_search_by_key(&constraint.event, key);
                event.ok().map(|event| (event, index))
            })
            .collect();
        decided.sort_unstable();
        Ok(TakenRun {
            partners: vec![None; run.events.len()],
            recorded,
            run,
            joint: OnceCell::new(),
            decided,
        })
    }

    pub fn joint(&self) -> &Joint {
        self.joint
            .get_or_init(|| Joint::new(&[&self.recorded.recording]))
    }

    /// The constraint of an event, if the input decides it.
    pub fn constraint(&self, event: usize) -> Option<usize> {
        let found = self
            .decided
            .binary_search_by_key(&event, |(event, _)| *event);
        found.ok().map(|index| self.decided[index].1)
    }

    /// The event of a constraint.
    pub fn event(&self, constraint: usize) -> Option<usize> {
        let mut decided = self.decided.iter();
        let found = decided.find(|(_, one)| *one == constraint);
        found.map(|(event, _)| *event)
    }

    /// The branches that the input decides and a user knows of, in order.
    pub fn turnable(&self) -> Vec<usize> {
        let events = self.decided.iter().map(|(event, _)| *event);
        events.filter(|event| self.is_own(*event)).collect()
    }

    /// Whether an event is a branch that is written in the program: not in a header of the system, and not added by the compiler.
    fn is_own(&self, event: usize) -> bool {
        let Statement::Branch { function, site } = self.run.events[event].statement() else {
            return false;
        };
        let function = self.recorded.recording.sites.function(function);
        function.is_some_and(|function| {
            let kind = &function.sites[site as usize].kind;
            !function.is_of_system() && !matches!(kind, SiteKind::Predicate { .. })
        })
    }

    /// The branches that are met in the failing run and here, and go another way here: the distance of Definition 3. What the system's
    /// headers do is not told.
    pub fn changed(&self, failing: &TakenRun<S>) -> Vec<ChangedBranch> {
        let events = self.run.events.iter().zip(&self.partners);
        let mut changed: Vec<ChangedBranch> = events
            .filter_map(|(event, partner)| {
                let other = (*partner)?;
                let is_changed = failing.run.events[other].outcome != event.outcome;
                (is_changed && failing.is_own(other)).then_some(ChangedBranch {
                    event: other,
                    becomes: event.outcome,
                })
            })
            .collect();
        changed.sort_unstable_by_key(|one| one.event);
        changed
    }

    /// Whether another run takes the path of this one up to an event, and the other way there.
    pub fn is_left_at(&self, event: usize, other: &TakenRun<S>) -> bool {
        let shown = |one: &RunEvent| (one.statement(), one.outcome);
        let (Some(before), Some(there)) =
            (other.run.events.get(..event), other.run.events.get(event))
        else {
            return false;
        };
        let here = &self.run.events[event];
        here.statement() == there.statement()
            && here.outcome != there.outcome
            && self.run.events[..event]
                .iter()
                .map(shown)
                .eq(before.iter().map(shown))
    }

    /// Whether everything that decides its branches is known.
    pub fn is_whole(&self) -> bool {
        let recording = &self.recorded.recording;
        recording.lost.is_empty() && !recording.cut && recording.streams() == 1
    }

    /// How much room it takes.
    pub fn size(&self) -> usize {
        self.run.events.len() + self.recorded.recording.graph.len()
    }
}
