//! Emits instructions and constants into a module. `ir.rs` says what keeps the calls of LLVM sound.

mod control;

use std::cell::RefCell;
use std::collections::HashMap;

use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType,
    LLVMTargetDataRef,
};

use crate::ir::{BlockRef, IntegerPredicate, Linkage, Opcode, Type, TypeKind, Value};
use crate::llvm::DebugPlace;
use crate::module::Module;

/// The name of instructions that need none.
const UNNAMED: *const i8 = c"".as_ptr();

/// Emits into one module, at a position that [`Emitter::before`] sets.
pub struct Emitter<'a> {
    /// Must outlive the pointers into it.
    pub module: &'a Module<'a>,
    builder: LLVMBuilderRef,
    layout: LLVMTargetDataRef,
    /// Functions that were asked for, so that LLVM need not look for their names again.
    functions: RefCell<HashMap<&'static str, Value>>,
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
        // SAFETY: the module is alive as long as the emitter borrows it, and its context lives longer still.
        unsafe {
            Emitter {
                module,
                builder: LLVMCreateBuilderInContext(module.context),
                layout: LLVMGetModuleDataLayout(module.raw),
                functions: RefCell::default(),
            }
        }
    }

    /// Emits before this instruction from now on, with its location in the source.
    pub fn before(&self, instruction: Value) {
        assert!(instruction.is_instruction(), "a position is an instruction");
        // SAFETY: the value is an instruction, and it is in a block.
        unsafe { LLVMPositionBuilderBefore(self.builder, instruction.0) }
    }

    /// Emits at the end of this block from now on, without a place in the source.
    pub fn at_end(&self, block: BlockRef) {
        self.at_end_with(block, None);
    }

    /// Emits at the end of this block from now on, with this place in the source.
    pub fn at_end_with(&self, block: BlockRef, place: Option<DebugPlace>) {
        let place = place.map_or(std::ptr::null_mut(), |place| place.0);
        // SAFETY: the block is alive and in a function. What is emitted must not keep the last place, which may be in another function.
        unsafe {
            LLVMPositionBuilderAtEnd(self.builder, block.0);
            LLVMSetCurrentDebugLocation2(self.builder, place);
        }
    }

    /// Moves an instruction to where code is emitted. It keeps its name and its place in the source.
    pub fn move_here(&self, instruction: Value) {
        let instruction = instruction.of_class(instruction.is_instruction());
        // SAFETY: once the instruction is in no block any more, the builder may insert it.
        unsafe {
            let place = LLVMInstructionGetDebugLoc(instruction);
            LLVMInstructionRemoveFromParent(instruction);
            LLVMInsertIntoBuilder(self.builder, instruction);
            LLVMInstructionSetDebugLoc(instruction, place);
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
        let filter = self.module.global("__yester_filter");
        let filter = filter.expect("runtime.ll declares it").0;
        // SAFETY: the filter is a global array of so many bytes, and the index stays below that.
        unsafe {
            let place = LLVMBuildGEP2(self.builder, byte, filter, &raw mut index, 1, UNNAMED);
            Value(LLVMBuildLoad2(self.builder, byte, place, UNNAMED))
        }
    }

    /// The address of a thread-local variable of the runtime.
    pub fn thread_local(&self, name: &str) -> Value {
        let variable = self.module.global(name).expect("runtime.ll declares it");
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

    /// Loads a value of a type from an address.
    pub fn load(&self, kind: Type, address: Value) -> Value {
        assert!(kind.is_sized(), "a type with values");
        // SAFETY: callers give the address of such a value.
        unsafe { Value(LLVMBuildLoad2(self.builder, kind.0, address.0, UNNAMED)) }
    }

    /// 1 if two numbers of one type are equal, else 0.
    pub fn equal(&self, one: Value, other: Value) -> Value {
        self.truth(self.compare(IntegerPredicate::LLVMIntEQ, one, other))
    }

    /// Whether two numbers or pointers of one type are related so.
    pub fn compare(&self, predicate: IntegerPredicate, one: Value, other: Value) -> Value {
        assert_eq!(one.type_of(), other.type_of(), "operands of one type");
        let name = UNNAMED;
        // SAFETY: the operands are integers or pointers of the same type.
        unsafe { Value(LLVMBuildICmp(self.builder, predicate, one.0, other.0, name)) }
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
        self.module.integer_type(bits)
    }

    /// A constant of 32 bits.
    pub fn small(&self, number: u32) -> Value {
        self.module.integer(32, u64::from(number))
    }

    /// A constant of 64 bits.
    pub fn number(&self, number: u64) -> Value {
        self.module.integer(64, number)
    }

    /// Calls a function of the module by its name.
    ///
    /// # Panics
    /// If the module has no such function, or the function takes other arguments.
    pub fn call(&self, name: &'static str, arguments: &[Value]) -> Value {
        let function = *self.functions.borrow_mut().entry(name).or_insert_with(|| {
            self.module
                .function(name)
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
        let first = self.module.global("yester.first");
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
        self.phi_of(self.integer_type(32))
    }

    /// A phi of a type, still without values.
    pub fn phi_of(&self, kind: Type) -> Value {
        // SAFETY: the builder is alive, and callers give the type of a value, which is a first-class one.
        unsafe { Value(LLVMBuildPhi(self.builder, kind.0, UNNAMED)) }
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
        self.private(self.module.bytes(text.as_bytes(), true))
    }

    /// A constant array of 64-bit numbers; pointers become addresses.
    pub fn table(&self, numbers: &[Value]) -> Value {
        let word = self.integer_type(64).0;
        let values: Vec<Value> = numbers
            .iter()
            .map(|value| {
                assert!(value.is_constant(), "a table has constants only");
                if value.type_of().kind() == TypeKind::LLVMPointerTypeKind {
                    // SAFETY: the value is a constant pointer, and a word takes an address.
                    Value(unsafe { LLVMConstPtrToInt(value.0, word) })
                } else {
                    *value
                }
            })
            .collect();
        self.private(self.module.array(self.number(0), &values))
    }

    /// A constant global variable that only this module sees.
    fn private(&self, value: Value) -> Value {
        let linkage = Linkage::LLVMPrivateLinkage;
        self.module.define(c"yester.data", value, linkage, true)
    }
}
