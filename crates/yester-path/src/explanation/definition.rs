//! What is defined outside of functions: macros and tables. Nothing there is executed, so no step names it; but a step that differs may
//! use one whose lines changed.

use std::collections::BTreeSet;

use super::suspect::{Suspect, shortened};
use super::{NEW, OLD, SourceLine, VersionSources};

/// The definitions that these many first places use are looked for.
const MOST_USERS: usize = 2;

/// A line of a definition outside of functions.
#[derive(Debug, PartialEq, Eq)]
struct Definition {
    name: String,
    /// From 1.
    line: u32,
}

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

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_ascii_alphanumeric() && one != '_')
        .filter(|word| word.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_'))
}

/// The lines of macros and of the initial values of variables, outside of functions, in their order.
fn definitions(lines: &[String]) -> Vec<Definition> {
    let mut found = Vec::new();
    let mut scan = Scan::default();
    let mut macro_name: Option<String> = None;
    for (line, number) in lines.iter().zip(1..) {
        let head = line.trim_start();
        if let Some(name) = &macro_name {
            found.push(Definition {
                name: name.clone(),
                line: number,
            });
        } else if let Some(rest) = head.strip_prefix('#') {
            let rest = rest.trim_start().strip_prefix("define");
            macro_name = rest.and_then(|rest| words(rest).next()).map(str::to_owned);
            if let Some(name) = &macro_name {
                found.push(Definition {
                    name: name.clone(),
                    line: number,
                });
            }
        } else {
            let name = scan.line(line);
            found.extend(name.map(|name| Definition { name, line: number }));
            continue;
        }
        // A macro goes on behind a backslash.
        macro_name = macro_name.filter(|_| line.trim_end().ends_with('\\'));
    }
    found
}

/// Where a scan of a text is.
#[derive(Default)]
struct Scan {
    /// How many brackets are open.
    depth: usize,
    /// What came since the last statement outside of functions.
    statement: String,
    /// The variable whose initial value this is.
    name: Option<String>,
    in_comment: bool,
}

impl Scan {
    /// Reads a line. Gives the name of the variable whose initial value it has.
    fn line(&mut self, line: &str) -> Option<String> {
        let mut defined = self.name.clone();
        let mut characters = line.chars().peekable();
        let mut quote = None;
        while let Some(one) = characters.next() {
            if self.in_comment {
                if one == '*' && characters.next_if_eq(&'/').is_some() {
                    self.in_comment = false;
                }
                continue;
            }
            if let Some(mark) = quote {
                if one == '\\' {
                    characters.next();
                } else if one == mark {
                    quote = None;
                }
                continue;
            }
            match one {
                '"' | '\'' => quote = Some(one),
                '/' if characters.peek() == Some(&'/') => break,
                '/' if characters.next_if_eq(&'*').is_some() => self.in_comment = true,
                '{' => self.depth += 1,
                '}' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 && self.name.is_none() {
                        self.statement.clear();
                    }
                }
                ';' if self.depth == 0 => {
                    self.statement.clear();
                    self.name = None;
                }
                '=' if self.depth == 0 && self.name.is_none() => {
                    let before = self.statement.split('[').next().unwrap_or_default();
                    self.name = words(before).last().map(str::to_owned);
                    defined = defined.or_else(|| self.name.clone());
                }
                _ if self.depth == 0 => self.statement.push(one),
                _ => {}
            }
        }
        self.statement.push(' ');
        defined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, u32)> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let all = definitions(&lines).into_iter();
        all.map(|one| (one.name, one.line)).collect()
    }

    #[test]
    fn macros_and_initial_values_outside_of_functions_are_definitions() {
        let text = "#include <a.h>\n#define MOST 3\n# define LONG(x) \\\n    ((x) + 1)\nstatic const int table[2][2] = {\n    {1, 2}, // ; }\n    \
                    {3, '}'},\n};\nint plain;\nint f(int a)\n{\n    int b = a;\n    return b;\n}\nlong limit = 7;\n";
        let named = |name: &str, line| (name.to_owned(), line);
        assert_eq!(
            found(text),
            [
                named("MOST", 2),
                named("LONG", 3),
                named("LONG", 4),
                named("table", 5),
                named("table", 6),
                named("table", 7),
                named("table", 8),
                named("limit", 15),
            ]
        );
    }
}
