//! Texts as lines, each with its end.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// How far git looks for a NUL byte, which no text has.
const LOOKED_AT: usize = 8000;

/// Positions of lines have 32 bits.
const TOO_LONG: usize = 1 << 30;

/// Whether a content can be cut into lines, in any encoding.
pub(crate) fn is_text(content: &[u8]) -> bool {
    content.len() < TOO_LONG && !content[..content.len().min(LOOKED_AT)].contains(&0)
}

/// Where the lines of a text end. A line has its line feed; the last one may have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineEnds {
    ends: Vec<u32>,
}

impl LineEnds {
    pub fn of(text: &[u8]) -> Self {
        let feeds = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let mut ends: Vec<u32> = feeds.map(|(at, _)| at as u32 + 1).collect();
        if text.last().is_some_and(|byte| *byte != b'\n') {
            ends.push(text.len() as u32);
        }
        ends.shrink_to_fit();
        LineEnds { ends }
    }

    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The bytes of some lines.
    pub fn bytes(&self, lines: &Range<u32>) -> Range<usize> {
        self.start(lines.start)..self.start(lines.end)
    }

    /// The line of a byte.
    pub fn at(&self, byte: usize) -> u32 {
        self.ends.partition_point(|end| *end as usize <= byte) as u32
    }

    fn start(&self, line: u32) -> usize {
        let before = (line as usize).checked_sub(1);
        before.map_or(0, |line| self.ends[line] as usize)
    }
}

/// Lines of an old text, and the lines of a new text that replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub old: Range<u32>,
    pub new: Range<u32>,
}

/// What differs, without any context.
pub(crate) fn hunks(old: &[u8], new: &[u8]) -> Vec<Hunk> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunk = |hunk: imara_diff::Hunk| Hunk {
        old: hunk.before,
        new: hunk.after,
    };
    diff.hunks().map(hunk).collect()
}
