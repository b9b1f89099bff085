//! LLVM values and types without a Rust type for each class.
//!
//! A [`Value`], [`Type`] or [`BlockRef`] is a pointer into a module. LLVM checks nothing, so three rules make the calls in
//! this file, in `block.rs`, `emitter.rs`, `emitter/control.rs`, `llvm.rs`, `metadata.rs`, `module.rs` and `variable.rs` sound:
//!
//! - **The module is alive**, and one thread uses it. `pass::instrument` has the module as long as it has values of it, and returns
//!   none. All these files are private to this crate.
//! - **The class is right.** A method for one class of values, such as calls, gets its pointer from [`Value::of_class`]
//!   or one of its kin, which panic if the value is of another class.
//! - **Nothing dangles.** Only [`Value::erase`], and what is called `remove` in `llvm.rs`, delete anything, and callers forget the value.

use std::collections::HashSet;
use std::ffi::CStr;

use llvm_sys::LLVMTailCallKind;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
pub use llvm_sys::{
    LLVMIntPredicate as IntegerPredicate, LLVMLinkage as Linkage, LLVMOpcode as Opcode,
    LLVMTypeKind as TypeKind,
};

pub use crate::block::BlockRef;

/// Any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub(crate) LLVMValueRef);

/// Any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type(pub(crate) LLVMTypeRef);

pub(crate) fn some(value: LLVMValueRef) -> Option<Value> {
    (!value.is_null()).then_some(Value(value))
}

/// Methods that ask whether a value is of a class, each by the function of LLVM that casts to it.
macro_rules! class_tests {
    ($($(#[$doc:meta])* $name:ident: $cast:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name(self) -> bool {
            // SAFETY: the value is alive; casts take any value and return null if it is of another class.
            unsafe { !$cast(self.0).is_null() }
        }
    )+};
}

impl Value {
    class_tests! {
        /// Whether it is an instruction.
        is_instruction: LLVMIsAInstruction;
        /// Whether it is inline assembler.
        is_assembler: LLVMIsAInlineAsm;
        /// Whether it is a function.
        is_function: LLVMIsAFunction;
        /// Whether it is a global variable.
        is_global: LLVMIsAGlobalVariable;
        /// Whether it is a parameter of a function.
        is_parameter: LLVMIsAArgument;
        /// Whether it has operands: instructions and constants do.
        is_user: LLVMIsAUser;
        /// Whether it is an alloca: the address of a local variable.
        is_alloca: LLVMIsAAllocaInst;
        /// Whether it is a function or a global variable.
        is_global_value: LLVMIsAGlobalValue;
        is_block: LLVMIsABasicBlock;
        is_constant_integer: LLVMIsAConstantInt;
        is_plain_call: LLVMIsACallInst;
        is_constant_expression: LLVMIsAConstantExpr;
        /// Whether it is the null pointer.
        is_null_pointer: LLVMIsAConstantPointerNull;
    }

    /// Whether it computes the address of an element or member: an instruction, or a constant.
    pub fn is_element(self) -> bool {
        if self.is_instruction() {
            return self.opcode() == Opcode::LLVMGetElementPtr;
        }
        // SAFETY: a constant expression has an opcode.
        self.is_constant_expression()
            && unsafe { LLVMGetConstOpcode(self.0) == Opcode::LLVMGetElementPtr }
    }

    /// The pointer, once the value is known to be of the class that a function of LLVM is for.
    pub(crate) fn of_class(self, is_of_class: bool) -> LLVMValueRef {
        assert!(is_of_class, "{self:?} is of another class");
        self.0
    }

    /// The pointer to an instruction with this opcode.
    pub(crate) fn with_opcode(self, opcode: Opcode) -> LLVMValueRef {
        self.of_class(self.is_instruction() && self.opcode() == opcode)
    }

    /// The pointer to a call, invoke or callbr.
    pub(crate) fn as_call(self) -> LLVMValueRef {
        let is_call = || {
            let calls = [Opcode::LLVMCall, Opcode::LLVMInvoke, Opcode::LLVMCallBr];
            calls.contains(&self.opcode())
        };
        self.of_class(self.is_instruction() && is_call())
    }

    pub(crate) fn as_function(self) -> LLVMValueRef {
        self.of_class(self.is_function())
    }

    /// Its type.
    pub fn type_of(self) -> Type {
        // SAFETY: every live value has a type.
        unsafe { Type(LLVMTypeOf(self.0)) }
    }

