//! Records conditions: the program's branches, and assumptions.

use super::engine::Engine;
use super::graph::NodeGraph;
use super::memory::Region;
use crate::format::{BRANCH, CONCRETISED, ConstraintRecord, Operation, head};

/// The recorded conditions.
pub struct Conditions {
    head: *mut u64,
    constraints: Region<ConstraintRecord>,
    length: usize,
    /// How many conditions were refused because they do not hold; always 0 unless there is a bug.
    pub unsound: usize,
}

impl Conditions {
    /// Starts without conditions; their count is in `head`.
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
        match kind {
            BRANCH => self.graph.decide(node),
            _ => self.graph.know(node),
        }
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

    /// Records that a condition (one bit) decided a branch.
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
            // The program did not do what its condition says, so the node is wrong.
            self.lose(&[b"a branch that does not follow its condition"]);
            return;
        }
        self.record(node, BRANCH);
    }

    /// Records an assumption, which is not a decision of the program. It has to hold.
    pub fn assume(&mut self, condition: u32) {
        if let Some(supposed) = self.supposed {
            if condition != 0 && !self.graph.is_constant(condition) {
                self.supposed = Some(match supposed {
                    0 => condition,
                    supposed => self.graph.binary(Operation::And, supposed, condition),
                });
            }
            return;
        }
        if condition != 0 && !self.graph.is_known(condition) {
            self.assume_parts(condition);
        }
    }

    fn assume_parts(&mut self, condition: u32) {
        let graph: &NodeGraph = &self.graph;
        let node = graph.node(condition);
        // Record conjuncts separately, so that a query needs only those that matter.
        if node.operation == Operation::And as u8 {
            self.assume(node.a);
            self.assume(node.b);
            self.graph.know(condition);
            return;
        }
        self.record(condition, CONCRETISED);
    }

    /// Fixes a value to what it was in this run.
    pub fn concretise(&mut self, node: u32) {
        if node == 0 || self.graph.is_constant(node) {
            return;
        }
        let value = self.graph.value(node);
        let condition = self.graph.is(node, value);
        self.assume(condition);
    }

    /// Fixes values to what they were in this run.
    pub fn concretise_all(&mut self, nodes: &[u32]) {
        for &node in nodes {
            self.concretise(node);
        }
    }
}
