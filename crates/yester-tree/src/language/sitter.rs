use tree_sitter::{InputEdit, Point, TreeCursor};

use super::LanguageRoles;
use super::fault::Faults;
use super::parser::{Parser, Refusal};
use super::table::KindTable;
use crate::{Edit, Grammar, Kind, Node, Parse, Tree};

/// A text with more faults is hard to parse: each costs the parser as much as a page of text.
const MANY_FAULTS: usize = 100;
/// So is one that takes more steps than this, and more than this for each byte. Others take one to four.
const MANY_STEPS: usize = 1 << 13;
const STEPS_FOR_A_BYTE: usize = 8;

/// A grammar of tree-sitter with what was made from it ahead of time.
pub struct SitterGrammar {
    name: &'static str,
    parser: Parser,
    faults: Faults,
    table: KindTable,
    roles: LanguageRoles,
}

impl SitterGrammar {
    pub(super) fn new(
        name: &'static str,
        language: &tree_sitter::Language,
        table: &'static str,
    ) -> SitterGrammar {
        let parser = Parser::new(name, language);
        let roles = LanguageRoles::new(name, parser.language());
        SitterGrammar {
            name,
            faults: Faults::new(&roles),
            roles,
            table: KindTable::new(parser.language(), table),
            parser,
        }
    }

    /// The kinds that a named node of a text may have.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + '_ {
        let language = self.parser.language();
        let count = u16::try_from(language.node_kind_count()).expect("a kind is a number");
        (1..count).filter(|kind| {
            language.node_kind_is_named(*kind) && language.node_kind_is_visible(*kind)
        })
    }

    /// How many faults a text has. One that the parser refuses has more than any other.
    fn faults_of(&self, text: &[u8], before: Option<&tree_sitter::Tree>) -> usize {
        let parsed = self.parser.parse(text, before);
        parsed.map_or(usize::MAX, |parsed| self.faults.count(&parsed))
    }
}

impl Grammar for SitterGrammar {
    fn name(&self) -> &str {
        self.name
    }

    fn parse(&self, text: &[u8]) -> Parse {
        let Ok((parsed, steps)) = self.parser.parse_counting(text, None) else {
            return Parse::without_structure(text);
        };
        let faults = self.faults.count(&parsed);
        Parse {
            tree: copy(&parsed, &self.roles.attached),
            faults,
            is_hard: faults > MANY_FAULTS || steps > MANY_STEPS.max(text.len() * STEPS_FOR_A_BYTE),
            memory: Some(Box::new(parsed)),
        }
    }

    fn refusal(&self, text: &[u8]) -> Option<Refusal> {
        self.parser.parse(text, None).err()
    }

    fn faults_after(&self, before: &Parse, edit: &Edit, after: &[u8]) -> usize {
        let memory = before
            .memory
            .as_ref()
            .and_then(|memory| memory.downcast_ref());
        let Some(parsed) = memory else {
            return self.faults_of(after, None);
        };
        let mut parsed: tree_sitter::Tree = Clone::clone(parsed);
        // From the back, so that the places of the others stay as they are. The parser looks at bytes; rows and
        // columns are only passed through.
        for replacement in edit.replacements().iter().rev() {
            let at = |byte| Point {
                row: 0,
                column: byte,
            };
            let range = &replacement.range;
            let new_end = range.start + replacement.with.len();
            parsed.edit(&InputEdit {
                start_byte: range.start,
                old_end_byte: range.end,
                new_end_byte: new_end,
                start_position: at(range.start),
                old_end_position: at(range.end),
                new_end_position: at(new_end),
            });
        }
        self.faults_of(after, Some(&parsed))
    }

    fn kind_name(&self, kind: Kind) -> &str {
        self.parser
            .language()
            .node_kind_for_id(kind)
            .unwrap_or("error")
    }

    fn roles(&self) -> &LanguageRoles {
        &self.roles
    }

    fn minimal(&self, kind: Kind) -> Option<&str> {
        self.table.minimal(kind)
    }

    fn preferred(&self, kind: Kind) -> Option<&str> {
        self.table.preferred(kind)
    }

