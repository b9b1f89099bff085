//! How expressions are written.

use yester_path::{Expression, ExpressionGraph, ExpressionText, InputByte, InputSource, NodeId};
use yester_pathrt::format::Operation;

/// Eight bytes of stdin from place 4 on, then one of an argument.
struct Place {
    nodes: Vec<(u32, Expression)>,
}

impl Place {
    fn new() -> Place {
        let nodes = (0..9).map(|byte| (8, Expression::Input(byte))).collect();
        Place { nodes }
    }

    fn add(&mut self, width: u32, expression: Expression) -> NodeId {
        self.nodes.push((width, expression));
        NodeId(self.nodes.len() as u32)
    }

    fn binary(&mut self, width: u32, operation: Operation, a: NodeId, b: NodeId) -> NodeId {
        self.add(width, Expression::Binary(operation, a, b))
    }

    fn constant(&mut self, width: u32, value: u64) -> NodeId {
        self.add(width, Expression::Constant(value))
    }

    fn text(&self, node: NodeId, holds: bool) -> String {
        let graph = ExpressionGraph::new(&self.nodes, 9);
        let byte = |source, offset| InputByte {
            source,
            offset,
            value: 0,
        };
        let mut input: Vec<InputByte> = (0..8).map(|index| byte(0, 4 + index)).collect();
        input.push(byte(1, 0));
        let sources = [InputSource::Stdin, InputSource::Argument(1)];
        ExpressionText::new(&graph, &input, &sources).condition(node, holds)
    }
}

const BYTE: NodeId = NodeId(1);
const NEXT: NodeId = NodeId(2);
const ARGUMENT: NodeId = NodeId(9);

#[test]
fn a_byte_is_compared_with_a_letter_whatever_it_was_converted_to() {
    let mut place = Place::new();
    let letter = place.constant(8, b'a'.into());
    let plain = place.binary(1, Operation::Equal, letter, ARGUMENT);
    let wide = place.add(32, Expression::ZeroExtend(BYTE));
    let number = place.constant(32, b'a'.into());
    let zero_extended = place.binary(1, Operation::Equal, wide, number);
    let with_sign = place.add(32, Expression::SignExtend(BYTE));
    let sign_extended = place.binary(1, Operation::Equal, with_sign, number);
    let minus = place.constant(32, 0xffff_ffff);
    let negative = place.binary(1, Operation::Equal, with_sign, minus);
    let line = place.constant(32, 10);
    let newline = place.binary(1, Operation::Equal, wide, line);
    assert_eq!(place.text(plain, true), "arg1[0] == 'a'");
    assert_eq!(place.text(plain, false), "arg1[0] != 'a'");
    assert_eq!(place.text(zero_extended, true), "stdin[4] == 'a'");
    assert_eq!(place.text(sign_extended, false), "stdin[4] != 'a'");
    assert_eq!(place.text(negative, true), "(int8_t)stdin[4] == -1");
    assert_eq!(place.text(newline, true), r"stdin[4] == '\n'");
}

#[test]
fn comparisons_are_turned_instead_of_negated() {
    let mut place = Place::new();
    let wide = place.add(32, Expression::ZeroExtend(BYTE));
    let with_sign = place.add(32, Expression::SignExtend(BYTE));
    let zero = place.constant(32, b'0'.into());
    let ten = place.constant(32, 10);
    let digit = place.binary(1, Operation::LessOrEqualSigned, zero, wide);
    assert_eq!(place.text(digit, true), "stdin[4] >= '0'");
    assert_eq!(place.text(digit, false), "stdin[4] < '0'");
    let small = place.binary(1, Operation::LessSigned, with_sign, ten);
    assert_eq!(place.text(small, true), "(int8_t)stdin[4] < 10");
    assert_eq!(place.text(small, false), "(int8_t)stdin[4] >= 10");
    let sum = place.binary(32, Operation::Add, wide, with_sign);
    let low = place.binary(1, Operation::LessSigned, sum, ten);
    assert_eq!(
        place.text(low, true),
        "(int32_t)(stdin[4] + (int8_t)stdin[4]) < 10"
    );
    let not = place.add(1, Expression::Unary(Operation::Not, low));
    assert_eq!(
        place.text(not, true),
        "(int32_t)(stdin[4] + (int8_t)stdin[4]) >= 10"
    );
    let both = place.binary(1, Operation::And, digit, small);
    assert_eq!(
        place.text(both, false),
        "stdin[4] < '0' || (int8_t)stdin[4] >= 10"
    );
}

