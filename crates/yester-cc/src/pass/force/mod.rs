//! Places at which a run can be forced to do something else: branches, switches, values that are assigned, passed, returned or used as
//! an index, calls whose result nobody uses, operators, the gaps between statements and the exits there, and numbers outside of functions.
//!
//! Each place asks its byte of the module's array whether it is armed, and goes on as written if it is not. The optimiser runs
//! afterwards, so that a place costs a load and a branch that is always foreseen.
//!
//! In a program that records, only values are places that work, and a call each: the runtime gives the one that is followed an
//! expression. All places keep their numbers.

mod callable;
mod datum;
mod exit;
mod gap;
mod operator;

use std::collections::HashMap;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::values::{FunctionValue, PointerValue, StructValue};
use yester_pathrt::format::force::Fnv;

use self::callable::Callable;
use self::datum::Datum;
use self::exit::{Exit, LocalNumber, Returned};
use self::gap::{Reach, Structures};
use self::operator::operator;
use super::site::ConditionPlaces;
use super::value::{self, ValueMark, ValueMarks, own_location};
use super::{ForceChoice, PassError, choice, internalise, traceable};
use crate::debug::{self, DebugNames, LocalStructure};
use crate::emitter::Emitter;
use crate::ir::{Opcode, Type, TypeKind, Value};
use crate::llvm::{self, SourceLocation};

const FORCE: &str = include_str!("force.ll");

/// Adds the places to a module.
pub fn insert<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    conditions: &mut ConditionPlaces,
    choice: ForceChoice,
) -> Result<(), PassError> {
    let functions = traceable(module);
    let marks = value::mark(module, &functions, true);
    let structures = debug::local_structures(module);
    let kinds = debug::parameter_kinds(module);
    choice::branch(module, conditions)?;
    link(context, module)?;
    if choice == ForceChoice::Followed {
        let (pointer, word) = (context.ptr_type(Default::default()), context.i64_type());
        let parameters = [pointer.into(), word.into(), word.into()];
        module.add_function(
            "__yester_model_forced",
            word.fn_type(&parameters, false),
            None,
        );
    }
    let emitter = Emitter::new(module);
    let names = DebugNames::read(module);
    let callable = Callable::new(&names, kinds, module, emitter.globals());
    let mut forcer = Forcer {
        emitter: &emitter,
        names: &names,
        conditions,
        marks: &marks,
        structures: &structures,
        callable: &callable,
        called: Vec::new(),
        followed: (choice == ForceChoice::Followed).then(|| {
            let mut globals = emitter.globals();
            let armed = globals.find(|global| global.name() == "yester.armed");
            armed.expect("force.ll is linked in")
        }),
        count: 0,
        table: String::new(),
    };
    for function in functions {
        forcer.function(function);
    }
    let data = datum::data(&emitter, &names);
    forcer.table.push_str("function\t\t\t0\n");
    for datum in &data {
        forcer.place("datum", &datum.form, &datum.location, &datum.name);
    }
    let Forcer {
        count,
        table,
        called,
        ..
    } = forcer;
    for mark in marks.into_keys() {
        mark.erase();
    }
    let functions: Vec<PointerValue<'ctx>> = called
        .into_iter()
        .map(|function| address(context, module, function))
        .collect();
    let description = Description {
        count,
        data: &data,
        functions: &functions,
        table: &table,
    };
    describe(context, module, &description);
    Ok(())
}

/// Adds places one after the other.
struct Forcer<'a> {
    emitter: &'a Emitter<'a>,
    names: &'a DebugNames,
    conditions: &'a ConditionPlaces,
    marks: &'a ValueMarks,
    /// Of local variables.
    structures: &'a HashMap<Value, LocalStructure>,
    callable: &'a Callable<'a>,
    /// The functions in the table that the runtime can call.
    called: Vec<Option<Value>>,
    /// The array of places, if values are followed and nothing else is forced.
    followed: Option<Value>,
    /// How many places there are.
    count: u64,
    /// What yester is told about them.
    table: String,
}

