//! Operations of LLVM that the graph lacks: overflow checks, minimum and maximum, reversed and counted bits.

use super::engine::enter;
use super::graph::NodeGraph;
use crate::format::Operation;

/// Whether an operation overflows. Kinds: 0 sum, 1 difference, 2 product, plus 4 if unsigned; from bit 8 on, the width.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_overflow(
    kind: u32,
    left_node: u32,
    left: u64,
    right_node: u32,
    right: u64,
    result: u64,
) -> u32 {
    if left_node | right_node == 0 {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let width = kind >> 8;
    let left = engine.operand(left_node, width, left);
    let right = engine.operand(right_node, width, right);
    let unsigned = kind & 4 != 0;
    let node = if width <= 32 {
        narrow_overflow(&mut engine.graph, kind & 3, unsigned, left, right)
    } else {
        wide_overflow(&mut engine.graph, kind & 3, unsigned, left, right)
    };
    if node == 0 {
        engine.lose(&[b"overflow of a product of 64 bits"]);
        return 0;
    }
    engine.result(node, result)
}

fn arithmetic(kind: u32) -> Operation {
    [Operation::Add, Operation::Subtract, Operation::Multiply][kind as usize]
}

fn narrow_overflow(graph: &mut NodeGraph, kind: u32, unsigned: bool, left: u32, right: u32) -> u32 {
    let width = graph.width(left);
    let extension = if unsigned {
        Operation::ZeroExtend
    } else {
        Operation::SignExtend
    };
    let wide_left = graph.extend(extension, left, 2 * width);
    let wide_right = graph.extend(extension, right, 2 * width);
    let exact = graph.binary(arithmetic(kind), wide_left, wide_right);
    let wrapped = graph.extract(exact, 0, width);
    let wrapped = graph.extend(extension, wrapped, 2 * width);
    let equal = graph.binary(Operation::Equal, exact, wrapped);
    graph.not(equal)
}

fn wide_overflow(graph: &mut NodeGraph, kind: u32, unsigned: bool, left: u32, right: u32) -> u32 {
    let width = graph.width(left);
    let wrapped = graph.binary(arithmetic(kind), left, right);
    match (kind, unsigned) {
        (0, true) => graph.binary(Operation::LessUnsigned, wrapped, left),
        (1, true) => graph.binary(Operation::LessUnsigned, left, right),
        (0 | 1, false) => {
            // The sign of the result differs from that of the left operand, although it should not.
            let changed = graph.binary(Operation::ExclusiveOr, left, wrapped);
            let other = if kind == 0 { wrapped } else { left };
            let against = graph.binary(Operation::ExclusiveOr, right, other);
            let both = graph.binary(Operation::And, changed, against);
            graph.extract(both, width - 1, 1)
        }
        (_, true) => {
            let zero = graph.is(right, 0);
            let quotient = graph.binary(Operation::DivideUnsigned, wrapped, right);
            let same = graph.binary(Operation::Equal, quotient, left);
            let fits = graph.either(zero, same);
            graph.not(fits)
        }
        _ => 0,
    }
}

/// Other operations. Kinds: 0 absolute value, 1 and 2 signed minimum and maximum, 3 and 4 unsigned ones, 5 reversed bytes,
/// 6 reversed bits, 7 count of ones, 8 of leading zeros, 9 of trailing zeros. From bit 8 on, the width.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_intrinsic(
    kind: u32,
    left_node: u32,
    left: u64,
    right_node: u32,
    right: u64,
    result: u64,
) -> u32 {
    if left_node | right_node == 0 {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let width = kind >> 8;
    let left = engine.operand(left_node, width, left);
    let graph = &mut engine.graph;
    let node = match kind as u8 {
        0 => absolute(graph, left),
        choice @ 1..=4 => {
            let right = engine.operand(right_node, width, right);
            let graph = &mut engine.graph;
            let less = if choice <= 2 {
                graph.binary(Operation::LessSigned, left, right)
            } else {
                graph.binary(Operation::LessUnsigned, left, right)
            };
            if choice % 2 == 1 {
                graph.choose(less, left, right)
            } else {
                graph.choose(less, right, left)
            }
        }
        5 => turned(graph, left, 8),
        6 => turned(graph, left, 1),
        7 => ones(graph, left),
        8 => zeros(graph, left, true),
        9 => zeros(graph, left, false),
        _ => 0,
    };
    engine.result(node, result)
}

/// The value without its sign, which the smallest number keeps.
pub fn absolute(graph: &mut NodeGraph, node: u32) -> u32 {
    if node == 0 {
        return 0;
    }
    let zero = graph.constant(graph.width(node), 0);
    let negative = graph.binary(Operation::LessSigned, node, zero);
    let turned = graph.binary(Operation::Subtract, zero, node);
    graph.choose(negative, turned, node)
}

fn turned(graph: &mut NodeGraph, node: u32, unit: u32) -> u32 {
    let count = graph.width(node) / unit;
    let mut result = graph.extract(node, 0, unit);
    for index in 1..count {
        let piece = graph.extract(node, index * unit, unit);
        result = graph.concatenate(result, piece);
    }
    result
}

fn ones(graph: &mut NodeGraph, node: u32) -> u32 {
    let width = graph.width(node);
    let mut sum = graph.constant(width, 0);
    for index in 0..width {
        let bit = graph.extract(node, index, 1);
        let bit = graph.extend(Operation::ZeroExtend, bit, width);
        sum = graph.binary(Operation::Add, sum, bit);
    }
    sum
}

fn zeros(graph: &mut NodeGraph, node: u32, leading: bool) -> u32 {
    let width = graph.width(node);
    let mut result = graph.constant(width, u64::from(width));
    // The bit that is tested first becomes the outermost choice.
    for step in (0..width).rev() {
        let index = if leading { width - 1 - step } else { step };
        let bit = graph.extract(node, index, 1);
        let count = graph.constant(width, u64::from(step));
        result = graph.choose(bit, count, result);
    }
    result
}

/// A funnel shift: two values concatenated, shifted left (kind 0) or right (1) by a number of bits modulo the width.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn __yester_funnel(
    kind: u32,
    high_node: u32,
    high: u64,
    low_node: u32,
    low: u64,
    amount_node: u32,
    amount: u64,
    result: u64,
) -> u32 {
    if high_node | low_node | amount_node == 0 {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let width = kind >> 8;
    let high = engine.operand(high_node, width, high);
    let low = engine.operand(low_node, width, low);
    engine.concretise(amount_node);
    let amount = (amount % u64::from(width)) as u32;
    let graph = &mut engine.graph;
    let node = match (kind as u8, amount) {
        (0, 0) => high,
        (_, 0) => low,
        (0, amount) => {
            let above = graph.extract(high, 0, width - amount);
            let below = graph.extract(low, width - amount, amount);
            graph.concatenate(above, below)
        }
        (_, amount) => {
            let above = graph.extract(high, 0, amount);
            let below = graph.extract(low, amount, width - amount);
            graph.concatenate(above, below)
        }
    };
    engine.result(node, result)
}
