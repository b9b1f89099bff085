//! What the symbolic part stands on: files of the recording, and what the trace can tell.

use crate::file::Used;
use crate::format::{Constraint, InputByte, Node, head};
use crate::recording::{Recording, lost};
use crate::stream::position;

const MOST_NODES: usize = 1 << 24;
const MOST_CONSTRAINTS: usize = 1 << 22;
const MOST_INPUT: usize = 1 << 22;

/// Handed over once, when a recording with symbolic inputs starts.
pub struct Ground {
    /// `head`; the symbolic part counts its nodes, constraints and input there.
    pub head: *mut u64,
    /// Where nodes go.
    pub nodes: *mut Node,
    /// For how many there is room.
    pub most_nodes: usize,
    /// Where constraints go.
    pub constraints: *mut Constraint,
    /// For how many there is room.
    pub most_constraints: usize,
    /// Where the symbolic bytes of input go.
    pub input: *mut InputByte,
    /// For how many there is room.
    pub most_input: usize,
    /// The sources, one a line.
    pub sources: &'static [u8],
    /// The stream of this thread, and where its next event will be.
    pub position: fn() -> (u32, u64),
    /// Notes what the recording lacks, once: what, and where.
    pub lost: fn(what: &[u8], place: &[u8]),
}

/// Makes the files of the symbolic part.
pub(crate) fn prepare(recording: &mut Recording, sources: &'static [u8]) -> Option<Ground> {
    let counted = |word, unit| Used::Counted { word, unit };
    let nodes =
        recording.add_places::<Node>(b"nodes", MOST_NODES, |unit| counted(head::NODES, unit))?;
    let constraints =
        recording.add_places::<Constraint>(b"constraints", MOST_CONSTRAINTS, |unit| {
            counted(head::CONSTRAINTS, unit)
        })?;
    let input = recording
        .add_places::<InputByte>(b"input", MOST_INPUT, |unit| counted(head::INPUT, unit))?;
    recording.add_text(b"sources", sources)?;
    Some(Ground {
        head: recording.head,
        nodes: nodes.0,
        most_nodes: nodes.1,
        constraints: constraints.0,
        most_constraints: constraints.1,
        input: input.0,
        most_input: input.1,
        sources,
        position,
        lost,
    })
}
