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

use crate::recording::{Event, RecordingError, Step};
use crate::site::Sites;

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

/// One event of a run. There are millions of them, so that it is small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Happening {
    /// Where it stands in its event stream.
    pub offset: u64,
    /// How a branch was decided; 0 for an entry.
    pub outcome: u32,
    function: u32,
    /// [`NONE`] for an entry.
    site: u32,
    /// [`NONE`] for the first of a thread.
    dependence: u32,
    /// What happened next in the same activation of a function, itself or a call: [`NONE`] if nothing did.
    next: u32,
    /// For an entry, what happened first in that activation.
    first: u32,
}

/// No event, or no site.
const NONE: u32 = u32::MAX;

impl Happening {
    /// What it is an instance of.
    pub fn statement(&self) -> Statement {
        let function = self.function;
        match self.site {
            NONE => Statement::Entry { function },
            site => Statement::Branch { function, site },
        }
    }

    /// The event that it is dynamically control dependent on. Nothing for the first of a thread.
    pub fn dependence(&self) -> Option<usize> {
        some(self.dependence)
    }

    fn is_entry(&self) -> bool {
        self.site == NONE
    }
}

fn some(event: u32) -> Option<usize> {
    (event != NONE).then_some(event as usize)
}

/// The events of one thread with what they depend on.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// In their order.
    pub events: Vec<Happening>,
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
        // What returned leaves its room to what is called next.
        let mut spare: Vec<Vec<Decided>> = Vec::new();
        for event in events {
            let event = event?;
            match event.step {
                Step::Enter { function } => {
                    let dependence = stack.last().map_or(NONE, |caller| caller.last);
                    let index = run.push(event.offset, (function, NONE), 0, dependence);
                    if let Some(caller) = stack.last_mut() {
                        run.follow(caller, index);
                    }
                    stack.push(Active {
                        entry: index,
                        last: index,
                        latest: NONE,
                        decided: spare.pop().unwrap_or_default(),
                    });
                }
                Step::Branch {
                    function,
                    site,
                    outcome,
                } => {
                    let active = stack.last_mut().expect("branches are in functions");
                    let function_of = sites.function(function).expect("it was entered");
                    let deciding = function_of.sites[site as usize].dependence.iter();
                    let deciding = deciding
                        .filter_map(|one| active.when(one.site, one.outcome))
                        .max();
                    let dependence = deciding.unwrap_or(active.entry);
                    let index = run.push(event.offset, (function, site), outcome, dependence);
                    run.follow(active, index);
                    active.last = index;
                    active.decide(site, outcome, index);
                }
                Step::Return { .. } => {
                    spare.extend(stack.pop().map(Active::room));
                }
                Step::Land { .. } => {
                    let gone = stack.drain(event.depth.min(stack.len())..);
                    spare.extend(gone.map(Active::room));
                }
                Step::Exit(_) | Step::Abort => {}
            }
        }
        Ok(run)
    }

    fn push(
        &mut self,
        offset: u64,
        (function, site): (u32, u32),
        outcome: u32,
        dependence: u32,
    ) -> u32 {
        self.events.push(Happening {
            offset,
            outcome,
            function,
            site,
            dependence,
            next: NONE,
            first: NONE,
        });
        self.events.len() as u32 - 1
    }

    /// Puts an event behind what happened in an activation before.
    fn follow(&mut self, active: &mut Active, event: u32) {
        match some(active.latest) {
            Some(latest) => self.events[latest].next = event,
            None => self.events[active.entry as usize].first = event,
        }
        active.latest = event;
    }

    /// The branches and calls of the activation that begins with an entry.
    fn inside(&self, entry: u32) -> impl Iterator<Item = u32> + '_ {
        let first = some(self.events[entry as usize].first);
        let next = |event: &usize| some(self.events[*event].next);
        std::iter::successors(first, next).map(|event| event as u32)
    }

    /// The entries of functions that nothing in this thread has called.
    fn outermost(&self) -> Vec<(u32, u32)> {
        let events = self.events.iter().enumerate();
        events
            .filter(|(_, event)| event.dependence == NONE)
            .map(|(index, _)| (NONE, index as u32))
            .collect()
    }
}

/// An activation of a function that has not returned.
struct Active {
    entry: u32,
    /// Its entry or its last branch.
    last: u32,
    /// Its last branch or call.
    latest: u32,
    /// When each outcome was last seen, by site and outcome.
    decided: Vec<Decided>,
}

/// A site, an outcome, and the last event that had it.
type Decided = ((u32, u32), u32);

impl Active {
    fn when(&self, site: u32, outcome: u32) -> Option<u32> {
        let found = self
            .decided
            .binary_search_by_key(&(site, outcome), |(key, _)| *key);
        found.ok().map(|index| self.decided[index].1)
    }

    fn decide(&mut self, site: u32, outcome: u32, event: u32) {
        let key = (site, outcome);
        match self.decided.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(index) => self.decided[index].1 = event,
            Err(index) => self.decided.insert(index, (key, event)),
        }
    }

    fn room(mut self) -> Vec<Decided> {
        self.decided.clear();
        self.decided
    }
}

/// Which events of two runs are aligned (Definition 2): for each event of the left one its partner in the right one. The
/// first events are aligned if they are the same; others, if they are instances of the same statement and what they
/// depend on is aligned.
pub fn aligned(left: &Run, right: &Run) -> Vec<Option<usize>> {
    let partners = Pairing::new(left, right).partners;
    partners.into_iter().map(some).collect()
}

