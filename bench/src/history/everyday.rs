//! Everyday work on a generated project: edits that do not change what the test sees.

use super::project::{Function, Module, Operation, Project, Statement};
use super::render::ProjectLanguage;
use super::scenario::{CORE, CORE_FUNCTIONS, give, local, set, when};
use crate::fuzz::Numbers;

/// No module has more functions, so that a build stays quick.
const MOST_FUNCTIONS: usize = 8;

const NOUNS: [&str; 16] = [
    "weight", "height", "margin", "bonus", "delay", "stamp", "batch", "queue", "score", "quota",
    "reserve", "surplus", "balance", "average", "spread", "rest",
];
const NEW_MODULES: [&str; 14] = [
    "basket", "voucher", "courier", "ledger", "holiday", "returns", "catalog", "review", "payment",
    "warranty", "season", "display", "pallet", "reminder",
];
const DIRECTORIES: [&str; 4] = ["goods", "billing", "stock", "people"];
const SUBJECTS: [&str; 8] = [
    "orders",
    "shelves",
    "customers",
    "suppliers",
    "parcels",
    "coupons",
    "prices",
    "returns",
];
const VERBS: [&str; 6] = ["count", "weigh", "sort", "check", "pack", "list"];
const ENDS: [&str; 6] = [
    "once a day",
    "by hand",
    "in the evening",
    "before they leave",
    "as they come",
    "when asked",
];

/// Edits that make a commit.
pub struct Everyday {
    /// What they are.
    pub subject: String,
    /// The edits, which are applied already.
    pub operations: Vec<Operation>,
}

/// The keys of the modules that everyday work may do anything to.
pub fn modules(project: &Project) -> impl Iterator<Item = String> {
    project
        .modules
        .iter()
        .map(|module| module.key.clone())
        .filter(|key| !CORE.contains(&key.as_str()) && key != "statement")
}

/// A line of prose.
pub fn sentence(numbers: &mut Numbers) -> String {
    let subject = SUBJECTS[numbers.below(SUBJECTS.len())];
    let verb = VERBS[numbers.below(VERBS.len())];
    let end = ENDS[numbers.below(ENDS.len())];
    format!("We {verb} {subject} {end}.")
}

/// A new function of a module, which calls whatever comes before it.
pub fn function(project: &Project, module: &str, noun: &str, numbers: &mut Numbers) -> Function {
    let key = (1..)
        .map(|number| match number {
            1 => format!("{module}_{noun}"),
            _ => format!("{module}_{noun}_{number}"),
        })
        .find(|key| project.function(key).is_none())
        .expect("some number is free");
    let comment = sentence(numbers);
    let body = body(project, module, &key, numbers);
    Function::new(&key, &["amount", "number"], &comment, body)
}

fn body(project: &Project, module: &str, key: &str, numbers: &mut Numbers) -> Vec<Statement> {
    let mut body = vec![local(
        "result",
        &format!("amount * {} + number", 2 + numbers.below(30)),
    )];
    let constants = project
        .module(module)
        .map_or(&[][..], |module| &module.constants);
    let bound = match constants.get(numbers.below(3)) {
        Some((name, _)) => name.clone(),
        None => (10 + numbers.below(500)).to_string(),
    };
    if numbers.below(3) > 0 {
        let less = format!("result - {}", 1 + numbers.below(9));
        body.push(when(
            &format!("result > {bound}"),
            vec![set("result", &less)],
        ));
    }
    if numbers.below(4) == 0 {
        let condition = format!("result > {}", 100 + numbers.below(900));
        let half = vec![set("result", "result / 2")];
        body.push(Statement::While(condition, half));
    }
    // Whatever comes later in the project is not called, so that imports have no cycles.
    let callees: Vec<&String> = project
        .modules
        .iter()
        .take_while(|other| other.key != module)
        .filter(|other| !CORE.contains(&other.key.as_str()) && other.key != "statement")
        .flat_map(|other| &other.functions)
        .map(|function| &function.key)
        .filter(|&callee| callee != key)
        .collect();
    if !callees.is_empty() && numbers.below(2) == 0 {
        let callee = callees[numbers.below(callees.len())];
        let call = format!("result + ${callee}(number, {})", numbers.below(20));
        body.push(set("result", &call));
    }
    body.push(give("result"));
    body
}

/// Where edits may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// On a side branch: nothing but its own modules.
    Branch,
    /// On the main line while there is a side branch, which may call whatever is there.
    Beside,
    /// On the main line, alone.
    Alone,
}

/// Makes and applies so many edits of some modules, and of texts and of the core where there is room.
pub fn edit(
    project: &mut Project,
    modules: &[String],
    number: usize,
    room: Room,
    numbers: &mut Numbers,
) -> Everyday {
    let mut subject = None;
    let mut operations = Vec::new();
    while operations.len() < number {
        let kind = if room == Room::Branch { 7 } else { 12 };
        let module = modules[numbers.below(modules.len())].clone();
        let made = match numbers.below(kind) {
            0..3 => rewrite(project, &module, numbers),
            3 => grow(project, &module, numbers),
            4 => comment(project, &module, numbers),
            5 => constant(project, &module, numbers),
            6 if room == Room::Alone => shrink(project, &module, numbers),
            6 => None,
            7..9 => Some(note(project, numbers)),
            _ => work_on_core(project, numbers),
        };
        if let Some((words, operation)) = made {
            project.apply(&operation);
            operations.push(operation);
            subject.get_or_insert(words);
        }
    }
    Everyday {
        subject: subject.unwrap_or_default(),
        operations,
    }
}

