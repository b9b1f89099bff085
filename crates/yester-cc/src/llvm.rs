//! What the parts of the pass ask of instructions, functions and variables, and what they change. `ir.rs` says what keeps the calls of
//! LLVM sound.

use std::ffi::c_uint;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use llvm_sys::{LLVMAtomicOrdering, LLVMAttributeFunctionIndex, LLVMUnnamedAddr};

use crate::ir::{BlockRef, Linkage, Opcode, Type, TypeKind, Value, attribute_kind, some};

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

/// The place of an instruction, as LLVM has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugPlace(pub(crate) LLVMMetadataRef);

/// The line and the column of an instruction; 0 if unknown.
pub fn line_and_column(instruction: Value) -> (u32, u32) {
    if instruction.debug_place().is_none() {
        return (0, 0);
    }
    // SAFETY: the value is an instruction with debug information.
    unsafe {
        let line = LLVMGetDebugLocLine(instruction.0);
        (line, LLVMGetDebugLocColumn(instruction.0))
    }
}

/// Where an instruction is in the source.
pub fn location_of_instruction(instruction: Value) -> SourceLocation {
    if instruction.debug_place().is_none() {
        return SourceLocation::default();
    }
    location(instruction.0, true)
}

/// Where a function is in the source.
pub fn location_of_function(function: Value) -> SourceLocation {
    let function = function.as_function();
    // SAFETY: the value is a function; one without debug information has none.
    if unsafe { LLVMGetSubprogram(function).is_null() } {
        return SourceLocation::default();
    }
    location(function, false)
}

/// Where a global variable with debug information is defined.
pub fn location_of_variable(global: Value) -> SourceLocation {
    location(global.of_class(global.is_global()), false)
}

/// Whether a global variable is defined here, with something else than zeros.
pub fn is_filled(global: Value) -> bool {
    let content = initial_value(global);
    // SAFETY: LLVM answers for any constant.
    let is_zero = |content: Value| unsafe { LLVMIsNull(content.0) != 0 };
    !global.is_thread_local() && content.is_some_and(|content| !is_zero(content))
}

fn initial_value(global: Value) -> Option<Value> {
    let global = global.of_class(global.is_global());
    // SAFETY: the value is a global variable; one that is only declared has no initial value.
    unsafe { some(LLVMGetInitializer(global)) }
}

/// A global variable may change from now on.
pub fn forget_constant(global: Value) {
    let global = global.of_class(global.is_global());
    // SAFETY: the value is a global variable.
    unsafe {
        LLVMSetGlobalConstant(global, 0);
        LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMNoUnnamedAddr);
    }
}

/// What a constant global variable has, if the module says it.
pub fn constant_content(global: Value) -> Option<Value> {
    let is_constant = global.is_global() && global.is_constant_variable();
    is_constant.then(|| initial_value(global)).flatten()
}

/// An element of a constant array, or a field of a constant structure.
pub fn part_of_constant(constant: Value, index: u32) -> Option<Value> {
    if !constant.is_constant() {
        return None;
    }
    // SAFETY: the value is a constant; one that has no such part gives null.
    unsafe { some(LLVMGetAggregateElement(constant.0, index)) }
}

/// The values of the cases of a switch, in order of its successors after the default one.
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
pub fn callee(call: Value) -> Option<Value> {
    Some(call.callee()).filter(|callee| callee.is_function())
}

/// The result of a call, if it is a number or a pointer.
pub fn result(call: Value) -> Option<Value> {
    let kind = call.type_of().kind();
    let is_plain = matches!(
        kind,
        TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind
    );
    is_plain.then_some(call)
}

/// The first ordinary instruction after an invoke that returns, if only the invoke leads there.
pub fn first_after_invoke(invoke: Value) -> Option<Value> {
    let target = *invoke.successors().first()?;
    let first = target.first()?;
    (target.is_entered_once() && first.opcode() != Opcode::LLVMPHI).then_some(first)
}

/// Whether the result of a call is extended with zeros, so that it has no sign.
pub fn is_extended_with_zeros(call: Value) -> bool {
    let (call, kind) = (call.as_call(), attribute_kind("zeroext"));
    // SAFETY: the instruction is a call, whose result has the attributes of index 0.
    unsafe { !LLVMGetCallSiteEnumAttribute(call, 0, kind).is_null() }
}

/// Whether a load reads a local or global variable, which cannot fail.
pub fn reads_variable(load: Value) -> bool {
    let address = load.operand(0);
    address.is_alloca() || address.is_global()
}

/// Keeps a load though nothing needs the value.
pub fn keep_load(load: Value) {
    let load = load.with_opcode(Opcode::LLVMLoad);
    // SAFETY: the value is a load.
    unsafe { LLVMSetVolatile(load, 1) }
}

/// Whether a store is neither volatile nor atomic.
pub fn is_ordinary_store(store: Value) -> bool {
    let store = store.with_opcode(Opcode::LLVMStore);
    // SAFETY: the value is a store.
    unsafe {
        LLVMGetVolatile(store) == 0
            && LLVMGetOrdering(store) == LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic
    }
}

/// Deletes functions that nothing uses but each other. The caller must not use them again either.
pub fn remove_functions(functions: Vec<Value>) {
    for function in &functions {
        function.replace_with(function.type_of().zero());
    }
    for function in functions {
        let function = function.as_function();
        // SAFETY: nothing in the module refers to the function any more, and the caller forgets it.
        unsafe { LLVMDeleteFunction(function) }
    }
}