struct Pairing<'a> {
    left: &'a Run,
    right: &'a Run,
    partners: Vec<u32>,
    /// The same from right to left.
    mirrored: Vec<u32>,
    /// Entries that are aligned and whose activations are still to be gone through.
    open: Vec<(u32, u32)>,
}

/// What a branch is known by among those that depend on the same event: the site, and the how manieth instance it is,
/// which is the first unless an endless loop hides what decides. With the branch itself.
type Key = (u32, u32, u32, u32);

impl<'a> Pairing<'a> {
    fn new(left: &'a Run, right: &'a Run) -> Self {
        let mut pairing = Pairing {
            left,
            right,
            partners: vec![NONE; left.events.len()],
            mirrored: vec![NONE; right.events.len()],
            open: Vec::new(),
        };
        pairing.pair_calls(&mut left.outermost(), &mut right.outermost(), false);
        while let Some((entry, other)) = pairing.open.pop() {
            pairing.pair_branches(entry, other);
            pairing.pair_all_calls(entry, other);
        }
        pairing
    }

    fn pair(&mut self, event: u32, other: u32) {
        self.partners[event as usize] = other;
        self.mirrored[other as usize] = event;
    }

    /// Branches depend on events of the same activation only.
    fn pair_branches(&mut self, entry: u32, other: u32) {
        let known = keys(self.right, other);
        let mut keys = keys(self.left, entry);
        // In the order of the run, so that what an event depends on comes before it.
        keys.sort_unstable_by_key(|(_, _, _, event)| *event);
        for (dependence, site, number, event) in keys {
            let Some(partner) = some(self.partners[dependence as usize]) else {
                continue;
            };
            let key = (partner as u32, site, number);
            let found = known.binary_search_by_key(&key, |(dependence, site, number, _)| {
                (*dependence, *site, *number)
            });
            if let Ok(found) = found {
                self.pair(event, known[found].3);
            }
        }
    }

    /// Pairs the calls that come after the same pair of branches, or after the entry.
    fn pair_all_calls(&mut self, entry: u32, other: u32) {
        let mut calls = calls(self.left, entry, &self.partners);
        let mut others = self::calls(self.right, other, &self.mirrored);
        for group in calls.chunk_by_mut(|one, next| one.0 == next.0) {
            let place = group[0].0;
            let partner = self.partners[place as usize];
            let begin = others.partition_point(|(place, _)| *place < partner);
            let end = others.partition_point(|(place, _)| *place <= partner);
            let (one, another) = (place as usize, partner as usize);
            let differs = self.left.events[one].outcome != self.right.events[another].outcome;
            self.pair_calls(group, &mut others[begin..end], differs);
        }
    }

    /// Pairs calls of the same function with each other, the first with the first or the last with the last.
    fn pair_calls(
        &mut self,
        calls: &mut [(u32, u32)],
        others: &mut [(u32, u32)],
        from_behind: bool,
    ) {
        let order = |run: &Run, calls: &mut [(u32, u32)]| {
            calls.sort_unstable_by_key(|(_, call)| {
                let place = if from_behind { !*call } else { *call };
                (run.events[*call as usize].function, place)
            });
        };
        order(self.left, calls);
        order(self.right, others);
        let (mut one, mut other) = (0, 0);
        while let (Some((_, call)), Some((_, candidate))) = (calls.get(one), others.get(other)) {
            let function = self.left.events[*call as usize].function;
            match function.cmp(&self.right.events[*candidate as usize].function) {
                Ordering::Less => one += 1,
                Ordering::Greater => other += 1,
                Ordering::Equal => {
                    self.pair(*call, *candidate);
                    self.open.push((*call, *candidate));
                    (one, other) = (one + 1, other + 1);
                }
            }
        }
    }
}

/// The branches of an activation by what they depend on.
fn keys(run: &Run, entry: u32) -> Vec<Key> {
    let branches = run.inside(entry).filter_map(|event| {
        let branch = &run.events[event as usize];
        (!branch.is_entry()).then_some((branch.dependence, branch.site, 0, event))
    });
    let mut keys: Vec<Key> = branches.collect();
    keys.sort_unstable();
    for index in 1..keys.len() {
        let (dependence, site, number, _) = keys[index - 1];
        if (dependence, site) == (keys[index].0, keys[index].1) {
            keys[index].2 = number + 1;
        }
    }
    keys
}

/// The calls of an activation, each with the last event before it that has a partner.
fn calls(run: &Run, entry: u32, partners: &[u32]) -> Vec<(u32, u32)> {
    let mut place = entry;
    let mut found = Vec::new();
    for event in run.inside(entry) {
        if run.events[event as usize].is_entry() {
            found.push((place, event));
        } else if partners[event as usize] != NONE {
            place = event;
        }
    }
    found
}

/// How far a run is from another one (Definition 3): the branches that are aligned and went another way, as places in the
/// first run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distance(pub Vec<usize>);

/// The distance from `left` to `right`. Of runs that went exactly the same way it is the first event of all, which is
/// farther than any other distance: there is nothing to learn from such a run.
pub fn distance(left: &Run, right: &Run) -> Distance {
    let partners = Pairing::new(left, right).partners;
    let differing = partners.iter().enumerate().filter_map(|(event, partner)| {
        let other = &right.events[some(*partner)?];
        (left.events[event].outcome != other.outcome).then_some(event)
    });
    let differing: Vec<usize> = differing.collect();
    let same = |(one, other): (&Happening, &Happening)| {
        (one.statement(), one.outcome) == (other.statement(), other.outcome)
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
