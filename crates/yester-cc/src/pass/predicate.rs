//! Predicates: branches without effect that make wrong values visible as another path, after the cooperative bug isolation that
//! DARWIN (section 3.3) takes up. Both ways of such a branch lead to the same block.
//!
//! Behind each assignment to an integer variable, the new value is compared with the old one and with other variables of the same
//! type; behind each call, the result with zero and with variables. Only variables are read that are in scope and certainly have
//! a value, so the program does what it did before. This has to happen as long as variables are memory: later they have no
//! names.

use std::collections::HashMap;

use inkwell::IntPredicate;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue,
    PointerValue,
};

use super::choice;
use super::site::ConditionPlaces;
use crate::ir::{TypeKind, Value};
use crate::llvm;
use crate::metadata::{DebugInformation, DeclaredVariable, IntegerType};

/// How many variables a value is compared with, the nearest first.
const MOST_OTHERS: usize = 8;
/// Where headers of the system are: code that nobody wants to debug, and much of it in C++.
const SYSTEM: [&str; 3] = ["/usr/include/", "/usr/lib/", "/usr/local/include/"];

/// The text of each predicate by its branch.
pub type Predicates = HashMap<Value, String>;

/// Which functions get predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PredicateChoice {
    /// None.
    #[default]
    None,
    /// All that are not in headers of the system.
    All,
    /// Those with these names, as they are written in the source or as symbols.
    Named(Vec<String>),
}

impl PredicateChoice {
    /// Reads the choice from the text of an environment variable.
    #[must_use]
    pub fn read(text: &str) -> PredicateChoice {
        match text {
            "" | "0" => PredicateChoice::None,
            "1" => PredicateChoice::All,
            names => {
                let names = names.split(',').map(|name| name.trim().to_owned());
                PredicateChoice::Named(names.filter(|name| !name.is_empty()).collect())
            }
        }
    }

    fn has(&self, information: &DebugInformation<'_>, function: FunctionValue<'_>) -> bool {
        match self {
            PredicateChoice::None => false,
            PredicateChoice::All => {
                let file = llvm::location_of_function(function).file;
                !SYSTEM.iter().any(|one| file.starts_with(one))
            }
            PredicateChoice::Named(names) => {
                let symbol = function.get_name().to_string_lossy().into_owned();
                let name = information.name_of_function(function);
                let mut known = [Some(symbol), name].into_iter().flatten();
                known.any(|known| names.contains(&known))
            }
        }
    }
}

/// Inserts the predicates of a module, and notes their places.
///
/// # Errors
/// If an instruction cannot be built.
pub fn insert(
    module: &Module<'_>,
    choice: &PredicateChoice,
    places: &mut ConditionPlaces,
) -> Result<Predicates, BuilderError> {
    let mut predicates = Predicates::new();
    if *choice == PredicateChoice::None {
        return Ok(predicates);
    }
    let information = DebugInformation::new(module);
    let declared = information.take_variables(module);
    let builder = module.get_context().create_builder();
    for function in module.get_functions() {
        if function.get_first_basic_block().is_none() || !choice.has(&information, function) {
            continue;
        }
        let variables = Variables::new(function, &declared);
        // The last of a block first: each moves what follows it, which is then little.
        for point in variables.points(&information).into_iter().rev() {
            point.compare(&builder, &variables, places, &mut predicates)?;
        }
    }
    Ok(predicates)
}

/// A variable that a function assigns or reads by its name.
struct Variable<'a, 'ctx> {
    address: PointerValue<'ctx>,
    declared: &'a DeclaredVariable,
}

/// The variables of a function.
struct Variables<'a, 'ctx> {
    function: FunctionValue<'ctx>,
    /// Local ones in order of declaration, then global ones.
    all: Vec<Variable<'a, 'ctx>>,
    index_of: HashMap<Value, usize>,
    blocks: Vec<BasicBlock<'ctx>>,
    /// Which variables certainly have a value at the start of each block; `None` if the block cannot be reached.
    assigned: Vec<Option<Vec<bool>>>,
}

/// A place where a value is compared.
struct Point<'ctx> {
    /// The store or call.
    instruction: InstructionValue<'ctx>,
    /// What comes next.
    rest: InstructionValue<'ctx>,
    value: BasicValueEnum<'ctx>,
    /// The value's name.
    name: String,
    is_signed: bool,
    /// The variable whose old value it is compared with.
    own: Option<usize>,
    is_compared_with_zero: bool,
    others: Vec<usize>,
}

