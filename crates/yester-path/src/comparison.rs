//! DARWIN's second phase: two runs of one program side by side, and the branches that they evaluate differently.
//!
//! The runs are strings of branches. They are aligned with the fewest gaps ([`align`]), so that branches with a similar history
//! correspond. The report is made of those that correspond and went another way.

use std::collections::HashSet;

use crate::alignment::align;
use crate::recording::{EventKind, Recording, RecordingError};

/// Of longer runs only the beginning is compared. An endless loop makes millions of branches a second.
const MOST_BRANCHES: usize = 4_000_000;

/// A branch that two runs evaluate differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DifferentBranch {
    /// The thread.
    pub stream: usize,
    /// The number of the function.
    pub function: u32,
    /// The site in it.
    pub site: u32,
    /// Its outcome in the left run.
    pub left: u32,
    /// Its outcome in the right run.
    pub right: u32,
    /// The offset of its event in the left run.
    pub left_offset: u64,
    /// The offset of its event in the right run.
    pub right_offset: u64,
}

/// A branch of a run.
struct BranchEvent {
    place: (u32, u32),
    outcome: u32,
    offset: u64,
}

/// The branches that two runs of the same program evaluate differently, in the order of the left one.
///
/// # Errors
/// If a recording cannot be read.
pub fn evaluated_differently(
    left: &Recording,
    right: &Recording,
) -> Result<Vec<DifferentBranch>, RecordingError> {
    let mut found = Vec::new();
    for stream in 0..left.streams().min(right.streams()) {
        let (one, other) = (branches(left, stream)?, branches(right, stream)?);
        let places = |events: &[BranchEvent]| -> Vec<(u32, u32)> {
            events.iter().map(|event| event.place).collect()
        };
        for (at, there) in align(&places(&one), &places(&other)).pairs() {
            let (one, other) = (&one[at], &other[there]);
            if one.outcome != other.outcome {
                found.push(DifferentBranch {
                    stream,
                    function: one.place.0,
                    site: one.place.1,
                    left: one.outcome,
                    right: other.outcome,
                    left_offset: one.offset,
                    right_offset: other.offset,
                });
            }
        }
    }
    Ok(found)
}

/// Whether two runs of the same program took the same path, as far as it was recorded.
///
/// # Errors
/// If a recording cannot be read.
pub fn same_path(left: &Recording, right: &Recording) -> Result<bool, RecordingError> {
    Ok(first_difference(left, right)?.is_none())
}

/// The first event that differs between two runs of the same program: its thread, and what it was in the left run, if that goes on so
/// far.
///
/// # Errors
/// If a recording cannot be read.
pub fn first_difference(
    left: &Recording,
    right: &Recording,
) -> Result<Option<(usize, Option<EventKind>)>, RecordingError> {
    for stream in 0..left.streams().max(right.streams()) {
        if stream >= left.streams() || stream >= right.streams() {
            return Ok(Some((stream, None)));
        }
        let (mut one, mut other) = (own_events(left, stream)?, own_events(right, stream)?);
        loop {
            let (event, seen) = (one.next().transpose()?, other.next().transpose()?);
            match (event, seen) {
                (None, None) => break,
                (Some(event), Some(seen)) if event == seen => {}
                (event, _) => return Ok(Some((stream, event))),
            }
        }
    }
    Ok(None)
}

/// The events of a thread that are the program's own. What headers of the system do depends on whether input is followed, since streams
/// read it in another way then.
fn own_events(
    recording: &Recording,
    stream: usize,
) -> Result<impl Iterator<Item = Result<EventKind, RecordingError>> + '_, RecordingError> {
    let functions = recording.sites.functions().iter();
    let of_system: HashSet<u32> = functions
        .filter(|function| function.is_of_system())
        .map(|function| function.id)
        .collect();
    let is_own = move |kind: &EventKind| match kind {
        EventKind::Branch { function, .. }
        | EventKind::Call { function, .. }
        | EventKind::Enter { function }
        | EventKind::Return { function }
        | EventKind::Land { function } => !of_system.contains(function),
        EventKind::Exit(_) | EventKind::Abort => true,
    };
    let events = recording.events(stream)?;
    let kinds = events.map(|event| event.map(|event| event.kind));
    Ok(kinds.filter(move |kind| kind.as_ref().map_or(true, &is_own)))
}

fn branches(recording: &Recording, stream: usize) -> Result<Vec<BranchEvent>, RecordingError> {
    let mut branches = Vec::new();
    for event in recording.events(stream)? {
        let event = event?;
        if let EventKind::Branch {
            function,
            site,
            outcome,
        } = event.kind
        {
            branches.push(BranchEvent {
                place: (function, site),
                outcome,
                offset: event.offset,
            });
        }
        if branches.len() == MOST_BRANCHES {
            break;
        }
    }
    Ok(branches)
}
