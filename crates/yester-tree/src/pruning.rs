use std::collections::{HashMap, VecDeque};
use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

use crate::removal::{edit, would_merge};
use crate::{Change, Document, Edit, Grammar, Kind};

/// Up to this size the parser is asked about every node.
const ASKED_EACH: usize = 4096;

/// A node and what it takes to leave it out, or to put it in the place of another one.
pub(crate) struct NodeChange {
    pub node: usize,
    pub changes: Vec<Change>,
}

/// How nothing takes the place of a node.
#[derive(Clone, Copy)]
enum Absence {
    /// The node goes with separators that are not needed any more.
    Item,
    /// Just the node goes.
    Cut,
    /// Not at all: something has to be there.
    Needed,
}

/// A tree of which nodes were removed. It is not parsed again: what is left is rendered from the text that it was made
/// from, with the absence of each node in its place.
pub(crate) struct Pruning {
    pub document: Document,
    /// The absences of the nodes that are removed, and other changes that were accepted.
    pub accepted: Vec<Change>,
    /// Whether nodes without a valid absence stay.
    valid: bool,
    /// The nodes that are looked at as part of what they fill.
    is_covered: Vec<bool>,
    /// How parts of a kind and role are removed from nodes of a kind, as far as it is known.
    absences: HashMap<(Kind, Kind, u16), Absence>,
    /// How big what is left is.
    size: usize,
    /// How many nodes before a node could be looked at.
    named: Vec<usize>,
    /// How many bytes before a byte are not white space. Counted once: the nodes of a deep tree are long texts inside
    /// each other.
    visible: Vec<u32>,
}

impl Pruning {
    pub fn new(text: Arc<[u8]>, grammar: &Arc<dyn Grammar>, valid: bool) -> Pruning {
        let document = Document::new(text, Arc::clone(grammar));
        let tree = document.tree();
        let named = (0..tree.len()).scan(0, |count, node| {
            *count += usize::from(tree.node(node).is_named);
            Some(*count)
        });
        let counts = document.text.iter().scan(0, |count, byte| {
            *count += u32::from(!byte.is_ascii_whitespace());
            Some(*count)
        });
        Pruning {
            accepted: Vec::new(),
            valid,
            absences: HashMap::new(),
            size: document.text.len(),
            is_covered: vec![false; tree.len()],
            named: once(0).chain(named).collect(),
            visible: once(0).chain(counts).collect(),
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

    /// Those of these nodes that can be removed, and what is in their place then. Their parents were asked about
    /// before: of a node and its part that fills it only one is there to be removed.
    pub fn tag(&mut self, nodes: &[usize]) -> Vec<NodeChange> {
        let mut tagged = Vec::new();
        for node in nodes.iter().copied() {
            if !self.is_covered[node]
                && let Some(absence) = self.absence(node)
            {
                self.cover(node);
                tagged.push(NodeChange {
                    node,
                    changes: vec![absence],
                });
            }
        }
        tagged
    }

    /// Removes some of these nodes, which are given in the same order, and tells which stay.
    pub fn prune<'a>(
        &mut self,
        nodes: &[usize],
        gone: impl IntoIterator<Item = &'a NodeChange>,
    ) -> Vec<usize> {
        let mut gone = gone.into_iter().peekable();
        let mut kept = nodes.to_vec();
        let mut changes = Vec::new();
        kept.retain(|node| match gone.next_if(|idea| idea.node == *node) {
            Some(idea) => {
                changes.extend_from_slice(&idea.changes);
                false
            }
            None => true,
        });
        self.accept(&changes);
        kept
    }

    /// Makes some more changes.
    pub fn accept(&mut self, changes: &[Change]) {
        if changes.is_empty() {
            return;
        }
        self.accepted.extend_from_slice(changes);
        let edit = self.edit(&[]);
        let after = edit.apply(&self.document.text);
        self.size = after.len();
        let Document { grammar, parse, .. } = &mut self.document;
        if parse.faults > 0 {
            // Faults that are removed give no room for others.
            parse.faults = parse.faults.min(grammar.faults_after(parse, &edit, &after));
        }
    }

    /// The nearest smaller nodes on each way down from a node that may stand in its place.
    pub fn hoistable(&self, whole: usize) -> Vec<NodeChange> {
        let tree = self.document.tree();
        let size = self.visible(whole);
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
                && (1..size).contains(&self.visible(part))
                && self.document.grammar.are_exchangeable(kind, other)
                && (!self.valid || self.allows(&changes));
            if is_candidate {
                found.push(NodeChange {
                    node: part,
                    changes,
                });
            } else {
                open.extend(tree.children(part));
            }
        }
        found
    }

