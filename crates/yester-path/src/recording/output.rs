//! What the program wrote, byte by byte.

use yester_pathrt::format::{OUTPUT_CUT, OUTPUT_OUTER, OutputRecord};

use super::{RecordingError, damaged, word32};
use crate::expression::{ExpressionGraph, NodeId};
use crate::origin::Origin;

/// Everything that a run wrote while output was recorded.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The files that it wrote to.
    pub targets: Vec<OutputTarget>,
    /// What it wrote at once, in order.
    pub pieces: Vec<OutputPiece>,
    bytes: Vec<u8>,
    nodes: Vec<NodeId>,
}

/// A file that the program wrote to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputTarget {
    /// Its descriptor: 1 is standard output, 2 standard error.
    pub descriptor: u32,
    /// Its path as the system tells it, `pipe:[7]` for example.
    pub path: String,
}

/// Bytes that were written at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputPiece {
    /// The index of its target.
    pub target: usize,
    /// How many bytes it has.
    pub length: usize,
    /// Where it was written.
    pub origin: Origin,
    /// A node that is 1 for inputs for which the text has the same layout. Only for them its bytes have their expressions.
    pub layout: Option<NodeId>,
    /// Whether more was written than is told here.
    pub cut: bool,
    first_byte: usize,
    first_node: Option<usize>,
}

/// One byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputByte {
    /// Its value in this run.
    pub value: u8,
    /// Its expression, of eight bits, if it depends on the input.
    pub node: Option<NodeId>,
    /// The index of its piece.
    pub piece: usize,
}

impl Output {
    /// The first target with this descriptor.
    pub fn target(&self, descriptor: u32) -> Option<usize> {
        let is_meant = |target: &OutputTarget| target.descriptor == descriptor;
        self.targets.iter().position(is_meant)
    }

    /// The bytes that were written to a target, in the order in which the program wrote them.
    pub fn bytes(&self, target: usize) -> impl Iterator<Item = OutputByte> + '_ {
        let pieces = self.pieces.iter().enumerate();
        let pieces = pieces.filter(move |(_, piece)| piece.target == target);
        pieces.flat_map(move |(index, piece)| {
            (0..piece.length).map(move |offset| OutputByte {
                value: self.bytes[piece.first_byte + offset],
                node: piece
                    .first_node
                    .map(|first| self.nodes[first + offset])
                    .filter(|node| node.0 != 0),
                piece: index,
            })
        })
    }

    /// Whether everything that was written to a target is told.
    pub fn is_whole(&self, target: usize) -> bool {
        !self
            .pieces
            .iter()
            .any(|piece| piece.target == target && piece.cut)
    }

    /// How many bytes and nodes these pieces have.
    pub(super) fn used(pieces: &[u8]) -> (u64, u64) {
        let ends = pieces.chunks_exact(OutputRecord::BYTES).map(|record| {
            let number =
                |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().expect("eight bytes"));
            let length = u64::from(word32(record, 24));
            let nodes = match number(16) {
                0 => 0,
                first => (first - 1).saturating_add(length),
            };
            (number(8).saturating_add(length), nodes)
        });
        ends.fold((0, 0), |(bytes, nodes), end| {
            (bytes.max(end.0), nodes.max(end.1))
        })
    }

    /// Reads it from the parts of a recording.
    pub(super) fn read(
        pieces: &[u8],
        bytes: Vec<u8>,
        nodes: &[u8],
        targets: &[u8],
        graph: &ExpressionGraph,
        streams: usize,
    ) -> Result<Output, RecordingError> {
        let number_of = |record: &[u8], at: usize| {
            u64::from_le_bytes(record[at..at + 8].try_into().expect("eight bytes"))
        };
        let is_node = |node: u32, width: u32| {
            (node as usize) < graph.len() && (node == 0 || graph.width(NodeId(node)) == width)
        };
        let nodes: Vec<NodeId> = nodes
            .chunks_exact(4)
            .map(|node| NodeId(word32(node, 0)))
            .collect();
        if let Some(place) = nodes.iter().position(|node| !is_node(node.0, 8)) {
            return Err(damaged(
                "written-nodes",
                format!("number {place}"),
                "no byte",
            ));
        }
        let targets = targets_of(&String::from_utf8_lossy(targets))?;
        let parse = |(index, record): (usize, &[u8])| {
            let wrong = |what: &str| damaged("output", format!("number {index}"), what);
            let length = word32(record, 24) as usize;
            let within = |first: u64, most: usize| {
                let first = usize::try_from(first).ok()?;
                first
                    .checked_add(length)
                    .filter(|end| *end <= most)
                    .map(|_| first)
            };
            let first_byte = within(number_of(record, 8), bytes.len());
            let first_byte = first_byte.ok_or_else(|| wrong("bytes that are not there"))?;
            let first_node = match number_of(record, 16) {
                0 => None,
                first => {
                    let first = within(first - 1, nodes.len());
                    Some(first.ok_or_else(|| wrong("nodes that are not there"))?)
                }
            };
            let target = word32(record, 28) as usize;
            if target >= targets.len() {
                return Err(wrong("a target that is not there"));
            }
            let (layout, flags) = (word32(record, 40), word32(record, 44));
            if !is_node(layout, 1) {
                return Err(wrong("a layout that is not a condition"));
            }
            Ok(OutputPiece {
                target,
                length,
                origin: Origin {
                    is_outer: flags & OUTPUT_OUTER != 0,
                    ..Origin::read(number_of(record, 0), &record[32..40], streams)
                },
                layout: Some(NodeId(layout)).filter(|node| node.0 != 0),
                cut: flags & OUTPUT_CUT != 0,
                first_byte,
                first_node,
            })
        };
        let pieces = pieces.chunks_exact(OutputRecord::BYTES).enumerate();
        let pieces: Result<Vec<OutputPiece>, RecordingError> = pieces.map(parse).collect();
        Ok(Output {
            targets,
            pieces: pieces?,
            bytes,
            nodes,
        })
    }
}

fn targets_of(text: &str) -> Result<Vec<OutputTarget>, RecordingError> {
    let parse = |(index, line): (usize, &str)| {
        let (descriptor, path) = line.split_once('\t').unwrap_or((line, ""));
        let descriptor = descriptor.parse().map_err(|_| {
            let what = format!("'{descriptor}' is not a descriptor");
            damaged("targets", format!("line {}", index + 1), what)
        })?;
        Ok(OutputTarget {
            descriptor,
            path: path.to_owned(),
        })
    };
    text.lines().enumerate().map(parse).collect()
}
