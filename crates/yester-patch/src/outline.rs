//! What the deltas need to know about languages. The program supplies an implementation.

use std::ops::Range;

use crate::language::is_indentation_sensitive;

/// Knows languages.
pub trait Outliner: Send + Sync {
    /// The outline of a file, or nothing if its language is unknown. The same content gives the same outline.
    fn outline(&self, path: &str, content: &[u8]) -> Option<FileOutline>;

    /// The lines where a parser meets errors in a content, one for each. The content is mostly like BAD's, which the parser
    /// may have read before. The same contents give the same answer, whatever else was asked.
    fn faults(&self, path: &str, like: &[u8], content: &[u8]) -> Vec<u32> {
        let _ = like;
        let outline = self.outline(path, content);
        outline.map_or(Vec::new(), |outline| outline.faults)
    }
}

/// What is in a file. Lines are counted from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOutline {
    /// Functions, classes and sections in the order of their first lines, an outer one before an inner one.
    pub entities: Vec<FileEntity>,
    /// Names that are defined for other parts of the program, and the lines of their definitions. Imported names are here
    /// and in `uses`.
    pub definitions: Vec<(String, u32)>,
    /// Names that are defined for the entity around: variables in functions, parameters.
    pub locals: Vec<(String, u32)>,
    /// Names that are used, and where. Those in comments and strings do not count.
    pub uses: Vec<(String, u32)>,
    /// The bytes of comments, in order.
    pub comments: Vec<Range<usize>>,
    /// Names that are used although nothing in the file defines them there, each with its first line.
    pub open: Vec<(String, u32)>,
    /// The lines where the parser met errors, one for each.
    pub faults: Vec<u32>,
}

/// A part of a file that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntity {
    /// Its name.
    pub name: String,
    /// What it is, as in `function` or `class`, for labels.
    pub kind: String,
    /// Its lines.
    pub lines: Range<u32>,
    /// How many entities it is in.
    pub depth: u32,
}

/// A text without comments and without the blanks that mean nothing, as far as we can tell. `starts` is where the text
/// begins in the file of the comments.
pub(crate) fn significant(
    text: &[u8],
    starts: usize,
    comments: &[Range<usize>],
    path: &str,
) -> Vec<u8> {
    let from = comments.partition_point(|comment| comment.end <= starts);
    let mut bare = text.to_vec();
    for comment in comments[from..]
        .iter()
        .take_while(|comment| comment.start < starts + text.len())
    {
        let (start, end) = (
            comment.start.max(starts),
            comment.end.min(starts + text.len()),
        );
        bare[start - starts..end - starts]
            .iter_mut()
            .filter(|byte| **byte != b'\n')
            .for_each(|byte| *byte = b' ');
    }
    let keeps_indentation = is_indentation_sensitive(path);
    let mut result = Vec::new();
    for line in bare.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii_end();
        if line.is_empty() {
            continue;
        }
        if keeps_indentation {
            result.extend_from_slice(line);
            result.push(b'\n');
            continue;
        }
        // Blanks matter between two words and in strings; a line with a quote keeps what is between its ends.
        let line = line.trim_ascii_start();
        if line.iter().any(|byte| b"\"'`".contains(byte)) {
            result.extend_from_slice(line);
        } else {
            for token in crate::word::tokens(line) {
                result.extend_from_slice(token);
                result.push(b' ');
            }
            continue;
        }
        result.push(b' ');
    }
    result
}
