//! Modules: how they are read and written, what they have, and what is defined in them. `ir.rs` says what keeps the calls of LLVM
//! sound. A [`Module`] borrows its [`Context`], and whatever has values of a module borrows the module.

use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::ptr::null_mut;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef, LLVMValueRef};
use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};

use crate::ir::{Linkage, Type, Value, some};

/// Why a module could not be instrumented. Each one is a bug.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LlvmError(String);

impl LlvmError {
    /// Takes a message that LLVM has made.
    ///
    /// # Safety
    /// The message is null or a text that ends with a zero, and the function is the one that disposes of it.
    unsafe fn take(message: *mut c_char, dispose: unsafe extern "C" fn(*mut c_char)) -> LlvmError {
        if message.is_null() {
            return LlvmError("LLVM does not say why".to_owned());
        }
        // SAFETY: as the caller promises; the text is copied before it is gone.
        unsafe {
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            dispose(message);
            LlvmError(text)
        }
    }
}

/// What types and constants live in.
pub struct Context(LLVMContextRef);

impl Context {
    /// An empty one.
    pub fn new() -> Context {
        // SAFETY: LLVM makes a context out of nothing.
        Context(unsafe { LLVMContextCreate() })
    }

    /// Reads bitcode.
    pub fn read_bitcode(&self, bitcode: &[u8]) -> Result<Module<'_>, LlvmError> {
        let mut raw = null_mut();
        // SAFETY: LLVM copies as many bytes as it is told, and reads all of the module before the buffer is gone.
        let has_failed = unsafe {
            let (bytes, size) = (bitcode.as_ptr().cast(), bitcode.len());
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, c"module".as_ptr());
            let has_failed = LLVMParseBitcodeInContext2(self.0, buffer, &raw mut raw) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            has_failed
        };
        if has_failed {
            return Err(LlvmError("it is no bitcode".to_owned()));
        }
        Ok(Module::new(raw, self.0))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.0) }
    }
}

/// A module.
pub struct Module<'a> {
    pub(crate) raw: LLVMModuleRef,
    pub(crate) context: LLVMContextRef,
    /// The context must outlive the module.
    borrowed: PhantomData<&'a Context>,
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: whatever has values of the module borrows it, so nothing is left.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

