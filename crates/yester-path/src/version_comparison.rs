//! Two versions of a program on the same input, side by side: where they first do something else.
//!
//! Branches and values are matched by function and structure ([`Matching`]) and aligned with the fewest gaps, call by call: what a
//! call did corresponds to what the same call did in the other version, and to nothing else, however alike. Up to the first
//! difference both versions have done the same, so the first differences are nearest to the cause, and later ones are
//! consequences of earlier ones.

mod frame;

use std::collections::HashMap;
use std::ops::Range;
use std::vec::IntoIter;

use self::frame::{Frame, Frames, Item, Step};
use crate::alignment::align;
use crate::matching::Matching;
use crate::recording::{Recording, RecordingError};

/// Of longer runs only the beginning is compared.
const MOST_STEPS: usize = 2_000_000;

/// Something that the versions do differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepDifference {
    /// What differs.
    pub kind: DifferenceKind,
    /// The step of the old version. None if it has no such step.
    pub old: Option<StepPlace>,
    /// The step of the new version.
    pub new: Option<StepPlace>,
    /// Where in the course of both runs it happens, from 0.
    pub moment: usize,
    /// Which time the step is executed, from 1, in the old and in the new version.
    pub execution: (usize, usize),
    /// How often the versions differ here.
    pub times: usize,
    /// How often they did before anything that both do had another outcome or value. More than once: it did no harm at first.
    pub times_before: usize,
}

/// What differs at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// A branch goes another way: its outcomes in the old and in the new version.
    Branch {
        /// In the old version.
        old: u32,
        /// In the new version.
        new: u32,
    },
    /// Another value is assigned, passed or returned.
    Value {
        /// In the old version.
        old: u64,
        /// In the new version.
        new: u64,
    },
    /// Only one version has the step. A call that only one version makes is one step, whatever it does.
    Alone {
        /// Whether the other version has the place at all.
        matched: bool,
    },
}

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepPlace {
    /// The number of the function.
    pub function: u32,
    /// The site in it.
    pub site: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StepKind {
    Branch(u32),
    Value(u64),
    /// A call of a function that the other version does not have.
    Call,
}

/// What has to be the same in both versions for two items to correspond. Places and functions that both have are those of the new one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Both(StepPlace),
    OldOnly(StepPlace),
    NewOnly(StepPlace),
    /// A call of a function, at a place that both versions have or from outside.
    Call(Option<StepPlace>, u32),
}

/// What the versions do differently, in the order of the runs; of several times at the same places the first.
///
/// # Errors
/// If a recording cannot be read.
pub fn step_differences(
    old: &Recording,
    new: &Recording,
    matching: &Matching,
) -> Result<Vec<StepDifference>, RecordingError> {
    let mut found = Differences::default();
    for stream in 0..old.streams().max(new.streams()) {
        let is_known = |function| matching.new_function(function).is_some();
        let one = Frames::read(old, stream, is_known, MOST_STEPS)?;
        let is_known = |function| matching.old_function(function).is_some();
        let other = Frames::read(new, stream, is_known, MOST_STEPS)?;
        let comparison = FrameComparison {
            old: &one.0,
            new: &other.0,
            matching,
        };
        comparison.compare(&mut found);
    }
    Ok(found.list)
}

/// An item of the old version, of the new one, or both, by their indices in their frames.
type Pair = (Option<usize>, Option<usize>);

/// Two frames that correspond, while their items are looked at.
struct OpenPair {
    old: usize,
    new: usize,
    pairs: IntoIter<Pair>,
}

struct FrameComparison<'a> {
    old: &'a [Frame],
    new: &'a [Frame],
    matching: &'a Matching,
}

