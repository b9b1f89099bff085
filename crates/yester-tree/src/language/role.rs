//! What the nodes of a language mean to the reduction engine, as its hand-written table tells. A line has a role and
//! what plays it. A source of ideas is asked only where the table has its roles.
//!
//! | role | played by | meaning |
//! |---|---|---|
//! | `body` | kinds | a body of statements: a program mostly compiles when it is empty |
//! | `phrase` | kinds | a statement that is an expression and a semicolon |
//! | `stubbed` | kinds | a function that needs more than an empty body |
//! | `stub` | a text | a body that any function may have |
//! | `filled` | kinds | must not be empty, though the grammar allows it |
//! | `attached` | kinds | belongs to what comes next, though the grammar has it beside that |
//! | `misplaced` | a kind, then kinds | must not stand right in one of the others, though the grammar allows it |
//! | `indented` | | indentation has a meaning |
//! | `declares` | fields | hold the name that a declaration declares for its neighbours |
//! | `holds` | fields, kinds | such names are looked for in them too |
//! | `function` | kinds | a function whose result has a type |
//! | `result` | a field | that type |
//! | `return` | kinds | a statement that returns |
//! | `nothing` | a text | the type of a function that returns nothing |
//! | `pointer` | kinds | a declarator that starts with a part of the type, as `*f` does |
//! | `tail` | | the last expression of a function is its result |
//! | `call` | kinds | a call |
//! | `arguments` | a field | what it passes |
//! | `variable` | kinds | gives a name to a value |
//! | `variable-name` | a field | that name |
//! | `variable-value` | a field | that value |
//! | `plain-value` | a text | an expression that needs nothing else |
//! | `bounded` | kinds | a type parameter and what is said about it |
//! | `bounds` | a field | what is said about it |
//! | `predicate` | kinds | says something about a type parameter elsewhere |
//! | `anonymous` | a text | stands before a bound in the place of a type |
//! | `start-tag` | kinds | begins an element |
//! | `end-tag` | kinds | ends an element |
//! | `empty-end` | a text | ends the tag of an element that has no end tag |
//! | `structure` | kinds | a type made of members |
//! | `members` | kinds | the list of its members |
//! | `member` | kinds | one of them: a type, then a name |
//! | `member-name` | kinds | that name |
//! | `alias` | kinds | gives a second name to a type |
//! | `type-name` | kinds | the name of a type |
//! | `plain-type` | kinds | a type that a second name may stand for |
//! | `access` | kinds | an object, an operator, a member |
//! | `arrow` | a text | the operator for a pointer to an object |
//! | `dereference` | two texts | stands before a pointer, or after it: the object that it points to |
//! | `tight` | kinds | bind more tightly than the first of these |

use super::number::GrammarNumbers;
use crate::Kind;

const C: &str = include_str!("../../roles/c.txt");
const JAVASCRIPT: &str = include_str!("../../roles/javascript.txt");

/// The tables of a language: what it has in common with another one comes first.
fn tables(name: &str) -> &'static [&'static str] {
    match name {
        "bash" => &[include_str!("../../roles/bash.txt")],
        "c" => &[C],
        "cpp" => &[C, include_str!("../../roles/cpp.txt")],
        "css" => &[include_str!("../../roles/css.txt")],
        "go" => &[include_str!("../../roles/go.txt")],
        "java" => &[include_str!("../../roles/java.txt")],
        "javascript" => &[JAVASCRIPT],
        "python" => &[include_str!("../../roles/python.txt")],
        "rust" => &[include_str!("../../roles/rust.txt")],
        "sql" => &[include_str!("../../roles/sql.txt")],
        "xml" => &[include_str!("../../roles/xml.txt")],
        "yaml" => &[include_str!("../../roles/yaml.txt")],
        "tsx" | "typescript" => &[JAVASCRIPT, include_str!("../../roles/typescript.txt")],
        _ => &[],
    }
}

