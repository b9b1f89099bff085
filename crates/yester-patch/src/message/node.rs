//! node and the programs in it.

use super::location::{normal, whole};
use super::{Message, name};

/// How many lines before an error its place may be, and how many after.
const LOOK_BACK: usize = 6;
const LOOK_AHEAD: usize = 12;

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = lines[at].trim_start().trim_start_matches("Uncaught ");
    let (kind, text) = line.split_once(": ")?;
    let is_error = match kind {
        "ReferenceError" | "SyntaxError" | "TypeError" | "Error [ERR_MODULE_NOT_FOUND]" => true,
        "Error" => text.starts_with("Cannot find module"),
        // The form of node's own test runner.
        "error" => text.starts_with('\'') && complaint(text.trim_matches('\'')).is_some(),
        _ => false,
    };
    if !is_error {
        return None;
    }
    let text = match kind {
        "error" => text.trim_matches('\''),
        _ => text,
    };
    let mut names = complaint(text).unwrap_or_else(|| name::quoted(text));
    if text.contains(" of undefined (reading ") || text.contains(" of null (reading ") {
        let owner = owner(&lines[at.saturating_sub(LOOK_BACK)..at], &names);
        names.splice(0..0, owner);
    }
    let header = (at.saturating_sub(LOOK_BACK)..at).rev().find_map(|before| {
        let place = whole(lines[before]);
        place.filter(|(file, _)| is_own(file))
    });
    let frames = lines.iter().skip(at + 1).take(LOOK_AHEAD);
    let importer = text.split_once("imported from ").map(|(_, file)| file);
    let place = header.or_else(|| frames.clone().find_map(|line| frame(line)));
    let required = frames.clone().find_map(|line| line.strip_prefix("- "));
    let file = importer
        .or_else(|| place.map(|(file, _)| file))
        .or(required);
    let line = place.filter(|_| importer.is_none()).map(|(_, line)| line);
    Some(Message {
        file: file.map(normal),
        line,
        names,
    })
}

/// What lacks a property in the source that node shows: `marked.defaults` in `(opt || marked.defaults).silent`.
fn owner(shown: &[&str], property: &[String]) -> Option<String> {
    let access = format!(".{}", property.first()?);
    let before = shown
        .iter()
        .rev()
        .find_map(|line| line.split_once(&access))?
        .0;
    let before = before.trim_end_matches([')', ']', '!', '?']);
    let last = before
        .rsplit(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '$')));
    name::identifiers(last.into_iter().next()?).next()
}

/// The names in the complaints of node.
fn complaint(text: &str) -> Option<Vec<String>> {
    for end in [
        " is not defined",
        " is not a function",
        " is not a constructor",
        " is not iterable",
    ] {
        if let Some((front, _)) = text.split_once(end) {
            let word = front.rsplit(' ').next().unwrap_or(front);
            return Some(name::path(word.trim_end_matches("(...)")));
        }
    }
    if let Some((_, rest)) = text.split_once("does not provide an export named ") {
        let mut names = name::quoted(rest);
        names.extend(name::quoted(text));
        return Some(name::unique(names));
    }
    for before in ["Cannot find module ", "Cannot find package "] {
        if let Some(rest) = text.strip_prefix(before) {
            let module = name::segments(rest).into_iter().next()?.text;
            return Some(vec![normal(module)]);
        }
    }
    if let Some((_, rest)) = text.split_once("(reading ") {
        return Some(name::quoted(rest.trim_end_matches(')')));
    }
    None
}

/// The place of a line of a stack: `at f (file:1:2)`, `at file:1:2`, or without the `at`.
fn frame(line: &str) -> Option<(&str, u32)> {
    let line = line.trim();
    let is_frame = line.starts_with("at ") || line.ends_with(')') || line.starts_with('/');
    let place = line.rsplit(['(', ' ']).next()?.trim_end_matches(')');
    whole(place).filter(|(file, _)| is_frame && is_own(file))
}

/// Whether a file is the user's own and not node's.
fn is_own(file: &str) -> bool {
    !file.starts_with("node:")
        && !file.contains("/node_modules/")
        && !file.contains(' ')
        && file.contains(['/', '\\', '.'])
}