impl<'a> Module<'a> {
    fn new(raw: LLVMModuleRef, context: LLVMContextRef) -> Module<'a> {
        Module {
            raw,
            context,
            borrowed: PhantomData,
        }
    }

    /// Another module for the same machine, from text in LLVM's language.
    pub fn parse_beside(&self, text: &str) -> Result<Module<'a>, LlvmError> {
        // SAFETY: both texts end with a zero and are copied at once. LLVM copies as many bytes of the whole as it is told, and parsing
        // takes the buffer.
        unsafe {
            let layout = CStr::from_ptr(LLVMGetDataLayoutStr(self.raw)).to_string_lossy();
            let triple = CStr::from_ptr(LLVMGetTarget(self.raw)).to_string_lossy();
            let text =
                format!("target datalayout = \"{layout}\"\ntarget triple = \"{triple}\"\n{text}");
            let (bytes, size) = (text.as_ptr().cast(), text.len());
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, c"text".as_ptr());
            let (mut raw, mut message) = (null_mut(), null_mut());
            if LLVMParseIRInContext(self.context, buffer, &raw mut raw, &raw mut message) != 0 {
                return Err(LlvmError::take(message, LLVMDisposeMessage));
            }
            Ok(Module::new(raw, self.context))
        }
    }

    /// Adds all of another module that is used here.
    pub fn link(&self, other: Module<'a>) -> Result<(), LlvmError> {
        let raw = other.raw;
        std::mem::forget(other);
        // SAFETY: both modules are of one context, and linking takes the other one.
        if unsafe { LLVMLinkModules2(self.raw, raw) } != 0 {
            return Err(LlvmError("two modules do not fit together".to_owned()));
        }
        Ok(())
    }

    /// Turns local variables into values.
    pub fn promote_variables(&self) -> Result<(), LlvmError> {
        // SAFETY: the module is alive, the name of the pass ends with a zero, and this pass needs no machine.
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.raw, c"mem2reg".as_ptr(), null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if !error.is_null() {
                let message = LLVMGetErrorMessage(error);
                return Err(LlvmError::take(message, LLVMDisposeErrorMessage));
            }
        }
        Ok(())
    }

    /// The bitcode, once LLVM has checked the module.
    pub fn bitcode(&self) -> Result<Vec<u8>, LlvmError> {
        // SAFETY: the module is alive. The bytes of the buffer are copied before it is gone.
        unsafe {
            let mut message = null_mut();
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            if LLVMVerifyModule(self.raw, action, &raw mut message) != 0 {
                return Err(LlvmError::take(message, LLVMDisposeMessage));
            }
            LLVMDisposeMessage(message);
            let buffer = LLVMWriteBitcodeToMemoryBuffer(self.raw);
            let (start, size) = (LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
            let bitcode = std::slice::from_raw_parts(start.cast::<u8>(), size).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            Ok(bitcode)
        }
    }

    /// Deletes what debuggers need to know.
    pub fn strip_debug_information(&self) {
        // SAFETY: the module is alive, and nobody holds on to its metadata.
        unsafe { LLVMStripModuleDebugInfo(self.raw) };
    }

    /// All functions.
    pub fn functions(&self) -> impl Iterator<Item = Value> + use<> {
        // SAFETY: the module is alive, and so are the functions in its list.
        let first = unsafe { some(LLVMGetFirstFunction(self.raw)) };
        std::iter::successors(first, |function| {
            // SAFETY: as above; the last function has null behind it.
            unsafe { some(LLVMGetNextFunction(function.0)) }
        })
    }

    /// All global variables.
    pub fn globals(&self) -> impl Iterator<Item = Value> + use<> {
        // SAFETY: the module is alive, and so are the variables in its list.
        let first = unsafe { some(LLVMGetFirstGlobal(self.raw)) };
        std::iter::successors(first, |global| {
            // SAFETY: as above; the last variable has null behind it.
            unsafe { some(LLVMGetNextGlobal(global.0)) }
        })
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        // SAFETY: the name ends with a zero, and LLVM only reads it.
        unsafe { some(LLVMGetNamedFunction(self.raw, name.as_ptr())) }
    }

    /// The global variable with this name.
    pub fn global(&self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        // SAFETY: the name ends with a zero, and LLVM only reads it.
        unsafe { some(LLVMGetNamedGlobal(self.raw, name.as_ptr())) }
    }

    /// The resolvers of indirect functions (`ifunc`).
    pub fn resolvers(&self) -> Vec<Value> {
        let mut found = Vec::new();
        // SAFETY: this follows the module's list of ifuncs, which ends with null.
        unsafe {
            let mut indirect = LLVMGetFirstGlobalIFunc(self.raw);
            while !indirect.is_null() {
                found.extend(some(LLVMGetGlobalIFuncResolver(indirect)));
                indirect = LLVMGetNextGlobalIFunc(indirect);
            }
        }
        found.retain(|resolver| resolver.is_function());
        found
    }

    /// Whether the module has a flag.
    pub fn has_flag(&self, name: &str) -> bool {
        // SAFETY: LLVM reads as many bytes of the name as it is told.
        unsafe { !LLVMGetModuleFlag(self.raw, name.as_ptr().cast(), name.len()).is_null() }
    }

    /// The name of the source.
    pub fn source_name(&self) -> Vec<u8> {
        let mut length = 0;
        // SAFETY: LLVM tells the length of the text, which is copied at once.
        unsafe {
            let text = LLVMGetSourceFileName(self.raw, &raw mut length);
            std::slice::from_raw_parts(text.cast::<u8>(), length).to_vec()
        }
    }

    /// Declares a function of the same type as another one, which may be in another module.
    pub fn declare_like(&self, name: &str, other: Value) -> Value {
        if let Some(function) = self.function(name) {
            return function;
        }
        let name = CString::new(name).expect("names have no zero");
        assert!(other.is_function(), "a function is like another function");
        let kind = other.value_type();
        // SAFETY: the type is that of a function of the same context, and LLVM copies the name.
        unsafe { Value(LLVMAddFunction(self.raw, name.as_ptr(), kind.0)) }
    }

    /// Declares a variable as another module does.
    pub fn declare_variable(&self, other: Value) {
        let name = CString::new(other.name()).expect("names have no zero");
        let kind = other.value_type();
        // SAFETY: the type is that of a variable of the same context, and LLVM copies the name.
        unsafe {
            let variable = LLVMAddGlobal(self.raw, kind.0, name.as_ptr());
            LLVMSetThreadLocalMode(variable, LLVMGetThreadLocalMode(other.0));
        }
    }

    /// Declares the function that marks values until they get the code that records them. It takes a value of any type.
    pub fn declare_mark(&self, name: &CStr) -> Value {
        // SAFETY: the context is alive, and LLVM copies the name.
        unsafe {
            let nothing = LLVMVoidTypeInContext(self.context);
            let kind = LLVMFunctionType(nothing, null_mut(), 0, 1);
            Value(LLVMAddFunction(self.raw, name.as_ptr(), kind))
        }
    }

    /// Defines a global variable.
    pub fn define(&self, name: &CStr, value: Value, linkage: Linkage, is_constant: bool) -> Value {
        assert!(value.is_constant(), "a variable begins with a constant");
        // SAFETY: the value is a constant of the type that the variable is given, and LLVM copies the name.
        unsafe {
            let global = LLVMAddGlobal(self.raw, value.type_of().0, name.as_ptr());
            LLVMSetInitializer(global, value.0);
            LLVMSetGlobalConstant(global, is_constant.into());
            LLVMSetLinkage(global, linkage);
            Value(global)
        }
    }

    /// The type of whole numbers of so many bits.
    pub fn integer_type(&self, bits: u32) -> Type {
        // SAFETY: the context is alive.
        unsafe { Type(LLVMIntTypeInContext(self.context, bits)) }
    }

    /// A constant of so many bits.
    pub fn integer(&self, bits: u32, number: u64) -> Value {
        // SAFETY: the type is an integer type.
        unsafe { Value(LLVMConstInt(self.integer_type(bits).0, number, 0)) }
    }

    /// The null pointer.
    pub fn null(&self) -> Value {
        // SAFETY: the context is alive, and a pointer type has a null value.
        unsafe { Value(LLVMConstNull(LLVMPointerTypeInContext(self.context, 0))) }
    }

    /// Constant bytes, with a zero behind them if they are a text of C.
    pub fn bytes(&self, bytes: &[u8], ends_with_zero: bool) -> Value {
        let (start, count) = (bytes.as_ptr().cast(), bytes.len());
        let has_no_zero = (!ends_with_zero).into();
        // SAFETY: LLVM copies as many bytes as it is told.
        unsafe {
            Value(LLVMConstStringInContext2(
                self.context,
                start,
                count,
                has_no_zero,
            ))
        }
    }

    /// So many bytes that are zero.
    pub fn zeros(&self, count: u64) -> Value {
        let byte = self.integer_type(8);
        // SAFETY: an array of integers has a null value.
        unsafe { Value(LLVMConstNull(LLVMArrayType2(byte.0, count))) }
    }

    /// A constant structure.
    pub fn structure(&self, fields: &[Value]) -> Value {
        let mut fields = constants(fields);
        let (start, count) = (fields.as_mut_ptr(), fields.len() as u32);
        // SAFETY: the fields are constants, and LLVM copies the array.
        unsafe { Value(LLVMConstStructInContext(self.context, start, count, 0)) }
    }

    /// A constant array, whose elements are like the first value.
    pub fn array(&self, like: Value, elements: &[Value]) -> Value {
        let kind = like.type_of();
        let is_alike = |element: &Value| element.type_of() == kind;
        assert!(elements.iter().all(is_alike), "elements of one type");
        let mut elements = constants(elements);
        let (start, count) = (elements.as_mut_ptr(), elements.len() as u64);
        // SAFETY: the elements are constants of the type, and LLVM copies the array.
        unsafe { Value(LLVMConstArray2(kind.0, start, count)) }
    }
}

fn constants(values: &[Value]) -> Vec<LLVMValueRef> {
    assert!(values.iter().all(|value| value.is_constant()), "constants");
    values.iter().map(|value| value.0).collect()
}
