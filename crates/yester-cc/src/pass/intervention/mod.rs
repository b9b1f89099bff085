//! Places at which a run can have an intervention: branches, switches, values that are assigned, passed, returned or used as
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

use yester_pathrt::format::intervention::Fnv;
use yester_pathrt::protocol::MOST_STRUCTURES;

use self::callable::Callable;
pub use self::callable::drop_what_cannot_be_linked;
use self::datum::Datum;
use self::exit::{Exit, LocalNumber, Returned};
use self::gap::{GapSide, Structures};
use self::operator::operator;
use super::site::ConditionPlaces;
use super::value::{self, ValueMark, ValueMarks, own_location};
use super::{choice, runtime, traceable};
use crate::debug::{self, DebugNames, LocalStructure};
use crate::emitter::Emitter;
use crate::ir::{Linkage, Opcode, Type, TypeKind, Value};
use crate::llvm::{self, SourceLocation};
use crate::module::{LlvmError, Module};

const INTERVENTION: &str = include_str!("intervention.ll");

/// Adds the places to a module.
pub fn insert(
    module: &Module<'_>,
    conditions: &mut ConditionPlaces,
    is_followed: bool,
) -> Result<(), LlvmError> {
    let functions = traceable(module);
    let marks = value::mark(module, &functions, true);
    let structures = debug::local_structures(module);
    let kinds = debug::parameter_kinds(module);
    choice::branch(module, conditions);
    runtime::link(module, INTERVENTION)?;
    if is_followed {
        runtime::declare(module, |name| name == "__yester_model_intervention")?;
    }
    let emitter = Emitter::new(module);
    let names = DebugNames::read(module);
    let callable = Callable::new(&names, kinds);
    let mut intervener = Intervener {
        emitter: &emitter,
        names: &names,
        conditions,
        marks: &marks,
        structures: &structures,
        callable: &callable,
        called: Vec::new(),
        followed: is_followed.then(|| {
            let armed = module.global("yester.armed");
            armed.expect("intervention.ll is linked in")
        }),
        count: 0,
        table: String::new(),
    };
    for function in functions {
        intervener.function(function);
    }
    let data = datum::data(&emitter, &names);
    intervener.table.push_str("function\t\t\t0\n");
    for datum in &data {
        intervener.place("datum", &datum.form, &datum.location, &datum.name);
    }
    let Intervener {
        count,
        table,
        called,
        ..
    } = intervener;
    for mark in marks.into_keys() {
        mark.erase();
    }
    let functions: Vec<Value> = called
        .into_iter()
        .map(|function| function.unwrap_or_else(|| module.null()))
        .collect();
    let description = Description {
        count,
        data: &data,
        functions: &functions,
        table: &table,
    };
    describe(module, &description);
    Ok(())
}

/// Adds places one after the other.
struct Intervener<'a> {
    emitter: &'a Emitter<'a>,
    names: &'a DebugNames,
    conditions: &'a ConditionPlaces,
    marks: &'a ValueMarks,
    /// Of local variables.
    structures: &'a HashMap<Value, LocalStructure>,
    callable: &'a Callable<'a>,
    /// The functions in the table that the runtime can call.
    called: Vec<Option<Value>>,
    /// The array of places, if values are followed and nothing else is changed.
    followed: Option<Value>,
    /// How many places there are.
    count: u64,
    /// What yester is told about them.
    table: String,
}

