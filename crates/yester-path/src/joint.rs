//! Several recordings over one graph, so that conditions of one can be asked together with those of another: old and new version
//! of a program, or two runs of the same.
//!
//! The same offset of the same source is the same byte in all of them, and the same computation of the same bytes is the same node.

use std::collections::HashMap;

use crate::condition::{Constraint, ConstraintKind};
use crate::expression::{ExpressionGraph, GraphBuilder, NodeId};
use crate::query::{Query, Term};
use crate::recording::{InputByte, InputSource, Recording, SourceLength, ends, lengths};

/// Several recordings over one graph.
#[derive(Clone, Debug)]
pub struct Joint {
    builder: GraphBuilder,
    /// The bytes of all of them, with the value in the first run that read each.
    pub input: Vec<InputByte>,
    /// Where they come from.
    pub sources: Vec<InputSource>,
    runs: Vec<JointRun>,
}

/// One of the recordings.
#[derive(Clone, Debug)]
pub struct JointRun {
    /// Its path condition, over the common graph.
    pub constraints: Vec<Constraint>,
    /// The common node of each of its own nodes.
    nodes: Vec<NodeId>,
    /// The common number and the value of each of its bytes.
    bytes: Vec<(u32, u8)>,
}

impl JointRun {
    /// The common node of a node of the recording.
    pub fn node(&self, own: NodeId) -> NodeId {
        self.nodes[own.0 as usize]
    }

    /// For each common node the first of the recording's own that is the same.
    pub fn own_nodes(&self) -> HashMap<NodeId, NodeId> {
        let mut own = HashMap::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            own.entry(*node).or_insert(NodeId(index as u32));
        }
        own
    }

    /// The common number of a byte of the recording.
    pub fn byte(&self, own: u32) -> u32 {
        self.bytes[own as usize].0
    }
}

impl Joint {
    /// Joins recordings.
    pub fn new(recordings: &[&Recording]) -> Joint {
        let mut input: Vec<InputByte> = Vec::new();
        let mut sources: Vec<InputSource> = Vec::new();
        let mut known: HashMap<(usize, u64, u32), u32> = HashMap::new();
        let mut bytes_of: Vec<Vec<(u32, u8)>> = Vec::new();
        for recording in recordings {
            let places: Vec<usize> = recording
                .sources
                .iter()
                .map(|source| place_of(source, &mut sources))
                .collect();
            // A file may change while it is read: then an offset has several bytes, and the first is that of the others' first.
            let mut values: HashMap<(usize, u64), Vec<u8>> = HashMap::new();
            let mut bytes = Vec::with_capacity(recording.input.len());
            for byte in &recording.input {
                let source = places[byte.source];
                let seen = values.entry((source, byte.offset)).or_default();
                let version = seen.iter().position(|value| *value == byte.value);
                let version = version.unwrap_or_else(|| {
                    seen.push(byte.value);
                    seen.len() - 1
                });
                let next = input.len() as u32;
                let number = *known
                    .entry((source, byte.offset, version as u32))
                    .or_insert(next);
                if number == next {
                    input.push(InputByte { source, ..*byte });
                }
                bytes.push((number, byte.value));
            }
            bytes_of.push(bytes);
        }
        let mut builder = GraphBuilder::new(input.len());
        let runs = recordings.iter().zip(bytes_of).map(|(recording, bytes)| {
            let numbers: Vec<u32> = bytes.iter().map(|(number, _)| *number).collect();
            let nodes = builder.add(&recording.graph, &numbers);
            let constraints = recording.constraints.iter().map(|constraint| Constraint {
                node: nodes[constraint.node.0 as usize],
                ..*constraint
            });
            JointRun {
                constraints: constraints.collect(),
                nodes,
                bytes,
            }
        });
        let runs = runs.collect();
        Joint {
            builder,
            input,
            sources,
            runs,
        }
    }

    /// The common graph.
    pub fn graph(&self) -> &ExpressionGraph {
        self.builder.graph()
    }

    /// One of the recordings, in the order in which they were given.
    pub fn run(&self, index: usize) -> &JointRun {
        &self.runs[index]
    }

    /// The value of each byte in one of the runs. Bytes that this run did not read are as in the first that did.
    pub fn values(&self, run: usize) -> Vec<u8> {
        let mut values: Vec<u8> = self.input.iter().map(|byte| byte.value).collect();
        for (byte, value) in &self.runs[run].bytes {
            values[*byte as usize] = *value;
        }
        values
    }

    /// As [`Recording::argument_ends`], with the bytes of the first run that has them.
    pub fn argument_ends(&self) -> Vec<Vec<u32>> {
        ends(&self.input, &self.sources)
    }

    /// The lengths of sources, with their values in the first run that has them.
    pub fn lengths(&self) -> Vec<SourceLength> {
        lengths(&self.input)
    }

    /// What an input has to fulfil to take the whole path of run `kept`, and the path of run `left` up to its constraint `index`
    /// and the other outcome there: DARWIN's f ∧ ψ₁ ∧ … ∧ ψᵢ₋₁ ∧ ¬ψᵢ. Without `kept`, any other path will do.
    pub fn deviate(&self, kept: Option<usize>, left: usize, index: usize) -> Query {
        self.deviation(kept, left, index, |_| true)
    }

    /// Like [`deviate`](Self::deviate), without the concretisations. A model may take another path, so it has to be tried.
    pub fn deviate_freely(&self, kept: Option<usize>, left: usize, index: usize) -> Query {
        self.deviation(kept, left, index, |constraint| {
            constraint.kind == ConstraintKind::Branch
        })
    }

    fn deviation(
        &self,
        kept: Option<usize>,
        left: usize,
        index: usize,
        counts: impl Fn(&Constraint) -> bool,
    ) -> Query {
        let before = &self.runs[left].constraints[..index];
        let negated = self.runs[left].constraints[index].node;
        let kept = kept.map(|kept| &self.runs[kept].constraints);
        let given = kept.into_iter().flatten().chain(before).copied();
        Query::new(self.graph(), given.filter(counts), &[Term::not(negated)])
    }

    /// A node that is 1 exactly if two expressions have the same value. None if they have different widths.
    pub fn equal(&mut self, one: NodeId, other: NodeId) -> Option<NodeId> {
        let graph = self.builder.graph();
        (graph.width(one) == graph.width(other)).then(|| self.builder.equal(one, other))
    }

    /// A constant as a node, to compare expressions with.
    pub fn constant(&mut self, width: u32, value: u64) -> NodeId {
        self.builder.constant(width, value)
    }

    /// Asks for an input that takes the paths of these runs, and for which two expressions differ. If there is none, they are
    /// equal on these paths. None if they have different widths: then they are no versions of the same value.
    pub fn differ(&mut self, paths: &[usize], one: NodeId, other: NodeId) -> Option<Query> {
        let equal = self.equal(one, other)?;
        let runs = paths.iter().map(|run| &self.runs[*run]);
        let given = runs.flat_map(|run| run.constraints.iter().copied());
        Some(Query::new(self.graph(), given, &[Term::not(equal)]))
    }
}

/// The place of a source in the list, where it is put if it is new.
fn place_of(source: &InputSource, sources: &mut Vec<InputSource>) -> usize {
    let known = sources.iter().position(|known| known == source);
    known.unwrap_or_else(|| {
        sources.push(source.clone());
        sources.len() - 1
    })
}
