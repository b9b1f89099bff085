//! ld, gold, lld, mold, and the linker of macOS.

use super::location::{leading, normal, number};
use super::{Message, name};

/// How many lines before a message its function may be.
const LOOK_BACK: usize = 16;

pub(super) fn read(lines: &[&str], at: usize) -> Option<Message> {
    let line = lines[at];
    for complaint in ["undefined reference to ", "multiple definition of "] {
        if let Some((front, symbol)) = line.split_once(complaint) {
            let symbol = symbol.split_once("; ").map_or(symbol, |(symbol, _)| symbol);
            let (file, line) = place(front.trim_end().trim_end_matches(':'));
            let mut names = name::quoted(symbol);
            // Without a line, the function at least tells where the symbol is used.
            let before = &lines[at.saturating_sub(LOOK_BACK)..at];
            let function = before.iter().rev().find_map(|before| {
                let (_, function) = before.split_once(": in function ")?;
                name::quoted(function).into_iter().next()
            });
            let is_use = complaint.starts_with("undefined") && line.is_none();
            names.extend(function.filter(|_| is_use && file.is_some()));
            return Some(Message {
                file,
                line,
                names: name::unique(names),
            });
        }
    }
    for complaint in ["undefined symbol: ", "duplicate symbol: "] {
        if let Some((_, symbol)) = line.split_once(complaint) {
            let referenced = lines.get(at + 1).and_then(|next| {
                let next = next.trim_start_matches([' ', '>']);
                next.strip_prefix("referenced by ")
                    .or_else(|| next.strip_prefix("defined at "))
            });
            let word = referenced.and_then(|text| text.split(' ').next());
            let (file, line) = word.map_or((None, None), place);
            return Some(Message {
                file,
                line,
                names: name::parts(symbol),
            });
        }
    }
    if let Some((symbol, _)) = line.split_once("\", referenced from:") {
        let symbol = symbol.trim_start().trim_start_matches('"');
        // On macOS, symbols have an underscore that the source does not have.
        let symbol = symbol.strip_prefix('_').unwrap_or(symbol);
        return Some(Message {
            names: name::parts(symbol),
            ..Message::default()
        });
    }
    let library = line.split_once(": cannot find -l").map(|(_, rest)| rest);
    library.map(|library| Message {
        names: name::path(library),
        ..Message::default()
    })
}

/// The file before a symbol, which may be after the linker's own name, and its line if it is known.
fn place(text: &str) -> (Option<String>, Option<u32>) {
    let word = text.rsplit(": ").next().unwrap_or(text);
    if let Some((file, line)) = word.rsplit_once(':')
        && let Some((line, "")) = number(line)
    {
        return (Some(normal(file)), Some(line));
    }
    if let Some(location) = leading(word) {
        return (Some(normal(location.file)), Some(location.line));
    }
    let file = word.split_once(":(").map(|(file, _)| normal(file));
    // A temporary file of the compiler is no file of the user.
    (file.filter(|file| !file.starts_with("/tmp/cc")), None)
}
