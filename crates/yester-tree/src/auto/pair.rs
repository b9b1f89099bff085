//! Two changes that only work together.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::batch::{Batch, Idea, View};
use super::hoist::could_replace;
use super::key::{Key, What};
use super::name::{declaration, occurrences, removable};
use crate::Change;

/// No more pairs than this are looked at for those that parse. It only bounds the time.
const LOOKED_AT: usize = 300;

/// Pairs of changes, in small texts only, and of each sort no more than a share of their tokens. Those that are likely to
/// need each other come first.
pub(super) fn pairs(view: &mut View<'_>) -> Vec<Batch> {
    let document = view.document;
    if view.detail > 0 || document.text.len() > view.tuning.small_text {
        return Vec::new();
    }
    let tokens = document.tree().leaves().count();
    let most = tokens.div_ceil(view.tuning.tokens_for_a_pair);
    let mut batches = Vec::new();
    let sorts = [
        mentions(view),
        orphans(view),
        hoists(view),
        tokens_apart(view),
    ];
    for pairs in sorts {
        let sound = pairs
            .into_iter()
            .take(LOOKED_AT)
            .filter(|idea| !view.valid || document.allows(&idea.changes));
        let mut ideas: Vec<Idea> = sound.take(most).collect();
        // The search goes from the back.
        ideas.reverse();
        batches.push(view.batch(ideas));
    }
    batches
}

/// A part or all mentions of a name, together with whatever else is not mentioned anywhere then: a variable without its
/// last use may be an error.
fn orphans(view: &mut View<'_>) -> Vec<Idea> {
    let tree = view.document.tree();
    let names = occurrences(view);
    let mut ideas = Vec::new();
    for (name, leaves) in &names {
        let parts = leaves.iter().filter_map(|leaf| removable(view, *leaf));
        let parts: BTreeSet<usize> = parts.collect();
        if let Some(changes) = with_orphans(view, &names, &parts) {
            ideas.push((Key::words(&[name]), parts, changes));
        }
    }
    for part in 1..tree.len() {
        let node = tree.node(part);
        if node.is_named && !node.is_extra && view.removal(part).is_some() {
            let parts = BTreeSet::from([part]);
            if let Some(changes) = with_orphans(view, &names, &parts) {
                ideas.push((view.key(part), parts, changes));
            }
        }
    }
    let ideas = ideas.into_iter().map(|(key, parts, changes)| Idea {
        key,
        gain: (parts.iter())
            .map(|part| tree.range(*part).len() as u64)
            .sum(),
        changes,
    });
    // What most of the text goes with hardly ever goes.
    let whole = view.document.text.len() as u64;
    fewest_changes_first(ideas.filter(|idea| 2 * idea.gain <= whole).collect())
}

/// The fewer things change, the likelier it is that nothing else has to.
fn fewest_changes_first(mut ideas: Vec<Idea>) -> Vec<Idea> {
    ideas.sort_by_key(|idea| (idea.changes.len(), u64::MAX - idea.gain));
    ideas
}

/// The removal of these parts and of what they leave without a use, if there is something of that kind.
fn with_orphans(
    view: &mut View<'_>,
    names: &BTreeMap<&[u8], Vec<usize>>,
    parts: &BTreeSet<usize>,
) -> Option<Vec<Change>> {
    let tree = view.document.tree();
    let is_gone = |leaf: usize| parts.iter().any(|part| tree.within(*part).contains(&leaf));
    let orphans = orphans_of(view, names, is_gone)?;
    let mut gone: BTreeSet<usize> = parts.clone();
    gone.extend(&orphans);
    let changes = gone.into_iter().map(|part| view.removal(part));
    changes
        .collect::<Option<_>>()
        .filter(|_| !orphans.is_empty())
}

