//! What the runtime offers to instrumented code: the declarations of `runtime.ll`.

use crate::ir::Linkage;
use crate::module::{LlvmError, Module};

const DECLARATIONS: &str = include_str!("runtime.ll");

/// Adds functions in LLVM's language, which only this module sees, with what they use of the runtime.
pub fn link(module: &Module<'_>, functions: &str) -> Result<(), LlvmError> {
    let other = module.parse_beside(&format!("{DECLARATIONS}\n{functions}"))?;
    let defined = other.functions().filter(|one| !one.is_declaration());
    let names: Vec<String> = defined.map(|function| function.name()).collect();
    module.link(other)?;
    for name in names {
        if let Some(function) = module.function(&name) {
            function.set_linkage(Linkage::LLVMInternalLinkage);
        }
    }
    Ok(())
}

/// Declares the functions and variables that are wanted, by their names. Linking leaves out what nothing uses yet.
pub fn declare(module: &Module<'_>, is_wanted: impl Fn(&str) -> bool) -> Result<(), LlvmError> {
    let list = module.parse_beside(DECLARATIONS)?;
    for function in list.functions().filter(|one| is_wanted(&one.name())) {
        module.declare_like(&function.name(), function);
    }
    for variable in list.globals() {
        let name = variable.name();
        if is_wanted(&name) && module.global(&name).is_none() {
            module.declare_variable(variable);
        }
    }
    Ok(())
}

/// Lets code that is not for shared objects reach a thread's variable directly: it goes into the program itself, like the runtime.
pub fn reach_directly(module: &Module<'_>, name: &str) {
    let is_in_program = module.has_flag("PIE Level") || !module.has_flag("PIC Level");
    if is_in_program && let Some(variable) = module.global(name) {
        variable.reach_directly();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};
    use std::fs;
    use std::path::Path;

    use super::super::symbolic::library::MODELS;
    use super::*;

    /// What the driver links into each program.
    const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/yester-pathrt.o"));

    /// The type of each function: what it returns, and what it takes.
    type Signatures = BTreeMap<String, String>;

    fn declared() -> Signatures {
        let declarations = DECLARATIONS.lines().filter_map(|line| {
            let (result, rest) = line.strip_prefix("declare ")?.split_once(" @")?;
            let (name, rest) = rest.split_once('(')?;
            let (parameters, _) = rest.split_once(')')?;
            let result = result.rsplit(' ').next()?;
            let is_own = name.starts_with("__yester_");
            is_own.then(|| (name.to_owned(), format!("{result} ({parameters})")))
        });
        declarations.collect()
    }

    /// The sources of the runtime.
    fn sources(directory: &Path, text: &mut String) {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                sources(&path, text);
            } else {
                text.push_str(&fs::read_to_string(path).expect("a source"));
            }
        }
    }

    fn runtime() -> String {
        let mut text = String::new();
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../yester-pathrt/src");
        sources(&directory, &mut text);
        text
    }

    /// A type of Rust, as LLVM has it.
    fn kind(text: &str) -> &str {
        match text.trim() {
            "u64" | "i64" | "usize" | "isize" => "i64",
            "u32" | "i32" | "c_int" => "i32",
            pointer if pointer.starts_with('*') => "ptr",
            other => panic!("{other} is no type of a hook"),
        }
    }

    /// The functions that the runtime exports. Models are left out, but for the one that stands for no function of the library.
    fn exported(text: &str) -> Signatures {
        let functions = text.split(" fn __yester_").skip(1).filter_map(|rest| {
            let (name, rest) = rest.split_once('(')?;
            let (parameters, rest) = rest.split_once(')')?;
            let (result, _) = rest.split_once('{')?;
            let parameters = parameters.split(',').map(str::trim);
            let parameters = parameters
                .filter(|parameter| !parameter.is_empty())
                .map(|parameter| kind(parameter.split_once(':').expect("a type").1));
            let is_model = name.starts_with("model_") && name != "model_intervention";
            if is_model {
                return None;
            }
            let result = result.trim().strip_prefix("->").map_or("void", kind);
            let parameters: Vec<&str> = parameters.collect();
            let signature = format!("{result} ({})", parameters.join(", "));
            Some((format!("__yester_{name}"), signature))
        });
        functions.collect()
    }

    #[test]
    fn the_list_has_what_the_runtime_exports() {
        let mut exported = exported(&runtime());
        // This one is written in assembler.
        exported.insert("__yester_room".to_owned(), "void ()".to_owned());
        // And this one is called by our headers for the streams only.
        let header = include_str!("../driver/stream/istream");
        assert!(header.contains("extern \"C\" void __yester_unfollowed(const char* name);"));
        let unfollowed = exported.remove("__yester_unfollowed");
        assert_eq!(unfollowed.as_deref(), Some("void (ptr)"));
        assert!(exported.len() > 60, "{exported:#?}");
        assert_eq!(declared(), exported);
    }

    #[test]
    fn the_blocks_of_a_thread_are_as_large_as_the_list_says() {
        let runtime = runtime();
        for (name, words) in [("__yester_thread", 8), ("__yester_call", 119)] {
            let declaration =
                format!("@{name} = external thread_local(initialexec) global [{words} x i64]");
            assert!(DECLARATIONS.contains(&declaration), "{name}");
            let size = format!("\".size {name}, {}\"", 8 * words);
            assert!(runtime.contains(&size), "{name}");
        }
    }

    #[test]
    fn the_runtime_has_every_symbol_of_the_list_and_every_model() {
        // The name of a section may end with that of its function, and then both are one text.
        let texts = RUNTIME.split(|byte| *byte == 0);
        let symbols: HashSet<&str> = texts
            .filter_map(|text| str::from_utf8(text).ok()?.rsplit('.').next())
            .collect();
        let has = |name: &str| symbols.contains(name);
        for name in declared().keys() {
            assert!(has(name), "{name}");
        }
        for name in MODELS {
            assert!(has(&format!("__yester_model_{name}")), "{name}");
        }
        assert!(!has("__yester_model_nothing"));
    }
}
