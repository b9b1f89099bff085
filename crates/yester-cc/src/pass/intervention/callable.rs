//! Functions that the runtime can call where a call may be missing.
//!
//! A function that nothing uses is one of them too: its only call may be the one that is missing. The compiler keeps it for that, unless it
//! needs something that nothing else needs, which the linker may not find.

use std::collections::{HashMap, HashSet};

use yester_pathrt::protocol::MOST_ARGUMENTS;

use super::is_word_type;
use crate::debug::{DebugNames, ParameterKind};
use crate::ir::{TypeKind, Value};
use crate::llvm;
use crate::module::Module;
use crate::pass::value;

/// Deletes the functions that nothing uses and that need what nothing else needs.
pub fn drop_what_cannot_be_linked(module: &Module<'_>) {
    let functions = module
        .functions()
        .filter(|function| !function.is_declaration());
    let (local, kept): (Vec<_>, Vec<_>) = functions.partition(|one| llvm::is_local(*one));
    let needed = needs(kept.into_iter().chain(module.globals()).collect());
    let is_complete = |function: &Value| {
        needed.contains(function)
            || needs(vec![*function]).iter().all(|one| {
                let is_elsewhere = one.is_function() && one.is_declaration();
                !is_elsewhere || needed.contains(one) || one.is_intrinsic()
            })
    };
    let dropped: Vec<Value> = local.into_iter().filter(|one| !is_complete(one)).collect();
    // Only these use each other.
    llvm::remove_functions(dropped);
}

/// What is known about the functions of a module.
pub struct Callable<'a> {
    names: &'a DebugNames,
    /// What functions take.
    kinds: HashMap<Value, Vec<ParameterKind>>,
}

impl<'a> Callable<'a> {
    /// For functions with these names, that take this.
    pub fn new(names: &'a DebugNames, kinds: HashMap<Value, Vec<ParameterKind>>) -> Callable<'a> {
        Callable { names, kinds }
    }

    /// What a function returns and takes, if it can be called with words: a star and a name for a pointer, the form for a number.
    pub fn signature(&self, function: Value) -> Option<String> {
        let location = llvm::location_of_function(function);
        let function_type = function.value_type();
        let parameters = function_type.parameters();
        let is_callable = value::is_own(&location)
            && !function_type.is_variadic()
            && parameters.len() <= MOST_ARGUMENTS
            && function.name() != "main";
        if !is_callable {
            return None;
        }
        let kinds = self.kinds.get(&function)?;
        // What is passed in pieces or by a hidden pointer looks different in the code.
        if kinds.len() != parameters.len() {
            return None;
        }
        let mut words = vec![match function_type.returned() {
            None => "void",
            Some(kind) if is_word_type(kind) => "word",
            Some(_) => return None,
        }];
        let mut forms = Vec::new();
        for (index, (kind, parameter)) in kinds.iter().zip(parameters).enumerate() {
            forms.push(match (kind, parameter.kind()) {
                (ParameterKind::Pointer(name), TypeKind::LLVMPointerTypeKind) => {
                    format!("*{}", super::plain(name))
                }
                // Others are not passed like words.
                (ParameterKind::Number, TypeKind::LLVMIntegerTypeKind) => {
                    let is_unsigned = self.names.is_unsigned(function, index + 1);
                    value::form(parameter, is_unsigned)?
                }
                _ => return None,
            });
        }
        words.extend(forms.iter().map(String::as_str));
        Some(words.join(" "))
    }
}

/// Functions, and all functions and variables that they need.
fn needs(roots: Vec<Value>) -> HashSet<Value> {
    let mut found: HashSet<Value> = roots.iter().copied().collect();
    let mut pending = roots;
    while let Some(one) = pending.pop() {
        let used: Vec<Value> = if one.is_function() {
            let blocks = one.all_blocks().into_iter();
            let instructions = blocks.flat_map(|block| block.instructions());
            instructions.flat_map(Value::operands).collect()
        } else {
            one.operands()
        };
        let used = used.into_iter().filter(|used| used.is_constant());
        pending.extend(used.filter(|used| found.insert(*used)));
    }
    found
}
