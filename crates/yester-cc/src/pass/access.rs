//! What the code of each block reads and writes, as lines of the table: the static half of relevant slices.
//!
//! This looks at the module while local variables are memory, so that each has one name however often it is assigned. A *step* is a
//! store, a call, or the value of an expression that is needed later: what it writes, and what it reads on the way from the
//! last steps. Names are short, since there are many:
//!
//! | name | what it stands for |
//! |---|---|
//! | `L3` | a local variable whose address nobody else knows |
//! | `E3` | a local variable whose address is known elsewhere |
//! | `T3` | a value that is computed once and used later; the result of a call |
//! | `P3` | a parameter; `P*` all of them |
//! | `Gname`, `Sname` | a global variable; one that only its module sees |
//! | `M4`, `M4@8`, `M*` | four bytes behind some pointer; in a structure, eight bytes from its start; anything |
//!
//! A write has `=` before it if nothing of the old value is left, and `~` otherwise.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::emitter::Emitter;
use crate::ir::{BlockRef, Opcode, Type, TypeKind, Value};
use crate::llvm;
use crate::module::Module;

/// The steps of each block, as lines without the end of the line.
pub type Accesses = HashMap<BlockRef, Vec<String>>;

/// How many instructions of an expression, and steps to the start of an object, are followed. What is longer may be anything.
const LONGEST_EXPRESSION: usize = 10_000;

/// How the names of marks begin, which are calls until they are replaced.
const MARK: &str = "yester.";

type Names = BTreeSet<String>;

/// Finds the steps of all functions of a module.
#[must_use]
pub fn accesses(module: &Module<'_>) -> Accesses {
    let emitter = Emitter::new(module);
    let mut found = Accesses::new();
    for function in module.functions() {
        if !function.is_declaration() {
            FunctionAccesses::new(&emitter, function).steps(&mut found);
        }
    }
    found
}

/// The lines that name the global variables whose addresses are known to more than loads and stores.
#[must_use]
pub fn escaped(module: &Module<'_>) -> String {
    let mut text = String::new();
    for global in module.globals() {
        if global.name().starts_with("llvm.") {
            continue;
        }
        if is_known_elsewhere(global) {
            let name = name_of_global(global);
            text.push_str(&format!("escape\t{name}\n"));
        }
    }
    text
}

fn name_of_global(global: Value) -> String {
    let letter = if llvm::is_local(global) { 'S' } else { 'G' };
    let name = global.name().replace(['\t', '\n', ',', ';', ' '], "?");
    format!("{letter}{name}")
}

/// Whether an address is used for anything but loading from it and storing to it.
fn is_known_elsewhere(address: Value) -> bool {
    let mut pending = vec![address];
    let mut seen = HashSet::from([address]);
    while let Some(address) = pending.pop() {
        for user in address.users() {
            if !user.is_instruction() {
                // A part of it as a constant; an initial value has it as an operand too, but is none.
                if user.is_address_expression() && seen.insert(user) {
                    pending.push(user);
                } else if !user.is_address_expression() {
                    return true;
                }
                continue;
            }
            let is_harmless = match user.opcode() {
                Opcode::LLVMLoad | Opcode::LLVMICmp => true,
                Opcode::LLVMStore => user.operand(0) != address,
                Opcode::LLVMGetElementPtr => {
                    if seen.insert(user) {
                        pending.push(user);
                    }
                    user.operand(0) == address
                }
                Opcode::LLVMCall => is_copy(user) || is_silent(user),
                _ => false,
            };
            if !is_harmless {
                return true;
            }
        }
    }
    false
}

/// The name of an intrinsic, or of a mark that the pass has made itself.
fn intrinsic(call: Value) -> Option<String> {
    let callee = call.callee();
    let name = callee.is_function().then(|| callee.name())?;
    (callee.is_intrinsic() || name.starts_with(MARK)).then_some(name)
}

/// Whether a call copies or fills memory by an intrinsic.
fn is_copy(call: Value) -> bool {
    let kinds = ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."];
    intrinsic(call).is_some_and(|name| kinds.iter().any(|kind| name.starts_with(kind)))
}

