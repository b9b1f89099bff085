//! Tests of floating point in the graph: what is simplified has the value that it had before.

use super::float;
use super::graph::NodeGraph;
use super::test::{evaluate, graph};
use super::value::{self, truncate};
use crate::format::{Operation, Rounding};
use proptest::prelude::*;

const ARITHMETIC: [Operation; 4] = [
    Operation::FloatAdd,
    Operation::FloatSubtract,
    Operation::FloatMultiply,
    Operation::FloatDivide,
];
const COMPARISONS: [Operation; 3] = [
    Operation::FloatEqual,
    Operation::FloatLess,
    Operation::FloatLessOrEqual,
];

/// A step of a random computation: what it does, which values it takes, and a number.
type RandomStep = (u8, u8, u8, u64);

/// A node of 64 bits, and its value for another input as it was meant.
type ExpectedNumber = (u32, u64);

fn constant(graph: &mut NodeGraph, number: u64) -> ExpectedNumber {
    let value = match number % 8 {
        0 => (number >> 8) as i32 as f64,
        1 => (number >> 8) as i16 as f64 / 100.0,
        2 => [0.0, -0.0, f64::INFINITY, f64::NAN, f64::MAX, 5e-324][(number >> 8) as usize % 6],
        3 => f64::from_bits(number),
        _ => f64::from((number >> 8) as u8) - 100.0,
    };
    (graph.constant(64, value.to_bits()), value.to_bits())
}

/// One step: a number is added to the stack, or a comparison is checked.
fn step(
    graph: &mut NodeGraph,
    stack: &mut Vec<ExpectedNumber>,
    (kind, x, y, number): RandomStep,
    other: &[u8],
) -> Result<(), TestCaseError> {
    let first = stack[usize::from(x) % stack.len()];
    let second = match number & 3 {
        0 => stack[usize::from(y) % stack.len()],
        _ => constant(graph, number >> 2),
    };
    let (first, second) = match kind & 128 {
        0 => (first, second),
        _ => (second, first),
    };
    let unary = |graph: &mut NodeGraph, operation, rounding| {
        let meant = float::unary(operation, rounding, 64, 64, first.1);
        (graph.float_unary(operation, first.0, 64, rounding), meant)
    };
    let result = match kind % 12 {
        0..=4 => {
            let operation = ARITHMETIC[(number >> 40) as usize % 4];
            let meant = value::binary(operation, 64, first.1, second.1);
            (graph.binary(operation, first.0, second.0), meant)
        }
        5 => unary(graph, Operation::FloatRound, (number >> 40) as u32 % 5),
        6 => {
            let narrow = float::unary(Operation::FloatConvert, 0, 64, 32, first.1);
            let node = graph.float_unary(Operation::FloatConvert, first.0, 32, 0);
            let meant = float::unary(Operation::FloatConvert, 0, 32, 64, narrow);
            (
                graph.float_unary(Operation::FloatConvert, node, 64, 0),
                meant,
            )
        }
        7 => (graph.float_negate(first.0), first.1 ^ 1 << 63),
        8 => (graph.float_absolute(first.0), first.1 & !(1 << 63)),
        9 => {
            let less = graph.binary(Operation::FloatLess, first.0, second.0);
            let holds = value::binary(Operation::FloatLess, 64, first.1, second.1) == 1;
            let meant = if holds { second.1 } else { first.1 };
            (graph.choose(less, second.0, first.0), meant)
        }
        _ => {
            let operation = COMPARISONS[(number >> 40) as usize % 3];
            let node = graph.binary(operation, first.0, second.0);
            let meant = value::binary(operation, 64, first.1, second.1);
            prop_assert_eq!(evaluate(graph, node, other), meant);
            let width = if number & 1 << 50 == 0 { 32 } else { 64 };
            let truncated = graph.float_unary(Operation::FloatToSigned, first.0, width, 0);
            let meant = float::unary(Operation::FloatToSigned, 0, 64, width, first.1);
            let limit = truncate((number >> 8) as i8 as u64, width);
            let limit_node = graph.constant(width, limit);
            for operation in [
                Operation::Equal,
                Operation::LessSigned,
                Operation::LessOrEqualSigned,
            ] {
                let node = graph.binary(operation, truncated, limit_node);
                prop_assert_eq!(
                    evaluate(graph, node, other),
                    value::binary(operation, width, meant, limit)
                );
                let node = graph.binary(operation, limit_node, truncated);
                prop_assert_eq!(
                    evaluate(graph, node, other),
                    value::binary(operation, width, limit, meant)
                );
            }
            let bits = graph.is(first.0, second.1);
            prop_assert_eq!(evaluate(graph, bits, other) == 1, first.1 == second.1);
            return Ok(());
        }
    };
    stack.push(result);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn numbers_mean_the_same_after_they_are_simplified(
        steps in prop::collection::vec(any::<RandomStep>(), 1..16),
        input in prop::array::uniform4(any::<u8>()),
        other in prop::array::uniform4(any::<u8>()),
    ) {
        let mut graph = graph();
        let mut stack = Vec::new();
        for (index, width) in [(0, 8), (1, 8), (2, 16)] {
            let mut node = graph.input(index, input[index as usize]);
            let mut meant = u64::from(other[index as usize]);
            if width == 16 {
                let high = graph.input(3, input[3]);
                node = graph.concatenate(high, node);
                meant |= u64::from(other[3]) << 8;
            }
            let operation = [Operation::FloatFromUnsigned, Operation::FloatFromSigned][index as usize % 2];
            let meant = float::unary(operation, 0, width, 64, meant);
            stack.push((graph.float_unary(operation, node, 64, 0), meant));
        }
        for step_to_take in steps {
            step(&mut graph, &mut stack, step_to_take, &other)?;
        }
        for (node, meant) in stack {
            prop_assert_eq!(evaluate(&graph, node, &other), meant);
        }
    }

    #[test]
    fn numbers_are_rounded_as_the_library_does(bits in any::<u64>(), near in any::<i32>()) {
        for value in [f64::from_bits(bits), f64::from(near) / 4.0, f64::from(near) * 1048576.5] {
            let round = |rounding: Rounding| {
                let result = float::unary(Operation::FloatRound, rounding as u32, 64, 64, value.to_bits());
                f64::from_bits(result)
            };
            let expected = [value.round_ties_even(), value.round(), value.ceil(), value.floor(), value.trunc()];
            for (rounding, expected) in Rounding::ALL.into_iter().zip(expected) {
                let same = round(rounding).to_bits() == expected.to_bits();
                prop_assert!(same || expected.is_nan(), "{:?} of {}", rounding, value);
            }
            let root = f64::from_bits(float::unary(Operation::FloatSquareRoot, 0, 64, 64, value.to_bits()));
            prop_assert!(root == value.sqrt() || root.is_nan() == value.sqrt().is_nan());
            let small = value as f32;
            let root = float::unary(Operation::FloatSquareRoot, 0, 32, 32, small.to_bits().into());
            prop_assert!(small.sqrt().is_nan() || root == u64::from(small.sqrt().to_bits()));
        }
    }
}

