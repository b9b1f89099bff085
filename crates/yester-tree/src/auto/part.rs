//! Ideas that remove something.

use std::collections::{BTreeMap, HashSet};

use super::batch::{Batch, Idea, View};
use super::declaration;
use super::key::{Key, What};
use crate::{Change, Kind};

/// How many groups the comments are tried in before they are tried one by one.
const COMMENT_GROUPS: usize = 4;

/// Comments, and whatever else may stand anywhere: all of them in a few groups, since mostly all can go, and one by one.
/// What the parser could make no sense of may stand anywhere, too, but is no comment.
pub(super) fn comments(view: &mut View<'_>) -> Vec<Batch> {
    let tree = view.document.tree();
    let is_comment = |node: &usize| {
        let node = tree.node(*node);
        node.is_extra && node.is_named && !node.is_fault
    };
    let comments: Vec<usize> = (1..tree.len()).filter(is_comment).collect();
    let idea = |node: usize| Idea {
        key: view.key(node),
        changes: vec![Change::Cut(tree.range(node))],
        gain: tree.range(node).len() as u64,
    };
    let mut batches = Vec::new();
    let several = comments.len() > COMMENT_GROUPS;
    if several {
        let groups = comments.chunks(comments.len().div_ceil(COMMENT_GROUPS));
        let joined = groups.map(|group| {
            let rest = group[1..].iter().map(|node| tree.range(*node));
            rest.fold(idea(group[0]), |before, range| {
                let gain = range.len() as u64;
                before.joined(range.clone(), Change::Cut(range), gain)
            })
        });
        batches.push(Batch {
            together: true,
            likely: true,
            ..view.batch(joined.collect())
        });
    }
    let mut kinds: BTreeMap<Kind, Vec<Idea>> = BTreeMap::new();
    for node in comments {
        if tree.range(node).len() >= view.detail {
            let of_kind = kinds.entry(tree.node(node).kind).or_default();
            of_kind.push(idea(node));
        }
    }
    batches.extend(kinds.into_iter().map(|(kind, ideas)| Batch {
        kind,
        together: !several,
        likely: !several,
        ..view.batch(ideas)
    }));
    batches
}

/// All parts of a kind that play the same role, wherever they are: modifiers, annotations, attributes.
pub(super) fn kinds(view: &mut View<'_>) -> Vec<Batch> {
    let tree = view.document.tree();
    let mut kinds: BTreeMap<(Kind, Kind, u16), Vec<usize>> = BTreeMap::new();
    for number in 1..tree.len() {
        let node = tree.node(number);
        if node.is_named && !node.is_extra && !view.is_in_long_list(number) {
            let parent = tree.node(node.parent as usize).kind;
            kinds
                .entry((parent, node.kind, node.field))
                .or_default()
                .push(number);
        }
    }
    let mut ideas = Vec::new();
    for ((parent, kind, field), nodes) in kinds {
        let gain: usize = nodes.iter().map(|node| tree.range(*node).len()).sum();
        if nodes.len() < view.tuning.examples
            || gain < view.detail
            || view.removal(nodes[0]).is_none()
        {
            continue;
        }
        ideas.push(Idea {
            key: Key::words(&[parent, kind, field].map(u16::to_le_bytes)),
            gain: gain as u64,
            changes: nodes
                .into_iter()
                .filter_map(|node| view.removal(node))
                .collect(),
        });
    }
    ideas.sort_by_key(|idea| idea.gain);
    vec![view.batch(ideas)]
}

/// The parts of every node but the characters of words.
pub(super) fn parts(view: &mut View<'_>) -> Vec<Batch> {
    let lists_with_needs = if view.detail > 0 {
        declaration::lists(view)
    } else {
        HashSet::new()
    };
    let parents = parents(view)
        .filter(|(parent, is_word)| !is_word && !lists_with_needs.contains(parent))
        .map(|(parent, _)| parent);
    let parents = parents.collect();
    parts_of(view, parents)
}

