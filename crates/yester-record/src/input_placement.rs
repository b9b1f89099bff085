//! Where a run finds its input: standard input and files beside its tree, or in it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use yester_core::Entry;
use yester_path::{ProgramInput, is_below};
use yester_run::Exchange;

/// Gives a run this input in place of the one that the user gave. Files that the tree has are replaced there: the result says which.
pub fn put_input(
    input: &ProgramInput,
    given: &ProgramInput,
    exchange: &mut Exchange,
) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    let pairs = input.files.iter().zip(&given.files);
    for (index, ((path, content), (_, before))) in pairs.enumerate() {
        if content == before {
            continue;
        }
        // If the argument names the file differently, the program would not find a copy below this directory.
        let argument = given.argument_with(path);
        let is_named = argument.is_none_or(|number| input.arguments[number] == *path);
        if is_below(path) && is_named {
            let entry = Entry::File {
                content: content.as_slice().into(),
                executable: false,
            };
            let path: PathBuf = path.components().collect();
            entries.insert(path.to_string_lossy().into_owned(), entry);
        } else if let Some(argument) = argument {
            let name = format!("file-{index}");
            exchange
                .files
                .insert(name.clone(), content.as_slice().into());
            exchange.arguments.insert(argument, name);
        }
    }
    if let Some(content) = &input.stdin {
        let name = "stdin".to_owned();
        exchange
            .files
            .insert(name.clone(), content.as_slice().into());
        exchange.stdin = Some(name);
    }
    entries
}