impl FrameComparison<'_> {
    fn compare(&self, found: &mut Differences) {
        // Programs that call themselves may be deeper than our own stack.
        let mut open = vec![self.open(0, 0)];
        while let Some(last) = open.last_mut() {
            let Some((old, new)) = last.pairs.next() else {
                open.pop();
                continue;
            };
            let old = old.map(|index| &self.old[last.old].items[index]);
            let new = new.map(|index| &self.new[last.new].items[index]);
            match (old, new) {
                (Some(Item::Step(old)), Some(Item::Step(new))) => found.compare(old, new),
                (Some(Item::Call(old)), Some(Item::Call(new))) => {
                    open.push(self.open(*old, *new));
                }
                (old, new) => {
                    if let Some(step) = old.and_then(|item| first_step(self.old, item)) {
                        let partner = self.matching.new_site(step.0.function, step.0.site);
                        found.alone(partner.is_some(), Some(step), None);
                    }
                    if let Some(step) = new.and_then(|item| first_step(self.new, item)) {
                        let partner = self.matching.old_site(step.0.function, step.0.site);
                        found.alone(partner.is_some(), None, Some(step));
                    }
                }
            }
        }
    }

    fn open(&self, old: usize, new: usize) -> OpenPair {
        let old_keys: Vec<Key> = self.old[old]
            .items
            .iter()
            .map(|item| self.old_key(item))
            .collect();
        let new_keys: Vec<Key> = self.new[new]
            .items
            .iter()
            .map(|item| self.new_key(item))
            .collect();
        let mut pairs: Vec<Pair> = Vec::new();
        let (mut at, mut there) = (0, 0);
        let end = (old_keys.len(), new_keys.len());
        for (next, next_there) in align(&old_keys, &new_keys).pairs().chain([end]) {
            // Calls at places that only one version has correspond if they call the same.
            let (old_calls, old_callees) = calls(self.old, old, at..next, |function| {
                self.matching.new_function(function)
            });
            let (new_calls, new_callees) = calls(self.new, new, there..next_there, Some);
            for (call, new_call) in align(&old_callees, &new_callees).pairs() {
                let (next, next_there) = (old_calls[call], new_calls[new_call]);
                pairs.extend((at..next).map(|index| (Some(index), None)));
                pairs.extend((there..next_there).map(|index| (None, Some(index))));
                pairs.push((Some(next), Some(next_there)));
                (at, there) = (next + 1, next_there + 1);
            }
            pairs.extend((at..next).map(|index| (Some(index), None)));
            pairs.extend((there..next_there).map(|index| (None, Some(index))));
            if (next, next_there) != end {
                pairs.push((Some(next), Some(next_there)));
            }
            (at, there) = (next + 1, next_there + 1);
        }
        OpenPair {
            old,
            new,
            pairs: pairs.into_iter(),
        }
    }

    fn old_key(&self, item: &Item) -> Key {
        let common = |place: StepPlace| {
            let partner = self.matching.new_site(place.function, place.site);
            partner.map(|(function, site)| StepPlace { function, site })
        };
        match item {
            Item::Step(step) => match common(step.place) {
                Some(place) => Key::Both(place),
                None => Key::OldOnly(step.place),
            },
            Item::Call(frame) => {
                let Frame { function, call, .. } = &self.old[*frame];
                let function = self.matching.new_function(*function);
                match (call.map(|(place, _)| (place, common(place))), function) {
                    (Some((_, Some(place))), Some(function)) => Key::Call(Some(place), function),
                    (None, Some(function)) => Key::Call(None, function),
                    (Some((place, _)), _) => Key::OldOnly(place),
                    (None, None) => Key::Call(None, u32::MAX),
                }
            }
        }
    }

    fn new_key(&self, item: &Item) -> Key {
        let is_common =
            |place: StepPlace| self.matching.old_site(place.function, place.site).is_some();
        match item {
            Item::Step(step) if is_common(step.place) => Key::Both(step.place),
            Item::Step(step) => Key::NewOnly(step.place),
            Item::Call(frame) => {
                let Frame { function, call, .. } = &self.new[*frame];
                match call {
                    Some((place, _)) if !is_common(*place) => Key::NewOnly(*place),
                    _ => Key::Call(call.map(|(place, _)| place), *function),
                }
            }
        }
    }
}

/// The step that stands for an item: the call itself, or what was done first if nobody is known to have called.
fn first_step<'f>(frames: &'f [Frame], mut item: &'f Item) -> Option<(StepPlace, usize)> {
    loop {
        match item {
            Item::Step(step) => return Some((step.place, step.execution)),
            Item::Call(frame) => match frames[*frame].call {
                Some(call) => return Some(call),
                None => item = frames[*frame].items.first()?,
            },
        }
    }
}

/// The calls among some items of a frame, and what they call.
fn calls(
    frames: &[Frame],
    frame: usize,
    range: Range<usize>,
    common: impl Fn(u32) -> Option<u32>,
) -> (Vec<usize>, Vec<u32>) {
    let calls = range.filter_map(|index| match frames[frame].items[index] {
        Item::Call(callee) => Some((index, common(frames[callee].function)?)),
        Item::Step(_) => None,
    });
    calls.unzip()
}

#[derive(Default)]
struct Differences {
    list: Vec<StepDifference>,
    known: HashMap<(Option<StepPlace>, Option<StepPlace>), usize>,
    moment: usize,
    /// Whether something that both versions do had another outcome or value.
    have_parted: bool,
}

impl Differences {
    fn compare(&mut self, old: &Step, new: &Step) {
        let kind = match (old.what, new.what) {
            (one, other) if one == other => {
                self.moment += 1;
                return;
            }
            (StepKind::Branch(old), StepKind::Branch(new)) => DifferenceKind::Branch { old, new },
            (StepKind::Value(old), StepKind::Value(new)) => DifferenceKind::Value { old, new },
            // Sites correspond only if they are of the same kind.
            _ => DifferenceKind::Alone { matched: true },
        };
        let moment = |step: &Step| Some((step.place, step.execution));
        self.add(kind, moment(old), moment(new));
    }

    fn alone(
        &mut self,
        matched: bool,
        old: Option<(StepPlace, usize)>,
        new: Option<(StepPlace, usize)>,
    ) {
        self.add(DifferenceKind::Alone { matched }, old, new);
    }

    fn add(
        &mut self,
        kind: DifferenceKind,
        old: Option<(StepPlace, usize)>,
        new: Option<(StepPlace, usize)>,
    ) {
        let execution = |step: Option<(StepPlace, usize)>| step.map_or(0, |(_, time)| time);
        let execution = (execution(old), execution(new));
        let place = |(place, _): (StepPlace, usize)| place;
        let (old, new) = (old.map(place), new.map(place));
        let moment = self.moment;
        self.moment += 1;
        let next = self.list.len();
        let index = *self.known.entry((old, new)).or_insert(next);
        if index == next {
            self.list.push(StepDifference {
                kind,
                old,
                new,
                moment,
                execution,
                times: 0,
                times_before: 0,
            });
        }
        self.list[index].times += 1;
        if !self.have_parted {
            self.list[index].times_before += 1;
        }
        self.have_parted |= !matches!(kind, DifferenceKind::Alone { .. });
    }
}