type Made = Option<(String, Operation)>;

/// The key of some function of a module.
fn some_function(project: &Project, module: &str, numbers: &mut Numbers) -> Option<String> {
    let functions = &project.module(module)?.functions;
    let function = functions.get(numbers.below(functions.len()))?;
    Some(function.key.clone())
}

fn rewrite(project: &Project, module: &str, numbers: &mut Numbers) -> Made {
    let key = some_function(project, module, numbers)?;
    let body = body(project, module, &key, numbers);
    Some((format!("Work on {key}"), Operation::SetBody(key, body)))
}

fn grow(project: &Project, module: &str, numbers: &mut Numbers) -> Made {
    if project.module(module)?.functions.len() >= MOST_FUNCTIONS {
        return None;
    }
    let noun = NOUNS[numbers.below(NOUNS.len())];
    let function = function(project, module, noun, numbers);
    let before = match numbers.below(2) {
        0 => some_function(project, module, numbers),
        _ => None,
    };
    let subject = format!("Add {}", function.key);
    let operation = Operation::AddFunction(module.to_owned(), function, before);
    Some((subject, operation))
}

fn shrink(project: &Project, module: &str, numbers: &mut Numbers) -> Made {
    let key = some_function(project, module, numbers)?;
    let is_needed = project.is_called(&key) || project.module(module)?.functions.len() < 3;
    (!is_needed).then(|| (format!("Remove {key}"), Operation::RemoveFunction(key)))
}

fn comment(project: &Project, module: &str, numbers: &mut Numbers) -> Made {
    let key = some_function(project, module, numbers)?;
    let operation = Operation::SetComment(key.clone(), sentence(numbers));
    Some((format!("Explain {key}"), operation))
}

fn constant(project: &Project, module: &str, numbers: &mut Numbers) -> Made {
    let index = numbers.below(2);
    let (name, _) = project.module(module)?.constants.get(index)?;
    let operation = Operation::SetConstant(module.to_owned(), index, 1 + numbers.below(99));
    Some((format!("Set {name}"), operation))
}

fn note(project: &Project, numbers: &mut Numbers) -> (String, Operation) {
    let path = match numbers.below(12) {
        0 => format!("docs/{}.md", NOUNS[numbers.below(NOUNS.len())]),
        number => {
            let paths: Vec<&String> = project.notes.keys().collect();
            paths[number % paths.len()].clone()
        }
    };
    let operation = Operation::Note(path.clone(), numbers.below(14), sentence(numbers));
    (format!("Write about it in {path}"), operation)
}

/// Work on what the test runs, without another result.
fn work_on_core(project: &Project, numbers: &mut Numbers) -> Made {
    match numbers.below(3) {
        0 => {
            let key = CORE_FUNCTIONS[numbers.below(CORE_FUNCTIONS.len())];
            project.function(key)?;
            let operation = Operation::SetComment(key.to_owned(), sentence(numbers));
            Some((format!("Explain {key}"), operation))
        }
        1 => {
            let key = CORE_FUNCTIONS[numbers.below(CORE_FUNCTIONS.len())];
            let (_, function) = project.function(key)?;
            let is_named = match function.body.last() {
                Some(Statement::Return(expression)) => !expression.contains(' '),
                _ => true,
            };
            let operation = Operation::NameResult(key.to_owned(), "outcome".to_owned());
            (!is_named).then(|| (format!("Make {key} easier to debug"), operation))
        }
        _ => {
            // A neighbour for what the test needs, or will need.
            let module = CORE[numbers.below(CORE.len())];
            let found = project.module(module)?;
            if found.functions.len() >= MOST_FUNCTIONS {
                return None;
            }
            let before = match numbers.below(2) {
                0 => found.functions.last().map(|last| last.key.clone()),
                _ => None,
            };
            let noun = NOUNS[numbers.below(NOUNS.len())];
            let function = function(project, module, noun, numbers);
            let subject = format!("Add {}", function.key);
            let operation = Operation::AddFunction(module.to_owned(), function, before);
            Some((subject, operation))
        }
    }
}

/// A new module with two functions, unless there are enough.
pub fn new_module(
    project: &Project,
    language: ProjectLanguage,
    numbers: &mut Numbers,
) -> Option<(String, Vec<Operation>)> {
    let most = match language {
        ProjectLanguage::C => 14,
        ProjectLanguage::Python => 24,
    };
    if project.modules.len() >= most {
        return None;
    }
    let key = NEW_MODULES
        .iter()
        .find(|key| project.module(key).is_none())?;
    let mut module = Module::new(key, DIRECTORIES[numbers.below(DIRECTORIES.len())]);
    module.constants = vec![
        (format!("{key}_limit"), 10 + numbers.below(90)),
        (format!("{key}_least"), 1 + numbers.below(9)),
    ];
    let mut grown = project.clone();
    grown.apply(&Operation::AddModule(module));
    for noun in ["cost", "share"] {
        let function = function(&grown, key, noun, numbers);
        grown.apply(&Operation::AddFunction((*key).to_owned(), function, None));
    }
    let module = grown.module(key)?.clone();
    Some((format!("Add {key}"), vec![Operation::AddModule(module)]))
}
