//! How much of a program a report lets one ignore: the score of Renieris and Reiss, as in section 5.2 of "Automated path generation
//! for software fault localization".

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use yester_path::{DependenceGraph, Sites};

/// Which edges a reader follows from a line of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only forwards, or only backwards, as the paper defines it.
    Directed,
    /// Both ways at every line. More lines are looked at, and a line that neither reaches nor is reached is found too.
    Undirected,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineNode {
    /// A line of the program.
    Line(u32),
    /// A line of a header of the system, by function and line: a step for a reader, and no part of the program.
    System(u32, u32),
    /// Memory between a line that writes it and one that reads it: no step of its own.
    Memory(u32),
}

/// The static dependence of the lines of a program in one file.
#[derive(Clone, Debug, Default)]
pub struct LineGraph {
    nodes: Vec<LineNode>,
    /// For each node, what depends on it.
    after: Vec<Vec<usize>>,
    /// For each node, what it depends on.
    before: Vec<Vec<usize>>,
}

impl LineGraph {
    /// From edges: the second depends on the first.
    pub fn new(edges: impl IntoIterator<Item = (LineNode, LineNode)>) -> LineGraph {
        let mut graph = LineGraph::default();
        let mut numbers = BTreeMap::new();
        let edges: BTreeSet<(LineNode, LineNode)> = edges.into_iter().collect();
        for (from, to) in edges {
            let [from, to] = [from, to].map(|node| {
                *numbers.entry(node).or_insert_with(|| {
                    graph.nodes.push(node);
                    graph.after.push(Vec::new());
                    graph.before.push(Vec::new());
                    graph.nodes.len() - 1
                })
            });
            if from != to {
                graph.after[from].push(to);
                graph.before[to].push(from);
            }
        }
        graph
    }

    /// That of an instrumented program; functions that have a line in common share it.
    pub fn of(sites: &Sites) -> LineGraph {
        let DependenceGraph { nodes, edges } = sites.dependence_graph();
        let node = |number: u32| match nodes[number as usize] {
            None => LineNode::Memory(number),
            Some(place) => match sites.function(place.function) {
                Some(function) if function.is_of_system() => {
                    LineNode::System(place.function, place.line)
                }
                _ => LineNode::Line(place.line),
            },
        };
        LineGraph::new(edges.iter().map(|edge| (node(edge.from), node(edge.to))))
    }

    /// How many lines there are.
    pub fn size(&self) -> usize {
        let lines = self.nodes.iter();
        lines
            .filter(|node| matches!(node, LineNode::Line(_)))
            .count()
    }

    /// Whether one of the lines is a node.
    pub fn has_any(&self, lines: &[u32]) -> bool {
        let mut lines = lines.iter();
        lines.any(|line| self.nodes.contains(&LineNode::Line(*line)))
    }

    /// 1 − |DS*| / |PDG|, from 0 to 1. DS(n) is what at most n edges from the blamed lines reach, and DS* the first of them that has a
    /// faulty line. An empty report has 0, and so has one from which no faulty line is reached.
    pub fn score(&self, blamed: &[u32], faulty: &[u32], reach: Reach) -> f64 {
        let blamed: BTreeSet<u32> = blamed.iter().copied().collect();
        // What is blamed has to be read, whether or not the graph has it.
        let mut steps: BTreeMap<u32, u32> = self.steps(&blamed, reach);
        steps.extend(blamed.iter().map(|line| (*line, 0)));
        let nearest = faulty.iter().filter_map(|line| steps.get(line)).min();
        let Some(nearest) = nearest else {
            return 0.0;
        };
        let read = steps.values().filter(|count| *count <= nearest).count();
        // A line that is no node may be blamed.
        let all = self.size().max(read);
        1.0 - read as f64 / all as f64
    }

    /// How many edges each line is away.
    fn steps(&self, blamed: &BTreeSet<u32>, reach: Reach) -> BTreeMap<u32, u32> {
        let mut steps = BTreeMap::new();
        // Each node twice: going forwards, and going backwards. From memory one goes on the way that one came.
        let mut distance = vec![[u32::MAX; 2]; self.nodes.len()];
        let mut pending = VecDeque::new();
        for (number, node) in self.nodes.iter().enumerate() {
            if matches!(node, LineNode::Line(line) if blamed.contains(line)) {
                distance[number] = [0; 2];
                pending.extend([(number, 0), (number, 1)]);
            }
        }
        while let Some((number, direction)) = pending.pop_front() {
            let here = distance[number][direction];
            if let LineNode::Line(line) = self.nodes[number] {
                let least = steps.entry(line).or_insert(here);
                *least = here.min(*least);
            }
            let is_memory = |number: usize| matches!(self.nodes[number], LineNode::Memory(_));
            if reach == Reach::Undirected
                && !is_memory(number)
                && distance[number][1 - direction] > here
            {
                distance[number][1 - direction] = here;
                pending.push_front((number, 1 - direction));
            }
            for &next in [&self.after, &self.before][direction][number].iter() {
                let there = here + u32::from(!is_memory(next));
                if there < distance[next][direction] {
                    distance[next][direction] = there;
                    if there == here {
                        pending.push_front((next, direction))
                    } else {
                        pending.push_back((next, direction))
                    }
                }
            }
        }
        steps
    }
}
