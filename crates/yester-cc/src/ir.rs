//! Values and instructions without their kinds: the symbolic part treats all of them alike. Every
//! function here is sound for values of a module that is alive, and only `maker.rs` makes them.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
pub use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode as Opcode, LLVMTypeKind as Kind};
use inkwell::values::{AsValueRef, FunctionValue};

/// Any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub(crate) LLVMValueRef);

/// Any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type(pub(crate) LLVMTypeRef);

impl<'ctx> From<FunctionValue<'ctx>> for Value {
    fn from(function: FunctionValue<'ctx>) -> Value {
        Value(function.as_value_ref())
    }
}

pub(crate) fn some(value: LLVMValueRef) -> Option<Value> {
    (!value.is_null()).then_some(Value(value))
}

impl Value {
    /// Its type.
    pub fn kind(self) -> Type {
        unsafe { Type(LLVMTypeOf(self.0)) }
    }

    /// Of an instruction.
    pub fn opcode(self) -> Opcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Whether it is one.
    pub fn is_instruction(self) -> bool {
        unsafe { !LLVMIsAInstruction(self.0).is_null() }
    }

    /// Of an instruction.
    pub fn operand(self, index: u32) -> Value {
        unsafe { Value(LLVMGetOperand(self.0, index)) }
    }

    /// Of an instruction; blocks count too.
    pub fn operands(self) -> Vec<Value> {
        unsafe {
            (0..LLVMGetNumOperands(self.0).max(0) as u32)
                .filter_map(|index| some(LLVMGetOperand(self.0, index)))
                .filter(|operand| LLVMIsABasicBlock(operand.0).is_null())
                .collect()
        }
    }

