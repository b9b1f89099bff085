//! Hoisting: a part is put in the place of the whole.

use super::batch::{Batch, Idea, View};
use super::key::{Key, What};
use super::name::occurrences;
use crate::Change;

/// How many nodes are looked at for parts that could stand in the place of a node. It only bounds the time for a node
/// with very many parts.
const LOOKED_AT: usize = 200;

/// The biggest part that could stand in the place of a node, for every node: `(1 + (2))` can become `1 + (2)` and `(2)`.
/// The hoists of nested nodes are a chain, of which any may work.
pub(super) fn hoists(view: &mut View<'_>) -> Vec<Batch> {
    let tree = view.document.tree();
    let mut batches = Vec::new();
    let mut pool = Vec::new();
    let mut is_in_chain = vec![false; tree.len()];
    for node in 0..tree.len() {
        if is_in_chain[node] || tree.range(node).len() < view.detail.max(2) {
            continue;
        }
        let mut chain = Vec::new();
        let mut outer = node;
        while let Some(part) = biggest_inner(view, outer) {
            is_in_chain[part] = true;
            chain.push(hoist(view, outer, part));
            outer = part;
        }
        if chain.len() >= view.tuning.long_chain {
            batches.push(Batch {
                kind: tree.node(node).kind,
                together: true,
                ..view.batch(chain)
            });
        } else {
            pool.extend(chain);
        }
    }
    pool.extend((0..tree.len()).filter_map(|node| without_brackets(view, node)));
    batches.push(view.batch(pool));
    batches
}

/// All other parts that could stand in the place of a node, and parts of parts.
pub(super) fn other_hoists(view: &mut View<'_>) -> Vec<Batch> {
    let mut pool = Vec::new();
    if view.detail == 0 {
        for node in 0..view.document.tree().len() {
            let others = inner(view, node).into_iter().skip(1);
            let deeper = deeper(view, node);
            pool.extend(others.chain(deeper).map(|part| hoist(view, node, part)));
        }
    }
    vec![view.batch(pool)]
}

/// A hoist at every mention of a name at once: `int **f` becomes `int *f` while `f[0]` becomes `f`. A declaration and its
/// uses can become simpler only together.
pub(super) fn hoists_at_mentions(view: &mut View<'_>) -> Vec<Batch> {
    let mut ideas = Vec::new();
    if view.detail > 0 || view.document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    for (_, leaves) in occurrences(view) {
        if leaves.len() < 2 || leaves.len() > view.tuning.few_mentions {
            continue;
        }
        // All choices of one hoist for each mention.
        let mut choices: Vec<Vec<Idea>> = vec![Vec::new()];
        for leaf in leaves {
            let hoists = hoists_around(view, leaf);
            choices = choices
                .iter()
                .flat_map(|chosen| {
                    let with = |hoist: &Idea| [&chosen[..], std::slice::from_ref(hoist)].concat();
                    hoists.iter().map(with).collect::<Vec<_>>()
                })
                .collect();
        }
        ideas.extend(choices.into_iter().map(|chosen| {
            let keys: Vec<String> = chosen
                .iter()
                .map(|idea| format!("{:?}", idea.key))
                .collect();
            Idea {
                key: Key::words(&keys),
                gain: chosen.iter().map(|idea| idea.gain).sum(),
                changes: chosen.into_iter().flat_map(|idea| idea.changes).collect(),
            }
        }));
    }
    vec![view.batch(ideas)]
}

/// The hoists of what is around a mention of a name.
fn hoists_around(view: &View<'_>, leaf: usize) -> Vec<Idea> {
    let tree = view.document.tree();
    let mut hoists = Vec::new();
    let mut part = leaf;
    for _ in 0..view.tuning.hoist_levels {
        let Some(outer) = tree.parent(part) else {
            break;
        };
        if could_replace(view, outer, part) {
            hoists.push(hoist(view, outer, part));
        }
        part = outer;
    }
    hoists
}

/// The brackets around several things go, and these stay.
fn without_brackets(view: &View<'_>, node: usize) -> Option<Idea> {
    let tree = view.document.tree();
    if tree.range(node).len() < view.detail {
        return None;
    }
    let mut children = tree.children(node);
    let first = children.next()?;
    let last = children.last()?;
    let pair = (view.document.slice(first), view.document.slice(last));
    matches!(pair, (b"(", b")") | (b"[", b"]") | (b"{", b"}")).then(|| Idea {
        key: view.key(first),
        gain: 2,
        changes: vec![
            Change::Cut(tree.range(first)),
            Change::Cut(tree.range(last)),
        ],
    })
}

/// Everything around a part of a node goes.
fn hoist(view: &View<'_>, node: usize, part: usize) -> Idea {
    let tree = view.document.tree();
    let (outer, inner) = (tree.range(node), tree.range(part));
    Idea {
        key: Key::place(inner.clone(), What::Around(outer.len() - inner.len())),
        gain: (outer.len() - inner.len()) as u64,
        changes: vec![
            Change::Cut(outer.start..inner.start),
            Change::Cut(inner.end..outer.end),
        ],
    }
}

/// The nearest node on the way down through the biggest parts that could stand in the place of this one.
fn biggest_inner(view: &View<'_>, node: usize) -> Option<usize> {
    let tree = view.document.tree();
    let mut part = node;
    loop {
        let named = tree
            .children(part)
            .filter(|child| tree.node(*child).is_named);
        part = named.max_by_key(|child| (tree.range(*child).len(), usize::MAX - child))?;
        if could_replace(view, node, part) {
            return Some(part);
        }
    }
}

/// Parts of parts that could stand in the place of a node, through its biggest parts.
fn deeper(view: &View<'_>, node: usize) -> Vec<usize> {
    let chain = std::iter::successors(Some(node), |outer| biggest_inner(view, *outer));
    chain
        .skip(2)
        .take(view.tuning.hoist_levels.saturating_sub(1))
        .filter(|part| could_replace(view, node, *part))
        .collect()
}

pub(super) fn could_replace(view: &View<'_>, node: usize, part: usize) -> bool {
    let tree = view.document.tree();
    let (outer, inner) = (tree.node(node), tree.node(part));
    outer.is_named
        && tree.range(part).len() < tree.range(node).len()
        && !inner.is_fault
        && view
            .document
            .grammar
            .are_exchangeable(outer.kind, inner.kind)
}

/// The nearest parts that could stand in the place of a node, the biggest first.
fn inner(view: &View<'_>, node: usize) -> Vec<usize> {
    let tree = view.document.tree();
    let mut found = Vec::new();
    let mut open: Vec<usize> = tree.children(node).collect();
    let mut looked_at = 0;
    while let Some(part) = open.pop()
        && looked_at < LOOKED_AT
    {
        looked_at += 1;
        if tree.node(part).is_named && could_replace(view, node, part) {
            found.push(part);
        } else {
            open.extend(tree.children(part));
        }
    }
    found.sort_by_key(|part| (usize::MAX - tree.range(*part).len(), *part));
    found
}
