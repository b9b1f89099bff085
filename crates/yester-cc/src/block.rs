//! Basic blocks. `ir.rs` says what keeps the calls of LLVM sound.

use std::ffi::CStr;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::LLVMBasicBlockRef;

use crate::ir::{Opcode, Value, some};

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockRef(pub(crate) LLVMBasicBlockRef);

impl BlockRef {
    /// The instruction at its end.
    pub fn terminator(self) -> Option<Value> {
        // SAFETY: the block is alive; one that is being made may have no terminator.
        unsafe { some(LLVMGetBasicBlockTerminator(self.0)) }
    }

    /// The blocks that may follow, in order, with repetitions.
    pub fn successors(self) -> Vec<BlockRef> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// Adds a block behind this one.
    pub fn insert_after(self, name: &CStr) -> BlockRef {
        // SAFETY: the block is alive and in a function, and LLVM copies the name.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(self.0)));
            let next = LLVMGetNextBasicBlock(self.0);
            BlockRef(if next.is_null() {
                let function = LLVMGetBasicBlockParent(self.0);
                LLVMAppendBasicBlockInContext(context, function, name.as_ptr())
            } else {
                LLVMInsertBasicBlockInContext(context, next, name.as_ptr())
            })
        }
    }

    /// One of the blocks that may follow.
    pub fn successor(self, index: u32) -> Option<BlockRef> {
        // SAFETY: the block is alive. Its terminator is asked only for successors that it has.
        unsafe {
            let terminator = LLVMGetBasicBlockTerminator(self.0);
            (!terminator.is_null() && index < LLVMGetNumSuccessors(terminator))
                .then(|| BlockRef(LLVMGetSuccessor(terminator, index)))
        }
    }

    /// Its first instruction.
    pub fn first(self) -> Option<Value> {
        // SAFETY: the block is alive; an empty one has no first instruction.
        unsafe { some(LLVMGetFirstInstruction(self.0)) }
    }

    /// Moves the instructions before this one into a new block before this block.
    pub fn cut_before(self, instruction: Value) -> BlockRef {
        // SAFETY: the block is alive. Instructions are moved one by one, from the front of this block to the end of the other.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(self.0)));
            let piece = LLVMInsertBasicBlockInContext(context, self.0, c"".as_ptr());
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderAtEnd(builder, piece);
            while let Some(first) = self.first().filter(|first| *first != instruction) {
                let location = LLVMInstructionGetDebugLoc(first.0);
                LLVMInstructionRemoveFromParent(first.0);
                LLVMInsertIntoBuilder(builder, first.0);
                LLVMInstructionSetDebugLoc(first.0, location);
            }
            LLVMDisposeBuilder(builder);
            BlockRef(piece)
        }
    }

    /// Lets the terminator lead elsewhere, wherever `other` has a block instead.
    pub fn map_successors(self, other: impl Fn(BlockRef) -> Option<BlockRef>) {
        // SAFETY: the block is alive. Its terminator is asked only for successors that it has.
        unsafe {
            let terminator = LLVMGetBasicBlockTerminator(self.0);
            if terminator.is_null() {
                return;
            }
            for index in 0..LLVMGetNumSuccessors(terminator) {
                if let Some(instead) = other(BlockRef(LLVMGetSuccessor(terminator, index))) {
                    LLVMSetSuccessor(terminator, index, instead.0);
                }
            }
        }
    }

    /// Lets the terminator lead to one block where it led to another.
    pub fn set_all_successors(self, from: BlockRef, to: BlockRef) {
        self.map_successors(|successor| (successor == from).then_some(to));
    }

    /// Lets computed gotos to this block of a function jump to another one.
    pub fn move_address(self, function: Value, to: BlockRef) {
        // SAFETY: the blocks are alive and of this function. Replacing changes the list of uses only after it was read.
        unsafe {
            let block = Value(LLVMBasicBlockAsValue(self.0));
            let addresses: Vec<Value> = block
                .users()
                .filter(|user| !LLVMIsABlockAddress(user.0).is_null())
                .collect();
            for address in addresses {
                LLVMReplaceAllUsesWith(address.0, LLVMBlockAddress(function.0, to.0));
            }
        }
    }

    /// All of them, in order.
    pub fn instructions(self) -> Vec<Value> {
        // SAFETY: the block is alive, and so is its first instruction.
        let first = unsafe { some(LLVMGetFirstInstruction(self.0)) };
        std::iter::successors(first, |instruction| instruction.next()).collect()
    }

    /// Whether exactly one edge leads here.
    pub fn is_entered_once(self) -> bool {
        // SAFETY: the block is alive; this follows the list of its uses, whose users are alive too.
        unsafe {
            let mut edges = 0;
            let mut usage = LLVMGetFirstUse(LLVMBasicBlockAsValue(self.0));
            while !usage.is_null() {
                edges += usize::from(!LLVMIsATerminatorInst(LLVMGetUser(usage)).is_null());
                usage = LLVMGetNextUse(usage);
            }
            edges == 1
        }
    }

    /// The first instruction before which others may be inserted.
    pub fn first_place(self) -> Option<Value> {
        self.instructions().into_iter().find(|instruction| {
            !matches!(
                instruction.opcode(),
                Opcode::LLVMPHI | Opcode::LLVMLandingPad | Opcode::LLVMAlloca
            )
        })
    }
}
