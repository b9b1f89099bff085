//! What a generated repository is about: the bug, the API that the test needs and that came after it, the test itself.

use super::everyday;
use super::project::{Function, Module, Named, Operation, Project, Statement, Style};
use super::render::ProjectLanguage;
use crate::fuzz::Numbers;

/// The modules between the test and the bug. Only what does not change their results happens to them.
pub const CORE: [&str; 4] = ["order", "price", "tax", "invoice"];

/// The functions of the core that everyday commits may rewrite without another result.
pub const CORE_FUNCTIONS: [&str; 6] = [
    "price_base",
    "price_discount",
    "price_line",
    "invoice_fee",
    "invoice_total",
    "order_zone",
];

/// The rest of the project at the first commit: module and directory.
const REST: [(&str, &str); 6] = [
    ("shelf", "stock"),
    ("supplier", "stock"),
    ("parcel", "stock"),
    ("customer", "people"),
    ("staff", "people"),
    ("coupon", "billing"),
];

/// Where in the history the bug came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BugAge {
    /// In the first third.
    Early,
    /// In the middle third.
    Middle,
    /// In the last third.
    Late,
}

/// A part of the API that the test needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiStage {
    /// A new field of a structure, with a function that reads it.
    Field,
    /// A function of two parameters had one only.
    Parameter,
    /// A new function in an old file.
    Function,
    /// A new file, with a function that calls the one above.
    File,
}

/// What happened around the place of the API between the bug and the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    /// Nothing in particular.
    Quiet,
    /// Its file was renamed; the test does not notice.
    FileRenamed,
    /// Its file was renamed, and the test names the file.
    FileRenamedVisibly,
    /// Its directory was renamed; the test does not notice.
    DirectoryRenamed,
    /// All files of the core were formatted anew.
    Reformatted,
    /// A function that it calls was renamed.
    CalleeRenamed,
    /// Other functions were written at the very place.
    Crowded,
}

/// The kind of a generated repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// What it is written in.
    pub language: ProjectLanguage,
    /// Where the bug came in.
    pub age: BugAge,
    /// The API, in the order in which it was built up.
    pub stages: Vec<ApiStage>,
    /// What happened around it.
    pub neighbour: Neighbour,
    /// Whether the bug came in on a side branch.
    pub is_on_branch: bool,
    /// The bug: a function, the right text and the wrong one.
    pub bug: (&'static str, &'static str, &'static str),
}

/// The bugs. Each changes what the test's order costs.
const BUGS: [(&str, &str, &str); 4] = [
    ("price_discount", "quantity >= 10", "quantity > 10"),
    ("price_discount", "amount / 10", "amount / 8"),
    (
        "price_base",
        "order.quantity * order.price",
        "order.quantity * (order.price - order.price / 50)",
    ),
    ("invoice_fee", "amount > 1000", "amount > 3000"),
];

/// What the test's order costs if all is well: 10 pieces of 255 each, less a tenth.
const RIGHT: usize = 2295;

impl Scenario {
    /// The kind of repository for a seed: the age of the bug follows the seed, the rest varies with the size too.
    pub fn new(language: ProjectLanguage, size: usize, seed: usize) -> Scenario {
        use ApiStage::{Field, File, Function, Parameter};
        let salt = seed + 2 * size + 3 * usize::from(language == ProjectLanguage::Python);
        let stages: &[ApiStage] = match salt % 5 {
            0 => &[Function],
            1 => &[Field, Function],
            2 => &[Function, File],
            3 => &[Parameter, Function, File],
            _ => &[Function, Field, Parameter],
        };
        let neighbours = [
            Neighbour::Quiet,
            Neighbour::FileRenamed,
            Neighbour::Reformatted,
            Neighbour::Crowded,
            Neighbour::DirectoryRenamed,
            Neighbour::CalleeRenamed,
            Neighbour::FileRenamedVisibly,
        ];
        Scenario {
            language,
            age: [BugAge::Early, BugAge::Middle, BugAge::Late][(seed + 2) % 3],
            stages: stages.to_vec(),
            neighbour: neighbours[(2 * seed + 3 * size + salt / 3) % neighbours.len()],
            is_on_branch: (seed + size) % 4 == 3,
            bug: BUGS[(seed + salt / 2) % BUGS.len()],
        }
    }

