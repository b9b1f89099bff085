//! Expressions as a C programmer would write them.
//!
//! Input bytes are unsigned, so `stdin[3] < 10` needs no cast and `(int8_t)stdin[3] < 10` does. The text is for people: it is
//! cut where it would get long, so it stays short however big the graph is.

mod float;
mod number;
mod range;
mod whole;

use std::cell::Cell;

use yester_pathrt::format::Operation;

use self::number::{character, decimal, hexadecimal, letter};
use super::evaluation::signed;
use super::{Expression, ExpressionGraph, NodeId, mask};
use crate::recording::{InputByte, InputSource};

/// The most nodes in a text.
const MOST_NODES: usize = 150;
/// How deep a text nests.
const DEEPEST_NESTING: usize = 40;
/// The most characters of a text.
const MOST_CHARACTERS: usize = 240;
/// Stands for parts that are left out.
const ELLIPSIS: &str = "…";

/// Writes expressions of one recording.
pub struct ExpressionText<'a> {
    graph: &'a ExpressionGraph,
    input: &'a [InputByte],
    /// The name of each source.
    names: Vec<String>,
    /// How many nodes may still be written.
    left: Cell<usize>,
}

/// A text and the precedence of its outermost operator in C; higher binds tighter.
struct TextPiece(String, u8);

const PRIMARY: u8 = 15;
const UNARY: u8 = 14;
const MULTIPLICATION: u8 = 13;
const ADDITION: u8 = 12;
const SHIFT: u8 = 11;
const RELATION: u8 = 10;
const EQUALITY: u8 = 9;
const BIT_AND: u8 = 8;
const BIT_XOR: u8 = 7;
const BIT_OR: u8 = 6;
const AND: u8 = 5;
const OR: u8 = 4;
const CHOICE: u8 = 3;

impl TextPiece {
    /// The text, in parentheses if the operator around it binds tighter.
    fn within(self, precedence: u8) -> String {
        if self.1 < precedence {
            format!("({})", self.0)
        } else {
            self.0
        }
    }

    fn cut() -> TextPiece {
        TextPiece(ELLIPSIS.to_owned(), PRIMARY)
    }
}

impl<'a> ExpressionText<'a> {
    /// For a graph over this input.
    pub fn new(
        graph: &'a ExpressionGraph,
        input: &'a [InputByte],
        sources: &[InputSource],
    ) -> Self {
        ExpressionText {
            graph,
            input,
            names: sources.iter().map(InputSource::name).collect(),
            left: Cell::new(0),
        }
    }

    /// Whether no other node may be written.
    fn is_full(&self, depth: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left == 0 || depth > DEEPEST_NESTING
    }

