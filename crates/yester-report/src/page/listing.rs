//! Text with line numbers: sources, patches, and an input with what was kept of it.

use std::fmt::Write as _;

use crate::story::{StoryPlace, StorySource};
use crate::{Lineage, count, visible};

/// So many lines of an input are shown, and so many characters around what was kept in a long line.
const MOST_LINES: usize = 400;
const AROUND: usize = 80;
/// So much of a part that was kept is shown, and so many bytes of a listing are written.
const MOST_KEPT: usize = 4000;
const MOST_BYTES: usize = 300_000;
/// So many lines of a patch are shown.
const MOST_PATCH_LINES: usize = 2000;
/// So many lines are shown before and after what was kept.
const CONTEXT: usize = 1;

/// A text as it stands on a page, escaped.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for letter in visible(text).chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            letter => safe.push(letter),
        }
    }
    safe
}

fn table(label: &str, rows: &str) -> String {
    let label = escaped(label);
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><table class=\"listing\" role=\"presentation\">{rows}</table></div>"
    )
}

/// The line of a place, with the part that is meant marked.
pub(super) fn place(place: &StoryPlace) -> String {
    if place.source.is_empty() {
        return String::new();
    }
    let source = &place.source;
    let (begin, end) = place.span;
    let parts = [
        source.get(..begin),
        source.get(begin..end),
        source.get(end..),
    ];
    let line = match parts {
        [Some(before), Some(meant), Some(after)] => format!(
            "{}<mark>{}</mark>{}",
            escaped(before),
            escaped(meant),
            escaped(after)
        ),
        _ => escaped(source),
    };
    let row = format!(
        "<tr><td class=\"at\">{}</td><td>{line}</td></tr>",
        place.line
    );
    table(&format!("{}:{}", place.file, place.line), &row)
}

/// The anchor of a line of a source.
pub(super) fn anchor(source: &StorySource, line: u32, id: &str) -> String {
    let mut name = format!("{id}-{}-", source.version);
    for letter in source.file.chars() {
        match letter {
            '.' | '_' | '0'..='9' | 'a'..='z' | 'A'..='Z' => name.push(letter),
            // Whatever else is in a name, two names have two anchors.
            other => {
                let _ = write!(name, "-{:x}", u32::from(other));
            }
        }
    }
    format!("{name}-{line}")
}

/// A part of a source, with what was seen beside each line and the numbers of the steps that pass it.
pub(super) fn source(source: &StorySource, places: &[StoryPlace], id: &str) -> String {
    let mut rows = String::new();
    let mut before = None;
    for (number, text) in &source.lines {
        if before.is_some_and(|before| before + 1 < *number) {
            rows.push_str("<tr><td></td><td class=\"gap\">…</td><td></td></tr>");
        }
        before = Some(*number);
        let notes = notes(source, *number, places, id);
        let class = if notes.is_empty() {
            ""
        } else {
            " class=\"seen-line\""
        };
        let _ = write!(
            rows,
            "<tr id=\"{}\"{class}><td class=\"at\">{number}</td><td>{}</td><td class=\"beside\">{notes}</td></tr>",
            anchor(source, *number, id),
            escaped(text)
        );
    }
    table(&source.name(), &rows)
}

/// What there is to say of a line: the places that it has, and the steps of all places that pass it.
fn notes(source: &StorySource, line: u32, places: &[StoryPlace], id: &str) -> String {
    let mut notes = String::new();
    let own = places.iter().enumerate();
    let own = own.filter(|(_, place)| place.version == source.version);
    for (index, place) in own {
        let number = index + 1;
        if (&place.file, place.line) == (&source.file, line) {
            let seen = if place.seen.is_empty() {
                &place.title
            } else {
                &place.seen
            };
            let _ = write!(
                notes,
                "<a class=\"tag\" href=\"#{id}-place-{number}\">place {number}</a> {} ",
                escaped(seen)
            );
        }
        for (step, passed) in place.steps.iter().enumerate() {
            if (&passed.file, passed.line) == (&source.file, line) {
                let step = step + 1;
                let _ = write!(
                    notes,
                    "<a class=\"tag step\" href=\"#{id}-place-{number}\">{number}.{step}</a> {} ",
                    escaped(&passed.what)
                );
            }
        }
    }
    notes.trim_end().to_owned()
}

