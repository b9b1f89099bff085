//! Emits instructions and constants into a module. `ir.rs` says what keeps the calls of LLVM sound.

mod control;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, CString};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{
    LLVMBuilderRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef,
};
use inkwell::llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType,
    LLVMTargetDataRef,
};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMLinkage};
use inkwell::module::Module;

use crate::ir::{BlockRef, Opcode, Type, TypeKind, Value, some};

/// The name of instructions that need none.
const UNNAMED: *const i8 = c"".as_ptr();

/// Emits into one module, at a position that [`Emitter::before`] sets.
pub struct Emitter<'a> {
    builder: LLVMBuilderRef,
    context: LLVMContextRef,
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
    /// Functions of the runtime that were asked for, so that LLVM need not look for their names again.
    functions: RefCell<HashMap<&'static str, Value>>,
    /// The module must outlive the pointers into it.
    borrowed: std::marker::PhantomData<&'a ()>,
}

impl Drop for Emitter<'_> {
    fn drop(&mut self) {
        // SAFETY: the builder is this emitter's own, and nothing uses it after this.
        unsafe { LLVMDisposeBuilder(self.builder) }
    }
}

impl<'a> Emitter<'a> {
    /// For a module.
    pub fn new(module: &'a Module<'_>) -> Self {
        let module = module.as_mut_ptr();
        // SAFETY: the module is alive as long as the emitter borrows it, and its context lives longer still.
        unsafe {
            let context = LLVMGetModuleContext(module);
            Emitter {
                builder: LLVMCreateBuilderInContext(context),
                context,
                module,
                layout: LLVMGetModuleDataLayout(module),
                functions: RefCell::default(),
                borrowed: std::marker::PhantomData,
            }
        }
    }

    /// Emits before this instruction from now on, with its location in the source.
    pub fn before(&self, instruction: Value) {
        assert!(instruction.is_instruction(), "a position is an instruction");
        // SAFETY: the value is an instruction, and it is in a block.
        unsafe { LLVMPositionBuilderBefore(self.builder, instruction.0) }
    }

    /// Emits at the end of this block from now on.
    pub fn at_end(&self, block: BlockRef) {
        // SAFETY: the block is alive and in a function. What is emitted there has no place in the source, and must not keep the last
        // one, which may be in another function.
        unsafe {
            LLVMPositionBuilderAtEnd(self.builder, block.0);
            LLVMSetCurrentDebugLocation2(self.builder, std::ptr::null_mut());
        }
    }

    /// Emits at the start of this block from now on.
    pub fn at_start(&self, block: BlockRef) {
        match block.first() {
            Some(first) => self.before(first),
            None => self.at_end(block),
        }
    }

    /// A number that is not 0 if one of the numbers is not, or the runtime's filter knows one of the addresses.
    pub fn guard(&self, numbers: &[Value], watched: &[(Value, u64)]) -> Value {
        let mut found: Option<Value> = None;
        for (address, offset) in watched {
            let entry = self.filter(*address, *offset);
            found = Some(found.map_or(entry, |found| self.or(found, entry)));
        }
        let found = found.map(|found| self.cast(Opcode::LLVMZExt, found, 32));
        let mut numbers = numbers.iter().copied().chain(found);
        let first = numbers.next().unwrap_or_else(|| self.small(0));
        numbers.fold(first, |any, number| self.or(any, number))
    }

    /// The entry of the runtime's filter for an address.
    fn filter(&self, address: Value, offset: u64) -> Value {
        const PAGE_BITS: u64 = 12;
        const FILTER_SIZE: u64 = 1 << 16;
        let word = self.word(address);
        let word = match offset {
            0 => word,
            offset => self.add(word, self.number(offset)),
        };
        let page = self.binary(Opcode::LLVMLShr, word, self.number(PAGE_BITS));
        let mut index = self
            .binary(Opcode::LLVMAnd, page, self.number(FILTER_SIZE - 1))
            .0;
        let byte = self.integer_type(8).0;
        // SAFETY: the filter is a global array of so many bytes, which `symbolic.ll` declares, and the index stays below that.
        unsafe {
            let filter = LLVMGetNamedGlobal(self.module, c"__yester_filter".as_ptr());
            assert!(!filter.is_null(), "symbolic.ll is linked in");
            let place = LLVMBuildGEP2(self.builder, byte, filter, &raw mut index, 1, UNNAMED);
            Value(LLVMBuildLoad2(self.builder, byte, place, UNNAMED))
        }
    }

