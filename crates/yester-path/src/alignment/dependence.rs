//! Alignment by dynamic control dependence, and the distance of two runs, after Wang and Roychoudhury (2005).
//!
//! Branches correspond if the branches that led to them correspond. So the third round of a loop in one run corresponds to the
//! third round in the other, whatever happened in the rounds before.
//!
//! An event here is the entry of a function, or a branch. In the paper every statement is an event. But other statements have no
//! outcome, so no distance has them, and only the entry of a function depends on one: on its call. So an entry also stands
//! for its call: it depends on what the call depends on, and the site of the call identifies it.
//!
//! Calls that always happen, once and in the same order, have no site. They depend on the entry of their function, and the first
//! corresponds to the first. A signal handler counts as called by the function that it interrupted.

use std::cmp::Ordering;

use crate::recording::{EventKind, RecordingError, TraceEvent};
use crate::site::{Site, Sites};

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

/// One event of a run. It is small, since there are millions of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunEvent {
    /// Its offset in its event stream.
    pub offset: u64,
    /// The outcome of a branch; 0 for an entry.
    pub outcome: u32,
    function: u32,
    /// [`NONE`] for an entry.
    site: u32,
    /// For an entry, the site of the call in the function that calls, if it has one.
    call: u32,
    /// [`NONE`] for the first of a thread.
    dependence: u32,
}

/// No event, or no site.
const NONE: u32 = u32::MAX;

impl RunEvent {
    /// The statement that it is an instance of.
    pub fn statement(&self) -> Statement {
        let function = self.function;
        match self.site {
            NONE => Statement::Entry { function },
            site => Statement::Branch { function, site },
        }
    }

    /// The event that it is dynamically control dependent on. Nothing for the first of a thread.
    pub fn dependence(&self) -> Option<usize> {
        (self.dependence != NONE).then_some(self.dependence as usize)
    }

    /// Identifies it among the events that depend on the same event.
    fn key(&self) -> (u32, u32, u32) {
        (self.function, self.site, self.call)
    }
}

/// The events of one thread, with their control dependence.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// In their order.
    pub events: Vec<RunEvent>,
}

impl Run {
    /// Finds what each event depends on (Definition 1): a branch on the last event of the same activation that decides
    /// over it, and when there is none, on the entry of its function. An entry depends on what its call depends on.
    pub fn new(
        sites: &Sites,
        events: impl IntoIterator<Item = Result<TraceEvent, RecordingError>>,
    ) -> Result<Run, RecordingError> {
        let sites_of = |function| &sites.function(function).expect("it was entered").sites;
        let mut run = Run::default();
        let mut stack: Vec<Active> = Vec::new();
        // Reuse the allocations of functions that have returned.
        let mut spare: Vec<Vec<Decided>> = Vec::new();
        for event in events {
            let event = event?;
            match event.kind {
                EventKind::Enter { function } => {
                    let (dependence, call) = stack.last().map_or((NONE, NONE), |caller| {
                        let call = caller.call;
                        let site = call.map(|(function, site)| &sites_of(function)[site as usize]);
                        (caller.decisive(site), call.map_or(NONE, |(_, site)| site))
                    });
                    let entry = run.push(RunEvent {
                        offset: event.offset,
                        outcome: 0,
                        function,
                        site: NONE,
                        call,
                        dependence,
                    });
                    stack.push(Active {
                        entry,
                        call: None,
                        decided: spare.pop().unwrap_or_default(),
                    });
                }
                EventKind::Call { function, site } => {
                    let active = stack.last_mut().expect("calls are in functions");
                    active.call = Some((function, site));
                }
                EventKind::Branch {
                    function,
                    site,
                    outcome,
                } => {
                    let active = stack.last_mut().expect("branches are in functions");
                    let dependence = active.decisive(Some(&sites_of(function)[site as usize]));
                    let index = run.push(RunEvent {
                        offset: event.offset,
                        outcome,
                        function,
                        site,
                        call: NONE,
                        dependence,
                    });
                    active.decide(site, outcome, index);
                }
                EventKind::Return { .. } => {
                    spare.extend(stack.pop().map(Active::room));
                }
                EventKind::Land { .. } => {
                    let gone = stack.drain(event.depth.min(stack.len())..);
                    spare.extend(gone.map(Active::room));
                    if let Some(active) = stack.last_mut() {
                        active.call = None;
                    }
                }
                EventKind::Exit(_) | EventKind::Abort => {}
            }
        }
        Ok(run)
    }

