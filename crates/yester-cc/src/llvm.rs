//! What inkwell, the safe interface to LLVM, lacks. The lifetimes of its types keep the module alive here; where LLVM
//! would not check the class of an instruction, [`Value`] does.

use std::ffi::c_uint;

use inkwell::attributes::Attribute;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMDeleteGlobal, LLVMGetAggregateElement,
    LLVMGetCallSiteEnumAttribute, LLVMGetCalledValue, LLVMGetDebugLocColumn,
    LLVMGetDebugLocDirectory, LLVMGetDebugLocFilename, LLVMGetDebugLocLine,
    LLVMGetFirstGlobalIFunc, LLVMGetFirstUse, LLVMGetGlobalIFuncResolver, LLVMGetInitializer,
    LLVMGetNextGlobalIFunc, LLVMGetNextUse, LLVMGetNumSuccessors, LLVMGetOperand, LLVMGetSuccessor,
    LLVMGetUser, LLVMInsertIntoBuilder, LLVMIsACallInst, LLVMIsAFunction, LLVMIsAInvokeInst,
    LLVMIsGlobalConstant, LLVMIsNull, LLVMIsThreadLocal, LLVMRemoveCallSiteEnumAttribute,
    LLVMSetGlobalConstant, LLVMSetSuccessor, LLVMSetUnnamedAddress,
};
use inkwell::llvm_sys::debuginfo::{
    LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc, LLVMStripModuleDebugInfo,
};
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMTailCallKind, LLVMUnnamedAddr};
use inkwell::module::{Linkage, Module};
use inkwell::types::BasicMetadataTypeEnum;
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, GlobalValue, InstructionOpcode, InstructionValue,
    IntValue,
};

use crate::ir::{BlockRef, Opcode, TypeKind, Value};

/// Where something is in the source; line 0 if unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation {
    /// The path.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1.
    pub column: u32,
}

fn location(value: LLVMValueRef, has_column: bool) -> SourceLocation {
    let part = |get: unsafe extern "C" fn(LLVMValueRef, *mut c_uint) -> *const i8| {
        let mut length = 0;
        // SAFETY: the value is an instruction, function or variable with debug information; the text belongs to the module and is
        // copied at once.
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
    // SAFETY: the value is an instruction, function or variable with debug information. Only instructions have columns.
    let (line, column) = unsafe {
        let column = if has_column {
            LLVMGetDebugLocColumn(value)
        } else {
            0
        };
        (LLVMGetDebugLocLine(value), column)
    };
    SourceLocation { file, line, column }
}

/// The line and the column of an instruction; 0 if unknown.
#[must_use]
pub fn line_and_column(instruction: InstructionValue<'_>) -> (u32, u32) {
    if instruction.get_debug_location().is_none() {
        return (0, 0);
    }
    let value = instruction.as_value_ref();
    // SAFETY: the value is an instruction with debug information.
    unsafe { (LLVMGetDebugLocLine(value), LLVMGetDebugLocColumn(value)) }
}

/// Where an instruction is in the source.
#[must_use]
pub fn location_of_instruction(instruction: InstructionValue<'_>) -> SourceLocation {
    if instruction.get_debug_location().is_none() {
        return SourceLocation::default();
    }
    location(instruction.as_value_ref(), true)
}

/// Where an instruction is in the source.
#[must_use]
pub fn location_of_value(instruction: Value) -> SourceLocation {
    // SAFETY: only an instruction is asked for its location, and only one that has one for its parts.
    let is_located = instruction.is_instruction()
        && unsafe { !LLVMInstructionGetDebugLoc(instruction.0).is_null() };
    match is_located {
        true => location(instruction.0, true),
        false => SourceLocation::default(),
    }
}

/// Where a function is in the source.
#[must_use]
pub fn location_of_function(function: FunctionValue<'_>) -> SourceLocation {
    if function.get_subprogram().is_none() {
        return SourceLocation::default();
    }
    location(function.as_value_ref(), false)
}

/// Where a global variable with debug information is defined.
#[must_use]
pub fn location_of_variable(global: Value) -> SourceLocation {
    assert!(global.is_global(), "only variables are asked for");
    location(global.0, false)
}

/// Whether a global variable is defined here, with something else than zeros.
#[must_use]
pub fn is_filled(global: Value) -> bool {
    assert!(global.is_global(), "only variables are asked for");
    // SAFETY: the value is a global variable; one that is only declared has no initial value.
    unsafe {
        let content = crate::ir::some(LLVMGetInitializer(global.0));
        let is_common = LLVMIsThreadLocal(global.0) == 0;
        is_common && content.is_some_and(|content| LLVMIsNull(content.0) == 0)
    }
}

/// A global variable may change from now on.
pub fn forget_constant(global: Value) {
    assert!(global.is_global(), "only variables are asked for");
    // SAFETY: the value is a global variable.
    unsafe {
        LLVMSetGlobalConstant(global.0, 0);
        LLVMSetUnnamedAddress(global.0, LLVMUnnamedAddr::LLVMNoUnnamedAddr);
    }
}

/// What a constant global variable has, if the module says it.
#[must_use]
pub fn constant_content(global: Value) -> Option<Value> {
    if !global.is_global() {
        return None;
    }
    // SAFETY: the value is a global variable; one that is only declared has no initial value.
    unsafe {
        let is_constant = LLVMIsGlobalConstant(global.0) != 0;
        crate::ir::some(LLVMGetInitializer(global.0)).filter(|_| is_constant)
    }
}

/// An element of a constant array, or a field of a constant structure.
#[must_use]
pub fn part_of_constant(constant: Value, index: u32) -> Option<Value> {
    if !constant.is_constant() {
        return None;
    }
    // SAFETY: the value is a constant; one that has no such part gives null.
    unsafe { crate::ir::some(LLVMGetAggregateElement(constant.0, index)) }
}

/// The blocks that may follow a terminator, in order, with repetitions.
#[must_use]
pub fn successors<'ctx>(terminator: InstructionValue<'ctx>) -> Vec<BasicBlock<'ctx>> {
    assert!(
        terminator.is_terminator(),
        "only terminators have successors"
    );
    // SAFETY: the instruction is a terminator, and the indices stay below the number of its successors, which are blocks.
    unsafe {
        (0..LLVMGetNumSuccessors(terminator.as_value_ref()))
            .filter_map(|index| BasicBlock::new(LLVMGetSuccessor(terminator.as_value_ref(), index)))
            .collect()
    }
}

