use super::Language;
use crate::Grammar;

/// A longer text is not parsed just to find out what it is.
const MOST_BYTES: usize = 1 << 20;

/// The name of the language of a text, if that is quite sure.
pub(super) fn language(text: &[u8]) -> Option<&'static str> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if let Some(line) = text.strip_prefix(b"#!") {
        return interpreter(line);
    }
    let start = text.trim_ascii_start();
    if starts_with(start, b"<?xml") {
        return Some("xml");
    }
    if starts_with(start, b"<!doctype html") || starts_with(start, b"<html") {
        return Some("html");
    }
    if matches!(start.first(), Some(b'{' | b'[')) && is_json(text) {
        return Some("json");
    }
    let mut lines = text.split(|byte| *byte == b'\n').take(1000);
    let is_c = lines.any(|line| {
        let directive = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let included = directive.and_then(|directive| directive.strip_prefix(b"include"));
        included.is_some_and(|name| matches!(name.trim_ascii_start().first(), Some(b'<' | b'"')))
    });
    is_c.then_some("c")
}

/// The language of the program that the first line asks for.
fn interpreter(text: &[u8]) -> Option<&'static str> {
    let line = text.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        // Options and variables may come before the program.
        let word = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
        program = word.rsplit('/').next()?;
    }
    let program = program.trim_end_matches(|character: char| {
        character.is_ascii_digit() || matches!(character, '.' | '-')
    });
    match program {
        "sh" | "ash" | "bash" | "dash" | "ksh" | "mksh" | "zsh" => Some("bash"),
        "python" | "pypy" => Some("python"),
        "node" | "nodejs" => Some("javascript"),
        _ => None,
    }
}

/// Whether a text starts so, in small or big letters, and not just with a longer word.
fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    text.get(..start.len())
        .is_some_and(|text| text.eq_ignore_ascii_case(start))
        && !is_word(text.get(start.len()))
}

fn is_json(text: &[u8]) -> bool {
    text.len() <= MOST_BYTES
        && std::str::from_utf8(text).is_ok()
        && Language::by_name("json").is_some_and(|json| json.grammar().parse(text).faults == 0)
}