/// Whether a call is an intrinsic that does nothing.
fn is_silent(call: Value) -> bool {
    let kinds = [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.assume",
        "llvm.stack",
        MARK,
    ];
    intrinsic(call).is_some_and(|name| kinds.iter().any(|kind| name.starts_with(kind)))
}

/// Whether an instruction is a call with a line of its own.
fn is_call(instruction: Value) -> bool {
    match instruction.opcode() {
        Opcode::LLVMInvoke | Opcode::LLVMCallBr => true,
        Opcode::LLVMCall => intrinsic(instruction).is_none_or(|name| name.contains("va_")),
        _ => false,
    }
}

/// Whether an instruction writes memory.
fn writes(instruction: Value) -> bool {
    match instruction.opcode() {
        Opcode::LLVMStore | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => true,
        Opcode::LLVMCall => is_copy(instruction) || is_call(instruction),
        _ => is_call(instruction),
    }
}

struct FunctionAccesses<'a> {
    emitter: &'a Emitter<'a>,
    function: Value,
    parameters: Vec<Value>,
    /// The number of each local variable, and whether its address is known elsewhere.
    variables: HashMap<Value, (usize, bool)>,
    block_of: HashMap<Value, BlockRef>,
    /// How many writes came before each instruction in its block.
    epoch: HashMap<Value, usize>,
    /// The values that are steps, by their numbers.
    kept: HashMap<Value, usize>,
}

impl<'a> FunctionAccesses<'a> {
    fn new(emitter: &'a Emitter<'a>, function: Value) -> Self {
        let mut accesses = FunctionAccesses {
            emitter,
            function,
            parameters: function.parameters(),
            variables: HashMap::new(),
            block_of: HashMap::new(),
            epoch: HashMap::new(),
            kept: HashMap::new(),
        };
        let blocks: Vec<(BlockRef, Vec<Value>)> = function
            .all_blocks()
            .into_iter()
            .map(|block| (block, block.instructions()))
            .collect();
        for (block, instructions) in &blocks {
            let mut epoch = 0;
            for instruction in instructions {
                accesses.block_of.insert(*instruction, *block);
                accesses.epoch.insert(*instruction, epoch);
                epoch += usize::from(writes(*instruction));
                if instruction.is_alloca() {
                    let number = accesses.variables.len();
                    let escapes = is_known_elsewhere(*instruction);
                    accesses.variables.insert(*instruction, (number, escapes));
                }
            }
        }
        for (block, instructions) in &blocks {
            for instruction in instructions {
                accesses.find_kept(*block, *instruction);
            }
        }
        accesses
    }

    /// Finds the values that have to be steps: those whose memory may change before they are used, and those that are used in other
    /// blocks.
    fn find_kept(&mut self, block: BlockRef, root: Value) {
        if root.is_alloca() {
            return;
        }
        let epoch = self.epoch[&root];
        let is_phi = root.opcode() == Opcode::LLVMPHI;
        let mut pending: Vec<Value> = root.operands();
        if is_phi || is_call(root) || is_atomic(root) {
            self.keep(root);
        }
        let mut steps = 0;
        while let Some(value) = pending.pop() {
            steps += 1;
            if !value.is_instruction() || value.is_alloca() || self.kept.contains_key(&value) {
                continue;
            }
            let is_near = self.block_of.get(&value) == Some(&block) && !is_phi;
            let is_stale = value.opcode() == Opcode::LLVMLoad && self.epoch[&value] != epoch;
            if !is_near
                || is_stale
                || is_call(value)
                || is_atomic(value)
                || steps > LONGEST_EXPRESSION
            {
                self.keep(value);
            } else {
                pending.extend(value.operands());
            }
        }
    }

    fn keep(&mut self, value: Value) {
        if value.type_of().kind() != TypeKind::LLVMVoidTypeKind {
            let number = self.kept.len();
            self.kept.entry(value).or_insert(number);
        }
    }