    fn truth(&self, node: NodeId, holds: bool, depth: usize) -> TextPiece {
        if self.is_full(depth) {
            return TextPiece::cut();
        }
        let depth = depth + 1;
        match self.graph.expression(node) {
            Expression::Constant(value) => {
                let word = if (value == 1) == holds {
                    "true"
                } else {
                    "false"
                };
                TextPiece(word.to_owned(), PRIMARY)
            }
            Expression::Unary(Operation::Not, a) => self.truth(a, !holds, depth),
            // With one bit these change nothing.
            Expression::Unary(_, a) | Expression::ZeroExtend(a) | Expression::SignExtend(a) => {
                self.truth(a, holds, depth)
            }
            Expression::Binary(operation, a, b) if operation.is_float() => {
                self.comparison_of_numbers(operation, (a, b), holds, depth)
            }
            Expression::Binary(operation, a, b) => match operation {
                Operation::Equal => self.equality(a, b, holds, depth),
                Operation::LessUnsigned => self.relation(a, b, (false, false), holds, depth),
                Operation::LessOrEqualUnsigned => self.relation(a, b, (true, false), holds, depth),
                Operation::LessSigned => self.relation(a, b, (false, true), holds, depth),
                Operation::LessOrEqualSigned => self.relation(a, b, (true, true), holds, depth),
                Operation::And => self.junction((a, holds), (b, holds), holds, depth),
                Operation::Or => self.junction((a, holds), (b, holds), !holds, depth),
                Operation::ExclusiveOr | Operation::Add | Operation::Subtract => {
                    self.equality(a, b, !holds, depth)
                }
                _ => negated(self.operation(operation, a, b, depth), holds),
            },
            Expression::Choose(condition, a, b) => {
                let constant = |node| self.graph.constant(node).map(|value| (value == 1) == holds);
                match (constant(a), constant(b)) {
                    (Some(true), Some(false)) => self.truth(condition, true, depth),
                    (Some(false), Some(true)) => self.truth(condition, false, depth),
                    (Some(true), _) => self.junction((condition, true), (b, holds), false, depth),
                    (Some(false), _) => self.junction((condition, false), (b, holds), true, depth),
                    (_, Some(true)) => self.junction((condition, false), (a, holds), false, depth),
                    (_, Some(false)) => self.junction((condition, true), (a, holds), true, depth),
                    _ => {
                        let [a, b] =
                            [a, b].map(|node| self.truth(node, holds, depth).within(CHOICE));
                        let condition = self.truth(condition, true, depth).within(OR);
                        TextPiece(format!("{condition} ? {a} : {b}"), CHOICE)
                    }
                }
            }
            Expression::Extract(a, 0) => {
                let a = self.value(a, depth).within(BIT_AND);
                negated(TextPiece(format!("{a} & 1"), BIT_AND), holds)
            }
            Expression::Extract(a, bit) => {
                let a = self.value(a, depth).within(SHIFT);
                negated(TextPiece(format!("{a} >> {bit} & 1"), BIT_AND), holds)
            }
            Expression::Input(_) | Expression::Round(..) => unreachable!("these have more bits"),
        }
    }

    fn junction(
        &self,
        (a, a_holds): (NodeId, bool),
        (b, b_holds): (NodeId, bool),
        both: bool,
        depth: usize,
    ) -> TextPiece {
        let (operator, precedence) = if both { ("&&", AND) } else { ("||", OR) };
        // Compilers warn about && in || without parentheses, and people misread it.
        let side = |node, holds| match self.truth(node, holds, depth) {
            piece if piece.1 == AND && !both => format!("({})", piece.0),
            piece => piece.within(precedence),
        };
        let (a, b) = (side(a, a_holds), side(b, b_holds));
        TextPiece(format!("{a} {operator} {b}"), precedence)
    }

    fn equality(&self, a: NodeId, b: NodeId, holds: bool, depth: usize) -> TextPiece {
        let (a, b) = match self.graph.constant(a) {
            Some(_) => (b, a),
            None => (a, b),
        };
        let operator = if holds { "==" } else { "!=" };
        let Some(value) = self.graph.constant(b) else {
            let (a, b) = (self.value(a, depth), self.value(b, depth));
            let (a, b) = (a.within(RELATION), b.within(RELATION));
            return TextPiece(format!("{a} {operator} {b}"), EQUALITY);
        };
        self.equals(a, value, holds, depth)
    }

