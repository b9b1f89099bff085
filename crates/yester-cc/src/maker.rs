//! Makes instructions and constants. Everything here is sound for values of a module that is alive.

use std::ffi::CString;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{
    LLVMBuilderRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef,
};
use inkwell::llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType,
    LLVMTargetDataRef,
};
use inkwell::module::Module;

use crate::ir::{Kind, Type, Value, some};

/// Makes instructions in a module.
pub struct Maker {
    builder: LLVMBuilderRef,
    context: LLVMContextRef,
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
}

impl Drop for Maker {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl Maker {
    /// For a module, which has to live longer.
    pub fn new(module: &Module<'_>) -> Maker {
        unsafe {
            let module = module.as_mut_ptr();
            let context = LLVMGetModuleContext(module);
            Maker {
                builder: LLVMCreateBuilderInContext(context),
                context,
                module,
                layout: LLVMGetModuleDataLayout(module),
            }
        }
    }

    /// What is made next stands before an instruction, and seems to come from the same place.
    pub fn before(&self, instruction: Value) {
        unsafe { LLVMPositionBuilderBefore(self.builder, instruction.0) }
    }

    /// All functions of the module.
    pub fn functions(&self) -> Vec<Value> {
        unsafe {
            let mut found = Vec::new();
            let mut next = LLVMGetFirstFunction(self.module);
            while let Some(function) = some(next) {
                found.push(function);
                next = LLVMGetNextFunction(next);
            }
            found
        }
    }

    /// All variables of the module.
    pub fn globals(&self) -> Vec<Value> {
        unsafe {
            let mut found = Vec::new();
            let mut next = LLVMGetFirstGlobal(self.module);
            while let Some(global) = some(next) {
                found.push(global);
                next = LLVMGetNextGlobal(next);
            }
            found
        }
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        unsafe { some(LLVMGetNamedFunction(self.module, name.as_ptr())) }
    }

    /// Declares a function like another one.
    pub fn declare_like(&self, name: &str, other: Value) -> Value {
        if let Some(function) = self.function(name) {
            return function;
        }
        let name = CString::new(name).expect("names have no zero");
        unsafe {
            Value(LLVMAddFunction(
                self.module,
                name.as_ptr(),
                other.value_type().0,
            ))
        }
    }

    /// Bytes in memory that a value of this type takes when stored.
    pub fn size(&self, kind: Type) -> u64 {
        unsafe { LLVMStoreSizeOfType(self.layout, kind.0) }
    }

    /// Bytes in memory from one to the next.
    pub fn stride(&self, kind: Type) -> u64 {
        unsafe { LLVMABISizeOfType(self.layout, kind.0) }
    }

