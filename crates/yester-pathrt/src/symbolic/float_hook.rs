//! The functions that instrumented code calls for floating point instructions. Values are the bits of numbers.

use super::engine::{Engine, EngineGuard, enter};
use super::float;
use super::graph::NodeGraph;
use super::value;
use crate::format::{Operation, Rounding, float_kind};

impl Engine {
    /// Fixes the operands of an operation that is not followed.
    fn drop_float(&mut self, what: &[u8], operands: &[u32]) -> u32 {
        self.lose(&[what]);
        self.concretise_all(operands);
        0
    }

    /// The node that instrumented code gets for a result, as [`Engine::result`]. If it is wrong, the operands are fixed.
    fn float_result(&mut self, node: u32, result: u64, operands: &[u32]) -> u32 {
        if node == 0 || self.graph.is_constant(node) {
            return self.result(node, result);
        }
        let width = self.graph.width(node);
        let value = self.graph.value(node);
        if value == value::truncate(result, width) {
            return node;
        }
        // Which bits an operation passes on depends on the order in which the compiler puts the operands.
        let is_nan = |bits| width >= 32 && float::is_nan(bits, width);
        let what: &[u8] = if is_nan(value) && is_nan(result) {
            b"the bits of a floating point number that is none"
        } else {
            b"an operation whose result is not what SMT-LIB says"
        };
        self.drop_float(what, operands)
    }
}

/// Enters the state for an operation. None if nothing depends on the input, or if the operation is not followed.
fn enter_float(operands: &[u32]) -> Option<EngineGuard> {
    if operands.iter().all(|&node| node == 0) {
        return None;
    }
    let mut engine = enter()?;
    if !float::rounds_as_usual() {
        engine.drop_float(b"floating point with another rounding", operands);
        return None;
    }
    Some(engine)
}

/// An operation on one or two numbers. `kind` is an [`Operation`] or a [`float_kind`], with the width from bit 8 on.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_float(
    kind: u32,
    left_node: u32,
    left: u64,
    right_node: u32,
    right: u64,
    result: u64,
) -> u32 {
    let operands = [left_node, right_node];
    let Some(mut engine) = enter_float(&operands) else {
        return 0;
    };
    let width = kind >> 8;
    let a = engine.operand(left_node, width, left);
    let b = engine.operand(right_node, width, right);
    let graph = &mut engine.graph;
    let node = match kind as u8 {
        float_kind::NEGATE => graph.float_negate(a),
        float_kind::ABSOLUTE => graph.float_absolute(a),
        kind @ (float_kind::MINIMUM | float_kind::MAXIMUM) => {
            // As LLVM has it for x86.
            let takes = if kind == float_kind::MINIMUM {
                graph.binary(Operation::FloatLess, b, a)
            } else {
                graph.binary(Operation::FloatLess, a, b)
            };
            let is_nan = graph.float_is_nan(a);
            let takes = graph.either(is_nan, takes);
            graph.choose(takes, b, a)
        }
        float_kind::COPY_SIGN => {
            let number = graph.extract(a, 0, width - 1);
            let sign = graph.extract(b, width - 1, 1);
            graph.concatenate(sign, number)
        }
        kind if kind >= float_kind::ROUND => {
            let rounding = u32::from(kind - float_kind::ROUND);
            graph.float_unary(Operation::FloatRound, a, width, rounding)
        }
        kind => match value::operation(kind) {
            root @ Operation::FloatSquareRoot => graph.float_unary(root, a, width, 0),
            operation => graph.binary(operation, a, b),
        },
    };
    engine.float_result(node, result, &operands)
}

/// A product to which a third number is added, with both results rounded.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn __yester_multiply_add(
    width: u32,
    left_node: u32,
    left: u64,
    right_node: u32,
    right: u64,
    third_node: u32,
    third: u64,
    result: u64,
) -> u32 {
    let operands = [left_node, right_node, third_node];
    let Some(mut engine) = enter_float(&operands) else {
        return 0;
    };
    let a = engine.operand(left_node, width, left);
    let b = engine.operand(right_node, width, right);
    let c = engine.operand(third_node, width, third);
    let product = engine.graph.binary(Operation::FloatMultiply, a, b);
    let node = engine.graph.binary(Operation::FloatAdd, product, c);
    engine.float_result(node, result, &operands)
}

