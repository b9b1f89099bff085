use std::path::{Path, PathBuf};

/// Why a grammar or a lexer cannot be used, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", path.display())]
pub struct GrammarError {
    /// The file.
    pub path: PathBuf,
    /// The line in it, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// What is wrong with a text whose path is known elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Misreading {
    pub at: usize,
    pub message: String,
}

impl Misreading {
    pub fn new(at: usize, message: impl Into<String>) -> Misreading {
        Misreading {
            at,
            message: message.into(),
        }
    }

    /// The same with its file, and its place as people count it.
    pub fn within(self, path: &Path, text: &str) -> GrammarError {
        let (line, column) = place(text.as_bytes(), self.at);
        GrammarError {
            path: path.to_owned(),
            line,
            column,
            message: self.message,
        }
    }
}

/// The line and the character in it, both from 1, of an offset into a text.
pub(super) fn place(text: &[u8], at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let column = 1 + String::from_utf8_lossy(&before[line_start..])
        .chars()
        .count();
    (line, column)
}