/// The address that an instruction stores to or loads from.
fn address<'ctx>(instruction: InstructionValue<'ctx>) -> Option<PointerValue<'ctx>> {
    let index = match instruction.get_opcode() {
        InstructionOpcode::Store => 1,
        InstructionOpcode::Load => 0,
        _ => return None,
    };
    let address = instruction.get_operand(index)?.value()?;
    Some(address.into_pointer_value())
}

/// Whether memory of this address holds an integer that can be compared, and nothing else.
fn holds_integer(address: Value) -> bool {
    let kind = match address.is_alloca() {
        true if address.operand(0).integer() == Some(1) => address.allocated(),
        false if address.is_global() && address.is_plain_variable() => address.value_type(),
        _ => return false,
    };
    kind.kind() == TypeKind::LLVMIntegerTypeKind && kind.bits() <= 64
}

impl<'a, 'ctx> Variables<'a, 'ctx> {
    fn new(function: FunctionValue<'ctx>, declared: &'a HashMap<Value, DeclaredVariable>) -> Self {
        let blocks = function.get_basic_blocks();
        let mut all: Vec<Variable<'a, 'ctx>> = Vec::new();
        let instructions = blocks
            .iter()
            .copied()
            .flat_map(BasicBlock::get_instructions);
        for address in instructions.filter_map(address) {
            let value = Value(address.as_value_ref());
            if let Some(declared) = declared.get(&value).filter(|_| holds_integer(value)) {
                all.push(Variable { address, declared });
            }
        }
        all.sort_by_key(|variable| (variable.declared.scope.is_none(), variable.declared.number));
        all.dedup_by_key(|variable| variable.declared.number);
        let index_of = all.iter().enumerate();
        let index_of = index_of.map(|(index, one)| (Value(one.address.as_value_ref()), index));
        let mut variables = Variables {
            function,
            index_of: index_of.collect(),
            all,
            assigned: vec![None; blocks.len()],
            blocks,
        };
        variables.find_assigned();
        variables
    }

    /// The variable that a store assigns to.
    fn target(&self, instruction: InstructionValue<'ctx>) -> Option<usize> {
        if instruction.get_opcode() != InstructionOpcode::Store {
            return None;
        }
        let address = address(instruction)?;
        self.index_of.get(&Value(address.as_value_ref())).copied()
    }

    /// Finds which variables are assigned on every way to each block. Memory of a variable outlives its scope, so what was
    /// assigned stays so.
    fn find_assigned(&mut self) {
        let number_of: HashMap<BasicBlock<'ctx>, usize> = self
            .blocks
            .iter()
            .enumerate()
            .map(|(number, block)| (*block, number))
            .collect();
        let is_global = |variable: &Variable<'_, '_>| variable.declared.scope.is_none();
        self.assigned[0] = Some(self.all.iter().map(is_global).collect());
        let mut pending = vec![0];
        while let Some(number) = pending.pop() {
            let block = self.blocks[number];
            let mut known = self.assigned[number].clone().expect("it is reached");
            for variable in block.get_instructions().filter_map(|one| self.target(one)) {
                known[variable] = true;
            }
            let successors = block.get_terminator().map(llvm::successors);
            for successor in successors.into_iter().flatten() {
                let successor = number_of[&successor];
                let is_new = match &mut self.assigned[successor] {
                    Some(before) => {
                        let mut is_less = false;
                        for (before, now) in before.iter_mut().zip(&known) {
                            is_less |= *before && !now;
                            *before &= now;
                        }
                        is_less
                    }
                    before => {
                        *before = Some(known.clone());
                        true
                    }
                };
                if is_new {
                    pending.push(successor);
                }
            }
        }
    }

