//! How a programmer would call a place in memory: `x`, `*p`, `a[]`, `s->field`.

use crate::debug::{DebugNames, MemberName};
use crate::emitter::Emitter;
use crate::ir::{Opcode, Type, TypeKind, Value};

/// Stands for what has no short name.
const UNKNOWN: &str = "(...)";
/// So many steps at most are followed: `a.b.c.d`.
const MOST_STEPS: usize = 16;

/// Names places.
pub struct Namer<'a> {
    names: &'a DebugNames,
    emitter: &'a Emitter<'a>,
}

impl<'a> Namer<'a> {
    pub fn new(names: &'a DebugNames, emitter: &'a Emitter<'a>) -> Self {
        Namer { names, emitter }
    }

    /// The name of the variable at an address.
    pub fn variable(&self, address: Value) -> Option<&str> {
        let variable = self.names.variable(of_any_thread(address));
        variable.map(|name| name.text.as_str())
    }

    /// The member of a structure at an offset in bytes.
    pub fn member_at(&self, structure: &str, offset: u64) -> Option<MemberName> {
        self.names.member(structure, 8 * offset, "")
    }

    /// The member at an offset in bytes of the structure that a variable is.
    pub fn member_of_variable(&self, address: Value, offset: u64) -> Option<MemberName> {
        let variable = self.names.variable(address)?;
        self.names.member_of_variable(variable, 8 * offset)
    }

    /// Whether so many bits at an address are more than the member there has: several bit fields that are initialised together.
    pub fn is_several(&self, address: Value, bits: u32) -> bool {
        is_member(address)
            && self
                .member(address, 0)
                .is_some_and(|member| member.bits < u64::from(bits))
    }

    /// The name of the number at an address, or of the bit field that begins with this bit there.
    pub fn place(&self, address: Value, bit: Option<u32>) -> String {
        let place = self.name_place(address, bit.map_or(0, u64::from), MOST_STEPS);
        let part = self.first_part(address, bit);
        match place.strip_prefix('*') {
            Some(pointer) if part.starts_with("->") => format!("{pointer}{part}"),
            _ => place + &part,
        }
    }

    /// What leads from a whole structure or array to its first number: clang needs no instruction for that.
    fn first_part(&self, address: Value, bit: Option<u32>) -> String {
        let bit_offset = bit.map_or(0, u64::from);
        let whole = match address {
            alloca if alloca.is_alloca() => Some(alloca.allocated()),
            global if global.is_global() => Some(global.value_type()),
            member if is_member(member) => member_type(member),
            _ => None,
        };
        let mut text = String::new();
        let Some(mut kind) = whole else {
            // Only a bit field may be what a pointer points to.
            let variable = loaded_from(address).and_then(|from| self.names.variable(from));
            let member = variable
                .filter(|_| bit.is_some())
                .and_then(|variable| self.names.member_of_variable(variable, bit_offset));
            return member.map_or(text, |member| format!("->{}", member.text));
        };
        loop {
            kind = match kind.kind() {
                TypeKind::LLVMStructTypeKind => {
                    let name = kind.name();
                    let Some(member) = self.names.member(&name, bit_offset, "") else {
                        return text;
                    };
                    text = format!("{text}.{}", member.text);
                    match kind.part(0) {
                        Some(first) if bit_offset == 0 => first,
                        _ => return text,
                    }
                }
                TypeKind::LLVMArrayTypeKind => {
                    text.push_str("[0]");
                    kind.element()
                }
                _ => return text,
            };
        }
    }

    /// Whether the number at an address has no sign.
    pub fn is_unsigned(&self, address: Value, bit: Option<u32>) -> bool {
        let bit = bit.map_or(0, u64::from);
        let mut address = address;
        for _ in 0..MOST_STEPS {
            if let Some(variable) = self.names.variable(of_any_thread(address)) {
                let member = self.names.member_of_variable(variable, bit);
                return member.map_or(variable.is_unsigned, |member| member.is_unsigned);
            }
            if address.is_element() {
                if is_member(address) {
                    let member = self.member(address, bit);
                    return member.is_some_and(|member| member.is_unsigned);
                }
                address = address.operand(0);
            } else if let Some(from) = loaded_from(address) {
                address = from;
            } else {
                return false;
            }
        }
        false
    }

    /// Whether a parameter of a function has no sign; number 0 is the result.
    pub fn is_unsigned_parameter(&self, function: Value, number: usize) -> bool {
        self.names.is_unsigned(function, number)
    }

    /// The name of a pointer.
    pub fn pointer(&self, pointer: Value) -> String {
        self.name_pointer(pointer, MOST_STEPS)
    }

    /// The name of what an element is an element of.
    pub fn indexed(&self, element: Value) -> String {
        self.name_indexed(element, MOST_STEPS)
    }

    fn name_indexed(&self, element: Value, steps: usize) -> String {
        let of = element.operand(0);
        match element.element_source().kind() {
            TypeKind::LLVMArrayTypeKind if element.operands().len() > 2 => {
                self.name_place(of, 0, steps)
            }
            _ => self.name_pointer(of, steps),
        }
    }

