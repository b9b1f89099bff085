//! The relevant slice of an output: the branches that it depends on by data, by control, or because another outcome might have
//! written what was read (potential dependence; Gyimóthy, Beszédes and Forgács 1999).
//!
//! Unlike [`Slicer`](crate::Slicer) this knows constants too. It goes back through the run step by step, with the set of places whose
//! values matter: a step that writes one of them is in the slice, and what it reads matters then. It needs what the compiler tells
//! with `YESTER_CC_MODE=dependence`. There are no addresses in a trace. So memory behind pointers is told apart by the size of what is
//! accessed and by its offset in a structure, and nothing that is written there is ever taken to be overwritten.

mod chain;
mod code;
mod graph;
mod summary;
mod walk;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::origin::{Origin, SourcePlace};
use crate::recording::{EventKind, Recording, RecordingError};
use crate::site::Function;
use crate::slice::SlicedBranch;
pub use chain::{ChainEnd, ChainLine, ChainLink, LineChains, LinkRole};
use code::{ANY, LIBRARY, LibraryEffect, OUTSIDE, RESULT, Shared, Step, StepKind, effect};
pub(crate) use code::{CodeBlock, Place, SharedPlaces, check};
pub use graph::{DependenceEdge, DependenceGraph, DependenceKind};
use summary::Summaries;
use walk::{Item, Moment, Walk};

/// Makes relevant slices of one run.
pub struct RelevantSlicer<'a> {
    recording: &'a Recording,
    tells_memory_apart: bool,
}

/// What an output depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RelevantSlice {
    /// The branches, in order.
    pub branches: Vec<SlicedBranch>,
    /// The lines of all that is in the slice.
    pub places: BTreeSet<SourcePlace>,
    /// Why nothing is left out: then the slice has all branches before the output.
    pub incomplete: Option<String>,
}

impl<'a> RelevantSlicer<'a> {
    /// For a recording.
    pub fn new(recording: &'a Recording) -> RelevantSlicer<'a> {
        RelevantSlicer {
            recording,
            tells_memory_apart: true,
        }
    }

    /// Takes all memory behind pointers for one. This is for programs that access the same memory as values of different sizes, or
    /// by structures in which it is at different offsets, without unions.
    #[must_use]
    pub fn with_one_memory(mut self) -> RelevantSlicer<'a> {
        self.tells_memory_apart = false;
        self
    }

    /// What was written at these moments depends on it.
    ///
    /// # Errors
    /// If the recording cannot be read.
    pub fn slice(&self, moments: &[Origin]) -> Result<RelevantSlice, RecordingError> {
        match walk::walk(self.recording, moments)? {
            Ok(walk) => Ok(self.back(&walk)),
            Err(lost) => self.everything(moments, lost),
        }
    }

    /// All branches before the last moment.
    fn everything(
        &self,
        moments: &[Origin],
        lost: String,
    ) -> Result<RelevantSlice, RecordingError> {
        let mut slice = RelevantSlice {
            incomplete: Some(lost),
            ..RelevantSlice::default()
        };
        for stream in 0..self.recording.streams() {
            let mine = moments
                .iter()
                .filter(|moment| moment.stream == Some(stream));
            // Threads have no common order, so all of another thread comes before.
            let end = if moments.iter().all(|moment| moment.stream == Some(stream)) {
                mine.map(|moment| moment.event).max()
            } else {
                None
            };
            for event in self.recording.events(stream)? {
                let event = event?;
                if end.is_some_and(|end| event.offset >= end) {
                    break;
                }
                if let EventKind::Branch {
                    function,
                    site,
                    outcome,
                } = event.kind
                {
                    slice.branches.push(SlicedBranch {
                        stream,
                        offset: event.offset,
                        function,
                        site,
                        outcome,
                    });
                    let known = self.recording.sites.function(function);
                    let place = known.and_then(|known| known.sites.get(site as usize));
                    slice.places.extend(place.map(|place| SourcePlace {
                        function,
                        line: place.line,
                        column: place.column,
                    }));
                }
            }
        }
        Ok(slice)
    }

