use std::collections::VecDeque;
use std::iter::once;
use std::sync::Arc;

use crate::removal::{edit, would_merge};
use crate::{Change, Document, Edit, Grammar};

/// A node and what it takes to leave it out, or to put it in the place of another one.
pub(crate) struct Idea {
    pub node: usize,
    pub changes: Vec<Change>,
}

/// A tree of which nodes were left out. It is not parsed again: what is left is rendered from the text that it was made
/// from, with the absence of each node in its place.
pub(crate) struct Pruning {
    pub document: Document,
    /// The absences of the nodes that are left out, and other changes that were accepted.
    pub accepted: Vec<Change>,
    /// Whether nodes without a valid absence stay.
    valid: bool,
    /// The nodes that are looked at as part of what they fill.
    is_covered: Vec<bool>,
    /// How many nodes before a node could be looked at.
    named: Vec<usize>,
}

impl Pruning {
    pub fn new(text: Arc<[u8]>, grammar: &Arc<dyn Grammar>, valid: bool) -> Pruning {
        let document = Document::new(text, Arc::clone(grammar));
        let tree = document.tree();
        let named = (0..tree.len()).scan(0, |count, node| {
            *count += usize::from(tree.node(node).is_named);
            Some(*count)
        });
        Pruning {
            accepted: Vec::new(),
            valid,
            is_covered: vec![false; tree.len()],
            named: once(0).chain(named).collect(),
            document,
        }
    }

    /// What is left of the text.
    pub fn text(&self) -> Arc<[u8]> {
        self.edit(&[]).apply(&self.document.text).into()
    }

    /// How many nodes these and everything in them are.
    pub fn count(&self, nodes: &[usize]) -> usize {
        let count = |node: &usize| {
            let within = self.document.tree().within(*node);
            self.named[within.end] - self.named[within.start]
        };
        nodes.iter().map(count).sum()
    }

    /// The parts of these nodes, in order.
    pub fn parts(&self, nodes: &[usize]) -> Vec<usize> {
        let tree = self.document.tree();
        nodes.iter().flat_map(|node| tree.children(*node)).collect()
    }

    /// Those of these nodes that can be left out, and what is in their place then. Their parents were asked about
    /// before: of a node and its part that fills it only one is there to be left out.
    pub fn tag(&mut self, nodes: &[usize]) -> Vec<Idea> {
        let mut tagged = Vec::new();
        for node in nodes.iter().copied() {
            if !self.is_covered[node]
                && let Some(absence) = self.absence(node)
            {
                self.cover(node);
                tagged.push(Idea {
                    node,
                    changes: vec![absence],
                });
            }
        }
        tagged
    }

    /// Leaves out some of these nodes, which are given in the same order, and tells which stay.
    pub fn prune<'a>(
        &mut self,
        nodes: &[usize],
        gone: impl IntoIterator<Item = &'a Idea>,
    ) -> Vec<usize> {
        let mut gone = gone.into_iter().peekable();
        let mut kept = nodes.to_vec();
        kept.retain(|node| match gone.next_if(|idea| idea.node == *node) {
            Some(idea) => {
                self.accepted.extend_from_slice(&idea.changes);
                false
            }
            None => true,
        });
        kept
    }

    /// The nearest smaller nodes on each way down from a node that may stand in its place.
    pub fn promotable(&self, whole: usize) -> Vec<Idea> {
        let tree = self.document.tree();
        let size = visible(self.document.slice(whole));
        let outer = tree.range(whole);
        let mut found = Vec::new();
        let mut open: VecDeque<usize> = tree.children(whole).collect();
        while let Some(part) = open.pop_front() {
            let inner = tree.range(part);
            let changes = vec![
                Change::Cut(outer.start..inner.start),
                Change::Cut(inner.end..outer.end),
            ];
            let (kind, other) = (tree.node(whole).kind, tree.node(part).kind);
            let is_candidate = tree.node(part).is_named
                && (1..size).contains(&visible(self.document.slice(part)))
                && self.document.grammar.are_exchangeable(kind, other)
                && (!self.valid || self.allows(&changes));
            if is_candidate {
                found.push(Idea {
                    node: part,
                    changes,
                });
            } else {
                open.extend(tree.children(part));
            }
        }
        found
    }

    /// What stands in the place of a node that is left out: nothing, if the rest still parses, and otherwise the shortest
    /// text of its kind.
    fn absence(&self, node: usize) -> Option<Change> {
        let tree = self.document.tree();
        if !tree.node(node).is_named || visible(self.document.slice(node)) == 0 {
            return None;
        }
        let nothing = [Change::Item(node), Change::Cut(tree.range(node))];
        let absences = nothing.into_iter().chain(self.shortest(node));
        let mut absences = absences.filter(|absence| self.allows(std::slice::from_ref(absence)));
        let absence = absences.next();
        absence.or_else(|| (!self.valid).then_some(Change::Item(node)))
    }

    /// The shortest text of its kind in the place of a node, if that is shorter.
    fn shortest(&self, node: usize) -> Option<Change> {
        let tree = self.document.tree();
        let text = &self.document.text;
        let range = tree.range(node);
        let shortest = self.document.grammar.minimal(tree.node(node).kind)?;
        if visible(shortest.as_bytes()) >= visible(&text[range.clone()]) {
            return None;
        }
        let mut with = shortest.as_bytes().to_vec();
        // A word that takes the place of a bracket must not become one with the word before the bracket.
        if let (Some(last), Some(next)) = (with.last(), text.get(range.end))
            && would_merge(*last, *next)
        {
            with.push(b' ');
        }
        if let (Some(first), Some(previous)) = (with.first(), text[..range.start].last())
            && would_merge(*previous, *first)
        {
            with.insert(0, b' ');
        }
        Some(Change::Put(range, with.into()))
    }

    /// Hides the parts of a node that fill it.
    fn cover(&mut self, node: usize) {
        let tree = self.document.tree();
        let size = visible(self.document.slice(node));
        let mut whole = node;
        while let Some(part) = tree
            .children(whole)
            .find(|part| visible(self.document.slice(*part)) == size)
        {
            self.is_covered[part] = true;
            whole = part;
        }
    }

    /// Whether what is left has no new faults with these changes.
    pub fn allows(&self, changes: &[Change]) -> bool {
        self.document.sound(&self.edit(changes)).is_some()
    }

    fn edit(&self, changes: &[Change]) -> Edit {
        let changes = self.accepted.iter().chain(changes);
        edit(&self.document.text, self.document.tree(), changes)
    }
}

/// How many bytes of a text are not white space. Every step of the search lowers this number, so that it ends.
fn visible(text: &[u8]) -> usize {
    text.iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .count()
}