    /// The address of a thread-local variable of the runtime.
    pub fn thread_local(&self, name: &str) -> Value {
        let name = CString::new(name).expect("names have no zero");
        // SAFETY: the name ends with a zero, and LLVM only reads it.
        let variable = unsafe { some(LLVMGetNamedGlobal(self.module, name.as_ptr())) };
        let variable = variable.expect("symbolic.ll is linked in");
        self.call("llvm.threadlocal.address.p0", &[variable])
    }

    fn behind(&self, address: Value, offset: u64) -> LLVMValueRef {
        let mut index = self.number(offset).0;
        let byte = self.integer_type(8).0;
        // SAFETY: the array of indices has the one element that the count promises.
        unsafe { LLVMBuildGEP2(self.builder, byte, address.0, &raw mut index, 1, UNNAMED) }
    }

    /// Loads an integer at an offset in bytes from an address.
    pub fn fetch(&self, address: Value, offset: u64, bits: u32) -> Value {
        let place = self.behind(address, offset);
        let kind = self.integer_type(bits).0;
        // SAFETY: the place is a pointer, and an integer can be loaded.
        unsafe { Value(LLVMBuildLoad2(self.builder, kind, place, UNNAMED)) }
    }

    /// Stores a value at an offset in bytes from an address.
    pub fn leave(&self, address: Value, offset: u64, value: Value) {
        let place = self.behind(address, offset);
        // SAFETY: the place is a pointer, and any value may be stored.
        unsafe { LLVMBuildStore(self.builder, value.0, place) };
    }

    /// 1 if two numbers of one type are equal, else 0.
    pub fn equal(&self, one: Value, other: Value) -> Value {
        assert_eq!(one.type_of(), other.type_of(), "operands of one type");
        // SAFETY: the operands are integers of the same type.
        let equal = unsafe {
            Value(LLVMBuildICmp(
                self.builder,
                LLVMIntPredicate::LLVMIntEQ,
                one.0,
                other.0,
                UNNAMED,
            ))
        };
        self.truth(equal)
    }

    /// How many bytes a GEP with constant indices steps forward; `None` if it has others, or steps back.
    pub fn constant_offset(&self, gep: Value) -> Option<u64> {
        let operands = gep.operands();
        let mut offset = 0_u64;
        let mut kind: Option<Type> = None;
        for index in &operands[1..] {
            let number = index.integer()?;
            let (next, step) = match kind {
                None => (gep.element_source(), self.stride(gep.element_source())),
                Some(structure) if structure.kind() == TypeKind::LLVMStructTypeKind => {
                    let part = structure.part(number as u32)?;
                    offset = offset.checked_add(self.offset(structure, number as u32))?;
                    kind = Some(part);
                    continue;
                }
                Some(array) => (array.element(), self.stride(array.element())),
            };
            kind = Some(next);
            // A negative index is a huge number here.
            offset = offset.checked_add(number.checked_mul(step)?)?;
        }
        Some(offset)
    }

    /// All global variables of the module.
    pub fn globals(&self) -> impl Iterator<Item = Value> {
        // SAFETY: the module is alive, and so are the variables in its list.
        let first = unsafe { some(LLVMGetFirstGlobal(self.module)) };
        std::iter::successors(first, |global| {
            // SAFETY: as above; the last variable has null behind it.
            unsafe { some(LLVMGetNextGlobal(global.0)) }
        })
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        // SAFETY: the name ends with a zero, and LLVM only reads it.
        unsafe { some(LLVMGetNamedFunction(self.module, name.as_ptr())) }
    }

    /// Declares a function of the same type as another one.
    pub fn declare_like(&self, name: &str, other: Value) -> Value {
        if let Some(function) = self.function(name) {
            return function;
        }
        let name = CString::new(name).expect("names have no zero");
        assert!(other.is_function(), "a function is like another function");
        // SAFETY: the type is that of a function, and LLVM copies the name.
        unsafe {
            Value(LLVMAddFunction(
                self.module,
                name.as_ptr(),
                other.value_type().0,
            ))
        }
    }

    /// How many bytes a value of this type takes when it is stored.
    pub fn size(&self, of: Type) -> u64 {
        assert!(of.is_sized(), "a type without a size");
        // SAFETY: the type has a size, and the layout is the module's.
        unsafe { LLVMStoreSizeOfType(self.layout, of.0) }
    }