#[test]
fn neighbouring_bytes_are_a_range() {
    let mut place = Place::new();
    let half = place.binary(16, Operation::Concatenate, NEXT, BYTE);
    let third = place.binary(24, Operation::Concatenate, NodeId(3), half);
    let word = place.binary(32, Operation::Concatenate, NodeId(4), third);
    let magic = place.constant(32, 0x464c_457f);
    let equal = place.binary(1, Operation::Equal, word, magic);
    assert_eq!(place.text(equal, true), "stdin[4..8] == 0x464c457f");
    let turned = place.binary(16, Operation::Concatenate, BYTE, NEXT);
    let limit = place.constant(16, 300);
    let less = place.binary(1, Operation::LessUnsigned, turned, limit);
    assert_eq!(place.text(less, true), "big_endian(stdin[4..6]) < 300");
    let mixed = place.binary(16, Operation::Concatenate, BYTE, ARGUMENT);
    let less = place.binary(1, Operation::LessUnsigned, mixed, limit);
    assert_eq!(place.text(less, true), "(stdin[4] << 8 | arg1[0]) < 300");
}

#[test]
fn arithmetic_has_the_brackets_that_it_needs() {
    let mut place = Place::new();
    let a = place.add(32, Expression::ZeroExtend(BYTE));
    let b = place.add(32, Expression::ZeroExtend(NEXT));
    let less = place.constant(32, 0xffff_ffd0);
    let digit = place.binary(32, Operation::Add, a, less);
    let ten = place.constant(32, 10);
    let product = place.binary(32, Operation::Multiply, digit, ten);
    let sum = place.binary(32, Operation::Add, product, b);
    let number = place.constant(32, 120);
    let equal = place.binary(1, Operation::Equal, sum, number);
    assert_eq!(
        place.text(equal, true),
        "(stdin[4] - 48) * 10 + stdin[5] == 120"
    );
    let ones = place.constant(32, 0xff);
    let masked = place.binary(32, Operation::And, sum, ones);
    let equal = place.binary(1, Operation::Equal, masked, number);
    assert_eq!(
        place.text(equal, false),
        "((stdin[4] - 48) * 10 + stdin[5] & 0xff) != 120"
    );
    let low = place.add(8, Expression::Extract(sum, 0));
    let zero = place.constant(8, 0);
    let equal = place.binary(1, Operation::Equal, low, zero);
    assert_eq!(
        place.text(equal, true),
        "(uint8_t)((stdin[4] - 48) * 10 + stdin[5]) == 0"
    );
}

#[test]
fn truth_values_in_integers_are_truth_values() {
    let mut place = Place::new();
    let letter = place.constant(8, b'x'.into());
    let is_x = place.binary(1, Operation::Equal, BYTE, letter);
    let integer = place.add(32, Expression::ZeroExtend(is_x));
    let zero = place.constant(32, 0);
    let equal = place.binary(1, Operation::Equal, integer, zero);
    assert_eq!(place.text(equal, true), "stdin[4] != 'x'");
    assert_eq!(place.text(equal, false), "stdin[4] == 'x'");
    let (one, two) = (place.constant(32, 1), place.constant(32, 2));
    let choice = place.add(32, Expression::Choose(is_x, one, two));
    let equal = place.binary(1, Operation::Equal, choice, two);
    assert_eq!(place.text(equal, true), "stdin[4] != 'x'");
}