    /// A few words for the tables.
    pub fn words(&self) -> String {
        let age = match self.age {
            BugAge::Early => "early",
            BugAge::Middle => "middle",
            BugAge::Late => "late",
        };
        let stages: Vec<&str> = self
            .stages
            .iter()
            .map(|stage| match stage {
                ApiStage::Field => "field",
                ApiStage::Parameter => "parameter",
                ApiStage::Function => "function",
                ApiStage::File => "file",
            })
            .collect();
        let neighbour = match self.neighbour {
            Neighbour::Quiet => "",
            Neighbour::FileRenamed => "; file renamed",
            Neighbour::FileRenamedVisibly => "; file of the test renamed",
            Neighbour::DirectoryRenamed => "; directory renamed",
            Neighbour::Reformatted => "; reformatted",
            Neighbour::CalleeRenamed => "; callee renamed",
            Neighbour::Crowded => "; crowded",
        };
        let branch = if self.is_on_branch {
            "; on a branch"
        } else {
            ""
        };
        format!("{age}; {}{neighbour}{branch}", stages.join(", "))
    }

    /// The edit that brings the bug.
    pub fn break_it(&self) -> Operation {
        let (function, right, wrong) = self.bug;
        Operation::Substitute(function.to_owned(), right, wrong)
    }

    /// The edits of a part of the API, none if the project has it already.
    pub fn build(&self, stage: ApiStage, project: &Project) -> Vec<Operation> {
        let add =
            |module: &str, function| Operation::AddFunction(module.to_owned(), function, None);
        match stage {
            ApiStage::Field if project.function("order_zone").is_none() => vec![
                Operation::AddField("order".to_owned(), "region".to_owned()),
                add(
                    "order",
                    Function::new(
                        "order_zone",
                        &["order"],
                        "The zone that an order is sent to.",
                        vec![
                            when("order.region > 4", vec![give("4")]),
                            give("order.region"),
                        ],
                    ),
                ),
            ],
            ApiStage::Parameter
                if project
                    .function("tax_of")
                    .is_some_and(|(_, function)| function.parameters.len() == 1) =>
            {
                vec![Operation::AddParameter(
                    "tax_of".to_owned(),
                    "zone".to_owned(),
                    "0".to_owned(),
                    vec![
                        local("rate", "19"),
                        when("zone > 0", vec![set("rate", "7")]),
                        give("amount * rate / 100"),
                    ],
                )]
            }
            ApiStage::Function if project.function("invoice_total").is_none() => vec![
                add(
                    "invoice",
                    Function::new(
                        "invoice_round",
                        &["amount"],
                        "No invoice is negative.",
                        vec![when("amount < 0", vec![give("0")]), give("amount")],
                    ),
                ),
                add(
                    "invoice",
                    Function::new(
                        "invoice_total",
                        &["order"],
                        "What an order costs in the end.",
                        vec![
                            local("amount", "$price_line(order)"),
                            give("$invoice_round(amount) + $invoice_fee(amount)"),
                        ],
                    ),
                ),
            ],
            ApiStage::File if project.module("statement").is_none() => {
                let mut module = Module::new("statement", "billing");
                module.constants.push(("statement_stamp".to_owned(), 1));
                module.functions.push(Function::new(
                    "statement_sum",
                    &["order"],
                    "What a statement says.",
                    vec![give("$invoice_total(order) + statement_stamp")],
                ));
                vec![Operation::AddModule(module)]
            }
            _ => Vec::new(),
        }
    }

    /// The edits that happen around the API before it comes.
    pub fn disturb(&self, numbers: &mut Numbers) -> Vec<Operation> {
        match self.neighbour {
            Neighbour::Quiet => Vec::new(),
            Neighbour::FileRenamed | Neighbour::FileRenamedVisibly => {
                vec![Operation::RenameModule(
                    "invoice".to_owned(),
                    "bill".to_owned(),
                )]
            }
            Neighbour::DirectoryRenamed => {
                vec![Operation::RenameDirectory(
                    "billing".to_owned(),
                    "money".to_owned(),
                )]
            }
            Neighbour::Reformatted => {
                let keys = CORE.iter().map(|&key| key.to_owned()).collect();
                let style = Style {
                    indent: 2,
                    is_airy: true,
                };
                vec![Operation::Restyle(keys, style)]
            }
            Neighbour::CalleeRenamed => {
                vec![Operation::RenameFunction(
                    "price_line".to_owned(),
                    "line_price".to_owned(),
                )]
            }
            Neighbour::Crowded => (0..3)
                .map(|number| {
                    let key = format!("invoice_part_{number}");
                    let body = vec![give(&format!("amount / {}", 2 + numbers.below(8)))];
                    let function = Function::new(&key, &["amount"], "A part of it.", body);
                    Operation::AddFunction("invoice".to_owned(), function, None)
                })
                .collect(),
        }
    }

