//! Dynamic slices: what a value or a piece of output depends on, in data and in control.
//!
//! Data dependence follows the expressions: from a value to what it was computed from. Control dependence goes from whatever was
//! computed or written to the branch that let it happen, then to what that branch compared, and to the branch that it depends on
//! itself. What does not depend on the input has no expression, so a constant that one of two branches assigns is not found by
//! data dependence. [`Slicer::with_potential`] adds the branches that may have decided over such values: all that ended before,
//! which is more than needed, never less.

use std::collections::{BTreeSet, HashMap};

use crate::alignment::{Run, Statement};
use crate::condition::ConstraintKind;
use crate::expression::{Expression, Marks, NodeId};
use crate::origin::{Origin, SourcePlace};
use crate::recording::{EventKind, Output, Recording, RecordingError};

/// Makes slices of one run.
pub struct Slicer<'a> {
    recording: &'a Recording,
    runs: Vec<Run>,
    /// The number of the first event of each thread.
    first: Vec<usize>,
    /// Where each node was made.
    places: Vec<Option<SourcePlace>>,
    /// The event that let each node be made.
    control: Vec<Option<usize>>,
    /// What the branches compared that depend on the input.
    conditions: HashMap<usize, NodeId>,
}

/// What something depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The expressions, in the order in which they were made.
    pub nodes: Vec<NodeId>,
    /// The bytes of input, in order.
    pub inputs: Vec<u32>,
    /// The branches that decided over it, in order.
    pub branches: Vec<SlicedBranch>,
    /// The places in the source of all that.
    pub places: BTreeSet<SourcePlace>,
}

/// A branch in a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlicedBranch {
    /// Its thread.
    pub stream: usize,
    /// Its offset in the events of the thread.
    pub offset: u64,
    /// The number of its function.
    pub function: u32,
    /// Its site.
    pub site: u32,
    /// Its outcome.
    pub outcome: u32,
}

