//! Alignment by dynamic control dependence, and the distance of two runs, after Wang and Roychoudhury (2005).
//!
//! Branches are told apart by what decided that they were reached, so that the third round of a loop in one run corresponds
//! to the third round in the other, whatever happened in the rounds before.
//!
//! An event here is the entry of a function or a branch. In the paper every statement is one, but the others have no
//! outcome, so that they are in no distance, and nothing depends on them but the entry of a function on the call. The
//! recordings do not say on which branch a *call* depends, since the compiler lists the dependence of branches
//! only. So two calls correspond when they follow the same pair of corresponding branches in their function. After a branch
//! that went two ways they are counted from behind: what the branch decided comes first, and what follows it on both
//! ways comes last. This is exact unless a function is called on both sides of a branch.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::recording::{Event, RecordingError, Step};
use crate::site::{Dependence, Sites};

/// A place in the program that an event is an instance of: the papers' `stmt(e)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// The beginning of a function.
    Entry {
        /// Its number.
        function: u32,
    },
    /// A branch of a function.
    Branch {
        /// Its number.
        function: u32,
        /// Its site.
        site: u32,
    },
}

/// One event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// What it is an instance of.
    pub statement: Statement,
    /// How a branch was decided; 0 for an entry.
    pub outcome: u32,
    /// The event that it is dynamically control dependent on. Nothing for the first of a thread.
    pub dependence: Option<usize>,
    /// Where it stands in its event stream.
    pub offset: u64,
    /// The activation of a function that it belongs to.
    frame: u32,
}

/// The events of one thread with what they depend on.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// In their order.
    pub events: Vec<Happening>,
    /// For each activation of a function its events: its entry, its branches, and the entries of what it calls.
    frames: Vec<Vec<u32>>,
}

impl Run {
    /// Finds what each event depends on (Definition 1): a branch on the last event of the same activation that decides
    /// over it, and when there is none, on the entry of its function. An entry depends on the last branch of the caller,
    /// or on its entry.
    pub fn new(
        sites: &Sites,
        events: impl IntoIterator<Item = Result<Event, RecordingError>>,
    ) -> Result<Run, RecordingError> {
        let mut run = Run::default();
        let mut stack: Vec<Active> = Vec::new();
        for event in events {
            let event = event?;
            match event.step {
                Step::Enter { function } => {
                    let index = run.events.len();
                    let frame = run.frames.len() as u32;
                    if let Some(caller) = stack.last() {
                        run.frames[caller.frame as usize].push(index as u32);
                    }
                    run.frames.push(vec![index as u32]);
                    run.events.push(Happening {
                        statement: Statement::Entry { function },
                        outcome: 0,
                        dependence: stack.last().map(|caller| caller.last),
                        offset: event.offset,
                        frame,
                    });
                    stack.push(Active {
                        frame,
                        entry: index,
                        last: index,
                        decided: HashMap::new(),
                    });
                }
                Step::Branch {
                    function,
                    site,
                    outcome,
                } => {
                    let active = stack.last_mut().expect("branches are in functions");
                    let index = run.events.len();
                    let function_of = sites.function(function).expect("it was entered");
                    let deciding = function_of.sites[site as usize].dependence.iter();
                    let deciding = deciding.filter_map(|one| active.decided.get(one)).max();
                    run.frames[active.frame as usize].push(index as u32);
                    run.events.push(Happening {
                        statement: Statement::Branch { function, site },
                        outcome,
                        dependence: Some(deciding.copied().unwrap_or(active.entry)),
                        offset: event.offset,
                        frame: active.frame,
                    });
                    active.last = index;
                    active.decided.insert(Dependence { site, outcome }, index);
                }
                Step::Return { .. } => {
                    stack.pop();
                }
                Step::Land { .. } => stack.truncate(event.depth),
                Step::Exit(_) | Step::Abort => {}
            }
        }
        Ok(run)
    }

    /// The entries of functions that nothing in this thread has called.
    fn outermost(&self) -> Vec<u32> {
        let entries = self.frames.iter().map(|events| events[0]);
        entries
            .filter(|entry| self.events[*entry as usize].dependence.is_none())
            .collect()
    }
}

/// An activation of a function that has not returned.
struct Active {
    frame: u32,
    entry: usize,
    /// Its last event.
    last: usize,
    /// When each outcome was last seen.
    decided: HashMap<Dependence, usize>,
}

/// Which events of two runs are aligned (Definition 2): for each event of the left one its partner in the right one. The
/// first events are aligned if they are the same; others, if they are instances of the same statement and what they
/// depend on is aligned.
pub fn aligned(left: &Run, right: &Run) -> Vec<Option<usize>> {
    let mut pairing = Pairing {
        left,
        right,
        partners: vec![None; left.events.len()],
        mirrored: vec![None; right.events.len()],
        open: Vec::new(),
    };
    pairing.pair_calls(left.outermost(), right.outermost(), false);
    while let Some((frame, other)) = pairing.open.pop() {
        pairing.pair_branches(frame, other);
        pairing.pair_all_calls(frame, other);
    }
    pairing.partners
}

struct Pairing<'a> {
    left: &'a Run,
    right: &'a Run,
    partners: Vec<Option<usize>>,
    /// The same from right to left.
    mirrored: Vec<Option<usize>>,
    /// Activations that are aligned and still to be gone through.
    open: Vec<(u32, u32)>,
}

