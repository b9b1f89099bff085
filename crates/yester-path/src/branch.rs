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
    /// The index of the branch that it is dynamically control dependent on, directly or through the call of its function. Only
    /// [`Recording::dependent_branches`] finds it.
    pub dependence: Option<u64>,
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

/// Some branches of a recording, each with the one among them that it depends on.
pub struct DependentBranches<'a, F> {
    branches: Branches<'a>,
    is_chosen: F,
    stack: Vec<Active>,
    /// The thread of the stack.
    stream: usize,
    chosen: u64,
}

/// A site and its outcome.
type SiteOutcome = (u32, u32);

/// A function that has not returned.
#[derive(Default)]
struct Active {
    /// The chosen branch that its call depends on.
    above: Option<u64>,
    /// The function and the site of its last event, if that is a call.
    call: Option<(u32, u32)>,
    /// The chosen branch that stands for the last time that a site had an outcome, ordered by site and outcome, with the number of
    /// the event, by which the last of several is known.
    decided: Vec<(SiteOutcome, (u64, Option<u64>))>,
}

impl Active {
    /// The chosen branch that a site depends on now.
    fn decisive(&self, site: Option<&Site>) -> Option<u64> {
        let deciding = site.into_iter().flat_map(|site| &site.dependence);
        let deciding = deciding.filter_map(|one| {
            let key = (one.site, one.outcome);
            let found = self.decided.binary_search_by_key(&key, |(key, _)| *key);
            found.ok().map(|index| self.decided[index].1)
        });
        deciding.max().map_or(self.above, |(_, branch)| branch)
    }

    fn decide(&mut self, key: SiteOutcome, value: (u64, Option<u64>)) {
        self.call = None;
        match self.decided.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(index) => self.decided[index].1 = value,
            Err(index) => self.decided.insert(index, (key, value)),
        }
    }
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

    /// The chosen branches, thread by thread, in order and numbered by themselves, each with the chosen one that it depends on. What
    /// depends on a branch that is not chosen depends on what that depends on.
    pub fn dependent_branches<F: Fn(&Branch) -> bool>(
        &self,
        is_chosen: F,
    ) -> DependentBranches<'_, F> {
        DependentBranches {
            branches: self.branches(),
            is_chosen,
            stack: Vec::new(),
            stream: 0,
            chosen: 0,
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

impl Branches<'_> {
    /// The next event, and its branch if it is one.
    fn step(&mut self) -> Result<Option<(TraceEvent, Option<Branch>)>, RecordingError> {
        let event = match self.event() {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(None),
            Err(error) => {
                self.stream = self.recording.streams();
                return Err(error);
            }
        };
        let EventKind::Branch {
            function,
            site,
            outcome,
        } = event.kind
        else {
            return Ok(Some((event, None)));
        };
        let index = self.index;
        self.index += 1;
        let branch = Branch {
            index,
            stream: self.stream,
            offset: event.offset,
            depth: event.depth,
            function,
            site,
            outcome,
            constraint: self.constraint(event.offset),
            dependence: None,
        };
        Ok(Some((event, Some(branch))))
    }
}

impl Iterator for Branches<'_> {
    type Item = Result<Branch, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.step().transpose()? {
                Ok((_, Some(branch))) => return Some(Ok(branch)),
                Ok((_, None)) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<F: Fn(&Branch) -> bool> DependentBranches<'_, F> {
    fn site(&self, function: u32, site: u32) -> Option<&Site> {
        let function = self.branches.recording.sites.function(function)?;
        function.sites.get(site as usize)
    }

    fn follow(&mut self, event: &TraceEvent) {
        match event.kind {
            EventKind::Enter { .. } => {
                let above = self.stack.last().and_then(|caller| {
                    let site = caller
                        .call
                        .and_then(|(function, site)| self.site(function, site));
                    caller.decisive(site)
                });
                self.stack.push(Active {
                    above,
                    ..Active::default()
                });
            }
            EventKind::Call { function, site } => {
                if let Some(active) = self.stack.last_mut() {
                    active.call = Some((function, site));
                }
            }
            EventKind::Return { .. } => {
                self.stack.pop();
            }
            EventKind::Land { .. } => {
                self.stack.truncate(event.depth);
                if let Some(active) = self.stack.last_mut() {
                    active.call = None;
                }
            }
            EventKind::Branch { .. } | EventKind::Exit(_) | EventKind::Abort => {}
        }
    }
}

impl<F: Fn(&Branch) -> bool> Iterator for DependentBranches<'_, F> {
    type Item = Result<Branch, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (event, branch) = match self.branches.step().transpose()? {
                Ok(step) => step,
                Err(error) => return Some(Err(error)),
            };
            if std::mem::replace(&mut self.stream, self.branches.stream) != self.branches.stream {
                self.stack.clear();
            }
            self.follow(&event);
            let Some(mut branch) = branch else { continue };
            let active = self.stack.last();
            branch.dependence =
                active.and_then(|active| active.decisive(self.site(branch.function, branch.site)));
            let all_index = branch.index;
            let is_chosen = (self.is_chosen)(&branch);
            let stands_for = if is_chosen {
                Some(self.chosen)
            } else {
                branch.dependence
            };
            if let Some(active) = self.stack.last_mut() {
                active.decide((branch.site, branch.outcome), (all_index, stands_for));
            }
            if is_chosen {
                branch.index = self.chosen;
                self.chosen += 1;
                return Some(Ok(branch));
            }
        }
    }
}