    /// Notes the steps of all blocks.
    fn steps(&self, found: &mut Accesses) {
        let mut arriving: HashMap<BlockRef, Vec<String>> = HashMap::new();
        for block in self.function.all_blocks() {
            let mut lines = Vec::new();
            for value in block.instructions() {
                let (line, column) = llvm::line_and_column(value);
                if value.opcode() == Opcode::LLVMPHI {
                    for (from, before) in value.incoming() {
                        let mut names = Names::new();
                        self.read(from, &mut names);
                        let step =
                            format!("set\t{line}\t=T{}\t{}", self.kept[&value], list(&names));
                        arriving.entry(before).or_default().push(step);
                    }
                    continue;
                }
                let place = if is_call(value) {
                    format!("{line}.{column}")
                } else {
                    line.to_string()
                };
                lines.extend(self.step(value).map(|text| text.replacen('#', &place, 1)));
            }
            found.insert(block, lines);
        }
        for (block, steps) in arriving {
            if let Some(lines) = found.get_mut(&block) {
                // Before what ends the block.
                let is_end =
                    |line: &String| line.starts_with("test\t") || line.starts_with("give\t");
                let end = lines.iter().position(is_end).unwrap_or(lines.len());
                lines.splice(end..end, steps);
            }
        }
    }

    /// The line of an instruction, if it is a step, with `#` for its place.
    fn step(&self, value: Value) -> Option<String> {
        let mut names = Names::new();
        match value.opcode() {
            Opcode::LLVMStore => {
                self.read(value.operand(0), &mut names);
                self.read(value.operand(1), &mut names);
                let kind = value.operand(0).type_of();
                let target = self.place(value.operand(1), Some(kind));
                Some(format!("set\t#\t{target}\t{}", list(&names)))
            }
            Opcode::LLVMRet => {
                value
                    .operands()
                    .iter()
                    .for_each(|one| self.read(*one, &mut names));
                Some(format!("give\t#\t{}", list(&names)))
            }
            Opcode::LLVMCall if is_copy(value) => {
                let arguments = value.arguments();
                arguments.iter().for_each(|one| self.read(*one, &mut names));
                if arguments[1].type_of().kind() == TypeKind::LLVMPointerTypeKind {
                    note(&self.place(arguments[1], None), &mut names);
                }
                let target = self.place(arguments[0], None);
                Some(format!("set\t#\t{target}\t{}", list(&names)))
            }
            _ if is_call(value) => Some(self.call(value)),
            _ if is_atomic(value) => {
                value
                    .operands()
                    .iter()
                    .for_each(|one| self.read(*one, &mut names));
                let place = self.place(value.operand(0), None);
                note(&place, &mut names);
                let number = self.kept[&value];
                // Both the memory and the value depend on the operands and on what was there.
                Some(format!("set\t#\t{place}+=T{number}\t{}", list(&names)))
            }
            _ if value.is_terminator() => {
                value
                    .operands()
                    .iter()
                    .for_each(|one| self.read(*one, &mut names));
                Some(format!("test\t#\t{}", list(&names)))
            }
            _ => {
                let number = self.kept.get(&value)?;
                self.read_parts(value, &mut names);
                Some(format!("set\t#\t=T{number}\t{}", list(&names)))
            }
        }
    }

    fn call(&self, call: Value) -> String {
        let result = self.kept.get(&call).map(|number| format!("=T{number}"));
        let callee = call.callee();
        let mut called = Names::new();
        let name = if callee.is_function() {
            callee.name().replace(['\t', '\n'], "?")
        } else {
            self.read(callee, &mut called);
            "*".to_owned()
        };
        let mut touched = Vec::new();
        let mut arguments = Vec::new();
        for argument in call.arguments() {
            let mut names = Names::new();
            self.read(argument, &mut names);
            arguments.push(list(&names));
            let is_pointer = argument.type_of().kind() == TypeKind::LLVMPointerTypeKind;
            touched.push(if is_pointer && !argument.is_null_pointer() {
                self.place(argument, None)[1..].to_owned()
            } else {
                String::new()
            });
        }
        if name.contains("va_start") {
            called.insert("P*".to_owned());
        }
        format!(
            "do\t#\t{name}\t{}\t{}\t{}\t{}",
            result.unwrap_or_default(),
            list(&called),
            arguments.join(";"),
            touched.join(";")
        )
    }

