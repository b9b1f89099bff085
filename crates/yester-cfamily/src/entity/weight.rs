use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::reach::Node;
use super::{Entities, Name, Needed, Part, Standing, Want};

/// How many parts are weighed exactly, and for how many items in all.
const WEIGHED: usize = 96;
const WEIGHED_ITEMS: usize = 4_000_000;

/// Parts of a text that can be tried to go together.
#[derive(Clone, Debug)]
pub(crate) struct Idea {
    pub parts: Vec<Part>,
    /// How many bytes go with them.
    pub bytes: usize,
    pub sort: Sort,
}

/// What becomes of the rest when a part goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sort {
    /// All that is in an item: it becomes empty.
    Inside(usize),
    /// All in namespaces of a name.
    Space,
    /// Nothing mentions it: a statement, a body, an operator, a specialisation.
    Unmentioned,
    /// Something mentions it, or something else of its name.
    Member,
    /// Something mentions it, which may be an error then.
    Mentioned,
}

impl Entities {
    /// The ideas with which most goes, by a rank that the caller gives.
    pub(crate) fn ideas(
        &self,
        want: &Want,
        is_open: impl Fn(&Idea) -> bool,
        rank: impl Fn(&Idea) -> u64,
    ) -> Vec<Idea> {
        let needed = self.needed(want);
        let bytes = self.bytes(&needed);
        let mut ideas = self.estimates(want, &needed);
        ideas.retain(is_open);
        ideas.sort_by_cached_key(|idea| Reverse(rank(idea)));
        ideas.truncate(WEIGHED.min(WEIGHED_ITEMS / self.items.len().max(1)).max(16));
        for idea in &mut ideas {
            idea.bytes = bytes.saturating_sub(self.bytes_without(want, &idea.parts));
        }
        ideas.sort_by_cached_key(|idea| Reverse(rank(idea)));
        ideas
    }

    /// The parts that are needed of what the user wrote, and how long they are without the items in them.
    pub(crate) fn tail(&self, want: &Want) -> Vec<(Part, usize)> {
        let needed = self.needed(&Want {
            everything: false,
            ..want.clone()
        });
        let is_part = |number: &usize| {
            let item = &self.items[*number];
            needed.items[*number]
                && item.range.start >= want.whole_from
                && want.items.first() != Some(number)
                && !matches!(item.standing, Standing::Space | Standing::Directive)
        };
        let parts = (0..self.items.len()).filter(is_part);
        parts
            .map(|number| (Part::Item(number), self.items[number].bytes))
            .collect()
    }

    /// How many bytes are needed when some parts are not wanted either.
    pub(crate) fn bytes_without(&self, want: &Want, parts: &[Part]) -> usize {
        let mut without = want.clone();
        without.unwanted.extend(parts);
        self.bytes(&self.needed(&without))
    }

    /// About how much goes with each part: what it dominates in the graph of needs.
    fn estimates(&self, want: &Want, needed: &Needed) -> Vec<Idea> {
        let graph = Graph::new(self, want, needed);
        let mut dominated = graph.dominated(|node| match node {
            Node::Item(item) => self.items[item].bytes,
            Node::Reference(_) => 0,
        });
        // What is in an item goes with it in any case.
        let mut inner = vec![0; self.items.len()];
        for number in (0..self.items.len())
            .rev()
            .filter(|item| needed.items[*item])
        {
            inner[number] += self.items[number].bytes;
            if let Some(parent) = self.items[number].parent {
                inner[parent] += inner[number];
            }
        }
        let spaces = self.links.spaces.iter().map(|(name, items)| Idea {
            parts: vec![Part::Space(*name)],
            bytes: items.iter().map(|item| inner[*item as usize]).sum(),
            sort: Sort::Space,
        });
        let mut ideas: Vec<Idea> = spaces.collect();
        let mut of_name: BTreeMap<Name, usize> = BTreeMap::new();
        for (index, node) in needed.order.iter().enumerate() {
            let bytes = &mut dominated[index];
            let number = match *node {
                Node::Item(number) => number,
                Node::Reference(reference) => {
                    let name = self.references.get(reference).name;
                    *of_name.entry(name).or_default() += *bytes;
                    continue;
                }
            };
            let item = &self.items[number];
            *bytes = inner[number].max(*bytes);
            let members = self.links.members[number]
                .iter()
                .map(|member| *member as usize);
            let members = members.filter(|member| needed.items[*member]);
            let parts: Vec<Part> = members.map(Part::Item).collect();
            if parts.len() > 1 {
                ideas.push(Idea {
                    parts,
                    bytes: *bytes,
                    sort: Sort::Inside(number),
                });
            }
            if want.items.first() != Some(&number) {
                let is_unmentioned = item.names.is_empty()
                    || !item.conditions.is_empty()
                    || item.standing == Standing::Statement;
                ideas.push(Idea {
                    parts: vec![Part::Item(number)],
                    bytes: *bytes,
                    sort: match self.items[number].container {
                        _ if is_unmentioned => Sort::Unmentioned,
                        Some(_) => Sort::Member,
                        None => Sort::Mentioned,
                    },
                });
            }
        }
        ideas.extend(of_name.into_iter().map(|(name, bytes)| Idea {
            parts: vec![Part::Name(name)],
            bytes,
            sort: Sort::Mentioned,
        }));
        ideas
    }
}

