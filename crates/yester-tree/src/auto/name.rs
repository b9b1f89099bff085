//! Ideas about names: what is declared in one place and used in others.

use std::collections::BTreeMap;

use super::batch::{Batch, Idea, View};
use super::key::Key;
use crate::{Change, Kind, Tree};

/// Where each name stands.
pub(super) fn occurrences<'a>(view: &View<'a>) -> BTreeMap<&'a [u8], Vec<usize>> {
    let document = view.document;
    let tree = document.tree();
    let mut names: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for leaf in tree.leaves().filter(|leaf| tree.node(*leaf).is_named) {
        let text = document.slice(leaf);
        if is_name(text) {
            names.entry(text).or_default().push(leaf);
        }
    }
    names
}

pub(super) fn is_name(text: &[u8]) -> bool {
    let is_start = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || *byte == b'$';
    text.first().is_some_and(is_start)
        && text
            .iter()
            .all(|byte| is_start(byte) || byte.is_ascii_digit() || !byte.is_ascii())
}

/// A name as CSS and XML have it, with dashes before or between its words.
pub(super) fn is_dashed_name(text: &[u8]) -> bool {
    let words = text.strip_prefix(b"-").unwrap_or(text);
    let is_number = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    text.contains(&b'-')
        && (words.split(|byte| *byte == b'-').enumerate())
            .all(|(index, word)| is_name(word) || index > 0 && is_number(word))
}

/// Everything that mentions a name goes: each time the smallest part around it that can be removed.
pub(super) fn mentions(view: &mut View<'_>) -> Vec<Batch> {
    let tree = view.document.tree();
    let whole = view.document.text.len();
    let mut ideas = Vec::new();
    for (name, leaves) in occurrences(view) {
        if leaves.len() < 2 || leaves.len() > view.tuning.many_mentions {
            continue;
        }
        let mut parts: Vec<usize> = leaves
            .iter()
            .filter_map(|leaf| removable(view, *leaf))
            .collect();
        parts.dedup();
        let changes: Vec<Change> = parts
            .iter()
            .filter_map(|part| view.removal(*part))
            .collect();
        let gain: usize = parts.iter().map(|part| tree.range(*part).len()).sum();
        if gain >= view.detail && (view.detail == 0 || gain <= whole / 2) {
            ideas.push(Idea {
                key: Key::words(&[name]),
                gain: gain as u64,
                changes,
            });
        }
    }
    // The search goes from the back, and big ideas come first.
    ideas.sort_by_key(|idea| idea.gain);
    vec![view.batch(ideas)]
}

/// The smallest node around this one that can be removed.
pub(super) fn removable(view: &mut View<'_>, leaf: usize) -> Option<usize> {
    let tree = view.document.tree();
    let mut node = leaf;
    loop {
        if tree.node(node).is_named && view.removal(node).is_some() {
            return Some(node);
        }
        node = tree.parent(node)?;
    }
}

/// The same place in every bracketed list that follows a name: a parameter and the arguments for it.
pub(super) fn parameters(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let tree = view.document.tree();
    let mut ideas = Vec::new();
    for (name, leaves) in occurrences(view) {
        let lists: Vec<Vec<usize>> = leaves
            .iter()
            .filter_map(|leaf| list_after(view.document.text.as_ref(), tree, *leaf))
            .map(|list| {
                tree.children(list)
                    .filter(|child| tree.node(*child).is_named)
                    .collect()
            })
            .collect();
        let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
        if lists.len() < 2 {
            continue;
        }
        for place in 0..longest {
            let items: Vec<usize> = lists
                .iter()
                .filter_map(|list| list.get(place).copied())
                .collect();
            ideas.push(Idea {
                key: Key::words(&[name, &place.to_le_bytes()]),
                gain: items
                    .iter()
                    .map(|item| tree.range(*item).len() as u64)
                    .sum(),
                changes: items.into_iter().map(Change::Item).collect(),
            });
        }
    }
    vec![view.batch(ideas)]
}