    /// Puts whatever the test needs onto a revision, as the last revision has it. This is the truth that a search has to
    /// find for itself.
    pub fn complete(&self, project: &mut Project, last: &Project) {
        if self.neighbour == Neighbour::FileRenamedVisibly {
            let name = last.module("invoice").map(|module| module.name.clone());
            let name = name.expect("the core stays");
            project.apply(&Operation::RenameModule("invoice".to_owned(), name));
        }
        for &stage in &self.stages {
            for operation in self.build(stage, project) {
                project.apply(&operation);
            }
        }
    }

    /// The first commit.
    pub fn begin(&self, numbers: &mut Numbers) -> Project {
        let mut order = Module::new("order", "goods");
        order.fields = vec!["quantity".to_owned(), "price".to_owned()];
        order.functions.push(Function::new(
            "order_weight",
            &["order"],
            "How heavy an order is.",
            vec![give("order.quantity * 3 + 2")],
        ));
        let mut price = Module::new("price", "goods");
        price.functions = vec![
            Function::new(
                "price_base",
                &["order"],
                "The price before anything else.",
                vec![give("order.quantity * order.price")],
            ),
            Function::new(
                "price_discount",
                &["quantity", "amount"],
                "Big orders are cheaper.",
                vec![
                    local("discount", "0"),
                    when("quantity >= 10", vec![set("discount", "amount / 10")]),
                    when("quantity >= 200", vec![set("discount", "amount / 5")]),
                    give("discount"),
                ],
            ),
            Function::new(
                "price_line",
                &["order"],
                "The price of a line.",
                vec![
                    local("base", "$price_base(order)"),
                    give("base - $price_discount(order.quantity, base)"),
                ],
            ),
        ];
        let mut tax = Module::new("tax", "billing");
        tax.functions = vec![
            Function::new(
                "tax_of",
                &["amount"],
                "The tax on an amount.",
                vec![give("amount * 19 / 100")],
            ),
            Function::new(
                "tax_included",
                &["amount"],
                "An amount with its tax.",
                vec![give("amount + $tax_of(amount)")],
            ),
        ];
        let mut invoice = Module::new("invoice", "billing");
        invoice.functions = vec![
            Function::new(
                "invoice_fee",
                &["amount"],
                "What is asked for small amounts.",
                vec![when("amount > 1000", vec![give("0")]), give("15")],
            ),
            Function::new(
                "invoice_pages",
                &["order"],
                "How many pages it takes.",
                vec![give("1 + order.quantity / 50")],
            ),
            Function::new(
                "invoice_advance",
                &["order"],
                "What is to be paid at once.",
                vec![give("$price_line(order) / 4 + $tax_of(100)")],
            ),
        ];
        let mut project = Project {
            directories: ["goods", "billing", "stock", "people"]
                .map(|name| Named {
                    key: name.to_owned(),
                    name: name.to_owned(),
                })
                .to_vec(),
            modules: vec![order, price, tax, invoice],
            notes: Default::default(),
        };
        for (key, directory) in REST {
            let mut module = Module::new(key, directory);
            module.constants = vec![
                (format!("{key}_limit"), 10 + numbers.below(90)),
                (format!("{key}_least"), 1 + numbers.below(9)),
            ];
            project.modules.push(module);
            for name in ["cost", "count", "share"] {
                let function = everyday::function(&project, key, name, numbers);
                project.apply(&Operation::AddFunction(key.to_owned(), function, None));
            }
        }
        for path in ["README.md", "docs/orders.md", "docs/stock.md", "CHANGES"] {
            for line in 0..6 {
                let text = everyday::sentence(numbers);
                project.apply(&Operation::Note(path.to_owned(), line, text));
            }
        }
        project
    }

