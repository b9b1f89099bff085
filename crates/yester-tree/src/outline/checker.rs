use tree_sitter::{InputEdit, Point, Tree};

use super::align::{Lines, differences};
use super::fault_line::FaultFinder;
use crate::Language;
use crate::language::Parser;

/// The lines of a text that make no sense, one for each fault. A text that the parser refuses has a fault in its first line.
pub fn faults(language: &Language, content: &[u8]) -> Vec<u32> {
    let parsed = language.parser().parse(content, None);
    let finder = FaultFinder::new(language);
    parsed.map_or(vec![0], |parsed| finder.lines(&parsed, content))
}

/// Finds the faults of many texts that differ little from one: only what differs is parsed.
///
/// Every text is compared with the first one, not with the one before. Where a text has faults, what the parser makes of
/// it depends on the tree that it starts from, and an answer must not depend on what else was asked.
pub struct Checker {
    base: Vec<u8>,
    /// Nothing, if the parser refuses that one. Then every text is parsed from scratch.
    tree: Option<Tree>,
    base_faults: Vec<u32>,
    parser: Parser,
    finder: FaultFinder,
}

impl Checker {
    /// Parses the text that the others are compared with.
    pub fn new(language: &Language, base: Vec<u8>) -> Checker {
        let parser = language.parser();
        let finder = FaultFinder::new(language);
        let tree = parser.parse(&base, None).ok();
        let base_faults = tree.as_ref().map(|tree| finder.lines(tree, &base));
        Checker {
            base_faults: base_faults.unwrap_or(vec![0]),
            base,
            tree,
            parser,
            finder,
        }
    }

    /// The lines of the text that the others are compared with that make no sense.
    pub fn base_faults(&self) -> &[u32] {
        &self.base_faults
    }

    /// The lines of a text that make no sense, one for each fault.
    pub fn faults(&self, content: &[u8]) -> Vec<u32> {
        let (old, new) = (Lines::new(&self.base), Lines::new(content));
        let differences = differences(&old, &new);
        if differences.is_empty() {
            return self.base_faults.clone();
        }
        let Some(mut tree) = self.tree.clone() else {
            return self.lines(content, None);
        };
        // From the back, so that the places of the others stay as they are.
        for difference in differences.iter().rev() {
            // The lines before a difference are still the old ones.
            let gone = &difference.old;
            let come = new.start(difference.new.start)..new.start(difference.new.end);
            let rows = gone.start + difference.new.len();
            let new_end_byte = old.start(gone.start) + come.len();
            tree.edit(&InputEdit {
                start_byte: old.start(gone.start),
                old_end_byte: old.start(gone.end),
                new_end_byte,
                start_position: point(&self.base, &old, gone.start),
                old_end_position: point(&self.base, &old, gone.end),
                new_end_position: match content[come.clone()].last() {
                    None | Some(b'\n') => Point {
                        row: rows,
                        column: 0,
                    },
                    Some(_) => Point {
                        row: rows - 1,
                        column: come.end - new.start(difference.new.end - 1),
                    },
                },
            });
        }
        self.lines(content, Some(&tree))
    }

    fn lines(&self, content: &[u8], before: Option<&Tree>) -> Vec<u32> {
        let parsed = self.parser.parse(content, before);
        parsed.map_or(vec![0], |parsed| self.finder.lines(&parsed, content))
    }
}

/// Where a line starts. After a last line without an end, that is still on it.
fn point(text: &[u8], lines: &Lines<'_>, line: usize) -> Point {
    if line == lines.len() && !matches!(text.last(), None | Some(b'\n')) {
        let row = line - 1;
        return Point {
            row,
            column: text.len() - lines.start(row),
        };
    }
    Point {
        row: line,
        column: 0,
    }
}
