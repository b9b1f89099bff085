//! Where a text makes no sense.

use tree_sitter::{Node, Tree};

use super::indentation::misindented;
use crate::language::LanguageRoles;
use crate::{Kind, Language};

/// Finds the lines of a language's texts that make no sense.
pub(super) struct FaultFinder {
    roles: LanguageRoles,
}

impl FaultFinder {
    pub(super) fn new(language: &Language) -> Self {
        FaultFinder {
            roles: language.roles(),
        }
    }

    /// The line of each fault, in order.
    pub(super) fn lines(&self, parsed: &Tree, text: &[u8]) -> Vec<u32> {
        let mut lines = Vec::new();
        let mut around: Vec<Kind> = Vec::new();
        // Parts without errors are not looked into where errors are all that there is to find.
        let looks_everywhere = !self.roles.filled.is_empty() || !self.roles.misplaced.is_empty();
        let mut cursor = parsed.walk();
        'nodes: loop {
            let node = cursor.node();
            let kind = node.kind_id();
            let is_misplaced = around
                .last()
                .is_some_and(|around| self.roles.misplaced.contains(&(kind, *around)));
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
        let has_indented_bodies = self.roles.is_indented && !self.roles.bodies.is_empty();
        if has_indented_bodies && lines.is_empty() {
            lines = misindented(text);
        }
        lines
    }

    fn is_empty(&self, node: Node<'_>) -> bool {
        self.roles.filled.contains(&node.kind_id()) && node.child_count() == 0
    }
}