    /// The test: its files, of which `test.sh` is the one to call.
    pub fn test(&self, last: &Project) -> Vec<(&'static str, String)> {
        let has = |stage| self.stages.contains(&stage);
        let sum = if has(ApiStage::File) {
            "statement_sum"
        } else {
            "invoice_total"
        };
        let mut right = RIGHT + usize::from(has(ApiStage::File));
        let mut terms = vec![format!("{sum}(order)")];
        if has(ApiStage::Field) {
            terms.push("1000 * order_zone(order)".to_owned());
            right += 1000;
        }
        if has(ApiStage::Parameter) {
            terms.push("tax_of(100, 1)".to_owned());
            right += 7;
        }
        let total = terms.join(" + ");
        let region = has(ApiStage::Field);
        let invoice = last.module("invoice").expect("the core stays");
        let is_visible = self.neighbour == Neighbour::FileRenamedVisibly;
        match self.language {
            ProjectLanguage::C => {
                let include = if is_visible {
                    format!("#include \"shop.h\"\n#include \"{}.h\"\n", invoice.name)
                } else {
                    "#include \"shop.h\"\n".to_owned()
                };
                let region = if region {
                    "    order.region = 1;\n"
                } else {
                    ""
                };
                let source = format!(
                    "{include}#include <stdio.h>\n\nint main(void) {{\n    struct order order = {{0}};\n    long total;\n    order.quantity = 10;\n    order.price = 255;\n{region}    total = {total};\n    if (total != {right}) {{\n        printf(\"the total is %ld, not {right}\\n\", total);\n        return 1;\n    }}\n    return 0;\n}}\n"
                );
                vec![("test.c", source), ("test.sh", C_TEST.to_owned())]
            }
            ProjectLanguage::Python => {
                let directory = last.directory(&invoice.directory);
                let import = if is_visible {
                    format!(
                        "    from shop.{directory}.{} import invoice_total\n",
                        invoice.name
                    )
                } else {
                    String::new()
                };
                let region = if region { "    order.region = 1\n" } else { "" };
                let source = format!(
                    "import sys\nimport traceback\n\ntry:\n    from shop import *\n{import}    order = Order()\n    order.quantity = 10\n    order.price = 255\n{region}    total = {total}\nexcept Exception:\n    traceback.print_exc()\n    sys.exit(125)\nif total != {right}:\n    print(f\"the total is {{total}}, not {right}\")\n    sys.exit(1)\n"
                );
                vec![("test.py", source), ("test.sh", PYTHON_TEST.to_owned())]
            }
        }
    }
}

// All sources are one translation unit, so that a build takes a twentieth of a second. It comes from the standard
// input, so that messages have no name that differs between two builds.
const C_TEST: &str = "\
#!/bin/sh
# Run in the root of a tree: 0 pass, 1 fail, 125 cannot be built.
here=$(cd \"$(dirname \"$0\")\" && pwd)
scratch=$(mktemp -d) || exit 125
trap 'rm -rf \"$scratch\"' EXIT
directories=$(find . -type d -not -path './.*' | sort | sed 's/^/-I/')
find . -name '*.c' -not -path './.*' | sort | sed 's/.*/#include \"&\"/' > \"$scratch/all\"
cat \"$here/test.c\" >> \"$scratch/all\"
cc -O0 -w -Werror=implicit-function-declaration $directories -x c -o \"$scratch/test\" - < \"$scratch/all\" || exit 125
timeout 20 \"$scratch/test\"
";

const PYTHON_TEST: &str = "\
#!/bin/sh
# Run in the root of a tree: 0 pass, 1 fail, 125 cannot be loaded.
here=$(cd \"$(dirname \"$0\")\" && pwd)
PYTHONPATH=. exec timeout 20 python3 -B \"$here/test.py\"
";

/// A new local variable.
pub fn local(name: &str, expression: &str) -> Statement {
    Statement::Let(name.to_owned(), expression.to_owned())
}

/// An assignment.
pub fn set(name: &str, expression: &str) -> Statement {
    Statement::Set(name.to_owned(), expression.to_owned())
}

/// Something under a condition.
pub fn when(condition: &str, body: Vec<Statement>) -> Statement {
    Statement::If(condition.to_owned(), body)
}

/// A result.
pub fn give(expression: &str) -> Statement {
    Statement::Return(expression.to_owned())
}
