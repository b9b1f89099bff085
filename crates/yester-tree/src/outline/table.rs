//! What the nodes of a language mean for an outline, as its table tells. A line has a role, kinds of nodes, and for
//! some roles a word and the path from the node to its names.
//!
//! | role | meaning |
//! |---|---|
//! | `name` | a token that is an identifier |
//! | `comment` | a comment |
//! | `raw` | a text that the grammar leaves whole though there are identifiers in it |
//! | `open` | a `name` that needs a definition: of a variable, a function or a type rather than of a member |
//! | `body` | variables in it are nobody else's |
//! | `lead` | belongs to the entity that comes after it, as a comment does |
//! | `wrap` | belongs to the entity in it |
//! | `text` | a name though it is no identifier, without its quotation marks |
//! | `whole` | the name of an entity as it stands, though only a part of it is what is defined |
//! | `never` | words that are no names, though the parser may think so where `#if` cuts statements in two |
//! | `both` | a token that is used where it is defined |
//! | `through KIND PATH` | how to go on from a node on the path to a name |
//! | `entity KIND WORD PATH` | an entity that defines its name |
//! | `region KIND WORD PATH` | an entity that defines nothing, with more than one line, and not in a body |
//! | `define KIND PATH` | defines names for everybody |
//! | `variable KIND PATH` | defines names for everybody, or in a body for the body |
//! | `bind KIND PATH` | defines names that are defined elsewhere too, as an import does |
//! | `local KIND PATH` | defines names for the part around |
//! | `use KIND PATH` | uses names that are not `name`s |
//! | `member KIND PATH` | names that belong to something, whatever `open` says |
//! | `optional KIND PATH` | a part whose names need no definition at all, such as the condition of `#if` |
//!
//! A kind may have a condition: `[field]`, the node has a part with this role, or `[field=KIND|KIND]`, one of these
//! kinds. A path is `step/step|step`: the first that leads somewhere. A step is a role, a kind if no role is called so, or
//! `*` for parts without a role. `-` is no path: the entity is called after its first line.

use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};

use crate::Kind;
use crate::language::GrammarNumbers;

const C: &str = include_str!("../../outlines/c.txt");
const JAVASCRIPT: &str = include_str!("../../outlines/javascript.txt");
const TYPESCRIPT: &str = include_str!("../../outlines/typescript.txt");

/// The tables of a language: what it has in common with another one comes first.
pub(super) fn tables(name: &str) -> &'static [&'static str] {
    match name {
        "bash" => &[include_str!("../../outlines/bash.txt")],
        "c" => &[C],
        "cpp" => &[C, include_str!("../../outlines/cpp.txt")],
        "css" => &[include_str!("../../outlines/css.txt")],
        "go" => &[include_str!("../../outlines/go.txt")],
        "html" => &[include_str!("../../outlines/html.txt")],
        "java" => &[include_str!("../../outlines/java.txt")],
        "javascript" => &[
            JAVASCRIPT,
            include_str!("../../outlines/javascript_only.txt"),
        ],
        "json" => &[include_str!("../../outlines/json.txt")],
        "python" => &[include_str!("../../outlines/python.txt")],
        "rust" => &[include_str!("../../outlines/rust.txt")],
        "sql" => &[include_str!("../../outlines/sql.txt")],
        "toml" => &[include_str!("../../outlines/toml.txt")],
        "tsx" | "typescript" => &[JAVASCRIPT, TYPESCRIPT],
        "xml" => &[include_str!("../../outlines/xml.txt")],
        "yaml" => &[include_str!("../../outlines/yaml.txt")],
        _ => &[],
    }
}

/// What a kind of node is, apart from its rules.
#[derive(Clone, Copy, Default)]
pub(crate) struct Traits {
    pub is_name: bool,
    pub is_comment: bool,
    pub is_raw: bool,
    pub is_open: bool,
    pub is_body: bool,
    pub is_lead: bool,
    pub is_wrap: bool,
    pub is_text: bool,
    pub is_whole: bool,
    pub is_both: bool,
    pub has_rules: bool,
}

