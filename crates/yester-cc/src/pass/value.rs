//! Value sites: the places where the program assigns a value, uses an index, passes an argument or returns a result.
//!
//! They are found before local variables become values, since each assignment is a store then. A call of a function that does not
//! exist, the *mark*, keeps the value. The marks become sites with all others, and at last calls of the runtime.

mod initial;
mod name;

use std::collections::HashMap;

use yester_pathrt::format::is_system_file;

use self::name::Namer;
use super::site::FunctionPlan;
use crate::debug::DebugNames;
use crate::emitter::Emitter;
use crate::ir::{Opcode, Type, TypeKind, Value};
use crate::llvm::{self, SourceLocation};
use crate::module::Module;

/// Compiler-generated calls, by how their names begin.
const GENERATED_CALLS: [&str; 5] = ["__cxa_", "__clang_", "_Unwind_", "_Zd", "llvm."];
/// Intrinsics that stand for calls of the C library.
const LIBRARY_INTRINSICS: [(&str, &str); 3] = [
    ("llvm.memcpy.", "memcpy"),
    ("llvm.memmove.", "memmove"),
    ("llvm.memset.", "memset"),
];
/// Compiler-generated variables that have names in the debug information, by how these begin.
const GENERATED_VARIABLES: [&str; 4] = ["__range", "__begin", "__end", "__vla_expr"];
/// Compiler-generated global variables: guards and virtual tables.
const GENERATED_GLOBALS: [&str; 4] = ["_ZGV", "_ZTV", "_ZTT", "llvm."];

/// Indices that clang computes for virtual bases and pointers to members, by how their names begin.
const GENERATED_INDICES: [&str; 2] = ["vbase.", "memptr."];
/// How clang names the sums of pointers and numbers that a programmer has written.
const STEPS: [&str; 2] = ["add.ptr", "incdec.ptr"];
/// The driver's own headers are in a directory whose name begins like this, with six letters behind it.
const OWN_DIRECTORY: &str = "/yester-cc-";

/// A value that is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueMark {
    /// What has the value: `x`, `index of a`.
    pub name: String,
    /// Its form, as the table has it: `i32`, `f64`, `p`.
    pub form: String,
    /// Where it is in the source.
    pub location: SourceLocation,
    /// If only some bits of what is stored are meant.
    pub bits: Option<FieldBits>,
}

/// Where a bit field is in what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldBits {
    mask: u64,
    shift: u32,
}

/// By the calls that mark them.
pub type ValueMarks = HashMap<Value, ValueMark>;

/// Marks the values of these functions, as long as local variables are in memory; with the constants that are added to pointers if steps
/// are wanted.
pub fn mark(module: &Module<'_>, functions: &[Value], with_steps: bool) -> ValueMarks {
    let names = DebugNames::read(module);
    let emitter = Emitter::new(module);
    let mut marker = ValueMarker {
        function: module.declare_mark(c"yester.value"),
        emitter: &emitter,
        namer: Namer::new(&names, &emitter),
        marks: ValueMarks::new(),
        with_steps,
    };
    for function in functions {
        let blocks = function.all_blocks();
        for instruction in blocks.iter().flat_map(|block| block.instructions()) {
            match instruction.opcode() {
                Opcode::LLVMStore => marker.store(*function, instruction),
                Opcode::LLVMGetElementPtr => marker.element(instruction),
                Opcode::LLVMCall | Opcode::LLVMInvoke => marker.call(instruction),
                Opcode::LLVMRet => marker.result(*function, instruction),
                _ => {}
            }
        }
    }
    marker.marks
}

