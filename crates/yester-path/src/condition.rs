//! The path condition: what the input has to be for a run to take the path that it took.

use crate::expression::{Evaluator, Expression, Graph, Marks, NodeId};

/// A condition on the input that held in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Where its branch is in the event stream; for a concretisation, where the next event is.
    pub event: u64,
    /// The event stream. Nothing when events were not recorded any more, or not of this thread.
    pub stream: Option<usize>,
    /// A node of one bit, 1 in this run.
    pub node: NodeId,
    /// Why it has to hold.
    pub kind: Kind,
}

/// Why a constraint has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A branch was decided by it.
    Branch,
    /// Something had to be taken as the value that it had. Never negated, never blamed.
    Concretised,
}

/// The conjunction of all constraints of a run.
#[derive(Clone, Copy, Debug)]
pub struct Condition<'a> {
    graph: &'a Graph,
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

/// What an input is searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// All of these have to hold; what is most worth knowing comes last.
    pub terms: Vec<Term>,
    /// The bytes that they depend on, in order. All others keep their value.
    pub inputs: Vec<u32>,
    /// Bytes that must not be zero, since what is after a zero would be lost. Empty unless somebody asks for it.
    pub nonzero: Vec<u32>,
    /// Whether some of the terms are concretisations: without an answer, another value might have had one.
    pub concretised: bool,
}

impl<'a> Condition<'a> {
    /// The condition of a run.
    pub fn new(graph: &'a Graph, constraints: &'a [Constraint]) -> Self {
        Condition { graph, constraints }
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

    /// What an input has to fulfil to go the same way up to constraint `index` and another way there: the constraints
    /// before it that share bytes with it, directly or through others, and its negation. Nothing for a
    /// concretisation, which has no other way.
    pub fn negate(&self, index: usize) -> Option<Query> {
        self.query(index, |_| true)
    }

    /// The same without the concretisations. What fulfils it may take another way, so that it has to be tried.
    pub fn negate_freely(&self, index: usize) -> Option<Query> {
        self.query(index, |constraint| constraint.kind == Kind::Branch)
    }

    /// The negation alone, when all together is too much for a solver. What fulfils it has to be tried.
    pub fn negate_alone(&self, index: usize) -> Option<Query> {
        self.query(index, |_| false)
    }

    fn query(&self, index: usize, counts: impl Fn(&Constraint) -> bool) -> Option<Query> {
        let negated = self.constraints[index];
        if negated.kind != Kind::Branch {
            return None;
        }
        let before: Vec<Constraint> = self.constraints[..index]
            .iter()
            .filter(|constraint| counts(constraint))
            .copied()
            .collect();
        let mut groups = Groups::new(self.graph);
        for constraint in &before {
            groups.join(constraint.node);
        }
        groups.join(negated.node);
        let group = groups.of(negated.node);
        let mut seen = Marks::new(self.graph.len());
        let mut terms = Vec::new();
        let mut concretised = false;
        for constraint in &before {
            // Without a group it depends on nothing, and holds for every input.
            if group.is_some() && groups.of(constraint.node) == group && seen.mark(constraint.node)
            {
                terms.push(Term {
                    node: constraint.node,
                    holds: true,
                });
                concretised |= constraint.kind == Kind::Concretised;
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
    pub fn holds(&self, graph: &Graph, evaluator: &mut Evaluator<'_>, input: &[u8]) -> bool {
        let needed = graph.needed(self.terms.iter().map(|term| term.node));
        evaluator.compute(needed, input);
        let holds = |term: &Term| (evaluator.value(term.node) == 1) == term.holds;
        let is_nonzero = |byte: &u32| input[*byte as usize] != 0;
        self.terms.iter().all(holds) && self.nonzero.iter().all(is_nonzero)
    }
}

/// Which nodes depend on common bytes, directly or through constraints: a forest over the nodes.
///
/// Two constraints that need the same node share all bytes of that node, unless it is a constant. So it is enough to join
/// each node with its operands once, and no set of bytes is ever made.
struct Groups<'a> {
    graph: &'a Graph,
    /// The parent of each node in the forest.
    parents: Vec<u32>,
    /// For each byte the node that stands for it, since several nodes may.
    bytes: Vec<u32>,
    seen: Marks,
}

impl<'a> Groups<'a> {
    fn new(graph: &'a Graph) -> Self {
        Groups {
            graph,
            parents: (0..graph.len() as u32).collect(),
            bytes: vec![0; graph.inputs()],
            seen: Marks::new(graph.len()),
        }
    }

    /// Takes in a node with everything that it needs.
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

    /// The group of a node that was taken in. A node that depends on no byte has none.
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

    /// Operands have smaller numbers and become the roots, so that trees stay flat enough.
    fn unite(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        let (above, below) = (one.min(other), one.max(other));
        self.parents[below as usize] = above;
    }
}
