//! What the nodes of a language mean for an outline, as its table tells. A line has a role, kinds of nodes, and for
//! some roles a word and the way from the node to its names.
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
//! | `through KIND WAY` | how to go on from a node on the way to a name |
//! | `entity KIND WORD WAY` | an entity that defines its name |
//! | `region KIND WORD WAY` | an entity that defines nothing, with more than one line, and not in a body |
//! | `define KIND WAY` | defines names for everybody |
//! | `variable KIND WAY` | defines names for everybody, or in a body for the body |
//! | `bind KIND WAY` | defines names that are defined elsewhere too, as an import does |
//! | `local KIND WAY` | defines names for the part around |
//! | `use KIND WAY` | uses names that are not `name`s |
//! | `member KIND WAY` | names that belong to something, whatever `open` says |
//! | `optional KIND WAY` | a part whose names need no definition at all, such as the condition of `#if` |
//!
//! A kind may have a condition: `[field]`, the node has a part with this role, or `[field=KIND|KIND]`, one of these
//! kinds. A way is `step/step|step`: the first that leads somewhere. A step is a role, a kind if no role is called so, or
//! `*` for parts without a role. `-` is no way: the entity is called after its first line.

use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};

use crate::Kind;

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
pub(super) struct Traits {
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
pub(super) enum Role {
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

pub(super) struct Rule {
    pub role: Role,
    pub word: &'static str,
    pub way: Way,
    condition: Option<(u16, Vec<Kind>)>,
}

/// Ways to try one after the other; none is the first line.
pub(super) struct Way(Vec<Vec<Step>>);

enum Step {
    /// Parts that have no role.
    Plain,
    Field(u16),
    Kinds(Vec<Kind>),
}

/// A language's tables, with numbers for names.
pub(super) struct Shape {
    traits: Vec<Traits>,
    rules: HashMap<Kind, Vec<Rule>>,
    through: HashMap<Kind, Way>,
    never: Vec<&'static str>,
    /// Names that the grammar does not have. A test sees to it that there are none.
    pub unknown: Vec<String>,
}

impl Shape {
    pub(super) fn new(name: &str, language: &tree_sitter::Language) -> Shape {
        let mut numbers: HashMap<&str, Vec<Kind>> = HashMap::new();
        let count = Kind::try_from(language.node_kind_count()).expect("a kind is a number");
        for kind in (0..count).filter(|kind| language.node_kind_is_named(*kind)) {
            if let Some(name) = language.node_kind_for_id(kind) {
                numbers.entry(name).or_default().push(kind);
            }
        }
        let mut shape = Shape {
            traits: vec![Traits::default(); usize::from(count)],
            rules: HashMap::new(),
            through: HashMap::new(),
            never: Vec::new(),
            unknown: Vec::new(),
        };
        let mut names = Names { language, numbers };
        for line in tables(name).iter().flat_map(|table| table.lines()) {
            shape.read(line, &mut names);
        }
        shape
    }

    fn read(&mut self, line: &'static str, names: &mut Names<'_>) {
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
                let way = words.next().expect("a way");
                for kind in names.kinds(kind, &mut self.unknown) {
                    let way = names.way(way, &mut self.unknown);
                    self.through.insert(kind, way);
                }
                return;
            }
            _ => {
                for kind in words.flat_map(|kind| names.kinds(kind, &mut self.unknown)) {
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
        let way = words.next().expect("a way");
        let (kind, condition) = match kind.split_once('[') {
            Some((kind, condition)) => (kind, Some(condition.trim_end_matches(']'))),
            None => (kind, None),
        };
        for kind in names.kinds(kind, &mut self.unknown) {
            let condition = condition.map(|condition| {
                let (field, kinds) = condition.split_once('=').unwrap_or((condition, ""));
                let kinds = kinds.split('|').filter(|kind| !kind.is_empty());
                let kinds: Vec<Kind> = kinds
                    .flat_map(|kind| names.kinds(kind, &mut self.unknown))
                    .collect();
                (names.field(field, &mut self.unknown), kinds)
            });
            self.traits[usize::from(kind)].has_rules = true;
            self.rules.entry(kind).or_default().push(Rule {
                role: rule,
                word,
                way: names.way(way, &mut self.unknown),
                condition,
            });
        }
    }

    pub(super) fn traits(&self, kind: Kind) -> Traits {
        let traits = self.traits.get(usize::from(kind));
        traits.copied().unwrap_or_default()
    }

    /// Whether a text can be a name.
    pub(super) fn is_possible(&self, name: &[u8]) -> bool {
        !name.is_empty() && !self.never.iter().any(|word| word.as_bytes() == name)
    }

    /// The rules that hold for a node.
    pub(super) fn rules(&self, node: Node<'_>) -> impl Iterator<Item = &Rule> {
        let rules = self.rules.get(&node.kind_id()).into_iter().flatten();
        rules.filter(move |rule| match &rule.condition {
            None => true,
            Some((field, kinds)) => node
                .child_by_field_id(*field)
                .is_some_and(|part| kinds.is_empty() || kinds.contains(&part.kind_id())),
        })
    }

    /// The nodes that a way leads to, and on to where names are. With `whole`, it ends where an entity's name is.
    pub(super) fn follow<'tree>(
        &self,
        node: Node<'tree>,
        way: &Way,
        whole: bool,
        cursor: &mut TreeCursor<'tree>,
    ) -> Vec<Node<'tree>> {
        let mut found = Vec::new();
        let mut open = way.parts(node, cursor);
        open.reverse();
        while let Some(node) = open.pop() {
            let traits = self.traits(node.kind_id());
            let is_end = traits.is_name || traits.is_text || whole && traits.is_whole;
            match self.through.get(&node.kind_id()).filter(|_| !is_end) {
                Some(way) => {
                    let parts = way.parts(node, cursor);
                    open.extend(parts.into_iter().rev());
                }
                None => found.push(node),
            }
        }
        found
    }
}

impl Way {
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

impl Step {
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
                Step::Plain => cursor.field_id().is_none() && !part.is_extra(),
                Step::Field(field) => cursor.field_id().map(u16::from) == Some(*field),
                Step::Kinds(kinds) => kinds.contains(&part.kind_id()),
            };
            if fits && part.is_named() && !part.is_missing() {
                into.push(part);
            }
            is_there = cursor.goto_next_sibling();
        }
    }
}

/// The numbers that a grammar has for names.
struct Names<'a> {
    language: &'a tree_sitter::Language,
    numbers: HashMap<&'a str, Vec<Kind>>,
}

impl Names<'_> {
    fn kinds(&self, name: &str, unknown: &mut Vec<String>) -> Vec<Kind> {
        match self.numbers.get(name) {
            Some(kinds) => kinds.clone(),
            None => {
                unknown.push(name.to_owned());
                Vec::new()
            }
        }
    }

    fn field(&self, name: &str, unknown: &mut Vec<String>) -> u16 {
        match self.language.field_id_for_name(name) {
            Some(field) => field.into(),
            None => {
                unknown.push(name.to_owned());
                0
            }
        }
    }

    fn way(&self, way: &str, unknown: &mut Vec<String>) -> Way {
        if way == "-" {
            return Way(Vec::new());
        }
        let mut step = |step: &str| match step {
            "*" => Step::Plain,
            name => match self.language.field_id_for_name(name) {
                Some(field) => Step::Field(field.into()),
                None => Step::Kinds(self.kinds(name, unknown)),
            },
        };
        let ways = way.split('|');
        Way(ways
            .map(|way| way.split('/').map(&mut step).collect())
            .collect())
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
            let unknown = Shape::new(language.name, parser.language()).unknown;
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