/// Lets a terminator lead to another block.
pub fn set_successor(terminator: InstructionValue<'_>, index: u32, block: BasicBlock<'_>) {
    let count = successors(terminator).len();
    assert!((index as usize) < count, "no such successor");
    // SAFETY: the instruction is a terminator, and the index is that of one of its successors.
    unsafe { LLVMSetSuccessor(terminator.as_value_ref(), index, block.as_mut_ptr()) }
}

/// The values of the cases of a switch, in order of its successors after the default one.
#[must_use]
pub fn case_values(switch: InstructionValue<'_>) -> Vec<i64> {
    cases(switch.into())
}

/// The values of the cases of a switch, in order of its successors after the default one.
#[must_use]
pub fn cases(switch: Value) -> Vec<i64> {
    assert_eq!(switch.opcode(), Opcode::LLVMSwitch);
    // SAFETY: a switch has its condition and default first, then a constant integer and a block for each case.
    unsafe {
        (1..LLVMGetNumSuccessors(switch.0))
            .map(|case| LLVMConstIntGetSExtValue(LLVMGetOperand(switch.0, 2 * case)))
            .collect()
    }
}

/// The function that a call or invoke calls, if it is known.
#[must_use]
pub fn callee<'ctx>(call: InstructionValue<'ctx>) -> Option<FunctionValue<'ctx>> {
    let called = Value::from(call).callee();
    if !called.is_function() {
        return None;
    }
    // SAFETY: the value is a function, of the same module as the call and so with its lifetime.
    unsafe { FunctionValue::new(called.0) }
}

/// Whether a call is inline assembler.
#[must_use]
pub fn calls_assembler(call: InstructionValue<'_>) -> bool {
    Value::from(call).callee().is_assembler()
}

/// The result of an instruction, if it is an integer.
#[must_use]
pub fn as_integer<'ctx>(instruction: InstructionValue<'ctx>) -> Option<IntValue<'ctx>> {
    let value = Value::from(instruction);
    // SAFETY: the type of the value is an integer type.
    (value.type_of().kind() == TypeKind::LLVMIntegerTypeKind)
        .then(|| unsafe { IntValue::new(value.0) })
}