    fn name_place(&self, address: Value, bit: u64, steps: usize) -> String {
        let Some(steps) = steps.checked_sub(1) else {
            return UNKNOWN.to_owned();
        };
        if let Some(name) = self.variable(address) {
            return name.to_owned();
        }
        if address.is_global() {
            return address.name();
        }
        if is_exception(address) {
            return "exception".to_owned();
        }
        if !address.is_element() {
            // What a reference refers to has the name of the reference.
            if let Some(variable) = loaded_from(address).and_then(|from| self.names.variable(from))
                && variable.is_reference
            {
                return variable.text.clone();
            }
            return format!("*{}", self.name_pointer(address, steps));
        }
        if is_member(address) {
            return self.name_member(address, bit, steps);
        }
        let of = self.name_indexed(address, steps);
        match address.operands().last().and_then(|index| index.integer()) {
            Some(index) => format!("{of}[{}]", index.cast_signed()),
            None => format!("{of}[]"),
        }
    }

    fn member(&self, address: Value, bit: u64) -> Option<MemberName> {
        let offset = self.emitter.constant_offset(address)?;
        let structure = address.element_source().name();
        self.names
            .member(&structure, 8 * offset + bit, &hint(address))
    }

    fn name_member(&self, address: Value, bit: u64, steps: usize) -> String {
        let of = address.operand(0);
        let name = match self.member(address, bit) {
            Some(member) => member.text,
            None => match hint(address) {
                hint if hint.is_empty() => UNKNOWN.to_owned(),
                // The parts of a complex number are called after the variable, too.
                hint => hint
                    .trim_end_matches(|c: char| c.is_ascii_digit())
                    .rsplit('.')
                    .next()
                    .unwrap_or(UNKNOWN)
                    .to_owned(),
            },
        };
        let is_place = self.variable(of).is_some() || of.is_global() || of.is_element();
        if is_place {
            format!("{}.{name}", self.name_place(of, 0, steps))
        } else {
            match loaded_from(of).and_then(|from| self.names.variable(from)) {
                Some(variable) if variable.is_reference => format!("{}.{name}", variable.text),
                _ => format!("{}->{name}", self.name_pointer(of, steps)),
            }
        }
    }

    /// The name of what a call calls.
    pub fn callee(&self, callee: Value) -> String {
        match loaded_from(callee) {
            Some(from) if from.name().starts_with("vfn") && from.is_element() => {
                let index = from.operands().last().and_then(|index| index.integer());
                format!("virtual function {}", index.unwrap_or(0))
            }
            _ => self.pointer(callee),
        }
    }

    fn name_pointer(&self, pointer: Value, steps: usize) -> String {
        let Some(steps) = steps.checked_sub(1) else {
            return UNKNOWN.to_owned();
        };
        if let Some(from) = loaded_from(pointer) {
            return self.name_place(from, 0, steps);
        }
        if pointer.is_instruction()
            && matches!(pointer.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
            && pointer.callee().is_function()
        {
            return format!("{}()", pointer.callee().name());
        }
        if pointer.is_element() {
            let operands = pointer.operands();
            let indices = operands[1..].iter().map(|index| index.integer());
            // An array becomes a pointer to its first element.
            if indices.clone().all(|index| index == Some(0))
                && pointer.element_source().kind() == TypeKind::LLVMArrayTypeKind
            {
                return self.name_place(pointer.operand(0), 0, steps);
            }
            return format!("&{}", self.name_place(pointer, 0, steps));
        }
        if self.variable(pointer).is_some() || pointer.is_global() {
            return self.name_place(pointer, 0, steps);
        }
        if pointer.is_function() {
            return pointer.name();
        }
        UNKNOWN.to_owned()
    }
}

/// The variable whose address in this thread an intrinsic computes; the address itself if it is something else.
fn of_any_thread(address: Value) -> Value {
    let is_meant = address.is_instruction()
        && address.opcode() == Opcode::LLVMCall
        && address.callee().is_function()
        && address
            .callee()
            .name()
            .starts_with("llvm.threadlocal.address");
    if is_meant {
        address.operand(0)
    } else {
        address
    }
}

/// Whether an address is that of a member of a structure.
fn is_member(address: Value) -> bool {
    address.is_element()
        && address.element_source().kind() == TypeKind::LLVMStructTypeKind
        && address.operands().len() == 3
}

fn member_type(member: Value) -> Option<Type> {
    let index = member.operand(2).integer()?;
    member.element_source().part(index as u32)
}

/// How clang calls the address of a member; a constant has no name.
fn hint(address: Value) -> String {
    if address.is_instruction() {
        address.name()
    } else {
        String::new()
    }
}

/// Whether an address is where an exception is made.
fn is_exception(address: Value) -> bool {
    address.is_instruction()
        && address.opcode() == Opcode::LLVMCall
        && address.callee().is_function()
        && address.callee().name() == "__cxa_allocate_exception"
}

/// The address that a value was loaded from.
fn loaded_from(value: Value) -> Option<Value> {
    (value.is_instruction() && value.opcode() == Opcode::LLVMLoad).then(|| value.operand(0))
}
