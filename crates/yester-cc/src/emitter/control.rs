//! Jumps, and local variables. `ir.rs` says what keeps the calls of LLVM sound.

use llvm_sys::core::*;

use super::Emitter;
use crate::ir::{BlockRef, IntegerPredicate, Value};

impl Emitter<'_> {
    /// Ends a block with a jump.
    pub fn jump(&self, to: BlockRef) {
        // SAFETY: the block is one of the function that is emitted into.
        unsafe { LLVMBuildBr(self.builder, to.0) };
    }

    /// Ends a block with a jump that depends on a number, and hardly ever finds anything but zero.
    pub fn jump_if_zero(&self, number: Value, zero: BlockRef, other: BlockRef) {
        let nothing = number.type_of().zero();
        let is_zero = self.compare(IntegerPredicate::LLVMIntEQ, number, nothing);
        self.jump_if(is_zero, zero, other);
    }

    /// Ends a block with a jump that depends on a condition.
    pub fn jump_if(&self, condition: Value, yes: BlockRef, no: BlockRef) -> Value {
        assert!(condition.type_of().is_integer(1), "a condition");
        // SAFETY: the condition has one bit, and both blocks are of the function that is emitted into.
        unsafe { Value(LLVMBuildCondBr(self.builder, condition.0, yes.0, no.0)) }
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
        self.load(variable.allocated(), variable)
    }

    /// Assigns a value of its type to a local variable.
    pub fn assign(&self, variable: Value, value: Value) {
        assert_eq!(variable.allocated(), value.type_of(), "a value of its type");
        // SAFETY: the variable is an alloca, and the value has its type.
        unsafe { LLVMBuildStore(self.builder, value.0, variable.0) };
    }
}