/// The bracketed list right after a node or after what ends with it.
pub(super) fn list_after(text: &[u8], tree: &Tree, leaf: usize) -> Option<usize> {
    let mut node = leaf;
    let end = tree.node(leaf).end;
    loop {
        let parent = tree.parent(node)?;
        let mut siblings = tree.children(parent).skip_while(|sibling| *sibling <= node);
        if let Some(next) = siblings.next() {
            let is_list = text.get(tree.range(next).start) == Some(&b'(') && !tree.is_leaf(next);
            return is_list.then_some(next);
        }
        if tree.node(parent).end != end {
            return None;
        }
        node = parent;
    }
}

/// One name in the place of another everywhere, without what declared that other one. What else was declared there is
/// not used any more either.
pub(super) fn name_merges(view: &mut View<'_>) -> Vec<Batch> {
    let tree = view.document.tree();
    // A type and a variable of one name are two names here.
    let mut names: BTreeMap<(Kind, &[u8]), Vec<usize>> = BTreeMap::new();
    for (name, leaves) in occurrences(view) {
        for leaf in leaves {
            let kind = tree.node(leaf).kind;
            names.entry((kind, name)).or_default().push(leaf);
        }
    }
    if view.detail > 0 || names.len() > view.tuning.many_names {
        return Vec::new();
    }
    let mut ideas = Vec::new();
    for (name, leaves) in &names {
        let Some(declaration) = declaration(view, leaves[0]) else {
            continue;
        };
        let Some(removal) = view.removal(declaration) else {
            continue;
        };
        let inside = tree.within(declaration);
        let lost = names
            .iter()
            .filter(|(other, leaves)| other != &name && inside.contains(&leaves[0]));
        let orphans: Vec<usize> = lost
            .flat_map(|(_, leaves)| leaves.iter().copied())
            .filter(|leaf| !inside.contains(leaf))
            .collect();
        let mut changes = vec![removal];
        changes.extend(orphans.into_iter().filter_map(|leaf| without(view, leaf)));
        let mut others: Vec<_> = names
            .iter()
            .filter(|(other, _)| other != &name && other.0 == name.0)
            .collect();
        others.sort_by_key(|(_, at)| at.iter().map(|at| at.abs_diff(leaves[0])).min());
        others.truncate(view.tuning.merged_names);
        for ((kind, other), _) in others {
            let renamed = leaves
                .iter()
                .filter(|leaf| !inside.contains(leaf))
                .map(|leaf| Change::Put(tree.range(*leaf), (*other).into()));
            ideas.push(Idea {
                key: Key::words(&[&kind.to_le_bytes(), name.1, other]),
                gain: tree.range(declaration).len() as u64,
                changes: changes.iter().cloned().chain(renamed).collect(),
            });
        }
    }
    vec![view.batch(ideas)]
}

/// The statement, member or parameter around a name that can be removed: the nearest node that plays no special role for
/// its parent.
pub(super) fn declaration(view: &mut View<'_>, leaf: usize) -> Option<usize> {
    let tree = view.document.tree();
    let mut node = tree.parent(leaf)?;
    loop {
        let is_member = tree.node(node).is_named && tree.node(node).field == 0;
        if is_member && view.removal(node).is_some() {
            return Some(node);
        }
        node = tree.parent(node)?;
    }
}

/// What is around a name does without it: `a->b` becomes `a`, and where nothing is left to stand there, it goes.
fn without(view: &mut View<'_>, leaf: usize) -> Option<Change> {
    let document = view.document;
    let tree = document.tree();
    let mut node = leaf;
    let parent = loop {
        let parent = tree.parent(node)?;
        if tree.range(parent) != tree.range(node) {
            break parent;
        }
        node = parent;
    };
    let kind = tree.node(parent).kind;
    let rest = tree
        .children(parent)
        .filter(|child| *child != node && tree.node(*child).is_named)
        .filter(|child| {
            document
                .grammar
                .are_exchangeable(kind, tree.node(*child).kind)
        })
        .max_by_key(|child| tree.range(*child).len());
    if let Some(rest) = rest {
        return Some(Change::Put(tree.range(parent), document.slice(rest).into()));
    }
    let whole = removable(view, leaf)?;
    view.removal(whole)
}