/// The roles of a language. A language without a table has none.
#[derive(Clone, Debug, Default)]
pub struct LanguageRoles {
    /// Bodies of statements.
    pub bodies: Vec<Kind>,
    /// Statements that are an expression and a semicolon.
    pub phrases: Vec<Kind>,
    /// Functions that need more than an empty body.
    pub stubbed: Vec<Kind>,
    /// A body that they may have, whatever they return. It ends at once, so that a test that runs it does, too.
    pub stub: String,
    /// Kinds that must not be empty, though the grammar allows it.
    pub filled: Vec<Kind>,
    /// Kinds that belong to what comes next, though the grammar has them beside that.
    pub attached: Vec<Kind>,
    /// Kinds that must not stand right in another one, though the grammar allows it: the kind, then the other.
    pub misplaced: Vec<(Kind, Kind)>,
    /// Whether indentation has a meaning.
    pub is_indented: bool,
    /// How declarations can be told.
    pub declarations: Option<DeclarationRoles>,
    /// How functions return values.
    pub functions: Option<FunctionRoles>,
    /// How types wrap other types.
    pub types: Option<TypeRoles>,
    /// How functions are called.
    pub calls: Option<CallRoles>,
    /// How values get names.
    pub variables: Option<VariableRoles>,
    /// How type parameters are bounded.
    pub bounds: Option<BoundRoles>,
    /// How elements begin and end.
    pub tags: Option<TagRoles>,
    /// An expression that needs nothing else.
    plain_value: &'static str,
}

/// How functions are called.
#[derive(Clone, Debug)]
pub struct CallRoles {
    /// Calls.
    pub kinds: Vec<Kind>,
    /// The field that has the arguments.
    pub arguments: u16,
}

/// How values get names.
#[derive(Clone, Debug)]
pub struct VariableRoles {
    /// What gives a name to a value.
    pub kinds: Vec<Kind>,
    /// The field that has the name.
    pub name: u16,
    /// The field that has the value.
    pub value: u16,
}

/// How type parameters are bounded.
#[derive(Clone, Debug)]
pub struct BoundRoles {
    /// Type parameters.
    pub parameters: Vec<Kind>,
    /// The field that has what is said about one.
    pub bounds: u16,
    /// What says it elsewhere.
    pub predicates: Vec<Kind>,
    /// What stands before a bound in the place of a type.
    pub anonymous: &'static str,
}

/// How elements begin and end.
#[derive(Clone, Debug)]
pub struct TagRoles {
    /// What begins an element.
    pub start: Vec<Kind>,
    /// What ends an element.
    pub end: Vec<Kind>,
    /// What ends the tag of an element that has no end tag.
    pub empty_end: &'static str,
}

/// Where the names are that a declaration declares for its neighbours.
#[derive(Clone, Debug)]
pub struct DeclarationRoles {
    /// A token in one of these fields is such a name.
    pub fields: Vec<u16>,
    /// These fields may hold such names too.
    pub holding_fields: Vec<u16>,
    /// So may nodes of these kinds.
    pub holding_kinds: Vec<Kind>,
}

/// How a function returns a value.
#[derive(Clone, Debug)]
pub struct FunctionRoles {
    /// Functions whose result has a type.
    pub kinds: Vec<Kind>,
    /// The field that has the type of the result.
    pub result: u16,
    /// Statements that return.
    pub returns: Vec<Kind>,
    /// The type of a function that returns nothing.
    pub nothing: &'static str,
    /// Declarators that start with a part of the type.
    pub pointers: Vec<Kind>,
    /// Whether the last expression of a function is its result.
    pub has_tail: bool,
}