/// What leads to what, among the items and references that are needed: nodes are numbered in the order in which they were found,
/// from 1 on; 0 is what is wanted. Of several things that an item waits for, the one that was found last leads to it.
struct Graph {
    nodes: Vec<Node>,
    successors: Vec<Vec<u32>>,
}

impl Graph {
    fn new(entities: &Entities, want: &Want, needed: &Needed) -> Graph {
        let nodes = needed.order.clone();
        let mut item_node = vec![0u32; entities.items.len()];
        let mut reference_node = vec![0u32; entities.references.len()];
        let mut name_node = vec![0u32; entities.names.len()];
        // The references that mean each item.
        let mut meant_by: Vec<Vec<u32>> = vec![Vec::new(); entities.items.len()];
        for (index, node) in nodes.iter().enumerate() {
            let number = index as u32 + 1;
            match *node {
                Node::Item(item) => item_node[item] = number,
                Node::Reference(reference) => {
                    reference_node[reference as usize] = number;
                    let name = &mut name_node[entities.references.get(reference).name as usize];
                    if *name == 0 {
                        *name = number;
                    }
                    for item in entities.meant(reference, want.bodies.care) {
                        meant_by[item].push(number);
                    }
                }
            }
        }
        let mut graph = Graph {
            successors: vec![Vec::new(); nodes.len() + 1],
            nodes,
        };
        let mut lead = |from: u32, to: u32| {
            if from != to && to != 0 {
                graph.successors[from as usize].push(to);
            }
        };
        let tail = want
            .tail
            .iter()
            .flat_map(|tail| entities.references_of(tail));
        for reference in entities.loose.iter().copied().chain(tail) {
            lead(0, reference_node[reference as usize]);
        }
        for item in &want.items {
            lead(0, item_node[*item]);
        }
        for (number, item) in entities.items.iter().enumerate() {
            let node = item_node[number];
            if node == 0 {
                continue;
            }
            for reference in &item.uses {
                lead(node, reference_node[*reference as usize]);
            }
            for member in &item.own {
                lead(node, item_node[*member as usize]);
            }
            let container = item.container.map(|container| item_node[container]);
            let usual = item.standing == Standing::Usual;
            let conditions = item.conditions.iter().filter(|_| usual);
            let conditions = conditions.map(|name| name_node[*name as usize]);
            let last = container.into_iter().chain(conditions).max().unwrap_or(0);
            match meant_by[number].first() {
                Some(first) if usual && *first > last => {
                    meant_by[number].iter().for_each(|from| lead(*from, node));
                }
                _ => lead(last, node),
            }
        }
        graph
    }

    /// How much each node dominates, itself included.
    fn dominated(&self, weight: impl Fn(Node) -> usize) -> Vec<usize> {
        let dominators = self.dominators();
        let mut dominated: Vec<usize> = self.nodes.iter().map(|node| weight(*node)).collect();
        for (node, dominator) in dominators {
            if let (Some(node), Some(dominator)) = (node.checked_sub(1), dominator.checked_sub(1)) {
                dominated[dominator] += dominated[node];
            }
        }
        dominated
    }

    /// Each node that can be reached with its immediate dominator, the deepest first: Georgiadis's semi-NCA.
    fn dominators(&self) -> Vec<(usize, usize)> {
        const NONE: usize = usize::MAX;
        let count = self.successors.len();
        // Numbers in the order of a depth-first search.
        let mut number = vec![NONE; count];
        let mut vertex: Vec<usize> = Vec::new();
        let mut parent: Vec<usize> = Vec::new();
        let mut open = vec![(0usize, 0usize)];
        while let Some((node, from)) = open.pop() {
            if number[node] != NONE {
                continue;
            }
            number[node] = vertex.len();
            vertex.push(node);
            parent.push(from);
            let next = number[node];
            for successor in self.successors[node].iter().rev() {
                if number[*successor as usize] == NONE {
                    open.push((*successor as usize, next));
                }
            }
        }
        let reached = vertex.len();
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); reached];
        for (from, node) in vertex.iter().enumerate() {
            for successor in &self.successors[*node] {
                predecessors[number[*successor as usize]].push(from as u32);
            }
        }
        let mut semi: Vec<usize> = (0..reached).collect();
        let mut label: Vec<usize> = (0..reached).collect();
        let mut ancestor = vec![NONE; reached];
        let mut dominator = parent.clone();
        let mut path = Vec::new();
        for node in (1..reached).rev() {
            for from in &predecessors[node] {
                let from = *from as usize;
                // The least semidominator on the way up, with the way shortened.
                let mut at = from;
                while ancestor[at] != NONE && ancestor[ancestor[at]] != NONE {
                    path.push(at);
                    at = ancestor[at];
                }
                while let Some(below) = path.pop() {
                    let above = ancestor[below];
                    if semi[label[above]] < semi[label[below]] {
                        label[below] = label[above];
                    }
                    ancestor[below] = ancestor[above];
                }
                semi[node] = semi[node].min(semi[label[from]]);
            }
            label[node] = node;
            ancestor[node] = parent[node];
        }
        for node in 1..reached {
            let mut above = dominator[node];
            while above > semi[node] {
                above = dominator[above];
            }
            dominator[node] = above;
        }
        let deepest = (1..reached).rev();
        deepest
            .map(|node| (vertex[node], vertex[dominator[node]]))
            .collect()
    }
}