impl Forcer<'_> {
    fn function(&mut self, function: FunctionValue<'_>) {
        let location = llvm::location_of_function(function);
        let name = function.get_name().to_string_lossy();
        let (name, file) = (plain(&name), plain(&location.file));
        let line = location.line;
        let signature = self.callable.signature(function);
        let called = signature.as_ref().map(|_| function.into());
        self.called.push(called);
        let signature = signature.unwrap_or_else(|| "-".to_owned());
        self.table
            .push_str(&format!("function\t{name}\t{file}\t{line}\t{signature}\n"));
        let blocks = Value::from(function).all_blocks();
        let structures = Structures::of(&blocks, self.structures);
        let gaps: HashMap<Value, SourceLocation> = gap::gaps(&blocks).into_iter().collect();
        let reach = structures.reach(&blocks);
        let turns = exit::turns(&blocks);
        let numbers = LocalNumber::all(&blocks, self.names);
        let returned = returned(function);
        let form = self.form_of_result(function, returned);
        let mut exits: Vec<Exit> = Vec::new();
        for block in blocks {
            let mut reach = reach[&block];
            // What is inserted on the way is no place.
            let mut marked: Vec<(Value, &ValueMark)> = Vec::new();
            for instruction in block.instructions() {
                if let Some(location) = gaps.get(&instruction) {
                    self.gap(instruction, location, &structures, reach);
                    let turn = turns.get(&block).copied().unwrap_or_default();
                    let numbers = LocalNumber::at(&numbers, location.line);
                    let text = turn.text(returned != Returned::Other, &numbers);
                    let answer = self.exit(instruction, location, &form, &text);
                    exits.extend(answer.map(|answer| Exit {
                        next: instruction,
                        block,
                        answer,
                        turn,
                        numbers,
                    }));
                }
                structures.pass(instruction, &mut reach);
                if let Some(mark) = self.marks.get(&instruction) {
                    marked.push((instruction.operand(0), mark));
                    continue;
                }
                for (value, mark) in marked.drain(..) {
                    self.value(instruction, value, mark);
                }
                match instruction.opcode() {
                    Opcode::LLVMBr => self.branch(instruction),
                    Opcode::LLVMSwitch => self.switch(instruction),
                    Opcode::LLVMCall | Opcode::LLVMInvoke => self.call(instruction),
                    _ => self.operator(instruction),
                }
            }
        }
        exit::connect(self.emitter, function.into(), returned, &exits);
    }

    /// How the values that a function returns are to be read.
    fn form_of_result(&self, function: FunctionValue<'_>, returned: Returned) -> String {
        let is_unsigned = self.names.is_unsigned(function.into(), 0);
        match returned {
            Returned::Word(kind) => value::form(kind, is_unsigned).unwrap_or_default(),
            _ => "-".to_owned(),
        }
    }

    /// A place at which control can leave or a variable be assigned, and what the runtime says there.
    fn exit(
        &mut self,
        next: Value,
        location: &SourceLocation,
        form: &str,
        text: &str,
    ) -> Option<Value> {
        if text.is_empty() {
            return None;
        }
        let number = self.place("exit", form, location, text);
        if self.followed.is_some() {
            return None;
        }
        self.emitter.before(next);
        Some(self.emitter.call("yester.exit", &[number]))
    }

    /// The number of a new place.
    fn place(&mut self, kind: &str, form: &str, location: &SourceLocation, text: &str) -> Value {
        let SourceLocation { file, line, column } = location;
        let (file, text) = (plain(file), plain(text));
        self.table.push_str(&format!(
            "{kind}\t{form}\t{line}\t{column}\t{file}\t{text}\n"
        ));
        let number = self.emitter.number(self.count);
        self.count += 1;
        number
    }

    fn branch(&mut self, branch: Value) {
        let is_conditional = branch.operands().len() == 1;
        let location = self.conditions.get(&branch).cloned();
        let location = location.or_else(|| own_location(branch));
        let Some(location) = location.filter(value::is_own) else {
            return;
        };
        if !is_conditional || branch.operand(0).is_constant() {
            return;
        }
        let number = self.place("branch", "i1", &location, "");
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(branch);
        let forced = self
            .emitter
            .call("yester.branch", &[number, branch.operand(0)]);
        branch.set_operand(0, forced);
    }

    fn switch(&mut self, switch: Value) {
        let condition = switch.operand(0);
        let Some(location) = own_location(switch).filter(|_| is_number(condition)) else {
            return;
        };
        let cases = llvm::cases(switch);
        let cases: Vec<String> = cases.iter().map(i64::to_string).collect();
        let form = format!("i{}", condition.type_of().bits());
        let number = self.place("switch", &form, &location, &cases.join(" "));
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(switch);
        let word = self.emitter.word(condition);
        let forced = self.emitter.call("yester.assigned", &[number, word]);
        switch.set_operand(0, self.emitter.value_of(forced, condition.type_of()));
    }

    /// What is between two statements.
    fn gap(
        &mut self,
        next: Value,
        location: &SourceLocation,
        structures: &Structures<'_>,
        reach: Reach,
    ) {
        let number = self.place("gap", "-", location, &structures.text(reach));
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(next);
        let addresses = structures.variables(reach);
        let addresses = addresses.map(|variable| match variable {
            Some((variable, true)) => self.emitter.fetch(variable, 0, 64),
            Some((variable, false)) => self.emitter.word(variable),
            None => self.emitter.number(0),
        });
        let mut arguments: Vec<Value> = std::iter::once(number).chain(addresses).collect();
        arguments.resize(1 + gap::MOST_STRUCTURES, self.emitter.number(0));
        self.emitter.call("yester.gap", &arguments);
    }

    /// A value that an instruction assigns, passes, returns or uses as an index.
    fn value(&mut self, user: Value, value: Value, mark: &ValueMark) {
        if mark.bits.is_some() || !is_word(value) {
            return;
        }
        let is_store = user.opcode() == Opcode::LLVMStore;
        let operands = user.operands();
        let index = match user.opcode() {
            Opcode::LLVMStore => (operands[0] == value).then_some(0),
            // What is marked is the last index; the first one may be the same constant.
            Opcode::LLVMGetElementPtr => operands.iter().rposition(|operand| *operand == value),
            _ => operands.iter().position(|operand| *operand == value),
        };
        let Some(index) = index else { return };
        let kind = if is_store { "store" } else { "value" };
        let number = self.place(kind, &mark.form, &mark.location, &mark.name);
        self.emitter.before(user);
        let word = self.emitter.word(value);
        let forced = match (self.followed, is_store) {
            (Some(armed), _) => {
                let arguments = [armed, number, word];
                self.emitter.call("__yester_model_forced", &arguments)
            }
            (None, true) => {
                let bytes = self.emitter.size(value.type_of()) as u32;
                let bytes = self.emitter.small(bytes);
                let address = user.operand(1);
                self.emitter
                    .call("yester.stored", &[number, word, address, bytes])
            }
            (None, false) => self.emitter.call("yester.assigned", &[number, word]),
        };
        user.set_operand(index as u32, self.emitter.value_of(forced, value.type_of()));
    }

    /// A call that is a statement of its own.
    fn call(&mut self, call: Value) {
        let callee = call.callee();
        let never_returns = call
            .next()
            .is_some_and(|next| next.opcode() == Opcode::LLVMUnreachable);
        if call.is_used()
            || call.is_must_tail()
            || callee.is_assembler()
            || callee.is_function() && (callee.is_intrinsic() || value::is_generated(callee))
            || never_returns
        {
            return;
        }
        let Some(location) = own_location(call) else {
            return;
        };
        let name = match callee.is_function() {
            true => callee.name(),
            false => String::new(),
        };
        let number = self.place("call", "-", &location, name.trim_start_matches('\u{1}'));
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(call);
        let forced = self.emitter.call("yester.called", &[number, callee]);
        call.set_callee(forced);
    }

    fn operator(&mut self, instruction: Value) {
        let Some(operator) = operator(instruction) else {
            return;
        };
        let (left, right) = (instruction.operand(0), instruction.operand(1));
        let (Some(location), true) = (own_location(instruction), is_word(left)) else {
            return;
        };
        let Some(next) = instruction.next() else {
            return;
        };
        let users: Vec<Value> = instruction.users().collect();
        let number = self.place("operator", &operator.form, &location, operator.sign);
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(next);
        let words = [instruction, left, right].map(|value| self.emitter.word(value));
        let forced = self
            .emitter
            .call("yester.computed", &[number, words[0], words[1], words[2]]);
        let forced = self.emitter.value_of(forced, instruction.type_of());
        for user in users {
            for index in 0..user.count_operands() {
                if user.operand(index) == instruction {
                    user.set_operand(index, forced);
                }
            }
        }
    }
}

