use super::location::{normal, whole};
use super::{Message, name, snippet};

/// How far the place is from the main line.
const LOOK_AHEAD: usize = 4;

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let text = lines[at].strip_prefix("error")?;
    let text = match text.strip_prefix('[') {
        Some(text) => text.split_once("]: ")?.1,
        None => text.strip_prefix(": ")?,
    };
    let mut after = lines.iter().skip(at + 1).take(LOOK_AHEAD);
    let place = after.find_map(|line| line.trim_start().strip_prefix("--> "))?;
    let (file, line) = whole(place)?;
    let mut names = name::quoted(text);
    if names.is_empty() {
        names = snippet::underlined(lines, at);
        // The words behind the marks say what was expected.
        let labels = lines
            .iter()
            .skip(at + 1)
            .take_while(|line| !line.is_empty());
        let marks = labels.filter(|line| line.contains("^ ")).take(1);
        names.extend(marks.flat_map(|line| name::quoted(line)));
    }
    Some(Message {
        file: Some(normal(file)),
        line: Some(line),
        names: name::unique(names),
    })
}
