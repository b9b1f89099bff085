//! Ghassan Misherghi: Hierarchical Delta Debugging. The tree of a text is reduced from its coarsest nodes to its finest.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use yester_core::{Grouping, Lab, Outcome, Phase, Stop, Subset, Tester, ddmin};

use crate::document::{Proposal, Wrap};
use crate::pruning::{NodeChange, Pruning};
use crate::{Change, Grammar};

/// Hierarchical delta debugging.
///
/// A node that is removed is replaced by its absence. That is nothing, also in the place of separators that are not
/// needed any more, if the rest still parses and the node around it is still what it was. Otherwise it is the shortest text
/// of its kind. A node whose absence would not be shorter stays and costs no trial. Neither does a node that fills another
/// one that can be removed, nor a fixed token. In a text of more than 4096 bytes, what is found out about removing a
/// node is believed of all nodes like it.
pub struct Hdd<'a> {
    /// The language of the text.
    pub grammar: Arc<dyn Grammar>,
    /// Whether a candidate with new syntax errors is not even tried.
    pub valid: bool,
    /// Makes candidates of texts.
    pub wrap: Wrap<'a>,
    /// What is done when all levels were gone through.
    pub variant: Variant,
    /// Whether ddmin is given the parts of one node at a time, the biggest node first, and not those of a whole level.
    pub by_branch: bool,
    /// Whether parts are also put in the place of the whole where the grammar allows it.
    pub hoist: bool,
}

/// What is done when all levels were gone through once.
///
/// A text is 1-tree-minimal if it fails and does not fail any more without any single one of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Nothing: HDD. Each level is 1-minimal when it is left, but removing nodes further down may make it possible to
    /// remove one further up: a declaration, for instance, that all uses of are gone. Nobody asks for it again, so the
    /// text need not be 1-tree-minimal.
    Once,
    /// All nodes are tried one by one, as long as that helps: HDD+. The last round was in vain for every node, so the text
    /// is 1-tree-minimal.
    Plus,
    /// All levels are gone through again, as long as that helps: HDD*. The last round was in vain, and ddmin ends with
    /// every single node, so the text is 1-tree-minimal.
    Star,
}

