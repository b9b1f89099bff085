//! The branches of a run, each with its constraint on the input.

use crate::condition::{Constraint, ConstraintKind};
use crate::recording::{Blocks, EventKind, Recording, RecordingError, TraceEvent, TraceEvents};
use crate::site::{Function, Site};

/// One execution of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Its number, counted through all threads.
    pub index: u64,
    /// Its thread.
    pub stream: usize,
    /// Its offset in the events of the thread.
    pub offset: u64,
    /// The depth of the call stack.
    pub depth: usize,
    /// The number of its function.
    pub function: u32,
    /// Its site in the function.
    pub site: u32,
    /// Its outcome.
    pub outcome: u32,
    /// Its constraint, if it depends on the input.
    pub constraint: Option<usize>,
}

/// All branches of a recording, thread by thread.
pub struct Branches<'a> {
    recording: &'a Recording,
    stream: usize,
    events: Option<TraceEvents<'a, Blocks>>,
    /// The constraints of branches, ordered by thread and offset.
    constraints: Vec<usize>,
    /// How many of these have passed.
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
            constraints: self.by_place(|kind| kind == ConstraintKind::Branch),
            passed: 0,
            index: 0,
        }
    }

    /// For each constraint the index of its branch. For a concretisation that is the next branch, if there is one.
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
                    ConstraintKind::Branch => there == here,
                    ConstraintKind::Concretised => there.0 == here.0,
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

    fn by_place(&self, wanted: impl Fn(ConstraintKind) -> bool) -> Vec<usize> {
        let constraints = self.constraints.iter().enumerate();
        let mut found: Vec<usize> = constraints
            .filter(|(_, constraint)| wanted(constraint.kind))
            .map(|(index, _)| index)
            .collect();
        found.sort_by_key(|index| place(&self.constraints[*index]));
        found
    }
}

/// The thread and offset of a constraint; after everything else if they were not recorded.
fn place(constraint: &Constraint) -> (usize, u64) {
    (constraint.stream.unwrap_or(usize::MAX), constraint.event)
}

impl Branches<'_> {
    fn event(&mut self) -> Result<Option<TraceEvent>, RecordingError> {
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
            let EventKind::Branch {
                function,
                site,
                outcome,
            } = event.kind
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