/// Replaces the marks by code that records the values.
pub fn record(module: &Module<'_>, plans: &[FunctionPlan], marks: &ValueMarks) {
    let emitter = Emitter::new(module);
    for plan in plans {
        for (site, event_site) in plan.sites.iter().enumerate() {
            let call = event_site.instruction;
            let Some(mark) = marks.get(&call) else {
                continue;
            };
            emitter.before(call);
            let mut value = emitter.recorded(call.operand(0));
            if let Some(FieldBits { mask, shift }) = mark.bits {
                value = emitter.bits_of(value, mask, shift);
            }
            let function = emitter.number_of_function(plan.number);
            let site = emitter.small(site as u32);
            emitter.call("__yester_value", &[function, site, value]);
            call.erase();
        }
    }
}

/// The form of a value that can be recorded.
pub fn form(kind: Type, is_unsigned: bool) -> Option<String> {
    match kind.kind() {
        TypeKind::LLVMIntegerTypeKind if kind.bits() <= 64 => {
            Some(integer_form(kind.bits(), is_unsigned))
        }
        TypeKind::LLVMFloatTypeKind => Some("f32".to_owned()),
        TypeKind::LLVMDoubleTypeKind => Some("f64".to_owned()),
        TypeKind::LLVMPointerTypeKind => Some("p".to_owned()),
        _ => None,
    }
}

fn integer_form(bits: u32, is_unsigned: bool) -> String {
    let sign = if is_unsigned { 'u' } else { 'i' };
    format!("{sign}{bits}")
}

/// What is known about a value besides the value itself.
struct ValueLabel {
    name: String,
    is_unsigned: bool,
    bits: Option<FieldBits>,
}

impl ValueLabel {
    fn new(name: String, is_unsigned: bool) -> Self {
        ValueLabel {
            name,
            is_unsigned,
            bits: None,
        }
    }
}

struct ValueMarker<'a> {
    function: Value,
    emitter: &'a Emitter<'a>,
    namer: Namer<'a>,
    marks: ValueMarks,
    with_steps: bool,
}

