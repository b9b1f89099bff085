use super::Language;
use crate::Grammar;

/// A longer text is not parsed just to find out what it is.
const MOST_BYTES: usize = 1 << 20;

/// The programs that a first line may ask for, without the numbers of their versions, and what they read.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("bash", &["sh", "ash", "bash", "dash", "ksh", "mksh", "zsh"]),
    ("python", &["python", "pypy"]),
    ("javascript", &["node", "nodejs"]),
];

/// How texts of a language start, in small or big letters.
const STARTS: &[(&str, &[u8])] = &[
    ("xml", b"<?xml"),
    ("html", b"<!doctype html"),
    ("html", b"<html"),
];

/// A language whose texts start with one of these bytes and have no fault.
const FAULTLESS: (&str, &[u8]) = ("json", b"{[");

/// A language in which a line near the beginning asks for another file, and with which marks around that file's name.
const INCLUDING: (&str, &[u8], &[u8]) = ("c", b"include", b"<\"");

/// The name of the language of a text, if that is quite sure.
pub(super) fn language(text: &[u8]) -> Option<&'static str> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if let Some(line) = text.strip_prefix(b"#!") {
        return interpreter(line);
    }
    let start = text.trim_ascii_start();
    let begun = STARTS.iter().find(|(_, begin)| starts_with(start, begin));
    if let Some((name, _)) = begun {
        return Some(name);
    }
    let (name, begin) = FAULTLESS;
    if start.first().is_some_and(|byte| begin.contains(byte)) && is_faultless(name, text) {
        return Some(name);
    }
    let (name, word, marks) = INCLUDING;
    let mut lines = text.split(|byte| *byte == b'\n').take(1000);
    let includes = lines.any(|line| {
        let directive = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start);
        let included = directive.and_then(|directive| directive.strip_prefix(word));
        let mark = included.and_then(|included| included.trim_ascii_start().first());
        mark.is_some_and(|mark| marks.contains(mark))
    });
    includes.then_some(name)
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
    let mut interpreters = INTERPRETERS.iter();
    let known = interpreters.find(|(_, programs)| programs.contains(&program));
    known.map(|(name, _)| *name)
}

/// Whether a text starts so, in small or big letters, and not just with a longer word.
fn starts_with(text: &[u8], start: &[u8]) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    text.get(..start.len())
        .is_some_and(|text| text.eq_ignore_ascii_case(start))
        && !is_word(text.get(start.len()))
}

fn is_faultless(name: &str, text: &[u8]) -> bool {
    text.len() <= MOST_BYTES
        && std::str::from_utf8(text).is_ok()
        && Language::by_name(name)
            .is_some_and(|language| language.grammar().parse(text).faults == 0)
}
