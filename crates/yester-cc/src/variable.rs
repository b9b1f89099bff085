//! Global variables, and addresses of parts of variables. `ir.rs` says what keeps the calls of LLVM sound.

use llvm_sys::LLVMThreadLocalMode;
use llvm_sys::core::*;

use crate::ir::{Linkage, Opcode, Value};

impl Value {
    /// Of a global variable: whether its memory is there, the same for all threads, and may change.
    pub fn is_plain_variable(self) -> bool {
        let global = self.of_class(self.is_global());
        // SAFETY: the value is a global variable.
        unsafe {
            LLVMIsThreadLocal(global) == 0
                && LLVMIsGlobalConstant(global) == 0
                && LLVMGetLinkage(global) != Linkage::LLVMExternalWeakLinkage
        }
    }

    /// Of a global variable: whether it never changes.
    pub fn is_constant_variable(self) -> bool {
        let global = self.of_class(self.is_global());
        // SAFETY: the value is a global variable.
        unsafe { LLVMIsGlobalConstant(global) != 0 }
    }

    /// Of a global variable or function: who sees it.
    pub fn linkage(self) -> Linkage {
        let global = self.of_class(self.is_global_value());
        // SAFETY: the value is a global one.
        unsafe { LLVMGetLinkage(global) }
    }

    /// Of a global variable or function: decides who sees it.
    pub fn set_linkage(self, linkage: Linkage) {
        let global = self.of_class(self.is_global_value());
        // SAFETY: the value is a global one.
        unsafe { LLVMSetLinkage(global, linkage) }
    }

    /// Of a thread's variable: it is in the program itself, so that code of the program finds it without asking.
    pub fn reach_directly(self) {
        let global = self.of_class(self.is_thread_local());
        // SAFETY: the value is a global variable.
        unsafe { LLVMSetThreadLocalMode(global, LLVMThreadLocalMode::LLVMLocalExecTLSModel) }
    }

    /// Of an instruction: whether it ends its block.
    pub fn is_terminator(self) -> bool {
        // SAFETY: LLVM answers for any live value.
        unsafe { !LLVMIsATerminatorInst(self.0).is_null() }
    }

    /// Whether it is a constant that steps from the address of something to a part of it.
    pub fn is_address_expression(self) -> bool {
        // SAFETY: only a constant expression is asked for its opcode.
        unsafe {
            !LLVMIsAConstantExpr(self.0).is_null()
                && LLVMGetConstOpcode(self.0) == Opcode::LLVMGetElementPtr
        }
    }

    /// What an address was stepped from, if it is a GEP.
    pub fn stepped_from(self) -> Option<Value> {
        let is_step = if self.is_instruction() {
            self.opcode() == Opcode::LLVMGetElementPtr
        } else {
            self.is_address_expression()
        };
        is_step.then(|| self.operand(0))
    }
}