/// A comparison. `kind` is LLVM's predicate, with the width from bit 8 on.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_float_compare(
    kind: u32,
    left_node: u32,
    left: u64,
    right_node: u32,
    right: u64,
    result: u64,
) -> u32 {
    let operands = [left_node, right_node];
    let Some(mut engine) = enter_float(&operands) else {
        return 0;
    };
    let width = kind >> 8;
    let a = engine.operand(left_node, width, left);
    let b = engine.operand(right_node, width, right);
    let node = compare(&mut engine.graph, kind as u8, a, b);
    engine.float_result(node, result, &operands)
}

/// A predicate of LLVM: bit 0 says whether it holds for equal numbers, bit 1 for a greater one, bit 2 for a smaller one, bit 3 if one
/// is no number.
fn compare(graph: &mut NodeGraph, predicate: u8, a: u32, b: u32) -> u32 {
    if predicate >= 8 {
        let opposite = compare(graph, 15 - predicate, a, b);
        return graph.not(opposite);
    }
    match predicate {
        0 => graph.truth(false),
        1 => graph.binary(Operation::FloatEqual, a, b),
        2 => graph.binary(Operation::FloatLess, b, a),
        3 => graph.binary(Operation::FloatLessOrEqual, b, a),
        4 => graph.binary(Operation::FloatLess, a, b),
        5 => graph.binary(Operation::FloatLessOrEqual, a, b),
        6 => {
            let less = graph.binary(Operation::FloatLess, a, b);
            let greater = graph.binary(Operation::FloatLess, b, a);
            graph.either(less, greater)
        }
        _ => {
            let is_a = graph.binary(Operation::FloatEqual, a, a);
            let is_b = graph.binary(Operation::FloatEqual, b, b);
            graph.both(is_a, is_b)
        }
    }
}

/// A conversion. `kind` is an [`Operation`] or [`float_kind::TO_UNSIGNED`], with the width of the result from bit 8 on, and maybe
/// [`float_kind::FOLDED`].
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_float_cast(kind: u32, node: u32, result: u64) -> u32 {
    let Some(mut engine) = enter_float(&[node]) else {
        return 0;
    };
    let width = kind >> 8 & 0xFF;
    if kind & float_kind::FOLDED != 0 {
        let fits = fits(&mut engine.graph, kind as u8, node, width);
        if fits == 0 || engine.graph.value(fits) != 1 {
            return engine.drop_float(b"a number that does not fit into an integer", &[node]);
        }
        engine.assume(fits);
    }
    let graph = &mut engine.graph;
    // Integers are made as x86 makes them: in 32 or 64 bits, of which the lowest are taken.
    let cast = match kind as u8 {
        float_kind::TO_UNSIGNED if width > 32 => to_unsigned(graph, node),
        float_kind::TO_UNSIGNED if width > 16 => {
            let wide = graph.float_unary(Operation::FloatToSigned, node, 64, 0);
            graph.extract(wide, 0, width)
        }
        float_kind::TO_UNSIGNED => {
            let wide = graph.float_unary(Operation::FloatToSigned, node, 32, 0);
            graph.extract(wide, 0, width)
        }
        kind => match value::operation(kind) {
            operation @ Operation::FloatToSigned => {
                let bits = if width > 32 { 64 } else { 32 };
                let wide = graph.float_unary(operation, node, bits, 0);
                graph.extract(wide, 0, width)
            }
            operation => graph.float_unary(operation, node, width, 0),
        },
    };
    engine.float_result(cast, result, &[node])
}

