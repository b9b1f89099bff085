use super::location::{leading, normal};
use super::{Message, name, snippet};

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = lines[at];
    if !line.contains("error TS") {
        return None;
    }
    let location = leading(line)?;
    let (_, text) = location.text.strip_prefix("error TS")?.split_once(": ")?;
    let names = match name::quoted(text) {
        names if names.is_empty() => snippet::underlined(lines, at),
        names => names,
    };
    Some(Message {
        file: Some(normal(location.file)),
        line: Some(location.line),
        names,
    })
}
