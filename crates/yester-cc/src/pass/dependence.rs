//! Static control dependence: which outcome of which branch decides whether a block is reached.
//!
//! It follows from post-dominators. These need one exit that every block reaches: a virtual one after every block without
//! successors (returns, calls that do not return) and after one block of each endless loop.

/// The control flow of a function: the successors of each block, in order and with repetitions. Block 0 is the entry.
pub type FlowGraph = [Vec<usize>];

/// An edge from a block to one of its successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowEdge {
    /// The block.
    pub block: usize,
    /// Which of its successors.
    pub successor: usize,
}

/// The successors of each block, with the virtual exit (number `graph.len()`).
fn with_exit(graph: &FlowGraph) -> Vec<Vec<usize>> {
    let exit = graph.len();
    let mut ways: Vec<Vec<usize>> = graph.to_vec();
    ways.push(Vec::new());
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
    for (block, successors) in graph.iter().enumerate() {
        if successors.is_empty() {
            ways[block].push(exit);
            into[exit].push(block);
        }
        for successor in successors {
            into[*successor].push(block);
        }
    }
    let mut reaching = vec![false; exit + 1];
    let mark = |from: usize, reaching: &mut Vec<bool>| {
        let mut pending = vec![from];
        reaching[from] = true;
        while let Some(block) = pending.pop() {
            for before in &into[block] {
                if !std::mem::replace(&mut reaching[*before], true) {
                    pending.push(*before);
                }
            }
        }
    };
    mark(exit, &mut reaching);
    // The remaining blocks lead into endless loops. The first block of each loop gets an edge to the exit.
    for component in last_components(graph) {
        let first = component[0];
        if !reaching[first] {
            ways[first].push(exit);
            mark(first, &mut reaching);
        }
    }
    ways
}

/// The strongly connected components that no edge leaves, each sorted, ordered by their first block.
fn last_components(graph: &FlowGraph) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let blocks = graph.len();
    let (mut number, mut low) = (vec![NEW; blocks], vec![0; blocks]);
    let mut component_of = vec![NEW; blocks];
    let mut components: Vec<Vec<usize>> = Vec::new();
    let (mut stack, mut next) = (Vec::new(), 0);
    for start in 0..blocks {
        if number[start] != NEW {
            continue;
        }
        // Tarjan's algorithm with an explicit stack: (block, how many of its successors are done).
        let mut work = vec![(start, 0)];
        while let Some((block, done)) = work.pop() {
            if done == 0 {
                number[block] = next;
                low[block] = next;
                next += 1;
                stack.push(block);
            } else {
                low[block] = low[block].min(low[graph[block][done - 1]]);
            }
            let mut descend = None;
            for (index, successor) in graph[block].iter().enumerate().skip(done) {
                if number[*successor] == NEW {
                    descend = Some((index, *successor));
                    break;
                }
                if component_of[*successor] == NEW {
                    low[block] = low[block].min(number[*successor]);
                }
            }
            if let Some((index, successor)) = descend {
                work.push((block, index + 1));
                work.push((successor, 0));
            } else if low[block] == number[block] {
                let mut members = Vec::new();
                while let Some(member) = stack.pop() {
                    component_of[member] = components.len();
                    members.push(member);
                    if member == block {
                        break;
                    }
                }
                members.sort_unstable();
                components.push(members);
            }
        }
    }
    let mut last: Vec<Vec<usize>> = components
        .iter()
        .enumerate()
        .filter(|(index, members)| {
            members.iter().all(|member| {
                graph[*member]
                    .iter()
                    .all(|successor| component_of[*successor] == *index)
            })
        })
        .map(|(_, members)| members.clone())
        .collect();
    last.sort();
    last
}

/// The immediate post-dominator of each block; the exit has the number `graph.len()`.
#[must_use]
pub fn post_dominators(graph: &FlowGraph) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let ways = with_exit(graph);
    let exit = graph.len();
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); exit + 1];
    for (block, successors) in ways.iter().enumerate() {
        for successor in successors {
            into[*successor].push(block);
        }
    }
    // Post-order of a depth-first walk backwards from the exit, which has the greatest number.
    let mut order = Vec::with_capacity(exit + 1);
    let mut seen = vec![false; exit + 1];
    seen[exit] = true;
    let mut work = vec![(exit, 0)];
    while let Some((block, done)) = work.pop() {
        if let Some(before) = into[block].get(done) {
            work.push((block, done + 1));
            if !std::mem::replace(&mut seen[*before], true) {
                work.push((*before, 0));
            }
        } else {
            order.push(block);
        }
    }
    let mut number = vec![0; exit + 1];
    for (index, block) in order.iter().enumerate() {
        number[*block] = index;
    }
    let mut above = vec![NONE; exit + 1];
    above[exit] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev().copied().filter(|block| *block != exit) {
            let mut new = NONE;
            for successor in ways[block].iter().copied() {
                if above[successor] == NONE {
                    continue;
                }
                if new == NONE {
                    new = successor;
                    continue;
                }
                let mut other = successor;
                while new != other {
                    while number[new] < number[other] {
                        new = above[new];
                    }
                    while number[other] < number[new] {
                        other = above[other];
                    }
                }
            }
            if above[block] != new {
                above[block] = new;
                changed = true;
            }
        }
    }
    above.truncate(exit);
    above
}

/// For each block, the edges that it is control dependent on: the block is certainly reached after the edge, but not from the
/// block where the edge starts. `above` has the immediate post-dominators.
#[must_use]
pub fn control_dependence(graph: &FlowGraph, above: &[usize]) -> Vec<Vec<FlowEdge>> {
    let exit = graph.len();
    let mut dependence = vec![Vec::new(); graph.len()];
    for (block, successors) in graph.iter().enumerate() {
        for (successor, target) in successors.iter().enumerate() {
            let mut reached = *target;
            while reached != above[block] && reached != exit {
                dependence[reached].push(FlowEdge { block, successor });
                reached = above[reached];
            }
        }
    }
    dependence
}