    fn back(&self, walk: &Walk) -> RelevantSlice {
        let sites = &self.recording.sites;
        let functions = sites.functions();
        let mut search = Search {
            walk,
            functions,
            summaries: Summaries::new(functions),
            wanted: Wanted {
                kinds: &sites.shared.kinds,
                tells_memory_apart: self.tells_memory_apart,
                shared: HashSet::new(),
                visible: 0,
                objects: 0,
                pointed: Vec::new(),
            },
            frames: HashMap::new(),
            slice: RelevantSlice::default(),
        };
        let moments: HashSet<Moment> = walk.moments.iter().copied().collect();
        let last = walk.moments.iter().map(|moment| moment.item).max();
        for index in (0..=last.unwrap_or_default()).rev() {
            search.item(index, &moments);
        }
        search.slice.branches.reverse();
        search.slice
    }
}

const OUTSIDE_NUMBER: u32 = match OUTSIDE {
    Place::Shared(number) => number,
    _ => unreachable!(),
};

/// The places whose values matter, of those that functions share.
struct Wanted<'a> {
    kinds: &'a [Shared],
    tells_memory_apart: bool,
    shared: HashSet<u32>,
    /// How many of them code without tables may know by their names.
    visible: usize,
    /// How many of them are variables that pointers may point to.
    objects: usize,
    /// Those that are behind pointers.
    pointed: Vec<u32>,
}

impl Wanted<'_> {
    fn add(&mut self, number: u32) {
        if self.shared.insert(number) {
            match self.kinds[number as usize] {
                Shared::Plain | Shared::Outside => {}
                Shared::Visible => self.visible += 1,
                Shared::Object => self.objects += 1,
                Shared::Pointed { .. } | Shared::Any => self.pointed.push(number),
            }
        }
    }

    fn overlap(&self, one: Shared, other: Shared) -> bool {
        match (one, other) {
            (Shared::Any, _) | (_, Shared::Any) => true,
            (
                Shared::Pointed { size, offset },
                Shared::Pointed {
                    size: other_size,
                    offset: other_offset,
                },
            ) => {
                !self.tells_memory_apart
                    || match (offset, other_offset) {
                        (Some(one), Some(other)) => one == other,
                        _ => size == other_size,
                    }
            }
            _ => true,
        }
    }

    /// Whether a write there may change what matters.
    fn is_hit(&self, number: u32) -> bool {
        let kind = self.kinds[number as usize];
        match kind {
            Shared::Plain => self.shared.contains(&number),
            Shared::Visible => {
                self.shared.contains(&number) || self.shared.contains(&OUTSIDE_NUMBER)
            }
            Shared::Outside => self.visible > 0,
            Shared::Object => self.shared.contains(&number) || !self.pointed.is_empty(),
            Shared::Pointed { .. } | Shared::Any => {
                let mut pointed = self.pointed.iter();
                self.objects > 0
                    || pointed.any(|other| self.overlap(kind, self.kinds[*other as usize]))
            }
        }
    }

    /// Takes out what was written as a whole. Only one variable is known to be that: one that no pointer points to.
    fn kill(&mut self, number: u32) {
        match self.kinds[number as usize] {
            Shared::Plain => {
                self.shared.remove(&number);
            }
            Shared::Visible => self.visible -= usize::from(self.shared.remove(&number)),
            Shared::Outside | Shared::Object | Shared::Pointed { .. } | Shared::Any => {}
        }
    }
}

/// What is known of an activation.
#[derive(Default)]
struct Active {
    /// Its own places whose values matter.
    wanted: HashSet<u32>,
    wants_all_parameters: bool,
    /// The classes of steps in the slice whose branch is still to come.
    pending: Vec<u16>,
    /// Whether the branch of a step in the slice cannot be known, so that each may be it.
    is_unsure: bool,
    /// Whether anything of it is in the slice.
    is_in_slice: bool,
}

/// The way back through a run.
struct Search<'a> {
    walk: &'a Walk,
    functions: &'a [Function],
    summaries: Summaries<'a>,
    wanted: Wanted<'a>,
    frames: HashMap<u32, Active>,
    slice: RelevantSlice,
}

