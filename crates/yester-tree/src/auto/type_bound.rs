//! What is said about a type parameter, said where the type is used.

use super::batch::{Batch, Idea, View};
use crate::{BoundRoles, Change, Document};

/// `where T: B` becomes `<T: B>`, and a parameter `T: B` that stands for the type of one thing becomes `impl B` there.
pub(super) fn type_bounds(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    let Some(roles) = &document.grammar.roles().bounds else {
        return Vec::new();
    };
    if view.detail > 0 || document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    let tree = document.tree();
    let mut ideas = Vec::new();
    for node in 1..tree.len() {
        let kind = tree.node(node).kind;
        let Some(bounds) = child(document, node, roles.bounds) else {
            continue;
        };
        let changes = if roles.predicates.contains(&kind) {
            to_parameter(view, roles, node, bounds)
        } else if roles.parameters.contains(&kind) {
            to_use(view, roles, node, bounds)
        } else {
            None
        };
        ideas.extend(changes.map(|changes| Idea {
            key: view.key(node),
            gain: tree.range(node).len() as u64,
            changes,
        }));
    }
    vec![view.batch(ideas)]
}

fn child(document: &Document, node: usize, field: u16) -> Option<usize> {
    let tree = document.tree();
    tree.children(node)
        .find(|part| tree.node(*part).field == field)
}

/// The bound of a predicate goes to the parameter that it is about.
fn to_parameter(
    view: &mut View<'_>,
    roles: &BoundRoles,
    predicate: usize,
    bounds: usize,
) -> Option<Vec<Change>> {
    let document = view.document;
    let tree = document.tree();
    let subject = tree.children(predicate).next()?;
    let around = tree.parent(tree.parent(predicate)?)?;
    let parameter = tree.within(around).find(|node| {
        let name = tree.children(*node).find(|part| tree.node(*part).is_named);
        roles.parameters.contains(&tree.node(*node).kind)
            && name.is_some_and(|name| document.slice(name) == document.slice(subject))
    })?;
    let bound = match child(document, parameter, roles.bounds) {
        None => document.slice(bounds).to_vec(),
        Some(_) => [
            b"+",
            document
                .slice(bounds)
                .trim_ascii_start()
                .strip_prefix(b":")?,
        ]
        .concat(),
    };
    let end = tree.range(parameter).end;
    // The word before the predicates goes with the last of them.
    let clause = tree.parent(predicate)?;
    let predicates = tree
        .children(clause)
        .filter(|part| tree.node(*part).is_named)
        .count();
    let removal = view.removal(if predicates == 1 { clause } else { predicate })?;
    Some(vec![Change::Put(end..end, bound.into()), removal])
}

/// The bound of a parameter goes to the one place where the parameter is used.
fn to_use(
    view: &mut View<'_>,
    roles: &BoundRoles,
    parameter: usize,
    bounds: usize,
) -> Option<Vec<Change>> {
    let document = view.document;
    let tree = document.tree();
    let list = tree.parent(parameter)?;
    let around = tree.parent(list)?;
    let name = tree
        .children(parameter)
        .find(|part| tree.node(*part).is_named)?;
    let mut uses = tree.within(around).filter(|leaf| {
        tree.is_leaf(*leaf) && *leaf != name && document.slice(*leaf) == document.slice(name)
    });
    let (only, None) = (uses.next()?, uses.next()) else {
        return None;
    };
    let bound = document
        .slice(bounds)
        .trim_ascii_start()
        .strip_prefix(b":")?
        .trim_ascii_start();
    let with = [roles.anonymous.as_bytes(), b" ", bound].concat();
    let parameters = tree
        .children(list)
        .filter(|part| tree.node(*part).is_named)
        .count();
    let removal = view.removal(if parameters == 1 { list } else { parameter })?;
    Some(vec![Change::Put(tree.range(only), with.into()), removal])
}
