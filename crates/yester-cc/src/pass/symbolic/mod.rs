//! Beside each value its shadow: the node that says how it depends on the input, 0 when it does not.
//!
//! No block is split. What is inserted are calls of the small functions of `symbolic.ll`, which are inlined later: each looks
//! whether a shadow is there, and only then calls the runtime.

mod call;
mod function;
mod helper;
mod instruction;
mod intrinsic;
mod leaf;
pub mod library;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use inkwell::ThreadLocalMode;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};

use super::Error;
use super::site::Plan;
use crate::emitter::Emitter;
use crate::ir::{Opcode, Value};
use function::Function;

/// So many parameters can have shadows.
const MOST_PARAMETERS: usize = 64;

/// What is known of a module.
pub struct Symbolic<'a> {
    emitter: Emitter<'a>,
    /// Functions that are instrumented.
    own: HashSet<Value>,
    texts: RefCell<HashMap<String, Value>>,
    /// What stands for functions whose address must not be used.
    identities: RefCell<HashMap<Value, Value>>,
}

/// Instruments all functions of a module.
///
/// # Errors
/// When LLVM does not like the helpers.
pub fn instrument<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    plans: &[Plan<'ctx>],
) -> Result<(), Error> {
    let symbolic = Symbolic {
        emitter: Emitter::new(module),
        own: plans
            .iter()
            .map(|plan| Value::from(plan.function))
            .collect(),
        texts: RefCell::default(),
        identities: RefCell::default(),
    };
    let objects = symbolic.objects();
    symbolic.replace_library();
    let arities = symbolic.arities();
    link_helpers(context, module, &arities)?;
    for plan in plans {
        Function::new(&symbolic, plan.function.into()).instrument();
    }
    symbolic.register(module, &objects);
    Ok(())
}

impl Symbolic<'_> {
    /// Uses the models of library functions that are only declared here, wherever they are called or pointed at.
    fn replace_library(&self) {
        for name in library::MODELS {
            let Some(function) = self.emitter.function(name) else {
                continue;
            };
            if function.is_declaration() && library::fits(name, function.value_type()) {
                let model = self
                    .emitter
                    .declare_like(&format!("__yester_model_{name}"), function);
                function.replace_with(model);
            }
        }
    }

    /// Which numbers of arguments there are.
    fn arities(&self) -> BTreeSet<usize> {
        self.own
            .iter()
            .flat_map(|function| function.blocks())
            .flat_map(crate::ir::Block::instructions)
            .filter(|instruction| {
                matches!(
                    instruction.opcode(),
                    Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr
                )
            })
            .map(|call| call.arguments().len().min(MOST_PARAMETERS))
            .collect()
    }

    /// The variables of the module, with their sizes.
    fn objects(&self) -> Vec<Value> {
        let mut objects = Vec::new();
        for global in self.emitter.globals() {
            let kind = global.value_type();
            if global.is_declaration()
                || global.is_thread_local()
                || !kind.is_sized()
                || global.name().starts_with("llvm.")
                || global.name().starts_with("yester.")
            {
                continue;
            }
            objects.push(global);
            objects.push(self.emitter.number(self.emitter.stride(kind)));
        }
        objects
    }

    /// A constructor that tells the runtime of the variables.
    fn register(&self, module: &Module<'_>, objects: &[Value]) {
        let Some(function) = module.get_function("yester.symbolic.register") else {
            return;
        };
        let Some(place) = Value::from(function)
            .blocks()
            .first()
            .and_then(|block| block.first_place())
        else {
            return;
        };
        self.emitter.before(place);
        let table = self.emitter.table(objects);
        let count = self.emitter.number(objects.len() as u64 / 2);
        self.emitter.call("yester.call.objects", &[table, count]);
    }

    /// The address that says for which function shadows are meant: its own, unless it has none outside of this module.
    fn identity(&self, function: Value) -> Value {
        if !function.is_function() || !function.is_inline_only() {
            return function;
        }
        *self
            .identities
            .borrow_mut()
            .entry(function)
            .or_insert_with(|| self.emitter.text(&function.name()))
    }

    /// A text in the module, each one once.
    fn text(&self, text: &str) -> Value {
        *self
            .texts
            .borrow_mut()
            .entry(text.to_owned())
            .or_insert_with(|| self.emitter.text(text))
    }
}

fn link_helpers<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    arities: &BTreeSet<usize>,
) -> Result<(), Error> {
    let text = format!(
        "target datalayout = \"{}\"\ntarget triple = \"{}\"\n{}",
        module.get_data_layout().as_str().to_string_lossy(),
        module.get_triple().as_str().to_string_lossy(),
        helper::text(arities),
    );
    let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "symbolic.ll");
    let helpers = context.create_module_from_ir(buffer)?;
    let names: Vec<String> = helpers
        .get_functions()
        .filter(|function| function.get_first_basic_block().is_some())
        .map(|function| function.get_name().to_string_lossy().into_owned())
        .collect();
    module.link_in_module(helpers)?;
    for name in names {
        if let Some(function) = module.get_function(&name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    // What is not made for shared objects goes into a program, where the runtime is.
    if (module.get_flag("PIE Level").is_some() || module.get_flag("PIC Level").is_none())
        && let Some(call) = module.get_global("__yester_call")
    {
        call.set_thread_local_mode(Some(ThreadLocalMode::LocalExecTLSModel));
    }
    Ok(())
}