    /// The places of a function where values are compared, in order.
    fn points(&self, information: &DebugInformation<'_>) -> Vec<Point<'ctx>> {
        let mut points = Vec::new();
        for (block, assigned) in self.blocks.iter().zip(&self.assigned) {
            let Some(mut assigned) = assigned.clone() else {
                continue;
            };
            for instruction in block.get_instructions() {
                let target = self.target(instruction);
                let point = match target {
                    Some(variable) => {
                        self.assignment(information, instruction, variable, &assigned)
                    }
                    None => self.call(information, instruction, &assigned),
                };
                points.extend(point.filter(Point::has_tests));
                if let Some(variable) = target {
                    assigned[variable] = true;
                }
            }
        }
        points
    }

    fn assignment(
        &self,
        information: &DebugInformation<'_>,
        store: InstructionValue<'ctx>,
        variable: usize,
        assigned: &[bool],
    ) -> Option<Point<'ctx>> {
        let value = store.get_operand(0)?.value()?;
        // What a function is called with arrives in its parameters by stores without a place.
        if store.get_debug_location().is_none()
            || Value(value.as_value_ref()).is_parameter()
            || !value.is_int_value()
            || !is_ordinary(store)
        {
            return None;
        }
        let DeclaredVariable { name, kind, .. } = self.all[variable].declared;
        let width = value.into_int_value().get_type().get_bit_width();
        if width_of(self.all[variable].address) != Some(width) {
            return None;
        }
        Some(Point {
            instruction: store,
            rest: store.get_next_instruction()?,
            value,
            name: name.clone(),
            is_signed: kind.is_signed,
            own: Some(variable).filter(|variable| assigned[*variable]),
            is_compared_with_zero: false,
            others: self.others(information, store, assigned, |other| {
                let other_variable = &self.all[other];
                other != variable
                    && other_variable.declared.kind == *kind
                    && width_of(other_variable.address) == Some(width)
            }),
        })
    }

    fn call(
        &self,
        information: &DebugInformation<'_>,
        call: InstructionValue<'ctx>,
        assigned: &[bool],
    ) -> Option<Point<'ctx>> {
        let rest = match call.get_opcode() {
            InstructionOpcode::Call => call.get_next_instruction()?,
            InstructionOpcode::Invoke => llvm::first_after_invoke(call)?,
            _ => return None,
        };
        // Results that nobody uses would have to be followed only because of the predicate.
        if call.get_debug_location().is_none()
            || !Value::from(call).is_used()
            || llvm::is_must_tail(call)
            || llvm::calls_assembler(call)
            || returns_twice(call)
        {
            return None;
        }
        let callee = llvm::callee(call);
        if callee.is_some_and(|callee| callee.get_intrinsic_id() != 0) {
            return None;
        }
        let value = llvm::result(call)?;
        let width = match value {
            BasicValueEnum::IntValue(value) => value.get_type().get_bit_width(),
            BasicValueEnum::PointerValue(_) => 0,
            _ => return None,
        };
        if width > 64 {
            return None;
        }
        let known = callee.and_then(|callee| information.result_type(callee));
        let is_signed = match known {
            Some(kind) => kind.is_signed,
            None => width > 1 && !llvm::is_extended_with_zeros(call),
        };
        let fits = |other: IntegerType, bits: u32| match known {
            Some(known) => other == known,
            None => other.is_signed == is_signed && bits == width,
        };
        // A result that is only assigned is compared there.
        let is_assigned = Value::from(call)
            .users()
            .all(|user| self.index_of.contains_key(&stored_to(user)));
        let others = match is_assigned || width == 0 {
            true => Vec::new(),
            false => self.others(information, call, assigned, |other| {
                let variable = &self.all[other];
                width_of(variable.address) == Some(width) && fits(variable.declared.kind, width)
            }),
        };
        let name = callee.map(|callee| callee.get_name().to_string_lossy().into_owned());
        Some(Point {
            instruction: call,
            rest,
            value,
            name: match name {
                // Readers demangle it, which shows the types of the parameters.
                Some(name) if name.starts_with("_Z") => name,
                Some(name) => format!("{name}()"),
                None => "(*…)()".to_owned(),
            },
            is_signed,
            own: None,
            is_compared_with_zero: true,
            others,
        })
    }

    /// The variables that a value is compared with, the nearest first.
    fn others(
        &self,
        information: &DebugInformation<'_>,
        instruction: InstructionValue<'ctx>,
        assigned: &[bool],
        is_alike: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let scopes = information.scopes(instruction);
        let (mut local, global): (Vec<usize>, Vec<usize>) = (0..self.all.len())
            .filter(|other| assigned[*other] && is_alike(*other))
            .filter(|other| {
                let scope = self.all[*other].declared.scope;
                scope.is_none_or(|scope| scopes.contains(&scope))
            })
            .partition(|other| self.all[*other].declared.scope.is_some());
        local.reverse();
        local.extend(global);
        local.truncate(MOST_OTHERS);
        local
    }
}

/// The address that an instruction stores to, or the instruction itself.
fn stored_to(user: Value) -> Value {
    match user.is_instruction() && user.opcode() == crate::ir::Opcode::LLVMStore {
        true => user.operand(1),
        false => user,
    }
}

