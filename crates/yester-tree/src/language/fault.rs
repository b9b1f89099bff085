use super::LanguageRoles;
use crate::Kind;

/// Counts what is wrong in the texts of one language.
pub(crate) struct Faults {
    /// Kinds that must not be empty, though the grammar allows it: Python's takes `if x:` with nothing in it.
    filled: Vec<Kind>,
}

impl Faults {
    pub(super) fn new(roles: &LanguageRoles) -> Faults {
        Faults {
            filled: roles.filled.clone(),
        }
    }

    /// How many places of a text are wrong.
    pub(crate) fn count(&self, parsed: &tree_sitter::Tree) -> usize {
        // Parts without faults are not looked into.
        let faults = count(
            parsed,
            |node| node.has_error(),
            |node| node.is_error() || node.is_missing(),
        );
        if self.filled.is_empty() {
            return faults;
        }
        let is_filled = |node: &tree_sitter::Node<'_>| self.filled.contains(&node.kind_id());
        faults
            + count(
                parsed,
                |_| true,
                |node| is_filled(node) && node.child_count() == 0,
            )
    }
}

/// How many nodes are of a sort, among the root and the parts of those that are looked into.
fn count(
    parsed: &tree_sitter::Tree,
    looks_into: impl Fn(&tree_sitter::Node<'_>) -> bool,
    is_sort: impl Fn(&tree_sitter::Node<'_>) -> bool,
) -> usize {
    let mut cursor = parsed.walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        count += usize::from(is_sort(&node));
        if looks_into(&node) && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}