impl<'a> Slicer<'a> {
    /// Reads what slices of this run need.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn new(recording: &'a Recording) -> Result<Slicer<'a>, RecordingError> {
        let mut runs = Vec::new();
        let mut first = Vec::new();
        let mut next = 0;
        for stream in 0..recording.streams() {
            let run = Run::new(&recording.sites, recording.events(stream)?)?;
            first.push(next);
            next += run.events.len();
            runs.push(run);
        }
        let mut numbers: HashMap<(usize, u64), usize> = HashMap::new();
        for (stream, run) in runs.iter().enumerate() {
            for (index, event) in run.events.iter().enumerate() {
                if matches!(event.statement(), Statement::Branch { .. }) {
                    numbers.insert((stream, event.offset), first[stream] + index);
                }
            }
        }
        let constraints = recording.constraints.iter();
        let branches = constraints.filter(|one| one.kind == ConstraintKind::Branch);
        let conditions = branches.filter_map(|constraint| {
            let number = numbers.get(&(constraint.stream?, constraint.event))?;
            Some((*number, constraint.node))
        });
        let conditions = conditions.collect();
        let origins = recording.origins()?;
        let mut slicer = Slicer {
            recording,
            runs,
            first,
            places: recording.places(&origins)?,
            control: Vec::new(),
            conditions,
        };
        slicer.control = slicer.deciding(&origins)?;
        Ok(slicer)
    }

    /// What these expressions were computed from.
    pub fn data(&self, nodes: impl IntoIterator<Item = NodeId>) -> Slice {
        let graph = &self.recording.graph;
        let mut needed = graph.needed(nodes);
        needed.retain(|node| graph.constant(*node).is_none());
        self.slice(needed, BTreeSet::new())
    }

    /// What these expressions, and whatever happened at these moments, depend on in data and in control.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn whole(
        &self,
        nodes: impl IntoIterator<Item = NodeId>,
        moments: &[Origin],
    ) -> Result<Slice, RecordingError> {
        let events = self.deciding(moments)?.into_iter().flatten();
        let (nodes, events) = self.close(nodes.into_iter().collect(), events.collect());
        let mut slice = self.slice(nodes, events);
        let moments = self.recording.places(moments)?;
        slice.places.extend(moments.into_iter().flatten());
        Ok(slice)
    }

    /// Like [`whole`](Self::whole), with all branches on the input before the last of these moments. They may have decided over
    /// values that do not depend on the input themselves.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn with_potential(
        &self,
        nodes: impl IntoIterator<Item = NodeId>,
        moments: &[Origin],
    ) -> Result<Slice, RecordingError> {
        let mut events: Vec<usize> = self.deciding(moments)?.into_iter().flatten().collect();
        for number in self.conditions.keys() {
            let (stream, index) = self.place_of(*number);
            let offset = self.runs[stream].events[index].offset;
            // Threads have no common order, so all of another thread comes before.
            let is_before = moments
                .iter()
                .any(|moment| moment.stream != Some(stream) || offset < moment.event);
            if is_before {
                events.push(*number);
            }
        }
        let (nodes, events) = self.close(nodes.into_iter().collect(), events);
        let mut slice = self.slice(nodes, events);
        let moments = self.recording.places(moments)?;
        slice.places.extend(moments.into_iter().flatten());
        Ok(slice)
    }

    /// What a range of bytes of the output depends on: those of the given target, from `from` on, so many.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn output(
        &self,
        output: &Output,
        target: usize,
        from: usize,
        count: usize,
    ) -> Result<Slice, RecordingError> {
        let bytes: Vec<_> = output.bytes(target).skip(from).take(count).collect();
        let pieces: BTreeSet<usize> = bytes.iter().map(|byte| byte.piece).collect();
        let pieces = pieces.iter().map(|piece| &output.pieces[*piece]);
        let moments: Vec<Origin> = pieces.clone().map(|piece| piece.origin).collect();
        let layouts = pieces.filter_map(|piece| piece.layout);
        let nodes = bytes.iter().filter_map(|byte| byte.node).chain(layouts);
        self.whole(nodes, &moments)
    }

    /// Adds everything that nodes and events depend on.
    fn close(&self, nodes: Vec<NodeId>, events: Vec<usize>) -> (Vec<NodeId>, BTreeSet<usize>) {
        let graph = &self.recording.graph;
        let mut seen = Marks::new(graph.len());
        let mut found = Vec::new();
        let mut decided = BTreeSet::new();
        let (mut open_nodes, mut open_events) = (nodes, events);
        loop {
            if let Some(node) = open_nodes.pop() {
                // A constant may have been made anywhere first.
                if graph.constant(node).is_none() && seen.mark(node) {
                    found.push(node);
                    open_nodes.extend(graph.expression(node).operands());
                    open_events.extend(self.control.get(node.0 as usize).copied().flatten());
                }
            } else if let Some(event) = open_events.pop() {
                if decided.insert(event) {
                    open_nodes.extend(self.conditions.get(&event));
                    let (stream, index) = self.place_of(event);
                    let above = self.runs[stream].events[index].dependence();
                    open_events.extend(above.map(|above| self.first[stream] + above));
                }
            } else {
                break;
            }
        }
        found.sort_unstable();
        (found, decided)
    }

    fn slice(&self, nodes: Vec<NodeId>, events: BTreeSet<usize>) -> Slice {
        let mut slice = Slice::default();
        for node in &nodes {
            if let Expression::Input(byte) = self.recording.graph.expression(*node) {
                slice.inputs.push(byte);
            }
            slice
                .places
                .extend(self.places.get(node.0 as usize).copied().flatten());
        }
        slice.inputs.sort_unstable();
        slice.inputs.dedup();
        for event in events {
            let (stream, index) = self.place_of(event);
            let event = &self.runs[stream].events[index];
            let Statement::Branch { function, site } = event.statement() else {
                continue;
            };
            slice.branches.push(SlicedBranch {
                stream,
                offset: event.offset,
                function,
                site,
                outcome: event.outcome,
            });
            let known = self.recording.sites.function(function);
            if let Some(place) = known.and_then(|known| known.sites.get(site as usize)) {
                slice.places.insert(SourcePlace {
                    function,
                    line: place.line,
                    column: place.column,
                });
            }
        }
        slice.nodes = nodes;
        slice
    }

    /// The thread and the index there of an event by its number.
    fn place_of(&self, number: usize) -> (usize, usize) {
        let stream = self.first.partition_point(|first| *first <= number) - 1;
        (stream, number - self.first[stream])
    }

    /// For each moment the event that decided over it (Definition 1 of the path-generation paper): the last one of the activation
    /// that its place is control dependent on, or the entry of the function. Where the place is not known, the last branch.
    fn deciding(&self, moments: &[Origin]) -> Result<Vec<Option<usize>>, RecordingError> {
        let mut found = vec![None; moments.len()];
        let mut wanted: Vec<usize> = (0..moments.len()).collect();
        wanted.retain(|index| moments[*index].stream.is_some());
        wanted.sort_by_key(|index| (moments[*index].stream, moments[*index].event));
        let mut wanted = wanted.into_iter().peekable();
        while let Some(index) = wanted.peek() {
            let stream = moments[*index].stream.expect("others are left out");
            let mut stack: Vec<Active> = Vec::new();
            let mut number = self.first[stream];
            let mut events = self.recording.events(stream)?;
            let mut next = events.next().transpose()?;
            while let Some(index) = wanted.next_if(|index| moments[*index].stream == Some(stream)) {
                while let Some(event) = next.filter(|event| event.offset < moments[index].event) {
                    match event.kind {
                        EventKind::Enter { function } => {
                            stack.push(Active {
                                function,
                                entry: number,
                                last: number,
                                decided: HashMap::new(),
                            });
                            number += 1;
                        }
                        EventKind::Branch { site, outcome, .. } => {
                            if let Some(active) = stack.last_mut() {
                                active.last = number;
                                active.decided.insert((site, outcome), number);
                            }
                            number += 1;
                        }
                        EventKind::Return { .. } => {
                            stack.pop();
                        }
                        EventKind::Land { .. } => stack.truncate(event.depth),
                        EventKind::Call { .. } | EventKind::Exit(_) | EventKind::Abort => {}
                    }
                    next = events.next().transpose()?;
                }
                let is_own = |active: &&Active| {
                    let function = self.recording.sites.function(active.function);
                    function.is_some_and(|function| !function.is_of_system())
                };
                let active = if moments[index].is_outer {
                    stack.iter().rev().find(is_own)
                } else {
                    stack.last()
                };
                found[index] = active.map(|active| self.decisive(active, moments[index].class));
            }
        }
        Ok(found)
    }

    fn decisive(&self, active: &Active, class: u16) -> usize {
        let function = self.recording.sites.function(active.function);
        let class = usize::from(class).checked_sub(1);
        let class = class.and_then(|class| function?.classes.get(class));
        match class {
            Some(class) => {
                let decided = class.iter().filter_map(|dependence| {
                    active.decided.get(&(dependence.site, dependence.outcome))
                });
                decided.copied().max().unwrap_or(active.entry)
            }
            None => active.last,
        }
    }
}

/// An activation of a function.
struct Active {
    function: u32,
    /// The number of its entry.
    entry: usize,
    /// The number of its last event.
    last: usize,
    /// For each outcome of a site the number of the last event that had it.
    decided: HashMap<(u32, u32), usize>,
}
