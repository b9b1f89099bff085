//! Instruments a module.
//!
//! The order matters. Predicates are added while variables are memory. Then local variables become values, which loses no branch; selects become branches; and sites are numbered
//! before anything is inserted. [`trace`] inserts last, because its events stand directly before the branch or call.

mod access;
mod choice;
pub mod dependence;
mod intervention;
pub mod predicate;
mod runtime;
mod site;
mod symbolic;
mod table;
mod trace;
mod value;

use crate::ir::{BlockRef, Linkage, Opcode, Value};
use crate::llvm;
use crate::metadata::DebugInformation;
use crate::mode::Mode;
use crate::module::{Context, LlvmError, Module};
use predicate::{PredicateChoice, Predicates};
use site::{ConditionPlaces, FunctionPlan};
use value::ValueMarks;

const EVENT: &str = include_str!("event.ll");

/// How to instrument a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Keep every read through a pointer, even if nothing needs the value: without optimisation a bad pointer crashes there.
    pub faithful: bool,
    /// Keep what debuggers need, which takes much of the time that code generation takes.
    pub debug: bool,
    /// What the program is built for.
    pub mode: Mode,
    /// Which functions get predicates.
    pub predicates: PredicateChoice,
}

/// Instruments bitcode.
///
/// # Errors
/// If LLVM rejects the bitcode, or the instrumented module.
pub fn instrument(bitcode: &[u8], options: &PassOptions) -> Result<Vec<u8>, LlvmError> {
    let context = Context::new();
    let module = context.read_bitcode(bitcode)?;
    let mode = options.mode;
    if mode.has_places() {
        intervention::drop_what_cannot_be_linked(&module);
    }
    let mut places = site::condition_places(&module);
    if mode.has_places() {
        forget_promises(&module);
        intervention::insert(&module, &mut places, mode == Mode::Follow)?;
    }
    if mode == Mode::Intervene {
        if !options.debug {
            module.strip_debug_information();
        }
        return module.bitcode();
    }
    let marks = if mode.has_values() {
        value::mark(&module, &traceable(&module), false)
    } else {
        ValueMarks::new()
    };
    let predicates = predicate::insert(&module, &options.predicates, &mut places);
    if mode.has_values() {
        DebugInformation::new(&module).forget_variables(&module);
    }
    choice::branch(&module, &mut places);
    let accesses = mode.has_dependence().then(|| access::accesses(&module));
    let escaped = mode.has_dependence().then(|| access::escaped(&module));
    module.promote_variables()?;
    if options.faithful {
        keep_reads(&module);
    }
    let plans = plan(&module, &places, &predicates, &marks);
    let places = if mode.is_symbolic() {
        symbolic::places(&plans)
    } else {
        symbolic::Places::new()
    };
    if !options.debug {
        // The plans have the places of all sites.
        module.strip_debug_information();
    }
    runtime::link(&module, EVENT)?;
    runtime::reach_directly(&module, "__yester_thread");
    if mode.is_symbolic() {
        symbolic::instrument(&module, &plans, places, &marks)?;
    }
    let trace = trace::EventInserter::new(&module, mode.is_symbolic());
    for plan in &plans {
        trace.instrument(plan);
    }
    if mode.has_values() {
        runtime::declare(&module, |name| name == "__yester_value")?;
        value::record(&module, &plans, &marks);
    }
    let mut table = table::table(&plans, accesses.as_ref());
    table.push_str(&escaped.unwrap_or_default());
    describe(&module, &plans, &table);
    module.bitcode()
}

/// Keeps the optimiser from removing reads that may crash.
fn keep_reads(module: &Module<'_>) {
    let blocks = module.functions().flat_map(Value::all_blocks);
    for instruction in blocks.flat_map(BlockRef::instructions) {
        if instruction.opcode() == Opcode::LLVMLoad && !llvm::reads_variable(instruction) {
            llvm::keep_load(instruction);
        }
    }
}

/// The functions that can be instrumented.
fn traceable(module: &Module<'_>) -> Vec<Value> {
    // Resolvers run before the program is relocated, so they cannot write events.
    let resolvers = module.resolvers();
    let functions = module.functions();
    functions
        .filter(|function| {
            !function.is_intrinsic()
                && trace::is_traceable(*function)
                && !resolvers.contains(function)
                && !function.name().starts_with("yester.")
        })
        .collect()
}

/// Takes back what the optimiser may assume of a program that was not instrumented.
fn forget_promises(module: &Module<'_>) {
    for function in module.functions().filter(|one| !one.is_intrinsic()) {
        // The optimiser must not assume that a pointer is not null because it is dereferenced: such bugs are what users look for.
        function.add_attribute("null_pointer_is_valid");
        // A function that writes events has side effects, whatever its attributes promise, here or in another module.
        function.remove_attribute("memory");
        let blocks = function.all_blocks().into_iter();
        for instruction in blocks.flat_map(BlockRef::instructions) {
            if matches!(instruction.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
                && llvm::callee(instruction).is_none_or(|callee| !callee.is_intrinsic())
            {
                llvm::remove_attribute_of_call(instruction, "memory");
            }
        }
    }
}

/// Plans all functions that can be instrumented.
fn plan(
    module: &Module<'_>,
    places: &ConditionPlaces,
    predicates: &Predicates,
    marks: &ValueMarks,
) -> Vec<FunctionPlan> {
    forget_promises(module);
    let mut plans = Vec::new();
    for function in traceable(module) {
        let number = plans.len() as u32;
        plans.push(site::plan(function, number, places, predicates, marks));
    }
    plans
}

/// Fills in the description that the module's constructor gives to the runtime.
fn describe(module: &Module<'_>, plans: &[FunctionPlan], table: &str) {
    let constant = |name, bytes: &[u8]| {
        let bytes = module.bytes(bytes, false);
        module.define(name, bytes, Linkage::LLVMPrivateLinkage, true)
    };
    // It is a field of a line.
    let source = module.source_name().into_iter();
    let source = source.map(|byte| {
        if b"\t\n\r".contains(&byte) {
            b'?'
        } else {
            byte
        }
    });
    let source: Vec<u8> = source.collect();
    let first = module.global("yester.first");
    let first = first.expect("event.ll is linked in");
    let description = module.structure(&[
        first,
        module.integer(32, plans.len() as u64),
        module.integer(32, source.len() as u64),
        constant(c"yester.source", &source),
        constant(c"yester.table", table.as_bytes()),
        module.integer(64, table.len() as u64),
    ]);
    let declared = module.global("yester.module");
    let declared = declared.expect("event.ll is linked in");
    let linkage = Linkage::LLVMInternalLinkage;
    let global = module.define(c"yester.description", description, linkage, true);
    declared.replace_with(global);
    first.set_linkage(linkage);
    llvm::remove_global(declared);
}