/// The characters of words. There are many of them and most are needed, so they come when nothing else is left that would
/// make the text another one, on which all of them would have to be tried again.
pub(super) fn characters(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let words = parents(view).filter(|(_, is_word)| *is_word);
    let words = words.map(|(word, _)| word).collect();
    parts_of(view, words)
}

/// The nodes that have parts, and whether they are words.
fn parents<'a>(view: &View<'a>) -> impl Iterator<Item = (usize, bool)> + use<'a> {
    let document = view.document;
    let tree = document.tree();
    let inner = (0..tree.len()).filter(|node| !tree.is_leaf(*node));
    inner.map(|node| {
        let is_character = |child: usize| document.grammar.is_character(tree.node(child).kind);
        (node, tree.children(node).next().is_some_and(is_character))
    })
}

/// The parts of these nodes: those of a big list by themselves, the others together with their neighbours.
fn parts_of(view: &mut View<'_>, parents: Vec<usize>) -> Vec<Batch> {
    let tree = view.document.tree();
    let whole = view.document.text.len();
    let mut batches = Vec::new();
    let mut pool = Vec::new();
    for parent in parents {
        let size = tree.range(parent).len();
        if size < view.detail {
            continue;
        }
        let mut ideas: Vec<Idea> = Vec::new();
        let mut run: Option<Idea> = None;
        for child in tree.children(parent) {
            let node = tree.node(child);
            if node.is_extra || !node.is_named || node.start == node.end {
                continue;
            }
            let Some(change) = view.removal(child) else {
                continue;
            };
            // Neighbours that are too small to be looked at by themselves yet go together.
            let range = tree.range(child);
            let idea = match run.take() {
                None => Idea {
                    key: view.key(child),
                    changes: vec![change],
                    gain: range.len() as u64,
                },
                Some(before) => {
                    let gain = range.len() as u64;
                    before.joined(range, change, gain)
                }
            };
            if idea.gain < view.detail as u64 {
                run = Some(idea);
            } else {
                ideas.push(idea);
            }
        }
        ideas.extend(run);
        // The only part of a node goes with the node, which is tried anyway.
        if view.detail > 0 && ideas.len() == 1 && parent > 0 {
            continue;
        }
        let is_big = view.tuning.big_part * size >= whole && whole > view.tuning.small_text / 4;
        if ideas.len() >= view.tuning.long_list || !ideas.is_empty() && is_big {
            batches.push(Batch {
                kind: tree.node(parent).kind,
                together: true,
                ..view.batch(ideas)
            });
        } else {
            pool.extend(ideas);
        }
    }
    batches.push(Batch {
        together: true,
        ..view.batch(pool)
    });
    batches
}

/// Runs of a few tokens, whatever they are part of.
pub(super) fn tokens(view: &mut View<'_>) -> Vec<Batch> {
    let tree = view.document.tree();
    let leaves: Vec<usize> = tree
        .leaves()
        .filter(|leaf| !tree.range(*leaf).is_empty())
        .collect();
    if view.detail > 0 || leaves.len() > view.tuning.many_tokens {
        return Vec::new();
    }
    let mut batches = Vec::new();
    for length in 1..=view.tuning.longest_run {
        let ideas = leaves.windows(length).map(|run| {
            let range = tree.range(run[0]).start..tree.range(run[length - 1]).end;
            Idea {
                key: Key::place(range.clone(), What::Gone),
                gain: range.len() as u64,
                changes: vec![Change::Cut(range)],
            }
        });
        batches.push(view.batch(ideas.collect()));
    }
    batches
}

/// Single lines.
pub(super) fn lines(view: &mut View<'_>) -> Vec<Batch> {
    if view.detail > 0 {
        return Vec::new();
    }
    let text = &view.document.text;
    let mut ideas = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let range = start..start + line.len();
        start = range.end;
        if range.len() == text.len() {
            return Vec::new();
        }
        ideas.push(Idea {
            key: Key::place(range.clone(), What::Gone),
            gain: range.len() as u64,
            changes: vec![Change::Put(range, (&b""[..]).into())],
        });
    }
    vec![view.batch(ideas)]
}
