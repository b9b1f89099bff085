//! Ideas that put something smaller in the place of a node.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::batch::{Batch, Idea, Source, View};
use super::key::{Key, What};
use super::parts::pooled;
use crate::size::{Size, has_more_tokens};
use crate::{Change, Kind};

/// Smaller nodes are not replaced as long as only big things are looked at.
const RATHER_BIG: usize = 64;
/// A node with a bigger share of the text than one of so many is hardly ever replaced as a whole.
const MOST: usize = 4;
/// A chain of shells with at least this many is a batch of its own.
const LONG_CHAIN: usize = 4;

/// A node's shell is what is around a part of it that could stand in its place: `(1 + (2))` has the shells `(…)` and
/// `1 + (…)`. The shells of nested nodes are a chain, of which any may go.
///
/// With rank 0 the part is the biggest one, with rank 1 all others are tried.
pub(super) fn shells(view: &mut View<'_>, rank: usize) -> Vec<Batch> {
    let tree = view.document.tree();
    let mut batches = Vec::new();
    let mut pool = Vec::new();
    if rank > 0 {
        if view.detail == 0 {
            for node in 0..tree.len() {
                let others = inner(view, node).into_iter().skip(1);
                let deeper = deeper(view, node);
                pool.extend(others.chain(deeper).map(|part| shell(view, node, part)));
            }
        }
        pooled(pool, Source::OtherShells, false, &mut batches);
        return batches;
    }
    let mut is_in_chain = vec![false; tree.len()];
    for node in 0..tree.len() {
        if is_in_chain[node] || tree.range(node).len() < view.detail.max(2) {
            continue;
        }
        let mut chain = Vec::new();
        let mut outer = node;
        while let Some(part) = biggest_inner(view, outer) {
            is_in_chain[part] = true;
            chain.push(shell(view, outer, part));
            outer = part;
        }
        if chain.len() >= LONG_CHAIN {
            batches.push(Batch {
                source: Source::Shells,
                kind: tree.node(node).kind,
                ideas: chain,
                together: true,
                needs: Vec::new(),
                likely: false,
            });
        } else {
            pool.extend(chain);
        }
    }
    pool.extend((0..tree.len()).filter_map(|node| brackets(view, node)));
    pooled(pool, Source::Shells, false, &mut batches);
    batches
}

