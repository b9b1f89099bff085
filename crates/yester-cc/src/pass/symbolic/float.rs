//! Floating point: arithmetic, comparisons, conversions, and the functions of the C library that compute what an instruction could.

use yester_pathrt::format::{Operation, Rounding, float_kind};

use super::function::FunctionInstrumenter;
use super::instruction::WIDE_OR_FLOAT;
use crate::ir::{Opcode, TypeKind, Value};

/// A function of one or two numbers by its name, without the letter for `float` or LLVM's suffix: its kind, and how many numbers.
fn function(name: &str) -> Option<(u8, usize)> {
    let round = |rounding| (float_kind::ROUND + rounding as u8, 1);
    Some(match name {
        "fabs" => (float_kind::ABSOLUTE, 1),
        "sqrt" => (Operation::FloatSquareRoot as u8, 1),
        "floor" => round(Rounding::Down),
        "ceil" => round(Rounding::Up),
        "trunc" => round(Rounding::TowardZero),
        "round" => round(Rounding::NearestAway),
        "rint" | "nearbyint" | "roundeven" => round(Rounding::NearestEven),
        "fmin" | "minnum" => (float_kind::MINIMUM, 2),
        "fmax" | "maxnum" => (float_kind::MAXIMUM, 2),
        "copysign" => (float_kind::COPY_SIGN, 2),
        _ => return None,
    })
}

/// The functions of the library that are followed like instructions: they write nothing and call nothing.
const FOLLOWED: &[&str] = &[
    "fabs",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "round",
    "rint",
    "nearbyint",
];

/// Whether all numbers of a type are of 32 or 64 bits.
fn is_known(value: Value) -> bool {
    let kind = value.type_of();
    let scalar = match kind.kind() {
        TypeKind::LLVMVectorTypeKind => kind.element(),
        _ => kind,
    };
    matches!(
        scalar.kind(),
        TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind
    )
}

/// Whether a function is compiled for a processor that computes a product and a sum at once.
pub fn fuses(function: Value) -> bool {
    let features = function.text_attribute("target-features");
    features.is_some_and(|features| features.split(',').any(|feature| feature == "+fma"))
}

