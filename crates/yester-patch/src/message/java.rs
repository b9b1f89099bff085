//! javac, also as Maven and Gradle show it.

use super::location::{leading, normal};
use super::{Message, name};

/// How far the symbol is from the main line.
const LOOK_AHEAD: usize = 8;

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = plain(lines[at]);
    if !line.contains(".java:") {
        return None;
    }
    let location = leading(line).filter(|location| location.file.ends_with(".java"))?;
    let text = match location.text.strip_prefix("error: ") {
        Some(text) => text,
        None if line.contains(":[") => location.text,
        None => return None,
    };
    Some(Message {
        file: Some(normal(location.file)),
        line: Some(location.line),
        names: names(lines, at, text),
    })
}

/// A line without the prefix of a build tool.
fn plain(line: &str) -> &str {
    line.strip_prefix("[ERROR]").unwrap_or(line).trim_start()
}

fn names(lines: &[&str], at: usize, text: &str) -> Vec<String> {
    if text.starts_with("cannot find symbol") {
        let after = lines.iter().skip(at + 1).take(LOOK_AHEAD);
        let after = after.take_while(|line| !plain(line).contains(".java:"));
        let mut names = Vec::new();
        for line in after {
            let line = plain(line);
            let symbol = line.strip_prefix("symbol:");
            // The kind of thing comes before its name.
            if let Some(thing) = symbol.or_else(|| line.strip_prefix("location:"))
                && let Some((_, thing)) = thing.trim_start().split_once(' ')
            {
                names.extend(name::parts(thing));
            }
        }
        return name::unique(names);
    }
    let mut names = Vec::new();
    // What is missing comes before where it is missing.
    for before in [
        "abstract method ",
        "method ",
        "constructor ",
        "package ",
        "class ",
        "symbol ",
    ] {
        if let Some((_, rest)) = text.split_once(before) {
            names.extend(name::path(
                rest.split_once('(').map_or(rest, |(word, _)| word),
            ));
        }
    }
    let is_name = |word: &&str| {
        let word = word.split('(').next().unwrap_or_default();
        word.contains('.') || word.starts_with(char::is_uppercase)
    };
    let words = text.split(' ').filter(is_name);
    names.extend(words.flat_map(name::path));
    names.extend(name::quoted(text));
    name::unique(names)
}
