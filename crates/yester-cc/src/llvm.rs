//! What the safe interface of LLVM lacks. The only file of this crate with `unsafe`.

use std::ffi::c_uint;

use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMDeleteGlobal, LLVMGetCallSiteEnumAttribute, LLVMGetCalledValue,
    LLVMGetDebugLocColumn, LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine,
    LLVMGetFirstGlobalIFunc, LLVMGetFirstUse, LLVMGetGlobalIFuncResolver, LLVMGetNextGlobalIFunc,
    LLVMGetNextUse, LLVMGetNumSuccessors, LLVMGetOperand, LLVMGetSuccessor, LLVMGetTypeKind,
    LLVMGetUser, LLVMInsertIntoBuilder, LLVMIsAAllocaInst, LLVMIsACallInst, LLVMIsAFunction,
    LLVMIsAGlobalVariable, LLVMIsAInlineAsm, LLVMIsAInvokeInst, LLVMRemoveCallSiteEnumAttribute,
    LLVMSetSuccessor, LLVMTypeOf,
};
use inkwell::llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMTailCallKind, LLVMTypeKind};
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{AsValueRef, FunctionValue, GlobalValue, InstructionValue, IntValue};

/// Where something is in the sources; line 0 when nobody knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The path.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1.
    pub column: u32,
}

fn location(value: LLVMValueRef, has_column: bool) -> Location {
    let part = |get: unsafe extern "C" fn(LLVMValueRef, *mut c_uint) -> *const i8| {
        let mut length = 0;
        // SAFETY: the value is alive; the text belongs to the module and is copied at once.
        unsafe {
            let text = get(value, &raw mut length);
            if text.is_null() {
                return String::new();
            }
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            String::from_utf8_lossy(bytes).into_owned()
        }
    };
    let (directory, name) = (
        part(LLVMGetDebugLocDirectory),
        part(LLVMGetDebugLocFilename),
    );
    let file = if directory.is_empty() || name.is_empty() || name.starts_with('/') {
        name
    } else {
        format!("{directory}/{name}")
    };
    // SAFETY: the value is alive. Only instructions have columns.
    let (line, column) = unsafe {
        let column = if has_column {
            LLVMGetDebugLocColumn(value)
        } else {
            0
        };
        (LLVMGetDebugLocLine(value), column)
    };
    Location { file, line, column }
}

/// Where an instruction comes from.
#[must_use]
pub fn location_of_instruction(instruction: InstructionValue<'_>) -> Location {
    if instruction.get_debug_location().is_none() {
        return Location::default();
    }
    location(instruction.as_value_ref(), true)
}

/// Where a function comes from.
#[must_use]
pub fn location_of_function(function: FunctionValue<'_>) -> Location {
    if function.get_subprogram().is_none() {
        return Location::default();
    }
    location(function.as_value_ref(), false)
}

/// The blocks that may follow a terminator, in order, with repetitions.
#[must_use]
pub fn successors<'ctx>(terminator: InstructionValue<'ctx>) -> Vec<BasicBlock<'ctx>> {
    // SAFETY: the instruction is a terminator, whose successors are blocks.
    unsafe {
        (0..LLVMGetNumSuccessors(terminator.as_value_ref()))
            .filter_map(|index| BasicBlock::new(LLVMGetSuccessor(terminator.as_value_ref(), index)))
            .collect()
    }
}

/// Lets a terminator lead elsewhere.
pub fn set_successor(terminator: InstructionValue<'_>, index: u32, block: BasicBlock<'_>) {
    // SAFETY: the index is that of a successor.
    unsafe { LLVMSetSuccessor(terminator.as_value_ref(), index, block.as_mut_ptr()) }
}

/// The values of the cases of a switch, in order of its successors after the default one.
#[must_use]
pub fn case_values(switch: InstructionValue<'_>) -> Vec<i64> {
    // SAFETY: a switch has its condition and default first, then a constant and a block for each case.
    unsafe {
        (1..LLVMGetNumSuccessors(switch.as_value_ref()))
            .map(|case| LLVMConstIntGetSExtValue(LLVMGetOperand(switch.as_value_ref(), 2 * case)))
            .collect()
    }
}

/// The function that a call or invoke calls, if it is known.
#[must_use]
pub fn callee<'ctx>(call: InstructionValue<'ctx>) -> Option<FunctionValue<'ctx>> {
    // SAFETY: the instruction is a call, an invoke or a callbr, whose last operand is what it calls.
    unsafe {
        let operands = call.get_num_operands();
        let called = LLVMGetOperand(call.as_value_ref(), operands.checked_sub(1)?);
        if called.is_null() || LLVMIsAFunction(called).is_null() {
            return None;
        }
        FunctionValue::new(called)
    }
}

/// Whether a call is code of an assembler.
#[must_use]
pub fn calls_assembler(call: InstructionValue<'_>) -> bool {
    // SAFETY: the instruction is a call, an invoke or a callbr.
    unsafe { !LLVMIsAInlineAsm(LLVMGetCalledValue(call.as_value_ref())).is_null() }
}

