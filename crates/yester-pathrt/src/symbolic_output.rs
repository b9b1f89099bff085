//! What the recording provides to the symbolic part: files to write, and the position in the trace.

use crate::file::Used;
use crate::format::{
    ConstraintRecord, InputByteRecord, NodeRecord, OriginRecord, OutputRecord, head,
};
use crate::recording::{RecordingWriter, lost, target};
use crate::stream::position;

const MOST_NODES: usize = 1 << 24;
const MOST_CONSTRAINTS: usize = 1 << 22;
const MOST_INPUT: usize = 1 << 22;
const MOST_OUTPUT: usize = 1 << 22;
const MOST_WRITTEN: usize = 1 << 26;
const MOST_WRITTEN_NODES: usize = 1 << 24;
const TARGETS_BYTES: usize = 1 << 16;

/// Passed to the symbolic part once, when a recording with symbolic input starts.
pub struct SymbolicOutput {
    /// `head`, where the symbolic part counts nodes, constraints and input bytes.
    pub head: *mut u64,
    /// Where nodes go.
    pub nodes: *mut NodeRecord,
    /// How many nodes fit.
    pub most_nodes: usize,
    /// Where constraints go.
    pub constraints: *mut ConstraintRecord,
    /// How many constraints fit.
    pub most_constraints: usize,
    /// Where symbolic input bytes go.
    pub input: *mut InputByteRecord,
    /// How many input bytes fit.
    pub most_input: usize,
    /// Where the origins of nodes go, one for each node.
    pub origins: *mut OriginRecord,
    /// How many origins fit.
    pub most_origins: usize,
    /// Where pieces of output go.
    pub output: *mut OutputRecord,
    /// How many pieces fit.
    pub most_output: usize,
    /// Where written bytes go.
    pub written: *mut u8,
    /// How many bytes fit.
    pub most_written: usize,
    /// Where the nodes of written bytes go.
    pub written_nodes: *mut u32,
    /// How many nodes fit.
    pub most_written_nodes: usize,
    /// The sources, one a line.
    pub sources: &'static [u8],
    /// The stream of this thread, and the offset of its next event.
    pub position: fn() -> (u32, u64),
    /// Records a loss: what, and where.
    pub lost: fn(what: &[u8], place: &[u8]),
    /// Adds a line to `targets`.
    pub target: fn(line: &[u8]),
}

/// Makes the files of the symbolic part.
pub(crate) fn prepare(
    recording: &mut RecordingWriter,
    sources: &'static [u8],
) -> Option<SymbolicOutput> {
    let counted = |word, unit| Used::Counted { word, unit };
    let nodes = recording
        .add_places::<NodeRecord>(b"nodes", MOST_NODES, |unit| counted(head::NODES, unit))?;
    let constraints =
        recording.add_places::<ConstraintRecord>(b"constraints", MOST_CONSTRAINTS, |unit| {
            counted(head::CONSTRAINTS, unit)
        })?;
    let input = recording
        .add_places::<InputByteRecord>(b"input", MOST_INPUT, |unit| counted(head::INPUT, unit))?;
    let origins = recording
        .add_places::<OriginRecord>(b"origins", MOST_NODES, |unit| counted(head::NODES, unit))?;
    let output = recording
        .add_places::<OutputRecord>(b"output", MOST_OUTPUT, |unit| counted(head::OUTPUT, unit))?;
    let written = recording.add_places::<u8>(b"written", MOST_WRITTEN, |unit| {
        counted(head::WRITTEN, unit)
    })?;
    let written_nodes =
        recording.add_places::<u32>(b"written-nodes", MOST_WRITTEN_NODES, |unit| {
            counted(head::WRITTEN_NODES, unit)
        })?;
    recording.add(b"targets", None, TARGETS_BYTES, counted(head::TARGETS, 1));
    if !sources.is_empty() {
        recording.add_text(b"sources", sources)?;
    }
    Some(SymbolicOutput {
        head: recording.head,
        nodes: nodes.0,
        most_nodes: nodes.1,
        constraints: constraints.0,
        most_constraints: constraints.1,
        input: input.0,
        most_input: input.1,
        origins: origins.0,
        most_origins: origins.1,
        output: output.0,
        most_output: output.1,
        written: written.0,
        most_written: written.1,
        written_nodes: written_nodes.0,
        most_written_nodes: written_nodes.1,
        sources,
        position,
        lost,
        target,
    })
}
