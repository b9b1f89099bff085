//! Everything that a run computed from its input, as one graph in which equal expressions are one node.
//!
//! Operands have smaller numbers than the nodes that use them. Code here visits nodes in that order and never recurses, since
//! graphs may be a million nodes deep.

mod builder;
mod evaluation;
mod float;
mod script;
mod text;

use yester_pathrt::format::{NodeRecord, Operation, Rounding};

pub(crate) use self::builder::GraphBuilder;
pub use self::evaluation::Evaluator;
pub use self::script::Script;
pub use self::text::ExpressionText;
use crate::recording::{RecordingError, damaged, word32};

/// The number of a node. 0 stands for values that do not depend on the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// A node with its operands, with the meaning of SMT-LIB's bit vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A byte of the input.
    Input(u32),
    /// A constant.
    Constant(u64),
    /// `Not`, `Negate`, a square root, or a conversion from or to a floating point number.
    Unary(Operation, NodeId),
    /// A floating point number rounded to an integral one.
    Round(Rounding, NodeId),
    /// Arithmetic, bits, comparisons, and `Concatenate`.
    Binary(Operation, NodeId, NodeId),
    /// As many bits as this node has, starting at the given bit.
    Extract(NodeId, u32),
    /// Extended with zeroes.
    ZeroExtend(NodeId),
    /// Extended with the sign.
    SignExtend(NodeId),
    /// The second if the first is 1, else the third.
    Choose(NodeId, NodeId, NodeId),
}

impl Expression {
    /// The operands.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let operands = match *self {
            Expression::Input(_) | Expression::Constant(_) => [None; 3],
            Expression::Unary(_, a)
            | Expression::Round(_, a)
            | Expression::Extract(a, _)
            | Expression::ZeroExtend(a)
            | Expression::SignExtend(a) => [Some(a), None, None],
            Expression::Binary(_, a, b) => [Some(a), Some(b), None],
            Expression::Choose(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }
}

/// All nodes of a run.
#[derive(Clone, Debug, Default)]
pub struct ExpressionGraph {
    nodes: Vec<ExpressionNode>,
    /// How many bytes of input there are.
    inputs: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ExpressionNode {
    operation: Operation,
    width: u8,
    a: u32,
    b: u32,
    c: u32,
}

impl ExpressionGraph {
    /// Reads the nodes of a recording. `canonical` has for each input byte the first one that is the same.
    pub(crate) fn read(
        content: &[u8],
        canonical: Vec<u32>,
    ) -> Result<ExpressionGraph, RecordingError> {
        let mut graph = ExpressionGraph {
            nodes: Vec::with_capacity(content.len() / NodeRecord::BYTES),
            inputs: canonical.len(),
        };
        for (index, record) in content.chunks_exact(NodeRecord::BYTES).enumerate() {
            if index == 0 {
                // Node 0 is a placeholder, so that numbers are indices.
                graph.nodes.push(ExpressionNode {
                    operation: Operation::Constant,
                    width: 1,
                    a: 0,
                    b: 0,
                    c: 0,
                });
                continue;
            }
            let wrong = |what: &str| damaged("nodes", format!("number {index}"), what);
            let operation = usize::from(record[0])
                .checked_sub(1)
                .and_then(|operation| Operation::ALL.get(operation));
            let width = u16::from_le_bytes([record[2], record[3]]);
            let mut node = ExpressionNode {
                operation: *operation.ok_or_else(|| wrong("an unknown operation"))?,
                width: u8::try_from(width).unwrap_or(0),
                a: word32(record, 4),
                b: word32(record, 8),
                c: word32(record, 12),
            };
            graph.check(&node).map_err(wrong)?;
            if node.operation == Operation::Input {
                node.a = canonical[node.a as usize];
            }
            graph.nodes.push(node);
        }
        Ok(graph)
    }