/// A patch with its lines told apart.
pub(super) fn patch(text: &str) -> String {
    let mut rows = String::new();
    let lines = text.lines().count();
    for line in text.lines().take(MOST_PATCH_LINES) {
        let class = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'@', ..] | [b'd' | b'i', ..] => {
                "meta"
            }
            [b'+', ..] => "add",
            [b'-', ..] => "del",
            _ => "same",
        };
        let _ = write!(
            rows,
            "<tr class=\"{class}\"><td>{}</td></tr>",
            escaped(line)
        );
    }
    if lines > MOST_PATCH_LINES {
        gap(&mut rows, lines - MOST_PATCH_LINES, "not shown");
    }
    table("the patch", &rows)
}

fn gap(rows: &mut String, lines: usize, what: &str) {
    let lines = count(lines as u64, "line");
    let _ = write!(
        rows,
        "<tr><td></td><td class=\"gap\">… {lines} {what}</td></tr>"
    );
}

/// A line of an input: where it is, and which parts of it were kept, by their offsets.
struct Line {
    begin: usize,
    end: usize,
    kept: Vec<(usize, usize)>,
}

/// The lines of an input that something was kept of, with what was kept marked.
pub(super) fn original(lineage: &Lineage) -> String {
    let lines = lines(lineage);
    let mut is_shown = vec![false; lines.len()];
    for index in (0..lines.len()).filter(|index| !lines[*index].kept.is_empty()) {
        let around = index.saturating_sub(CONTEXT)..(index + CONTEXT + 1).min(lines.len());
        is_shown[around].fill(true);
    }
    let (mut rows, mut shown, mut left_out) = (String::new(), 0, 0);
    for (index, line) in lines.iter().enumerate() {
        if !is_shown[index] || shown == MOST_LINES || rows.len() > MOST_BYTES {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            gap(&mut rows, left_out, "removed");
            left_out = 0;
        }
        shown += 1;
        let number = index + 1;
        let text = marked(lineage, line);
        let _ = write!(
            rows,
            "<tr id=\"in{number}\"><td class=\"at\">{number}</td><td>{text}</td></tr>"
        );
    }
    let is_cut = shown == MOST_LINES || rows.len() > MOST_BYTES;
    if left_out > 0 {
        gap(
            &mut rows,
            left_out,
            if is_cut { "not shown" } else { "removed" },
        );
    }
    table("the original input", &rows)
}

fn lines(lineage: &Lineage) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut begin = 0;
    for piece in lineage.text.split_inclusive(|byte| *byte == b'\n') {
        let end = begin + piece.len();
        lines.push(Line {
            begin,
            end: end - usize::from(piece.ends_with(b"\n")),
            kept: Vec::new(),
        });
        begin = end;
    }
    let mut at = 0;
    for part in lineage.parts.iter().filter(|part| part.gone.is_none()) {
        while lines.get(at).is_some_and(|line| line.end <= part.begin) {
            at += 1;
        }
        let touched = lines[at..]
            .iter_mut()
            .take_while(|line| line.begin < part.end);
        for line in touched {
            let (from, to) = (part.begin.max(line.begin), part.end.min(line.end));
            if from < to {
                line.kept.push((from, to));
            }
        }
    }
    lines
}

/// A line with what was kept marked. Of what was not, only the ends beside it are shown.
fn marked(lineage: &Lineage, line: &Line) -> String {
    let text = |from: usize, to: usize| escaped(&String::from_utf8_lossy(&lineage.text[from..to]));
    let between = |from: usize, to: usize, is_first: bool, is_last: bool| {
        let (head, tail) = (
            if is_first { 0 } else { AROUND },
            if is_last { 0 } else { AROUND },
        );
        if to - from <= head + tail {
            return text(from, to);
        }
        format!("{}…{}", text(from, from + head), text(to - tail, to))
    };
    let mut shown = String::new();
    let mut at = line.begin;
    for (from, to) in &line.kept {
        shown.push_str(&between(at, *from, at == line.begin, false));
        let shown_to = (*to).min(from + MOST_KEPT);
        let sign = if shown_to < *to { "…" } else { "" };
        let _ = write!(shown, "<mark>{}{sign}</mark>", text(*from, shown_to));
        at = *to;
        if shown.len() > MOST_BYTES {
            return shown + "…";
        }
    }
    shown.push_str(&between(at, line.end, false, true));
    shown
}
