//! Questions to a solver: conditions that have to hold, and others that must not, reduced to what matters for each other.

use crate::condition::{Constraint, ConstraintKind};
use crate::expression::{Evaluator, Expression, ExpressionGraph, Marks, NodeId};

/// A node that has to be 1, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// The node, of one bit.
    pub node: NodeId,
    /// Whether it has to be 1.
    pub holds: bool,
}

/// What an input has to fulfil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// All of these have to hold. What was asked for comes last, what was given before it.
    pub terms: Vec<Term>,
    /// The input bytes that they depend on, in order. All others keep their value.
    pub inputs: Vec<u32>,
    /// Bytes that must not become zero, since an argument ends there. Empty unless the caller sets it.
    pub nonzero: Vec<u32>,
    /// Numbers that are limited, such as lengths. Empty unless the caller sets it by [`Query::within`].
    pub ranges: Vec<ByteRange>,
    /// Whether some terms are concretisations. If no input fulfils the query, one might with another value.
    pub concretised: bool,
}

/// A number of several bytes, and its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// Its bytes, the lowest first.
    pub bytes: Vec<u32>,
    /// Its least value.
    pub least: u64,
    /// Its greatest value.
    pub most: u64,
}

impl ByteRange {
    fn holds(&self, input: &[u8]) -> bool {
        let bytes = self.bytes.iter().rev();
        let value = bytes.fold(0, |value, byte| {
            value << 8 | u64::from(input[*byte as usize])
        });
        (self.least..=self.most).contains(&value)
    }
}

impl Term {
    /// The node has to be 1.
    pub fn holds(node: NodeId) -> Term {
        Term { node, holds: true }
    }

    /// The node has to be 0.
    pub fn not(node: NodeId) -> Term {
        Term { node, holds: false }
    }
}

impl Query {
    /// All of `wanted`, and those of `given` that share bytes with it, directly or through others. What shares none keeps its
    /// bytes, so it goes on to hold: the input of the run fulfils everything that is given.
    pub fn new(
        graph: &ExpressionGraph,
        given: impl IntoIterator<Item = Constraint>,
        wanted: &[Term],
    ) -> Query {
        let given: Vec<Constraint> = given.into_iter().collect();
        let mut groups = ByteGroups::new(graph);
        for constraint in &given {
            groups.join(constraint.node);
        }
        for term in wanted {
            groups.join(term.node);
        }
        let mut wanted_groups: Vec<u32> = Vec::new();
        for term in wanted {
            wanted_groups.extend(groups.of(term.node));
        }
        wanted_groups.sort_unstable();
        wanted_groups.dedup();
        let mut seen = Marks::new(graph.len());
        let mut terms = Vec::new();
        let mut concretised = false;
        for constraint in &given {
            // A node without a group depends on no input and always holds.
            let is_shared = groups
                .of(constraint.node)
                .is_some_and(|group| wanted_groups.binary_search(&group).is_ok());
            if is_shared && seen.mark(constraint.node) {
                terms.push(Term::holds(constraint.node));
                concretised |= constraint.kind == ConstraintKind::Concretised;
            }
        }
        terms.extend_from_slice(wanted);
        let inputs = graph.inputs_of(terms.iter().map(|term| term.node));
        Query {
            terms,
            inputs,
            nonzero: Vec::new(),
            ranges: Vec::new(),
            concretised,
        }
    }

    /// Whether an input keeps the limits, apart from the terms.
    pub(crate) fn is_within(&self, input: &[u8]) -> bool {
        let is_nonzero = |byte: &u32| input[*byte as usize] != 0;
        self.nonzero.iter().all(is_nonzero) && self.ranges.iter().all(|range| range.holds(input))
    }

    /// The same with limits for some numbers. Bytes of a number that has only one value are no longer asked for.
    #[must_use]
    pub fn within(mut self, ranges: Vec<ByteRange>) -> Query {
        let is_fixed = |byte: &u32| {
            let mut fixed = ranges.iter().filter(|range| range.least == range.most);
            fixed.any(|range| range.bytes.contains(byte))
        };
        self.inputs.retain(|byte| !is_fixed(byte));
        self.ranges = ranges;
        self
    }

    /// The same without some of its terms.
    pub(crate) fn without(
        &self,
        graph: &ExpressionGraph,
        left_out: impl Fn(usize) -> bool,
    ) -> Query {
        let terms = self.terms.iter().enumerate();
        let terms: Vec<Term> = terms
            .filter(|(index, _)| !left_out(*index))
            .map(|(_, term)| *term)
            .collect();
        Query {
            inputs: graph.inputs_of(terms.iter().map(|term| term.node)),
            terms,
            nonzero: self.nonzero.clone(),
            ranges: self.ranges.clone(),
            concretised: self.concretised,
        }
    }

    /// Whether an input fulfils it.
    pub fn holds(
        &self,
        graph: &ExpressionGraph,
        evaluator: &mut Evaluator<'_>,
        input: &[u8],
    ) -> bool {
        let needed = graph.needed(self.terms.iter().map(|term| term.node));
        evaluator.compute(needed, input);
        let holds = |term: &Term| (evaluator.value(term.node) == 1) == term.holds;
        self.terms.iter().all(holds) && self.is_within(input)
    }
}

/// Groups nodes that depend on common bytes, directly or through constraints: a union-find forest over the nodes.
///
/// Two constraints that need the same node share all bytes of that node, unless it is a constant. So it is enough to unite
/// each node with its operands once, and no set of bytes is built.
struct ByteGroups<'a> {
    graph: &'a ExpressionGraph,
    /// The parent of each node in the forest.
    parents: Vec<u32>,
    /// For each byte one of the nodes that read it.
    bytes: Vec<u32>,
    seen: Marks,
}

impl<'a> ByteGroups<'a> {
    fn new(graph: &'a ExpressionGraph) -> Self {
        ByteGroups {
            graph,
            parents: (0..graph.len() as u32).collect(),
            bytes: vec![0; graph.inputs()],
            seen: Marks::new(graph.len()),
        }
    }

    /// Adds a node and everything that it depends on.
    fn join(&mut self, root: NodeId) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if !self.seen.mark(node) {
                continue;
            }
            let expression = self.graph.expression(node);
            if let Expression::Input(byte) = expression {
                match self.bytes[byte as usize] {
                    0 => self.bytes[byte as usize] = node.0,
                    other => self.unite(node.0, other),
                }
            }
            for operand in expression.operands() {
                if self.graph.constant(operand).is_none() {
                    self.unite(node.0, operand.0);
                    open.push(operand);
                }
            }
        }
    }

    /// The group of a node that was added. A node that depends on no byte has none.
    fn of(&mut self, node: NodeId) -> Option<u32> {
        let inner = !matches!(self.graph.expression(node), Expression::Constant(_));
        inner.then(|| self.find(node.0))
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[node as usize];
            self.parents[node as usize] = self.parents[above as usize];
            node = above;
        }
        node
    }

    /// The smaller number becomes the root, which keeps trees flat enough.
    fn unite(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        let (above, below) = (one.min(other), one.max(other));
        self.parents[below as usize] = above;
    }
}