    /// Builds a graph from expressions with their widths; the first is node 1.
    ///
    /// # Panics
    ///
    /// If an operand does not come before its use, or widths do not fit.
    pub fn new(expressions: &[(u32, Expression)], inputs: usize) -> ExpressionGraph {
        let mut content = vec![0; 16];
        for (width, expression) in expressions {
            let number = |node: NodeId| node.0;
            let (operation, a, b, c) = match *expression {
                Expression::Input(byte) => (Operation::Input, byte, 0, 0),
                Expression::Constant(value) => {
                    (Operation::Constant, value as u32, (value >> 32) as u32, 0)
                }
                Expression::Unary(operation, a) => (operation, number(a), 0, 0),
                Expression::Round(rounding, a) => {
                    (Operation::FloatRound, number(a), rounding as u32, 0)
                }
                Expression::Binary(operation, a, b) => (operation, number(a), number(b), 0),
                Expression::Extract(a, low) => (Operation::Extract, number(a), low, 0),
                Expression::ZeroExtend(a) => (Operation::ZeroExtend, number(a), 0, 0),
                Expression::SignExtend(a) => (Operation::SignExtend, number(a), 0, 0),
                Expression::Choose(a, b, c) => (Operation::Choose, number(a), number(b), number(c)),
            };
            content.extend([operation as u8, 0]);
            content.extend((*width as u16).to_le_bytes());
            for operand in [a, b, c] {
                content.extend(operand.to_le_bytes());
            }
        }
        let canonical = (0..inputs as u32).collect();
        ExpressionGraph::read(&content, canonical).expect("a graph that makes sense")
    }

    /// How many nodes there are, including node 0.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes other than node 0.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// How many bytes of input there are.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many bits a node has.
    pub fn width(&self, node: NodeId) -> u32 {
        u32::from(self.nodes[node.0 as usize].width)
    }

    /// The expression of a node.
    pub fn expression(&self, node: NodeId) -> Expression {
        let ExpressionNode {
            operation, a, b, c, ..
        } = self.nodes[node.0 as usize];
        match operation {
            Operation::Input => Expression::Input(a),
            Operation::Constant => Expression::Constant(u64::from(a) | u64::from(b) << 32),
            Operation::Not
            | Operation::Negate
            | Operation::FloatSquareRoot
            | Operation::FloatConvert
            | Operation::FloatFromSigned
            | Operation::FloatFromUnsigned
            | Operation::FloatToSigned => Expression::Unary(operation, NodeId(a)),
            Operation::FloatRound => Expression::Round(Rounding::ALL[b as usize], NodeId(a)),
            Operation::Extract => Expression::Extract(NodeId(a), b),
            Operation::ZeroExtend => Expression::ZeroExtend(NodeId(a)),
            Operation::SignExtend => Expression::SignExtend(NodeId(a)),
            Operation::Choose => Expression::Choose(NodeId(a), NodeId(b), NodeId(c)),
            _ => Expression::Binary(operation, NodeId(a), NodeId(b)),
        }
    }

    /// Whether a node computes with floating point numbers.
    pub(crate) fn is_float(&self, node: NodeId) -> bool {
        self.nodes[node.0 as usize].operation.is_float()
    }

    /// Whether any node does.
    pub(crate) fn has_floats(&self) -> bool {
        self.nodes.iter().any(|node| node.operation.is_float())
    }