/// What the names are that a rule leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Entity,
    Region,
    Define,
    Variable,
    Bind,
    Local,
    Use,
    Member,
    Optional,
}

pub(crate) struct OutlineRule {
    pub role: Role,
    pub word: &'static str,
    pub path: NamePath,
    condition: Option<(u16, Vec<Kind>)>,
}

/// Ways to try one after the other; none is the first line.
pub(crate) struct NamePath(Vec<Vec<PathStep>>);

enum PathStep {
    /// Parts that have no role.
    Plain,
    Field(u16),
    Kinds(Vec<Kind>),
}

/// A language's tables, with numbers for names.
pub(crate) struct OutlineTable {
    traits: Vec<Traits>,
    rules: HashMap<Kind, Vec<OutlineRule>>,
    through: HashMap<Kind, NamePath>,
    never: Vec<&'static str>,
    /// Names that the grammar does not have. A test sees to it that there are none.
    pub unknown: Vec<String>,
}

impl OutlineTable {
    pub(crate) fn new(name: &str, language: &tree_sitter::Language) -> OutlineTable {
        let count = language.node_kind_count();
        let mut numbers = GrammarNumbers::new(language);
        let mut table = OutlineTable {
            traits: vec![Traits::default(); count],
            rules: HashMap::new(),
            through: HashMap::new(),
            never: Vec::new(),
            unknown: Vec::new(),
        };
        for line in tables(name).iter().flat_map(|table| table.lines()) {
            table.read(line, &mut numbers);
        }
        table.unknown = numbers.unknown;
        table
    }

    fn read(&mut self, line: &'static str, numbers: &mut GrammarNumbers<'_>) {
        let mut words = line.split_ascii_whitespace();
        let role = words.next().expect("a line begins with a role");
        let rule = match role {
            "entity" => Role::Entity,
            "region" => Role::Region,
            "define" => Role::Define,
            "variable" => Role::Variable,
            "bind" => Role::Bind,
            "local" => Role::Local,
            "use" => Role::Use,
            "member" => Role::Member,
            "optional" => Role::Optional,
            "never" => {
                self.never.extend(words);
                return;
            }
            "through" => {
                let kind = words.next().expect("a kind");
                let path = words.next().expect("a path");
                for kind in numbers.kinds(kind) {
                    let path = NamePath::new(path, numbers);
                    self.through.insert(kind, path);
                }
                return;
            }
            _ => {
                for kind in words.flat_map(|kind| numbers.kinds(kind)) {
                    let traits = &mut self.traits[usize::from(kind)];
                    *match role {
                        "name" => &mut traits.is_name,
                        "comment" => &mut traits.is_comment,
                        "raw" => &mut traits.is_raw,
                        "open" => &mut traits.is_open,
                        "body" => &mut traits.is_body,
                        "lead" => &mut traits.is_lead,
                        "wrap" => &mut traits.is_wrap,
                        "text" => &mut traits.is_text,
                        "whole" => &mut traits.is_whole,
                        "both" => &mut traits.is_both,
                        other => panic!("no role is called {other}"),
                    } = true;
                }
                return;
            }
        };
        let kind = words.next().expect("a kind");
        let word = match rule {
            Role::Entity | Role::Region => words.next().expect("a word"),
            _ => "",
        };
        let path = words.next().expect("a path");
        let (kind, condition) = match kind.split_once('[') {
            Some((kind, condition)) => (kind, Some(condition.trim_end_matches(']'))),
            None => (kind, None),
        };
        for kind in numbers.kinds(kind) {
            let condition = condition.map(|condition| {
                let (field, kinds) = condition.split_once('=').unwrap_or((condition, ""));
                let kinds = kinds.split('|').filter(|kind| !kind.is_empty());
                let kinds: Vec<Kind> = kinds.flat_map(|kind| numbers.kinds(kind)).collect();
                (numbers.needed_field(field), kinds)
            });
            self.traits[usize::from(kind)].has_rules = true;
            self.rules.entry(kind).or_default().push(OutlineRule {
                role: rule,
                word,
                path: NamePath::new(path, numbers),
                condition,
            });
        }
    }

