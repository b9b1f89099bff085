//! Writes nodes in SMT-LIB. Each node is one definition, so the script is linear in the graph and never nested.
//!
//! A floating point number has two forms. In the graph it is its bits, and SMT-LIB has a sort of its own for it. The bits make a
//! number by `to_fp`, and nothing that all solvers know leads back: not every number has one representation, since many bits mean
//! NaN. So each node is defined in the forms that others need. Where the bits of a computed number are needed they are a variable
//! of which the script asserts that it makes that number; of a NaN they may be any.

use std::fmt::Write;

use yester_pathrt::format::{Operation, Rounding};

use super::{Expression, ExpressionGraph, Marks, NodeId, float};

/// Writes the definitions that a solver does not have yet.
pub struct Script<'g> {
    graph: &'g ExpressionGraph,
    /// Nodes that are defined as bits.
    defined: Marks,
    /// Nodes that are defined as floating point numbers.
    numbers: Marks,
    /// Computed numbers whose bits are a variable.
    linked: Marks,
    declared: Marks,
}

/// Which forms of a node are needed.
#[derive(Clone, Copy, Default)]
struct Forms {
    bits: bool,
    number: bool,
}

impl<'g> Script<'g> {
    /// For a solver that has no definitions yet.
    pub fn new(graph: &'g ExpressionGraph) -> Self {
        Script {
            graph,
            defined: Marks::new(graph.len()),
            numbers: Marks::new(graph.len()),
            linked: Marks::new(graph.len()),
            declared: Marks::new(graph.inputs()),
        }
    }

    /// Writes the definitions of these nodes, in the order in which [`ExpressionGraph::needed`] returns them, except those that were
    /// written before. Nodes that no other of them needs are conditions.
    pub fn define(&mut self, nodes: &[NodeId], script: &mut String) {
        let forms = self.forms(nodes);
        for (node, forms) in nodes.iter().zip(forms) {
            let expression = self.graph.expression(*node);
            if let Expression::Input(byte) = expression {
                if forms.bits && self.declared.mark(NodeId(byte)) {
                    let _ = writeln!(script, "(declare-const b{byte} (_ BitVec 8))");
                }
                continue;
            }
            if matches!(expression, Expression::Constant(_)) {
                continue;
            }
            if forms.number && self.is_defined_as_number(*node) && self.numbers.mark(*node) {
                let sort = sort(self.graph.width(*node));
                let _ = write!(script, "(define-fun f{} () {sort} ", node.0);
                self.write_number(*node, script);
                script.push_str(")\n");
            }
            if forms.bits && self.defined.mark(*node) {
                let width = self.graph.width(*node);
                if self.computes_number(*node) {
                    self.linked.mark(*node);
                    let _ = writeln!(script, "(declare-const n{} (_ BitVec {width}))", node.0);
                    continue;
                }
                let _ = write!(script, "(define-fun n{} () (_ BitVec {width}) ", node.0);
                self.write(expression, width, script);
                script.push_str(")\n");
            }
        }
    }

    /// Asserts of the variables among these nodes what they are. Whoever asks about the nodes has to.
    pub fn link(&self, nodes: &[NodeId], script: &mut String) {
        for node in nodes.iter().filter(|node| self.linked.has(**node)) {
            let number = self.number_of_bits(*node);
            let _ = writeln!(script, "(assert (= {number} f{}))", node.0);
        }
    }

    /// Whether one of these nodes depends on the bits of a computed number. If that is NaN, they may be any.
    pub(crate) fn needs_bits_of_numbers(&self, nodes: &[NodeId]) -> bool {
        let forms = self.forms(nodes);
        let mut nodes = nodes.iter().zip(forms);
        nodes.any(|(node, forms)| forms.bits && self.computes_number(*node))
    }