/// The brackets around several things go, and these stay.
fn brackets(view: &View<'_>, node: usize) -> Option<Idea> {
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

pub(super) fn shell(view: &View<'_>, node: usize, part: usize) -> Idea {
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

/// How many shells go at once at most.
const SHELLS: usize = 4;

/// Parts of parts that could stand in the place of a node, through its biggest parts.
fn deeper(view: &View<'_>, node: usize) -> Vec<usize> {
    let chain = std::iter::successors(Some(node), |outer| biggest_inner(view, *outer));
    chain
        .skip(2)
        .take(SHELLS - 1)
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

/// How many nodes are looked at for parts that could stand in the place of a node.
const LOOKED_AT: usize = 200;

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

/// The shortest text of a node's kind, for nodes that could be left out or for those that could not.
pub(super) fn shortest(view: &mut View<'_>, removable: bool) -> Vec<Batch> {
    let document = view.document;
    let source = match removable {
        false => Source::Shortest,
        true if view.detail > 0 => return Vec::new(),
        true => Source::OtherShortest,
    };
    by_kind(view, source, |view, node| {
        let kind = document.tree().node(node).kind;
        let text = document.grammar.minimal(kind)?;
        (view.removal(node).is_some() == removable).then(|| text.as_bytes().to_vec())
    })
}

/// A short text that is likely to make sense where the node stands.
pub(super) fn preferred(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    by_kind(view, Source::Preferred, |_, node| {
        let kind = document.tree().node(node).kind;
        let text = document.grammar.preferred(kind)?;
        Some(text.as_bytes().to_vec())
    })
}

/// A shorter text of as many tokens. Once `pass` stands in the place of `return`, what is around it need not be in a
/// function.
pub(super) fn shorter(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let document = view.document;
    let tree = document.tree();
    let mut ideas = Vec::new();
    for number in (0..tree.len()).filter(|number| !tree.is_leaf(*number)) {
        let kind = tree.node(number).kind;
        let size = Size::of(document.slice(number));
        let texts = [
            document.grammar.minimal(kind),
            document.grammar.preferred(kind),
        ];
        for text in texts.into_iter().flatten().map(str::as_bytes) {
            if text.len() < size.bytes && Size::of(text).tokens == size.tokens {
                ideas.push(Idea {
                    key: Key::place(tree.range(number), What::Text(text.into())),
                    gain: (size.bytes - text.len()) as u64,
                    changes: vec![Change::Put(tree.range(number), text.into())],
                });
            }
        }
    }
    let mut batches = Vec::new();
    pooled(ideas, Source::Shorter, false, &mut batches);
    batches
}

/// How many texts are tried in the place of a node of a small text.
const TWINS: usize = 3;
/// A text with more bytes is not small.
const SMALL: usize = 1000;

/// The smallest texts in the document that could stand in the place of a node.
pub(super) fn twins(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let document = view.document;
    let tree = document.tree();
    let most = if document.text.len() > SMALL {
        1
    } else {
        TWINS
    };
    let mut texts: BTreeMap<Kind, BTreeSet<Size<'_>>> = BTreeMap::new();
    // Parts come before wholes, so that most wholes are known to be too big after a glance.
    for number in (0..tree.len()).rev() {
        let node = tree.node(number);
        if node.is_named && !node.is_extra && !node.is_fault && node.start < node.end {
            let of_kind = texts.entry(node.kind).or_default();
            let text = document.slice(number);
            let biggest = of_kind.last().filter(|_| of_kind.len() == most);
            if biggest.is_some_and(|biggest| has_more_tokens(text, biggest.tokens)) {
                continue;
            }
            of_kind.insert(Size::of(text));
            if of_kind.len() > most {
                of_kind.pop_last();
            }
        }
    }
    let smallest = |kind: Kind| {
        let similar = texts
            .iter()
            .filter(|(other, _)| document.grammar.are_exchangeable(kind, **other))
            .flat_map(|(_, texts)| texts.iter().cloned());
        let similar: BTreeSet<Size<'_>> = similar.collect();
        similar
            .into_iter()
            .take(most)
            .map(|size| size.text)
            .collect()
    };
    let twins: HashMap<Kind, Vec<&[u8]>> =
        texts.keys().map(|kind| (*kind, smallest(*kind))).collect();
    let mut ideas = Vec::new();
    for number in 0..tree.len() {
        let text = document.slice(number);
        let Some(twins) = twins.get(&tree.node(number).kind) else {
            continue;
        };
        let is_smaller =
            |twin: &Size<'_>| has_more_tokens(text, twin.tokens) || *twin < Size::of(text);
        for twin in twins.iter().filter(|twin| is_smaller(&Size::of(twin))) {
            ideas.push(Idea {
                key: Key::place(tree.range(number), What::Text((*twin).into())),
                gain: text.len().saturating_sub(twin.len()) as u64,
                changes: vec![Change::Put(tree.range(number), (*twin).into())],
            });
        }
    }
    ideas.sort_by_key(|idea| idea.gain);
    let mut batches = Vec::new();
    pooled(ideas, Source::Twins, false, &mut batches);
    batches
}

/// Replacements that make a node smaller, a batch for each kind of node, the biggest last since the search goes from
/// the back.
fn by_kind(
    view: &mut View<'_>,
    source: Source,
    replacement: impl Fn(&mut View<'_>, usize) -> Option<Vec<u8>>,
) -> Vec<Batch> {
    let tree = view.document.tree();
    let mut kinds: BTreeMap<Kind, Vec<Idea>> = BTreeMap::new();
    let mut covered: HashMap<Kind, usize> = HashMap::new();
    for number in 0..tree.len() {
        let node = tree.node(number);
        let range = tree.range(number);
        if !node.is_named || node.is_extra || range.is_empty() {
            continue;
        }
        // As long as only big things are looked at, nodes of a kind inside each other are one unless that is most of
        // the text, and an item of a long list is left out rather than replaced.
        let covered = covered.entry(node.kind).or_default();
        if view.detail > 0
            && (range.start < *covered || range.len() < RATHER_BIG || view.is_in_long_list(number))
        {
            continue;
        }
        let text = view.document.slice(number);
        // What has as many tokens as before is left to those who make names and literals shorter.
        let is_smaller = |with: &Vec<u8>| has_more_tokens(text, Size::of(with).tokens);
        let Some(with) = replacement(view, number).filter(is_smaller) else {
            continue;
        };
        if MOST * range.len() < view.document.text.len() {
            *covered = range.end;
        }
        let ideas = kinds.entry(node.kind).or_default();
        let gain = range.len().saturating_sub(with.len()) as u64;
        let change = Change::Put(range.clone(), with.into());
        match ideas.pop_if(|last| last.gain < view.detail as u64) {
            Some(last) => ideas.push(last.joined(range, change, gain)),
            None => ideas.push(Idea {
                key: view.key(number),
                changes: vec![change],
                gain,
            }),
        }
    }
    let mut batches = Vec::new();
    let mut pool = Vec::new();
    for (kind, mut ideas) in kinds {
        ideas.retain(|idea| idea.gain >= view.detail as u64);
        if view.detail == 0 {
            ideas.sort_by_key(|idea| idea.gain);
        }
        if ideas.len() >= LONG_CHAIN {
            batches.push(Batch {
                source,
                kind,
                ideas,
                together: true,
                needs: Vec::new(),
                likely: source == Source::Shortest
                    && view.document.grammar.roles().bodies.contains(&kind),
            });
        } else {
            pool.extend(ideas);
        }
    }
    pooled(pool, source, false, &mut batches);
    batches
}