    /// How many bytes lie between one element of an array and the next.
    pub fn stride(&self, of: Type) -> u64 {
        assert!(of.is_sized(), "a type without a size");
        // SAFETY: the type has a size, and the layout is the module's.
        unsafe { LLVMABISizeOfType(self.layout, of.0) }
    }

    /// Where a field of a structure is, in bytes.
    pub fn offset(&self, structure: Type, index: u32) -> u64 {
        assert!(structure.part(index).is_some(), "no such field");
        // SAFETY: the index is that of a field, and the layout is the module's.
        unsafe { LLVMOffsetOfElement(self.layout, structure.0, index) }
    }

    fn integer_type(&self, bits: u32) -> Type {
        // SAFETY: the context is alive.
        unsafe { Type(LLVMIntTypeInContext(self.context, bits)) }
    }

    fn constant(&self, bits: u32, number: u64) -> Value {
        // SAFETY: the type is an integer type.
        unsafe { Value(LLVMConstInt(self.integer_type(bits).0, number, 0)) }
    }

    /// A constant of 32 bits.
    pub fn small(&self, number: u32) -> Value {
        self.constant(32, u64::from(number))
    }

    /// A constant of 64 bits.
    pub fn number(&self, number: u64) -> Value {
        self.constant(64, number)
    }

    /// The null pointer.
    pub fn null(&self) -> Value {
        // SAFETY: the context is alive, and a pointer type has a null value.
        unsafe { Value(LLVMConstNull(LLVMPointerTypeInContext(self.context, 0))) }
    }

    /// Calls a function of the module by its name.
    ///
    /// # Panics
    /// If the module has no such function, or the function takes other arguments.
    pub fn call(&self, name: &'static str, arguments: &[Value]) -> Value {
        let function = *self.functions.borrow_mut().entry(name).or_insert_with(|| {
            self.function(name)
                .unwrap_or_else(|| panic!("{name} is declared"))
        });
        let types = arguments.iter().map(|argument| argument.type_of());
        assert!(
            types.eq(function.value_type().parameters()),
            "{name} takes other arguments"
        );
        let mut arguments: Vec<LLVMValueRef> = arguments.iter().map(|value| value.0).collect();
        // SAFETY: the arguments are those that the function's type asks for, and LLVM copies the array.
        unsafe {
            Value(LLVMBuildCall2(
                self.builder,
                function.value_type().0,
                function.0,
                arguments.as_mut_ptr(),
                arguments.len() as u32,
                UNNAMED,
            ))
        }
    }

    /// Declares the function that marks values until they get the code that records them. It takes a value of any type.
    pub fn declare_mark(&self, name: &CStr) -> Value {
        // SAFETY: the context is alive, and LLVM copies the name.
        unsafe {
            let nothing = LLVMVoidTypeInContext(self.context);
            let kind = LLVMFunctionType(nothing, std::ptr::null_mut(), 0, 1);
            Value(LLVMAddFunction(self.module, name.as_ptr(), kind))
        }
    }

    /// Declares a function of the runtime that takes numbers of these widths and returns nothing.
    pub fn declare_hook(&self, name: &CStr, widths: &[u32]) {
        let mut kinds: Vec<LLVMTypeRef> = widths
            .iter()
            .map(|&bits| self.integer_type(bits).0)
            .collect();
        // SAFETY: the context is alive, the array is as long as it is said, and LLVM copies the name.
        unsafe {
            let nothing = LLVMVoidTypeInContext(self.context);
            let kind = LLVMFunctionType(nothing, kinds.as_mut_ptr(), kinds.len() as u32, 0);
            LLVMAddFunction(self.module, name.as_ptr(), kind);
        }
    }

    /// Calls the function that marks values.
    pub fn mark(&self, mark: Value, value: Value) -> Value {
        let mut argument = value.0;
        assert!(mark.value_type().is_variadic(), "it takes any value");
        // SAFETY: the function takes any number of values, and the array has the one that the count promises.
        unsafe {
            Value(LLVMBuildCall2(
                self.builder,
                mark.value_type().0,
                mark.0,
                &raw mut argument,
                1,
                UNNAMED,
            ))
        }
    }

    /// What is recorded of a value: its bits, or whether a pointer is null.
    pub fn recorded(&self, value: Value) -> Value {
        match value.type_of().kind() {
            TypeKind::LLVMFloatTypeKind => self.word(self.cast(Opcode::LLVMBitCast, value, 32)),
            TypeKind::LLVMDoubleTypeKind => self.cast(Opcode::LLVMBitCast, value, 64),
            TypeKind::LLVMPointerTypeKind => {
                // SAFETY: the value is a pointer.
                self.word(Value(unsafe {
                    LLVMBuildIsNotNull(self.builder, value.0, UNNAMED)
                }))
            }
            _ => self.word(value),
        }
    }

