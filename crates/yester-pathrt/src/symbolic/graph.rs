//! Expressions as a graph in which equal ones are the same node.
//!
//! Nodes are written directly into the recording; their values in this run are in private memory. Functions take and return
//! node numbers. 0 means "no node", and so does every expression over it: when the graph is full, everything becomes concrete.

use super::memory::Region;
use super::value::{self, truncate};
use crate::format::{NodeRecord, Operation, OriginRecord, head};

/// A slot of shadow memory has 24 bits for a node.
pub const MOST_NODES: usize = 1 << 24;
const FIRST_TABLE: usize = 1 << 12;
/// Operations on a choice among up to this many constants are applied to each of them.
pub const MOST_LEAVES: u8 = 64;

/// All expressions of a run.
pub struct NodeGraph {
    head: *mut u64,
    nodes: Region<NodeRecord>,
    values: Region<u64>,
    /// The number of leaves of a choice among constants; 1 for a constant, 0 for other nodes.
    leaves: Region<u8>,
    /// Whether a condition was recorded: [`KNOWN`], and [`DECIDED`] if the program branched on it.
    known: Region<u8>,
    origins: Region<OriginRecord>,
    /// Where the program is.
    here: fn() -> OriginRecord,
    length: usize,
    table: Region<u32>,
    /// Whether a node did not fit.
    pub full: bool,
}

const KNOWN: u8 = 1;
const DECIDED: u8 = 2;

impl NodeGraph {
    /// A graph in `nodes`, which are counted in `head`. Each node gets its origin from `here`.
    pub fn new(
        head: *mut u64,
        nodes: Region<NodeRecord>,
        origins: Region<OriginRecord>,
        here: fn() -> OriginRecord,
    ) -> NodeGraph {
        let capacity = nodes.capacity().min(MOST_NODES);
        let mut graph = NodeGraph {
            head,
            nodes,
            values: Region::reserve(capacity),
            leaves: Region::reserve(capacity),
            known: Region::reserve(capacity),
            origins,
            here,
            length: 1,
            table: Region::reserve(FIRST_TABLE),
            full: false,
        };
        graph.publish();
        graph
    }

    fn publish(&mut self) {
        // SAFETY: `head` is a page of the recording, mapped as long as the program runs.
        unsafe { *self.head.add(head::NODES) = self.length as u64 }
    }

    /// How many nodes there are, including node 0.
    #[cfg(test)]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The record of a node.
    #[inline]
    pub fn node(&self, node: u32) -> NodeRecord {
        self.nodes.get(node as usize)
    }

    /// The operation of a node.
    #[inline]
    pub fn operation(&self, node: u32) -> Operation {
        value::operation(self.node(node).operation)
    }

    /// How many bits a node has.
    #[inline]
    pub fn width(&self, node: u32) -> u32 {
        u32::from(self.node(node).width)
    }

    /// The value of a node in this run.
    #[inline]
    pub fn value(&self, node: u32) -> u64 {
        self.values.get(node as usize)
    }

    /// The value of a constant node.
    #[inline]
    pub fn constant_value(&self, node: u32) -> Option<u64> {
        (self.node(node).operation == Operation::Constant as u8).then(|| self.value(node))
    }

    /// Whether a node has the same value in every run.
    #[inline]
    pub fn is_constant(&self, node: u32) -> bool {
        self.node(node).operation == Operation::Constant as u8
    }

    /// How many leaves a choice among constants has, 0 if `node` is not one.
    #[inline]
    pub fn leaves(&self, node: u32) -> u8 {
        self.leaves.get(node as usize)
    }

    /// Whether a condition was recorded before.
    pub fn is_known(&self, node: u32) -> bool {
        self.known.get(node as usize) != 0
    }

    /// Remembers that a condition was recorded.
    pub fn know(&mut self, node: u32) {
        let known = self.known.get(node as usize);
        self.known.set(node as usize, known | KNOWN);
    }

    /// Whether the program has branched on a condition, and it held.
    pub fn is_decided(&self, node: u32) -> bool {
        self.known.get(node as usize) & DECIDED != 0
    }

    /// Remembers that the program has branched on a condition, and it held.
    pub fn decide(&mut self, node: u32) {
        self.known.set(node as usize, KNOWN | DECIDED);
    }

    /// The byte of input with this index.
    pub fn input(&mut self, index: u32, value: u8) -> u32 {
        let node = NodeRecord {
            operation: Operation::Input as u8,
            reserved: 0,
            width: 8,
            a: index,
            b: 0,
            c: 0,
        };
        self.intern(node, u64::from(value), 0)
    }

    /// A constant.
    pub fn constant(&mut self, width: u32, value: u64) -> u32 {
        let value = truncate(value, width);
        let node = NodeRecord {
            operation: Operation::Constant as u8,
            reserved: 0,
            width: width as u16,
            a: value as u32,
            b: (value >> 32) as u32,
            c: 0,
        };
        self.intern(node, value, 1)
    }

    /// A node without simplification. `parts` are its operation and operands.
    pub(super) fn make(
        &mut self,
        operation: Operation,
        width: u32,
        (a, b, c): (u32, u32, u32),
        value: u64,
    ) -> u32 {
        let leaves = if operation == Operation::Choose {
            match (self.leaves(b), self.leaves(c)) {
                (0, _) | (_, 0) => 0,
                (left, right) if left.saturating_add(right) <= MOST_LEAVES => left + right,
                _ => 0,
            }
        } else {
            0
        };
        let node = NodeRecord {
            operation: operation as u8,
            reserved: 0,
            width: width as u16,
            a,
            b,
            c,
        };
        self.intern(node, truncate(value, width), leaves)
    }

    fn intern(&mut self, node: NodeRecord, value: u64, leaves: u8) -> u32 {
        let mask = self.table.capacity() - 1;
        let mut place = hash(node) & mask;
        loop {
            match self.table.get(place) {
                0 => break,
                found if self.nodes.get(found as usize) == node => return found,
                _ => place = (place + 1) & mask,
            }
        }
        let index = self.length;
        if index >= self.values.capacity().min(self.known.capacity()) || self.full {
            self.full = true;
            return 0;
        }
        self.nodes.set(index, node);
        self.values.set(index, value);
        self.leaves.set(index, leaves);
        if index < self.origins.capacity() {
            self.origins.set(index, (self.here)());
        }
        self.table.set(place, index as u32);
        self.length += 1;
        self.publish();
        if self.length * 2 > self.table.capacity() {
            self.grow();
        }
        index as u32
    }

    fn grow(&mut self) {
        let wanted = self.table.capacity() * 4;
        let mut table: Region<u32> = Region::reserve(wanted);
        if table.capacity() != wanted {
            self.full = true;
            return;
        }
        let mask = table.capacity() - 1;
        for index in 1..self.length {
            let mut place = hash(self.nodes.get(index)) & mask;
            while table.get(place) != 0 {
                place = (place + 1) & mask;
            }
            table.set(place, index as u32);
        }
        // The old tables are kept: all together they are smaller than the new one.
        self.table = table;
    }
}

fn hash(node: NodeRecord) -> usize {
    let first = u64::from(node.operation) << 32 | u64::from(node.width) << 40 | u64::from(node.a);
    let second = u64::from(node.b) << 32 | u64::from(node.c);
    let mixed =
        (first.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ second).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ (mixed >> 32)) as usize
}
