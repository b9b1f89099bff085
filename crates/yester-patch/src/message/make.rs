//! make, ninja, cmake, and the shell: missing files and programs.

use super::location::normal;
use super::{Message, name};

/// How many lines of an error of CMake count.
const LOOK_AHEAD: usize = 8;

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = lines[at];
    if line.contains("No rule to make target ") || line.contains("no known rule to make it") {
        let files = name::segments(line).into_iter();
        return Some(Message {
            names: files.map(|file| normal(file.text)).collect(),
            ..Message::default()
        });
    }
    if let Some(place) = line.strip_prefix("CMake Error at ") {
        return cmake(place, &lines[at + 1..]);
    }
    for complaint in [
        ": not found",
        ": command not found",
        ": No such file or directory",
    ] {
        if let Some(front) = line.strip_suffix(complaint) {
            let word = front.rsplit(": ").next().unwrap_or(front);
            let word = word
                .trim_start_matches("cannot open ")
                .trim_matches(['\'', '‘', '’', '"', '`']);
            // A sentence is not a file.
            let is_one = !word.is_empty() && word.split(' ').count() <= 2;
            return is_one.then(|| Message {
                names: vec![normal(word.rsplit(' ').next().unwrap_or(word))],
                ..Message::default()
            });
        }
    }
    None
}

/// `CMakeLists.txt:3 (add_executable):` and the text below.
fn cmake(place: &str, after: &[&str]) -> Option<Message> {
    let (place, _) = place.split_once(' ')?;
    let (file, line) = super::location::whole(place)?;
    let text = after.iter().take(LOOK_AHEAD);
    let text: Vec<&str> = text
        .take_while(|line| line.is_empty() || line.starts_with(' '))
        .map(|line| line.trim())
        .collect();
    let mut names: Vec<String> = Vec::new();
    // A file is on a line of its own.
    let is_file = |line: &&&str| !line.contains(' ') && line.contains('.');
    names.extend(text.iter().filter(is_file).map(|line| normal(line)));
    for line in &text {
        names.extend(name::segments(line).into_iter().map(|one| normal(one.text)));
    }
    Some(Message {
        file: Some(normal(file)),
        line: Some(line),
        names: name::unique(names),
    })
}
