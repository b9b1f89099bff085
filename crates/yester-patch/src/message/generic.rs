//! Any tool that names a place and quotes a name.

use super::location::{leading, normal};
use super::{Message, name};

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = lines[at];
    let location = leading(line.trim_start())?;
    let text = location.text;
    let starts = |word: &str| {
        let start = text.as_bytes().get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    let is_error = text.contains("rror") || starts("fatal");
    // Most lines end here, and there are many.
    if !is_error && !text.contains(name::MARKS) {
        return None;
    }
    if ["note", "warning", "remark", "info", "debug"]
        .into_iter()
        .any(starts)
    {
        return None;
    }
    let names = name::quoted(text);
    (is_error || !names.is_empty()).then(|| Message {
        file: Some(normal(location.file)),
        line: Some(location.line),
        names,
    })
}