    /// Some bits of a word, moved to its low end.
    pub fn bits_of(&self, word: Value, mask: u64, shift: u32) -> Value {
        let masked = self.binary(Opcode::LLVMAnd, word, self.number(mask));
        self.binary(Opcode::LLVMLShr, masked, self.number(u64::from(shift)))
    }

    /// A word without its lowest bits, with its sign.
    pub fn without_bits(&self, word: Value, bits: u32) -> Value {
        self.binary(Opcode::LLVMAShr, word, self.number(u64::from(bits)))
    }

    /// The number of a function: that of the first of its module plus its own.
    pub fn number_of_function(&self, number: u32) -> Value {
        let name = c"yester.first".as_ptr();
        // SAFETY: the name ends with a zero, and LLVM only reads it.
        let first = unsafe { some(LLVMGetNamedGlobal(self.module, name)) };
        let first = self.fetch(first.expect("event.ll is linked in"), 0, 32);
        self.add(first, self.small(number))
    }

    /// Converts to an integer with another number of bits.
    fn cast(&self, opcode: Opcode, value: Value, bits: u32) -> Value {
        self.cast_to(opcode, value, self.integer_type(bits))
    }

    fn cast_to(&self, opcode: Opcode, value: Value, kind: Type) -> Value {
        // SAFETY: all are alive. Callers choose an opcode that fits both types.
        unsafe {
            Value(LLVMBuildCast(
                self.builder,
                opcode,
                value.0,
                kind.0,
                UNNAMED,
            ))
        }
    }

    /// A value as 64 bits: extended with zeros, the address, or the bits of a floating point number. What is wider or no number
    /// becomes 0.
    pub fn word(&self, value: Value) -> Value {
        match value.type_of().kind() {
            TypeKind::LLVMPointerTypeKind => self.cast(Opcode::LLVMPtrToInt, value, 64),
            TypeKind::LLVMDoubleTypeKind => self.cast(Opcode::LLVMBitCast, value, 64),
            TypeKind::LLVMFloatTypeKind => {
                let bits = self.cast(Opcode::LLVMBitCast, value, 32);
                self.cast(Opcode::LLVMZExt, bits, 64)
            }
            TypeKind::LLVMIntegerTypeKind if value.type_of().bits() == 64 => value,
            TypeKind::LLVMIntegerTypeKind if value.type_of().bits() < 64 => {
                self.cast(Opcode::LLVMZExt, value, 64)
            }
            _ => self.number(0),
        }
    }

    /// A value of another type that [`Emitter::word`] has turned into 64 bits.
    pub fn value_of(&self, word: Value, kind: Type) -> Value {
        match kind.kind() {
            TypeKind::LLVMPointerTypeKind => self.cast_to(Opcode::LLVMIntToPtr, word, kind),
            TypeKind::LLVMDoubleTypeKind => self.cast_to(Opcode::LLVMBitCast, word, kind),
            TypeKind::LLVMFloatTypeKind => {
                let bits = self.cast(Opcode::LLVMTrunc, word, 32);
                self.cast_to(Opcode::LLVMBitCast, bits, kind)
            }
            TypeKind::LLVMIntegerTypeKind if kind.bits() < 64 => {
                self.cast_to(Opcode::LLVMTrunc, word, kind)
            }
            _ => word,
        }
    }

    /// A condition as 32 bits.
    pub fn truth(&self, condition: Value) -> Value {
        assert!(condition.type_of().bits() < 32, "a condition is narrow");
        self.cast(Opcode::LLVMZExt, condition, 32)
    }

    /// An index as 64 bits, with its sign.
    pub fn signed(&self, index: Value) -> Value {
        match index.type_of().bits() {
            64 => index,
            ..64 => self.cast(Opcode::LLVMSExt, index, 64),
            _ => self.cast(Opcode::LLVMTrunc, index, 64),
        }
    }

    fn binary(&self, opcode: Opcode, one: Value, other: Value) -> Value {
        assert_eq!(one.type_of(), other.type_of(), "operands of one type");
        // SAFETY: the operands are integers of the same type, and all opcodes used here are for such.
        unsafe {
            Value(LLVMBuildBinOp(
                self.builder,
                opcode,
                one.0,
                other.0,
                UNNAMED,
            ))
        }
    }

