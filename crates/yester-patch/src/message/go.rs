use super::location::{leading, normal};
use super::{Message, name};

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = lines[at];
    if !line.contains(".go:") {
        return None;
    }
    let line = line.trim_start_matches("vet: ");
    let location = leading(line).filter(|location| location.file.ends_with(".go"))?;
    let text = location.text;
    let names = names(text);
    // Tests write their own lines in the same form.
    if names.is_empty() && !text.starts_with("syntax error") {
        return None;
    }
    Some(Message {
        file: Some(normal(location.file)),
        line: Some(location.line),
        names,
    })
}

fn names(text: &str) -> Vec<String> {
    if let Some((import, _)) = text.split_once(" imported and not used") {
        return vec![last_part(import.trim_matches('"'))];
    }
    let package = text.strip_prefix("no required module provides package ");
    let package = package.or_else(|| text.strip_prefix("cannot find package "));
    let package = package.or_else(|| text.strip_prefix("package "));
    if let Some(package) = package {
        let word = package.split([' ', ';', ':']).next().unwrap_or_default();
        let word = word.trim_matches('"');
        return vec![word.to_owned(), last_part(word)];
    }
    for before in [
        "undefined: ",
        "declared and not used: ",
        "in call to ",
        "unknown field ",
        "missing method ",
    ] {
        if let Some((_, rest)) = text.split_once(before) {
            return name::path(rest);
        }
    }
    for after in [
        " undefined (",
        " redeclared in this block",
        " declared and not used",
        " already declared",
    ] {
        if let Some((front, _)) = text.split_once(after) {
            return name::path(front.rsplit(' ').next().unwrap_or(front));
        }
    }
    match text.strip_prefix("cannot use ") {
        Some(text) => name::unique(
            name::identifiers(text)
                .filter(|word| !is_prose(word))
                .collect(),
        ),
        None => name::quoted(text),
    }
}

/// The name that a package has by its path.
fn last_part(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

fn is_prose(word: &str) -> bool {
    [
        "as",
        "argument",
        "assignment",
        "constant",
        "does",
        "have",
        "implement",
        "in",
        "missing",
        "not",
        "of",
        "statement",
        "struct",
        "to",
        "untyped",
        "value",
        "variable",
        "want",
    ]
    .contains(&word)
}