    /// Whether a node equals a number.
    fn equals(&self, a: NodeId, value: u64, holds: bool, depth: usize) -> TextPiece {
        if self.is_full(depth) {
            return TextPiece::cut();
        }
        let depth = depth + 1;
        let operator = if holds { "==" } else { "!=" };
        let (a, value, is_signed) = self.narrow(a, value);
        let width = self.graph.width(a);
        if width == 1 {
            return self.truth(a, holds == (value == 1), depth);
        }
        match self.graph.expression(a) {
            Expression::Choose(condition, one, other) => {
                let equals = |node| self.graph.constant(node).map(|constant| constant == value);
                match (equals(one), equals(other)) {
                    (Some(true), Some(false)) => return self.truth(condition, holds, depth),
                    (Some(false), Some(true)) => return self.truth(condition, !holds, depth),
                    (None, None) | (Some(true), None) => {
                        if let Some(piece) = self.both(condition, (one, other), value, holds, depth)
                        {
                            return piece;
                        }
                    }
                    _ => {}
                }
            }
            // Comparing two bytes gives x - y == 0, and reading a digit gives x - 48 == 5.
            Expression::Binary(Operation::Subtract, one, other) => {
                match self.graph.constant(other) {
                    Some(less) => {
                        let sum = value.wrapping_add(less) & mask(width);
                        return self.equals(one, sum, holds, depth);
                    }
                    None if value == 0 => return self.equality(one, other, holds, depth),
                    None => {}
                }
            }
            Expression::Binary(Operation::Add, one, other) => {
                if let Some(more) = self.graph.constant(other) {
                    let rest = value.wrapping_sub(more) & mask(width);
                    return self.equals(one, rest, holds, depth);
                }
            }
            _ => {}
        }
        let number = match width {
            8 => character(value),
            _ if self.is_range(a) => hexadecimal(value),
            _ => decimal(value, width),
        };
        let piece = if is_signed && signed(value, width) < 0 {
            self.cast(a, true, depth)
        } else {
            self.value(a, depth)
        };
        let number = if is_signed && signed(value, width) < 0 {
            signed(value, width).to_string()
        } else {
            number
        };
        TextPiece(
            format!("{} {operator} {number}", piece.within(RELATION)),
            EQUALITY,
        )
    }

    /// Whether a choice is a number, when its second part is it just where the condition holds. This is how two strings
    /// are compared: where the first letters are equal, by the next ones, else by their difference.
    fn both(
        &self,
        condition: NodeId,
        (one, other): (NodeId, NodeId),
        value: u64,
        holds: bool,
        depth: usize,
    ) -> Option<TextPiece> {
        let left = self.left.get();
        let decides = self.truth(condition, true, depth);
        if self.equals(other, value, true, depth).0 != decides.0 {
            // Nothing of this is shown, so it does not count.
            self.left.set(left);
            return None;
        }
        let first = if holds {
            decides
        } else {
            self.truth(condition, false, depth)
        };
        if self.graph.constant(one).is_some() {
            return Some(first);
        }
        let (operator, precedence) = if holds { ("&&", AND) } else { ("||", OR) };
        let second = self.equals(one, value, holds, depth).within(precedence);
        let first = first.within(precedence);
        Some(TextPiece(
            format!("{first} {operator} {second}"),
            precedence,
        ))
    }

    /// A comparison with a constant in as few bits as it can be made: the byte itself instead of the `int` that it
    /// became. Says whether the byte has a sign.
    fn narrow(&self, mut a: NodeId, mut value: u64) -> (NodeId, u64, bool) {
        let mut is_signed = false;
        loop {
            match self.graph.expression(a) {
                Expression::ZeroExtend(inner) if value <= mask(self.graph.width(inner)) => {
                    a = inner;
                    is_signed = false;
                }
                Expression::SignExtend(inner) => {
                    let width = self.graph.width(inner);
                    let narrow = value & mask(width);
                    if signed(narrow, width) != signed(value, self.graph.width(a)) {
                        return (a, value, is_signed);
                    }
                    (a, value, is_signed) = (inner, narrow, true);
                }
                _ => return (a, value, is_signed),
            }
        }
    }

