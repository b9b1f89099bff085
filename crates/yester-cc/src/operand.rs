//! Lets instructions use other values. `ir.rs` says what keeps the calls of LLVM sound.

use inkwell::llvm_sys::core::*;

use crate::ir::Value;

impl Value {
    /// Lets an instruction use another value of the same type.
    pub fn set_operand(self, index: u32, value: Value) {
        let instruction = self.of_class(self.is_instruction());
        assert_eq!(self.operand(index).type_of(), value.type_of());
        // SAFETY: `operand` has checked the index, and both values are alive.
        unsafe { LLVMSetOperand(instruction, index, value.0) }
    }

    /// How many operands an instruction or constant has, blocks included.
    pub fn count_operands(self) -> u32 {
        let user = self.of_class(self.is_user());
        // SAFETY: a user has operands.
        unsafe { LLVMGetNumOperands(user).max(0) as u32 }
    }

    /// Lets a call or invoke call something else, at an address that is known when it runs.
    pub fn set_callee(self, callee: Value) {
        let call = self.as_call();
        // What is called is the last operand.
        let index = self.count_operands() - 1;
        assert!(self.operand(index) == self.callee(), "the last operand");
        // SAFETY: the index is that of an operand, and both values are pointers.
        unsafe { LLVMSetOperand(call, index, callee.0) }
    }
}
