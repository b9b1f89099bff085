//! Records conditions: the program's branches, and assumptions.

use super::engine::Engine;
use super::graph::NodeGraph;
use super::memory::Region;
use crate::format::{BRANCH, CONCRETISED, ConstraintRecord, head};

/// The recorded conditions.
pub struct Conditions {
    head: *mut u64,
    constraints: Region<ConstraintRecord>,
    length: usize,
    /// How many conditions were refused because they do not hold; always 0 unless there is a bug.
    pub unsound: usize,
}

impl Conditions {
    /// None yet; they are counted in `head`.
    pub fn new(head: *mut u64, constraints: Region<ConstraintRecord>) -> Conditions {
        Conditions {
            head,
            constraints,
            length: 0,
            unsound: 0,
        }
    }

    fn push(&mut self, constraint: ConstraintRecord) -> bool {
        if self.length >= self.constraints.capacity() {
            return false;
        }
        self.constraints.set(self.length, constraint);
        self.length += 1;
        // SAFETY: `head` is a page of the recording, mapped as long as the program runs.
        unsafe { *self.head.add(head::CONSTRAINTS) = self.length as u64 }
        true
    }
}

impl Engine {
    fn record(&mut self, node: u32, kind: u32) {
        if node == 0 || self.graph.is_constant(node) {
            return;
        }
        if self.graph.value(node) != 1 {
            self.conditions.unsound += 1;
            self.lose(&[b"unsound condition, not recorded"]);
            return;
        }
        let (stream, event) = (self.symbolic_output.position)();
        if stream == u32::MAX {
            return self.lose(&[b"conditions of a thread that is not recorded"]);
        }
        self.graph.know(node);
        let recorded = self.conditions.push(ConstraintRecord {
            event,
            node,
            kind,
            stream,
            reserved: 0,
        });
        if !recorded {
            self.lose(&[b"more conditions than fit"]);
        }
    }

    /// A branch went one way because of a condition (one bit).
    pub fn branch(&mut self, condition: u32, taken: bool) {
        if condition == 0 {
            return;
        }
        let node = if taken {
            condition
        } else {
            self.graph.not(condition)
        };
        if node != 0 && self.graph.value(node) != 1 {
            // The program did not do what its own condition says: the node is about something else.
            self.lose(&[b"a branch that does not follow its condition"]);
            return;
        }
        self.record(node, BRANCH);
    }

    /// A condition that was assumed and is not the program's decision. It has to hold.
    pub fn assume(&mut self, condition: u32) {
        if condition != 0 && !self.graph.is_known(condition) {
            self.assume_parts(condition);
        }
    }

    fn assume_parts(&mut self, condition: u32) {
        let graph: &NodeGraph = &self.graph;
        let node = graph.node(condition);
        // Conjuncts apart from each other are sliced apart.
        if node.operation == crate::format::Operation::And as u8 {
            self.assume(node.a);
            self.assume(node.b);
            self.graph.know(condition);
            return;
        }
        self.record(condition, CONCRETISED);
    }

    /// From here on a value counts as what it was in this run.
    pub fn concretise(&mut self, node: u32) {
        if node == 0 || self.graph.is_constant(node) {
            return;
        }
        let value = self.graph.value(node);
        let condition = self.graph.is(node, value);
        self.assume(condition);
    }

    /// From here on values count as what they were.
    pub fn concretise_all(&mut self, nodes: &[u32]) {
        for &node in nodes {
            self.concretise(node);
        }
    }
}