impl Hdd<'_> {
    /// A smaller text that still fails.
    pub fn reduce(&self, lab: &mut dyn Lab, text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        let mut text = text;
        loop {
            let before = Arc::clone(&text);
            text = self.hdd(lab, text)?;
            if self.hoist {
                text = self.hoisting(lab, text)?;
            }
            match self.variant {
                Variant::Once => return Ok(text),
                Variant::Plus => return self.assure(lab, text),
                Variant::Star if text == before => return Ok(text),
                Variant::Star => {}
            }
        }
    }

    /// Whether no single node can be removed from a text that fails.
    pub fn is_one_tree_minimal(&self, lab: &mut dyn Lab, text: Arc<[u8]>) -> Result<bool, Stop> {
        let after = self.one_by_one(lab, Arc::clone(&text))?;
        Ok(after == text)
    }

    /// The algorithm itself: ddmin on each level, from the root to the leaves.
    fn hdd(&self, lab: &mut dyn Lab, text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        let mut pruning = Pruning::new(text, &self.grammar, self.valid);
        if self.by_branch {
            self.branches(lab, &mut pruning)?;
            return Ok(pruning.text());
        }
        let mut level = vec![0];
        while !level.is_empty() {
            let phase = Phase {
                what: "removing nodes of a level",
                deltas: pruning.count(&level),
            };
            let kept = self.minimise(lab, &mut pruning, &level, phase)?;
            level = pruning.parts(&kept);
        }
        Ok(pruning.text())
    }

    /// The same with ddmin on the parts of one node after the other.
    fn branches(&self, lab: &mut dyn Lab, pruning: &mut Pruning) -> Result<(), Stop> {
        let mut parts = vec![0];
        let mut left = pruning.count(&parts);
        let mut open = BinaryHeap::new();
        loop {
            let phase = Phase {
                what: "removing parts of a node",
                deltas: left,
            };
            let kept = self.minimise(lab, pruning, &parts, phase)?;
            left = left + pruning.count(&kept) - pruning.count(&parts);
            let tree = pruning.document.tree();
            open.extend(
                kept.into_iter()
                    .map(|node| (tree.range(node).len(), Reverse(node))),
            );
            let Some((_, Reverse(biggest))) = open.pop() else {
                return Ok(());
            };
            left -= usize::from(tree.node(biggest).is_named);
            parts = pruning.parts(&[biggest]);
        }
    }

    /// Removes as many of these nodes as ddmin can, and tells which stay.
    fn minimise(
        &self,
        lab: &mut dyn Lab,
        pruning: &mut Pruning,
        nodes: &[usize],
        phase: Phase,
    ) -> Result<Vec<usize>, Stop> {
        let tagged = pruning.tag(nodes);
        if tagged.is_empty() {
            return Ok(nodes.to_vec());
        }
        lab.enter(phase);
        let minimal = self.ask(lab, pruning, &tagged, |tester, all| {
            ddmin(tester, &Grouping::flat(all.universe()), all)
        })?;
        let gone = (0..tagged.len()).filter(|index| !minimal.contains(*index));
        Ok(pruning.prune(nodes, gone.map(|index| &tagged[index])))
    }

    /// Tries to remove single nodes, one after the other and breadth first.
    fn one_by_one(&self, lab: &mut dyn Lab, text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        let mut pruning = Pruning::new(text, &self.grammar, self.valid);
        let mut level = vec![0];
        while !level.is_empty() {
            lab.enter(Phase {
                what: "removing single nodes",
                deltas: pruning.count(&level),
            });
            let tagged = pruning.tag(&level);
            let mut rest = &tagged[..];
            while let Some(index) = self.first(lab, &pruning, rest)? {
                level = pruning.prune(&level, [&rest[index]]);
                rest = &rest[index + 1..];
            }
            level = pruning.parts(&level);
        }
        Ok(pruning.text())
    }

    /// HDD+'s second phase.
    fn assure(&self, lab: &mut dyn Lab, mut text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        loop {
            let before = Arc::clone(&text);
            text = self.one_by_one(lab, text)?;
            if self.hoist {
                text = self.hoisting(lab, text)?;
            }
            if text == before {
                return Ok(text);
            }
        }
    }

    /// Puts parts in the place of the whole until none fits any more.
    fn hoisting(&self, lab: &mut dyn Lab, mut text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
        loop {
            let before = Arc::clone(&text);
            let mut pruning = Pruning::new(text, &self.grammar, self.valid);
            let mut open = VecDeque::from([0]);
            while let Some(whole) = open.pop_front() {
                let parts = pruning.hoistable(whole);
                if !parts.is_empty() {
                    lab.enter(Phase {
                        what: "hoisting parts",
                        deltas: open.len() + parts.len(),
                    });
                }
                if let Some(index) = self.first(lab, &pruning, &parts)? {
                    let hoisted = &parts[index];
                    pruning.accept(&hoisted.changes);
                    open.push_front(hoisted.node);
                } else {
                    open.extend(pruning.document.tree().children(whole));
                }
            }
            text = pruning.text();
            if text == before {
                return Ok(text);
            }
        }
    }

    /// The first of these ideas with which the text still fails.
    fn first(
        &self,
        lab: &mut dyn Lab,
        pruning: &Pruning,
        ideas: &[NodeChange],
    ) -> Result<Option<usize>, Stop> {
        self.ask(lab, pruning, ideas, |tester, all| {
            let mut without = (0..ideas.len()).map(|index| all.without(&[index]));
            tester.first(&mut without, Outcome::Fail)
        })
    }

    /// Asks a question about ideas, given a tester and all of them. An idea that is not in a subset is followed.
    fn ask<A>(
        &self,
        lab: &mut dyn Lab,
        pruning: &Pruning,
        ideas: &[NodeChange],
        question: impl FnOnce(&mut dyn Tester, &Subset) -> Result<A, Stop>,
    ) -> Result<A, Stop> {
        let mut changes: Vec<&[Change]> = ideas.iter().map(|idea| &idea.changes[..]).collect();
        // What is accepted is an idea that is in no subset.
        changes.push(&pruning.accepted);
        let proposal = Proposal {
            document: &pruning.document,
            ideas: &changes,
            needs: &[],
            valid: self.valid,
            wrap: self.wrap,
        };
        let all = Subset::full(changes.len()).without(&[ideas.len()]);
        question(&mut *lab.tester(&proposal), &all)
    }
}
