//! Elements without content.

use super::batch::{Batch, Idea, View};
use crate::Change;

/// `<a></a>` becomes `<a/>`.
pub(super) fn empty_tags(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    let tree = document.tree();
    let Some(roles) = &document.grammar.roles().tags else {
        return Vec::new();
    };
    if view.detail > 0 {
        return Vec::new();
    }
    let mut ideas = Vec::new();
    for node in 0..tree.len() {
        let mut parts = tree.children(node);
        let (Some(first), Some(second), None) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let is_empty = roles.start.contains(&tree.node(first).kind)
            && roles.end.contains(&tree.node(second).kind);
        let Some(bracket) = tree.children(first).last().filter(|_| is_empty) else {
            continue;
        };
        let range = tree.range(bracket).start..tree.range(second).end;
        ideas.push(Idea {
            key: view.key(node),
            gain: range.len().saturating_sub(roles.empty_end.len()) as u64,
            changes: vec![Change::Put(range, roles.empty_end.as_bytes().into())],
        });
    }
    vec![Batch {
        together: true,
        ..view.batch(ideas)
    }]
}
