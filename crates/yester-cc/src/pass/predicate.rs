//! Predicates: branches without effect that make wrong values visible as another path, after the cooperative bug isolation that
//! DARWIN (section 3.3) takes up. Both ways of such a branch lead to the same block.
//!
//! Behind each assignment to an integer variable, the new value is compared with the old one and with other variables of the same
//! type; behind each call, the result with zero and with variables. Only variables are read that are in scope and certainly have
//! a value, so the program does what it did before. This has to happen as long as variables are memory: later they have no
//! names.

use std::collections::HashMap;

use super::choice;
use super::site::ConditionPlaces;
use crate::emitter::Emitter;
use crate::ir::{BlockRef, IntegerPredicate, Opcode, TypeKind, Value};
use crate::llvm;
use crate::metadata::{DebugInformation, DeclaredVariable, IntegerType};
use crate::module::Module;

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

    fn has(&self, information: &DebugInformation<'_>, function: Value) -> bool {
        match self {
            PredicateChoice::None => false,
            PredicateChoice::All => {
                let file = llvm::location_of_function(function).file;
                !SYSTEM.iter().any(|one| file.starts_with(one))
            }
            PredicateChoice::Named(names) => {
                let symbol = function.name();
                let name = information.name_of_function(function);
                let mut known = [Some(symbol), name].into_iter().flatten();
                known.any(|known| names.contains(&known))
            }
        }
    }
}

/// Inserts the predicates of a module, and notes their places.
pub fn insert(
    module: &Module<'_>,
    choice: &PredicateChoice,
    places: &mut ConditionPlaces,
) -> Predicates {
    let mut predicates = Predicates::new();
    if *choice == PredicateChoice::None {
        return predicates;
    }
    let information = DebugInformation::new(module);
    let declared = information.take_variables(module);
    let emitter = Emitter::new(module);
    for function in module.functions() {
        if function.is_declaration() || !choice.has(&information, function) {
            continue;
        }
        let variables = Variables::new(function, &declared);
        // The last of a block first: each moves what follows it, which is then little.
        for point in variables.points(&information).into_iter().rev() {
            point.compare(&emitter, &variables, places, &mut predicates);
        }
    }
    predicates
}

/// A variable that a function assigns or reads by its name.
struct Variable<'a> {
    address: Value,
    declared: &'a DeclaredVariable,
}

/// The variables of a function.
struct Variables<'a> {
    /// Local ones in order of declaration, then global ones.
    all: Vec<Variable<'a>>,
    index_of: HashMap<Value, usize>,
    blocks: Vec<BlockRef>,
    /// Which variables certainly have a value at the start of each block; `None` if the block cannot be reached.
    assigned: Vec<Option<Vec<bool>>>,
}

/// A place where a value is compared.
struct Point {
    /// The store or call.
    instruction: Value,
    /// What comes next.
    rest: Value,
    value: Value,
    /// The value's name.
    name: String,
    is_signed: bool,
    /// The variable whose old value it is compared with.
    own: Option<usize>,
    is_compared_with_zero: bool,
    others: Vec<usize>,
}

