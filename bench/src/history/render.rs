//! The files of a generated project, in C or in Python.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::project::{Defect, Function, Module, Project, Statement, Style};

/// What a project is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectLanguage {
    /// Headers and sources.
    C,
    /// Packages and modules.
    Python,
}

impl ProjectLanguage {
    /// Both.
    pub const ALL: [ProjectLanguage; 2] = [ProjectLanguage::C, ProjectLanguage::Python];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            ProjectLanguage::C => "c",
            ProjectLanguage::Python => "python",
        }
    }
}

/// The files of a project: path and content.
pub fn render(project: &Project, language: ProjectLanguage) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (path, lines) in &project.notes {
        files.insert(path.clone(), format!("{}\n", lines.join("\n")));
    }
    for module in &project.modules {
        let directory = project.directory(&module.directory);
        let name = &module.name;
        match language {
            ProjectLanguage::C => {
                files.insert(format!("{directory}/{name}.h"), c_header(project, module));
                files.insert(format!("{directory}/{name}.c"), c_source(project, module));
            }
            ProjectLanguage::Python => {
                let source = python_source(project, module);
                files.insert(format!("shop/{directory}/{name}.py"), source);
            }
        }
    }
    match language {
        ProjectLanguage::C => {
            files.insert("shop.h".to_owned(), c_facade(project));
        }
        ProjectLanguage::Python => {
            for directory in &project.directories {
                let text = format!("\"\"\"All about {}.\"\"\"\n", directory.key);
                files.insert(format!("shop/{}/__init__.py", directory.name), text);
            }
            files.insert("shop/__init__.py".to_owned(), python_facade(project));
        }
    }
    files
}

/// An expression as a language writes it.
pub fn expression(expression: &str, language: ProjectLanguage) -> String {
    match language {
        ProjectLanguage::C => expression.to_owned(),
        // Numbers stay whole.
        ProjectLanguage::Python => expression.replace(" / ", " // "),
    }
}

/// Whether a name is that of a structure, which the module of that key defines.
fn is_structure(project: &Project, name: &str) -> bool {
    project
        .module(name)
        .is_some_and(|module| !module.fields.is_empty())
}

/// The keys of the modules that a module's functions call or take structures of.
fn needed(project: &Project, module: &Module) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    for function in &module.functions {
        for callee in function.callees() {
            let (owner, _) = project.function(&callee).expect("a callee exists");
            keys.insert(owner.key.clone());
        }
    }
    keys.remove(&module.key);
    keys
}

// The facade is what a user of the project includes: it stays where it is, whatever is renamed behind it.
fn c_facade(project: &Project) -> String {
    let mut text = "#ifndef SHOP_H\n#define SHOP_H\n\n".to_owned();
    for module in &project.modules {
        writeln!(text, "#include \"{}.h\"", module.name).expect("a string");
    }
    text.push_str("\n#endif\n");
    text
}

fn c_header(project: &Project, module: &Module) -> String {
    let indent = " ".repeat(module.style.indent);
    let guard = format!("{}_H", module.name.to_uppercase());
    let mut text = format!("#ifndef {guard}\n#define {guard}\n\n");
    let structures: BTreeSet<&String> = module
        .functions
        .iter()
        .flat_map(|function| &function.parameters)
        .filter(|&name| *name != module.key && is_structure(project, name))
        .collect();
    for key in structures {
        let owner = project.module(key).expect("a structure has a module");
        write!(text, "#include \"{}.h\"\n\n", owner.name).expect("a string");
    }
    if !module.fields.is_empty() {
        write!(text, "struct {}{}", module.key, open(module.style, "")).expect("a string");
        for field in &module.fields {
            writeln!(text, "{indent}long {field};").expect("a string");
        }
        write!(text, "}};\n\n").expect("a string");
    }
    for function in &module.functions {
        writeln!(text, "{};", c_signature(project, module, function)).expect("a string");
    }
    text.push_str("\n#endif\n");
    text
}

fn c_signature(project: &Project, module: &Module, function: &Function) -> String {
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|name| {
            if is_structure(project, name) {
                format!("struct {name} {name}")
            } else {
                format!("long {name}")
            }
        })
        .collect();
    let gap = if module.style.is_airy { " " } else { "" };
    format!("long {}{gap}({})", function.name, parameters.join(", "))
}

/// The end of a line that opens a block.
fn open(style: Style, indent: &str) -> String {
    if style.is_airy {
        format!("\n{indent}{{\n")
    } else {
        " {\n".to_owned()
    }
}

fn c_source(project: &Project, module: &Module) -> String {
    let mut text = format!("#include \"{}.h\"\n", module.name);
    for key in needed(project, module) {
        let owner = project.module(&key).expect("a needed module exists");
        writeln!(text, "#include \"{}.h\"", owner.name).expect("a string");
    }
    if !module.constants.is_empty() {
        text.push('\n');
    }
    for (name, value) in &module.constants {
        writeln!(text, "static const long {name} = {value};").expect("a string");
    }
    for (index, function) in module.functions.iter().enumerate() {
        let comment = if module.style.is_airy {
            format!("/*\n * {}\n */", function.comment)
        } else {
            format!("/* {} */", function.comment)
        };
        let signature = c_signature(project, module, function);
        write!(text, "\n{comment}\n{signature}{}", open(module.style, "")).expect("a string");
        c_statements(project, module.style, &function.body, 1, &mut text);
        text.push_str("}\n");
        if index == 0
            && let Some(defect) = module.defect
        {
            text.push_str(match defect {
                Defect::Syntax => "\nlong unfinished(long amount {\n",
                Defect::Name => "\nlong unfinished(void) { return not_written_yet(3); }\n",
            });
        }
    }
    text
}