    /// What a value needs that was not computed since the last steps.
    fn read(&self, value: Value, names: &mut Names) {
        if let Some(number) = self.kept.get(&value) {
            names.insert(format!("T{number}"));
        } else if value.is_parameter() {
            let number = self.parameters.iter().position(|one| *one == value);
            names.insert(number.map_or("P*".to_owned(), |number| format!("P{number}")));
        } else if value.is_instruction() && !value.is_alloca() {
            self.read_parts(value, names);
        }
    }

    fn read_parts(&self, root: Value, names: &mut Names) {
        let mut pending = vec![root];
        let mut seen = HashSet::new();
        while let Some(value) = pending.pop() {
            if !seen.insert(value) {
                continue;
            }
            if value.opcode() == Opcode::LLVMLoad {
                let place = self.place(value.operand(0), Some(value.type_of()));
                note(&place, names);
            }
            for operand in value.operands() {
                let is_open = operand.is_instruction() && !operand.is_alloca();
                if is_open && !self.kept.contains_key(&operand) {
                    pending.push(operand)
                } else {
                    self.read(operand, names)
                }
            }
        }
    }

    /// The name of the memory at an address, with a mark that says whether a write of this type leaves nothing of it. Without a type
    /// it is more than one value.
    fn place(&self, address: Value, kind: Option<Type>) -> String {
        let mut base = address;
        let mut field = None;
        let mut steps = 0;
        while let Some(next) = base.stepped_from() {
            if field.is_none() && base.is_instruction() {
                field = self.field(base);
            }
            base = next;
            steps += 1;
            if steps > LONGEST_EXPRESSION {
                return "~M*".to_owned();
            }
        }
        let is_whole = |whole: Type| {
            base == address
                && kind.is_some_and(|kind| {
                    whole.is_sized() && self.emitter.size(kind) == self.emitter.size(whole)
                })
        };
        if let Some((number, escapes)) = self.variables.get(&base) {
            let is_one = base.operand(0).integer() == Some(1);
            return match escapes {
                true => format!("~E{number}"),
                false if is_one && is_whole(base.allocated()) => format!("=L{number}"),
                false => format!("~L{number}"),
            };
        }
        if base.is_global() && base.is_constant_variable() {
            // Nobody writes it.
            return "~".to_owned();
        }
        if base.is_global() {
            let mark = if is_whole(base.value_type()) {
                '='
            } else {
                '~'
            };
            return format!("{mark}{}", name_of_global(base));
        }
        let Some(size) = kind.map(|kind| self.emitter.size(kind)) else {
            return "~M*".to_owned();
        };
        match field {
            Some((offset, part)) if part == size => format!("~M{size}@{offset}"),
            // A union, a structure as a whole, or a byte of anything.
            Some(_) => "~M*".to_owned(),
            None if size == 1 || size > 16 => "~M*".to_owned(),
            None => format!("~M{size}"),
        }
    }

    /// The field that a GEP leads to: its offset in its structure, and the size of it or of its elements if it is an array.
    fn field(&self, gep: Value) -> Option<(u64, u64)> {
        let mut found = None;
        let mut kind = gep.element_source();
        for index in gep.operands().iter().skip(2) {
            if kind.kind() == TypeKind::LLVMStructTypeKind {
                let number = index.integer()? as u32;
                found = Some(self.emitter.offset(kind, number));
                kind = kind.part(number)?;
            } else {
                kind = kind.element();
            }
        }
        let offset = found?;
        while kind.kind() == TypeKind::LLVMArrayTypeKind {
            kind = kind.element();
        }
        match kind.kind() {
            TypeKind::LLVMStructTypeKind => Some((offset, 0)),
            _ => kind.is_sized().then(|| (offset, self.emitter.size(kind))),
        }
    }
}

fn is_atomic(instruction: Value) -> bool {
    matches!(
        instruction.opcode(),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg
    )
}

/// Adds a place to what is read.
fn note(place: &str, names: &mut Names) {
    // Some have no name, since nobody writes them.
    if place.len() > 1 {
        names.insert(place[1..].to_owned());
    }
}

fn list(names: &Names) -> String {
    names.iter().cloned().collect::<Vec<_>>().join(",")
}