/// What is to be removed since it has the last mention of something, when these leaves are gone.
fn orphans_of(
    view: &mut View<'_>,
    names: &BTreeMap<&[u8], Vec<usize>>,
    is_gone: impl Fn(usize) -> bool,
) -> Option<BTreeSet<usize>> {
    let tree = view.document.tree();
    let mut orphans: BTreeSet<usize> = BTreeSet::new();
    loop {
        let is_left = |leaf: &usize| {
            !is_gone(*leaf) && !orphans.iter().any(|part| tree.within(*part).contains(leaf))
        };
        let orphan = names.values().find_map(|leaves| {
            let mut left = leaves.iter().copied().filter(is_left);
            match (left.next(), left.next()) {
                (Some(only), None) if leaves.len() > 1 => Some(only),
                _ => None,
            }
        });
        let Some(orphan) = orphan else {
            return Some(orphans);
        };
        orphans.insert(declaration(view, orphan)?);
    }
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
                    let [kind, other_kind] = [one, other].map(|part| tree.node(*part).kind);
                    let idea = pair(tree.range(*one), first, tree.range(*other), second);
                    ideas.push((kind == other_kind, idea));
                }
            }
        }
    }
    // A declaration and a use are likelier to belong together than two of a kind, and small things than whole functions.
    ideas.sort_by_key(|(is_alike, idea)| (*is_alike, idea.gain));
    ideas.into_iter().map(|(_, idea)| idea).collect()
}

/// A part in the place of the whole. Names that were declared in the rest become a plain value, and what is not mentioned
/// any more goes.
fn hoists(view: &mut View<'_>) -> Vec<Idea> {
    let document = view.document;
    let tree = document.tree();
    let value: Arc<[u8]> = document.grammar.roles().plain_value().as_bytes().into();
    let names = occurrences(view);
    let mut ideas = Vec::new();
    for part in 1..tree.len() {
        let around = std::iter::successors(tree.parent(part), |outer| tree.parent(*outer));
        for outer in around.take(2 * view.tuning.hoist_levels) {
            if !could_replace(view, outer, part) {
                continue;
            }
            let is_gone = |leaf: usize| {
                tree.within(outer).contains(&leaf) && !tree.within(part).contains(&leaf)
            };
            let lost = names.values().filter(|leaves| is_gone(leaves[0]));
            let used = lost.flatten().filter(|leaf| !is_gone(**leaf));
            let mut changes: Vec<Change> = used
                .map(|leaf| Change::Put(tree.range(*leaf), Arc::clone(&value)))
                .collect();
            let orphans = orphans_of(view, &names, is_gone).unwrap_or_default();
            // What is around the hoisted part stays.
            let orphans = orphans
                .into_iter()
                .filter(|orphan| !tree.within(*orphan).contains(&part));
            changes.extend(orphans.filter_map(|orphan| view.removal(orphan)));
            if changes.is_empty() {
                continue;
            }
            let (whole, inner) = (tree.range(outer), tree.range(part));
            changes.push(Change::Cut(whole.start..inner.start));
            changes.push(Change::Cut(inner.end..whole.end));
            ideas.push(Idea {
                key: Key::place(inner.clone(), What::Around(whole.len() - inner.len())),
                gain: (whole.len() - inner.len()) as u64,
                changes,
            });
        }
    }
    // The more of the whole is kept, the likelier it is that the rest is not needed.
    ideas.sort_by_key(|idea| idea.gain);
    ideas
}

/// Two tokens with a name or a value between them, near ones first. Others are tried as a run.
fn tokens_apart(view: &mut View<'_>) -> Vec<Idea> {
    let tree = view.document.tree();
    let leaves: Vec<usize> = (tree.leaves())
        .filter(|leaf| !tree.range(*leaf).is_empty())
        .collect();
    let mut ideas = Vec::new();
    for distance in 2..leaves.len() {
        for run in leaves.windows(distance + 1) {
            let (one, other) = (run[0], run[distance]);
            if !run[1..distance]
                .iter()
                .any(|leaf| tree.node(*leaf).is_named)
            {
                continue;
            }
            let [first, second] = [one, other].map(|leaf| {
                let removal = view.removal(leaf).filter(|_| tree.node(leaf).is_named);
                removal.unwrap_or_else(|| Change::Cut(tree.range(leaf)))
            });
            ideas.push(pair(tree.range(one), first, tree.range(other), second));
            if ideas.len() == LOOKED_AT {
                return ideas;
            }
        }
    }
    ideas
}

fn pair(one: Range<usize>, first: Change, other: Range<usize>, second: Change) -> Idea {
    Idea {
        key: Key::place(
            one.start..other.end,
            What::Pair {
                first: one.len(),
                second: other.len(),
            },
        ),
        gain: (one.len() + other.len()) as u64,
        changes: vec![first, second],
    }
}
