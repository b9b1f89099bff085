//! What a source defines outside of functions: macros and tables. Nothing there is executed, so no step of a run names it.

/// A line of a definition outside of functions.
#[derive(Debug, PartialEq, Eq)]
pub struct Definition {
    /// What is defined.
    pub name: String,
    /// From 1.
    pub line: u32,
}

/// The macros that a line uses and whose definitions have a number, each at its first line.
pub fn macros_used(line: &str, text: &[String]) -> Vec<Definition> {
    let used: Vec<&str> = words(line).collect();
    let mut found: Vec<Definition> = Vec::new();
    for definition in definitions(text) {
        let source = &text[definition.line as usize - 1];
        let body = source.trim_start().strip_prefix('#');
        let body = body.and_then(|body| body.split_once(&definition.name));
        let has_number = body.is_some_and(|(_, body)| {
            let mut parts = body.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
            parts.any(|part| part.starts_with(|one: char| one.is_ascii_digit()))
        });
        let is_new = found.iter().all(|known| known.name != definition.name);
        if has_number && is_new && used.contains(&definition.name.as_str()) {
            found.push(definition);
        }
    }
    found
}

/// The names in a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_ascii_alphanumeric() && one != '_')
        .filter(|word| word.starts_with(|one: char| one.is_ascii_alphabetic() || one == '_'))
}

/// The lines of macros and of the initial values of variables, outside of functions, in their order.
pub fn definitions(lines: &[String]) -> Vec<Definition> {
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

    #[test]
    fn macros_with_numbers_are_found_where_a_line_uses_them() {
        let text = "#define MOST 3\n#define LAST (MOST - 1)\n#define NAME \"m7\"\n#define UNUSED 4\nint limit = 9;\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let used = macros_used("if (i > MOST && LAST < limit) puts(NAME);", &lines);
        let used: Vec<(&str, u32)> = used
            .iter()
            .map(|one| (one.name.as_str(), one.line))
            .collect();
        assert_eq!(used, [("MOST", 1), ("LAST", 2)]);
    }
}
