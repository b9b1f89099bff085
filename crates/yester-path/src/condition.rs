//! The path condition: what an input has to fulfil to take the same path.

use crate::expression::{Evaluator, Expression, ExpressionGraph, Marks, NodeId};

/// A condition on the input that held in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The offset of its branch in the event stream; for a concretisation, the offset of the next event.
    pub event: u64,
    /// The event stream. None if this thread was not recorded, or no longer.
    pub stream: Option<usize>,
    /// A node of one bit, 1 in this run.
    pub node: NodeId,
    /// Why it has to hold.
    pub kind: ConstraintKind,
}

/// Why a constraint has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintKind {
    /// It decided a branch.
    Branch,
    /// A value was fixed to what it was in this run. Never negated, never blamed.
    Concretised,
}

/// The conjunction of all constraints of a run.
#[derive(Clone, Copy, Debug)]
pub struct PathCondition<'a> {
    graph: &'a ExpressionGraph,
    constraints: &'a [Constraint],
}

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
    /// All of these have to hold. The negated one comes last.
    pub terms: Vec<Term>,
    /// The input bytes that they depend on, in order. All others keep their value.
    pub inputs: Vec<u32>,
    /// Bytes that must not become zero, since an argument ends there. Empty unless the caller sets it.
    pub nonzero: Vec<u32>,
    /// Whether some terms are concretisations. If no input fulfils the query, one might with another value.
    pub concretised: bool,
}

impl<'a> PathCondition<'a> {
    /// The condition of a run.
    pub fn new(graph: &'a ExpressionGraph, constraints: &'a [Constraint]) -> Self {
        PathCondition { graph, constraints }
    }

    /// The first constraint that an input does not fulfil. The input of the run itself fulfils all.
    pub fn violated(&self, input: &[u8]) -> Option<usize> {
        let roots = self.constraints.iter().map(|constraint| constraint.node);
        let mut evaluator = Evaluator::new(self.graph);
        evaluator.compute(self.graph.needed(roots), input);
        self.constraints
            .iter()
            .position(|constraint| evaluator.value(constraint.node) != 1)
    }

    /// What an input has to fulfil to take the same path up to constraint `index` and the other outcome there: the negated
    /// constraint, and those before it that share bytes with it, directly or through others. None for a concretisation, which has
    /// no other outcome.
    pub fn negate(&self, index: usize) -> Option<Query> {
        self.query(index, |_| true)
    }

    /// Like [`negate`](Self::negate), without the concretisations. A model may take another path, so it has to be tried.
    pub fn negate_freely(&self, index: usize) -> Option<Query> {
        self.query(index, |constraint| {
            constraint.kind == ConstraintKind::Branch
        })
    }

    /// The negated constraint alone, if the whole query is too hard for the solver. A model has to be tried.
    pub fn negate_alone(&self, index: usize) -> Option<Query> {
        self.query(index, |_| false)
    }

    fn query(&self, index: usize, counts: impl Fn(&Constraint) -> bool) -> Option<Query> {
        let negated = self.constraints[index];
        if negated.kind != ConstraintKind::Branch {
            return None;
        }
        let before: Vec<Constraint> = self.constraints[..index]
            .iter()
            .filter(|constraint| counts(constraint))
            .copied()
            .collect();
        let mut groups = ByteGroups::new(self.graph);
        for constraint in &before {
            groups.join(constraint.node);
        }
        groups.join(negated.node);
        let group = groups.of(negated.node);
        let mut seen = Marks::new(self.graph.len());
        let mut terms = Vec::new();
        let mut concretised = false;
        for constraint in &before {
            // A node without a group depends on no input and always holds.
            if group.is_some() && groups.of(constraint.node) == group && seen.mark(constraint.node)
            {
                terms.push(Term {
                    node: constraint.node,
                    holds: true,
                });
                concretised |= constraint.kind == ConstraintKind::Concretised;
            }
        }
        terms.push(Term {
            node: negated.node,
            holds: false,
        });
        let inputs = self.graph.inputs_of(terms.iter().map(|term| term.node));
        Some(Query {
            terms,
            inputs,
            nonzero: Vec::new(),
            concretised,
        })
    }
}

impl Query {
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
        let is_nonzero = |byte: &u32| input[*byte as usize] != 0;
        self.terms.iter().all(holds) && self.nonzero.iter().all(is_nonzero)
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
