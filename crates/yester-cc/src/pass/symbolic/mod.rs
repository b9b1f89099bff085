//! Computes a shadow for each value: the node that says how the value depends on the input, or 0 if it does not.
//!
//! Shadows are computed by the runtime, and only where something depends on the input: `group` has the checks. `runtime.ll`
//! declares what the runtime offers.

mod call;
mod float;
mod flow;
mod function;
mod group;
mod instruction;
mod intrinsic;
mod leaf;
pub mod library;
mod output;
mod printer;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::runtime;
use super::site::FunctionPlan;
use super::value::ValueMarks;
use crate::emitter::Emitter;
use crate::ir::{TypeKind, Value};
use crate::llvm;
use crate::module::{LlvmError, Module};
use function::FunctionInstrumenter;

/// How many parameters of a function can have shadows. The runtime has the same limit.
const MOST_PARAMETERS: usize = 64;

const SYMBOLIC: &str = include_str!("symbolic.ll");

/// A module while its functions are instrumented.
pub struct Symbolic<'a> {
    emitter: Emitter<'a>,
    /// The functions that are instrumented.
    own: HashSet<Value>,
    texts: RefCell<HashMap<String, Value>>,
    /// Constants that stand for functions whose address must not be taken.
    identities: RefCell<HashMap<Value, Value>>,
    /// Where instructions are in the source.
    places: Places,
    /// The functions that are defined in headers of the system.
    system: HashSet<Value>,
    /// The numbers of the functions and the sites of marked values that may have expressions.
    values: HashMap<Value, (u32, u32)>,
}

/// The place of each instruction that has one: in the lower half as in [`yester_pathrt::format::place`], in the upper half the
/// class of its block.
pub type Places = HashMap<Value, u64>;

/// Finds the places of all instructions, as long as the module has them.
#[must_use]
pub fn places(plans: &[FunctionPlan]) -> Places {
    let mut places = Places::new();
    for plan in plans {
        for block in plan.function.all_blocks() {
            let class = plan.class_of.get(&block).copied().unwrap_or(0);
            for instruction in block.instructions() {
                let (line, column) = llvm::line_and_column(instruction);
                let place = yester_pathrt::format::place(line, column);
                if place != 0 {
                    let place = u64::from(place) | u64::from(class) << 32;
                    places.insert(instruction, place);
                }
            }
        }
    }
    places
}

/// Instruments all functions of a module.
///
/// # Errors
/// If LLVM rejects the helper functions.
pub fn instrument(
    module: &Module<'_>,
    plans: &[FunctionPlan],
    places: Places,
    marks: &ValueMarks,
) -> Result<(), LlvmError> {
    let symbolic = Symbolic {
        places,
        values: sites_of_values(plans, marks),
        emitter: Emitter::new(module),
        own: plans.iter().map(|plan| plan.function).collect(),
        texts: RefCell::default(),
        identities: RefCell::default(),
        system: plans
            .iter()
            .filter(|plan| yester_pathrt::format::is_system_file(&plan.location.file))
            .map(|plan| plan.function)
            .collect(),
    };
    let objects = symbolic.objects();
    symbolic.replace_library();
    runtime::declare(module, |_| true)?;
    runtime::link(module, SYMBOLIC)?;
    runtime::reach_directly(module, "__yester_call");
    for plan in plans {
        FunctionInstrumenter::new(&symbolic, plan.function).instrument();
    }
    symbolic.register(&objects);
    Ok(())
}

/// The numbers of the functions and the sites of values. An expression is for all bits of what is stored, so bit fields are left out,
/// and so are pointers, of which only null is recorded.
fn sites_of_values(plans: &[FunctionPlan], marks: &ValueMarks) -> HashMap<Value, (u32, u32)> {
    let mut values = HashMap::new();
    for plan in plans {
        for (site, event_site) in plan.sites.iter().enumerate() {
            let call = event_site.instruction;
            if marks.get(&call).is_some_and(|mark| mark.bits.is_none())
                && call.operand(0).type_of().kind() != TypeKind::LLVMPointerTypeKind
            {
                values.insert(call, (plan.number, site as u32));
            }
        }
    }
    values
}

impl Symbolic<'_> {
    /// Replaces library functions that have a model, both in calls and as function pointers.
    fn replace_library(&self) {
        for name in library::MODELS {
            let Some(function) = self.emitter.module.function(name) else {
                continue;
            };
            if library::is_modelled(function) {
                let model = format!("__yester_model_{name}");
                let model = self.emitter.module.declare_like(&model, function);
                function.replace_with(model);
            }
        }
    }

    /// The global variables of the module, each followed by its size.
    fn objects(&self) -> Vec<Value> {
        let mut objects = Vec::new();
        for global in self.emitter.module.globals() {
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

    /// Lets the module's constructor register its global variables with the runtime.
    fn register(&self, objects: &[Value]) {
        let Some(function) = self.emitter.module.function("yester.symbolic.register") else {
            return;
        };
        let Some(place) = function
            .blocks()
            .first()
            .and_then(|block| block.first_place())
        else {
            return;
        };
        self.emitter.before(place);
        let table = self.emitter.table(objects);
        let count = self.emitter.number(objects.len() as u64 / 2);
        self.emitter.call("__yester_objects", &[table, count]);
    }

    /// The address by which caller and callee agree for whom shadows are: the function's own, unless it exists only to be inlined.
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

    /// A constant text, emitted once for each module.
    fn text(&self, text: &str) -> Value {
        *self
            .texts
            .borrow_mut()
            .entry(text.to_owned())
            .or_insert_with(|| self.emitter.text(text))
    }
}
