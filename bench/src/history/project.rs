//! The model of a generated project: what it consists of, whatever language it is written in.
//!
//! Commits are operations on the model, not on text, so that a side branch can be merged by doing its operations once
//! more, and so that the API which a test needs can be put onto any revision to find out what the test says there.

use std::collections::BTreeMap;

/// A project at one revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The directories of the modules: key and name.
    pub directories: Vec<Named>,
    /// The modules, the callee before the caller.
    pub modules: Vec<Module>,
    /// Files that are not built: path and lines.
    pub notes: BTreeMap<String, Vec<String>>,
}

/// Something that keeps its key when it is renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// What it was called at first.
    pub key: String,
    /// What it is called now.
    pub name: String,
}

/// A source file, with its header in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// What it was called at first.
    pub key: String,
    /// What it is called now.
    pub name: String,
    /// The key of its directory.
    pub directory: String,
    /// How it is formatted.
    pub style: Style,
    /// A structure that it defines: the name is the module's key.
    pub fields: Vec<String>,
    /// Named numbers.
    pub constants: Vec<(String, usize)>,
    /// What it defines.
    pub functions: Vec<Function>,
    /// What makes it impossible to build.
    pub defect: Option<Defect>,
}

/// A function of numbers. A parameter with the key of a module that has fields is such a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// What it was called at first; expressions call it as `$key(...)`.
    pub key: String,
    /// What it is called now.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
    /// What it is for.
    pub comment: String,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A statement. Expressions are text that both languages understand, but for the sign of a division.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A new local variable.
    Let(String, String),
    /// An assignment.
    Set(String, String),
    /// Something that is done under a condition.
    If(String, Vec<Statement>),
    /// Something that is repeated while a condition holds.
    While(String, Vec<Statement>),
    /// The result.
    Return(String),
}

/// How a file is formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// How many spaces a level is indented by.
    pub indent: usize,
    /// Whether an opening brace has a line of its own; in Python, whether comments are no docstrings.
    pub is_airy: bool,
}

/// Why a module cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Its text is not of the language.
    Syntax,
    /// It uses what is defined nowhere.
    Name,
}

/// One edit of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A new file.
    AddModule(Module),
    /// A new function: the module, and the key of the function that it comes before, else it is the last one.
    AddFunction(String, Function, Option<String>),
    /// A function that nobody calls goes away.
    RemoveFunction(String),
    /// A function does something else.
    SetBody(String, Vec<Statement>),
    /// Another comment.
    SetComment(String, String),
    /// A part of a function's expressions is replaced.
    Substitute(String, &'static str, &'static str),
    /// What a function returns gets a name first. It still returns the same.
    NameResult(String, String),
    /// A function and its calls.
    RenameFunction(String, String),
    /// A file, and whatever names it.
    RenameModule(String, String),
    /// A directory, and whatever names it.
    RenameDirectory(String, String),
    /// Files are formatted anew.
    Restyle(Vec<String>, Style),
    /// Another number for a constant of a module.
    SetConstant(String, usize, usize),
    /// A new field of a module's structure.
    AddField(String, String),
    /// One more parameter, what the calls so far pass for it, and what the function does with it.
    AddParameter(String, String, String, Vec<Statement>),
    /// A module gets a defect, or is mended.
    SetDefect(String, Option<Defect>),
    /// A line of a file that is not built.
    Note(String, usize, String),
}

impl Module {
    /// An empty module in the first style.
    pub fn new(key: &str, directory: &str) -> Module {
        Module {
            key: key.to_owned(),
            name: key.to_owned(),
            directory: directory.to_owned(),
            style: Style {
                indent: 4,
                is_airy: false,
            },
            fields: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            defect: None,
        }
    }
}

impl Function {
    /// A function that is called what its key says.
    pub fn new(key: &str, parameters: &[&str], comment: &str, body: Vec<Statement>) -> Function {
        Function {
            key: key.to_owned(),
            name: key.to_owned(),
            parameters: parameters.iter().map(|&name| name.to_owned()).collect(),
            comment: comment.to_owned(),
            body,
        }
    }

    /// The keys of the functions that it calls, each once and in order.
    pub fn callees(&self) -> Vec<String> {
        let mut keys = Vec::new();
        each_expression(&self.body, &mut |expression| {
            for piece in expression.split('$').skip(1) {
                let key = piece.split('(').next().expect("a split has a first part");
                keys.push(key.to_owned());
            }
        });
        keys.sort();
        keys.dedup();
        keys
    }
}

impl Project {
    /// The module with this key.
    pub fn module(&self, key: &str) -> Option<&Module> {
        self.modules.iter().find(|module| module.key == key)
    }

    /// The function with this key and its module.
    pub fn function(&self, key: &str) -> Option<(&Module, &Function)> {
        self.modules.iter().find_map(|module| {
            let function = module.functions.iter().find(|function| function.key == key);
            function.map(|function| (module, function))
        })
    }

    /// The name of the directory with this key.
    pub fn directory(&self, key: &str) -> &str {
        let directory = self.directories.iter().find(|named| named.key == key);
        &directory.expect("a module's directory exists").name
    }

    /// Whether some function calls the one with this key.
    pub fn is_called(&self, key: &str) -> bool {
        let functions = || self.modules.iter().flat_map(|module| &module.functions);
        functions().any(|function| function.callees().iter().any(|callee| callee == key))
    }

