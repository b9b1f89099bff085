//! Which instructions are operators that a programmer has written.

use yester_pathrt::protocol::Sign;

use crate::ir::{Opcode, TypeKind, Value};

/// An operator, and the form of its operands.
pub struct Operator {
    /// What it does.
    pub sign: Sign,
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
        Opcode::LLVMAdd | Opcode::LLVMFAdd => (Sign::Add, false),
        Opcode::LLVMSub | Opcode::LLVMFSub => (Sign::Subtract, false),
        Opcode::LLVMMul | Opcode::LLVMFMul => (Sign::Multiply, false),
        Opcode::LLVMSDiv | Opcode::LLVMFDiv => (Sign::Divide, false),
        Opcode::LLVMUDiv => (Sign::Divide, true),
        Opcode::LLVMSRem => (Sign::Remainder, false),
        Opcode::LLVMURem => (Sign::Remainder, true),
        Opcode::LLVMAnd => (Sign::And, false),
        Opcode::LLVMOr => (Sign::Or, false),
        Opcode::LLVMXor => (Sign::Exclusive, false),
        Opcode::LLVMShl => (Sign::ShiftLeft, false),
        Opcode::LLVMAShr => (Sign::ShiftRight, false),
        Opcode::LLVMLShr => (Sign::ShiftRight, true),
        _ => return None,
    };
    let name = instruction.name();
    if !WRITTEN.iter().any(|start| name.starts_with(start)) {
        return None;
    }
    let kind = instruction.operand(0).type_of();
    let form = match kind.kind() {
        TypeKind::LLVMIntegerTypeKind if (2..=64).contains(&kind.bits()) => {
            if is_unsigned {
                format!("u{}", kind.bits())
            } else {
                format!("i{}", kind.bits())
            }
        }
        TypeKind::LLVMFloatTypeKind => "f32".to_owned(),
        TypeKind::LLVMDoubleTypeKind => "f64".to_owned(),
        TypeKind::LLVMPointerTypeKind => "p".to_owned(),
        _ => return None,
    };
    Some(Operator { sign, form })
}

/// By the numbers that LLVM has for predicates.
fn comparison(predicate: u32) -> Option<(Sign, bool)> {
    Some(match predicate {
        32 => (Sign::Equal, false),
        33 => (Sign::NotEqual, false),
        34 => (Sign::Greater, true),
        35 => (Sign::GreaterOrEqual, true),
        36 => (Sign::Less, true),
        37 => (Sign::LessOrEqual, true),
        38 => (Sign::Greater, false),
        39 => (Sign::GreaterOrEqual, false),
        40 => (Sign::Less, false),
        41 => (Sign::LessOrEqual, false),
        _ => return None,
    })
}

fn float_comparison(predicate: u32) -> Option<Sign> {
    Some(match predicate {
        1 => Sign::Equal,
        2 => Sign::Greater,
        3 => Sign::GreaterOrEqual,
        4 => Sign::Less,
        5 => Sign::LessOrEqual,
        14 => Sign::NotEqual,
        _ => return None,
    })
}