    /// Whether nothing computes it.
    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// Whether anything uses it.
    pub fn is_used(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    /// The instruction behind this one.
    pub fn next(self) -> Option<Value> {
        unsafe { some(LLVMGetNextInstruction(self.0)) }
    }

    /// Of a comparison, as LLVM numbers it.
    pub fn predicate(self) -> u64 {
        unsafe { LLVMGetICmpPredicate(self.0) as u64 }
    }

    /// The blocks a value of a phi comes from, with the values.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|index| {
                    (
                        Value(LLVMGetIncomingValue(self.0, index)),
                        Block(LLVMGetIncomingBlock(self.0, index)),
                    )
                })
                .collect()
        }
    }

    /// Gives a phi a value.
    pub fn add_incoming(self, value: Value, block: Block) {
        unsafe { LLVMAddIncoming(self.0, &mut { value.0 }, &mut { block.0 }, 1) }
    }

    /// The arguments of a call.
    pub fn arguments(self) -> Vec<Value> {
        unsafe {
            (0..LLVMGetNumArgOperands(self.0))
                .map(|index| Value(LLVMGetOperand(self.0, index)))
                .collect()
        }
    }

    /// What a call calls.
    pub fn callee(self) -> Value {
        unsafe { Value(LLVMGetCalledValue(self.0)) }
    }

    /// The type of what a call calls.
    pub fn callee_type(self) -> Type {
        unsafe { Type(LLVMGetCalledFunctionType(self.0)) }
    }

    /// Whether it is code of an assembler.
    pub fn is_assembler(self) -> bool {
        unsafe { !LLVMIsAInlineAsm(self.0).is_null() }
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        unsafe { !LLVMIsAFunction(self.0).is_null() }
    }

    /// Whether it is a variable of the module.
    pub fn is_global(self) -> bool {
        unsafe { !LLVMIsAGlobalVariable(self.0).is_null() }
    }

    /// Whether it is a parameter.
    pub fn is_parameter(self) -> bool {
        unsafe { !LLVMIsAArgument(self.0).is_null() }
    }

    /// Of a function or variable: whether it is only declared here.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Of a variable: whether each thread has its own.
    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Of a function: whether LLVM knows it.
    pub fn is_intrinsic(self) -> bool {
        unsafe { LLVMGetIntrinsicID(self.0) != 0 }
    }

    /// Of a function: whether it has a body here that is only there to be inlined, and is nowhere else.
    pub fn is_inline_only(self) -> bool {
        unsafe {
            let name = b"alwaysinline";
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMGetLinkage(self.0) == inkwell::llvm_sys::LLVMLinkage::LLVMAvailableExternallyLinkage
                && !LLVMGetEnumAttributeAtIndex(
                    self.0,
                    inkwell::llvm_sys::LLVMAttributeFunctionIndex,
                    kind,
                )
                .is_null()
        }
    }

    /// The type of a variable or function.
    pub fn value_type(self) -> Type {
        unsafe { Type(LLVMGlobalGetValueType(self.0)) }
    }

    /// Its name.
    pub fn name(self) -> String {
        unsafe {
            let mut length = 0;
            let text = LLVMGetValueName2(self.0, &mut length);
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
            String::from_utf8_lossy(bytes).into_owned()
        }
    }

    /// What an alloca makes room for.
    pub fn allocated(self) -> Type {
        unsafe { Type(LLVMGetAllocatedType(self.0)) }
    }

    /// The value of a constant integer.
    pub fn integer(self) -> Option<u64> {
        unsafe {
            (!LLVMIsAConstantInt(self.0).is_null() && self.kind().bits() <= 64)
                .then(|| LLVMConstIntGetZExtValue(self.0))
        }
    }

    /// What a GEP goes through.
    pub fn element_source(self) -> Type {
        unsafe { Type(LLVMGetGEPSourceElementType(self.0)) }
    }

    /// The positions an extractvalue or insertvalue is about.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.0);
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count as usize).to_vec()
        }
    }

    /// The position of a lane that a shufflevector takes.
    pub fn mask(self) -> Vec<i32> {
        unsafe {
            (0..LLVMGetNumMaskElements(self.0))
                .map(|index| LLVMGetMaskValue(self.0, index))
                .collect()
        }
    }

    /// Takes an instruction away that nothing uses.
    pub fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Uses another value in its place, everywhere.
    pub fn replace_with(self, other: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// The type that a parameter (of a call or function) is passed as a copy of.
    pub fn copied(self, parameter: u32) -> Option<Type> {
        unsafe {
            let name = b"byval";
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = if self.is_function() {
                LLVMGetEnumAttributeAtIndex(self.0, parameter + 1, kind)
            } else {
                LLVMGetCallSiteEnumAttribute(self.0, parameter + 1, kind)
            };
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Of a call: whether nothing may stand between it and the return behind it.
    pub fn is_must_tail(self) -> bool {
        unsafe {
            !LLVMIsACallInst(self.0).is_null()
                && LLVMGetTailCallKind(self.0)
                    == inkwell::llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail
        }
    }

    /// The block that an invoke goes on in.
    pub fn normal_destination(self) -> Block {
        unsafe { Block(LLVMGetNormalDest(self.0)) }
    }

    /// The parameters of a function.
    pub fn parameters(self) -> Vec<Value> {
        unsafe {
            (0..LLVMCountParams(self.0))
                .map(|index| Value(LLVMGetParam(self.0, index)))
                .collect()
        }
    }

    /// The blocks of a function that can be reached, each after those that dominate it.
    pub fn blocks(self) -> Vec<Block> {
        unsafe {
            let mut order = Vec::new();
            let mut seen = std::collections::HashSet::new();
            let entry = LLVMGetEntryBasicBlock(self.0);
            let mut stack = vec![(entry, 0)];
            seen.insert(entry);
            while let Some((block, next)) = stack.pop() {
                let terminator = LLVMGetBasicBlockTerminator(block);
                if next < LLVMGetNumSuccessors(terminator) {
                    stack.push((block, next + 1));
                    let successor = LLVMGetSuccessor(terminator, next);
                    if seen.insert(successor) {
                        stack.push((successor, 0));
                    }
                } else {
                    order.push(Block(block));
                }
            }
            order.reverse();
            order
        }
    }
}

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block(inkwell::llvm_sys::prelude::LLVMBasicBlockRef);

impl Block {
    /// All of it.
    pub fn instructions(self) -> Vec<Value> {
        unsafe {
            let mut instructions = Vec::new();
            let mut next = LLVMGetFirstInstruction(self.0);
            while let Some(instruction) = some(next) {
                instructions.push(instruction);
                next = LLVMGetNextInstruction(next);
            }
            instructions
        }
    }

    /// How many ways lead here.
    pub fn is_entered_once(self) -> bool {
        unsafe {
            let mut count = 0;
            let mut usage = LLVMGetFirstUse(LLVMBasicBlockAsValue(self.0));
            while !usage.is_null() {
                count += usize::from(!LLVMIsATerminatorInst(LLVMGetUser(usage)).is_null());
                usage = LLVMGetNextUse(usage);
            }
            count == 1
        }
    }

    /// Where new instructions can stand first.
    pub fn first_place(self) -> Option<Value> {
        self.instructions().into_iter().find(|instruction| {
            !matches!(
                instruction.opcode(),
                Opcode::LLVMPHI | Opcode::LLVMLandingPad | Opcode::LLVMAlloca
            )
        })
    }
}

impl Type {
    /// What sort of type.
    pub fn sort(self) -> Kind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Of an integer, how many bits.
    pub fn bits(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Of a structure, array or vector: its parts. None if there are too many.
    pub fn parts(self, most: usize) -> Option<Vec<Type>> {
        unsafe {
            match self.sort() {
                Kind::LLVMStructTypeKind => {
                    let count = LLVMCountStructElementTypes(self.0);
                    (count as usize <= most).then(|| {
                        (0..count)
                            .map(|index| Type(LLVMStructGetTypeAtIndex(self.0, index)))
                            .collect()
                    })
                }
                Kind::LLVMArrayTypeKind => {
                    let count = LLVMGetArrayLength2(self.0);
                    (count <= most as u64)
                        .then(|| vec![Type(LLVMGetElementType(self.0)); count as usize])
                }
                Kind::LLVMVectorTypeKind => {
                    let count = LLVMGetVectorSize(self.0) as usize;
                    (count <= most).then(|| vec![Type(LLVMGetElementType(self.0)); count])
                }
                _ => None,
            }
        }
    }

    /// Of an array or vector.
    pub fn element(self) -> Type {
        unsafe { Type(LLVMGetElementType(self.0)) }
    }

    /// Of a function: what it gives.
    pub fn returned(self) -> Type {
        unsafe { Type(LLVMGetReturnType(self.0)) }
    }

    /// Of a function: whether it takes any number of arguments.
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// Of a function: its parameters.
    pub fn parameters(self) -> Vec<Type> {
        unsafe {
            let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, types.as_mut_ptr());
            types.into_iter().map(Type).collect()
        }
    }

    /// Whether it has a size.
    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }
}
