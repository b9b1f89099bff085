//! Ideas that put something smaller in the place of a node.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::batch::{Batch, Idea, View};
use super::key::{Key, What};
use crate::size::{Size, has_more_tokens};
use crate::{Change, Kind};

/// The shortest text of a node's kind, for nodes that cannot be removed.
pub(super) fn shortest(view: &mut View<'_>) -> Vec<Batch> {
    by_kind(view, true, |view, node| shortest_of(view, node, false))
}

/// The same for nodes that can.
pub(super) fn other_shortest(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    by_kind(view, false, |view, node| shortest_of(view, node, true))
}

fn shortest_of(view: &mut View<'_>, node: usize, removable: bool) -> Option<Vec<u8>> {
    let document = view.document;
    if view.detail > 0 && is_stubbed(view, node) {
        return None;
    }
    let kind = document.tree().node(node).kind;
    let text = document.grammar.minimal(kind)?;
    (view.removal(node).is_some() == removable).then(|| text.as_bytes().to_vec())
}

/// A body that any function may have, in the place of the bodies of functions.
pub(super) fn stubs(view: &mut View<'_>) -> Vec<Batch> {
    let stub = view.document.grammar.roles().stub.as_bytes();
    by_kind(view, true, |view, node| {
        is_stubbed(view, node).then(|| stub.to_vec())
    })
}

/// Whether a node is the body of a function that needs more than an empty one.
fn is_stubbed(view: &View<'_>, node: usize) -> bool {
    let tree = view.document.tree();
    let roles = view.document.grammar.roles();
    let is_function = |parent: usize| roles.stubbed.contains(&tree.node(parent).kind);
    roles.bodies.contains(&tree.node(node).kind) && tree.parent(node).is_some_and(is_function)
}

/// A short text that is likely to make sense where the node stands.
pub(super) fn preferred(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    by_kind(view, false, |_, node| {
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
    vec![view.batch(ideas)]
}

/// The smallest texts in the document that could stand in the place of a node.
pub(super) fn similar(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let document = view.document;
    let tree = document.tree();
    let most = if document.text.len() <= view.tuning.small_text {
        view.tuning.similar_texts
    } else {
        1
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
    let replacements: HashMap<Kind, Vec<&[u8]>> =
        texts.keys().map(|kind| (*kind, smallest(*kind))).collect();
    let mut ideas = Vec::new();
    for number in 0..tree.len() {
        let text = document.slice(number);
        let Some(replacements) = replacements.get(&tree.node(number).kind) else {
            continue;
        };
        let is_smaller =
            |with: &Size<'_>| has_more_tokens(text, with.tokens) || *with < Size::of(text);
        for with in replacements
            .iter()
            .filter(|with| is_smaller(&Size::of(with)))
        {
            ideas.push(Idea {
                key: Key::place(tree.range(number), What::Text((*with).into())),
                gain: text.len().saturating_sub(with.len()) as u64,
                changes: vec![Change::Put(tree.range(number), (*with).into())],
            });
        }
    }
    ideas.sort_by_key(|idea| idea.gain);
    vec![view.batch(ideas)]
}

/// Replacements that make a node smaller, a batch for each kind of node, the biggest last since the search goes from
/// the back. Whatever empties bodies of statements mostly works for all of them.
fn by_kind(
    view: &mut View<'_>,
    empties_bodies: bool,
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
        // the text, and an item of a long list is removed rather than replaced.
        let covered = covered.entry(node.kind).or_default();
        if view.detail > 0
            && (range.start < *covered
                || range.len() < view.tuning.replaced_bytes
                || view.is_in_long_list(number))
        {
            continue;
        }
        let text = view.document.slice(number);
        // What has as many tokens as before is left to those who make names and literals shorter.
        let is_smaller = |with: &Vec<u8>| has_more_tokens(text, Size::of(with).tokens);
        let Some(with) = replacement(view, number).filter(is_smaller) else {
            continue;
        };
        if view.tuning.big_part * range.len() < view.document.text.len() {
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
        if ideas.len() >= view.tuning.long_chain {
            batches.push(Batch {
                kind,
                together: true,
                likely: empties_bodies && view.document.grammar.roles().bodies.contains(&kind),
                ..view.batch(ideas)
            });
        } else {
            pool.extend(ideas);
        }
    }
    batches.push(view.batch(pool));
    batches
}