impl ValueMarker<'_> {
    /// Marks a value before an instruction, if it can be recorded.
    fn add(&mut self, before: Value, location: SourceLocation, value: Value, label: ValueLabel) {
        let Some(form) = form(value.type_of(), label.is_unsigned) else {
            return;
        };
        self.emitter.before(before);
        let call = self.emitter.mark(self.function, value);
        let form = match label.bits {
            Some(bits) => integer_form(bits.mask.count_ones(), label.is_unsigned),
            None => form,
        };
        let mark = ValueMark {
            name: label.name,
            form,
            location,
            bits: label.bits,
        };
        self.marks.insert(call, mark);
    }

    fn store(&mut self, function: Value, store: Value) {
        let (value, address) = (store.operand(0), store.operand(1));
        let Some(location) = own_location(store) else {
            return;
        };
        // Parameters are stored first of all: the call has recorded them.
        if uncast(value).is_parameter() || is_generated_constant(value) {
            return;
        }
        let base = base(address);
        if base.is_alloca() {
            match self.namer.variable(base) {
                Some(name) if begins(name, &GENERATED_VARIABLES) => return,
                Some(_) => {}
                None if base.name().starts_with("retval") && base == address => {
                    let label = self.result_of(function);
                    return self.add(store, location, value, label);
                }
                None if base.name().starts_with(".compoundliteral") => {}
                None => return,
            }
        }
        if base.is_global() && begins(&base.name(), &GENERATED_GLOBALS) {
            return;
        }
        if is_packed_place(address) && is_of_call(value) {
            return;
        }
        let bits = field_bits(value, address);
        let bit = bits.map(|bits| bits.shift);
        let mut name = self.namer.place(address, bit);
        if bits.is_none()
            && value.type_of().kind() == TypeKind::LLVMIntegerTypeKind
            && self.namer.is_several(address, value.type_of().bits())
        {
            name = format!("bit fields from {name} on");
        }
        let label = ValueLabel {
            name,
            is_unsigned: self.namer.is_unsigned(address, bit),
            bits,
        };
        self.add(store, location, value, label);
    }

    /// Marks an index, be it of an array or of what a pointer points to.
    fn element(&mut self, element: Value) {
        let operands = element.operands();
        let Some((index, _)) = operands[1..].split_last() else {
            return;
        };
        let name = element.name();
        let is_subscript = name.starts_with("arrayidx");
        let is_step = self.with_steps && begins(&name, &STEPS);
        if !is_subscript && !is_step && index.integer().is_some()
            || index.type_of().kind() != TypeKind::LLVMIntegerTypeKind
            || begins(&index.name(), &GENERATED_INDICES)
        {
            return;
        }
        if let Some(location) = own_location(element) {
            let name = format!("index of {}", self.namer.indexed(element));
            self.add(element, location, *index, ValueLabel::new(name, false));
        }
    }

    fn call(&mut self, call: Value) {
        let callee = call.callee();
        if callee == self.function || callee.is_assembler() {
            return;
        }
        let Some(location) = own_location(call) else {
            return;
        };
        let raw = if callee.is_function() {
            callee.name()
        } else {
            String::new()
        };
        let intrinsic = LIBRARY_INTRINSICS
            .iter()
            .find(|(prefix, _)| raw.starts_with(prefix));
        let arguments = call.arguments();
        let (name, arguments) = match intrinsic {
            // With a constant size it may be the copy of a structure, or the initial value of a variable.
            Some(_) if arguments[2].integer().is_some() => {
                return self.initial(call, &location, arguments[0], arguments[1]);
            }
            Some((_, name)) => ((*name).to_owned(), &arguments[..3]),
            None if begins(&raw, &GENERATED_CALLS) => return,
            None if raw.is_empty() => (self.namer.callee(callee), &arguments[..]),
            None => (raw.trim_start_matches('\u{1}').to_owned(), &arguments[..]),
        };
        // What the language passes by itself does not count: the place for a structure, and `this`.
        let mut hidden = u32::from(!arguments.is_empty() && call.parameter_is(0, "sret"));
        let is_method = (raw.is_empty() || raw.starts_with("_ZN") || raw.starts_with("_ZZ"))
            && (hidden as usize) < arguments.len()
            && call.parameter_is(hidden, "nonnull");
        hidden += u32::from(is_method);
        for (index, &argument) in arguments.iter().enumerate().skip(hidden as usize) {
            if is_worth_passing(argument) {
                let number = index + 1 - hidden as usize;
                let name = format!("argument {number} of {name}");
                let is_unsigned = self.namer.is_unsigned_parameter(callee, index + 1);
                let label = ValueLabel::new(name, is_unsigned);
                self.add(call, location.clone(), argument, label);
            }
        }
    }

    /// Marks the numbers that a variable gets at once.
    fn initial(&mut self, call: Value, location: &SourceLocation, variable: Value, from: Value) {
        if !variable.is_alloca() || !from.is_global() || !from.name().starts_with("__const.") {
            return;
        }
        for number in initial::numbers(&self.namer, self.emitter, variable, from) {
            let label = ValueLabel::new(number.name, number.is_unsigned);
            self.add(call, location.clone(), number.value, label);
        }
    }

    fn result(&mut self, function: Value, instruction: Value) {
        let Some(value) = instruction.operands().first().copied() else {
            return;
        };
        // What is in the place for results was marked when it was stored there.
        if is_packed(value) || value.is_must_tail() || is_result_slot(value) {
            return;
        }
        if let Some(location) = own_location(instruction) {
            let label = self.result_of(function);
            self.add(instruction, location, value, label);
        }
    }

    fn result_of(&self, function: Value) -> ValueLabel {
        let name = format!("result of {}", function.name());
        ValueLabel::new(name, self.namer.is_unsigned_parameter(function, 0))
    }
}

