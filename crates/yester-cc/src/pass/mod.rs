//! Instruments a module.
//!
//! The order matters. Predicates are added while variables are memory. Then local variables become values, which loses no branch; selects become branches; and sites are numbered
//! before anything is inserted. [`trace`] inserts last, because its events stand directly before the branch or call.

mod access;
mod choice;
pub mod dependence;
mod force;
pub mod predicate;
mod site;
mod symbolic;
mod table;
mod trace;
mod value;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::BuilderError;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::passes::PassBuilderOptions;
use inkwell::support::LLVMString;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use inkwell::values::{FunctionValue, InstructionOpcode};
use inkwell::{OptimizationLevel, ThreadLocalMode};

use crate::llvm;
use crate::metadata::DebugInformation;
use predicate::{PredicateChoice, Predicates};
use site::{ConditionPlaces, FunctionPlan};
use value::ValueMarks;

const EVENT: &str = include_str!("event.ll");

/// Why a module could not be instrumented. Each one is a bug.
#[derive(Debug, thiserror::Error)]
pub enum PassError {
    /// LLVM refused something.
    #[error("{0}")]
    Llvm(String),
    /// An instruction could not be built.
    #[error(transparent)]
    Build(#[from] BuilderError),
}

impl From<LLVMString> for PassError {
    fn from(message: LLVMString) -> Self {
        PassError::Llvm(message.to_string())
    }
}

/// How to instrument a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassOptions {
    /// Keep every read through a pointer, even if nothing needs the value: without optimisation a bad pointer crashes there.
    pub faithful: bool,
    /// Follow symbolic values; otherwise record the trace alone.
    pub symbolic: bool,
    /// Keep what debuggers need, which takes much of the time that code generation takes.
    pub debug: bool,
    /// Which functions get predicates.
    pub predicates: PredicateChoice,
    /// Record assigned values too, with the names that the debug information has.
    pub values: bool,
    /// Describe what the code reads and writes.
    pub dependence: bool,
    /// Which places at which a run can be forced to do something else are added.
    pub force: ForceChoice,
}

/// What is added for runs that are forced to do something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceChoice {
    /// Nothing.
    None,
    /// All places, and nothing that records.
    All,
    /// The same places, of which those with values work, and what records: the values can be followed to what they change.
    Followed,
}

/// Instruments bitcode.
///
/// # Errors
/// If LLVM rejects the bitcode, or the instrumented module.
pub fn instrument(bitcode: &[u8], options: &PassOptions) -> Result<Vec<u8>, PassError> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, "module");
    let module = Module::parse_bitcode_from_buffer(&buffer, &context)?;
    if options.force != ForceChoice::None {
        force::drop_what_cannot_be_linked(&module);
    }
    let mut places = site::condition_places(&module);
    if options.force != ForceChoice::None {
        forget_promises(&module);
        force::insert(&context, &module, &mut places, options.force)?;
    }
    if options.force == ForceChoice::All {
        if !options.debug {
            llvm::strip_debug_information(&module);
        }
        return finished(&module);
    }
    let marks = match options.values {
        true => value::mark(&module, &traceable(&module), false),
        false => ValueMarks::new(),
    };
    let predicates = predicate::insert(&module, &options.predicates, &mut places)?;
    if options.values {
        DebugInformation::new(&module).forget_variables(&module);
    }
    choice::branch(&module, &mut places)?;
    let accesses = options.dependence.then(|| access::accesses(&module));
    let escaped = options.dependence.then(|| access::escaped(&module));
    values(&module)?;
    if options.faithful {
        keep_reads(&module);
    }
    let plans = plan(&module, &places, &predicates, &marks);
    let places = match options.symbolic {
        true => symbolic::places(&plans),
        false => symbolic::Places::new(),
    };
    if !options.debug {
        // The plans have the places of all sites.
        llvm::strip_debug_information(&module);
    }
    link_events(&context, &module)?;
    if options.symbolic {
        symbolic::instrument(&context, &module, &plans, places, &marks)?;
    }
    let trace = trace::EventInserter::new(&module, options.symbolic);
    for plan in &plans {
        trace.instrument(plan)?;
    }
    if options.values {
        value::record(&module, &plans, &marks);
    }
    let mut table = table::table(&plans, accesses.as_ref());
    table.push_str(&escaped.unwrap_or_default());
    describe(&context, &module, &plans, &table);
    finished(&module)
}

/// The bitcode of a module, once LLVM has checked it.
fn finished(module: &Module<'_>) -> Result<Vec<u8>, PassError> {
    module.verify()?;
    Ok(module.write_bitcode_to_memory().as_slice().to_vec())
}

/// Turns local variables into values.
fn values(module: &Module<'_>) -> Result<(), PassError> {
    Target::initialize_x86(&InitializationConfig::default());
    let triple = module.get_triple();
    let machine: TargetMachine = Target::from_triple(&triple)?
        .create_target_machine(
            &triple,
            "",
            "",
            OptimizationLevel::None,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| PassError::Llvm(format!("no code can be made for {triple}")))?;
    module.run_passes("mem2reg", &machine, PassBuilderOptions::create())?;
    Ok(())
}

/// Keeps the optimiser from removing reads that may crash.
fn keep_reads(module: &Module<'_>) {
    for instruction in module
        .get_functions()
        .flat_map(FunctionValue::get_basic_block_iter)
        .flat_map(inkwell::basic_block::BasicBlock::get_instructions)
    {
        if instruction.get_opcode() == InstructionOpcode::Load && !llvm::reads_variable(instruction)
        {
            // This fails for atomic reads, which stay anyway.
            let _ = instruction.set_volatile(true);
        }
    }
}