/// Deletes a global variable that nothing uses. The caller must not use it again either.
pub fn remove_global(global: Value) {
    let global = global.of_class(global.is_global() && !global.is_used());
    // SAFETY: nothing in the module refers to the variable, and the caller forgets it.
    unsafe { LLVMDeleteGlobal(global) }
}

/// Whether a function has the type of a signal handler, and can be known to code that installs it as one.
pub fn may_handle_signals(function: Value) -> bool {
    let kind = function.value_type();
    let is_number = |kind: &Type| kind.is_integer(32);
    let is_pointer = |kind: &Type| kind.kind() == TypeKind::LLVMPointerTypeKind;
    let looks = kind.returned().is_none()
        && match &kind.parameters()[..] {
            [] => true,
            [number] => is_number(number),
            [number, information, context] => {
                is_number(number) && is_pointer(information) && is_pointer(context)
            }
            _ => false,
        };
    looks && (!is_local(function) || has_address(function))
}

/// Whether only its own module knows a function.
pub fn is_local(function: Value) -> bool {
    matches!(
        function.linkage(),
        Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage
    )
}

/// Whether a function is used for anything but being called.
fn has_address(function: Value) -> bool {
    let is_call = |user: &Value| {
        user.is_instruction()
            && matches!(user.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
            && user.callee() == function
    };
    !function.users().all(|user| is_call(&user))
}

/// Whether a call or what it calls is known to return twice.
pub fn returns_twice(call: Value) -> bool {
    let (own, kind) = (call.as_call(), attribute_kind("returns_twice"));
    // SAFETY: the instruction is a call.
    let attribute = unsafe { LLVMGetCallSiteEnumAttribute(own, LLVMAttributeFunctionIndex, kind) };
    !attribute.is_null() || callee(call).is_some_and(|callee| callee.has_attribute("returns_twice"))
}

/// Removes an attribute from a call.
pub fn remove_attribute_of_call(call: Value, name: &str) {
    let (call, kind) = (call.as_call(), attribute_kind(name));
    // SAFETY: the instruction is a call; LLVM ignores attributes that it does not have.
    unsafe { LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) }
}

/// Attributes of functions.
impl Value {
    /// Whether a function has an attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        let (function, kind) = (self.as_function(), attribute_kind(name));
        // SAFETY: the value is a function.
        unsafe {
            !LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// Gives a function an attribute.
    pub fn add_attribute(self, name: &str) {
        let (function, kind) = (self.as_function(), attribute_kind(name));
        // SAFETY: the value is a function, and the attribute one of its context.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(function));
            let attribute = LLVMCreateEnumAttribute(context, kind, 0);
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Removes an attribute of a function.
    pub fn remove_attribute(self, name: &str) {
        let (function, kind) = (self.as_function(), attribute_kind(name));
        // SAFETY: the value is a function; LLVM ignores attributes that it does not have.
        unsafe { LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) }
    }

    /// An attribute of a function that is a text.
    pub fn text_attribute(self, name: &str) -> Option<String> {
        let function = self.as_function();
        // SAFETY: the value is a function. LLVM reads as many bytes of the name as it is told, and tells the length of the text, which
        // is copied at once.
        unsafe {
            let (start, count) = (name.as_ptr().cast(), name.len() as c_uint);
            let index = LLVMAttributeFunctionIndex;
            let attribute = LLVMGetStringAttributeAtIndex(function, index, start, count);
            if attribute.is_null() {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetStringAttributeValue(attribute, &raw mut length);
            let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// Operands, and places of instructions.
impl Value {
    /// The place of an instruction, if it has one; of another value none.
    pub fn debug_place(self) -> Option<DebugPlace> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: the value is an instruction; one without a place has null.
        let place = unsafe { LLVMInstructionGetDebugLoc(self.0) };
        (!place.is_null()).then_some(DebugPlace(place))
    }

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

    /// The blocks that may follow a terminator, in order, with repetitions.
    pub fn successors(self) -> Vec<BlockRef> {
        let terminator = self.of_class(self.is_terminator());
        // SAFETY: the instruction is a terminator, and the indices stay below the number of its successors.
        unsafe {
            let count = LLVMGetNumSuccessors(terminator);
            let block = |index| BlockRef(LLVMGetSuccessor(terminator, index));
            (0..count).map(block).collect()
        }
    }

    /// Lets a terminator lead to another block.
    pub fn set_successor(self, index: u32, block: BlockRef) {
        assert!((index as usize) < self.successors().len(), "no such way");
        // SAFETY: the instruction is a terminator, and the index is that of one of its successors.
        unsafe { LLVMSetSuccessor(self.0, index, block.0) }
    }

    /// The block that an instruction is in.
    pub fn block(self) -> BlockRef {
        let instruction = self.of_class(self.is_instruction());
        // SAFETY: the instruction is in a block.
        unsafe { BlockRef(LLVMGetInstructionParent(instruction)) }
    }

    /// The instruction before this one.
    pub fn previous(self) -> Option<Value> {
        let instruction = self.of_class(self.is_instruction());
        // SAFETY: the instruction is in a block; the first one of a block has null before it.
        unsafe { some(LLVMGetPreviousInstruction(instruction)) }
    }
}
