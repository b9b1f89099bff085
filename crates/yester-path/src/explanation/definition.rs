//! What is defined outside of functions: macros and tables. Nothing there is executed, so no step names it; but a step that differs may
//! use one whose lines changed.

use std::collections::BTreeSet;

use crate::definition::{Definition, definitions, words};

use super::suspect::{Suspect, shortened};
use super::{NEW, OLD, SourceLine, VersionSources};

/// The definitions that these many first places use are looked for.
const MOST_USERS: usize = 2;

/// Puts changed definitions behind the places that use them.
pub fn with_definitions(suspects: Vec<Suspect>, sources: &dyn VersionSources) -> Vec<Suspect> {
    let mut all = Vec::new();
    let mut known: BTreeSet<(String, u32)> = BTreeSet::new();
    for (index, suspect) in suspects.into_iter().enumerate() {
        let used = if index < MOST_USERS {
            used_definition(&suspect, sources)
        } else {
            None
        };
        all.push(suspect);
        if let Some(definition) = used
            && known.insert((definition.line.file.clone(), definition.line.line))
        {
            all.push(definition);
        }
    }
    shortened(all)
}

/// The first changed line of something that the line of a place uses.
fn used_definition(suspect: &Suspect, sources: &dyn VersionSources) -> Option<Suspect> {
    let text = sources.text(suspect.version, &suspect.line)?;
    let words: Vec<&str> = words(&text).collect();
    for version in [NEW, OLD] {
        for (file, lines) in sources.changed_files(version) {
            let defined = definitions(&sources.lines(version, file));
            let mut defined = defined.into_iter();
            let used = defined.find(|definition| {
                lines.contains(&definition.line) && words.contains(&definition.name.as_str())
            });
            let Some(Definition { name, line }) = used else {
                continue;
            };
            let shown = |version: usize| {
                let file = if sources.changed_files(version).contains_key(file) {
                    file
                } else {
                    // Two single files have two names.
                    sources.changed_files(version).keys().next()?
                };
                let text = sources.lines(version, file);
                let mut defined = definitions(&text).into_iter();
                let lines = sources.changed_files(version).get(file)?;
                let found = defined.find(|one| one.name == name && lines.contains(&one.line))?;
                Some(text.get(found.line as usize - 1)?.trim().to_owned())
            };
            let (Some(was), Some(becomes)) = (shown(OLD), shown(NEW)) else {
                continue;
            };
            return Some(Suspect {
                version,
                line: SourceLine {
                    file: file.clone(),
                    line,
                    column: 1,
                    function: String::new(),
                },
                kind: "definition",
                name,
                was,
                becomes,
                alternate: None,
                is_intervention: false,
                partner: None,
                is_cause: false,
                ..suspect.clone()
            });
        }
    }
    None
}
