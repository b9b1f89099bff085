//! Jumps, and local variables. `ir.rs` says what keeps the calls of LLVM sound.

use inkwell::llvm_sys::LLVMIntPredicate;
use inkwell::llvm_sys::core::*;

use super::{Emitter, UNNAMED};
use crate::ir::{BlockRef, Value};

impl Emitter<'_> {
    /// Ends a block with a jump.
    pub fn jump(&self, to: BlockRef) {
        // SAFETY: the block is one of the function that is emitted into.
        unsafe { LLVMBuildBr(self.builder, to.0) };
    }

    /// Ends a block with a jump that depends on a number, and hardly ever finds anything but zero.
    pub fn jump_if_zero(&self, number: Value, zero: BlockRef, other: BlockRef) {
        // SAFETY: the number is compared with one of its own type, and both blocks are of the function that is emitted into.
        unsafe {
            let nothing = LLVMConstNull(number.type_of().0);
            let is_zero = LLVMBuildICmp(
                self.builder,
                LLVMIntPredicate::LLVMIntEQ,
                number.0,
                nothing,
                UNNAMED,
            );
            LLVMBuildCondBr(self.builder, is_zero, zero.0, other.0);
        }
    }

    /// Ends a block with a jump that a word decides, and that hardly ever goes anywhere but on.
    pub fn jump_by(&self, word: Value, on: BlockRef, targets: &[(u64, BlockRef)]) {
        // SAFETY: the cases are constants of the word's type, and all blocks are of the function that is emitted into.
        unsafe {
            let jump = LLVMBuildSwitch(self.builder, word.0, on.0, targets.len() as u32);
            for (number, block) in targets {
                LLVMAddCase(jump, self.number(*number).0, block.0);
            }
        }
    }

    /// Ends a block, and the call of its function.
    pub fn leave_function(&self, value: Option<Value>) {
        // SAFETY: callers give a value of the type that the function returns, or none if it returns nothing.
        unsafe {
            match value {
                Some(value) => LLVMBuildRet(self.builder, value.0),
                None => LLVMBuildRetVoid(self.builder),
            };
        }
    }

    /// The value of a local variable.
    pub fn read(&self, variable: Value) -> Value {
        let kind = variable.allocated();
        // SAFETY: the variable is an alloca, and has a value of that type.
        unsafe { Value(LLVMBuildLoad2(self.builder, kind.0, variable.0, UNNAMED)) }
    }

    /// Assigns a value of its type to a local variable.
    pub fn assign(&self, variable: Value, value: Value) {
        assert_eq!(variable.allocated(), value.type_of(), "a value of its type");
        // SAFETY: the variable is an alloca, and the value has its type.
        unsafe { LLVMBuildStore(self.builder, value.0, variable.0) };
    }
}
