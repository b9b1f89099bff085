//! Lists whose items need each other: declarations and what uses them.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::batch::{Batch, Idea, View};
use super::name::is_name;
use crate::{Document, Node};

/// The items of every long list in which some declare what others mention. An item is kept as long as another one needs
/// it, so that every candidate makes sense and a declaration goes with the last of its uses.
pub(super) fn declarations(view: &mut View<'_>) -> Vec<Batch> {
    if view.document.grammar.roles().declarations.is_none() {
        return Vec::new();
    }
    let tree = view.document.tree();
    let mut batches = Vec::new();
    for parent in 0..tree.len() {
        let nodes = items_of(view.document, parent);
        if tree.range(parent).len() < view.detail || nodes.len() < view.tuning.long_list {
            continue;
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut ideas: Vec<Idea> = Vec::new();
        for node in nodes {
            let Some(change) = view.removal(node) else {
                continue;
            };
            let range = tree.range(node);
            let gain = range.len() as u64;
            // Neighbours that are too small to be looked at by themselves yet go together.
            match ideas.pop_if(|last| last.gain < view.detail as u64) {
                Some(last) => {
                    ideas.push(last.joined(range, change, gain));
                    groups.last_mut().expect("one for each idea").push(node);
                }
                None => {
                    ideas.push(Idea {
                        key: view.key(node),
                        changes: vec![change],
                        gain,
                    });
                    groups.push(vec![node]);
                }
            }
        }
        let needs = needs(view.document, &groups);
        if needs.iter().any(|needed| !needed.is_empty()) {
            batches.push(Batch {
                kind: tree.node(parent).kind,
                together: true,
                needs,
                ..view.batch(ideas)
            });
        }
    }
    batches
}

/// The nodes whose items this source is about.
pub(super) fn lists(view: &View<'_>) -> HashSet<usize> {
    let document = view.document;
    if document.grammar.roles().declarations.is_none() {
        return HashSet::new();
    }
    let with_needs = |parent: &usize| {
        let nodes = items_of(document, *parent);
        nodes.len() >= view.tuning.long_list
            && needs(document, &each(nodes))
                .iter()
                .any(|needed| !needed.is_empty())
    };
    (0..document.tree().len()).filter(with_needs).collect()
}

fn each(nodes: Vec<usize>) -> Vec<Vec<usize>> {
    nodes.into_iter().map(|node| vec![node]).collect()
}

fn items_of(document: &Document, parent: usize) -> Vec<usize> {
    let tree = document.tree();
    let is_item = |child: &usize| tree.node(*child).is_named && !tree.node(*child).is_extra;
    tree.children(parent).filter(is_item).collect()
}

/// Which of these groups of nodes each one needs: the first that declares a name which it mentions.
fn needs(document: &Document, groups: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let tree = document.tree();
    let mut declared: HashMap<&[u8], usize> = HashMap::new();
    for (index, nodes) in groups.iter().enumerate() {
        for name in nodes.iter().flat_map(|node| declared_by(document, *node)) {
            declared.entry(name).or_insert(index);
        }
    }
    let mut needs = Vec::new();
    for (index, nodes) in groups.iter().enumerate() {
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let parts = nodes.iter().flat_map(|node| tree.within(*node));
        for part in parts.filter(|part| tree.is_leaf(*part)) {
            if let Some(other) = declared
                .get(document.slice(part))
                .filter(|other| **other != index)
            {
                needed.insert(*other);
            }
        }
        needs.push(needed.into_iter().collect());
    }
    needs
}

/// The names that a node declares for its neighbours.
pub(super) fn declared_by(document: &Document, node: usize) -> Vec<&[u8]> {
    let tree = document.tree();
    let Some(roles) = &document.grammar.roles().declarations else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut open: Vec<usize> = tree.children(node).collect();
    while let Some(part) = open.pop() {
        let Node { kind, field, .. } = *tree.node(part);
        let declares = roles.fields.contains(&field);
        if tree.is_leaf(part) {
            if declares && is_name(document.slice(part)) {
                found.push(document.slice(part));
            }
        } else if declares
            || roles.holding_fields.contains(&field)
            || roles.holding_kinds.contains(&kind)
        {
            open.extend(tree.children(part));
        }
    }
    found
}
