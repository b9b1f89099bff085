//! The path condition: what an input has to fulfil to take the same path.

use crate::expression::{Evaluator, ExpressionGraph, NodeId};
use crate::query::{Query, Term};

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
        let before = self.constraints[..index].iter();
        let before = before.filter(|constraint| counts(constraint)).copied();
        Some(Query::new(self.graph, before, &[Term::not(negated.node)]))
    }
}
