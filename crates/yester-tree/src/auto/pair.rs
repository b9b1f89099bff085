//! Two changes that only work together.

use std::collections::BTreeSet;
use std::ops::Range;

use super::batch::{Batch, Idea, Source, View};
use super::hoist::could_replace;
use super::key::Key;
use super::name::{is_name, occurrences, removable};
use super::part::pooled;
use crate::Change;

/// No more pairs than this are looked at for those that parse. It only bounds the time.
const LOOKED_AT: usize = 300;

/// Pairs of changes, in small texts only, and no more than a share of their tokens. Those that are likely to need each
/// other come first.
pub(super) fn pairs(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    if view.detail > 0 || document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    let tokens = document.tree().leaves().count();
    let most = tokens.div_ceil(view.tuning.tokens_for_a_pair);
    let mut batches = Vec::new();
    for pairs in [mentions(view), hoists(view), tokens_apart(view)] {
        let sound = pairs
            .into_iter()
            .take(LOOKED_AT)
            .filter(|idea| !view.valid || document.allows(&idea.changes));
        let mut ideas: Vec<Idea> = sound.take(most).collect();
        // The search goes from the back.
        ideas.reverse();
        pooled(ideas, Source::Pairs, false, &mut batches);
    }
    batches
}

/// What mentions a name in two of its places, such as a member and its value. All places at once are tried elsewhere; this
/// is for different things of the same name.
fn mentions(view: &mut View<'_>) -> Vec<Idea> {
    let tree = view.document.tree();
    let mut seen = BTreeSet::new();
    let mut ideas = Vec::new();
    for (_, leaves) in occurrences(view) {
        if leaves.len() < 3 || leaves.len() > view.tuning.paired_mentions {
            continue;
        }
        let parts: BTreeSet<usize> = leaves
            .into_iter()
            .filter_map(|leaf| removable(view, leaf))
            .collect();
        for one in &parts {
            for other in parts.range(tree.within(*one).end..) {
                if seen.insert((*one, *other))
                    && let (Some(first), Some(second)) = (view.removal(*one), view.removal(*other))
                {
                    ideas.push(pair(tree.range(*one), first, tree.range(*other), second));
                }
            }
        }
    }
    ideas.sort_by_key(|idea| usize::MAX as u64 - idea.gain);
    ideas
}

/// A part in the place of the whole, with a plain value for each name that is lost with the rest.
fn hoists(view: &mut View<'_>) -> Vec<Idea> {
    let document = view.document;
    let tree = document.tree();
    let value: std::sync::Arc<[u8]> = document.grammar.roles().plain_value().as_bytes().into();
    let mut ideas = Vec::new();
    for part in 1..tree.len() {
        let around = std::iter::successors(tree.parent(part), |outer| tree.parent(*outer));
        for outer in around.take(2 * view.tuning.hoist_levels) {
            if !could_replace(view, outer, part) {
                continue;
            }
            let names = |leaf: &usize| tree.is_leaf(*leaf) && is_name(document.slice(*leaf));
            let lost: BTreeSet<&[u8]> = (tree.within(outer))
                .filter(|leaf| names(leaf) && !tree.within(part).contains(leaf))
                .map(|leaf| document.slice(leaf))
                .collect();
            let used = tree
                .within(part)
                .filter(|leaf| names(leaf) && lost.contains(document.slice(*leaf)));
            let values: Vec<Change> = used
                .map(|leaf| Change::Put(tree.range(leaf), std::sync::Arc::clone(&value)))
                .collect();
            if values.is_empty() {
                continue;
            }
            let (whole, inner) = (tree.range(outer), tree.range(part));
            let mut changes = vec![
                Change::Cut(whole.start..inner.start),
                Change::Cut(inner.end..whole.end),
            ];
            changes.extend(values);
            ideas.push(Idea {
                key: Key::words(&[format!("{whole:?}"), format!("{inner:?}")]),
                gain: (whole.len() - inner.len()) as u64,
                changes,
            });
        }
    }
    ideas.sort_by_key(|idea| usize::MAX as u64 - idea.gain);
    ideas
}

/// Two tokens with others between them, near ones first.
fn tokens_apart(view: &View<'_>) -> Vec<Idea> {
    let tree = view.document.tree();
    let ranges: Vec<Range<usize>> = tree
        .leaves()
        .map(|leaf| tree.range(leaf))
        .filter(|range| !range.is_empty())
        .collect();
    let mut ideas = Vec::new();
    for distance in 2..ranges.len() {
        for (one, other) in ranges.iter().zip(&ranges[distance..]) {
            let [first, second] = [one, other].map(|range| Change::Cut(range.clone()));
            ideas.push(pair(one.clone(), first, other.clone(), second));
            if ideas.len() == LOOKED_AT {
                return ideas;
            }
        }
    }
    ideas
}

fn pair(one: Range<usize>, first: Change, other: Range<usize>, second: Change) -> Idea {
    Idea {
        key: Key::words(&[format!("{one:?}"), format!("{other:?}")]),
        gain: (one.len() + other.len()) as u64,
        changes: vec![first, second],
    }
}
