//! Floating point numbers as they are written in C.

use yester_pathrt::format::{Operation, Rounding};

use super::{
    ADDITION, CHOICE, EQUALITY, ExpressionText, MULTIPLICATION, OR, PRIMARY, RELATION, SHIFT,
    TextPiece, UNARY, negated,
};
use crate::expression::{Expression, NodeId};

impl ExpressionText<'_> {
    /// A comparison of two numbers, or its negation. One that is not less need not be greater: it may be no number.
    pub(super) fn comparison_of_numbers(
        &self,
        operation: Operation,
        (a, b): (NodeId, NodeId),
        holds: bool,
        depth: usize,
    ) -> TextPiece {
        if a == b {
            let text = format!("isnan({})", self.float_number(a, depth).0);
            let is_less = operation == Operation::FloatLess;
            return if is_less {
                TextPiece((!holds).to_string(), PRIMARY)
            } else {
                negated(TextPiece(text, PRIMARY), !holds)
            };
        }
        let flipped = self.graph.constant(a).is_some();
        let (a, b) = if flipped { (b, a) } else { (a, b) };
        let side = |node, precedence| self.float_number(node, depth).within(precedence);
        if operation == Operation::FloatEqual {
            let operator = if holds { "==" } else { "!=" };
            let (a, b) = (side(a, RELATION), side(b, RELATION));
            return TextPiece(format!("{a} {operator} {b}"), EQUALITY);
        }
        let operator = match (flipped, operation) {
            (false, Operation::FloatLess) => "<",
            (false, _) => "<=",
            (true, Operation::FloatLess) => ">",
            (true, _) => ">=",
        };
        let (a, b) = (side(a, SHIFT), side(b, SHIFT));
        negated(TextPiece(format!("{a} {operator} {b}"), RELATION), holds)
    }

    /// A node as a floating point number.
    pub(super) fn float_number(&self, node: NodeId, depth: usize) -> TextPiece {
        if self.is_full(depth) {
            return TextPiece::cut();
        }
        let depth = depth + 1;
        let width = self.graph.width(node);
        let (name, suffix) = match width {
            32 => ("float", "f"),
            _ => ("double", ""),
        };
        let call = |function: &str, text: String| TextPiece(format!("{function}({text})"), PRIMARY);
        let cast = |piece: TextPiece| TextPiece(format!("({name}){}", piece.within(UNARY)), UNARY);
        match self.graph.expression(node) {
            Expression::Constant(bits) => constant(bits, width),
            Expression::Unary(Operation::FloatSquareRoot, a) => {
                call(&format!("sqrt{suffix}"), self.float_number(a, depth).0)
            }
            Expression::Unary(Operation::FloatConvert, a) => cast(self.float_number(a, depth)),
            Expression::Unary(Operation::FloatFromSigned, a) => cast(self.cast(a, true, depth)),
            Expression::Unary(Operation::FloatFromUnsigned, a) => cast(self.cast(a, false, depth)),
            Expression::Round(rounding, a) => {
                let function = match rounding {
                    Rounding::NearestEven => "rint",
                    Rounding::NearestAway => "round",
                    Rounding::Up => "ceil",
                    Rounding::Down => "floor",
                    Rounding::TowardZero => "trunc",
                };
                call(
                    &format!("{function}{suffix}"),
                    self.float_number(a, depth).0,
                )
            }
            Expression::Choose(condition, a, b) => {
                let condition = self.truth(condition, true, depth).within(OR);
                let [a, b] = [a, b].map(|node| self.float_number(node, depth).within(CHOICE));
                TextPiece(format!("{condition} ? {a} : {b}"), CHOICE)
            }
            Expression::Binary(operation, a, b) if operation.is_float() => {
                let (operator, precedence) = match operation {
                    Operation::FloatAdd => ("+", ADDITION),
                    Operation::FloatSubtract => ("-", ADDITION),
                    Operation::FloatMultiply => ("*", MULTIPLICATION),
                    _ => ("/", MULTIPLICATION),
                };
                let left = self.float_number(a, depth).within(precedence);
                let right = self.float_number(b, depth).within(precedence + 1);
                TextPiece(format!("{left} {operator} {right}"), precedence)
            }
            _ => {
                if let Some(a) = self.graph.negated_number(node) {
                    let a = self.float_number(a, depth).within(UNARY);
                    return TextPiece(format!("-{a}"), UNARY);
                }
                match self.graph.absolute_number(node) {
                    Some(a) => call(&format!("fabs{suffix}"), self.float_number(a, depth).0),
                    None => call(&format!("as_{name}"), self.value(node, depth).0),
                }
            }
        }
    }

    /// A node that computes with numbers as a value: its bits, or an integer.
    pub(super) fn value_of_number(&self, node: NodeId, depth: usize) -> TextPiece {
        match self.graph.expression(node) {
            Expression::Unary(Operation::FloatToSigned, a) => {
                let width = self.graph.width(node);
                let a = self.float_number(a, depth).within(UNARY);
                TextPiece(format!("(int{width}_t){a}"), UNARY)
            }
            _ => TextPiece(
                format!("bits({})", self.float_number(node, depth).0),
                PRIMARY,
            ),
        }
    }
}

fn constant(bits: u64, width: u32) -> TextPiece {
    let (text, value) = match width {
        32 => {
            let value = f32::from_bits(bits as u32);
            (format!("{value:?}f"), f64::from(value))
        }
        _ => {
            let value = f64::from_bits(bits);
            (format!("{value:?}"), value)
        }
    };
    let precedence = if value.is_sign_negative() {
        UNARY
    } else {
        PRIMARY
    };
    if value.is_nan() {
        return TextPiece("NAN".to_owned(), PRIMARY);
    }
    if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        return TextPiece(format!("{sign}INFINITY"), precedence);
    }
    TextPiece(text, precedence)
}