    /// The value of a node that is a constant.
    pub fn constant(&self, node: NodeId) -> Option<u64> {
        match self.expression(node) {
            Expression::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The floating point number that a node is with the other sign.
    pub(crate) fn negated_number(&self, node: NodeId) -> Option<NodeId> {
        match self.expression(node) {
            Expression::Binary(Operation::ExclusiveOr, a, b)
                if self.constant(b) == Some(float::sign(self.width(node))) =>
            {
                Some(a)
            }
            _ => None,
        }
    }

    /// The floating point number that a node is without its sign.
    pub(crate) fn absolute_number(&self, node: NodeId) -> Option<NodeId> {
        let Expression::ZeroExtend(inner) = self.expression(node) else {
            return None;
        };
        match self.expression(inner) {
            Expression::Extract(a, 0)
                if self.width(a) == self.width(node)
                    && self.width(inner) + 1 == self.width(node) =>
            {
                Some(a)
            }
            _ => None,
        }
    }

    /// These nodes and everything that they depend on, operands first.
    pub fn needed(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let mut seen = Marks::new(self.len());
        let mut found: Vec<NodeId> = roots.into_iter().filter(|node| seen.mark(*node)).collect();
        let mut next = 0;
        while let Some(node) = found.get(next).copied() {
            next += 1;
            let operands = self.expression(node).operands();
            found.extend(operands.filter(|operand| seen.mark(*operand)));
        }
        found.sort_unstable();
        found
    }

    /// The input bytes that these nodes depend on, in order.
    pub fn inputs_of(&self, roots: impl IntoIterator<Item = NodeId>) -> Vec<u32> {
        let needed = self.needed(roots).into_iter();
        let mut inputs: Vec<u32> = needed
            .filter_map(|node| match self.expression(node) {
                Expression::Input(byte) => Some(byte),
                _ => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs
    }

    /// Checks a node that comes next.
    fn check(&self, node: &ExpressionNode) -> Result<(), &'static str> {
        let width = u32::from(node.width);
        if !(1..=64).contains(&width) {
            return Err("a width that is not between 1 and 64");
        }
        let operand = |operand: u32| {
            if operand == 0 || operand as usize >= self.nodes.len() {
                return Err("an operand that is not before it");
            }
            Ok(self.width(NodeId(operand)))
        };
        // The widths of floating point numbers, and of the integers that they are made.
        let is_number = |width: u32| matches!(width, 32 | 64);
        let fits = match node.operation {
            Operation::Input => width == 8 && (node.a as usize) < self.inputs,
            Operation::Constant => {
                let value = u64::from(node.a) | u64::from(node.b) << 32;
                value & !mask(width) == 0
            }
            Operation::Not | Operation::Negate => operand(node.a)? == width,
            Operation::FloatEqual | Operation::FloatLess | Operation::FloatLessOrEqual => {
                let both = operand(node.a)?;
                width == 1 && is_number(both) && both == operand(node.b)?
            }
            Operation::FloatSquareRoot => is_number(width) && operand(node.a)? == width,
            Operation::FloatRound => {
                let is_known = (node.b as usize) < Rounding::ALL.len();
                is_known && is_number(width) && operand(node.a)? == width
            }
            Operation::FloatConvert | Operation::FloatToSigned => {
                is_number(width) && is_number(operand(node.a)?)
            }
            Operation::FloatFromSigned | Operation::FloatFromUnsigned => {
                is_number(width) && operand(node.a)? > 0
            }
            Operation::FloatAdd
            | Operation::FloatSubtract
            | Operation::FloatMultiply
            | Operation::FloatDivide => {
                is_number(width) && operand(node.a)? == width && operand(node.b)? == width
            }
            Operation::Equal
            | Operation::LessUnsigned
            | Operation::LessOrEqualUnsigned
            | Operation::LessSigned
            | Operation::LessOrEqualSigned => width == 1 && operand(node.a)? == operand(node.b)?,
            Operation::Concatenate => operand(node.a)? + operand(node.b)? == width,
            Operation::Extract => u64::from(node.b) + u64::from(width) <= operand(node.a)?.into(),
            Operation::ZeroExtend | Operation::SignExtend => operand(node.a)? <= width,
            Operation::Choose => {
                operand(node.a)? == 1 && operand(node.b)? == width && operand(node.c)? == width
            }
            _ => operand(node.a)? == width && operand(node.b)? == width,
        };
        if fits {
            Ok(())
        } else {
            Err("operands that do not fit its operation")
        }
    }
}

/// A mask of `width` ones.
pub(crate) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Which nodes were seen.
pub(crate) struct Marks {
    words: Vec<u64>,
}

impl Marks {
    pub(crate) fn new(nodes: usize) -> Marks {
        Marks {
            words: vec![0; nodes.div_ceil(64)],
        }
    }

    /// Marks a node. Returns whether it was not marked before.
    pub(crate) fn mark(&mut self, node: NodeId) -> bool {
        let (word, bit) = (node.0 as usize / 64, 1 << (node.0 % 64));
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Whether a node is marked.
    pub(crate) fn has(&self, node: NodeId) -> bool {
        self.words[node.0 as usize / 64] & 1 << (node.0 % 64) != 0
    }
}