    /// Whether it is a local variable that is there from the beginning, whose size is known.
    pub fn is_fixed_variable(self) -> bool {
        self.is_alloca() && self.operand(0).is_constant()
    }

    /// Of an instruction.
    pub fn opcode(self) -> Opcode {
        let instruction = self.of_class(self.is_instruction());
        // SAFETY: an instruction has an opcode, and llvm-sys knows all that this version of LLVM has.
        unsafe { LLVMGetInstructionOpcode(instruction) }
    }

    /// Of an instruction or constant.
    pub fn operand(self, index: u32) -> Value {
        let user = self.of_class(self.is_user());
        // SAFETY: a user has operands, and the index is checked against their number.
        unsafe {
            assert!((index as i32) < LLVMGetNumOperands(user), "no such operand");
            Value(LLVMGetOperand(user, index))
        }
    }

    /// Of an instruction or constant; blocks are left out.
    pub fn operands(self) -> Vec<Value> {
        let user = self.of_class(self.is_user());
        // SAFETY: a user has operands, and the indices stay below their number.
        let operands = unsafe {
            (0..LLVMGetNumOperands(user).max(0) as u32)
                .filter_map(|index| some(LLVMGetOperand(user, index)))
        };
        operands.filter(|operand| !operand.is_block()).collect()
    }