/// The result of a call, if it has one that can be used like any value.
#[must_use]
pub fn result<'ctx>(call: InstructionValue<'ctx>) -> Option<BasicValueEnum<'ctx>> {
    let value = Value::from(call);
    match value.type_of().kind() {
        TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind => {
            // SAFETY: the type of the value is an integer or a pointer type.
            Some(unsafe { BasicValueEnum::new(value.0) })
        }
        _ => None,
    }
}

/// The first ordinary instruction after an invoke that returns, if only the invoke leads there.
#[must_use]
pub fn first_after_invoke<'ctx>(invoke: InstructionValue<'ctx>) -> Option<InstructionValue<'ctx>> {
    let target = *successors(invoke).first()?;
    let is_entered_once = BlockRef(target.as_mut_ptr()).is_entered_once();
    let first = target.get_first_instruction()?;
    (is_entered_once && first.get_opcode() != InstructionOpcode::Phi).then_some(first)
}

/// Whether the result of a call is extended with zeros, so that it has no sign.
#[must_use]
pub fn is_extended_with_zeros(call: InstructionValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("zeroext");
    let call = Value::from(call).as_call();
    // SAFETY: the instruction is a call, whose result has the attributes of index 0.
    unsafe { !LLVMGetCallSiteEnumAttribute(call, 0, kind).is_null() }
}

/// Whether a call is marked `musttail`, so that nothing may stand between it and the return.
#[must_use]
pub fn is_must_tail(call: InstructionValue<'_>) -> bool {
    call.get_tail_call_kind()
        .is_ok_and(|kind| kind == LLVMTailCallKind::LLVMTailCallKindMustTail)
}

/// Whether a load reads a local or global variable, which cannot fail.
#[must_use]
pub fn reads_variable(load: InstructionValue<'_>) -> bool {
    let address = Value::from(load).operand(0);
    address.is_alloca() || address.is_global()
}

/// Moves an instruction to the position of a builder. Unlike inkwell's own function this keeps its name and its location in the
/// source.
pub fn move_to(builder: &Builder<'_>, instruction: InstructionValue<'_>) {
    instruction.remove_from_basic_block();
    // SAFETY: the instruction is in no block any more, so the builder may insert it.
    unsafe {
        let value = instruction.as_value_ref();
        let location = LLVMInstructionGetDebugLoc(value);
        LLVMInsertIntoBuilder(builder.as_mut_ptr(), value);
        LLVMInstructionSetDebugLoc(value, location);
    }
}

/// Deletes what debuggers need to know of a module.
pub fn strip_debug_information(module: &Module<'_>) {
    // SAFETY: the module is alive, and nobody holds on to its metadata.
    unsafe { LLVMStripModuleDebugInfo(module.as_mut_ptr()) };
}

/// Deletes a global variable that nothing uses. The caller must not use it again either.
pub fn remove_global(global: GlobalValue<'_>) {
    assert!(!Value(global.as_value_ref()).is_used(), "it is in use");
    // SAFETY: nothing in the module refers to the variable, and the caller forgets it.
    unsafe { LLVMDeleteGlobal(global.as_value_ref()) }
}

/// Whether a function has the type of a signal handler, and can be known to code that installs it as one.
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

/// Whether only its own module knows a function.
pub fn is_local(function: FunctionValue<'_>) -> bool {
    matches!(function.get_linkage(), Linkage::Internal | Linkage::Private)
}

/// Whether a function is used for anything but being called.
fn has_address(function: FunctionValue<'_>) -> bool {
    let value = function.as_value_ref();
    // SAFETY: this follows the list of the function's uses. Users are alive, and only calls are asked for their callee.
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
    let call = Value::from(call).as_call();
    // SAFETY: the instruction is a call.
    unsafe { !LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind).is_null() }
}

/// Removes an attribute from a call.
pub fn remove_attribute_of_call(call: InstructionValue<'_>, kind: u32) {
    let call = Value::from(call).as_call();
    // SAFETY: the instruction is a call; LLVM ignores attributes that it does not have.
    unsafe { LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) }
}

/// The resolvers of a module's indirect functions (`ifunc`).
#[must_use]
pub fn resolvers<'ctx>(module: &Module<'ctx>) -> Vec<FunctionValue<'ctx>> {
    let mut found = Vec::new();
    // SAFETY: this follows the module's list of ifuncs, and only a function becomes a `FunctionValue`.
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