    /// Which forms of each node others need. Users come after what they use, so this goes backwards.
    fn forms(&self, nodes: &[NodeId]) -> Vec<Forms> {
        let has_numbers = nodes.iter().any(|node| self.graph.is_float(*node));
        let all_bits = Forms {
            bits: !has_numbers,
            number: false,
        };
        let mut forms = vec![all_bits; nodes.len()];
        if !has_numbers {
            return forms;
        }
        let place = |node: NodeId| {
            let found = nodes.binary_search(&node);
            found.expect("whoever needs a node needs its operands")
        };
        for index in (0..nodes.len()).rev() {
            let node = nodes[index];
            let graph = self.graph;
            let mut needed = forms[index];
            needed.bits |= graph.width(node) == 1;
            if needed.number && !self.is_defined_as_number(node) {
                needed.bits = true;
            }
            if needed.bits && self.computes_number(node) {
                needed.number = true;
            }
            forms[index] = needed;
            if !needed.bits && !needed.number {
                continue;
            }
            let mut number = |node: NodeId| forms[place(node)].number = true;
            match graph.expression(node) {
                Expression::Unary(
                    Operation::FloatSquareRoot | Operation::FloatConvert | Operation::FloatToSigned,
                    a,
                )
                | Expression::Round(_, a) => number(a),
                Expression::Unary(Operation::FloatFromSigned | Operation::FloatFromUnsigned, a) => {
                    forms[place(a)].bits = true
                }
                Expression::Binary(operation, a, b) if operation.is_float() => {
                    number(a);
                    number(b);
                }
                Expression::Choose(condition, a, b) => {
                    for side in [a, b] {
                        let side = &mut forms[place(side)];
                        side.number |= needed.number;
                        side.bits |= needed.bits;
                    }
                    forms[place(condition)].bits = true;
                }
                expression => {
                    if needed.number
                        && let Some(signed) = self.without_sign(node)
                    {
                        number(signed);
                    }
                    if needed.bits {
                        for operand in expression.operands() {
                            forms[place(operand)].bits = true;
                        }
                    }
                }
            }
        }
        forms
    }

    /// Whether a node is the result of an operation on floating point numbers that is one itself.
    fn computes_number(&self, node: NodeId) -> bool {
        match self.graph.expression(node) {
            Expression::Unary(operation, _) => {
                operation.is_float() && operation != Operation::FloatToSigned
            }
            Expression::Binary(operation, ..) => operation.is_float() && !operation.compares(),
            Expression::Round(..) => true,
            _ => false,
        }
    }

    /// Whether the number is defined by other numbers, rather than made of the node's bits.
    fn is_defined_as_number(&self, node: NodeId) -> bool {
        self.computes_number(node)
            || matches!(self.graph.expression(node), Expression::Choose(..))
            || self.without_sign(node).is_some()
    }

    /// The number that a node is with another sign, or without its own.
    fn without_sign(&self, node: NodeId) -> Option<NodeId> {
        self.graph
            .negated_number(node)
            .or_else(|| self.graph.absolute_number(node))
    }

    /// The name of a node.
    pub fn name(&self, node: NodeId) -> String {
        match self.graph.expression(node) {
            Expression::Input(byte) => format!("b{byte}"),
            Expression::Constant(value) => format!("(_ bv{value} {})", self.graph.width(node)),
            _ => format!("n{}", node.0),
        }
    }

    /// A node as a floating point number.
    fn number(&self, node: NodeId) -> String {
        match self.graph.expression(node) {
            Expression::Constant(_) => self.number_of_bits(node),
            _ if self.is_defined_as_number(node) => format!("f{}", node.0),
            _ => self.number_of_bits(node),
        }
    }

    fn number_of_bits(&self, node: NodeId) -> String {
        format!(
            "({} {})",
            to_number(self.graph.width(node)),
            self.name(node)
        )
    }

