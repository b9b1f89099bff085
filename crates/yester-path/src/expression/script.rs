//! Writes nodes in SMT-LIB. Each node is one definition, so the script is linear in the graph and never nested.

use std::fmt::Write;

use yester_pathrt::format::Operation;

use super::{Expression, ExpressionGraph, Marks, NodeId};

/// Writes the definitions that a solver does not have yet.
pub struct Script<'g> {
    graph: &'g ExpressionGraph,
    defined: Marks,
    declared: Marks,
}

impl<'g> Script<'g> {
    /// For a solver that has no definitions yet.
    pub fn new(graph: &'g ExpressionGraph) -> Self {
        Script {
            graph,
            defined: Marks::new(graph.len()),
            declared: Marks::new(graph.inputs()),
        }
    }

    /// Writes the definitions of these nodes, in the order in which [`ExpressionGraph::needed`] returns them, except those that were
    /// written before.
    pub fn define(&mut self, nodes: &[NodeId], script: &mut String) {
        for node in nodes {
            if !self.defined.mark(*node) {
                continue;
            }
            match self.graph.expression(*node) {
                Expression::Input(byte) => {
                    if self.declared.mark(NodeId(byte)) {
                        let _ = writeln!(script, "(declare-const b{byte} (_ BitVec 8))");
                    }
                }
                Expression::Constant(_) => {}
                expression => {
                    let width = self.graph.width(*node);
                    let _ = write!(script, "(define-fun n{} () (_ BitVec {width}) ", node.0);
                    self.write(expression, width, script);
                    script.push_str(")\n");
                }
            }
        }
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> String {
        match self.graph.expression(node) {
            Expression::Input(byte) => format!("b{byte}"),
            Expression::Constant(value) => format!("(_ bv{value} {})", self.graph.width(node)),
            _ => format!("n{}", node.0),
        }
    }

    fn write(&self, expression: Expression, width: u32, script: &mut String) {
        let name = |node| self.name(node);
        let _ = match expression {
            Expression::Input(_) | Expression::Constant(_) => {
                unreachable!("these have names and no definition")
            }
            Expression::Unary(Operation::Not, a) => write!(script, "(bvnot {})", name(a)),
            Expression::Unary(_, a) => write!(script, "(bvneg {})", name(a)),
            Expression::Binary(operation, a, b) => {
                let (a, b) = (name(a), name(b));
                match word(operation) {
                    (word, false) => write!(script, "({word} {a} {b})"),
                    (word, true) => write!(script, "(ite ({word} {a} {b}) #b1 #b0)"),
                }
            }
            Expression::Extract(a, low) => {
                let high = low + width - 1;
                write!(script, "((_ extract {high} {low}) {})", name(a))
            }
            Expression::ZeroExtend(a) => {
                let more = width - self.graph.width(a);
                write!(script, "((_ zero_extend {more}) {})", name(a))
            }
            Expression::SignExtend(a) => {
                let more = width - self.graph.width(a);
                write!(script, "((_ sign_extend {more}) {})", name(a))
            }
            Expression::Choose(condition, a, b) => write!(
                script,
                "(ite (= {} #b1) {} {})",
                name(condition),
                name(a),
                name(b)
            ),
        };
    }
}

/// The name of an operation, and whether its result is a Boolean instead of a bit.
fn word(operation: Operation) -> (&'static str, bool) {
    match operation {
        Operation::Add => ("bvadd", false),
        Operation::Subtract => ("bvsub", false),
        Operation::Multiply => ("bvmul", false),
        Operation::DivideUnsigned => ("bvudiv", false),
        Operation::DivideSigned => ("bvsdiv", false),
        Operation::RemainderUnsigned => ("bvurem", false),
        Operation::RemainderSigned => ("bvsrem", false),
        Operation::And => ("bvand", false),
        Operation::Or => ("bvor", false),
        Operation::ExclusiveOr => ("bvxor", false),
        Operation::ShiftLeft => ("bvshl", false),
        Operation::ShiftRightLogical => ("bvlshr", false),
        Operation::ShiftRightArithmetic => ("bvashr", false),
        Operation::Concatenate => ("concat", false),
        Operation::Equal => ("=", true),
        Operation::LessUnsigned => ("bvult", true),
        Operation::LessOrEqualUnsigned => ("bvule", true),
        Operation::LessSigned => ("bvslt", true),
        Operation::LessOrEqualSigned => ("bvsle", true),
        _ => unreachable!("no operation of two operands"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_node_is_written_once_however_often_it_is_used() {
        let graph = ExpressionGraph::new(
            &[
                (8, Expression::Input(0)),
                (32, Expression::SignExtend(NodeId(1))),
                (32, Expression::Constant(7)),
                (
                    1,
                    Expression::Binary(Operation::LessSigned, NodeId(2), NodeId(3)),
                ),
                (1, Expression::Unary(Operation::Not, NodeId(4))),
            ],
            1,
        );
        let mut script = Script::new(&graph);
        let mut text = String::new();
        script.define(&graph.needed([NodeId(4)]), &mut text);
        assert_eq!(
            text,
            "(declare-const b0 (_ BitVec 8))\n\
             (define-fun n2 () (_ BitVec 32) ((_ sign_extend 24) b0))\n\
             (define-fun n4 () (_ BitVec 1) (ite (bvslt n2 (_ bv7 32)) #b1 #b0))\n"
        );
        text.clear();
        script.define(&graph.needed([NodeId(5)]), &mut text);
        assert_eq!(text, "(define-fun n5 () (_ BitVec 1) (bvnot n4))\n");
    }
}
