//! The functions that instrumented code calls if a value in a straight piece of code depends on the input. All instructions of
//! the piece call theirs, so nodes may be 0 here. Values are zero-extended to 64 bits.

use super::call;
use super::engine::enter;
use super::memory;
use super::object::Object;
use super::value;
use crate::format::Operation;
use core::ffi::{CStr, c_char};

/// A binary operation on values of one width. `kind` is the operation, with the width from bit 8 on.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_binary(
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
    let node = engine
        .graph
        .binary(value::operation(kind as u8), left, right);
    engine.result(node, result)
}

/// A comparison. `kind` is LLVM's predicate, with the width from bit 8 on.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_compare(
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
    let graph = &mut engine.graph;
    let node = match kind as u8 {
        32 => graph.binary(Operation::Equal, left, right),
        33 => {
            let equal = graph.binary(Operation::Equal, left, right);
            graph.not(equal)
        }
        34 => graph.binary(Operation::LessUnsigned, right, left),
        35 => graph.binary(Operation::LessOrEqualUnsigned, right, left),
        36 => graph.binary(Operation::LessUnsigned, left, right),
        37 => graph.binary(Operation::LessOrEqualUnsigned, left, right),
        38 => graph.binary(Operation::LessSigned, right, left),
        39 => graph.binary(Operation::LessOrEqualSigned, right, left),
        40 => graph.binary(Operation::LessSigned, left, right),
        41 => graph.binary(Operation::LessOrEqualSigned, left, right),
        _ => 0,
    };
    engine.result(node, result)
}

/// A cast to `width` bits. Kinds: 0 truncation, 1 zero extension, 2 sign extension.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_cast(kind: u32, node: u32, width: u32, result: u64) -> u32 {
    if node == 0 {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let node = engine.resolved(node);
    let graph = &mut engine.graph;
    let cast = match kind {
        0 => graph.extract(node, 0, width),
        1 => graph.extend(Operation::ZeroExtend, node, width),
        _ => graph.extend(Operation::SignExtend, node, width),
    };
    engine.result(cast, result)
}

/// One of two values of `width` bits. `plain` is the node of the one that was chosen, for a condition that does not depend on the
/// input.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn __yester_select(
    condition: u32,
    first_node: u32,
    first: u64,
    second_node: u32,
    second: u64,
    width: u32,
    result: u64,
    plain: u32,
) -> u32 {
    if condition == 0 {
        return plain;
    }
    let Some(mut engine) = enter() else { return 0 };
    let first = engine.operand(first_node, width, first);
    let second = engine.operand(second_node, width, second);
    let node = engine.graph.choose(condition, first, second);
    engine.result(node, result)
}

/// An address: `base + index * scale`, where `index` was extended from `width` bits with its sign.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_element(
    base_node: u32,
    base: u64,
    index_node: u32,
    index: u64,
    width: u32,
    scale: u64,
) -> u32 {
    if base_node | index_node == 0 {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let base_operand = engine.operand(base_node, 64, base);
    let index_operand = engine.operand(index_node, width, index);
    let graph = &mut engine.graph;
    let index_operand = if width > 64 {
        0
    } else {
        graph.extend(Operation::SignExtend, index_operand, 64)
    };
    let scale_operand = graph.constant(64, scale);
    let offset = graph.binary(Operation::Multiply, index_operand, scale_operand);
    let node = graph.binary(Operation::Add, base_operand, offset);
    let signed = value::signed(index, width) as u64;
    engine.result(node, base.wrapping_add(signed.wrapping_mul(scale)))
}

/// A load of `size` bytes. If the compiler knew the object around `address`, it has `object_size` bytes and starts at `object`.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_load(
    address: u64,
    size: u64,
    concrete: u64,
    pointer: u32,
    object: u64,
    object_size: u64,
) -> u32 {
    if pointer == 0 && !super::shadow::may_have(address) {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let pointer = engine.undecided(pointer);
    if pointer == 0 {
        return engine.load_plain(address, size, concrete);
    }
    let known = (object_size != 0).then_some(Object {
        start: object,
        size: object_size,
    });
    let node = engine.load_at(address, size, concrete, pointer, known);
    engine.result(node, concrete)
}

/// A store of `size` bytes. The node may be narrower than that.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_store(address: u64, size: u64, node: u32, pointer: u32) {
    if node | pointer == 0 && !super::shadow::may_have(address) {
        return;
    }
    let Some(mut engine) = enter() else { return };
    let (node, pointer) = (engine.undecided(node), engine.undecided(pointer));
    if pointer != 0 {
        engine.lose(&[
            b"memory written at an address that depends on the input, address concretised",
        ]);
        engine.concretise(pointer);
    }
    let node = if node == 0 {
        0
    } else {
        engine
            .graph
            .extend(Operation::ZeroExtend, node, 8 * size as u32)
    };
    engine.shadow.store(address, size, node);
}