/// How a type wraps another one.
#[derive(Clone, Debug)]
pub struct TypeRoles {
    /// Types made of members.
    pub structures: Vec<Kind>,
    /// Lists of members.
    pub member_lists: Vec<Kind>,
    /// Members: a type, then a name.
    pub members: Vec<Kind>,
    /// Names of members.
    pub member_names: Vec<Kind>,
    /// What gives a second name to a type.
    pub aliases: Vec<Kind>,
    /// Names of types.
    pub type_names: Vec<Kind>,
    /// Types that a second name may stand for.
    pub plain_types: Vec<Kind>,
    /// An object, an operator, a member.
    pub accesses: Vec<Kind>,
    /// The operator for a pointer to an object.
    pub arrow: &'static str,
    /// What stands before a pointer, or after it, for the object that it points to.
    pub dereference: [&'static str; 2],
    /// Kinds that bind more tightly than the first of these.
    pub tight: Vec<Kind>,
}

/// A language without a table.
pub(crate) static NO_ROLES: LanguageRoles = LanguageRoles {
    bodies: Vec::new(),
    phrases: Vec::new(),
    stubbed: Vec::new(),
    stub: String::new(),
    filled: Vec::new(),
    attached: Vec::new(),
    misplaced: Vec::new(),
    is_indented: false,
    declarations: None,
    functions: None,
    types: None,
    calls: None,
    variables: None,
    bounds: None,
    tags: None,
    plain_value: "",
};

impl LanguageRoles {
    pub(super) fn new(name: &str, language: &tree_sitter::Language) -> LanguageRoles {
        RoleTable::new(name, language).roles()
    }

    /// An expression that needs nothing else.
    pub fn plain_value(&self) -> &'static str {
        match self.plain_value {
            "" => "0",
            value => value,
        }
    }
}

/// The lines of a language's tables.
struct RoleTable<'a> {
    lines: Vec<(&'static str, Vec<&'static str>)>,
    numbers: GrammarNumbers<'a>,
}

impl<'a> RoleTable<'a> {
    fn new(name: &str, language: &'a tree_sitter::Language) -> RoleTable<'a> {
        let lines = tables(name).iter().flat_map(|table| table.lines());
        let lines = lines.map(|line| {
            let mut words = line.split_ascii_whitespace();
            let role = words.next().expect("a line begins with a role");
            (role, words.collect())
        });
        RoleTable {
            lines: lines.collect(),
            numbers: GrammarNumbers::new(language),
        }
    }

    fn roles(&mut self) -> LanguageRoles {
        LanguageRoles {
            bodies: self.kinds("body"),
            phrases: self.kinds("phrase"),
            stubbed: self.kinds("stubbed"),
            stub: self.words("stub").join(" "),
            filled: self.kinds("filled"),
            attached: self.kinds("attached"),
            misplaced: self.misplaced(),
            is_indented: self.has("indented"),
            declarations: self.has("declares").then(|| self.declarations()),
            functions: self.has("function").then(|| self.functions()),
            types: self.has("structure").then(|| self.types()),
            calls: self.has("call").then(|| CallRoles {
                kinds: self.kinds("call"),
                arguments: self.field("arguments"),
            }),
            variables: self.has("variable").then(|| VariableRoles {
                kinds: self.kinds("variable"),
                name: self.field("variable-name"),
                value: self.field("variable-value"),
            }),
            bounds: self.has("bounded").then(|| BoundRoles {
                parameters: self.kinds("bounded"),
                bounds: self.field("bounds"),
                predicates: self.kinds("predicate"),
                anonymous: self.text("anonymous"),
            }),
            tags: self.has("start-tag").then(|| TagRoles {
                start: self.kinds("start-tag"),
                end: self.kinds("end-tag"),
                empty_end: self.text("empty-end"),
            }),
            plain_value: self.text("plain-value"),
        }
    }

    fn misplaced(&mut self) -> Vec<(Kind, Kind)> {
        let lines: Vec<Vec<&str>> = (self.lines.iter())
            .filter(|(role, _)| *role == "misplaced")
            .map(|(_, words)| words.clone())
            .collect();
        let mut pairs = Vec::new();
        for words in lines {
            let (part, around) = words.split_first().expect("a kind that is misplaced");
            for kind in self.numbers.kinds(part) {
                let around = around.iter().flat_map(|word| self.numbers.kinds(word));
                pairs.extend(around.map(|around| (kind, around)));
            }
        }
        pairs
    }

    fn declarations(&mut self) -> DeclarationRoles {
        let is_field = |numbers: &GrammarNumbers<'_>, word: &str| numbers.field(word).is_some();
        let (fields, kinds): (Vec<&str>, Vec<&str>) =
            (self.words("holds").into_iter()).partition(|word| is_field(&self.numbers, word));
        let numbers = &mut self.numbers;
        DeclarationRoles {
            holding_fields: (fields.into_iter())
                .map(|field| numbers.needed_field(field))
                .collect(),
            holding_kinds: (kinds.into_iter())
                .flat_map(|kind| numbers.kinds(kind))
                .collect(),
            fields: self.fields("declares"),
        }
    }

    fn functions(&mut self) -> FunctionRoles {
        FunctionRoles {
            kinds: self.kinds("function"),
            result: self.field("result"),
            returns: self.kinds("return"),
            nothing: self.text("nothing"),
            pointers: self.kinds("pointer"),
            has_tail: self.has("tail"),
        }
    }

    fn types(&mut self) -> TypeRoles {
        let dereference = self.words("dereference");
        TypeRoles {
            structures: self.kinds("structure"),
            member_lists: self.kinds("members"),
            members: self.kinds("member"),
            member_names: self.kinds("member-name"),
            aliases: self.kinds("alias"),
            type_names: self.kinds("type-name"),
            plain_types: self.kinds("plain-type"),
            accesses: self.kinds("access"),
            arrow: self.text("arrow"),
            dereference: [dereference[0], dereference[1]],
            tight: self.kinds("tight"),
        }
    }

    fn has(&self, role: &str) -> bool {
        self.lines.iter().any(|(name, _)| *name == role)
    }

    fn words(&self, role: &str) -> Vec<&'static str> {
        let lines = self.lines.iter().filter(|(name, _)| *name == role);
        lines.flat_map(|(_, words)| words.iter().copied()).collect()
    }

