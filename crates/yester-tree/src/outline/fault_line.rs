//! Where a text makes no sense.

use tree_sitter::{Node, Tree};

use super::indentation::misindented;
use crate::{Kind, Language};

/// Finds the lines of a language's texts that make no sense.
pub(super) struct FaultFinder {
    /// A kind of node that has parts although the grammar does not ask for them.
    never_empty: Option<Kind>,
    has_indentation: bool,
    /// A function that may not stand where the grammar lets it stand, and what it then is a part of.
    misplaced: Vec<(Kind, Kind)>,
}

/// Where JavaScript has no function: as the only statement of a branch or a loop, or without a name as a statement.
const MISPLACED: &[(&str, &str)] = &[
    ("function_declaration", "if_statement"),
    ("function_declaration", "else_clause"),
    ("function_declaration", "for_statement"),
    ("function_declaration", "for_in_statement"),
    ("function_declaration", "while_statement"),
    ("function_expression", "expression_statement"),
];

impl FaultFinder {
    pub(super) fn new(language: &Language) -> Self {
        let is_python = language.name == "python";
        let has_functions = ["javascript", "typescript", "tsx"].contains(&language.name);
        let parser = language.parser();
        let kind = |name: &str| parser.language().id_for_node_kind(name, true);
        let misplaced = MISPLACED.iter().filter(|_| has_functions);
        FaultFinder {
            // Python's grammar takes `if x:` with nothing in it; Python does not.
            never_empty: is_python.then(|| kind("block")),
            has_indentation: is_python,
            misplaced: misplaced
                .map(|(part, around)| (kind(part), kind(around)))
                .collect(),
        }
    }

    /// The line of each fault, in order.
    pub(super) fn lines(&self, parsed: &Tree, text: &[u8]) -> Vec<u32> {
        let mut lines = Vec::new();
        let mut around: Vec<Kind> = Vec::new();
        // Parts without errors are not looked into where errors are all that there is to find.
        let looks_everywhere = self.never_empty.is_some() || !self.misplaced.is_empty();
        let mut cursor = parsed.walk();
        'nodes: loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let is_misplaced = around
                .last()
                .is_some_and(|around| self.misplaced.contains(&(kind, *around)));
            if node.is_error() || node.is_missing() || is_misplaced || self.is_empty(node) {
                lines.push(node.start_position().row as u32);
            }
            if (looks_everywhere || node.has_error()) && cursor.goto_first_child() {
                around.push(kind);
                continue;
            }
            while !cursor.goto_next_sibling() {
                around.pop();
                if !cursor.goto_parent() {
                    break 'nodes;
                }
            }
        }
        // A text that cannot be read as statements has no indentation to speak of.
        if self.has_indentation && lines.is_empty() {
            lines = misindented(text);
        }
        lines
    }

    fn is_empty(&self, node: Node<'_>) -> bool {
        self.never_empty == Some(node.kind_id()) && node.child_count() == 0
    }
}
