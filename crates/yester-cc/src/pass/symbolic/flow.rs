//! Which values of a function may depend on the input. Counters of loops, for example, never do: without this every phi would
//! have a shadow, and everything computed from it a hook.

use std::collections::HashSet;

use crate::ir::{BlockRef, Opcode, TypeKind, Value};

/// The values that may have a shadow: what is loaded, passed or returned, and everything that is computed from it.
#[must_use]
pub fn may_be_symbolic(function: Value, blocks: &[(BlockRef, Vec<Value>)]) -> HashSet<Value> {
    let mut found: HashSet<Value> = function.parameters().into_iter().collect();
    let mut pending: Vec<Value> = function.parameters();
    for instruction in blocks.iter().flat_map(|(_, instructions)| instructions) {
        if matches!(
            instruction.opcode(),
            Opcode::LLVMLoad | Opcode::LLVMCall | Opcode::LLVMInvoke
        ) && instruction.type_of().kind() != TypeKind::LLVMVoidTypeKind
        {
            found.insert(*instruction);
            pending.push(*instruction);
        }
    }
    while let Some(value) = pending.pop() {
        for user in value.users() {
            if user.is_instruction()
                && user.type_of().kind() != TypeKind::LLVMVoidTypeKind
                && user.opcode() != Opcode::LLVMAlloca
                && found.insert(user)
            {
                pending.push(user);
            }
        }
    }
    found
}
