use super::super::Structure;
use super::check;
use crate::Grammar;

#[test]
fn deeply_nested_brackets_are_no_problem() {
    let depth = 100_000;
    let text = ["(".repeat(depth), ")".repeat(depth)].concat();
    let tree = Structure::text().parse(text.as_bytes()).tree;
    assert!((100_000..100_003).contains(&tree.len()));
    let tree = Structure::text()
        .with_limit(1_000_000)
        .parse(text.as_bytes())
        .tree;
    assert_eq!(tree.len(), 1 + 3 * depth);
    check(&tree, text.as_bytes());
    let unbalanced = ["([".repeat(depth), ")".repeat(depth)].concat();
    check(
        &Structure::text().parse(unbalanced.as_bytes()).tree,
        unbalanced.as_bytes(),
    );
}

#[test]
fn deeply_indented_lines_are_no_problem() {
    let depth = 2000;
    let text: String = (0..depth)
        .map(|depth| format!("{}a\n", " ".repeat(depth)))
        .collect();
    let tree = Structure::text().parse(text.as_bytes()).tree;
    // Each block has a line and a block, each line a word.
    assert_eq!(tree.len(), 3 * depth - 1);
    check(&tree, text.as_bytes());
}

#[test]
fn quotes_that_are_never_closed_are_searched_for_once() {
    for text in ["\\\"", "' \\", "'\\'x", "a\"\\"] {
        let text = ["\"", &text.repeat(200_000)].concat();
        check(
            &Structure::text().parse(text.as_bytes()).tree,
            text.as_bytes(),
        );
    }
}

#[test]
fn the_lines_of_a_big_text_are_opaque() {
    let lines = 200_000;
    let text = "an entry, of (a log) with some words .......\n".repeat(lines);
    let structure = Structure::text();
    let tree = structure.parse(text.as_bytes()).tree;
    assert_eq!(tree.len(), 1 + lines);
    check(&tree, text.as_bytes());
}

#[test]
fn of_more_lines_than_there_can_be_nodes_neighbours_are_one_part() {
    let lines = 500_000;
    let text = "an entry, of (a log) with some words .......\n".repeat(lines);
    assert!(text.len() > 20_000_000);
    let tree = Structure::text().parse(text.as_bytes()).tree;
    assert_eq!(tree.len(), 1 + lines.div_ceil(3));
    check(&tree, text.as_bytes());
}

#[test]
fn the_heaviest_lines_of_a_text_are_split_first() {
    let light = "a b\n".repeat(50_000);
    let heavy = "a b c\n".repeat(10_000);
    let text = [light.clone(), heavy, light].concat();
    let tree = Structure::text().parse(text.as_bytes()).tree;
    let is_split = |line: &usize| !tree.is_leaf(*line);
    let split: Vec<usize> = tree.children(0).filter(is_split).collect();
    assert!(tree.len() <= 110_002);
    assert!(split.is_empty(), "110,000 lines are more than enough");
    let tree = Structure::text()
        .with_limit(140_000)
        .parse(text.as_bytes())
        .tree;
    let split = tree.children(0).filter(|line| !tree.is_leaf(*line));
    assert!(
        split
            .map(|line| tree.range(line).len())
            .all(|length| length == 6)
    );
    assert_eq!(tree.len(), 140_001);
}

#[test]
fn a_big_text_on_one_line_is_split_by_its_brackets() {
    let objects = 250_000;
    let list = "{\"id\":1,\"n\":[1,2]},".repeat(objects);
    let text = format!("{{\"all\":[{list}0],\"none\":[]}}");
    let structure = Structure::text();
    let tree = structure.parse(text.as_bytes()).tree;
    let longest = (0..tree.len())
        .map(|node| tree.children(node).count())
        .max();
    assert_eq!(
        longest,
        Some(2 * objects + 3),
        "objects, separators, brackets"
    );
    assert!(tree.len() < 2 * objects + 50);
    check(&tree, text.as_bytes());
}

#[test]
fn finer_structure_appears_as_a_text_gets_smaller() {
    let of = |lines: usize| {
        let text = "one two three\n".repeat(lines);
        Structure::text().parse(text.as_bytes()).tree.len() / lines
    };
    assert_eq!(of(200_000), 1, "lines");
    assert!(of(20_000) >= 4, "and words");
    assert!(of(1_000) >= 15, "and characters");
}
