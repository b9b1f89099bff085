use std::ops::Range;

use crate::{Kind, Node};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Shape {
    Text,
    Binary,
    Paragraph,
    Block,
    Line,
    Group,
    String,
    Item,
    Word,
    Run,
    Character,
    Sign,
    Delimiter,
    Separator,
    Chunk,
    Byte,
}

/// Where one node can stand in the place of another.
#[derive(PartialEq, Eq)]
pub(super) enum StandIn {
    AmongLines,
    InLine,
}

impl Shape {
    const ALL: [Shape; 16] = [
        Shape::Text,
        Shape::Binary,
        Shape::Paragraph,
        Shape::Block,
        Shape::Line,
        Shape::Group,
        Shape::String,
        Shape::Item,
        Shape::Word,
        Shape::Run,
        Shape::Character,
        Shape::Sign,
        Shape::Delimiter,
        Shape::Separator,
        Shape::Chunk,
        Shape::Byte,
    ];

    pub(super) fn of(kind: Kind) -> Option<Shape> {
        Shape::ALL.get(usize::from(kind)).copied()
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Text => "text",
            Shape::Binary => "binary",
            Shape::Paragraph => "paragraph",
            Shape::Block => "block",
            Shape::Line => "line",
            Shape::Group => "group",
            Shape::String => "string",
            Shape::Item => "item",
            Shape::Word => "word",
            Shape::Run => "run",
            Shape::Character => "character",
            Shape::Sign => "sign",
            Shape::Delimiter => "delimiter",
            Shape::Separator => "separator",
            Shape::Chunk => "chunk",
            Shape::Byte => "byte",
        }
    }

    pub(super) fn place(self) -> Option<StandIn> {
        match self {
            Shape::Block | Shape::Line => Some(StandIn::AmongLines),
            Shape::Group | Shape::String | Shape::Item | Shape::Word => Some(StandIn::InLine),
            _ => None,
        }
    }

    /// Whether it may stand or go by itself.
    pub(super) fn is_named(self) -> bool {
        !matches!(self, Shape::Delimiter | Shape::Separator)
    }

    /// Whether it never has parts.
    pub(super) fn is_atom(self) -> bool {
        matches!(
            self,
            Shape::Character | Shape::Sign | Shape::Delimiter | Shape::Separator | Shape::Byte
        )
    }
}

/// A part of the text that may be split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub shape: Shape,
    pub start: u32,
    pub end: u32,
    /// The first of the brackets in it, if these are known.
    pub bracket: u32,
}

impl Part {
    /// A part whose brackets are not known or of no interest.
    pub(super) fn new(shape: Shape, range: Range<usize>) -> Part {
        Part {
            shape,
            start: range.start as u32,
            end: range.end as u32,
            bracket: 0,
        }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn node(&self) -> Node {
        Node {
            kind: self.shape as Kind,
            field: 0,
            is_named: self.shape.is_named(),
            is_extra: false,
            is_fault: false,
            parent: 0,
            after: 0,
            start: self.start,
            end: self.end,
        }
    }
}
