//! Functions that need not return anything.

use super::batch::{Batch, Idea, View};
use crate::{Change, Document, FunctionRoles};

/// The type of a function becomes the one that stands for no result, and the values that it returns go: neither can go
/// without the other.
pub(super) fn return_values(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    let tree = document.tree();
    let Some(roles) = &document.grammar.roles().functions else {
        return Vec::new();
    };
    if view.detail > 0 {
        return Vec::new();
    }
    let mut ideas = Vec::new();
    for node in (0..tree.len()).filter(|node| roles.kinds.contains(&tree.node(*node).kind)) {
        let mut parts = tree.children(node);
        let Some(result) = parts.find(|part| tree.node(*part).field == roles.result) else {
            continue;
        };
        let returned = tree
            .within(node)
            .filter(|part| roles.returns.contains(&tree.node(*part).kind))
            .flat_map(|statement| tree.children(statement))
            .filter(|child| tree.node(*child).is_named);
        let mut changes: Vec<Change> = returned
            .map(|value| Change::Cut(tree.range(value)))
            .collect();
        changes.extend(tail(document, roles, node));
        if changes.is_empty() {
            continue;
        }
        // In C the star of a pointer is on the other side of the type.
        let pointer = tree
            .children(node)
            .find(|part| roles.pointers.contains(&tree.node(*part).kind));
        let star = pointer.and_then(|pointer| tree.children(pointer).next());
        changes.extend(star.map(|star| Change::Cut(tree.range(star))));
        changes.push(match roles.nothing {
            // An arrow before the type goes with it.
            "" => {
                let before = tree.children(node).take_while(|part| *part < result).last();
                let arrow = before.filter(|part| !tree.node(*part).is_named);
                Change::Cut(tree.range(arrow.unwrap_or(result)).start..tree.range(result).end)
            }
            // What comes next may touch the type.
            nothing => Change::Put(tree.range(result), format!("{nothing} ").as_bytes().into()),
        });
        ideas.push(Idea {
            key: view.key(node),
            gain: tree.range(result).len() as u64,
            changes,
        });
    }
    vec![view.batch(ideas)]
}

/// The last expression of a function becomes a statement.
fn tail(document: &Document, roles: &FunctionRoles, function: usize) -> Option<Change> {
    let tree = document.tree();
    let bodies = &document.grammar.roles().bodies;
    let body = tree
        .children(function)
        .find(|part| bodies.contains(&tree.node(*part).kind))?;
    let last = tree
        .children(body)
        .filter(|part| tree.node(*part).is_named && !tree.node(*part).is_extra)
        .last()?;
    let is_value = roles.has_tail && !document.slice(last).ends_with(b";");
    let end = tree.range(last).end;
    is_value.then(|| Change::Put(end..end, (&b";"[..]).into()))
}