    /// `a < b` or `a <= b`, or its negation.
    fn relation(
        &self,
        a: NodeId,
        b: NodeId,
        (or_equal, is_signed): (bool, bool),
        holds: bool,
        depth: usize,
    ) -> TextPiece {
        // With the constant on the right it is read more easily: 10 <= a as a >= 10.
        let flipped = self.graph.constant(a).is_some();
        let (a, b) = if flipped { (b, a) } else { (a, b) };
        let operator = match (flipped == holds, or_equal == holds) {
            (false, false) => "<",
            (false, true) => "<=",
            (true, false) => ">",
            (true, true) => ">=",
        };
        let Some(value) = self.graph.constant(b) else {
            let side = |node| self.cast(node, is_signed, depth).within(SHIFT);
            return TextPiece(format!("{} {operator} {}", side(a), side(b)), RELATION);
        };
        let width = self.graph.width(a);
        let (piece, number) = match self.graph.expression(a) {
            Expression::ZeroExtend(inner) => {
                let number = if is_signed {
                    signed(value, width).to_string()
                } else {
                    value.to_string()
                };
                let number = match self.graph.width(inner) {
                    8 => letter(value).unwrap_or(number),
                    _ => number,
                };
                (self.value(inner, depth), number)
            }
            Expression::SignExtend(inner) if is_signed => {
                let number = match (self.graph.width(inner), signed(value, width)) {
                    (8, number) => letter(value).unwrap_or(number.to_string()),
                    (_, number) => number.to_string(),
                };
                (self.cast(inner, true, depth), number)
            }
            _ => {
                let number = match (is_signed, width) {
                    (true, _) => signed(value, width).to_string(),
                    (false, 8) => letter(value).unwrap_or(value.to_string()),
                    (false, _) => value.to_string(),
                };
                (self.cast(a, is_signed, depth), number)
            }
        };
        let piece = piece.within(SHIFT);
        TextPiece(format!("{piece} {operator} {number}"), RELATION)
    }

    /// A value of which it matters whether it has a sign.
    fn cast(&self, node: NodeId, is_signed: bool, depth: usize) -> TextPiece {
        let width = self.graph.width(node);
        let plain = match self.graph.expression(node) {
            Expression::Constant(value) if is_signed => {
                return TextPiece(signed(value, width).to_string(), PRIMARY);
            }
            Expression::Constant(value) => return TextPiece(value.to_string(), PRIMARY),
            // With zeroes in front it is no negative number, whatever it counts as.
            Expression::ZeroExtend(_) => true,
            Expression::SignExtend(_) => is_signed,
            Expression::Input(_) | Expression::Extract(..) => !is_signed,
            Expression::Binary(Operation::Concatenate, ..) => !is_signed,
            _ => width == 1,
        };
        let piece = self.value(node, depth);
        if plain {
            return piece;
        }
        narrowed(piece, width, is_signed)
    }

    fn value(&self, node: NodeId, depth: usize) -> TextPiece {
        let width = self.graph.width(node);
        if width == 1 {
            return self.truth(node, true, depth);
        }
        if self.is_full(depth) {
            return TextPiece::cut();
        }
        let depth = depth + 1;
        if self.graph.is_float(node) {
            return self.value_of_number(node, depth);
        }
        match self.graph.expression(node) {
            Expression::Round(..) => unreachable!("it computes with numbers"),
            Expression::Input(byte) => self.byte(byte),
            Expression::Constant(value) => TextPiece(decimal(value, width), PRIMARY),
            Expression::Unary(operation, a) => {
                let sign = if operation == Operation::Not {
                    "~"
                } else {
                    "-"
                };
                let a = self.value(a, depth).within(UNARY);
                TextPiece(format!("{sign}{a}"), UNARY)
            }
            Expression::Binary(Operation::Concatenate, ..) => self.concatenation(node, depth),
            Expression::Binary(operation, a, b) => self.operation(operation, a, b, depth),
            Expression::Extract(a, low) => {
                let a = match low {
                    0 => self.value(a, depth),
                    _ => TextPiece(
                        format!("{} >> {low}", self.value(a, depth).within(SHIFT)),
                        SHIFT,
                    ),
                };
                narrowed(a, width, false)
            }
            // Only where something narrow may have overflown does the cast matter.
            Expression::ZeroExtend(a) => match self.graph.expression(a) {
                Expression::Binary(operation, ..) if may_overflow(operation) => {
                    self.cast(a, false, depth)
                }
                Expression::Unary(..) => self.cast(a, false, depth),
                _ => self.value(a, depth),
            },
            Expression::SignExtend(a) => self.cast(a, true, depth),
            Expression::Choose(condition, a, b) => {
                let condition = self.truth(condition, true, depth).within(OR);
                let [a, b] = [a, b].map(|node| self.value(node, depth).within(CHOICE));
                TextPiece(format!("{condition} ? {a} : {b}"), CHOICE)
            }
        }
    }