/// The address that an instruction stores to or loads from.
fn address(instruction: Value) -> Option<Value> {
    match instruction.opcode() {
        Opcode::LLVMStore => Some(instruction.operand(1)),
        Opcode::LLVMLoad => Some(instruction.operand(0)),
        _ => None,
    }
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

impl<'a> Variables<'a> {
    fn new(function: Value, declared: &'a HashMap<Value, DeclaredVariable>) -> Self {
        let blocks = function.all_blocks();
        let mut all: Vec<Variable<'a>> = Vec::new();
        let instructions = blocks.iter().flat_map(|block| block.instructions());
        for address in instructions.filter_map(address) {
            if let Some(declared) = declared.get(&address).filter(|_| holds_integer(address)) {
                all.push(Variable { address, declared });
            }
        }
        all.sort_by_key(|variable| (variable.declared.scope.is_none(), variable.declared.number));
        all.dedup_by_key(|variable| variable.declared.number);
        let index_of = all.iter().enumerate();
        let index_of = index_of.map(|(index, one)| (one.address, index));
        let mut variables = Variables {
            index_of: index_of.collect(),
            all,
            assigned: vec![None; blocks.len()],
            blocks,
        };
        variables.find_assigned();
        variables
    }

    /// The variable that a store assigns to.
    fn target(&self, instruction: Value) -> Option<usize> {
        if instruction.opcode() != Opcode::LLVMStore {
            return None;
        }
        self.index_of.get(&instruction.operand(1)).copied()
    }

    /// Finds which variables are assigned on every way to each block. Memory of a variable outlives its scope, so what was
    /// assigned stays so.
    fn find_assigned(&mut self) {
        let number_of: HashMap<BlockRef, usize> = self
            .blocks
            .iter()
            .enumerate()
            .map(|(number, block)| (*block, number))
            .collect();
        let is_global = |variable: &Variable<'_>| variable.declared.scope.is_none();
        self.assigned[0] = Some(self.all.iter().map(is_global).collect());
        let mut pending = vec![0];
        while let Some(number) = pending.pop() {
            let block = self.blocks[number];
            let mut known = self.assigned[number].clone().expect("it is reached");
            let instructions = block.instructions().into_iter();
            for variable in instructions.filter_map(|one| self.target(one)) {
                known[variable] = true;
            }
            for successor in block.successors() {
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
    fn points(&self, information: &DebugInformation<'_>) -> Vec<Point> {
        let mut points = Vec::new();
        for (block, assigned) in self.blocks.iter().zip(&self.assigned) {
            let Some(mut assigned) = assigned.clone() else {
                continue;
            };
            for instruction in block.instructions() {
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
        store: Value,
        variable: usize,
        assigned: &[bool],
    ) -> Option<Point> {
        let value = store.operand(0);
        // What a function is called with arrives in its parameters by stores without a place.
        if store.debug_place().is_none()
            || value.is_parameter()
            || value.type_of().kind() != TypeKind::LLVMIntegerTypeKind
            || !llvm::is_ordinary_store(store)
        {
            return None;
        }
        let DeclaredVariable { name, kind, .. } = self.all[variable].declared;
        let width = value.type_of().bits();
        if width_of(self.all[variable].address) != Some(width) {
            return None;
        }
        Some(Point {
            instruction: store,
            rest: store.next()?,
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
        call: Value,
        assigned: &[bool],
    ) -> Option<Point> {
        let rest = match call.opcode() {
            Opcode::LLVMCall => call.next()?,
            Opcode::LLVMInvoke => llvm::first_after_invoke(call)?,
            _ => return None,
        };
        // Results that nobody uses would have to be followed only because of the predicate.
        if call.debug_place().is_none()
            || !call.is_used()
            || call.is_must_tail()
            || call.callee().is_assembler()
            || llvm::returns_twice(call)
        {
            return None;
        }
        let callee = llvm::callee(call);
        if callee.is_some_and(Value::is_intrinsic) {
            return None;
        }
        let value = llvm::result(call)?;
        let width = match value.type_of().kind() {
            TypeKind::LLVMIntegerTypeKind => value.type_of().bits(),
            _ => 0,
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
        let is_assigned = call
            .users()
            .all(|user| self.index_of.contains_key(&stored_to(user)));
        let others = if is_assigned || width == 0 {
            Vec::new()
        } else {
            self.others(information, call, assigned, |other| {
                let variable = &self.all[other];
                width_of(variable.address) == Some(width) && fits(variable.declared.kind, width)
            })
        };
        let name = callee.map(Value::name);
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
        instruction: Value,
        assigned: &[bool],
        is_alike: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let scopes = instruction.debug_place();
        let scopes = scopes.map_or(Vec::new(), |place| information.scopes(place));
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
    if user.is_instruction() && user.opcode() == Opcode::LLVMStore {
        user.operand(1)
    } else {
        user
    }
}

fn width_of(address: Value) -> Option<u32> {
    let kind = if address.is_alloca() {
        address.allocated()
    } else {
        address.value_type()
    };
    (kind.kind() == TypeKind::LLVMIntegerTypeKind).then(|| kind.bits())
}

impl Point {
    fn has_tests(&self) -> bool {
        self.own.is_some() || self.is_compared_with_zero || !self.others.is_empty()
    }

    /// Inserts the comparisons, each in a block that ends with its branch.
    fn compare(
        &self,
        emitter: &Emitter<'_>,
        variables: &Variables<'_>,
        places: &mut ConditionPlaces,
        predicates: &mut Predicates,
    ) {
        let block = self.rest.block();
        let place = llvm::location_of_instruction(self.instruction);
        let kind = self.value.type_of();
        // Variables are compared only with values that are as wide.
        let load = |variable: usize| emitter.load(kind, variables.all[variable].address);
        let equal = IntegerPredicate::LLVMIntEQ;
        let (greater, less) = if self.is_signed {
            (IntegerPredicate::LLVMIntSGT, IntegerPredicate::LLVMIntSLT)
        } else {
            (IntegerPredicate::LLVMIntUGT, IntegerPredicate::LLVMIntULT)
        };
        let name = &self.name;
        let mut tests: Vec<(IntegerPredicate, Value, String)> = Vec::new();
        if let Some(own) = self.own {
            emitter.before(self.instruction);
            let old = load(own);
            tests.push((greater, old, format!("{name} > old {name}")));
            tests.push((equal, old, format!("{name} == old {name}")));
        }
        let after = block.insert_after(c"");
        choice::move_rest(emitter, self.rest, block, after);
        let debug_place = self.instruction.debug_place();
        emitter.at_end_with(block, debug_place);
        if self.is_compared_with_zero {
            let zero = kind.zero();
            // What is neither is greater.
            if self.is_signed && kind.kind() == TypeKind::LLVMIntegerTypeKind {
                tests.push((less, zero, format!("{name} < 0")));
            }
            tests.push((equal, zero, format!("{name} == 0")));
        }
        for other in &self.others {
            let value = load(*other);
            let other = &variables.all[*other].declared.name;
            tests.push((greater, value, format!("{name} > {other}")));
            tests.push((equal, value, format!("{name} == {other}")));
        }
        let mut last = block;
        let count = tests.len();
        for (index, (test, other, text)) in tests.into_iter().enumerate() {
            let holds = emitter.compare(test, self.value, other);
            let next = if index + 1 == count {
                after
            } else {
                last.insert_after(c"")
            };
            let branch = emitter.jump_if(holds, next, next);
            places.insert(branch, place.clone());
            predicates.insert(branch, text);
            last = next;
            if next != after {
                emitter.at_end_with(next, debug_place);
            }
        }
    }
}
