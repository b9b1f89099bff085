//! The score of section 5.2 of "Automated path generation for software fault localization", on graphs that one can draw.

use yester_bench::seeded::LineNode::{Line, Memory, System};
use yester_bench::seeded::{LineGraph, LineNode, Reach};

/// 1 → 2 → 3 → 4 → 5, and 6 → 3.
fn chain() -> LineGraph {
    let edges = [(1, 2), (2, 3), (3, 4), (4, 5), (6, 3)];
    LineGraph::new(edges.map(|(from, to)| (Line(from), Line(to))))
}

fn score(graph: &LineGraph, blamed: &[u32], faulty: &[u32], reach: Reach) -> f64 {
    // Rounded, since a sixth is no number of the machine.
    (1000.0 * graph.score(blamed, faulty, reach)).round() / 1000.0
}

#[test]
fn a_report_with_the_faulty_line_costs_what_it_is_long() {
    for reach in [Reach::Directed, Reach::Undirected] {
        assert_eq!(score(&chain(), &[3], &[3], reach), 0.833);
        assert_eq!(score(&chain(), &[1, 5, 3], &[3], reach), 0.5);
        // A line that is named twice is read once.
        assert_eq!(score(&chain(), &[3, 3], &[3, 99], reach), 0.833);
    }
}

#[test]
fn each_edge_away_adds_all_lines_that_are_as_near() {
    // DS(0) = {4}, DS(1) = {3, 4, 5}, DS(2) = {2, 3, 4, 5, 6}, DS(3) has all.
    for reach in [Reach::Directed, Reach::Undirected] {
        assert_eq!(score(&chain(), &[4], &[3], reach), 0.5);
        assert_eq!(score(&chain(), &[4], &[6], reach), 0.167);
        assert_eq!(score(&chain(), &[4], &[1], reach), 0.0);
        // The nearest of several faulty lines is what the reader finds.
        assert_eq!(score(&chain(), &[4], &[1, 3], reach), 0.5);
    }
}

#[test]
fn one_way_along_the_edges_never_turns_round() {
    // From 6 forwards to 3, 4, 5; not from 3 back to 2.
    assert_eq!(score(&chain(), &[6], &[2], Reach::Directed), 0.0);
    // Both ways, DS(2) is {2, 3, 4, 6}.
    assert_eq!(score(&chain(), &[6], &[2], Reach::Undirected), 0.333);
}

#[test]
fn an_empty_report_and_a_line_outside_the_graph_have_nothing() {
    for reach in [Reach::Directed, Reach::Undirected] {
        assert_eq!(score(&chain(), &[], &[3], reach), 0.0);
        assert_eq!(score(&chain(), &[3], &[99], reach), 0.0);
        assert_eq!(score(&chain(), &[99], &[3], reach), 0.0);
        // It was named, all the same.
        assert_eq!(score(&chain(), &[99], &[99], reach), 0.833);
        assert_eq!(score(&LineGraph::default(), &[7], &[7], reach), 0.0);
    }
}

/// 1 and 2 write memory that 3 and 4 read.
fn shared() -> LineGraph {
    let edges: [(LineNode, LineNode); 5] = [
        (Line(1), Memory(0)),
        (Line(2), Memory(0)),
        (Memory(0), Memory(1)),
        (Memory(1), Line(3)),
        (Memory(1), Line(4)),
    ];
    LineGraph::new(edges)
}

#[test]
fn memory_is_no_line_and_no_step() {
    assert_eq!(shared().size(), 4);
    assert!(shared().has_any(&[9, 4]) && !shared().has_any(&[9, 0]));
    // DS(1) = {1, 3, 4}: two writers have nothing to do with each other.
    for reach in [Reach::Directed, Reach::Undirected] {
        assert_eq!(score(&shared(), &[1], &[3], reach), 0.25);
    }
    assert_eq!(score(&shared(), &[1], &[2], Reach::Directed), 0.0);
    assert_eq!(score(&shared(), &[1], &[2], Reach::Undirected), 0.0);
}

#[test]
fn a_line_of_a_header_is_a_step_but_not_counted() {
    let graph = LineGraph::new([
        (Line(1), System(7, 1)),
        (System(7, 1), Line(2)),
        (Line(1), Line(3)),
        (Line(4), Line(1)),
    ]);
    assert_eq!(graph.size(), 4);
    // DS(1) = {1, 3, 4}, DS(2) has all.
    for reach in [Reach::Directed, Reach::Undirected] {
        assert_eq!(score(&graph, &[1], &[3], reach), 0.25);
        assert_eq!(score(&graph, &[1], &[2], reach), 0.0);
    }
}
