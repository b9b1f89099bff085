//! The same change wherever the same text stands.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::batch::{Batch, Idea, View};
use super::key::Key;
use super::literal::plain_texts;
use super::name::{is_dashed_name, is_name};
use crate::size::{Size, has_more_tokens};
use crate::{Change, Kind};

/// Something smaller in all places of a text that stands in several: a type with its uses, a value that others refer to, a
/// name that cannot be any name. One change alone would make the places differ.
pub(super) fn everywhere(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    if view.detail > 0 || document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    let places = places(view);
    let mut ideas = Vec::new();
    for ((kind, text), ranges) in &places {
        let is_word = is_name(text) || is_dashed_name(text);
        // A change of one place is what other sources try, but for names: they have no smaller ones.
        if ranges.len() < 2 && !is_word {
            continue;
        }
        for with in smaller(view, *kind, text, &places) {
            let changes = ranges.iter().cloned();
            let changes = changes.map(|range| Change::Put(range, with.as_slice().into()));
            ideas.push(Idea {
                key: Key::words(&[&kind.to_le_bytes(), *text, &with]),
                gain: (ranges.len() * text.len().saturating_sub(with.len())) as u64,
                changes: changes.collect(),
            });
        }
    }
    // The search goes from the back, and big ideas come first.
    ideas.sort_by_key(|idea| idea.gain);
    let surplus = ideas.len().saturating_sub(view.tuning.everywhere_ideas);
    vec![view.batch(ideas.split_off(surplus))]
}

type Places<'a> = BTreeMap<(Kind, &'a [u8]), Vec<Range<usize>>>;

/// Where each text of a kind stands. Of nodes in the same place the outermost counts.
fn places<'a>(view: &View<'a>) -> Places<'a> {
    let document = view.document;
    let tree = document.tree();
    let mut places: Places<'a> = BTreeMap::new();
    for number in 1..tree.len() {
        let node = tree.node(number);
        let range = tree.range(number);
        let is_same = tree
            .parent(number)
            .is_some_and(|parent| tree.range(parent) == range);
        if node.is_named && !node.is_extra && !node.is_fault && !range.is_empty() && !is_same {
            places
                .entry((node.kind, document.slice(number)))
                .or_default()
                .push(range);
        }
    }
    for (range, kind) in plain_texts(view) {
        let of_text = places
            .entry((kind, &document.text[range.clone()]))
            .or_default();
        if !of_text.contains(&range) {
            of_text.push(range);
        }
    }
    places
}

/// What could stand in the place of a text: the texts of its kind, a character, and other names of the document.
fn smaller(view: &View<'_>, kind: Kind, text: &[u8], places: &Places<'_>) -> BTreeSet<Vec<u8>> {
    let document = view.document;
    let grammar = &document.grammar;
    let mut found: BTreeSet<Vec<u8>> = BTreeSet::new();
    if is_name(text) || is_dashed_name(text) {
        let others = places.keys().filter(|(other, _)| *other == kind);
        found.extend(others.map(|(_, other)| other.to_vec()));
        let dashes = (1..text.len()).filter(|at| text[*at] == b'-');
        found.extend(dashes.map(|at| text[..at].to_vec()));
        found.retain(|with| with.len() < text.len() && !with.is_empty());
        return found;
    }
    let texts = [grammar.minimal(kind), grammar.preferred(kind)];
    found.extend(
        texts
            .into_iter()
            .flatten()
            .map(|with| with.as_bytes().to_vec()),
    );
    // A value in quotation marks.
    let marks = (text.first(), text.last());
    let content = match marks {
        (Some(b'"' | b'\''), Some(mark)) if text.len() > 1 => vec![*mark, b'0', *mark],
        _ => b"0".to_vec(),
    };
    found.insert(content);
    let smallest = places
        .keys()
        .filter(|(other, _)| grammar.are_exchangeable(kind, *other))
        .map(|(_, other)| Size::of(other))
        .min();
    found.extend(smallest.map(|size| size.text.to_vec()));
    let is_smaller = |with: &Vec<u8>| {
        let with = Size::of(with);
        has_more_tokens(text, with.tokens) || with < Size::of(text)
    };
    found.retain(is_smaller);
    found
}
