//! Which instructions are operators that a programmer has written.

use crate::ir::{Opcode, TypeKind, Value};

/// An operator, and the form of its operands.
pub struct Operator {
    /// As it is written.
    pub sign: &'static str,
    /// `i32`, `u32`, `f64`, `p`.
    pub form: String,
}

/// How clang names the results of operators. It computes other things with the same instructions, under other names.
const WRITTEN: [&str; 13] = [
    "cmp", "add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr", "inc", "dec",
];

/// The operator that an instruction is, if the programmer wrote it.
pub fn operator(instruction: Value) -> Option<Operator> {
    let (sign, is_unsigned) = match instruction.opcode() {
        Opcode::LLVMICmp => comparison(instruction.predicate())?,
        Opcode::LLVMFCmp => (float_comparison(instruction.float_predicate())?, false),
        Opcode::LLVMAdd | Opcode::LLVMFAdd => ("+", false),
        Opcode::LLVMSub | Opcode::LLVMFSub => ("-", false),
        Opcode::LLVMMul | Opcode::LLVMFMul => ("*", false),
        Opcode::LLVMSDiv | Opcode::LLVMFDiv => ("/", false),
        Opcode::LLVMUDiv => ("/", true),
        Opcode::LLVMSRem => ("%", false),
        Opcode::LLVMURem => ("%", true),
        Opcode::LLVMAnd => ("&", false),
        Opcode::LLVMOr => ("|", false),
        Opcode::LLVMXor => ("^", false),
        Opcode::LLVMShl => ("<<", false),
        Opcode::LLVMAShr => (">>", false),
        Opcode::LLVMLShr => (">>", true),
        _ => return None,
    };
    let name = instruction.name();
    if !WRITTEN.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    let kind = instruction.operand(0).type_of();
    let form = match kind.kind() {
        TypeKind::LLVMIntegerTypeKind if (2..=64).contains(&kind.bits()) => match is_unsigned {
            true => format!("u{}", kind.bits()),
            false => format!("i{}", kind.bits()),
        },
        TypeKind::LLVMFloatTypeKind => "f32".to_owned(),
        TypeKind::LLVMDoubleTypeKind => "f64".to_owned(),
        TypeKind::LLVMPointerTypeKind => "p".to_owned(),
        _ => return None,
    };
    Some(Operator { sign, form })
}

/// By the numbers that LLVM has for predicates.
fn comparison(predicate: u32) -> Option<(&'static str, bool)> {
    Some(match predicate {
        32 => ("==", false),
        33 => ("!=", false),
        34 => (">", true),
        35 => (">=", true),
        36 => ("<", true),
        37 => ("<=", true),
        38 => (">", false),
        39 => (">=", false),
        40 => ("<", false),
        41 => ("<=", false),
        _ => return None,
    })
}

fn float_comparison(predicate: u32) -> Option<&'static str> {
    Some(match predicate {
        1 => "==",
        2 => ">",
        3 => ">=",
        4 => "<",
        5 => "<=",
        14 => "!=",
        _ => return None,
    })
}