fn c_statements(
    project: &Project,
    style: Style,
    body: &[Statement],
    depth: usize,
    text: &mut String,
) {
    let indent = " ".repeat(style.indent * depth);
    let gap = if style.is_airy { "" } else { " " };
    for statement in body {
        match statement {
            Statement::Let(name, expression) => {
                let expression = project.resolve(expression);
                writeln!(text, "{indent}long {name} = {expression};")
            }
            Statement::Set(name, expression) => {
                let expression = project.resolve(expression);
                writeln!(text, "{indent}{name} = {expression};")
            }
            Statement::Return(expression) => {
                let expression = project.resolve(expression);
                writeln!(text, "{indent}return {expression};")
            }
            Statement::If(condition, inner) | Statement::While(condition, inner) => {
                let word = match statement {
                    Statement::If(..) => "if",
                    _ => "while",
                };
                let condition = project.resolve(condition);
                let open = open(style, &indent);
                write!(text, "{indent}{word}{gap}({condition}){open}").expect("a string");
                c_statements(project, style, inner, depth + 1, text);
                writeln!(text, "{indent}}}")
            }
        }
        .expect("a string");
    }
}

fn python_module(project: &Project, module: &Module) -> String {
    let directory = project.directory(&module.directory);
    format!("shop.{directory}.{}", module.name)
}

fn python_class(key: &str) -> String {
    let (first, rest) = key.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

fn python_facade(project: &Project) -> String {
    let mut text = "\"\"\"A shop.\"\"\"\n\n".to_owned();
    for module in &project.modules {
        let path = python_module(project, module);
        if !module.fields.is_empty() {
            let class = python_class(&module.key);
            writeln!(text, "from {path} import {class}").expect("a string");
        }
        for function in &module.functions {
            writeln!(text, "from {path} import {}", function.name).expect("a string");
        }
    }
    text
}

fn python_source(project: &Project, module: &Module) -> String {
    let style = module.style;
    let indent = " ".repeat(style.indent);
    let mut text = format!("\"\"\"The part for {}.\"\"\"\n", module.key);
    let callees: BTreeSet<String> = module
        .functions
        .iter()
        .flat_map(Function::callees)
        .filter(|key| !module.functions.iter().any(|own| own.key == *key))
        .collect();
    if !callees.is_empty() {
        text.push('\n');
    }
    for key in callees {
        let (owner, function) = project.function(&key).expect("a callee exists");
        let path = python_module(project, owner);
        writeln!(text, "from {path} import {}", function.name).expect("a string");
    }
    if module.defect == Some(Defect::Name) {
        text.push_str("from shop import not_written_yet\n");
    }
    if !module.constants.is_empty() {
        text.push('\n');
    }
    for (name, value) in &module.constants {
        writeln!(text, "{} = {value}", name.to_uppercase()).expect("a string");
    }
    if !module.fields.is_empty() {
        let class = python_class(&module.key);
        write!(text, "\n\nclass {class}:\n").expect("a string");
        // Without slots a field that is not there could be set all the same.
        writeln!(text, "{indent}__slots__ = (").expect("a string");
        for field in &module.fields {
            writeln!(text, "{indent}{indent}\"{field}\",").expect("a string");
        }
        write!(text, "{indent})\n\n{indent}def __init__(self):\n").expect("a string");
        for field in &module.fields {
            writeln!(text, "{indent}{indent}self.{field} = 0").expect("a string");
        }
    }
    for (index, function) in module.functions.iter().enumerate() {
        let parameters = function.parameters.join(", ");
        let name = &function.name;
        let comment = &function.comment;
        let head = format!("def {name}({parameters}):\n");
        if style.is_airy {
            write!(text, "\n\n# {comment}\n{head}")
        } else {
            write!(text, "\n\n{head}{indent}\"\"\"{comment}\"\"\"\n")
        }
        .expect("a string");
        python_statements(project, module, &function.body, 1, &mut text);
        if index == 0 && module.defect == Some(Defect::Syntax) {
            text.push_str("\n\ndef unfinished(amount:\n");
        }
    }
    text
}

fn python_statements(
    project: &Project,
    module: &Module,
    body: &[Statement],
    depth: usize,
    text: &mut String,
) {
    let indent = " ".repeat(module.style.indent * depth);
    let written = |expression: &str| {
        let mut expression =
            self::expression(&project.resolve(expression), ProjectLanguage::Python);
        for (name, _) in &module.constants {
            expression = expression.replace(name.as_str(), &name.to_uppercase());
        }
        expression
    };
    for statement in body {
        match statement {
            Statement::Let(name, expression) | Statement::Set(name, expression) => {
                writeln!(text, "{indent}{name} = {}", written(expression))
            }
            Statement::Return(expression) => {
                writeln!(text, "{indent}return {}", written(expression))
            }
            Statement::If(condition, inner) | Statement::While(condition, inner) => {
                let word = match statement {
                    Statement::If(..) => "if",
                    _ => "while",
                };
                writeln!(text, "{indent}{word} {}:", written(condition)).expect("a string");
                python_statements(project, module, inner, depth + 1, text);
                Ok(())
            }
        }
        .expect("a string");
    }
}