/// What a function returns.
fn returned(function: FunctionValue<'_>) -> Returned {
    // Callers have nothing behind a call that never returns.
    let never = Attribute::get_named_enum_kind_id("noreturn");
    if function
        .get_enum_attribute(AttributeLoc::Function, never)
        .is_some()
    {
        return Returned::Other;
    }
    match function.get_type().get_return_type() {
        None => Returned::Nothing,
        Some(kind) => match Type::from(kind) {
            kind if is_word_type(kind) => Returned::Word(kind),
            _ => Returned::Other,
        },
    }
}

/// A text that fits into a field of the table.
fn plain(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ")
}

fn is_number(value: Value) -> bool {
    is_number_type(value.type_of())
}

fn is_number_type(kind: Type) -> bool {
    kind.kind() == TypeKind::LLVMIntegerTypeKind && kind.bits() <= 64
}

/// Whether a value fits into 64 bits.
fn is_word(value: Value) -> bool {
    is_word_type(value.type_of())
}

fn is_word_type(kind: Type) -> bool {
    is_number_type(kind)
        || matches!(
            kind.kind(),
            TypeKind::LLVMPointerTypeKind
                | TypeKind::LLVMFloatTypeKind
                | TypeKind::LLVMDoubleTypeKind
        )
}

/// Adds the functions of `force.ll`.
fn link<'ctx>(context: &'ctx Context, module: &Module<'ctx>) -> Result<(), PassError> {
    let text = format!(
        "target datalayout = \"{}\"\ntarget triple = \"{}\"\n{FORCE}",
        module.get_data_layout().as_str().to_string_lossy(),
        module.get_triple().as_str().to_string_lossy(),
    );
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "force.ll");
    internalise(module, context.create_module_from_ir(buffer)?)
}