impl FunctionInstrumenter<'_> {
    /// Instruments an instruction on floating point numbers; false if it is another one.
    pub fn float(&mut self, instruction: Value) -> bool {
        let kind = match instruction.opcode() {
            Opcode::LLVMFAdd => Operation::FloatAdd as u8,
            Opcode::LLVMFSub => Operation::FloatSubtract as u8,
            Opcode::LLVMFMul => Operation::FloatMultiply as u8,
            Opcode::LLVMFDiv => Operation::FloatDivide as u8,
            Opcode::LLVMFNeg => float_kind::NEGATE,
            Opcode::LLVMFCmp => {
                let predicate = instruction.float_predicate();
                self.numbers("__yester_float_compare", predicate, instruction, 2);
                return true;
            }
            Opcode::LLVMSIToFP => {
                return self.converts(instruction, Operation::FloatFromSigned as u8);
            }
            Opcode::LLVMUIToFP => {
                return self.converts(instruction, Operation::FloatFromUnsigned as u8);
            }
            Opcode::LLVMFPToSI => {
                return self.converts(instruction, Operation::FloatToSigned as u8);
            }
            Opcode::LLVMFPToUI => return self.converts(instruction, float_kind::TO_UNSIGNED),
            Opcode::LLVMFPExt | Opcode::LLVMFPTrunc => {
                return self.converts(instruction, Operation::FloatConvert as u8);
            }
            _ => return false,
        };
        let count = if kind == float_kind::NEGATE { 1 } else { 2 };
        self.numbers("__yester_float", u32::from(kind), instruction, count);
        true
    }

    /// An operation on the first one or two operands.
    fn numbers(&mut self, hook: &'static str, kind: u32, instruction: Value, count: usize) {
        let left = instruction.operand(0);
        let right = instruction.operand(count as u32 - 1);
        if !is_known(left) {
            return self.lost_operands(instruction, WIDE_OR_FLOAT);
        }
        self.two(hook, kind, instruction, left, right);
    }

    fn converts(&mut self, instruction: Value, kind: u8) -> bool {
        let operand = instruction.operand(0);
        if !self.may_be_symbolic(operand) {
            return true;
        }
        let from = self.leaves(operand.type_of());
        let to = self.leaves(instruction.type_of());
        let mut leaves = from.iter().chain(&to);
        let is_number = is_known(operand) || is_known(instruction);
        if from.len() != to.len() || leaves.any(|leaf| leaf.width == 0) || !is_number {
            self.lost_operands(instruction, WIDE_OR_FLOAT);
            return true;
        }
        let is_folded = matches!(
            instruction.opcode(),
            Opcode::LLVMFPToSI | Opcode::LLVMFPToUI
        ) && operand.is_instruction()
            && matches!(operand.opcode(), Opcode::LLVMSIToFP | Opcode::LLVMUIToFP);
        let folded = if is_folded { float_kind::FOLDED } else { 0 };
        let nodes = self.shadow(operand);
        let mut shadow = Vec::with_capacity(to.len());
        for (leaf, node) in to.iter().zip(nodes) {
            let arguments = [
                self.emitter
                    .small(u32::from(kind) | leaf.width << 8 | folded),
                self.node(node),
                self.part(instruction, leaf),
            ];
            shadow.push(self.hook("__yester_float_cast", &arguments));
        }
        self.set(instruction, shadow);
        true
    }

    /// Instruments a call of a function of the library that computes with numbers; false if it is another one.
    pub fn float_call(&mut self, call: Value, name: &str) -> bool {
        let kind = call.type_of().kind();
        let plain = match kind {
            TypeKind::LLVMDoubleTypeKind => Some(name),
            TypeKind::LLVMFloatTypeKind => name.strip_suffix('f'),
            _ => None,
        };
        let Some((plain, (number, count))) =
            plain.and_then(|plain| Some((plain, function(plain)?)))
        else {
            return false;
        };
        let arguments = call.arguments();
        let is_as_expected = call.opcode() == Opcode::LLVMCall
            && call.callee().is_declaration()
            && FOLLOWED.contains(&plain)
            && arguments.len() == count
            && arguments
                .iter()
                .all(|argument| argument.type_of().kind() == kind);
        if is_as_expected {
            // A program may have a function of that name.
            self.flush(call);
            self.numbers("__yester_float", u32::from(number), call, count);
        }
        is_as_expected
    }

    /// Instruments an intrinsic function of LLVM that computes with numbers; false if it is another one.
    pub fn float_intrinsic(&mut self, call: Value, first: &str, rest: &str) -> bool {
        if first == "fmuladd" {
            self.multiply_add(call);
            return true;
        }
        if rest.starts_with("is.fpclass") {
            self.class(call);
            return true;
        }
        let Some((kind, count)) = function(first) else {
            return false;
        };
        self.numbers("__yester_float", u32::from(kind), call, count);
        true
    }

    /// LLVM may compute a product and a sum at once or one after the other, as the processor can.
    fn multiply_add(&mut self, call: Value) {
        let operands = [0, 1, 2].map(|index| call.operand(index));
        if !operands
            .iter()
            .any(|&operand| self.may_be_symbolic(operand))
        {
            return;
        }
        let leaves = self.leaves(call.type_of());
        if !is_known(call) || leaves.len() != 1 || self.fuses {
            return self.lost_operands(call, "a product and a sum that are rounded once");
        }
        let mut arguments = vec![self.emitter.small(leaves[0].width)];
        for operand in operands {
            let node = self.single(operand);
            arguments.push(self.node(node));
            arguments.push(self.word(operand));
        }
        arguments.push(self.word(call));
        let node = self.hook("__yester_multiply_add", &arguments);
        self.set(call, vec![node]);
    }

    /// Whether a number is infinite, for example.
    fn class(&mut self, call: Value) {
        let operand = call.operand(0);
        if !self.may_be_symbolic(operand) {
            return;
        }
        let leaves = self.leaves(operand.type_of());
        let mask = call.operand(1).integer();
        let (Some(mask), true, [leaf]) = (mask, is_known(operand), &leaves[..]) else {
            return self.lost_operands(call, WIDE_OR_FLOAT);
        };
        let node = self.single(operand);
        let arguments = [
            self.emitter.small(mask as u32 | leaf.width << 16),
            self.node(node),
            self.word(call),
        ];
        let node = self.hook("__yester_float_class", &arguments);
        self.set(call, vec![node]);
    }
}