    fn text(&self, role: &str) -> &'static str {
        self.words(role).first().copied().unwrap_or_default()
    }

    fn kinds(&mut self, role: &str) -> Vec<Kind> {
        let words = self.words(role).into_iter();
        words.flat_map(|word| self.numbers.kinds(word)).collect()
    }

    fn field(&mut self, role: &str) -> u16 {
        let field = self.text(role);
        self.numbers.needed_field(field)
    }

    fn fields(&mut self, role: &str) -> Vec<u16> {
        let words = self.words(role).into_iter();
        words.map(|word| self.numbers.needed_field(word)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    const ROLES: [&str; 40] = [
        "body",
        "phrase",
        "stubbed",
        "stub",
        "filled",
        "attached",
        "misplaced",
        "indented",
        "declares",
        "holds",
        "function",
        "result",
        "return",
        "nothing",
        "pointer",
        "tail",
        "call",
        "arguments",
        "variable",
        "variable-name",
        "variable-value",
        "plain-value",
        "bounded",
        "bounds",
        "predicate",
        "anonymous",
        "start-tag",
        "end-tag",
        "empty-end",
        "structure",
        "members",
        "member",
        "member-name",
        "alias",
        "type-name",
        "plain-type",
        "access",
        "arrow",
        "dereference",
        "tight",
    ];

    #[test]
    fn every_role_is_known_and_played_by_something_of_the_grammar() {
        for language in Language::all() {
            let parser = language.parser();
            let mut table = RoleTable::new(language.name, parser.language());
            for (role, _) in &table.lines {
                assert!(ROLES.contains(role), "{}: {role}", language.name);
            }
            table.roles();
            assert_eq!(table.numbers.unknown, [""; 0], "{}", language.name);
        }
    }
}
