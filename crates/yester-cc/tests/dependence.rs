//! Control dependence against its definition.

use proptest::prelude::*;
use yester_cc::dependence::{FlowEdge, control_dependence, post_dominators};

/// Whether the exit is reached from a block without another one.
fn escapes(graph: &[Vec<usize>], from: usize, without: Option<usize>) -> bool {
    let mut seen = vec![false; graph.len()];
    let mut pending = vec![from];
    while let Some(block) = pending.pop() {
        if Some(block) == without || std::mem::replace(&mut seen[block], true) {
            continue;
        }
        if graph[block].is_empty() {
            return true;
        }
        pending.extend(&graph[block]);
    }
    false
}

/// Whether every way from a block to the exit goes through another one.
fn post_dominates(graph: &[Vec<usize>], above: usize, block: usize) -> bool {
    above == block || !escapes(graph, block, Some(above))
}

fn graphs() -> impl Strategy<Value = Vec<Vec<usize>>> {
    (1_usize..12).prop_flat_map(|blocks| {
        prop::collection::vec(prop::collection::vec(0..blocks, 0..4), blocks)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn it_is_what_the_definition_says(mut graph in graphs()) {
        // The definition says nothing of blocks from which the exit is not reached.
        for block in 0..graph.len() {
            if !escapes(&graph, block, None) {
                graph[block].clear();
            }
        }
        let found = control_dependence(&graph, &post_dominators(&graph));
        for (dependent, ways) in found.iter().enumerate() {
            let mut expected = Vec::new();
            for (block, successors) in graph.iter().enumerate() {
                for (successor, target) in successors.iter().enumerate() {
                    let strictly = dependent != block && post_dominates(&graph, dependent, block);
                    if post_dominates(&graph, dependent, *target) && !strictly {
                        expected.push(FlowEdge { block, successor });
                    }
                }
            }
            let mut ways = ways.clone();
            ways.sort();
            prop_assert_eq!(ways, expected);
        }
    }

    #[test]
    fn endless_loops_have_post_dominators_too(graph in graphs()) {
        let above = post_dominators(&graph);
        for block in 0..graph.len() {
            // Whoever goes up from a block comes to the exit.
            let mut steps = 0;
            let mut at = block;
            while at != graph.len() {
                prop_assert!(at < graph.len() && steps <= graph.len());
                at = above[at];
                steps += 1;
            }
        }
        let _ = control_dependence(&graph, &post_dominators(&graph));
    }
}