#[test]
fn comparing_strings_is_comparing_letters() {
    let mut place = Place::new();
    let zero = place.constant(32, 0);
    let mut result = zero;
    // As strcmp does it, from the last letter to the first.
    for (byte, letter) in [(NodeId(3), 0), (NodeId(2), b'o'), (NodeId(1), b'g')] {
        let wide = place.add(32, Expression::ZeroExtend(byte));
        let letter8 = place.constant(8, letter.into());
        let letter32 = place.constant(32, letter.into());
        let equal = place.binary(1, Operation::Equal, byte, letter8);
        let difference = place.binary(32, Operation::Subtract, wide, letter32);
        result = place.add(32, Expression::Choose(equal, result, difference));
    }
    let equal = place.binary(1, Operation::Equal, result, zero);
    assert_eq!(
        place.text(equal, true),
        "stdin[4] == 'g' && stdin[5] == 'o' && stdin[6] == 0"
    );
    assert_eq!(
        place.text(equal, false),
        "stdin[4] != 'g' || stdin[5] != 'o' || stdin[6] != 0"
    );
}

#[test]
fn what_is_endless_is_cut() {
    let mut place = Place::new();
    let mut sum = place.add(64, Expression::ZeroExtend(BYTE));
    for _ in 0..200_000 {
        sum = place.binary(64, Operation::Multiply, sum, sum);
    }
    let zero = place.constant(64, 0);
    let equal = place.binary(1, Operation::Equal, sum, zero);
    let text = place.text(equal, true);
    assert!(text.contains('…'), "{text}");
    assert!(text.chars().count() <= 241, "{text}");
}

#[test]
fn floating_point_numbers_are_written_as_in_c() {
    use yester_pathrt::format::Rounding;
    let mut place = Place::new();
    let number = place.add(64, Expression::Unary(Operation::FloatFromUnsigned, BYTE));
    let signed = place.add(64, Expression::Unary(Operation::FloatFromSigned, NEXT));
    let half = place.constant(64, 0.5_f64.to_bits());
    let product = place.binary(64, Operation::FloatMultiply, number, half);
    let sum = place.binary(64, Operation::FloatAdd, product, signed);
    let less = place.binary(1, Operation::FloatLess, half, sum);
    let quotient = place.binary(64, Operation::FloatDivide, half, sum);
    let root = place.add(64, Expression::Unary(Operation::FloatSquareRoot, quotient));
    let sign = place.constant(64, 1 << 63);
    let negative = place.binary(64, Operation::ExclusiveOr, root, sign);
    let equal = place.binary(1, Operation::FloatEqual, negative, sum);
    let nan = place.binary(1, Operation::FloatEqual, sum, sum);
    let small = place.add(32, Expression::Unary(Operation::FloatConvert, sum));
    let floor = place.add(32, Expression::Round(Rounding::Down, small));
    let inner = place.add(31, Expression::Extract(floor, 0));
    let size = place.add(32, Expression::ZeroExtend(inner));
    let limit = place.constant(32, 1.5_f32.to_bits().into());
    let floats = place.binary(1, Operation::FloatLessOrEqual, size, limit);
    let integer = place.add(32, Expression::Unary(Operation::FloatToSigned, quotient));
    let seven = place.constant(32, 7);
    let truncated = place.binary(1, Operation::Equal, integer, seven);
    let bits = place.binary(1, Operation::Equal, quotient, sign);
    let word = place.binary(16, Operation::Concatenate, NEXT, BYTE);
    let words = place.binary(32, Operation::Concatenate, word, word);
    let raw = place.binary(1, Operation::FloatLess, words, limit);
    let sum = "(double)stdin[4] * 0.5 + (double)(int8_t)stdin[5]";
    for (node, holds, expected) in [
        (less, true, format!("{sum} > 0.5")),
        (less, false, format!("!({sum} > 0.5)")),
        (equal, false, format!("-sqrt(0.5 / ({sum})) != {sum}")),
        (nan, true, format!("!isnan({sum})")),
        (nan, false, format!("isnan({sum})")),
        (
            floats,
            true,
            format!("fabsf(floorf((float)({sum}))) <= 1.5f"),
        ),
        (truncated, true, format!("(int32_t)(0.5 / ({sum})) == 7")),
        (
            bits,
            false,
            format!("bits(0.5 / ({sum})) != 9223372036854775808"),
        ),
        (
            raw,
            true,
            "as_float(stdin[5] << 24 | stdin[4] << 16 | stdin[5] << 8 | stdin[4]) < 1.5f"
                .to_owned(),
        ),
    ] {
        assert_eq!(place.text(node, holds), expected);
    }
}