/// The functions that can be instrumented.
fn traceable<'ctx>(module: &Module<'ctx>) -> Vec<FunctionValue<'ctx>> {
    // Resolvers run before the program is relocated, so they cannot write events.
    let resolvers = llvm::resolvers(module);
    let functions = module.get_functions();
    functions
        .filter(|function| {
            function.get_intrinsic_id() == 0
                && trace::is_traceable(*function)
                && !resolvers.contains(function)
                && !function.get_name().to_bytes().starts_with(b"yester.")
        })
        .collect()
}

/// Takes back what the optimiser may assume of a program that was not instrumented.
fn forget_promises(module: &Module<'_>) {
    let memory = Attribute::get_named_enum_kind_id("memory");
    let null_pointer = module.get_context().create_enum_attribute(
        Attribute::get_named_enum_kind_id("null_pointer_is_valid"),
        0,
    );
    for function in module.get_functions() {
        if function.get_intrinsic_id() != 0 {
            continue;
        }
        // The optimiser must not assume that a pointer is not null because it is dereferenced: such bugs are what users look for.
        function.add_attribute(AttributeLoc::Function, null_pointer);
        // A function that writes events has side effects, whatever its attributes promise, here or in another module.
        function.remove_enum_attribute(AttributeLoc::Function, memory);
        for instruction in function
            .get_basic_block_iter()
            .flat_map(inkwell::basic_block::BasicBlock::get_instructions)
        {
            if matches!(
                instruction.get_opcode(),
                InstructionOpcode::Call | InstructionOpcode::Invoke
            ) && llvm::callee(instruction).is_none_or(|callee| callee.get_intrinsic_id() == 0)
            {
                llvm::remove_attribute_of_call(instruction, memory);
            }
        }
    }
}

/// Plans all functions that can be instrumented.
fn plan<'ctx>(
    module: &Module<'ctx>,
    places: &ConditionPlaces,
    predicates: &Predicates,
    marks: &ValueMarks,
) -> Vec<FunctionPlan<'ctx>> {
    forget_promises(module);
    let mut plans = Vec::new();
    for function in traceable(module) {
        let number = plans.len() as u32;
        plans.push(site::plan(function, number, places, predicates, marks));
    }
    plans
}

/// Adds the functions of `event.ll`.
fn link_events<'ctx>(context: &'ctx Context, module: &Module<'ctx>) -> Result<(), PassError> {
    let text = format!(
        "target datalayout = \"{}\"\ntarget triple = \"{}\"\n{EVENT}",
        module.get_data_layout().as_str().to_string_lossy(),
        module.get_triple().as_str().to_string_lossy(),
    );
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "event.ll");
    internalise(module, context.create_module_from_ir(buffer)?)?;
    // Code that is not for shared objects goes into the program itself, like the runtime.
    if (module.get_flag("PIE Level").is_some() || module.get_flag("PIC Level").is_none())
        && let Some(thread) = module.get_global("__yester_thread")
    {
        thread.set_thread_local_mode(Some(ThreadLocalMode::LocalExecTLSModel));
    }
    Ok(())
}

/// Adds the functions of another module, which only this one sees.
fn internalise<'ctx>(module: &Module<'ctx>, other: Module<'ctx>) -> Result<(), PassError> {
    let names: Vec<String> = other
        .get_functions()
        .filter(|function| function.get_first_basic_block().is_some())
        .map(|function| function.get_name().to_string_lossy().into_owned())
        .collect();
    module.link_in_module(other)?;
    for name in names {
        if let Some(function) = module.get_function(&name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

/// Fills in the description that the module's constructor gives to the runtime.
fn describe<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    plans: &[FunctionPlan<'ctx>],
    table: &str,
) {
    let constant = |name: &str, bytes: &[u8]| {
        let value = context.const_string(bytes, false);
        let global = module.add_global(value.get_type(), None, name);
        global.set_initializer(&value);
        global.set_constant(true);
        global.set_linkage(Linkage::Private);
        global
    };
    // It is a field of a line.
    let source = module.get_source_file_name().to_bytes().iter();
    let source = source.map(|byte| {
        if b"\t\n\r".contains(byte) {
            b'?'
        } else {
            *byte
        }
    });
    let source: Vec<u8> = source.collect();
    let (i32_type, i64_type) = (context.i32_type(), context.i64_type());
    let first = module
        .get_global("yester.first")
        .expect("event.ll is linked in");
    let description = context.const_struct(
        &[
            first.as_pointer_value().into(),
            i32_type.const_int(plans.len() as u64, false).into(),
            i32_type.const_int(source.len() as u64, false).into(),
            constant("yester.source", &source).as_pointer_value().into(),
            constant("yester.table", table.as_bytes())
                .as_pointer_value()
                .into(),
            i64_type.const_int(table.len() as u64, false).into(),
        ],
        false,
    );
    let declared = module
        .get_global("yester.module")
        .expect("event.ll is linked in");
    let global = module.add_global(description.get_type(), None, "yester.description");
    global.set_initializer(&description);
    global.set_constant(true);
    global.set_linkage(Linkage::Internal);
    declared
        .as_pointer_value()
        .replace_all_uses_with(global.as_pointer_value());
    first.set_linkage(Linkage::Internal);
    llvm::remove_global(declared);
}