/// The result of an instruction, if it is an integer.
#[must_use]
pub fn as_integer<'ctx>(instruction: InstructionValue<'ctx>) -> Option<IntValue<'ctx>> {
    // SAFETY: the instruction is alive, and its type is looked at before it is taken for an integer.
    unsafe {
        let value = instruction.as_value_ref();
        (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMTypeKind::LLVMIntegerTypeKind)
            .then(|| IntValue::new(value))
    }
}

/// Whether nothing may stand between this call and the return behind it.
#[must_use]
pub fn is_must_tail(call: InstructionValue<'_>) -> bool {
    call.get_tail_call_kind()
        .is_ok_and(|kind| kind == LLVMTailCallKind::LLVMTailCallKindMustTail)
}

/// Whether a load reads a variable that is there for sure: a local or a global one.
#[must_use]
pub fn reads_variable(load: InstructionValue<'_>) -> bool {
    // SAFETY: the instruction is a load, whose only operand is an address.
    unsafe {
        let address = LLVMGetOperand(load.as_value_ref(), 0);
        !LLVMIsAAllocaInst(address).is_null() || !LLVMIsAGlobalVariable(address).is_null()
    }
}

/// Moves an instruction to where a builder is, with where it comes from.
pub fn move_to(builder: &Builder<'_>, instruction: InstructionValue<'_>) {
    instruction.remove_from_basic_block();
    // SAFETY: the instruction is in no block; unlike the safe interface this keeps its name and its location.
    unsafe {
        let value = instruction.as_value_ref();
        let location = LLVMInstructionGetDebugLoc(value);
        LLVMInsertIntoBuilder(builder.as_mut_ptr(), value);
        LLVMInstructionSetDebugLoc(value, location);
    }
}

/// Removes a variable that nothing uses.
pub fn remove_global(global: GlobalValue<'_>) {
    // SAFETY: the caller says so, and does not use it again.
    unsafe { LLVMDeleteGlobal(global.as_value_ref()) }
}

/// Whether a function looks like a handler of signals, and may be known to somebody who makes it one.
#[must_use]
pub fn may_handle_signals(function: FunctionValue<'_>) -> bool {
    let kind = function.get_type();
    let parameters = kind.get_param_types();
    let is_number = |kind: &BasicMetadataTypeEnum<'_>| matches!(kind, BasicMetadataTypeEnum::IntType(kind) if kind.get_bit_width() == 32);
    let looks = kind.get_return_type().is_none()
        && match &parameters[..] {
            [] => true,
            [number] => is_number(number),
            [number, information, context] => {
                is_number(number) && information.is_pointer_type() && context.is_pointer_type()
            }
            _ => false,
        };
    looks && (!is_local(function) || has_address(function))
}

fn is_local(function: FunctionValue<'_>) -> bool {
    matches!(function.get_linkage(), Linkage::Internal | Linkage::Private)
}

/// Whether a function is used for anything but being called.
fn has_address(function: FunctionValue<'_>) -> bool {
    let value = function.as_value_ref();
    // SAFETY: this goes through the uses of the function, which are instructions or constants.
    unsafe {
        let mut usage = LLVMGetFirstUse(value);
        while !usage.is_null() {
            let user = LLVMGetUser(usage);
            let is_call = !LLVMIsACallInst(user).is_null() || !LLVMIsAInvokeInst(user).is_null();
            if !is_call || LLVMGetCalledValue(user) != value {
                return true;
            }
            usage = LLVMGetNextUse(usage);
        }
    }
    false
}

/// Whether a call itself has an attribute.
#[must_use]
pub fn call_has_attribute(call: InstructionValue<'_>, kind: u32) -> bool {
    // SAFETY: the instruction is a call, an invoke or a callbr.
    unsafe {
        !LLVMGetCallSiteEnumAttribute(call.as_value_ref(), LLVMAttributeFunctionIndex, kind)
            .is_null()
    }
}

/// Takes an attribute from a call.
pub fn remove_attribute_of_call(call: InstructionValue<'_>, kind: u32) {
    // SAFETY: the instruction is a call, an invoke or a callbr.
    unsafe {
        LLVMRemoveCallSiteEnumAttribute(call.as_value_ref(), LLVMAttributeFunctionIndex, kind);
    }
}

/// The functions that choose what an indirect function stands for.
#[must_use]
pub fn resolvers<'ctx>(module: &Module<'ctx>) -> Vec<FunctionValue<'ctx>> {
    let mut found = Vec::new();
    // SAFETY: this goes through a list of the module.
    unsafe {
        let mut indirect = LLVMGetFirstGlobalIFunc(module.as_mut_ptr());
        while !indirect.is_null() {
            let resolver = LLVMGetGlobalIFuncResolver(indirect);
            if !LLVMIsAFunction(resolver).is_null() {
                found.extend(FunctionValue::new(resolver));
            }
            indirect = LLVMGetNextGlobalIFunc(indirect);
        }
    }
    found
}
