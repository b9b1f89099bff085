//! How a text is laid out: paragraphs, blocks and lines.

use std::ops::Range;

use super::shape::{Part, Shape};

/// The lines of a text.
pub(super) struct Layout {
    lines: Vec<Line>,
    end: usize,
}

struct Line {
    start: u32,
    /// The column of its first visible character.
    indentation: u16,
    /// Whether it ends with a bracket that opens.
    opens: bool,
    /// Whether it starts with a bracket or a tag that closes.
    closes: bool,
}

/// The indentation of a blank line. No other line is indented as much.
const BLANK: u16 = u16::MAX;
/// How far apart the columns are to which tabs go.
const TAB: usize = 8;

impl Layout {
    pub(super) fn of(text: &[u8]) -> Layout {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            lines.push(Line::new(start, line));
            start += line.len();
        }
        Layout { lines, end: start }
    }

    /// The paragraphs of the text, each with the blank lines after it.
    pub(super) fn paragraphs(&self, parts: &mut Vec<Part>) {
        let mut start = 0;
        let mut has_begun = false;
        for (number, line) in self.lines.iter().enumerate() {
            if line.is_blank() {
                continue;
            }
            if has_begun && self.lines[number - 1].is_blank() {
                parts.push(self.part(Shape::Paragraph, start..number));
                start = number;
            }
            has_begun = true;
        }
        if !self.lines.is_empty() {
            parts.push(self.part(Shape::Paragraph, start..self.lines.len()));
        }
    }

    /// The blocks of a paragraph, and the blank lines around them.
    pub(super) fn level(&self, range: Range<usize>, parts: &mut Vec<Part>) {
        let lines = self.numbers(range);
        let least = self.least(lines.clone(), |_| true);
        self.blocks(lines, least, parts);
    }

    /// The first line of a block, the blocks inside it, and the lines that close it. A block at the start of a paragraph
    /// may have no such first line.
    pub(super) fn block(&self, range: Range<usize>, parts: &mut Vec<Part>) {
        let lines = self.numbers(range.clone());
        let least = self.least(lines.clone(), |_| true);
        if self.lines[lines.start].indentation > least {
            return self.level(range, parts);
        }
        let inside = self.least(lines.clone(), |line| line.indentation > least);
        let mut start = lines.start;
        for number in lines.clone() {
            if self.lines[number].indentation == least {
                self.blocks(start..number, inside, parts);
                parts.push(self.part(Shape::Block, number..number + 1));
                start = number + 1;
            }
        }
        self.blocks(start..lines.end, inside, parts);
    }

    /// Blocks that start with the lines of this indentation, for lines that are not indented less.
    fn blocks(&self, lines: Range<usize>, indentation: u16, parts: &mut Vec<Part>) {
        let mut start = lines.start;
        // Whether a line of the block, which is one with a first line then, waits for another one that closes it.
        let mut is_open = false;
        for number in lines.clone() {
            let line = &self.lines[number];
            let is_in_block = number > start
                && !line.is_blank()
                && !self.lines[start].is_blank()
                && (line.indentation > indentation || is_open && line.closes);
            if !is_in_block && number > start {
                parts.push(self.part(Shape::Block, start..number));
                start = number;
            }
            is_open = self.lines[start].indentation == indentation
                && (line.indentation > indentation || line.opens);
        }
        if start < lines.end {
            parts.push(self.part(Shape::Block, start..lines.end));
        }
    }

    fn least(&self, lines: Range<usize>, is_counted: impl Fn(&Line) -> bool) -> u16 {
        let counted = self.lines[lines].iter().filter(|line| is_counted(line));
        counted.map(|line| line.indentation).min().unwrap_or(BLANK)
    }

    /// Some lines as a part. A single line is no block.
    fn part(&self, shape: Shape, lines: Range<usize>) -> Part {
        let start = |number: usize| {
            let line = self.lines.get(number);
            line.map_or(self.end, |line| line.start as usize)
        };
        let shape = if lines.len() == 1 { Shape::Line } else { shape };
        Part::new(shape, start(lines.start)..start(lines.end))
    }

    /// The numbers of the lines that start in a range.
    fn numbers(&self, range: Range<usize>) -> Range<usize> {
        let before = |place: usize| {
            let is_before = |line: &Line| (line.start as usize) < place;
            self.lines.partition_point(is_before)
        };
        before(range.start)..before(range.end)
    }
}

impl Line {
    fn new(start: usize, text: &[u8]) -> Line {
        let visible = text.trim_ascii();
        let mut column: usize = 0;
        for byte in text.iter().take_while(|byte| byte.is_ascii_whitespace()) {
            column += match byte {
                b'\t' => TAB - column % TAB,
                _ => 1,
            };
        }
        let most = usize::from(BLANK - 1);
        Line {
            start: start as u32,
            indentation: if visible.is_empty() {
                BLANK
            } else {
                column.min(most) as u16
            },
            opens: matches!(visible.last(), Some(b'(' | b'[' | b'{')),
            closes: matches!(visible, [b')' | b']' | b'}', ..] | [b'<', b'/', ..]),
        }
    }

    fn is_blank(&self) -> bool {
        self.indentation == BLANK
    }
}
