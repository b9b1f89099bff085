//! The list minimiser against ddmin on inputs of realistic shape. `--nocapture` shows the table.

use yester_core::{Grouping, Subset, ddmin, minimise};

use crate::synthetic::{Ahead, Synthetic, Witness};

/// Numbers that look random and are the same everywhere.
fn scattered(count: usize, below: usize) -> Vec<usize> {
    (1..=count)
        .map(|index| index * index * 7919 % 104_729 % below)
        .collect()
}

fn space(universe: usize, cause: Vec<usize>, needs: Vec<(usize, usize)>) -> Synthetic {
    Synthetic {
        universe,
        causes: vec![cause],
        needs,
        noise: None,
    }
}

/// Uses need definitions that stand before them, mostly near.
fn definitions(universe: usize) -> Vec<(usize, usize)> {
    let back = scattered(universe, 40);
    (1..universe)
        .map(|delta| (delta, delta.saturating_sub(1 + back[delta])))
        .filter(|(delta, _)| delta % 3 > 0)
        .collect()
}

/// Blocks of eight lines, four to a larger block: the first and the last line of each go only together.
fn brackets(universe: usize) -> Vec<(usize, usize)> {
    let pair = |open, close| [(open, close), (close, open)];
    let small = (0..universe / 8).flat_map(|block| pair(8 * block + 1, 8 * block + 6));
    let large = (0..universe / 32).flat_map(|block| pair(32 * block, 32 * block + 31));
    small.chain(large).collect()
}

struct Row {
    name: &'static str,
    space: Synthetic,
    /// The most that minimise may ask, as a part of what ddmin asks.
    part: f64,
}

fn rows() -> Vec<Row> {
    let row = |name, part, space| Row { name, space, part };
    let clusters = |delta: &usize| delta % 200 < 6;
    vec![
        row("one of 2000", 1.5, space(2000, vec![1234], vec![])),
        row(
            "three of 2000",
            0.5,
            space(2000, vec![400, 1000, 1500], vec![]),
        ),
        row(
            "five clusters in 1000",
            0.5,
            space(1000, (0..1000).filter(clusters).collect(), vec![]),
        ),
        row(
            "20 scattered in 1000",
            0.2,
            space(1000, scattered(20, 1000), vec![]),
        ),
        row(
            "half of 200",
            0.5,
            space(200, (0..200).step_by(2).collect(), vec![]),
        ),
        row("all of 300", 0.6, space(300, (0..300).collect(), vec![])),
        row(
            "uses and definitions",
            0.2,
            space(600, scattered(6, 600), definitions(600)),
        ),
        row(
            "brackets",
            0.5,
            space(512, scattered(6, 512), brackets(512)),
        ),
    ]
}

#[test]
fn minimise_asks_far_less_than_ddmin_and_keeps_no_more() {
    println!(
        "{:22} | minimise kept | ddmin kept | rounds with 8 jobs",
        ""
    );
    for Row { name, space, part } in rows() {
        let grouping = Grouping::flat(space.universe);
        let mut classic = Witness::new(&space);
        let classic_kept = ddmin(&mut classic, &grouping, &space.full()).unwrap();
        let mut modern = Witness::new(&space);
        let kept: Subset = minimise(&mut modern, &space.full(), |_| 1).unwrap();
        let mut ahead = Ahead::new(&space, 8);
        assert_eq!(minimise(&mut ahead, &space.full(), |_| 1).unwrap(), kept);
        let (asked, by_ddmin, rounds) = (modern.asked.len(), classic.asked.len(), ahead.rounds);
        println!(
            "{name:22} | {asked:5} {:4} | {by_ddmin:6} {:4} | {rounds:4}",
            kept.len(),
            classic_kept.len()
        );
        assert!(
            asked as f64 <= part * by_ddmin as f64,
            "{name}: {asked} against {by_ddmin}"
        );
        assert!(kept.len() <= classic_kept.len(), "{name}");
        assert!(
            2 * rounds < asked,
            "{name}: {rounds} rounds for {asked} questions"
        );
    }
}
