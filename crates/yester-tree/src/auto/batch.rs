use std::collections::HashMap;
use std::ops::Range;

use crate::document::Document;
use crate::{Change, Kind};

use super::key::{Key, What};
use super::source::Source;
use super::tuning::ReduceTuning;

/// Stands for several kinds of nodes.
pub(super) const SEVERAL_KINDS: Kind = Kind::MAX - 1;

/// A few changes that belong together.
#[derive(Clone, Debug)]
pub(super) struct Idea {
    pub key: Key,
    pub changes: Vec<Change>,
    /// How many bytes would go.
    pub gain: u64,
}

impl Idea {
    /// The same for one more node, which comes after what it was about.
    pub fn joined(self, range: Range<usize>, change: Change, gain: u64) -> Idea {
        let start = match self.key {
            Key::Place { start, .. } => start as usize,
            Key::Words(_) => range.start,
        };
        let mut changes = self.changes;
        changes.push(change);
        Idea {
            key: Key::place(start..range.end, What::Several),
            changes,
            gain: self.gain + gain,
        }
    }
}

/// Ideas that are tried together.
#[derive(Debug)]
pub(super) struct Batch {
    pub source: &'static Source,
    /// The kind of node that they are about, or [`SEVERAL_KINDS`].
    pub kind: Kind,
    pub ideas: Vec<Idea>,
    /// Whether following all of them at once makes sense.
    pub together: bool,
    /// Whether most of them are expected to work.
    pub likely: bool,
    /// For each idea the ideas that have to be rejected with it. Empty if no idea needs another one.
    pub needs: Vec<Vec<usize>>,
}

impl Batch {
    /// What each idea changes.
    pub fn changes(&self) -> Vec<&[Change]> {
        self.ideas.iter().map(|idea| &idea.changes[..]).collect()
    }
}

/// What a source looks at.
pub(super) struct View<'a> {
    pub source: &'static Source,
    pub document: &'a Document,
    /// Whether candidates with new syntax errors are not tried.
    pub valid: bool,
    /// Nodes with fewer bytes are not looked at yet.
    pub detail: usize,
    /// What was found out about removing a child of a kind, from one document to the next.
    pub removal_modes: &'a mut RemovalModes,
    /// The numbers of the search.
    pub tuning: &'a ReduceTuning,
}

/// What was found out about removing nodes.
#[derive(Default)]
pub(super) struct RemovalModes {
    /// How children can be removed, by the kind of their parent, their own kind and their field, and from how many
    /// examples that is known.
    by_kind: HashMap<(Kind, Kind, u16), (RemovalMode, usize)>,
    /// The same for single nodes of the present document.
    by_node: HashMap<usize, RemovalMode>,
}

impl RemovalModes {
    /// Forgets what holds for the nodes of one document only.
    pub fn forget_nodes(&mut self) {
        self.by_node.clear();
    }
}

/// How a node can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemovalMode {
    /// With separators that are not needed any more.
    Item,
    /// Just its text, and the white space that goes with it.
    Cut,
    /// Just its text.
    Exact,
    /// Not at all.
    Never,
}

impl View<'_> {
    /// A batch of small ideas from everywhere.
    pub fn batch(&self, ideas: Vec<Idea>) -> Batch {
        Batch {
            source: self.source,
            kind: SEVERAL_KINDS,
            ideas,
            together: false,
            likely: false,
            needs: Vec::new(),
        }
    }

    /// The key of an idea about a node.
    pub fn key(&self, node: usize) -> Key {
        let tree = self.document.tree();
        let range = tree.range(node);
        let kind = tree.node(node).kind;
        let around = std::iter::successors(tree.parent(node), |outer| tree.parent(*outer));
        let level = around
            .take_while(|outer| tree.range(*outer) == range)
            .filter(|outer| tree.node(*outer).kind == kind)
            .count();
        Key::place(range, What::Node { kind, level })
    }

    /// How a node can be removed. In a text that is big or hard to parse this is found out once for each kind of child of
    /// each kind of node, in others for each node.
    pub fn removal_mode(&mut self, node: usize) -> RemovalMode {
        let tree = self.document.tree();
        if !self.document.grammar.is_strict() && self.touches_next(node) {
            return RemovalMode::Exact;
        }
        if !self.valid {
            return RemovalMode::Item;
        }
        let Some(parent) = tree.parent(node) else {
            return RemovalMode::Never;
        };
        let class = (
            tree.node(parent).kind,
            tree.node(node).kind,
            tree.node(node).field,
        );
        let known = self.removal_modes.by_kind.get(&class).copied();
        if (tree.len() >= self.tuning.small_tree || self.document.parse.is_hard)
            && let Some((mode, seen)) = known
            && (mode != RemovalMode::Never || seen >= self.tuning.examples)
        {
            return mode;
        }
        if let Some(mode) = self.removal_modes.by_node.get(&node) {
            return *mode;
        }
        let mode = if self.document.allows(&[Change::Item(node)]) {
            RemovalMode::Item
        } else if self.document.allows(&[Change::Cut(tree.range(node))]) {
            RemovalMode::Cut
        } else {
            RemovalMode::Never
        };
        let seen = known.map_or(0, |(_, seen)| seen).saturating_add(1);
        self.removal_modes.by_kind.insert(class, (mode, seen));
        self.removal_modes.by_node.insert(node, mode);
        mode
    }

    /// Whether there is nothing between a node and the next one, as between characters or lines.
    fn touches_next(&self, node: usize) -> bool {
        let tree = self.document.tree();
        let node = tree.node(node);
        let next = node.after as usize;
        next < tree.len() && tree.node(next).is_named && tree.node(next).start == node.end
    }

    /// Whether a node has many siblings.
    pub fn is_in_long_list(&self, node: usize) -> bool {
        let tree = self.document.tree();
        let siblings = tree.parent(node).map(|parent| tree.children(parent));
        siblings.is_some_and(|siblings| {
            siblings
                .filter(|child| tree.node(*child).is_named)
                .nth(self.tuning.long_list)
                .is_some()
        })
    }

    /// The change that removes a node.
    pub fn removal(&mut self, node: usize) -> Option<Change> {
        match self.removal_mode(node) {
            RemovalMode::Item => Some(Change::Item(node)),
            RemovalMode::Cut => Some(Change::Cut(self.document.tree().range(node))),
            RemovalMode::Exact => {
                let nothing: &[u8] = b"";
                Some(Change::Put(
                    self.document.tree().range(node),
                    nothing.into(),
                ))
            }
            RemovalMode::Never => None,
        }
    }
}
