//! Python, also as unittest and pytest show it.

use super::location::{leading, normal, number};
use super::{Message, name, snippet};

/// How many lines before an error its place may be, and how many after with pytest.
const LOOK_BACK: usize = 12;
const LOOK_AHEAD: usize = 6;

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = lines[at];
    let by_pytest = line.strip_prefix("E  ").map(str::trim_start);
    let (kind, text) = by_pytest.unwrap_or(line).split_once(": ")?;
    let class = kind.rsplit('.').next().unwrap_or(kind);
    let is_class = kind
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte));
    if !is_class || !(class.ends_with("Error") || class.ends_with("Exception")) {
        return None;
    }
    // Whoever handled this one meant to.
    let after = lines
        .iter()
        .skip(at + 1)
        .find(|line| !line.trim().is_empty());
    if after.is_some_and(|after| after.contains("During handling of the above exception")) {
        return None;
    }
    let before = (at.saturating_sub(LOOK_BACK)..at).rev();
    let mut frames = before.filter_map(|before| frame(lines[before]));
    let (file, line) = frames
        .clone()
        // Code that was made while the program ran is in no file.
        .find(|(file, _)| !file.starts_with('<'))
        .or_else(|| frames.next())
        .or_else(|| by_pytest.and_then(|_| pytest_place(lines, at, kind)))?;
    let names = match class {
        "SyntaxError" | "IndentationError" | "TabError" => {
            // The source is shown before the message.
            snippet::underlined(lines, at.saturating_sub(4))
        }
        _ => names(text),
    };
    Some(Message {
        file: Some(normal(file)),
        line: Some(line),
        names,
    })
}

/// `File "x.py", line 3, in f`
fn frame(line: &str) -> Option<(&str, u32)> {
    let rest = line
        .trim_start_matches(['E', ' '])
        .strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    Some((file, number(rest)?.0))
}

/// `x.py:3: NameError` after the message, or `x.py:3: in f` before it.
fn pytest_place<'a>(lines: &[&'a str], at: usize, kind: &str) -> Option<(&'a str, u32)> {
    let after = lines.iter().skip(at + 1).take(LOOK_AHEAD);
    let after = after.filter_map(|line| leading(line).filter(|place| kind.ends_with(place.text)));
    let before = lines[at.saturating_sub(LOOK_BACK)..at].iter().rev();
    let before =
        before.filter_map(|line| leading(line).filter(|place| place.text.starts_with("in ")));
    let place = after.chain(before).next()?;
    Some((place.file, place.line))
}

fn names(text: &str) -> Vec<String> {
    let mut names = name::quoted(text.split_once(" (/").map_or(text, |(text, _)| text));
    // `K.f() got an unexpected keyword argument 'b'`
    let calls = text.split(' ').filter(|word| word.ends_with("()"));
    names.extend(calls.flat_map(name::path));
    name::unique(names)
}