    fn byte(&self, byte: u32) -> TextPiece {
        let input = &self.input[byte as usize];
        let name = &self.names[input.source];
        TextPiece(
            match input.of_length() {
                Some(place) => format!("length({name})[{place}]"),
                None => format!("{name}[{}]", input.offset),
            },
            PRIMARY,
        )
    }

    fn operation(&self, operation: Operation, a: NodeId, b: NodeId, depth: usize) -> TextPiece {
        let (operator, precedence) = match operation {
            Operation::Add => ("+", ADDITION),
            Operation::Subtract => ("-", ADDITION),
            Operation::Multiply => ("*", MULTIPLICATION),
            Operation::DivideUnsigned | Operation::DivideSigned => ("/", MULTIPLICATION),
            Operation::RemainderUnsigned | Operation::RemainderSigned => ("%", MULTIPLICATION),
            Operation::And => ("&", BIT_AND),
            Operation::Or => ("|", BIT_OR),
            Operation::ExclusiveOr => ("^", BIT_XOR),
            Operation::ShiftLeft => ("<<", SHIFT),
            Operation::ShiftRightLogical | Operation::ShiftRightArithmetic => (">>", SHIFT),
            _ => unreachable!("conditions are written as such"),
        };
        let width = self.graph.width(a);
        let is_signed = matches!(
            operation,
            Operation::DivideSigned | Operation::RemainderSigned
        );
        let left = match operation {
            Operation::ShiftRightArithmetic => self.cast(a, true, depth),
            Operation::DivideSigned | Operation::RemainderSigned => self.cast(a, true, depth),
            Operation::DivideUnsigned
            | Operation::RemainderUnsigned
            | Operation::ShiftRightLogical => self.cast(a, false, depth),
            _ => self.value(a, depth),
        };
        let left = left.within(precedence);
        let is_bits = matches!(
            operation,
            Operation::And | Operation::Or | Operation::ExclusiveOr
        );
        let right = match (self.graph.constant(b), operation) {
            (Some(value), _) if is_bits => hexadecimal(value),
            (Some(value), Operation::Add) if signed(value, width) < 0 && width >= 8 => {
                let less = signed(value, width).unsigned_abs();
                return TextPiece(format!("{left} - {less}"), precedence);
            }
            (Some(value), _) => decimal(value, width),
            (None, _) if is_signed => self.cast(b, true, depth).within(precedence + 1),
            (None, _) => self.value(b, depth).within(precedence + 1),
        };
        TextPiece(format!("{left} {operator} {right}"), precedence)
    }
}

/// A value in fewer bits. Not all numbers of bits have a type that people know.
fn narrowed(piece: TextPiece, width: u32, is_signed: bool) -> TextPiece {
    let cast = match (is_signed, width) {
        (false, 8 | 16 | 32 | 64) => format!("(uint{width}_t)"),
        (true, 8 | 16 | 32 | 64) => format!("(int{width}_t)"),
        (true, _) => format!("(_BitInt({width}))"),
        (false, _) => {
            let bits = hexadecimal(mask(width));
            return TextPiece(format!("{} & {bits}", piece.within(BIT_AND)), BIT_AND);
        }
    };
    TextPiece(format!("{cast}{}", piece.within(UNARY)), UNARY)
}

fn may_overflow(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Add | Operation::Subtract | Operation::Multiply | Operation::ShiftLeft
    )
}

fn negated(piece: TextPiece, holds: bool) -> TextPiece {
    if holds {
        piece
    } else {
        TextPiece(format!("!{}", piece.within(UNARY)), UNARY)
    }
}