/// Whether a number fits into an integer.
fn fits(graph: &mut NodeGraph, kind: u8, node: u32, width: u32) -> u32 {
    let bits = graph.width(node);
    let rounding = Rounding::TowardZero as u32;
    let number = graph.float_unary(Operation::FloatRound, node, bits, rounding);
    let mut limit = |exponent: u32, is_negative: bool| {
        // A power of two has no digits, only an exponent.
        let limit = match bits {
            32 => u64::from(127 + exponent) << 23,
            _ => u64::from(1023 + exponent) << 52,
        };
        let sign = if is_negative { float::sign(bits) } else { 0 };
        graph.constant(bits, limit | sign)
    };
    let (least, most) = match kind {
        float_kind::TO_UNSIGNED => (0, limit(width, false)),
        _ => (limit(width - 1, true), limit(width - 1, false)),
    };
    let least = match least {
        0 => graph.constant(bits, 0),
        least => least,
    };
    let low = graph.binary(Operation::FloatLessOrEqual, least, number);
    let high = graph.binary(Operation::FloatLess, number, most);
    graph.both(low, high)
}

/// As 64 bits without a sign: what LLVM does with the two conversions to signed numbers that x86 has.
fn to_unsigned(graph: &mut NodeGraph, node: u32) -> u32 {
    let width = graph.width(node);
    let half = graph.constant(64, 1 << 63);
    let half = graph.float_unary(Operation::FloatFromUnsigned, half, width, 0);
    let rest = graph.binary(Operation::FloatSubtract, node, half);
    let small = graph.float_unary(Operation::FloatToSigned, node, 64, 0);
    let big = graph.float_unary(Operation::FloatToSigned, rest, 64, 0);
    let negative = graph.extract(small, 63, 1);
    let mask = graph.extend(Operation::SignExtend, negative, 64);
    let big = graph.binary(Operation::And, big, mask);
    graph.binary(Operation::Or, small, big)
}

/// Which classes `llvm.is.fpclass` asks for that the model knows, as its mask.
mod class {
    pub const NAN: u32 = 0x003;
    pub const INFINITE: u32 = 0x204;
    pub const NORMAL: u32 = 0x108;
    pub const FINITE: u32 = 0x1F8;
    pub const ALL: u32 = 0x3FF;
}

/// Whether a number is of a class, by the mask of `llvm.is.fpclass`. `kind` is the mask, with the width from bit 16 on.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_float_class(kind: u32, node: u32, result: u64) -> u32 {
    let Some(mut engine) = enter_float(&[node]) else {
        return 0;
    };
    let (mask, width) = (kind & class::ALL, kind >> 16);
    match is_of_class(&mut engine.graph, mask, node, width) {
        Some(answer) => engine.float_result(answer, result, &[node]),
        None => engine.drop_float(b"a class of floating point numbers", &[node]),
    }
}

fn is_of_class(graph: &mut NodeGraph, mask: u32, node: u32, width: u32) -> Option<u32> {
    let (infinity, least) = match width {
        32 => (
            f32::INFINITY.to_bits().into(),
            f32::MIN_POSITIVE.to_bits().into(),
        ),
        _ => (f64::INFINITY.to_bits(), f64::MIN_POSITIVE.to_bits()),
    };
    let infinity = graph.constant(width, infinity);
    let size = graph.float_absolute(node);
    match mask {
        class::NAN => Some(graph.float_is_nan(node)),
        class::INFINITE => Some(graph.binary(Operation::FloatEqual, size, infinity)),
        class::FINITE => Some(graph.binary(Operation::FloatLess, size, infinity)),
        class::NORMAL => {
            let least = graph.constant(width, least);
            let low = graph.binary(Operation::FloatLessOrEqual, least, size);
            let high = graph.binary(Operation::FloatLess, size, infinity);
            Some(graph.both(low, high))
        }
        _ => {
            let opposite = class::ALL & !mask;
            matches!(
                opposite,
                class::NAN | class::INFINITE | class::FINITE | class::NORMAL
            )
            .then(|| {
                let other = is_of_class(graph, opposite, node, width).unwrap_or(0);
                graph.not(other)
            })
        }
    }
}