/// What a branch is known by among those that depend on the same event: the statement, and the how manieth instance it is,
/// which is the first unless an endless loop hides what decides.
type Key = (usize, Statement, u32);

impl Pairing<'_> {
    fn pair(&mut self, event: usize, other: usize) {
        self.partners[event] = Some(other);
        self.mirrored[other] = Some(event);
    }

    /// Branches depend on events of the same activation only.
    fn pair_branches(&mut self, frame: u32, other: u32) {
        let mut counts: HashMap<(usize, Statement), u32> = HashMap::new();
        let mut known: HashMap<Key, usize> = HashMap::new();
        for index in branches(self.right, other) {
            let event = &self.right.events[index];
            let Some(dependence) = event.dependence else {
                continue;
            };
            let count = counts.entry((dependence, event.statement)).or_default();
            known.insert((dependence, event.statement, *count), index);
            *count += 1;
        }
        counts.clear();
        for index in branches(self.left, frame) {
            let event = &self.left.events[index];
            let Some(dependence) = event.dependence else {
                continue;
            };
            let count = counts.entry((dependence, event.statement)).or_default();
            let number = *count;
            *count += 1;
            let key = self.partners[dependence].map(|partner| (partner, event.statement, number));
            if let Some(partner) = key.and_then(|key| known.get(&key)) {
                self.pair(index, *partner);
            }
        }
    }

    /// Pairs the calls that come after the same pair of branches, or after the entry.
    fn pair_all_calls(&mut self, frame: u32, other: u32) {
        let calls = calls(self.left, frame, |index| self.partners[index].is_some());
        let mut others = calls_by_place(self.right, other, |index| self.mirrored[index].is_some());
        for (place, calls) in calls {
            let Some(partner) = self.partners[place] else {
                continue;
            };
            if let Some(others) = others.remove(&partner) {
                let differs = self.left.events[place].outcome != self.right.events[partner].outcome;
                self.pair_calls(calls, others, differs);
            }
        }
    }

    /// Pairs calls of the same function with each other, the first with the first or the last with the last.
    fn pair_calls(&mut self, mut calls: Vec<u32>, mut others: Vec<u32>, from_behind: bool) {
        if from_behind {
            calls.reverse();
            others.reverse();
        }
        let mut waiting: HashMap<Statement, Vec<u32>> = HashMap::new();
        for other in others.into_iter().rev() {
            let statement = self.right.events[other as usize].statement;
            waiting.entry(statement).or_default().push(other);
        }
        for call in calls {
            let statement = self.left.events[call as usize].statement;
            if let Some(other) = waiting.get_mut(&statement).and_then(Vec::pop) {
                self.pair(call as usize, other as usize);
                let frame = self.left.events[call as usize].frame;
                self.open
                    .push((frame, self.right.events[other as usize].frame));
            }
        }
    }
}

/// The branches of an activation.
fn branches(run: &Run, frame: u32) -> impl Iterator<Item = usize> + '_ {
    let events = run.frames[frame as usize]
        .iter()
        .map(|event| *event as usize);
    events.filter(move |event| matches!(run.events[*event].statement, Statement::Branch { .. }))
}

/// The calls of an activation, each with the last event before it that is aligned.
fn calls(run: &Run, frame: u32, is_aligned: impl Fn(usize) -> bool) -> Vec<(usize, Vec<u32>)> {
    let events = &run.frames[frame as usize];
    let mut found = vec![(events[0] as usize, Vec::new())];
    for event in &events[1..] {
        if run.events[*event as usize].frame != frame {
            found.last_mut().expect("the entry").1.push(*event);
        } else if is_aligned(*event as usize) {
            found.push((*event as usize, Vec::new()));
        }
    }
    found.retain(|(_, calls)| !calls.is_empty());
    found
}

fn calls_by_place(
    run: &Run,
    frame: u32,
    is_aligned: impl Fn(usize) -> bool,
) -> HashMap<usize, Vec<u32>> {
    calls(run, frame, is_aligned).into_iter().collect()
}

/// How far a run is from another one (Definition 3): the branches that are aligned and went another way, as places in the
/// first run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distance(pub Vec<usize>);

/// The distance from `left` to `right`. Of runs that went exactly the same way it is the first event of all, which is
/// farther than any other distance: there is nothing to learn from such a run.
pub fn distance(left: &Run, right: &Run) -> Distance {
    let partners = aligned(left, right);
    let differing = partners.iter().enumerate().filter_map(|(event, partner)| {
        let other = right.events.get((*partner)?)?;
        (left.events[event].outcome != other.outcome).then_some(event)
    });
    let differing: Vec<usize> = differing.collect();
    let same = |(one, other): (&Happening, &Happening)| {
        (one.statement, one.outcome) == (other.statement, other.outcome)
    };
    let is_same =
        left.events.len() == right.events.len() && left.events.iter().zip(&right.events).all(same);
    Distance(if is_same { vec![0] } else { differing })
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Distance) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Distance {
    /// Compares two distances from the same run (Definition 4), from the end: who differs later is nearer, and so is
    /// who has nothing more where the other goes on.
    fn cmp(&self, other: &Distance) -> Ordering {
        let (one, another) = (self.0.iter().rev(), other.0.iter().rev());
        let unequal = one.zip(another).find(|(one, another)| one != another);
        match unequal {
            Some((one, another)) => another.cmp(one),
            None => self.0.len().cmp(&other.0.len()),
        }
    }
}
