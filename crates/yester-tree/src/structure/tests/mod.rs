mod big;
mod property;
mod sample;

use super::{Shape, Structure};
use crate::{Grammar, Tree};

/// A tree as an expression: a leaf is its text, words are not taken apart, and tokens that are not named have a dot.
fn show(structure: Structure, text: &[u8]) -> String {
    let tree = structure.parse(text).tree;
    let mut shown = String::new();
    let mut ends: Vec<usize> = Vec::new();
    let mut number = 0;
    while number < tree.len() {
        let node = tree.node(number);
        let leaf = String::from_utf8_lossy(&text[tree.range(number)]);
        let leaf = leaf.replace('\r', "\\r").replace('\n', "\\n");
        if !shown.is_empty() {
            shown.push(' ');
        }
        match Shape::of(node.kind).expect("a kind") {
            Shape::Word => shown.push_str(&leaf),
            shape if shape.is_atom() => {
                shown.push_str(if node.is_named { "" } else { "." });
                shown.push_str(&leaf);
            }
            shape if tree.is_leaf(number) => {
                shown.push_str(&format!("<{} {leaf}>", shape.name()));
            }
            shape => {
                shown.push_str(&format!("({}", shape.name()));
                ends.push(node.after as usize);
                number += 1;
                continue;
            }
        }
        number = node.after as usize;
        while ends.pop_if(|end| *end == number).is_some() {
            shown.push(')');
        }
    }
    shown
}

/// Checks what holds for every tree of every text.
fn check(tree: &Tree, text: &[u8]) {
    assert_eq!(tree.range(0), 0..text.len());
    let mut covered = 0;
    for number in 0..tree.len() {
        let range = tree.range(number);
        let mut end = range.start;
        let mut children = 0;
        for child in tree.children(number) {
            let inner = tree.range(child);
            assert!(inner.start >= end && !inner.is_empty(), "in order");
            assert_eq!(tree.parent(child), Some(number));
            let is_peeled_root =
                number == 0 && matches!(text[inner.start], b'(' | b'[' | b'{' | b'"' | b'\'');
            assert!(inner != range || is_peeled_root, "a difference");
            end = inner.end;
            children += 1;
        }
        assert!(end <= range.end, "nested");
        if children == 0 {
            let gap = &text[covered..range.start];
            assert!(gap.iter().all(u8::is_ascii_whitespace), "covered");
            covered = range.end;
        }
    }
    assert!(text[covered..].iter().all(u8::is_ascii_whitespace));
}
