//! Functions that need not give anything back.

use super::batch::{Batch, Idea, Source, View};
use super::parts::pooled;
use crate::Change;

/// The type of a function becomes `void`, and what it returns goes: neither can go without the other.
pub(super) fn results(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let document = view.document;
    let tree = document.tree();
    let in_role = |node: usize, role: &str| {
        tree.children(node)
            .find(|child| document.grammar.field_name(tree.node(*child).field) == role)
    };
    let mut ideas = Vec::new();
    for node in 0..tree.len() {
        let (Some(result), Some(body)) = (in_role(node, "type"), in_role(node, "body")) else {
            continue;
        };
        let is_return =
            |part: &usize| document.grammar.kind_name(tree.node(*part).kind) == "return_statement";
        let returned = tree
            .within(body)
            .filter(is_return)
            .flat_map(|statement| tree.children(statement))
            .filter(|child| tree.node(*child).is_named);
        let mut changes: Vec<Change> = returned
            .map(|value| Change::Cut(tree.range(value)))
            .collect();
        if changes.is_empty() {
            continue;
        }
        // In C the stars of a pointer are on the other side of the type.
        let declarator = in_role(node, "declarator").filter(|declarator| {
            document.grammar.kind_name(tree.node(*declarator).kind) == "pointer_declarator"
        });
        let stars = declarator.and_then(|declarator| tree.children(declarator).next());
        changes.extend(stars.map(|star| Change::Cut(tree.range(star))));
        changes.push(Change::Put(tree.range(result), (&b"void "[..]).into()));
        ideas.push(Idea {
            key: view.key(node),
            gain: tree.range(result).len() as u64,
            changes,
        });
    }
    let mut batches = Vec::new();
    pooled(ideas, Source::Results, false, &mut batches);
    batches
}