    /// Where a part of a structure is.
    pub fn offset(&self, structure: Type, index: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.layout, structure.0, index) }
    }

    fn integer_type(&self, bits: u32) -> LLVMTypeRef {
        unsafe { LLVMIntTypeInContext(self.context, bits) }
    }

    /// A constant of 32 bits.
    pub fn small(&self, number: u32) -> Value {
        unsafe { Value(LLVMConstInt(self.integer_type(32), u64::from(number), 0)) }
    }

    /// A constant of 64 bits.
    pub fn number(&self, number: u64) -> Value {
        unsafe { Value(LLVMConstInt(self.integer_type(64), number, 0)) }
    }

    /// No address.
    pub fn null(&self) -> Value {
        unsafe { Value(LLVMConstNull(LLVMPointerTypeInContext(self.context, 0))) }
    }

    /// Calls a function by its name; it has to be there.
    pub fn call(&self, name: &str, arguments: &[Value]) -> Value {
        let function = self
            .function(name)
            .unwrap_or_else(|| panic!("{name} is declared"));
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|value| value.0).collect();
        unsafe {
            Value(LLVMBuildCall2(
                self.builder,
                function.value_type().0,
                function.0,
                arguments.as_mut_ptr(),
                arguments.len() as u32,
                c"".as_ptr(),
            ))
        }
    }

    /// A value as 64 bits: extended with zeros, or the address. Wider ones, and what is no number, are 0.
    pub fn word(&self, value: Value) -> Value {
        let wide = self.integer_type(64);
        unsafe {
            match value.kind().sort() {
                Kind::LLVMPointerTypeKind => {
                    Value(LLVMBuildPtrToInt(self.builder, value.0, wide, c"".as_ptr()))
                }
                Kind::LLVMIntegerTypeKind if value.kind().bits() == 64 => value,
                Kind::LLVMIntegerTypeKind if value.kind().bits() < 64 => {
                    Value(LLVMBuildZExt(self.builder, value.0, wide, c"".as_ptr()))
                }
                _ => self.number(0),
            }
        }
    }

    /// A condition as 32 bits.
    pub fn truth(&self, condition: Value) -> Value {
        unsafe {
            Value(LLVMBuildZExt(
                self.builder,
                condition.0,
                self.integer_type(32),
                c"".as_ptr(),
            ))
        }
    }

    /// An index as 64 bits with its sign.
    pub fn signed(&self, value: Value) -> Value {
        unsafe {
            Value(LLVMBuildSExtOrBitCast(
                self.builder,
                value.0,
                self.integer_type(64),
                c"".as_ptr(),
            ))
        }
    }

    /// Either.
    pub fn or(&self, one: Value, other: Value) -> Value {
        unsafe { Value(LLVMBuildOr(self.builder, one.0, other.0, c"".as_ptr())) }
    }

    /// A sum.
    pub fn add(&self, one: Value, other: Value) -> Value {
        unsafe { Value(LLVMBuildAdd(self.builder, one.0, other.0, c"".as_ptr())) }
    }

    /// A product.
    pub fn multiply(&self, one: Value, other: Value) -> Value {
        unsafe { Value(LLVMBuildMul(self.builder, one.0, other.0, c"".as_ptr())) }
    }

    /// One of two.
    pub fn select(&self, condition: Value, first: Value, second: Value) -> Value {
        unsafe {
            Value(LLVMBuildSelect(
                self.builder,
                condition.0,
                first.0,
                second.0,
                c"".as_ptr(),
            ))
        }
    }

    /// A part of a structure or array.
    pub fn part(&self, value: Value, path: &[u32]) -> Value {
        let mut value = value;
        for &index in path {
            value = unsafe {
                if value.kind().sort() == Kind::LLVMVectorTypeKind {
                    Value(LLVMBuildExtractElement(
                        self.builder,
                        value.0,
                        self.number(u64::from(index)).0,
                        c"".as_ptr(),
                    ))
                } else {
                    Value(LLVMBuildExtractValue(
                        self.builder,
                        value.0,
                        index,
                        c"".as_ptr(),
                    ))
                }
            };
        }
        value
    }

    /// A phi of 32 bits, still without values.
    pub fn phi(&self) -> Value {
        unsafe {
            Value(LLVMBuildPhi(
                self.builder,
                self.integer_type(32),
                c"".as_ptr(),
            ))
        }
    }

    /// Room for so many words of 64 bits. The builder has to stand in the first block.
    pub fn room(&self, words: u32) -> Value {
        unsafe {
            let kind = LLVMArrayType2(self.integer_type(64), u64::from(words));
            Value(LLVMBuildAlloca(self.builder, kind, c"".as_ptr()))
        }
    }

    /// Stores a pointer at a place of an array of words.
    pub fn put(&self, room: Value, index: u64, pointer: Value) {
        unsafe {
            let mut index = self.number(index).0;
            let word = self.integer_type(64);
            let place = LLVMBuildGEP2(self.builder, word, room.0, &mut index, 1, c"".as_ptr());
            LLVMBuildStore(self.builder, pointer.0, place);
        }
    }

    /// A text that stays, with a zero at its end.
    pub fn text(&self, text: &str) -> Value {
        unsafe {
            let value =
                LLVMConstStringInContext2(self.context, text.as_ptr().cast(), text.len(), 0);
            Value(self.private(value))
        }
    }

    /// Numbers of 64 bits that stay.
    pub fn table(&self, numbers: &[Value]) -> Value {
        unsafe {
            let mut values: Vec<LLVMValueRef> = numbers
                .iter()
                .map(|value| {
                    if value.kind().sort() == Kind::LLVMPointerTypeKind {
                        LLVMConstPtrToInt(value.0, self.integer_type(64))
                    } else {
                        value.0
                    }
                })
                .collect();
            let value = LLVMConstArray2(
                self.integer_type(64),
                values.as_mut_ptr(),
                values.len() as u64,
            );
            Value(self.private(value))
        }
    }

    unsafe fn private(&self, value: LLVMValueRef) -> LLVMValueRef {
        unsafe {
            let global = LLVMAddGlobal(self.module, LLVMTypeOf(value), c"yester.data".as_ptr());
            LLVMSetInitializer(global, value);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, inkwell::llvm_sys::LLVMLinkage::LLVMPrivateLinkage);
            global
        }
    }
}
