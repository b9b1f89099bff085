//! Brackets that are opened in one atom and closed in another.

use crate::language::has_brackets;
use crate::{FileChange, FileEdit};

/// Round, square and curly brackets, and the conditions of the C preprocessor.
const KINDS: usize = 4;

/// The atoms of a change that open and close each other's brackets, in rings: each goes from where something is opened to
/// where as much is closed.
pub(crate) fn rings(change: &FileChange) -> Vec<Vec<u32>> {
    let mut rings = Vec::new();
    if !has_brackets(change.path()) {
        return rings;
    }
    let nets: Vec<[i32; KINDS]> = change.edits.iter().map(|edit| net(change, edit)).collect();
    for kind in 0..KINDS {
        let (mut depth, mut ring) = (0, Vec::new());
        for (place, net) in nets.iter().enumerate().filter(|(_, net)| net[kind] != 0) {
            depth += net[kind];
            ring.push((change.first + place) as u32);
            if depth == 0 {
                rings.push(std::mem::take(&mut ring));
            }
        }
    }
    rings
}

/// How many more brackets of each kind are open after an atom.
fn net(change: &FileChange, edit: &FileEdit) -> [i32; KINDS] {
    let FileEdit::Line(edit) = edit else {
        return [0; KINDS];
    };
    let old = open(&change.old_content()[change.old_lines.bytes(&edit.old)]);
    let new = open(&change.new_content()[change.new_lines.bytes(&edit.new)]);
    std::array::from_fn(|kind| new[kind] - old[kind])
}

/// How many brackets of each kind a text leaves open, without those in strings and in comments on one line.
fn open(text: &[u8]) -> [i32; KINDS] {
    let mut open = [0; KINDS];
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        if let Some(directive) = line.strip_prefix(b"#") {
            let directive = directive.trim_ascii_start();
            open[3] += i32::from(directive.starts_with(b"if"));
            open[3] -= i32::from(directive.starts_with(b"endif"));
        }
        let mut rest = line;
        while let Some((byte, after)) = rest.split_first() {
            rest = match (byte, after) {
                // The middle or the start of a comment.
                (b'/', [b'/' | b'*', ..]) => break,
                (b'*', _) if rest.len() == line.len() => break,
                (b'"' | b'`', _) => after_string(after, *byte),
                // A character. Anything else with such a quote is a name, as in Rust.
                (b'\'', [b'\\', _, b'\'', rest @ ..] | [_, b'\'', rest @ ..]) => rest,
                _ => after,
            };
            match byte {
                b'(' => open[0] += 1,
                b')' => open[0] -= 1,
                b'[' => open[1] += 1,
                b']' => open[1] -= 1,
                b'{' => open[2] += 1,
                b'}' => open[2] -= 1,
                _ => {}
            }
        }
    }
    open
}

fn after_string(text: &[u8], quote: u8) -> &[u8] {
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\\' => rest = rest.get(1..).unwrap_or_default(),
            byte if *byte == quote => break,
            _ => {}
        }
    }
    rest
}