/// An average is compared as the sum of two bytes, which a solver does at once.
#[test]
fn what_is_computed_from_one_integer_is_compared_as_an_integer() {
    let mut graph = graph();
    let bytes = [graph.input(0, 7), graph.input(1, 9)];
    let wide = bytes.map(|byte| graph.extend(Operation::ZeroExtend, byte, 32));
    let sum = graph.binary(Operation::Add, wide[0], wide[1]);
    let number = graph.float_unary(Operation::FloatFromSigned, sum, 64, 0);
    let two = graph.constant(64, 2_f64.to_bits());
    let average = graph.binary(Operation::FloatDivide, number, two);
    let limit = graph.constant(64, 3.7_f64.to_bits());
    let more = graph.binary(Operation::FloatLess, limit, average);
    let eight = graph.constant(32, 8);
    assert_eq!(more, graph.binary(Operation::LessOrEqualSigned, eight, sum));
    let equal = graph.binary(Operation::FloatEqual, average, limit);
    assert_eq!(graph.constant_value(equal), Some(0));
    let never_nan = graph.float_is_nan(average);
    assert_eq!(graph.constant_value(never_nan), Some(0));
}

#[test]
fn what_does_not_fit_into_an_integer_is_the_smallest_one() {
    let to =
        |value: f64, width| float::unary(Operation::FloatToSigned, 0, 64, width, value.to_bits());
    assert_eq!(to(-2.9, 32), truncate(-2_i64 as u64, 32));
    assert_eq!(to(2147483647.5, 32), 0x7FFF_FFFF);
    for value in [2147483648.0, -2147483648.5, -3e9, f64::NAN, f64::INFINITY] {
        assert_eq!(to(value, 32), 0x8000_0000, "{value}");
    }
    assert_eq!(to(-9223372036854775808.0, 64), 1 << 63);
    assert_eq!(to(9223372036854774784.0, 64), 9223372036854774784);
}