    /// What stands in the place of a node that is removed: nothing, if it is not needed where it is, and otherwise the
    /// shortest text of its kind.
    fn absence(&mut self, node: usize) -> Option<Change> {
        let tree = self.document.tree();
        if !tree.node(node).is_named || self.visible(node) == 0 {
            return None;
        }
        let range = tree.range(node);
        match self.absence_of(node) {
            Absence::Item => return Some(Change::Item(node)),
            Absence::Cut => return Some(Change::Cut(range)),
            Absence::Needed => {}
        }
        let mut shortest = self.shortest(node);
        shortest.take_if(|absence| !self.allows(std::slice::from_ref(absence)));
        shortest.or_else(|| (!self.valid).then_some(Change::Item(node)))
    }

    /// How nothing takes the place of a node. In a big text this is found out once for each kind of part of each kind of
    /// node, unless the part is needed; in one that is hard to parse it is not found out at all.
    fn absence_of(&mut self, node: usize) -> Absence {
        let tree = self.document.tree();
        let parent = tree.parent(node).unwrap_or(node);
        let part = tree.node(node);
        if self.size >= ASKED_EACH && self.document.parse.is_hard {
            return Absence::Item;
        }
        let class = (tree.node(parent).kind, part.kind, part.field);
        if self.size >= ASKED_EACH
            && let Some(absence) = self.absences.get(&class)
        {
            return *absence;
        }
        let absences = [
            (Absence::Item, Change::Item(node)),
            (Absence::Cut, Change::Cut(tree.range(node))),
        ];
        let mut found = Absence::Needed;
        for (absence, change) in absences {
            let edit = self.edit(&[change]);
            if let Some(after) = self.document.sound(&edit)
                && self.keeps(parent, &edit, &after)
            {
                found = absence;
                self.absences.insert(class, absence);
                break;
            }
        }
        found
    }

    /// Whether a node is still what it was after an edit that removes a part of it. It would be something else when
    /// `a` takes the place of `a + b`.
    fn keeps(&self, node: usize, edit: &Edit, after: &[u8]) -> bool {
        if node == 0 {
            return true;
        }
        let node = self.document.tree().node(node);
        let place = edit.moved(node.start as usize)..edit.moved(node.end as usize);
        let place = trimmed(after, place);
        let tree = self.document.grammar.parse(after).tree;
        (0..tree.len()).any(|other| {
            tree.node(other).kind == node.kind && trimmed(after, tree.range(other)) == place
        })
    }

    /// The shortest text of its kind in the place of a node, if that is shorter.
    fn shortest(&self, node: usize) -> Option<Change> {
        let tree = self.document.tree();
        let text = &self.document.text;
        let range = tree.range(node);
        let shortest = self.document.grammar.minimal(tree.node(node).kind)?;
        if visible(shortest.as_bytes()) >= self.visible(node) {
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
        let size = self.visible(node);
        let mut whole = node;
        while let Some(part) = tree
            .children(whole)
            .find(|part| self.visible(*part) == size)
        {
            self.is_covered[part] = true;
            whole = part;
        }
    }

    /// How many bytes of a node are not white space.
    fn visible(&self, node: usize) -> usize {
        let range = self.document.tree().range(node);
        (self.visible[range.end] - self.visible[range.start]) as usize
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

/// A range of a text without the white space at its ends.
fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let slice = &text[range.clone()];
    let start = range.end - slice.trim_ascii_start().len();
    start..(range.start + slice.trim_ascii_end().len()).max(start)
}