impl<'a> Search<'a> {
    fn function(&self, frame: u32) -> &'a Function {
        let function = self.walk.frames[frame as usize].function;
        &self.functions[function as usize]
    }

    fn want(&mut self, frame: u32, places: impl IntoIterator<Item = Place>) {
        for place in places {
            match place {
                Place::Local(number) => {
                    self.frames.entry(frame).or_default().wanted.insert(number);
                }
                Place::Parameters => {
                    self.frames.entry(frame).or_default().wants_all_parameters = true;
                }
                Place::Shared(number) => self.wanted.add(number),
            }
        }
    }

    fn is_hit(&self, frame: u32, place: Place) -> bool {
        match place {
            Place::Local(number) => {
                let active = self.frames.get(&frame);
                active.is_some_and(|active| active.wanted.contains(&number))
            }
            Place::Parameters => false,
            Place::Shared(number) => self.wanted.is_hit(number),
        }
    }

    fn kill(&mut self, frame: u32, place: Place) {
        match place {
            Place::Local(number) => {
                if let Some(active) = self.frames.get_mut(&frame) {
                    active.wanted.remove(&number);
                }
            }
            Place::Parameters => {}
            Place::Shared(number) => self.wanted.kill(number),
        }
    }

    /// Takes something of a block into the slice. What decided over the block has to follow.
    fn include(&mut self, frame: u32, block: u32, line: u32, column: u32) {
        let function = self.function(frame);
        let class = function.code[block as usize].class;
        let active = self.frames.entry(frame).or_default();
        active.is_in_slice = true;
        match usize::from(class).checked_sub(1) {
            Some(index) if function.classes[index].is_empty() => {}
            Some(_) if active.pending.contains(&class) => {}
            Some(_) => active.pending.push(class),
            None => active.is_unsure = true,
        }
        if line != 0 {
            self.slice.places.insert(SourcePlace {
                function: function.id,
                line,
                column,
            });
        }
    }

    fn item(&mut self, index: usize, moments: &HashSet<Moment>) {
        match self.walk.items[index] {
            Item::Steps {
                frame,
                block,
                from,
                to,
            } => {
                let code = &self.function(frame).code[block as usize];
                for step in (from..to).rev() {
                    let is_wanted = moments.contains(&Moment { item: index, step });
                    self.step(frame, block, &code.steps[step as usize], is_wanted);
                }
            }
            Item::Branch {
                frame,
                block,
                branch,
            } => self.branch(frame, block, branch),
            Item::Leave { frame } => self.leave(frame),
            Item::Enter { frame } => self.enter(frame),
        }
    }

    fn step(&mut self, frame: u32, block: u32, step: &'a Step, is_wanted: bool) {
        match &step.kind {
            StepKind::Set(writes) => {
                let is_hit = writes.iter().any(|write| self.is_hit(frame, write.place));
                if is_hit {
                    for write in writes.iter().filter(|write| write.is_whole) {
                        self.kill(frame, write.place);
                    }
                    self.include(frame, block, step.line, 0);
                    self.want(frame, step.reads.iter().copied());
                }
            }
            StepKind::Give => {
                if self.is_hit(frame, RESULT) {
                    self.kill(frame, RESULT);
                    self.include(frame, block, step.line, 0);
                    self.want(frame, step.reads.iter().copied());
                }
            }
            StepKind::Test => {}
            StepKind::Call(call) => {
                let LibraryEffect {
                    written,
                    read,
                    has_state,
                    is_unknown,
                } = effect(call.callee.as_deref());
                let touched = |arguments: &[usize]| -> Vec<Place> {
                    let places = arguments
                        .iter()
                        .filter_map(|index| call.touched.get(*index));
                    places.flatten().copied().collect()
                };
                let mut writes = touched(&written);
                let mut reads = touched(&read);
                if is_unknown {
                    writes.extend(call.touched.iter().flatten().copied());
                    reads.extend(call.touched.iter().flatten().copied());
                    writes.extend([ANY, OUTSIDE]);
                    reads.extend([ANY, OUTSIDE]);
                }
                if has_state {
                    writes.push(LIBRARY);
                    reads.push(LIBRARY);
                }
                let result = call.result;
                let is_hit = is_wanted
                    || writes
                        .iter()
                        .chain(&result)
                        .any(|place| self.is_hit(frame, *place));
                if is_hit {
                    result.iter().for_each(|place| self.kill(frame, *place));
                    self.include(frame, block, step.line, 0);
                    self.want(frame, reads);
                    self.want(frame, step.reads.iter().copied());
                    self.want(frame, call.arguments.iter().flatten().copied());
                }
            }
        }
    }

    fn branch(&mut self, frame: u32, block: u32, branch: u32) {
        let walked = self.walk.branches[branch as usize];
        let function = self.function(frame);
        let active = self.frames.entry(frame).or_default();
        let mut is_needed = active.is_unsure;
        active.pending.retain(|class| {
            let class = &function.classes[usize::from(*class) - 1];
            let decides = class
                .iter()
                .any(|one| (one.site, one.outcome) == (walked.site, walked.outcome));
            is_needed |= decides;
            !decides
        });
        let site = &function.sites[walked.site as usize];
        // Both ways of a predicate are the same.
        if !is_needed && site.predicate().is_none() {
            is_needed = self.is_potential(frame, block, walked.outcome);
        }
        if !is_needed {
            return;
        }
        self.include(frame, block, site.line, site.column);
        let code = &function.code[block as usize];
        if let Some(test) = code.steps.last() {
            self.want(frame, test.reads.iter().copied());
        }
        self.slice.branches.push(SlicedBranch {
            stream: 0,
            offset: walked.offset,
            function: function.id,
            site: walked.site,
            outcome: walked.outcome,
        });
    }

    /// Whether another outcome might have written what matters, or ended the program.
    fn is_potential(&mut self, frame: u32, block: u32, outcome: u32) -> bool {
        let index = self.walk.frames[frame as usize].function;
        let outcomes = self.functions[index as usize].code[block as usize]
            .next
            .len() as u32;
        for other in (0..outcomes).filter(|other| *other != outcome) {
            let writes = self.summaries.writes(index, block, other);
            let active = self.frames.get(&frame);
            let is_local =
                |number: &u32| active.is_some_and(|active| active.wanted.contains(number));
            if writes.may_end
                || (writes.is_everything && !self.wanted.shared.is_empty())
                || writes.local.iter().any(is_local)
                || writes
                    .shared
                    .iter()
                    .any(|number| self.wanted.is_hit(*number))
            {
                return true;
            }
        }
        false
    }

    /// Comes to the end of a function.
    fn leave(&mut self, frame: u32) {
        let Some(caller) = self.walk.frames[frame as usize].caller else {
            return;
        };
        let code = &self.function(caller.frame).code[caller.block as usize];
        let StepKind::Call(call) = &code.steps[caller.step as usize].kind else {
            return;
        };
        if !caller.is_direct {
            // The library does something with the result.
            self.want(frame, [RESULT]);
        } else if let Some(result) = call.result
            && self.is_hit(caller.frame, result)
        {
            self.kill(caller.frame, result);
            self.include(
                caller.frame,
                caller.block,
                code.steps[caller.step as usize].line,
                0,
            );
            self.want(
                caller.frame,
                code.steps[caller.step as usize].reads.iter().copied(),
            );
            self.want(frame, [RESULT]);
        }
    }

    /// Comes to the start of a function: its parameters, and its call.
    fn enter(&mut self, frame: u32) {
        let Some(active) = self.frames.remove(&frame) else {
            return;
        };
        let Some(caller) = self.walk.frames[frame as usize].caller else {
            return;
        };
        let code = &self.function(caller.frame).code[caller.block as usize];
        let step = &code.steps[caller.step as usize];
        let StepKind::Call(call) = &step.kind else {
            return;
        };
        if active.is_in_slice {
            self.include(caller.frame, caller.block, step.line, 0);
            self.want(caller.frame, step.reads.iter().copied());
        }
        if !caller.is_direct {
            if active.is_in_slice {
                self.want(caller.frame, call.arguments.iter().flatten().copied());
                self.want(caller.frame, call.touched.iter().flatten().copied());
                self.want(caller.frame, [ANY]);
            }
            return;
        }
        if active.wants_all_parameters {
            self.want(caller.frame, call.arguments.iter().flatten().copied());
        }
        for number in active.wanted {
            if let Some(parameter) = Place::Local(number).parameter()
                && let Some(argument) = call.arguments.get(parameter as usize)
            {
                self.want(caller.frame, argument.iter().copied());
            }
        }
    }
}