    /// Whether it is a constant, functions and global variables included.
    pub fn is_constant(self) -> bool {
        // SAFETY: LLVM answers for any live value.
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// Whether anything uses it.
    pub fn is_used(self) -> bool {
        // SAFETY: every live value has a list of uses, which may be empty.
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    /// What uses it; a user that uses it twice comes twice.
    pub fn users(self) -> impl Iterator<Item = Value> {
        // SAFETY: every live value has a list of uses, which ends with null, and users are alive.
        let mut usage = unsafe { LLVMGetFirstUse(self.0) };
        std::iter::from_fn(move || {
            if usage.is_null() {
                return None;
            }
            // SAFETY: as above; the use is not null.
            unsafe {
                let user = Value(LLVMGetUser(usage));
                usage = LLVMGetNextUse(usage);
                Some(user)
            }
        })
    }

    /// Adds a block to the end of a function.
    pub fn append_block(self) -> BlockRef {
        let function = self.as_function();
        // SAFETY: the value is a function, and the context is that of its type.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(function));
            BlockRef(LLVMAppendBasicBlockInContext(
                context,
                function,
                c"".as_ptr(),
            ))
        }
    }

    /// The first block of a function with a body.
    pub fn entry(self) -> BlockRef {
        assert!(!self.is_declaration(), "a declaration has no blocks");
        // SAFETY: a function with a body has an entry block.
        unsafe { BlockRef(LLVMGetEntryBasicBlock(self.as_function())) }
    }

    /// The instruction after this one.
    pub fn next(self) -> Option<Value> {
        let instruction = self.of_class(self.is_instruction());
        // SAFETY: the instruction is in a block; the last one of a block has null behind it.
        unsafe { some(LLVMGetNextInstruction(instruction)) }
    }

    /// Of an integer comparison, by LLVM's number.
    pub fn predicate(self) -> u32 {
        let comparison = self.with_opcode(Opcode::LLVMICmp);
        // SAFETY: an icmp has a predicate.
        unsafe { LLVMGetICmpPredicate(comparison) as u32 }
    }

    /// Of a floating point comparison, by LLVM's number.
    pub fn float_predicate(self) -> u32 {
        let comparison = self.with_opcode(Opcode::LLVMFCmp);
        // SAFETY: an fcmp has a predicate.
        unsafe { LLVMGetFCmpPredicate(comparison) as u32 }
    }

    /// The values of a phi, each with the block it comes from.
    pub fn incoming(self) -> Vec<(Value, BlockRef)> {
        let phi = self.with_opcode(Opcode::LLVMPHI);
        // SAFETY: the indices stay below the number of pairs that the phi has.
        unsafe {
            (0..LLVMCountIncoming(phi))
                .map(|index| {
                    (
                        Value(LLVMGetIncomingValue(phi, index)),
                        BlockRef(LLVMGetIncomingBlock(phi, index)),
                    )
                })
                .collect()
        }
    }

    /// Adds a value to a phi.
    pub fn add_incoming(self, value: Value, block: BlockRef) {
        let phi = self.with_opcode(Opcode::LLVMPHI);
        // SAFETY: both arrays have the one element that the count promises, and LLVM copies them.
        unsafe { LLVMAddIncoming(phi, &mut { value.0 }, &mut { block.0 }, 1) }
    }

    /// The arguments of a call.
    pub fn arguments(self) -> Vec<Value> {
        let call = self.as_call();
        // SAFETY: a call's arguments are its first operands.
        unsafe {
            (0..LLVMGetNumArgOperands(call))
                .map(|index| Value(LLVMGetOperand(call, index)))
                .collect()
        }
    }

    /// What a call calls.
    pub fn callee(self) -> Value {
        let call = self.as_call();
        // SAFETY: every call has a callee.
        unsafe { Value(LLVMGetCalledValue(call)) }
    }

    /// The type of the function that a call calls.
    pub fn callee_type(self) -> Type {
        let call = self.as_call();
        // SAFETY: every call has a function type.
        unsafe { Type(LLVMGetCalledFunctionType(call)) }
    }

    /// Of a function or global variable: whether it is only declared here.
    pub fn is_declaration(self) -> bool {
        let global = self.of_class(self.is_global_value());
        // SAFETY: the value is a global one.
        unsafe { LLVMIsDeclaration(global) != 0 }
    }

    /// Of a global variable.
    pub fn is_thread_local(self) -> bool {
        let global = self.of_class(self.is_global());
        // SAFETY: the value is a global variable.
        unsafe { LLVMIsThreadLocal(global) != 0 }
    }

    /// Of a function: whether it is an intrinsic of LLVM.
    pub fn is_intrinsic(self) -> bool {
        let function = self.as_function();
        // SAFETY: the value is a function.
        unsafe { LLVMGetIntrinsicID(function) != 0 }
    }

    /// Of a function: whether it has a body here only to be inlined, and exists nowhere else.
    pub fn is_inline_only(self) -> bool {
        self.is_function()
            && self.linkage() == Linkage::LLVMAvailableExternallyLinkage
            && self.has_attribute("alwaysinline")
    }

    /// The type of what a function or global variable stands for; itself it is a pointer.
    pub fn value_type(self) -> Type {
        let global = self.of_class(self.is_global_value());
        // SAFETY: the value is a global one.
        unsafe { Type(LLVMGlobalGetValueType(global)) }
    }

    /// Its name, empty if it has none.
    pub fn name(self) -> String {
        // SAFETY: LLVM returns a pointer that is never null and the length of the text behind it, which is copied before
        // anything can change it.
        unsafe {
            let mut length = 0;
            let text = LLVMGetValueName2(self.0, &raw mut length);
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
            String::from_utf8_lossy(bytes).into_owned()
        }
    }

    /// The type that an alloca allocates.
    pub fn allocated(self) -> Type {
        let alloca = self.with_opcode(Opcode::LLVMAlloca);
        // SAFETY: the value is an alloca.
        unsafe { Type(LLVMGetAllocatedType(alloca)) }
    }

    /// The value of a constant integer of up to 64 bits.
    pub fn integer(self) -> Option<u64> {
        if !self.is_constant_integer() || self.type_of().bits() > 64 {
            return None;
        }
        // SAFETY: the value is a constant integer that fits.
        unsafe { Some(LLVMConstIntGetZExtValue(self.0)) }
    }

    /// The type that a GEP's first index steps over.
    pub fn element_source(self) -> Type {
        let gep = self.of_class(self.is_element());
        // SAFETY: the value is a GEP.
        unsafe { Type(LLVMGetGEPSourceElementType(gep)) }
    }

    /// The indices of an extractvalue or insertvalue.
    pub fn indices(self) -> Vec<u32> {
        let has_indices = self.is_instruction()
            && [Opcode::LLVMExtractValue, Opcode::LLVMInsertValue].contains(&self.opcode());
        let instruction = self.of_class(has_indices);
        // SAFETY: such an instruction has an array of at least one index, which is copied at once.
        unsafe {
            let count = LLVMGetNumIndices(instruction);
            std::slice::from_raw_parts(LLVMGetIndices(instruction), count as usize).to_vec()
        }
    }

    /// The lanes that a shufflevector takes; undefined ones are negative.
    pub fn mask(self) -> Vec<i32> {
        let shuffle = self.with_opcode(Opcode::LLVMShuffleVector);
        // SAFETY: the indices stay below the number of lanes in the mask.
        unsafe {
            (0..LLVMGetNumMaskElements(shuffle))
                .map(|index| LLVMGetMaskValue(shuffle, index))
                .collect()
        }
    }

    /// Deletes an instruction that nothing uses. The value must not be used again.
    pub fn erase(self) {
        let instruction = self.of_class(self.is_instruction() && !self.is_used());
        // SAFETY: nothing in the module refers to the instruction, and the caller forgets it.
        unsafe { LLVMInstructionEraseFromParent(instruction) }
    }

    /// Lets everything that uses this value use another one.
    pub fn replace_with(self, other: Value) {
        // SAFETY: both values are alive. If their types differ, the verifier refuses the module.
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// The type of which a parameter (of a call or a function) is passed as a copy.
    pub fn copied(self, parameter: u32) -> Option<Type> {
        let kind = attribute_kind("byval");
        let index = parameter + 1;
        // SAFETY: the value is a function or a call; index 0 is the result, so parameters count from 1. `byval` is a type
        // attribute.
        unsafe {
            let attribute = if self.is_function() {
                LLVMGetEnumAttributeAtIndex(self.0, index, kind)
            } else {
                LLVMGetCallSiteEnumAttribute(self.as_call(), index, kind)
            };
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Of a call: whether it is marked `musttail`, so that nothing may stand between it and the return.
    pub fn is_must_tail(self) -> bool {
        // SAFETY: only a plain call is asked for its kind.
        self.is_plain_call()
            && unsafe { LLVMGetTailCallKind(self.0) == LLVMTailCallKind::LLVMTailCallKindMustTail }
    }

    /// The block where an invoke continues if nothing is thrown.
    pub fn normal_destination(self) -> BlockRef {
        let invoke = self.with_opcode(Opcode::LLVMInvoke);
        // SAFETY: the value is an invoke.
        unsafe { BlockRef(LLVMGetNormalDest(invoke)) }
    }

    /// The parameters of a function.
    pub fn parameters(self) -> Vec<Value> {
        let function = self.as_function();
        // SAFETY: the indices stay below the number of parameters.
        unsafe {
            (0..LLVMCountParams(function))
                .map(|index| Value(LLVMGetParam(function, index)))
                .collect()
        }
    }

    /// All blocks of a function, in the order of the code.
    pub fn all_blocks(self) -> Vec<BlockRef> {
        let function = self.as_function();
        let mut blocks = Vec::new();
        // SAFETY: the function is alive, and so are its blocks. Only a block is asked for the next, which the last has not.
        unsafe {
            let mut block = LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                blocks.push(BlockRef(block));
                block = LLVMGetNextBasicBlock(block);
            }
        }
        blocks
    }

    /// Whether a parameter of a call has an attribute.
    pub fn parameter_is(self, parameter: u32, attribute: &str) -> bool {
        let (call, kind) = (self.as_call(), attribute_kind(attribute));
        // SAFETY: the value is a call. Index 0 is the result, so parameters count from 1.
        unsafe { !LLVMGetCallSiteEnumAttribute(call, parameter + 1, kind).is_null() }
    }

    /// The reachable blocks of a function, each after those that dominate it.
    pub fn blocks(self) -> Vec<BlockRef> {
        if self.is_declaration() {
            return Vec::new();
        }
        let function = self.as_function();
        // SAFETY: a function with a body has an entry block.
        let entry = unsafe { BlockRef(LLVMGetEntryBasicBlock(function)) };
        let mut order = Vec::new();
        let mut seen = HashSet::from([entry]);
        let mut stack = vec![(entry, 0)];
        while let Some((block, next)) = stack.pop() {
            let Some(successor) = block.successor(next) else {
                order.push(block);
                continue;
            };
            stack.push((block, next + 1));
            if seen.insert(successor) {
                stack.push((successor, 0));
            }
        }
        order.reverse();
        order
    }
}

/// LLVM's number for an attribute.
pub(crate) fn attribute_kind(name: &str) -> u32 {
    // SAFETY: LLVM reads as many bytes of the name as it is told.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

impl Type {
    /// Which kind of type it is.
    pub fn kind(self) -> TypeKind {
        // SAFETY: types live as long as their context, and llvm-sys knows all kinds that this version of LLVM has.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// The pointer, once the type is known to be of one of these kinds.
    fn of_kind(self, kinds: &[TypeKind]) -> LLVMTypeRef {
        let kind = self.kind();
        assert!(kinds.contains(&kind), "a type of kind {kind:?}");
        self.0
    }

    fn as_function(self) -> LLVMTypeRef {
        self.of_kind(&[TypeKind::LLVMFunctionTypeKind])
    }

    /// Of an integer type: how many bits.
    pub fn bits(self) -> u32 {
        let integer = self.of_kind(&[TypeKind::LLVMIntegerTypeKind]);
        // SAFETY: the type is an integer type.
        unsafe { LLVMGetIntTypeWidth(integer) }
    }

    /// Whether it is the type of whole numbers of so many bits.
    pub fn is_integer(self, bits: u32) -> bool {
        self.kind() == TypeKind::LLVMIntegerTypeKind && self.bits() == bits
    }

    /// The zero of a number type, the null pointer of a pointer type.
    pub fn zero(self) -> Value {
        assert!(self.is_sized(), "a type with values");
        // SAFETY: the type has values, and so a null value.
        unsafe { Value(LLVMConstNull(self.0)) }
    }

    /// Of a function type: the type of the result, if there is one.
    pub fn returned(self) -> Option<Type> {
        let function = self.as_function();
        // SAFETY: the type is a function type.
        let result = unsafe { Type(LLVMGetReturnType(function)) };
        (result.kind() != TypeKind::LLVMVoidTypeKind).then_some(result)
    }

    /// Of a structure, array or vector: the types of its parts. None if there are more than `limit`.
    pub fn parts(self, limit: usize) -> Option<Vec<Type>> {
        // SAFETY: each function is called for a type of its kind, and indices stay below the number of elements.
        unsafe {
            match self.kind() {
                TypeKind::LLVMStructTypeKind => {
                    let count = LLVMCountStructElementTypes(self.0);
                    (count as usize <= limit).then(|| {
                        (0..count)
                            .map(|index| Type(LLVMStructGetTypeAtIndex(self.0, index)))
                            .collect()
                    })
                }
                TypeKind::LLVMArrayTypeKind => {
                    let count = LLVMGetArrayLength2(self.0);
                    (count <= limit as u64).then(|| vec![self.element(); count as usize])
                }
                TypeKind::LLVMVectorTypeKind => {
                    let count = LLVMGetVectorSize(self.0) as usize;
                    (count <= limit).then(|| vec![self.element(); count])
                }
                _ => None,
            }
        }
    }

    /// Of a structure: the type of a field, if it has so many.
    pub fn part(self, index: u32) -> Option<Type> {
        let structure = self.of_kind(&[TypeKind::LLVMStructTypeKind]);
        // SAFETY: the type is a structure, and the index stays below the number of its fields.
        unsafe {
            (index < LLVMCountStructElementTypes(structure))
                .then(|| Type(LLVMStructGetTypeAtIndex(structure, index)))
        }
    }

    /// Of an array or vector: the type of its elements.
    pub fn element(self) -> Type {
        let sequence = self.of_kind(&[
            TypeKind::LLVMArrayTypeKind,
            TypeKind::LLVMVectorTypeKind,
            TypeKind::LLVMScalableVectorTypeKind,
        ]);
        // SAFETY: arrays and vectors have an element type.
        unsafe { Type(LLVMGetElementType(sequence)) }
    }

    /// Of a function type: whether it takes any number of arguments.
    pub fn is_variadic(self) -> bool {
        let function = self.as_function();
        // SAFETY: the type is a function type.
        unsafe { LLVMIsFunctionVarArg(function) != 0 }
    }

    /// Of a function type: the types of its parameters.
    pub fn parameters(self) -> Vec<Type> {
        let function = self.as_function();
        // SAFETY: LLVM fills an array that is as long as there are parameters.
        unsafe {
            let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(function) as usize];
            LLVMGetParamTypes(function, types.as_mut_ptr());
            types.into_iter().map(Type).collect()
        }
    }

    /// Of a structure: its name, empty if it has none.
    pub fn name(self) -> String {
        let structure = self.of_kind(&[TypeKind::LLVMStructTypeKind]);
        // SAFETY: the type is a structure. Its name, which may be missing, ends with a zero and is copied at once.
        unsafe {
            let name = LLVMGetStructName(structure);
            if name.is_null() {
                return String::new();
            }
            CStr::from_ptr(name).to_string_lossy().into_owned()
        }
    }

    /// Whether it has a size.
    pub fn is_sized(self) -> bool {
        // SAFETY: LLVM answers for any type.
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }
}
