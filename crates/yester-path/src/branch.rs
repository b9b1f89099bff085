//! The branches of a run, each with the constraint that it has put on the input.

use crate::condition::{Constraint, Kind};
use crate::recording::{Blocks, Event, Events, Recording, RecordingError, Step};
use crate::site::{Function, Site};

/// A branch that was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The how manieth it is, through all threads.
    pub index: u64,
    /// Its thread.
    pub stream: usize,
    /// Where it stands in the events of that.
    pub offset: u64,
    /// How many functions are being executed.
    pub depth: usize,
    /// The number of its function.
    pub function: u32,
    /// Its site there.
    pub site: u32,
    /// How it was decided.
    pub outcome: u32,
    /// The constraint that came of it, if it depends on the input.
    pub constraint: Option<usize>,
}

/// All branches of a recording, thread by thread.
pub struct Branches<'a> {
    recording: &'a Recording,
    stream: usize,
    events: Option<Events<'a, Blocks>>,
    /// The constraints of branches, by thread and place.
    constraints: Vec<usize>,
    /// How many of these are over.
    passed: usize,
    index: u64,
}

impl Recording {
    /// All branches, thread by thread, in order.
    pub fn branches(&self) -> Branches<'_> {
        Branches {
            recording: self,
            stream: 0,
            events: None,
            constraints: self.by_place(|kind| kind == Kind::Branch),
            passed: 0,
            index: 0,
        }
    }

    /// For each constraint the index of its branch. For a concretisation it is the next branch that was decided, if one
    /// was.
    pub fn branches_of_constraints(&self) -> Result<Vec<Option<u64>>, RecordingError> {
        let ordered = self.by_place(|_| true);
        let mut found = vec![None; self.constraints.len()];
        let mut passed = 0;
        for branch in self.branches() {
            let branch = branch?;
            while let Some(index) = ordered.get(passed) {
                let constraint = &self.constraints[*index];
                let (here, there) = ((branch.stream, branch.offset), place(constraint));
                if there > here {
                    break;
                }
                passed += 1;
                let fits = match constraint.kind {
                    Kind::Branch => there == here,
                    Kind::Concretised => there.0 == here.0,
                };
                found[*index] = fits.then_some(branch.index);
            }
        }
        Ok(found)
    }

    /// The function and the site of a branch.
    pub fn site(&self, branch: &Branch) -> (&Function, &Site) {
        let function = self.sites.function(branch.function);
        let function = function.expect("branches are decoded by their functions");
        (function, &function.sites[branch.site as usize])
    }

    fn by_place(&self, wanted: impl Fn(Kind) -> bool) -> Vec<usize> {
        let constraints = self.constraints.iter().enumerate();
        let mut found: Vec<usize> = constraints
            .filter(|(_, constraint)| wanted(constraint.kind))
            .map(|(index, _)| index)
            .collect();
        found.sort_by_key(|index| place(&self.constraints[*index]));
        found
    }
}

/// Where a constraint belongs. Behind everything, if that was not recorded.
fn place(constraint: &Constraint) -> (usize, u64) {
    (constraint.stream.unwrap_or(usize::MAX), constraint.event)
}

impl Branches<'_> {
    fn event(&mut self) -> Result<Option<Event>, RecordingError> {
        while self.stream < self.recording.streams() {
            if self.events.is_none() {
                self.events = Some(self.recording.events(self.stream)?);
            }
            if let Some(event) = self.events.as_mut().and_then(Iterator::next) {
                return event.map(Some);
            }
            self.events = None;
            self.stream += 1;
        }
        Ok(None)
    }

    fn constraint(&mut self, offset: u64) -> Option<usize> {
        let here = (self.stream, offset);
        while let Some(index) = self.constraints.get(self.passed) {
            let there = place(&self.recording.constraints[*index]);
            if there > here {
                return None;
            }
            self.passed += 1;
            if there == here {
                return Some(*index);
            }
        }
        None
    }
}

impl Iterator for Branches<'_> {
    type Item = Result<Branch, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let event = match self.event() {
                Ok(event) => event?,
                Err(error) => {
                    self.stream = self.recording.streams();
                    return Some(Err(error));
                }
            };
            let Step::Branch {
                function,
                site,
                outcome,
            } = event.step
            else {
                continue;
            };
            let index = self.index;
            self.index += 1;
            return Some(Ok(Branch {
                index,
                stream: self.stream,
                offset: event.offset,
                depth: event.depth,
                function,
                site,
                outcome,
                constraint: self.constraint(event.offset),
            }));
        }
    }
}
