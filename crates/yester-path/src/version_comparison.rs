//! Two versions of a program on the same input, side by side: where they first do something else.
//!
//! Branches and values are matched by function and structure ([`Matching`]) and aligned with the fewest gaps. Up to the first
//! difference both versions have done the same, so the first differences are nearest to the cause, and later ones are
//! consequences of earlier ones.

use std::collections::HashMap;

use crate::alignment::align;
use crate::matching::Matching;
use crate::recording::{EventKind, Recording, RecordingError};

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
    /// Only one version has the step.
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

/// A branch that was decided, or a value.
struct Step {
    place: StepPlace,
    what: StepKind,
    /// Which time it is executed, from 1.
    execution: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StepKind {
    Branch(u32),
    Value(u64),
}

/// A place that both versions have, or one of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Both(StepPlace),
    OldOnly(StepPlace),
    NewOnly(StepPlace),
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
        let (one, other) = (steps(old, stream)?, steps(new, stream)?);
        let old_keys: Vec<Key> = one
            .iter()
            .map(|step| {
                let place = step.place;
                match matching.new_site(place.function, place.site) {
                    Some((function, site)) => Key::Both(StepPlace { function, site }),
                    None => Key::OldOnly(place),
                }
            })
            .collect();
        let new_keys: Vec<Key> = other
            .iter()
            .map(|step| {
                let place = step.place;
                match matching.old_site(place.function, place.site) {
                    Some(_) => Key::Both(place),
                    None => Key::NewOnly(place),
                }
            })
            .collect();
        let (mut at, mut there) = (0, 0);
        let end = (one.len(), other.len());
        let pairs = align(&old_keys, &new_keys);
        for (next, next_there) in pairs.pairs().chain([end]) {
            for index in at..next {
                let matched = matches!(old_keys[index], Key::Both(_));
                let kind = DifferenceKind::Alone { matched };
                found.add(kind, Some(&one[index]), None);
            }
            for index in there..next_there {
                let matched = matches!(new_keys[index], Key::Both(_));
                let kind = DifferenceKind::Alone { matched };
                found.add(kind, None, Some(&other[index]));
            }
            if (next, next_there) != end {
                found.compare(&one[next], &other[next_there]);
            }
            (at, there) = (next + 1, next_there + 1);
        }
    }
    Ok(found.list)
}

#[derive(Default)]
struct Differences {
    list: Vec<StepDifference>,
    known: HashMap<(Option<StepPlace>, Option<StepPlace>), usize>,
    moment: usize,
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
        self.add(kind, Some(old), Some(new));
    }

    fn add(&mut self, kind: DifferenceKind, old: Option<&Step>, new: Option<&Step>) {
        let execution = |step: Option<&Step>| step.map_or(0, |step| step.execution);
        let execution = (execution(old), execution(new));
        let place = |step: &Step| step.place;
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
            });
        }
        self.list[index].times += 1;
    }
}

/// The branches and values of a thread, in order.
fn steps(recording: &Recording, stream: usize) -> Result<Vec<Step>, RecordingError> {
    let mut steps = Vec::new();
    if stream >= recording.streams() {
        return Ok(steps);
    }
    let mut executions: HashMap<StepPlace, usize> = HashMap::new();
    let mut step = |function, site, what| {
        let place = StepPlace { function, site };
        let execution = executions.entry(place).or_default();
        *execution += 1;
        Step {
            place,
            what,
            execution: *execution,
        }
    };
    let mut values = recording.value_events(stream)?.peekable();
    let mut events = recording.events(stream)?;
    while steps.len() < MOST_STEPS {
        let event = events.next().transpose()?;
        let offset = event.map_or(u64::MAX, |event| event.offset);
        // A value belongs before the event that comes next.
        while let Some(value) = values.next_if(|value| value.event <= offset) {
            steps.push(step(
                value.function,
                value.site,
                StepKind::Value(value.value),
            ));
        }
        let Some(event) = event else { break };
        if let EventKind::Branch {
            function,
            site,
            outcome,
        } = event.kind
        {
            steps.push(step(function, site, StepKind::Branch(outcome)));
        }
    }
    Ok(steps)
}