fn begins(name: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// Where an instruction is, unless that is unknown or in a header of the system.
pub fn own_location(instruction: Value) -> Option<SourceLocation> {
    Some(llvm::location_of_instruction(instruction)).filter(is_own)
}

/// Whether a place is known, and not in a header of the system.
pub fn is_own(location: &SourceLocation) -> bool {
    let is_of_system = is_system_file(&location.file) || is_own_header(&location.file);
    location.line != 0 && !is_of_system
}

/// Whether a function is one that the compiler calls by itself.
pub fn is_generated(function: Value) -> bool {
    begins(&function.name(), &GENERATED_CALLS)
}

fn is_own_header(file: &str) -> bool {
    let rest = file.split_once(OWN_DIRECTORY).map(|(_, rest)| rest);
    rest.and_then(|rest| rest.get(6..))
        .is_some_and(|rest| rest.starts_with("/include/") || rest == "/strings.h")
}

fn is_call(value: Value) -> bool {
    value.is_instruction() && matches!(value.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
}

/// Whether a value is what a call returned, or a register of it.
fn is_of_call(value: Value) -> bool {
    if value.is_instruction() && value.opcode() == Opcode::LLVMExtractValue {
        is_call(value.operand(0))
    } else {
        is_call(value)
    }
}

fn uncast(mut value: Value) -> Value {
    while value.is_instruction()
        && matches!(
            value.opcode(),
            Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc | Opcode::LLVMBitCast
        )
    {
        value = value.operand(0);
    }
    value
}

/// The object that an address is in, as far as the code shows it.
fn base(mut address: Value) -> Value {
    while address.is_element() {
        address = address.operand(0);
    }
    address
}

/// The address of a virtual table.
fn is_generated_constant(value: Value) -> bool {
    let object = base(value);
    object.is_global() && begins(&object.name(), &["_ZTV", "_ZTT"])
}

/// Whether an address is that of a whole structure, which is passed as if it were one number.
fn is_packed_place(address: Value) -> bool {
    if address.name().starts_with("coerce") {
        return true;
    }
    let kind = match address {
        alloca if alloca.is_alloca() => alloca.allocated(),
        element if element.is_element() => element.element_source(),
        _ => return false,
    };
    if kind.kind() != TypeKind::LLVMStructTypeKind {
        return false;
    }
    if address.is_alloca() {
        !kind.name().starts_with("union.")
    } else {
        // Only structures that stand for registers have no name.
        kind.name().is_empty()
    }
}

/// Whether a value is a whole structure that is passed as a number.
fn is_packed(value: Value) -> bool {
    value.is_instruction()
        && value.opcode() == Opcode::LLVMLoad
        && is_packed_place(value.operand(0))
}

pub fn is_result_slot(value: Value) -> bool {
    value.is_instruction()
        && value.opcode() == Opcode::LLVMLoad
        && base(value.operand(0)).is_alloca()
        && base(value.operand(0)).name().starts_with("retval")
}

/// Numbers are; of pointers those that may be null.
fn is_worth_passing(argument: Value) -> bool {
    if argument.type_of().kind() != TypeKind::LLVMPointerTypeKind {
        return !is_packed(argument);
    }
    argument.is_null_pointer()
        || is_call(argument)
        || argument.is_instruction() && argument.opcode() == Opcode::LLVMLoad
}

/// The bits of a bit field, if that is what is stored: they are put into what was there.
fn field_bits(value: Value, address: Value) -> Option<FieldBits> {
    let is = |value: Value, opcode: Opcode| value.is_instruction() && value.opcode() == opcode;
    let cleared = if is(value, Opcode::LLVMOr) && value.name().starts_with("bf.set") {
        value.operand(0)
    } else {
        value
    };
    if !is(cleared, Opcode::LLVMAnd) || !cleared.name().starts_with("bf.clear") {
        return None;
    }
    let before = cleared.operand(0);
    if !is(before, Opcode::LLVMLoad) || before.operand(0) != address {
        return None;
    }
    let width = cleared.type_of().bits();
    let all = u64::MAX >> (64 - width.min(64));
    let mask = !cleared.operand(1).integer()? & all;
    (mask != 0).then_some(FieldBits {
        mask,
        shift: mask.trailing_zeros(),
    })
}