    fn push(&mut self, event: RunEvent) -> u32 {
        self.events.push(event);
        self.events.len() as u32 - 1
    }
}

/// An activation of a function that has not returned.
struct Active {
    entry: u32,
    /// The function and the site of its last event, if that is a call: what is entered now is entered by it. Something that is
    /// not recorded may enter more than one function.
    call: Option<(u32, u32)>,
    /// When each outcome was last seen, by site and outcome.
    decided: Vec<Decided>,
}

/// A site, an outcome, and the last event that had it.
type Decided = ((u32, u32), u32);

impl Active {
    /// The event that a site depends on now; the entry if there is no site.
    fn decisive(&self, site: Option<&Site>) -> u32 {
        let deciding = site.into_iter().flat_map(|site| &site.dependence);
        let deciding = deciding.filter_map(|one| self.when(one.site, one.outcome));
        deciding.max().unwrap_or(self.entry)
    }

    fn when(&self, site: u32, outcome: u32) -> Option<u32> {
        let found = self
            .decided
            .binary_search_by_key(&(site, outcome), |(key, _)| *key);
        found.ok().map(|index| self.decided[index].1)
    }

    fn decide(&mut self, site: u32, outcome: u32, event: u32) {
        self.call = None;
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
/// depend on is aligned. Where there are several of them, which an endless loop or a function that is not recorded brings
/// about, the first is aligned with the first.
pub fn aligned(left: &Run, right: &Run) -> Vec<Option<usize>> {
    let mut partners = vec![None; left.events.len()];
    let (mut dependents, mut others) = (Dependents::new(left), Dependents::new(right));
    // The index after the last event stands for what the first events depend on.
    let mut open = vec![(left.events.len(), right.events.len())];
    while let Some((event, other)) = open.pop() {
        let one = dependents.sorted(left, event);
        let another = others.sorted(right, other);
        let (mut at, mut there) = (0, 0);
        while let (Some(event), Some(other)) = (one.get(at), another.get(there)) {
            let (event, other) = (*event as usize, *other as usize);
            match left.events[event].key().cmp(&right.events[other].key()) {
                Ordering::Less => at += 1,
                Ordering::Greater => there += 1,
                Ordering::Equal => {
                    partners[event] = Some(other);
                    open.push((event, other));
                    (at, there) = (at + 1, there + 1);
                }
            }
        }
    }
    partners
}

/// For each event those that depend on it.
struct Dependents {
    /// Where those of each event end; they begin where those of the event before it end.
    ends: Vec<u32>,
    events: Vec<u32>,
}

impl Dependents {
    fn new(run: &Run) -> Self {
        let first = run.events.len();
        let place = |event: &RunEvent| event.dependence().unwrap_or(first);
        // A counting sort: first count, then sum up where the dependents of each event start.
        let mut ends = vec![0; first + 1];
        for event in &run.events {
            ends[place(event)] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut events = vec![0; first];
        for (index, event) in run.events.iter().enumerate() {
            let end = &mut ends[place(event)];
            events[*end as usize] = index as u32;
            *end += 1;
        }
        Dependents { ends, events }
    }

    /// What depends on an event, by statements, those of the same statement in the order of the run.
    fn sorted(&mut self, run: &Run, event: usize) -> &[u32] {
        let begin = event.checked_sub(1).map_or(0, |before| self.ends[before]);
        let found = &mut self.events[begin as usize..self.ends[event] as usize];
        found.sort_unstable_by_key(|event| (run.events[*event as usize].key(), *event));
        found
    }
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
        let other = &right.events[(*partner)?];
        (left.events[event].outcome != other.outcome).then_some(event)
    });
    let differing: Vec<usize> = differing.collect();
    let same = |(one, other): (&RunEvent, &RunEvent)| {
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