fn width_of(address: PointerValue<'_>) -> Option<u32> {
    let address = Value(address.as_value_ref());
    let kind = match address.is_alloca() {
        true => address.allocated(),
        false => address.value_type(),
    };
    (kind.kind() == TypeKind::LLVMIntegerTypeKind).then(|| kind.bits())
}

/// Whether a store is neither volatile nor atomic.
fn is_ordinary(store: InstructionValue<'_>) -> bool {
    let is_atomic = store
        .get_atomic_ordering()
        .is_ok_and(|ordering| ordering != inkwell::AtomicOrdering::NotAtomic);
    !is_atomic && !store.get_volatile().unwrap_or(true)
}

fn returns_twice(call: InstructionValue<'_>) -> bool {
    let kind = Attribute::get_named_enum_kind_id("returns_twice");
    let of_callee = |callee: FunctionValue<'_>| {
        let attribute = callee.get_enum_attribute(AttributeLoc::Function, kind);
        attribute.is_some()
    };
    llvm::call_has_attribute(call, kind) || llvm::callee(call).is_some_and(of_callee)
}

impl<'ctx> Point<'ctx> {
    fn has_tests(&self) -> bool {
        self.own.is_some() || self.is_compared_with_zero || !self.others.is_empty()
    }

    /// Inserts the comparisons, each in a block that ends with its branch.
    fn compare(
        &self,
        builder: &Builder<'ctx>,
        variables: &Variables<'_, 'ctx>,
        places: &mut ConditionPlaces,
        predicates: &mut Predicates,
    ) -> Result<(), BuilderError> {
        let Some(block) = self.rest.get_parent() else {
            return Ok(());
        };
        let place = llvm::location_of_instruction(self.instruction);
        // Variables are compared only with values that are as wide.
        let load = |variable: usize| {
            let address = variables.all[variable].address;
            let kind = self.value.into_int_value().get_type();
            let loaded = builder.build_load(kind, address, "")?;
            Ok::<IntValue<'ctx>, BuilderError>(loaded.into_int_value())
        };
        let mut tests: Vec<(IntPredicate, BasicValueEnum<'ctx>, String)> = Vec::new();
        let (greater, less) = match self.is_signed {
            true => (IntPredicate::SGT, IntPredicate::SLT),
            false => (IntPredicate::UGT, IntPredicate::ULT),
        };
        let name = &self.name;
        if let Some(own) = self.own {
            builder.position_before(&self.instruction);
            let old = load(own)?;
            tests.push((greater, old.into(), format!("{name} > old {name}")));
            tests.push((
                IntPredicate::EQ,
                old.into(),
                format!("{name} == old {name}"),
            ));
        }
        let context = variables.function.get_type().get_context();
        let after = context.insert_basic_block_after(block, "");
        choice::move_rest(builder, self.rest, block, after)?;
        builder.position_at_end(block);
        if let Some(location) = self.instruction.get_debug_location() {
            builder.set_current_debug_location(location);
        }
        if self.is_compared_with_zero {
            let zero: BasicValueEnum<'ctx> = match self.value {
                BasicValueEnum::PointerValue(value) => value.get_type().const_null().into(),
                value => value.into_int_value().get_type().const_zero().into(),
            };
            // What is neither is greater.
            if self.is_signed && self.value.is_int_value() {
                tests.push((less, zero, format!("{name} < 0")));
            }
            tests.push((IntPredicate::EQ, zero, format!("{name} == 0")));
        }
        for other in &self.others {
            let value = load(*other)?;
            let other = &variables.all[*other].declared.name;
            tests.push((greater, value.into(), format!("{name} > {other}")));
            tests.push((IntPredicate::EQ, value.into(), format!("{name} == {other}")));
        }
        let mut last = block;
        let count = tests.len();
        for (index, (test, other, text)) in tests.into_iter().enumerate() {
            let holds = match (self.value, other) {
                (BasicValueEnum::PointerValue(one), BasicValueEnum::PointerValue(other)) => {
                    builder.build_int_compare(test, one, other, "")?
                }
                (one, other) => builder.build_int_compare(
                    test,
                    one.into_int_value(),
                    other.into_int_value(),
                    "",
                )?,
            };
            let next = match index + 1 == count {
                true => after,
                false => context.insert_basic_block_after(last, ""),
            };
            let branch = builder.build_conditional_branch(holds, next, next)?;
            places.insert(branch.into(), place.clone());
            predicates.insert(branch.into(), text);
            last = next;
            if next != after {
                builder.position_at_end(next);
            }
        }
        Ok(())
    }
}
