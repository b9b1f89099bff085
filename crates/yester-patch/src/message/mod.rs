//! What a failing build or test complains about, from what it prints.
//!
//! Each family of tools has a file with one function. It gets the lines and the number of one of them, and returns the
//! message whose main line that is, or nothing. It may look at the lines around.

mod cc;
mod generic;
mod go;
mod java;
mod linker;
mod location;
mod make;
mod name;
mod node;
mod python;
mod rustc;
mod snippet;
mod strip;
mod typescript;

use std::sync::LazyLock;

use regex::Regex;

/// After this many messages, the rest only follows from them.
const MOST_MESSAGES: usize = 300;

/// How many lines that may be messages are read. A program that prints the same error for an hour says nothing new.
const MOST_LINES: usize = 50_000;

/// Every main line of a message of a known tool has one of these. Nearly all lines of a long output have none, and need no
/// further look.
const WORDS: &[&str] = &[
    "error",
    "Error",
    "ERROR",
    "Exception:",
    "implicit declaration of function",
    "call to undeclared",
    "in expansion of macro",
    "undefined reference to ",
    "multiple definition of ",
    "undefined symbol: ",
    "duplicate symbol: ",
    ", referenced from:",
    ": cannot find -l",
    "No rule to make target ",
    ": not found",
    ": command not found",
    ": No such file or directory",
    ".go:",
    ".java:",
];

static ANY_WORD: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<String> = WORDS.iter().map(|word| regex::escape(word)).collect();
    Regex::new(&words.join("|")).expect("escaped words are a pattern")
});

/// What a tool complains about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The file, as the tool names it, without a leading `./`.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: Option<u32>,
    /// The names that the message is about, the most specific first. The name of a missing file is its path as the tool
    /// names it, without a leading `./`.
    pub names: Vec<String>,
}

/// Returns the message whose main line this is.
type MessageReader = fn(lines: &[&str], at: usize) -> Option<Message>;

/// From the most specific to the most general. These see only lines with one of the words. `generic` comes after them and
/// sees every line.
const READERS: &[MessageReader] = &[
    rustc::read,
    python::read,
    java::read,
    typescript::read,
    linker::read,
    cc::read,
    go::read,
    node::read,
    make::read,
];

/// What the output of a build or a test complains about, in its order, each thing once.
pub fn messages(output: &str) -> Vec<Message> {
    let output = strip::without_colours(output);
    let lines: Vec<&str> = output.lines().map(strip::shortened).collect();
    let mut messages: Vec<Message> = Vec::new();
    let mut looked_at = 0;
    for at in 0..lines.len() {
        // The shortest lines are the most frequent, and say nothing.
        if lines[at].len() < 4 {
            continue;
        }
        let has_word = ANY_WORD.is_match(lines[at]);
        let mut readers = READERS.iter().filter(|_| has_word);
        let message = readers
            .find_map(|read| read(&lines, at))
            .or_else(|| generic::read(&lines, at));
        looked_at += usize::from(has_word || message.is_some());
        let is_new = |message: &Message| {
            let is_known = |other: &Message| {
                let is_there = (&other.file, other.line) == (&message.file, message.line);
                is_there && (message.names.is_empty() || other.names == message.names)
            };
            let says_something = message.file.is_some() || !message.names.is_empty();
            says_something && !messages.iter().any(is_known)
        };
        messages.extend(message.filter(is_new));
        if messages.len() == MOST_MESSAGES || looked_at == MOST_LINES {
            break;
        }
    }
    messages
}

#[cfg(test)]
mod tests;
