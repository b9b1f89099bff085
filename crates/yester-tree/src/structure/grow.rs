//! Splits the heaviest part again and again, and makes a tree of the parts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::bracket::{self, Bracket};
use super::chunk;
use super::layout::Layout;
use super::shape::{Part, Shape};
use super::token::Marked;
use crate::Tree;

/// The tree of a text, with hardly more nodes than the limit.
pub(super) fn grow(text: &[u8], root: Shape, limit: usize) -> Tree {
    assert!(
        u32::try_from(text.len()).is_ok(),
        "nodes count bytes in 32 bits"
    );
    tree(&split_all(text, root, limit))
}

/// A part, and where its own parts are.
struct Piece {
    part: Part,
    first: u32,
    count: u32,
}

fn split_all(text: &[u8], root: Shape, limit: usize) -> Vec<Piece> {
    let piece = |part| Piece {
        part,
        first: 0,
        count: 0,
    };
    let weight = |part: &Part| part.end - part.start;
    let root = Part::new(root, 0..text.len());
    let mut splitter = Splitter::new(text);
    let mut pieces = vec![piece(root)];
    let mut pending = BinaryHeap::from([(weight(&root), Reverse(0))]);
    let mut parts = Vec::new();
    while pieces.len() < limit
        && let Some((_, Reverse(number))) = pending.pop()
    {
        let first = pieces.len() as u32;
        let shape = splitter.split_down(pieces[number as usize].part, number == 0, &mut parts);
        merge_lines(&mut parts, limit.saturating_mul(2));
        pieces.extend(parts.iter().copied().map(piece));
        if pieces.len() < limit {
            pending.extend(
                (first..)
                    .zip(&parts)
                    .filter(|(_, part)| !part.shape.is_atom() && weight(part) > 1)
                    .map(|(number, part)| (weight(part), Reverse(number))),
            );
        }
        let piece = &mut pieces[number as usize];
        piece.part.shape = shape;
        piece.first = first;
        piece.count = parts.len() as u32;
    }
    pieces
}

/// Makes blocks of neighbouring lines, paragraphs and blocks of which there are too many. They come apart again when the text
/// has become smaller; a node for each of millions of lines would take more memory than the lines.
fn merge_lines(parts: &mut Vec<Part>, most: usize) {
    let is_of_lines =
        |part: &Part| matches!(part.shape, Shape::Paragraph | Shape::Block | Shape::Line);
    if parts.len() <= most || !parts.iter().all(is_of_lines) {
        return;
    }
    let count = parts.len().div_ceil(most);
    let merged = parts.chunks(count).map(|neighbours| match neighbours {
        [one] => *one,
        [first, .., last] => Part::new(Shape::Block, first.range().start..last.range().end),
        [] => unreachable!("chunks are not empty"),
    });
    *parts = merged.collect();
}

fn tree(pieces: &[Piece]) -> Tree {
    let mut tree = Tree::new();
    let mut open: Vec<Range<u32>> = Vec::new();
    let mut next = Some(0);
    loop {
        if let Some(number) = next {
            let piece = &pieces[number as usize];
            tree.open(piece.part.node());
            open.push(piece.first..piece.first + piece.count);
        } else {
            tree.close();
            open.pop();
        }
        let Some(rest) = open.last_mut() else {
            return tree;
        };
        next = rest.next();
    }
}

/// Knows what a part is made of, and remembers what it found out about lines and brackets.
struct Splitter<'a> {
    text: &'a [u8],
    layout: Option<Layout>,
    brackets: Vec<Bracket>,
}

impl<'a> Splitter<'a> {
    fn new(text: &'a [u8]) -> Splitter<'a> {
        Splitter {
            text,
            layout: None,
            brackets: Vec::new(),
        }
    }

    /// What a part is made of, and what it turns out to be: if it is made of just one part of the same range, it is that
    /// part. The root remains the root, and has brackets around everything as its only part since these can go.
    fn split_down(&mut self, mut part: Part, is_root: bool, parts: &mut Vec<Part>) -> Shape {
        let root = part.shape;
        loop {
            parts.clear();
            self.split(&part, parts);
            match parts[..] {
                [only] if only.range() == part.range() => {
                    if is_root && matches!(only.shape, Shape::Group | Shape::String) {
                        return root;
                    }
                    part = only;
                }
                _ if is_root => return root,
                _ => return part.shape,
            }
        }
    }

    fn split(&mut self, part: &Part, parts: &mut Vec<Part>) {
        let range = part.range();
        match part.shape {
            Shape::Text => self.layout().paragraphs(parts),
            Shape::Paragraph => self.layout().level(range, parts),
            Shape::Block => self.layout().block(range, parts),
            Shape::Line => {
                let bracket = self.brackets.len();
                bracket::find(self.text, range.clone(), &mut self.brackets);
                self.marked().line(range, bracket, parts);
            }
            Shape::Group | Shape::String => self.marked().group(part, parts),
            Shape::Item => self.marked().item(part, parts),
            Shape::Word | Shape::Run => chunk::characters(self.text, part, parts),
            Shape::Binary | Shape::Chunk => chunk::bytes(range, parts),
            Shape::Character | Shape::Sign | Shape::Delimiter | Shape::Separator | Shape::Byte => {}
        }
    }

    fn marked(&self) -> Marked<'_> {
        Marked {
            text: self.text,
            brackets: &self.brackets,
        }
    }

    fn layout(&mut self) -> &Layout {
        self.layout.get_or_insert_with(|| Layout::of(self.text))
    }
}