    pub(crate) fn traits(&self, kind: Kind) -> Traits {
        let traits = self.traits.get(usize::from(kind));
        traits.copied().unwrap_or_default()
    }

    /// Whether a text can be a name.
    pub(super) fn is_possible(&self, name: &[u8]) -> bool {
        !name.is_empty() && !self.never.iter().any(|word| word.as_bytes() == name)
    }

    /// The rules that hold for a node.
    pub(crate) fn rules(&self, node: Node<'_>) -> impl Iterator<Item = &OutlineRule> {
        let rules = self.rules.get(&node.kind_id()).into_iter().flatten();
        rules.filter(move |rule| match &rule.condition {
            None => true,
            Some((field, kinds)) => node
                .child_by_field_id(*field)
                .is_some_and(|part| kinds.is_empty() || kinds.contains(&part.kind_id())),
        })
    }

    /// The nodes that a path leads to, and on to where names are. With `whole`, it ends where an entity's name is.
    pub(crate) fn follow<'tree>(
        &self,
        node: Node<'tree>,
        path: &NamePath,
        whole: bool,
        cursor: &mut TreeCursor<'tree>,
    ) -> Vec<Node<'tree>> {
        let mut found = Vec::new();
        let mut open = path.parts(node, cursor);
        open.reverse();
        while let Some(node) = open.pop() {
            let traits = self.traits(node.kind_id());
            let is_end = traits.is_name || traits.is_text || whole && traits.is_whole;
            match self.through.get(&node.kind_id()).filter(|_| !is_end) {
                Some(path) => {
                    let parts = path.parts(node, cursor);
                    open.extend(parts.into_iter().rev());
                }
                None => found.push(node),
            }
        }
        found
    }
}

impl NamePath {
    fn new(path: &str, numbers: &mut GrammarNumbers<'_>) -> NamePath {
        if path == "-" {
            return NamePath(Vec::new());
        }
        let mut step = |step: &str| match step {
            "*" => PathStep::Plain,
            name => match numbers.field(name) {
                Some(field) => PathStep::Field(field),
                None => PathStep::Kinds(numbers.kinds(name)),
            },
        };
        let paths = path.split('|');
        NamePath(
            paths
                .map(|path| path.split('/').map(&mut step).collect())
                .collect(),
        )
    }

    /// Whether there is no name, and the first line has to do.
    pub(super) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    fn parts<'tree>(&self, node: Node<'tree>, cursor: &mut TreeCursor<'tree>) -> Vec<Node<'tree>> {
        for steps in &self.0 {
            let mut nodes = vec![node];
            for step in steps {
                let mut next = Vec::new();
                for node in nodes {
                    step.take(node, cursor, &mut next);
                }
                nodes = next;
            }
            if !nodes.is_empty() {
                return nodes;
            }
        }
        Vec::new()
    }
}

impl PathStep {
    fn take<'tree>(
        &self,
        node: Node<'tree>,
        cursor: &mut TreeCursor<'tree>,
        into: &mut Vec<Node<'tree>>,
    ) {
        cursor.reset(node);
        let mut is_there = cursor.goto_first_child();
        while is_there {
            let part = cursor.node();
            let fits = match self {
                PathStep::Plain => cursor.field_id().is_none() && !part.is_extra(),
                PathStep::Field(field) => cursor.field_id().map(u16::from) == Some(*field),
                PathStep::Kinds(kinds) => kinds.contains(&part.kind_id()),
            };
            if fits && part.is_named() && !part.is_missing() {
                into.push(part);
            }
            is_there = cursor.goto_next_sibling();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn every_kind_and_role_of_a_table_is_one_of_its_grammar() {
        for language in Language::all() {
            let parser = language.parser();
            let unknown = OutlineTable::new(language.name, parser.language()).unknown;
            assert_eq!(unknown, Vec::<String>::new(), "{}", language.name);
        }
    }

    #[test]
    fn every_language_has_a_table() {
        for language in Language::all() {
            assert!(!tables(language.name).is_empty(), "{}", language.name);
        }
    }
}