impl Intervener<'_> {
    fn function(&mut self, function: Value) {
        let location = llvm::location_of_function(function);
        let (name, file) = (plain(&function.name()), plain(&location.file));
        let line = location.line;
        let signature = self.callable.signature(function);
        let called = signature.as_ref().map(|_| function);
        self.called.push(called);
        let signature = signature.unwrap_or_else(|| "-".to_owned());
        self.table
            .push_str(&format!("function\t{name}\t{file}\t{line}\t{signature}\n"));
        let blocks = function.all_blocks();
        let structures = Structures::of(&blocks, self.structures);
        let gaps: HashMap<Value, (SourceLocation, GapSide)> =
            gap::gaps(&blocks).into_iter().collect();
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
                if let Some((location, side)) = gaps.get(&instruction) {
                    let text = structures.text(reach, *side);
                    self.gap(instruction, location, structures.variables(reach), &text);
                    let turn = turns.get(&block).copied().unwrap_or_default();
                    let numbers = LocalNumber::at(&numbers, location.line);
                    let text = turn.text(returned != Returned::Other, &numbers, *side);
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
        exit::connect(self.emitter, function, returned, &exits);
    }

    /// How the values that a function returns are to be read.
    fn form_of_result(&self, function: Value, returned: Returned) -> String {
        let is_unsigned = self.names.is_unsigned(function, 0);
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
        let changed = self
            .emitter
            .call("yester.branch", &[number, branch.operand(0)]);
        branch.set_operand(0, changed);
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
        let changed = self.emitter.call("yester.assigned", &[number, word]);
        switch.set_operand(0, self.emitter.value_of(changed, condition.type_of()));
    }

    /// What is between two statements, with the variables that are in reach, and whether each is a pointer.
    fn gap(
        &mut self,
        next: Value,
        location: &SourceLocation,
        variables: impl Iterator<Item = Option<(Value, bool)>>,
        text: &str,
    ) {
        let number = self.place("gap", "-", location, text);
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(next);
        let addresses = variables.map(|variable| match variable {
            Some((variable, true)) => self.emitter.fetch(variable, 0, 64),
            Some((variable, false)) => self.emitter.word(variable),
            None => self.emitter.number(0),
        });
        let mut arguments: Vec<Value> = std::iter::once(number).chain(addresses).collect();
        arguments.resize(1 + MOST_STRUCTURES, self.emitter.number(0));
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
        let changed = match (self.followed, is_store) {
            (Some(armed), _) => {
                let arguments = [armed, number, word];
                self.emitter.call("__yester_model_intervention", &arguments)
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
        user.set_operand(
            index as u32,
            self.emitter.value_of(changed, value.type_of()),
        );
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
        let name = if callee.is_function() {
            callee.name()
        } else {
            String::new()
        };
        let number = self.place("call", "-", &location, name.trim_start_matches('\u{1}'));
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(call);
        let changed = self.emitter.call("yester.called", &[number, callee]);
        call.set_callee(changed);
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
        let number = self.place("operator", &operator.form, &location, operator.sign.text());
        if self.followed.is_some() {
            return;
        }
        self.emitter.before(next);
        let words = [instruction, left, right].map(|value| self.emitter.word(value));
        let changed = self
            .emitter
            .call("yester.computed", &[number, words[0], words[1], words[2]]);
        let changed = self.emitter.value_of(changed, instruction.type_of());
        for user in users {
            for index in 0..user.count_operands() {
                if user.operand(index) == instruction {
                    user.set_operand(index, changed);
                }
            }
        }
    }
}

/// What a function returns.
fn returned(function: Value) -> Returned {
    // Callers have nothing behind a call that never returns.
    if function.has_attribute("noreturn") {
        return Returned::Other;
    }
    match function.value_type().returned() {
        None => Returned::Nothing,
        Some(kind) if is_word_type(kind) => Returned::Word(kind),
        Some(_) => Returned::Other,
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

/// What the runtime is told about a module.
struct Description<'a> {
    /// How many places there are.
    count: u64,
    data: &'a [Datum],
    /// The functions in the order of the table; null for those that cannot be called.
    functions: &'a [Value],
    table: &'a str,
}

/// Makes the array of places, and the description that the module's constructor gives to the runtime.
fn describe(module: &Module<'_>, description: &Description<'_>) {
    let Description {
        count,
        data,
        functions,
        table,
    } = *description;
    let source = plain(&String::from_utf8_lossy(&module.source_name()));
    let identity = identity(&source, table);
    let table = format!("module\t{identity}\t{source}\n{table}");
    let internal = |name, value, is_constant| {
        module.define(name, value, Linkage::LLVMInternalLinkage, is_constant)
    };
    let number = |number: u64| module.integer(64, number);
    let armed = internal(c"yester.places", module.zeros(count.max(1)), false);
    let text = internal(c"yester.table", module.bytes(table.as_bytes(), false), true);
    // Each datum is an address, an offset and a size.
    let datum =
        |address, offset, bytes| module.structure(&[address, number(offset), number(bytes)]);
    let numbers: Vec<Value> = data
        .iter()
        .map(|one| datum(one.variable, one.offset, one.bytes))
        .collect();
    let numbers = module.array(datum(module.null(), 0, 0), &numbers);
    let numbers = internal(c"yester.data", numbers, true);
    let addresses = module.array(module.null(), functions);
    let addresses = internal(c"yester.functions", addresses, true);
    let description = module.structure(&[
        armed,
        number(count),
        number(identity),
        text,
        number(table.len() as u64),
        numbers,
        number(data.len() as u64),
        addresses,
        number(functions.len() as u64),
    ]);
    let description = internal(c"yester.description", description, true);
    for (declared, defined) in [
        ("yester.armed", armed),
        ("yester.intervention", description),
    ] {
        let declared = module
            .global(declared)
            .expect("intervention.ll is linked in");
        declared.replace_with(defined);
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
    if path.starts_with('/') {
        path.rsplit('/').next().unwrap_or(path)
    } else {
        path
    }
}
