//! Ideas that do without a name by putting something else where it is used.

use std::collections::BTreeSet;

use super::batch::{Batch, Idea, View};
use super::call::in_place;
use super::key::Key;
use super::name::{declaration, occurrences};
use crate::size::{Size, has_more_tokens};
use crate::{Change, Document};

/// The declaration of a name goes, and where the name or the expression around it was used stands something that is in
/// the text anyway: what the name was declared as, or any short text that could stand there.
pub(super) fn inlines(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    if view.detail > 0 || document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    let tree = document.tree();
    let mut ideas = Vec::new();
    for (name, leaves) in occurrences(view) {
        if leaves.len() > view.tuning.few_mentions {
            continue;
        }
        let Some(declared) = declaration(view, leaves[0]) else {
            continue;
        };
        let Some(removal) = view.removal(declared) else {
            continue;
        };
        let inside = tree.within(declared);
        let uses: Vec<usize> = leaves
            .into_iter()
            .filter(|leaf| !inside.contains(leaf))
            .collect();
        if uses.is_empty() {
            continue;
        }
        // The name itself, or what is right around it.
        for level in 0..2 {
            let places: Option<Vec<usize>> = uses
                .iter()
                .map(|leaf| (0..level).try_fold(*leaf, |node, _| tree.parent(node)))
                .collect();
            let Some(places) = places else { continue };
            let own = value(document, declared, name).filter(|_| level == 0);
            let mut texts = texts_for(view, places[0], name);
            texts.retain(|text| Some(*text) != own);
            // The search goes from the back: what it stood for comes first.
            for text in texts.into_iter().chain(own) {
                let with = places.iter().map(|place| {
                    let with = if Some(text) == own {
                        in_place(document, *place, text.to_vec())
                    } else {
                        text.to_vec()
                    };
                    Change::Put(tree.range(*place), with.into())
                });
                ideas.push(Idea {
                    key: Key::words(&[name, text, &[level]]),
                    gain: tree.range(declared).len() as u64,
                    changes: std::iter::once(removal.clone()).chain(with).collect(),
                });
            }
        }
    }
    vec![view.batch(ideas)]
}

/// The value that a declaration gives to a name.
fn value<'a>(document: &'a Document, declared: usize, name: &[u8]) -> Option<&'a [u8]> {
    let tree = document.tree();
    let roles = document.grammar.roles().variables.as_ref()?;
    let part = |node: usize, field: u16| {
        let mut parts = tree.children(node);
        parts.find(|part| tree.node(*part).field == field)
    };
    let variable = tree.within(declared).find(|node| {
        roles.kinds.contains(&tree.node(*node).kind)
            && part(*node, roles.name).is_some_and(|part| document.slice(part) == name)
    })?;
    part(variable, roles.value).map(|value| document.slice(value))
}

/// The smallest texts without this name that could stand in the place of a node.
fn texts_for<'a>(view: &View<'a>, place: usize, name: &[u8]) -> Vec<&'a [u8]> {
    let document = view.document;
    let most = view.tuning.inlined_texts;
    let tree = document.tree();
    let kind = tree.node(place).kind;
    let mut texts: BTreeSet<Size<'a>> = BTreeSet::new();
    // Parts come before wholes, so that most wholes are known to be too big after a glance.
    for number in (0..tree.len()).rev() {
        let node = tree.node(number);
        if !node.is_named || node.is_fault || node.start == node.end {
            continue;
        }
        let biggest = texts.last().filter(|_| texts.len() == most);
        if biggest.is_some_and(|biggest| has_more_tokens(document.slice(number), biggest.tokens)) {
            continue;
        }
        let mentions = |part: usize| tree.is_leaf(part) && document.slice(part) == name;
        if document.grammar.are_exchangeable(kind, node.kind) && !tree.within(number).any(mentions)
        {
            texts.insert(Size::of(document.slice(number)));
            if texts.len() > most {
                texts.pop_last();
            }
        }
    }
    texts.into_iter().map(|size| size.text).collect()
}
