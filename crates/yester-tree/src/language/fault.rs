use crate::Kind;

/// Counts what is wrong in the texts of one language.
pub(crate) struct Faults {
    /// A kind whose nodes have to have something in them, though the grammar lets them be empty.
    never_empty: Option<Kind>,
}

impl Faults {
    pub(super) fn new(name: &str, language: &tree_sitter::Language) -> Faults {
        Faults {
            // Python's grammar takes `if x:` with nothing in it; Python does not.
            never_empty: (name == "python").then(|| language.id_for_node_kind("block", true)),
        }
    }

    /// How many places of a text are wrong.
    pub(crate) fn count(&self, parsed: &tree_sitter::Tree) -> usize {
        let empty = |kind: Kind| {
            count(
                parsed,
                |_| true,
                |node| node.kind_id() == kind && node.child_count() == 0,
            )
        };
        // Parts without faults are not looked into.
        count(
            parsed,
            |node| node.has_error(),
            |node| node.is_error() || node.is_missing(),
        ) + self.never_empty.map_or(0, empty)
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