    fn are_exchangeable(&self, one: Kind, other: Kind) -> bool {
        one == other || self.table.share_a_place(one, other)
    }
}

/// The same tree, with what is attached to a node as the first parts of that node: an attribute goes with its item.
fn copy(parsed: &tree_sitter::Tree, attached: &[Kind]) -> Tree {
    let mut tree = Tree::new();
    let mut cursor = parsed.walk();
    // The nodes that are open since the first of what is attached to them.
    let mut owners: Vec<usize> = Vec::new();
    let mut open = |tree: &mut Tree, cursor: &TreeCursor<'_>| {
        let here = cursor.node();
        if owners.pop_if(|owner| *owner == here.id()).is_some() {
            return;
        }
        if attached.contains(&here.kind_id())
            && let Some(owner) = owner(cursor.clone(), attached)
            && owners.last() != Some(&owner.node().id())
        {
            owners.push(owner.node().id());
            tree.open(Node {
                start: here.start_byte() as u32,
                ..node(&owner)
            });
        }
        tree.open(node(cursor));
    };
    open(&mut tree, &cursor);
    loop {
        if cursor.goto_first_child() {
            open(&mut tree, &cursor);
            continue;
        }
        tree.close();
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return tree;
            }
            tree.close();
        }
        open(&mut tree, &cursor);
    }
}

/// How far away what something is attached to may be, in siblings.
const FARTHEST_OWNER: usize = 100;

/// What something is attached to: the next sibling that is made of parts, or a name, and is not attached itself.
fn owner<'a>(mut cursor: TreeCursor<'a>, attached: &[Kind]) -> Option<TreeCursor<'a>> {
    for _ in 0..FARTHEST_OWNER {
        if !cursor.goto_next_sibling() {
            return None;
        }
        let next = cursor.node();
        if next.is_named() && !next.is_extra() && !attached.contains(&next.kind_id()) {
            return (!next.is_error()).then_some(cursor);
        }
    }
    None
}

fn node(cursor: &TreeCursor<'_>) -> Node {
    let node = cursor.node();
    Node {
        kind: node.kind_id(),
        field: cursor.field_id().map_or(0, u16::from),
        is_named: node.is_named(),
        is_extra: node.is_extra(),
        is_fault: node.is_error() || node.is_missing(),
        parent: 0,
        after: 0,
        start: node.start_byte() as u32,
        end: node.end_byte() as u32,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Grammar, Language};

    #[test]
    #[cfg(feature = "rust")]
    fn an_attribute_is_a_part_of_its_item() {
        let rust = Language::by_name("rust").expect("compiled in").grammar();
        let text = "fn a(){}#[b] /* c */ #[d] struct e(#[f]u8,u16);#[g]";
        let tree = rust.parse(text.as_bytes()).tree;
        let parts = |node| {
            let texts = tree.children(node).filter(|part| tree.node(*part).is_named);
            texts
                .map(|part| &text[tree.range(part)])
                .collect::<Vec<_>>()
        };
        let structure = "#[b] /* c */ #[d] struct e(#[f]u8,u16);";
        assert_eq!(parts(0), ["fn a(){}", structure, "#[g]"]);
        let number = tree.children(0).nth(1).expect("three parts");
        assert_eq!(parts(number)[..4], ["#[b]", "/* c */", "#[d]", "e"]);
        let fields = tree.children(number).nth(5).expect("the fields");
        assert_eq!(parts(fields), ["#[f]u8", "u16"]);
    }

    #[test]
    #[cfg(feature = "python")]
    fn a_block_without_a_statement_is_a_fault_in_python() {
        let python = Language::by_name("python").expect("compiled in").grammar();
        let faults = |text: &str| python.parse(text.as_bytes()).faults;
        assert_eq!(faults("if x:\n    y\n"), 0);
        assert_eq!(faults("def f(): pass\n"), 0);
        assert!(faults("if x:\n\n") > 0);
        assert!(faults("def f():\n\n\nx\n") > 0);
        assert!(faults("if x :\n    a\nelse:\n") > 0);
    }
}