    fn write_number(&self, node: NodeId, script: &mut String) {
        let to = to_number(self.graph.width(node));
        let number = |node| self.number(node);
        let _ = match self.graph.expression(node) {
            Expression::Unary(Operation::FloatSquareRoot, a) => {
                write!(script, "(fp.sqrt RNE {})", number(a))
            }
            Expression::Unary(Operation::FloatConvert, a) => {
                write!(script, "({to} RNE {})", number(a))
            }
            Expression::Unary(Operation::FloatFromSigned, a) => {
                write!(script, "({to} RNE {})", self.name(a))
            }
            Expression::Unary(_, a) => {
                let to = to.replace("to_fp", "to_fp_unsigned");
                write!(script, "({to} RNE {})", self.name(a))
            }
            Expression::Round(rounding, a) => {
                let mode = match rounding {
                    Rounding::NearestEven => "RNE",
                    Rounding::NearestAway => "RNA",
                    Rounding::Up => "RTP",
                    Rounding::Down => "RTN",
                    Rounding::TowardZero => "RTZ",
                };
                write!(script, "(fp.roundToIntegral {mode} {})", number(a))
            }
            Expression::Choose(condition, a, b) => {
                let condition = self.name(condition);
                write!(
                    script,
                    "(ite (= {condition} #b1) {} {})",
                    number(a),
                    number(b)
                )
            }
            Expression::Binary(operation, a, b) if operation.is_float() => {
                let word = match operation {
                    Operation::FloatAdd => "fp.add",
                    Operation::FloatSubtract => "fp.sub",
                    Operation::FloatMultiply => "fp.mul",
                    _ => "fp.div",
                };
                write!(script, "({word} RNE {} {})", number(a), number(b))
            }
            _ => match self.graph.negated_number(node) {
                Some(a) => write!(script, "(fp.neg {})", number(a)),
                None => {
                    let a = self.without_sign(node).expect("a number without its sign");
                    write!(script, "(fp.abs {})", number(a))
                }
            },
        };
    }

    fn write(&self, expression: Expression, width: u32, script: &mut String) {
        let name = |node| self.name(node);
        let _ = match expression {
            Expression::Input(_) | Expression::Constant(_) | Expression::Round(..) => {
                unreachable!("these have names and no definition as bits")
            }
            Expression::Unary(Operation::Not, a) => write!(script, "(bvnot {})", name(a)),
            Expression::Unary(Operation::FloatToSigned, a) => {
                // What does not fit is the smallest number, and SMT-LIB leaves it open.
                let (operand, number) = (self.graph.width(a), self.number(a));
                let (least, limit) = limits(operand, width);
                let to = to_number(operand);
                let above = format!("(fp.lt ({to} (_ bv{least} {operand})) {number})");
                let below = format!("(fp.lt {number} ({to} (_ bv{limit} {operand})))");
                let smallest = float::sign(width);
                write!(
                    script,
                    "(ite (and {above} {below}) ((_ fp.to_sbv {width}) RTZ {number}) (_ bv{smallest} {width}))"
                )
            }
            Expression::Unary(_, a) => write!(script, "(bvneg {})", name(a)),
            Expression::Binary(operation, a, b) => match comparison_of_numbers(operation) {
                Some(word) => {
                    let (a, b) = (self.number(a), self.number(b));
                    write!(script, "(ite ({word} {a} {b}) #b1 #b0)")
                }
                None => {
                    let (a, b) = (name(a), name(b));
                    match word(operation) {
                        (word, false) => write!(script, "({word} {a} {b})"),
                        (word, true) => write!(script, "(ite ({word} {a} {b}) #b1 #b0)"),
                    }
                }
            },
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

/// The sort of floating point numbers of this width.
fn sort(width: u32) -> &'static str {
    match width {
        32 => "(_ FloatingPoint 8 24)",
        _ => "(_ FloatingPoint 11 53)",
    }
}

/// What makes such a number of something else.
fn to_number(width: u32) -> &'static str {
    match width {
        32 => "(_ to_fp 8 24)",
        _ => "(_ to_fp 11 53)",
    }
}

/// The bits of the numbers of `width` bits between which a signed integer of `integer` bits lies, both excluded: the smallest
/// one is what the others become too.
fn limits(width: u32, integer: u32) -> (u64, u64) {
    let limit = 2f64.powi(integer as i32 - 1);
    match width {
        32 => (
            (-limit as f32).to_bits().into(),
            (limit as f32).to_bits().into(),
        ),
        _ => ((-limit).to_bits(), limit.to_bits()),
    }
}

fn comparison_of_numbers(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::FloatEqual => Some("fp.eq"),
        Operation::FloatLess => Some("fp.lt"),
        Operation::FloatLessOrEqual => Some("fp.leq"),
        _ => None,
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