/// The address of a function, or null.
fn address<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    function: Option<Value>,
) -> PointerValue<'ctx> {
    let function = function.and_then(|function| module.get_function(&function.name()));
    match function {
        Some(function) => function.as_global_value().as_pointer_value(),
        None => context.ptr_type(Default::default()).const_null(),
    }
}

/// What the runtime is told about a module.
struct Description<'a, 'ctx> {
    /// How many places there are.
    count: u64,
    data: &'a [Datum],
    /// The functions in the order of the table; null for those that cannot be called.
    functions: &'a [PointerValue<'ctx>],
    table: &'a str,
}

/// Makes the array of places, and the description that the module's constructor gives to the runtime.
fn describe<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    description: &Description<'_, 'ctx>,
) {
    let Description {
        count,
        data,
        functions,
        table,
    } = *description;
    let source = module.get_source_file_name().to_bytes();
    let source = plain(&String::from_utf8_lossy(source));
    let identity = identity(&source, table);
    let table = format!("module\t{identity}\t{source}\n{table}");
    let internal = |name: &str, value: inkwell::values::BasicValueEnum<'ctx>, is_constant| {
        let global = module.add_global(value.get_type(), None, name);
        global.set_initializer(&value);
        global.set_constant(is_constant);
        global.set_linkage(Linkage::Internal);
        global
    };
    let (i8_type, i64_type) = (context.i8_type(), context.i64_type());
    let places = i8_type.array_type(count.max(1) as u32).const_zero();
    let armed = internal("yester.places", places.into(), false);
    let text = context.const_string(table.as_bytes(), false);
    let text = internal("yester.table", text.into(), true);
    // Each datum is an address, an offset and a size.
    let number = |number: u64| i64_type.const_int(number, false).into();
    let data: Vec<StructValue<'ctx>> = data
        .iter()
        .map(|datum| {
            let variable = module.get_global(&datum.variable.name());
            let address = variable
                .expect("it is one of the module")
                .as_pointer_value();
            let fields = [address.into(), number(datum.offset), number(datum.bytes)];
            context.const_struct(&fields, false)
        })
        .collect();
    let pointer = context.ptr_type(Default::default());
    let kind = context.struct_type(&[pointer.into(), i64_type.into(), i64_type.into()], false);
    let data_count = data.len() as u64;
    let data = internal("yester.data", kind.const_array(&data).into(), true);
    let function_count = functions.len() as u64;
    let functions = internal(
        "yester.functions",
        pointer.const_array(functions).into(),
        true,
    );
    let description = context.const_struct(
        &[
            armed.as_pointer_value().into(),
            i64_type.const_int(count, false).into(),
            i64_type.const_int(identity, false).into(),
            text.as_pointer_value().into(),
            i64_type.const_int(table.len() as u64, false).into(),
            data.as_pointer_value().into(),
            number(data_count),
            functions.as_pointer_value().into(),
            number(function_count),
        ],
        false,
    );
    let description = internal("yester.description", description.into(), true);
    for (declared, defined) in [("yester.armed", armed), ("yester.forced", description)] {
        let declared = module.get_global(declared).expect("force.ll is linked in");
        declared
            .as_pointer_value()
            .replace_all_uses_with(defined.as_pointer_value());
        llvm::remove_global(declared);
    }
}

/// What tells one module from another, wherever it is built.
fn identity(source: &str, table: &str) -> u64 {
    let mut hash = Fnv::default();
    hash.add(name(source).as_bytes());
    for field in table.split(['\t', '\n']) {
        hash.add(name(field).as_bytes());
        hash.add(b"\n");
    }
    hash.0
}

/// The last part of a path.
fn name(path: &str) -> &str {
    match path.starts_with('/') {
        true => path.rsplit('/').next().unwrap_or(path),
        false => path,
    }
}