/// A branch by a condition that depends on the input. Called before the event of the branch is written.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_branch(condition: u32, taken: u32) {
    if condition == 0 {
        return;
    }
    if let Some(mut engine) = enter() {
        engine.branch(condition, taken != 0);
    }
}

/// A switch over a value that depends on the input.
///
/// # Safety
/// There are `count` values at `cases`.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_switch(node: u32, concrete: u64, cases: *const u64, count: u64) {
    if node == 0 {
        return;
    }
    let Some(mut engine) = enter() else { return };
    let node = engine.undecided(node);
    let mut other = engine.graph.truth(true);
    for index in 0..count as usize {
        // SAFETY: what the caller promises.
        let case = unsafe { *cases.add(index) };
        let equal = engine.graph.is(node, case);
        if case == concrete {
            return engine.branch(equal, true);
        }
        let different = engine.graph.not(equal);
        other = engine.graph.both(other, different);
    }
    engine.branch(other, true);
}

/// Bytes were copied, whether the ranges overlap or not.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_copy(to: u64, from: u64, size: u64) {
    if !super::is_active()
        || !(super::shadow::range_may_have(to, size) || super::shadow::range_may_have(from, size))
    {
        return;
    }
    if let Some(mut engine) = enter() {
        engine.shadow.copy(to, from, size);
    }
}

/// Bytes were set to the lowest byte of a value with the node `node`.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_fill(to: u64, node: u32, size: u64) {
    if !super::is_active() || (node == 0 && !super::shadow::range_may_have(to, size)) {
        return;
    }
    let Some(mut engine) = enter() else { return };
    let byte = match node {
        0 => 0,
        node => engine.graph.extract(node, 0, 8),
    };
    if byte == 0 || engine.graph.is_constant(byte) {
        return engine.shadow.clear(to, size);
    }
    for index in 0..size {
        engine.shadow.store(to + index, 1, byte);
    }
}

/// A value is used in a way that is not modelled: fixes it to what it was.
///
/// # Safety
/// `what` is a C string.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_concretise(node: u32, what: *const c_char) {
    if node == 0 {
        return;
    }
    let Some(mut engine) = enter() else { return };
    // SAFETY: what the caller promises.
    engine.lose(&[unsafe { CStr::from_ptr(what) }.to_bytes()]);
    engine.concretise(node);
}

/// Memory is read in a way that is not modelled: fixes its bytes to what they were.
///
/// # Safety
/// `what` is a C string.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_concretise_memory(address: u64, size: u64, what: *const c_char) {
    if !super::shadow::may_have(address) {
        return;
    }
    let Some(mut engine) = enter() else { return };
    if !engine.shadow.any(address, size) {
        return;
    }
    // SAFETY: what the caller promises.
    engine.lose(&[unsafe { CStr::from_ptr(what) }.to_bytes()]);
    for place in address..address + size {
        let node = engine.load_plain(place, 1, u64::from(memory::byte(place)));
        engine.concretise(node);
    }
}

/// The node of a parameter, if the caller passed nodes to this function.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_parameter(meant: u32, index: u32, concrete: u64, width: u32) -> u32 {
    if meant == 0 {
        return 0;
    }
    let Some(mut engine) = enter() else { return 0 };
    let node = call::current().parameters[index as usize];
    engine.checked(node, concrete, width)
}

/// A parameter that the caller passed by copying memory.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_parameter_copy(meant: u32, index: u32, place: u64, size: u64) {
    let Some(mut engine) = enter() else { return };
    let call = call::current();
    let original = call.originals[index as usize];
    if meant != 0 && original != 0 {
        engine.shadow.copy(place, original, size);
    } else {
        engine.shadow.clear(place, size);
    }
    call.originals[index as usize] = 0;
}

/// All parameters were taken.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_taken(meant: u32) {
    if meant != 0 {
        call::current().callee = 0;
    }
}

/// The node of a part of the result of a call to `callee`.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_result(index: u32, callee: u64, concrete: u64, width: u32) -> u32 {
    let Some(mut engine) = enter() else { return 0 };
    let call = call::current();
    if call.returned != callee {
        return 0;
    }
    let node = core::mem::take(&mut call.results[index as usize]);
    engine.checked(node, concrete, width)
}

/// The global variables of a module: pairs of start and size.
///
/// # Safety
/// There are `count` pairs at `objects`.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_objects(objects: *const [u64; 2], count: u64) {
    super::object::register(objects, count as usize);
}
