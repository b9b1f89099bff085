//! What a printed text has to be for it to be the one that is expected.
//!
//! A number is compared as a number: which digits it has follows from that, and how many of them is not fixed by those that were
//! printed in this run. All other bytes are compared one by one.

use yester_pathrt::format::Operation;

use crate::expression::{Expression, ExpressionGraph, NodeId};
use crate::joint::Joint;
use crate::query::Term;
use crate::recording::OutputByte;

/// A number among the bytes of an output.
struct PrintedNumber {
    node: NodeId,
    /// How many bytes it has, with its sign.
    length: usize,
}

/// The terms that make a text the expected one. None if nothing can: something that does not depend on the input is wrong.
pub fn terms(bytes: &[OutputByte], expected: &[u8], joint: &mut Joint) -> Option<Vec<Term>> {
    let common: Vec<Option<NodeId>> = bytes
        .iter()
        .map(|byte| byte.node.map(|node| joint.run(0).node(node)))
        .collect();
    let mut terms = Vec::new();
    let (mut place, mut wanted) = (0, 0);
    while place < bytes.len() {
        if let Some(number) = number(joint.graph(), &common[place..], bytes[place].value) {
            let (value, length) = integer(&expected[wanted..])?;
            let width = joint.graph().width(number.node);
            let right = joint.constant(width, value & (u64::MAX >> (64 - width)));
            terms.push(Term::holds(joint.equal(number.node, right)?));
            (place, wanted) = (place + number.length, wanted + length);
            continue;
        }
        let right = *expected.get(wanted)?;
        match common[place] {
            Some(node) => {
                let right = joint.constant(8, right.into());
                terms.push(Term::holds(joint.equal(node, right)?));
            }
            // How wide a column is depends on what stands in it.
            None if bytes[place].value == b' ' && right == b' ' => {
                let is_space = |byte: &u8| *byte == b' ';
                let rest = bytes[place..].iter().map(|byte| byte.value);
                place += rest.take_while(is_space).count();
                let rest = expected[wanted..].iter();
                wanted += rest.take_while(|byte| is_space(byte)).count();
                continue;
            }
            None if bytes[place].value == right => {}
            None => return None,
        }
        (place, wanted) = (place + 1, wanted + 1);
    }
    (wanted == expected.len()).then_some(terms)
}

/// The number that bytes begin with, if these are its digits.
fn number(graph: &ExpressionGraph, bytes: &[Option<NodeId>], first: u8) -> Option<PrintedNumber> {
    let has_sign = bytes[0].is_none() && first == b'-';
    let digits = &bytes[usize::from(has_sign)..];
    let (node, count) = digit(graph, (*digits.first()?)?)?;
    for (index, byte) in digits.iter().enumerate().take(count as usize + 1) {
        if digit(graph, (*byte)?)? != (node, count - index as u32) {
            return None;
        }
    }
    if digits.len() <= count as usize {
        return None;
    }
    let node = match (has_sign, graph.expression(node)) {
        (true, Expression::Unary(Operation::Negate, node)) => node,
        (true, _) => return None,
        (false, _) => node,
    };
    Some(PrintedNumber {
        node,
        length: count as usize + 1 + usize::from(has_sign),
    })
}

/// The number that a byte is a decimal digit of, and how many digits are behind it.
fn digit(graph: &ExpressionGraph, byte: NodeId) -> Option<(NodeId, u32)> {
    let Expression::Binary(Operation::Add, digit, zero) = graph.expression(byte) else {
        return None;
    };
    let Expression::Extract(remainder, 0) = graph.expression(digit) else {
        return None;
    };
    let Expression::Binary(Operation::RemainderUnsigned, quotient, ten) =
        graph.expression(remainder)
    else {
        return None;
    };
    if graph.constant(zero) != Some(b'0'.into()) || graph.constant(ten) != Some(10) {
        return None;
    }
    match graph.expression(quotient) {
        Expression::Binary(Operation::DivideUnsigned, number, divisor) => {
            let divisor = graph.constant(divisor)?;
            let place = divisor.checked_ilog10()?;
            (10_u64.pow(place) == divisor).then_some((number, place))
        }
        _ => Some((quotient, 0)),
    }
}

/// The integer that a text begins with, as 64 bits, and how many bytes it has.
fn integer(text: &[u8]) -> Option<(u64, usize)> {
    let sign = usize::from(text.first() == Some(&b'-'));
    let digits = text[sign..].iter().take_while(|byte| byte.is_ascii_digit());
    let length = sign + digits.count();
    let number: i128 = str::from_utf8(&text[..length]).ok()?.parse().ok()?;
    Some((number as u64, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_ends_where_its_digits_do() {
        assert_eq!(integer(b"530\n"), Some((530, 3)));
        assert_eq!(integer(b"-2 "), Some((2_u64.wrapping_neg(), 2)));
        assert_eq!(integer(b"18446744073709551615"), Some((u64::MAX, 20)));
        assert_eq!(integer(b"-"), None);
        assert_eq!(integer(b"x1"), None);
    }
}
