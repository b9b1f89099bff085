//! Recordings made by hand, as a program that yester-cc has built would leave them.
#![allow(dead_code, reason = "each test uses another part of it")]

use std::fs;
use std::path::Path;

use yester_path::{Expression, NodeId};
use yester_pathrt::format::{HEAD_BYTES, MAGIC, Operation, ValueRecord, event, head};
use yester_pathrt::pack::{PLACES, WINDOW_HEAD, bound, pack};

/// Everything that a recording has.
#[derive(Clone, Default)]
pub struct Builder {
    pub sites: String,
    pub streams: Vec<Vec<u8>>,
    pub nodes: Vec<(u32, Expression)>,
    /// Event, node, kind, stream.
    pub constraints: Vec<(u64, u32, u32, u32)>,
    /// Source, offset, value.
    pub input: Vec<(u32, u64, u8)>,
    pub sources: String,
    pub lost: String,
    pub cut: bool,
    /// The values of the first stream: event, function, site, value, node. A site of `u32::MAX` is one that was not written.
    pub values: Vec<(u64, u32, u32, u64, u32)>,
    pub values_cut: bool,
}

impl Builder {
    /// Adds a node and says its number.
    pub fn node(&mut self, width: u32, expression: Expression) -> NodeId {
        self.nodes.push((width, expression));
        NodeId(self.nodes.len() as u32)
    }

    /// Writes it to a directory, each file longer than what is used of it.
    pub fn write(&self, directory: &Path) {
        fs::create_dir_all(directory).expect("a directory");
        let mut words = vec![0u64; HEAD_BYTES / 8];
        words[head::MAGIC] = MAGIC;
        words[head::PROCESS] = 4711;
        words[head::NODES] = self.nodes.len() as u64 + 1;
        words[head::CONSTRAINTS] = self.constraints.len() as u64;
        words[head::INPUT] = self.input.len() as u64;
        words[head::SITES] = self.sites.len() as u64;
        words[head::LOST] = self.lost.len() as u64;
        words[head::STREAMS] = self.streams.len() as u64;
        for (index, stream) in self.streams.iter().enumerate() {
            words[head::STREAM + index] = stream.len() as u64;
            let (packed, rest) = stream.split_at(stream.len() / 2);
            self.file(directory, &format!("events-{index}"), blocks(packed));
            let mut window = (packed.len() as u64).to_le_bytes().to_vec();
            window.resize(WINDOW_HEAD, 0);
            window.extend(rest);
            window.push(event::END);
            self.file(directory, &format!("window-{index}"), window);
        }
        words[head::CUT] = self.cut.into();
        words[head::VALUES] = self.values.len() as u64;
        words[head::VALUES_CUT] = self.values_cut.into();
        let values = self.values.iter();
        let values = values.flat_map(|&(event, function, site, value, node)| {
            let moment = ValueRecord::moment(event, function).to_le_bytes();
            let site = site.wrapping_add(1).to_le_bytes();
            [
                &moment[..],
                &value.to_le_bytes(),
                &site,
                &node.to_le_bytes(),
            ]
            .concat()
        });
        self.file(directory, "values-0", values.collect());
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        fs::write(directory.join("head"), words.collect::<Vec<u8>>()).expect("written");
        self.file(directory, "sites", self.sites.clone().into());
        self.file(directory, "lost", self.lost.clone().into());
        self.file(directory, "sources", self.sources.clone().into());
        self.file(directory, "nodes", self.node_bytes());
        let mut constraints = Vec::new();
        for (event, node, kind, stream) in &self.constraints {
            constraints.extend(event.to_le_bytes());
            for word in [*node, *kind, *stream, 0] {
                constraints.extend(word.to_le_bytes());
            }
        }
        self.file(directory, "constraints", constraints);
        let mut input = Vec::new();
        for (source, offset, value) in &self.input {
            input.extend(offset.to_le_bytes());
            input.extend(source.to_le_bytes());
            input.extend([*value, 0, 0, 0]);
        }
        self.file(directory, "input", input);
    }

    fn file(&self, directory: &Path, name: &str, mut content: Vec<u8>) {
        content.extend([0; 100]);
        fs::write(directory.join(name), content).expect("written");
    }

    fn node_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; 16];
        for (width, expression) in &self.nodes {
            let (operation, operands) = match *expression {
                Expression::Input(byte) => (Operation::Input, [byte, 0, 0]),
                Expression::Constant(value) => {
                    (Operation::Constant, [value as u32, (value >> 32) as u32, 0])
                }
                Expression::Unary(operation, a) => (operation, [a.0, 0, 0]),
                Expression::Round(rounding, a) => {
                    (Operation::FloatRound, [a.0, rounding as u32, 0])
                }
                Expression::Binary(operation, a, b) => (operation, [a.0, b.0, 0]),
                Expression::Extract(a, low) => (Operation::Extract, [a.0, low, 0]),
                Expression::ZeroExtend(a) => (Operation::ZeroExtend, [a.0, 0, 0]),
                Expression::SignExtend(a) => (Operation::SignExtend, [a.0, 0, 0]),
                Expression::Choose(a, b, c) => (Operation::Choose, [a.0, b.0, c.0]),
            };
            bytes.extend([operation as u8, 0]);
            bytes.extend((*width as u16).to_le_bytes());
            operands
                .iter()
                .for_each(|operand| bytes.extend(operand.to_le_bytes()));
        }
        bytes
    }
}

/// TraceEvents packed into blocks, small ones so that there are several.
fn blocks(raw: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for raw in raw.chunks(7) {
        let mut packed = vec![0; bound(raw.len())];
        let size = pack(raw, &mut packed, &mut [0; PLACES]);
        all.extend((raw.len() as u32).to_le_bytes());
        all.extend((size as u32).to_le_bytes());
        all.extend(&packed[..size]);
    }
    all
}