    /// The bits of both.
    pub fn or(&self, one: Value, other: Value) -> Value {
        match (one.integer(), other.integer()) {
            (Some(0), _) => return other,
            (_, Some(0)) => return one,
            _ => {}
        }
        self.binary(Opcode::LLVMOr, one, other)
    }

    /// The sum.
    pub fn add(&self, one: Value, other: Value) -> Value {
        self.binary(Opcode::LLVMAdd, one, other)
    }

    /// The product.
    pub fn multiply(&self, one: Value, other: Value) -> Value {
        self.binary(Opcode::LLVMMul, one, other)
    }

    /// The first value if the condition is true, else the second.
    pub fn select(&self, condition: Value, first: Value, second: Value) -> Value {
        assert_eq!(first.type_of(), second.type_of(), "values of one type");
        // SAFETY: both values have the same type, and the condition is one of the program's.
        unsafe {
            Value(LLVMBuildSelect(
                self.builder,
                condition.0,
                first.0,
                second.0,
                UNNAMED,
            ))
        }
    }

    /// A part of a structure, array or vector; the whole value if the path is empty.
    pub fn part(&self, value: Value, path: &[u32]) -> Value {
        path.iter().fold(value, |value, &index| {
            if value.type_of().kind() == TypeKind::LLVMVectorTypeKind {
                let index = self.number(u64::from(index));
                // SAFETY: the value is a vector, and the path is one of its type.
                unsafe {
                    Value(LLVMBuildExtractElement(
                        self.builder,
                        value.0,
                        index.0,
                        UNNAMED,
                    ))
                }
            } else {
                // SAFETY: the value is a structure or array, and the path is one of its type.
                unsafe { Value(LLVMBuildExtractValue(self.builder, value.0, index, UNNAMED)) }
            }
        })
    }

    /// A phi of 32 bits, still without values.
    pub fn phi(&self) -> Value {
        // SAFETY: the builder is alive, and the type is a first-class one.
        unsafe { Value(LLVMBuildPhi(self.builder, self.integer_type(32).0, UNNAMED)) }
    }

    /// An alloca of so many words of 64 bits. The position has to be in the entry block.
    pub fn room(&self, words: u32) -> Value {
        // SAFETY: an array of integers has a size, so it can be allocated.
        unsafe {
            let array = LLVMArrayType2(self.integer_type(64).0, u64::from(words));
            Value(LLVMBuildAlloca(self.builder, array, UNNAMED))
        }
    }

    /// Stores a value in a word of a room.
    pub fn put(&self, room: Value, index: u64, value: Value) {
        let mut index = self.number(index).0;
        let word = self.integer_type(64).0;
        // SAFETY: the room is a pointer, and the array of indices has the one element that the count promises.
        unsafe {
            let place = LLVMBuildGEP2(self.builder, word, room.0, &raw mut index, 1, UNNAMED);
            LLVMBuildStore(self.builder, value.0, place);
        }
    }

    /// A constant text that ends with a zero.
    pub fn text(&self, text: &str) -> Value {
        // SAFETY: LLVM copies as many bytes of the text as it is told.
        let value =
            unsafe { LLVMConstStringInContext2(self.context, text.as_ptr().cast(), text.len(), 0) };
        self.private(Value(value))
    }

    /// A constant array of 64-bit numbers; pointers become addresses.
    pub fn table(&self, numbers: &[Value]) -> Value {
        let word = self.integer_type(64).0;
        let mut values: Vec<LLVMValueRef> = numbers
            .iter()
            .map(|value| {
                assert!(value.is_constant(), "a table has constants only");
                if value.type_of().kind() == TypeKind::LLVMPointerTypeKind {
                    // SAFETY: the value is a constant pointer, and a word takes an address.
                    unsafe { LLVMConstPtrToInt(value.0, word) }
                } else {
                    value.0
                }
            })
            .collect();
        // SAFETY: all values are constants of 64 bits, and LLVM copies the array.
        let value = unsafe { LLVMConstArray2(word, values.as_mut_ptr(), values.len() as u64) };
        self.private(Value(value))
    }

    /// A constant global variable that only this module sees.
    fn private(&self, value: Value) -> Value {
        // SAFETY: the value is a constant of the type that the variable is given.
        unsafe {
            let global = LLVMAddGlobal(self.module, value.type_of().0, c"yester.data".as_ptr());
            LLVMSetInitializer(global, value.0);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
            Value(global)
        }
    }
}