    /// An expression with the names of today.
    pub fn resolve(&self, expression: &str) -> String {
        let mut pieces = expression.split('$');
        let mut text = pieces.next().expect("a split has a first part").to_owned();
        for piece in pieces {
            let (key, rest) = piece.split_once('(').expect("a call has an argument");
            let (_, function) = self
                .function(key)
                .unwrap_or_else(|| panic!("{key} is called and not there"));
            text.push_str(&function.name);
            text.push('(');
            text.push_str(rest);
        }
        text
    }

    /// Does one edit. An edit of something that is not there does nothing.
    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::AddModule(module) => self.modules.push(module.clone()),
            Operation::AddFunction(module, function, before) => {
                if let Some(module) = self.module_mut(module) {
                    let functions = &mut module.functions;
                    let place = before
                        .as_ref()
                        .and_then(|key| functions.iter().position(|other| other.key == *key));
                    functions.insert(place.unwrap_or(functions.len()), function.clone());
                }
            }
            Operation::RemoveFunction(key) => {
                for module in &mut self.modules {
                    module.functions.retain(|function| function.key != *key);
                }
            }
            Operation::SetBody(key, body) => {
                self.edit(key, |function| function.body.clone_from(body));
            }
            Operation::SetComment(key, comment) => {
                self.edit(key, |function| function.comment.clone_from(comment));
            }
            Operation::Substitute(key, old, new) => self.edit(key, |function| {
                each_expression_mut(&mut function.body, &mut |expression| {
                    *expression = expression.replace(old, new);
                });
            }),
            Operation::NameResult(key, local) => self.edit(key, |function| {
                if let Some(Statement::Return(expression)) = function.body.pop() {
                    function
                        .body
                        .push(Statement::Let(local.clone(), expression));
                    function.body.push(Statement::Return(local.clone()));
                }
            }),
            Operation::RenameFunction(key, name) => {
                self.edit(key, |function| function.name.clone_from(name));
            }
            Operation::RenameModule(key, name) => {
                if let Some(module) = self.module_mut(key) {
                    module.name.clone_from(name);
                }
            }
            Operation::RenameDirectory(key, name) => {
                for named in &mut self.directories {
                    if named.key == *key {
                        named.name.clone_from(name);
                    }
                }
            }
            Operation::Restyle(keys, style) => {
                for module in &mut self.modules {
                    if keys.contains(&module.key) {
                        module.style = *style;
                    }
                }
            }
            Operation::SetConstant(key, index, value) => {
                let constant = self
                    .module_mut(key)
                    .and_then(|module| module.constants.get_mut(*index));
                if let Some((_, old)) = constant {
                    *old = *value;
                }
            }
            Operation::AddField(key, field) => {
                if let Some(module) = self.module_mut(key) {
                    module.fields.push(field.clone());
                }
            }
            Operation::AddParameter(key, parameter, argument, body) => {
                for module in &mut self.modules {
                    for function in &mut module.functions {
                        each_expression_mut(&mut function.body, &mut |expression| {
                            *expression = with_argument(expression, key, argument);
                        });
                    }
                }
                self.edit(key, |function| {
                    function.parameters.push(parameter.clone());
                    function.body.clone_from(body);
                });
            }
            Operation::SetDefect(key, defect) => {
                if let Some(module) = self.module_mut(key) {
                    module.defect = *defect;
                }
            }
            Operation::Note(path, line, text) => {
                let lines = self.notes.entry(path.clone()).or_default();
                match lines.get_mut(*line) {
                    Some(old) => old.clone_from(text),
                    None => lines.push(text.clone()),
                }
            }
        }
    }

    fn module_mut(&mut self, key: &str) -> Option<&mut Module> {
        self.modules.iter_mut().find(|module| module.key == key)
    }

    fn edit(&mut self, key: &str, edit: impl FnOnce(&mut Function)) {
        let mut functions = self
            .modules
            .iter_mut()
            .flat_map(|module| &mut module.functions);
        if let Some(function) = functions.find(|function| function.key == key) {
            edit(function);
        }
    }
}

/// An expression whose calls of a function pass one argument more. The arguments so far have no calls in them.
fn with_argument(expression: &str, key: &str, argument: &str) -> String {
    let call = format!("${key}(");
    let mut pieces = expression.split(call.as_str());
    let mut text = pieces.next().expect("a split has a first part").to_owned();
    for piece in pieces {
        let (arguments, rest) = piece.split_once(')').expect("a call ends");
        text.push_str(&format!("{call}{arguments}, {argument}){rest}"));
    }
    text
}

fn each_expression(body: &[Statement], visit: &mut dyn FnMut(&str)) {
    for statement in body {
        match statement {
            Statement::Let(_, expression)
            | Statement::Set(_, expression)
            | Statement::Return(expression) => visit(expression),
            Statement::If(condition, inner) | Statement::While(condition, inner) => {
                visit(condition);
                each_expression(inner, visit);
            }
        }
    }
}

fn each_expression_mut(body: &mut [Statement], visit: &mut dyn FnMut(&mut String)) {
    for statement in body {
        match statement {
            Statement::Let(_, expression)
            | Statement::Set(_, expression)
            | Statement::Return(expression) => visit(expression),
            Statement::If(condition, inner) | Statement::While(condition, inner) => {
                visit(condition);
                each_expression_mut(inner, visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_gets_another_argument_wherever_it_stands() {
        assert_eq!(
            with_argument("1 + $tax(a * 2) - $taxi(b) + $tax(c)", "tax", "0"),
            "1 + $tax(a * 2, 0) - $taxi(b) + $tax(c, 0)"
        );
    }
}
