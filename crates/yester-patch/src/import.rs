//! What the modules of Python import from each other.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::space::chosen;
use crate::{AtomSet, ChangeSpace, FileOutline};

/// An import of names from a module.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Import {
    /// Counted from 0.
    line: u32,
    /// As it is written, with its leading dots.
    module: String,
    names: Vec<String>,
}

static FROM: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?m)^([ \t]*)from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)";
    Regex::new(pattern).expect("it is a pattern")
});

/// The imports that are carried out when the module is, and that nothing is prepared to see fail.
fn imports(text: &[u8]) -> Vec<Import> {
    let mut imports = Vec::new();
    for found in FROM.captures_iter(text) {
        let start = found.get(0).expect("the whole match").start();
        if !is_carried_out(&text[..start], found[1].len()) {
            continue;
        }
        let string = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let names = found[3].split(|byte| b",()\n".contains(byte));
        let names = names.filter_map(|name| {
            let name = string(name);
            let name = name.split('#').next().unwrap_or_default();
            name.split_whitespace().next().map(str::to_owned)
        });
        imports.push(Import {
            line: text[..start].iter().filter(|byte| **byte == b'\n').count() as u32,
            module: string(&found[2]),
            names: names.filter(|name| name != "*" && name != "\\").collect(),
        });
    }
    imports
}

/// Whether what is indented so after this text always runs. It does not in a function, after a condition, or where its
/// failure is expected.
fn is_carried_out(before: &[u8], indentation: usize) -> bool {
    let mut indentation = indentation;
    for line in before.split(|byte| *byte == b'\n').rev() {
        let text = line.trim_ascii_start();
        let depth = line.len() - text.len();
        if indentation == 0 {
            return true;
        }
        if text.is_empty() || text[0] == b'#' || depth >= indentation {
            continue;
        }
        if !text.starts_with(b"except") && !text.starts_with(b"class") {
            return false;
        }
        indentation = depth;
    }
    indentation == 0
}

impl ChangeSpace {
    /// An import of what a module has in GOOD or in BAD, but not with these atoms.
    pub(crate) fn missing_import(&self, atoms: &AtomSet) -> Option<String> {
        let changes = &self.difference().changes;
        for change in changes {
            let is_python = change.path().ends_with(".py");
            let Some((path, state)) = change.state(&chosen(change, atoms)).filter(|_| is_python)
            else {
                continue;
            };
            for import in imports(&state.content) {
                let files = files(path, &import.module);
                let mut modules = files
                    .iter()
                    .filter_map(|file| self.difference().change_at(file));
                let Some(module) = modules.next() else {
                    continue;
                };
                let is_missing = |name: &&String| !self.has_module(module, name, atoms);
                if let Some(name) = import.names.iter().find(is_missing) {
                    let line = import.line + 1;
                    return Some(format!("{path}:{line}: '{name}' cannot be imported"));
                }
            }
        }
        None
    }

    /// Whether a changed module has a name with these atoms, as far as the versions differ in that.
    fn has_module(&self, module: usize, name: &str, atoms: &AtomSet) -> bool {
        let has = |outline: &Option<FileOutline>| {
            let mut names = outline.iter().flat_map(|outline| &outline.definitions);
            names.any(|(defined, _)| defined == name)
        };
        let [old, new] = self.shared.outlines(module);
        let change = &self.difference().changes[module];
        let chosen = chosen(change, atoms);
        match (has(old), has(new)) {
            (old, new) if old == new => true,
            (old, _) if chosen.is_empty() => old,
            (_, new) if chosen.len() == change.edits.len() => new,
            _ => change.state(&chosen).is_some_and(|(path, state)| {
                let outliner = self.shared.outliner();
                has(&outliner.and_then(|outliner| outliner.outline(path, &state.content)))
            }),
        }
    }
}

/// The files that a module may be in, as seen from a file.
fn files(importer: &str, module: &str) -> Vec<String> {
    let dots = module.bytes().take_while(|byte| *byte == b'.').count();
    let place = module[dots..].replace('.', "/");
    if dots == 0 || place.is_empty() {
        return Vec::new();
    }
    let mut parts: Vec<&str> = importer.split('/').collect();
    if parts.len() < dots {
        return Vec::new();
    }
    parts.truncate(parts.len() - dots);
    parts.push(&place);
    let path = parts.join("/");
    vec![format!("{path}.py"), format!("{path}/__init__.py")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_that_always_run_are_found() {
        let text = b"\
from . import a
from .b import c as d, e  # why
try:
    from ._fast import f
except ImportError:
    from ._slow import (
        f,
        g as h,
    )
if TYPE_CHECKING:
    from .i import j
def k():
    from .l import m
from n import *
";
        let told: Vec<String> = imports(text)
            .into_iter()
            .map(|import| {
                format!(
                    "{} {} {}",
                    import.line,
                    import.module,
                    import.names.join(" ")
                )
            })
            .collect();
        assert_eq!(told, ["0 . a", "1 .b c e", "5 ._slow f g", "13 n "]);
    }

    #[test]
    fn a_module_is_looked_for_from_the_file_that_imports_it() {
        assert_eq!(
            files("src/p/__init__.py", "._native"),
            ["src/p/_native.py", "src/p/_native/__init__.py"]
        );
        assert_eq!(files("src/p/q/r.py", "..s.t")[0], "src/p/s/t.py");
        assert!(files("r.py", "...s").is_empty());
        assert!(files("r.py", "os").is_empty());
    }
}
