//! gcc, clang, and compilers with the same messages.

use super::location::{leading, normal};
use super::{Message, name, snippet};

/// How many lines a message and its notes may have.
const LOOK_AROUND: usize = 12;

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let location = leading(lines[at])?;
    let names = match complaint(location.text) {
        Some(text) => names(lines, at, text),
        None => expanded(lines, at, location.text)?,
    };
    Some(Message {
        file: Some(normal(location.file)),
        line: Some(location.line),
        names,
    })
}

/// What an error says.
fn complaint(text: &str) -> Option<&str> {
    match text.split_once(": ")? {
        ("error" | "fatal error", text) => Some(text),
        // With an old compiler these fail only in the linker, or in the test.
        ("warning", text)
            if text.contains("implicit declaration of function")
                || text.contains("call to undeclared") =>
        {
            Some(text)
        }
        _ => None,
    }
}

fn names(lines: &[&str], at: usize, text: &str) -> Vec<String> {
    if let Some(file) = missing_file(text) {
        return vec![normal(file)];
    }
    let mut names = match name::quoted(text) {
        names if names.is_empty() => snippet::underlined(lines, at),
        names => names,
    };
    // A header that is included defines what a note says that it does.
    let header = notes(lines, at).find_map(header);
    names.splice(0..0, header.map(str::to_owned));
    names
}

/// The names of an error in the body of a macro, for the place where the macro is used.
fn expanded(lines: &[&str], at: usize, text: &str) -> Option<Vec<String>> {
    let macro_name = text.strip_prefix("note: in expansion of macro ")?;
    let mut before = (at.saturating_sub(LOOK_AROUND)..at).rev();
    let main = before.find_map(|main| {
        let text = leading(lines[main]).and_then(|location| complaint(location.text));
        text.map(|text| names(lines, main, text))
    });
    let mut names = main?;
    names.extend(name::quoted(macro_name));
    Some(name::unique(names))
}

/// The notes of a message.
fn notes<'a>(lines: &[&'a str], at: usize) -> impl Iterator<Item = &'a str> {
    let after = lines.iter().skip(at + 1).take(LOOK_AROUND);
    let texts = after.filter_map(|line| leading(line).map(|location| location.text));
    texts.map_while(|text| text.strip_prefix("note: "))
}

/// The header that a note asks for, without its extension.
fn header(note: &str) -> Option<&str> {
    let (_, rest) = note
        .split_once("is defined in header ")
        .or_else(|| note.split_once("include "))?;
    let (_, rest) = rest.split_once('<')?;
    let (header, _) = rest.split_once('>')?;
    header.split('.').next()
}

/// The header that is not there.
fn missing_file(text: &str) -> Option<&str> {
    let by_gcc = text.strip_suffix(": No such file or directory");
    let by_clang = text.strip_suffix(" file not found");
    by_gcc.or_else(|| by_clang.map(|file| file.trim_matches(['\'', '"'])))
}
