//! Text with line numbers: sources, patches, and an input with what was kept of it.

use std::fmt::Write as _;

use super::beside;
use crate::story::{StoryPatch, StoryPlace, StorySource};
use crate::{Lineage, count, visible};

/// So many lines of an input are shown, and so many characters around what was kept in a long line.
const MOST_LINES: usize = 400;
const AROUND: usize = 80;
/// So much of a part that was kept is shown, and so many bytes of a listing are written.
const MOST_KEPT: usize = 4000;
const MOST_BYTES: usize = 300_000;
/// So many lines of a patch are shown, and so many bytes of one line.
const MOST_PATCH_LINES: usize = 2000;
const WIDEST: usize = 4000;
/// So many lines are shown before and after what was kept.
const CONTEXT: usize = 1;

/// A text as it stands on a page, escaped.
pub(super) fn escaped(text: &str) -> String {
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

/// The beginning of a line, escaped.
fn line_of(text: &str) -> String {
    let end = text.floor_char_boundary(WIDEST);
    let more = if end < text.len() { "…" } else { "" };
    format!("{}{more}", escaped(&text[..end]))
}

/// Lines, each with a number and an anchor.
struct Listing(String);

/// A line of a listing. Its texts are escaped.
#[derive(Default)]
struct Line<'a> {
    id: &'a str,
    number: Option<u64>,
    class: &'a str,
    text: &'a str,
    beside: &'a str,
}

impl Listing {
    fn line(&mut self, line: Line<'_>) {
        let Line { id, class, .. } = line;
        let class = match class {
            "" => "line".to_owned(),
            class => format!("line {class}"),
        };
        let number = match line.number {
            Some(number) => format!("<a class=\"at\" href=\"#{id}\">{number}</a>"),
            None => "<span class=\"at\"></span>".to_owned(),
        };
        let beside = match line.beside {
            "" => String::new(),
            beside => format!("<span class=\"beside\">{beside}</span>"),
        };
        let _ = write!(
            self.0,
            "<div class=\"{class}\" id=\"{id}\">{number}<code>{}</code>{beside}</div>",
            line.text
        );
    }

    fn gap(&mut self, text: &str) {
        let _ = write!(self.0, "<div class=\"gap\">{text}</div>");
    }

    fn left_out(&mut self, lines: usize, what: &str) {
        self.gap(&format!("… {} {what}", count(lines as u64, "line")));
    }

    fn html(self, label: &str) -> String {
        format!(
            "<div class=\"listing\" role=\"group\" aria-label=\"{}\">{}</div>",
            escaped(label),
            self.0
        )
    }
}

/// The line of a place, with the part that is meant marked.
pub(super) fn place(place: &StoryPlace) -> String {
    let source = &place.source;
    let (begin, end) = place.span;
    let parts = [
        source.get(..begin),
        source.get(begin..end),
        source.get(end..),
    ];
    match parts {
        [Some(before), Some(meant), Some(after)] if source.len() <= WIDEST => format!(
            "{}<mark>{}</mark>{}",
            escaped(before.trim_start()),
            escaped(meant),
            escaped(after)
        ),
        _ => line_of(source.trim_start()),
    }
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
    let mut listing = Listing(String::new());
    let mut before = None;
    let mut removed = source.removed.iter().peekable();
    for (number, text) in &source.lines {
        if before.is_some_and(|before| before + 1 < *number) {
            listing.gap("…");
        }
        before = Some(*number);
        let own = anchor(source, *number, id);
        let mut index = 0;
        while let Some((_, text)) = removed.next_if(|(at, _)| at <= number) {
            index += 1;
            listing.line(Line {
                id: &format!("{own}-old{index}"),
                class: "del",
                text: &line_of(text),
                beside: if index == 1 { "in the old version" } else { "" },
                ..Line::default()
            });
        }
        let notes = beside::notes(source, *number, places, id);
        let class = match (notes.is_empty(), source.added.contains(number)) {
            (true, false) => "",
            (true, true) => "add",
            (false, false) => "seen-line",
            (false, true) => "add seen-line",
        };
        listing.line(Line {
            id: &own,
            number: Some(u64::from(*number)),
            class,
            text: &line_of(text),
            beside: &notes,
        });
    }
    listing.html(&source.name())
}

/// A text as it is, line by line.
pub(super) fn text(text: &str, label: &str, id: &str) -> String {
    let mut listing = Listing(String::new());
    for (index, line) in text.lines().enumerate() {
        listing.line(Line {
            id: &format!("{id}-{}", index + 1),
            number: Some(index as u64 + 1),
            text: &line_of(line),
            ..Line::default()
        });
    }
    listing.html(label)
}

/// A patch with its lines told apart, and beside each part whether it is the cause.
pub(super) fn patch(text: &str, patch: &StoryPatch, id: &str) -> String {
    let mut listing = Listing(String::new());
    let mut roles = beside::Roles::of(text, patch);
    // The numbers of the next lines, and how many of the hunk are left: what looks like a header there is a line.
    let (mut old, mut new, mut old_left, mut new_left) = (0, 0, 0, 0);
    let lines = text.lines().count();
    for (row, line) in text.lines().take(MOST_PATCH_LINES).enumerate() {
        let is_inside = old_left + new_left > 0;
        let (class, number) = match line.as_bytes() {
            [b'+', ..] if is_inside => {
                (new, new_left) = (new + 1, u64::saturating_sub(new_left, 1));
                ("add", Some(new - 1))
            }
            [b'-', ..] if is_inside => {
                (old, old_left) = (old + 1, u64::saturating_sub(old_left, 1));
                ("del", Some(old - 1))
            }
            [b'\\', ..] => ("meta", None),
            _ if is_inside => {
                (old, old_left) = (old + 1, u64::saturating_sub(old_left, 1));
                (new, new_left) = (new + 1, u64::saturating_sub(new_left, 1));
                ("", Some(new - 1))
            }
            _ => {
                if let Some(ranges) = hunk_ranges(line) {
                    ((old, old_left), (new, new_left)) = ranges;
                }
                ("meta", None)
            }
        };
        let beside = roles.next(line, class);
        listing.line(Line {
            id: &format!("{id}-{}", row + 1),
            number,
            class,
            text: &line_of(line),
            beside: &beside,
        });
    }
    if lines > MOST_PATCH_LINES {
        listing.left_out(lines - MOST_PATCH_LINES, "not shown");
    }
    listing.html("the patch")
}

/// Where a hunk begins in both files, and how many lines it has there.
pub(super) fn hunk_ranges(line: &str) -> Option<((u64, u64), (u64, u64))> {
    let ranges = line.strip_prefix("@@ -")?;
    let (old, rest) = ranges.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| {
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, length.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

/// A line of an input: where it is, and which parts of it were kept, by their offsets.
struct InputLine {
    begin: usize,
    end: usize,
    kept: Vec<(usize, usize)>,
}

/// The lines of an input that something was kept of, with what was kept marked.
pub(super) fn original(lineage: &Lineage, id: &str) -> String {
    let lines = lines(lineage);
    let mut is_shown = vec![false; lines.len()];
    for index in (0..lines.len()).filter(|index| !lines[*index].kept.is_empty()) {
        let around = index.saturating_sub(CONTEXT)..(index + CONTEXT + 1).min(lines.len());
        is_shown[around].fill(true);
    }
    let (mut listing, mut shown, mut left_out) = (Listing(String::new()), 0, 0);
    for (index, line) in lines.iter().enumerate() {
        if !is_shown[index] || shown == MOST_LINES || listing.0.len() > MOST_BYTES {
            left_out += 1;
            continue;
        }
        if left_out > 0 {
            listing.left_out(left_out, "removed");
            left_out = 0;
        }
        shown += 1;
        let number = index as u64 + 1;
        listing.line(Line {
            id: &format!("{id}-{number}"),
            number: Some(number),
            class: if line.kept.is_empty() { "gone" } else { "" },
            text: &marked(lineage, line),
            ..Line::default()
        });
    }
    let is_cut = shown == MOST_LINES || listing.0.len() > MOST_BYTES;
    if left_out > 0 {
        listing.left_out(left_out, if is_cut { "not shown" } else { "removed" });
    }
    listing.html("the original input")
}

fn lines(lineage: &Lineage) -> Vec<InputLine> {
    let mut lines = Vec::new();
    let mut begin = 0;
    for piece in lineage.text.split_inclusive(|byte| *byte == b'\n') {
        let end = begin + piece.len();
        lines.push(InputLine {
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
fn marked(lineage: &Lineage, line: &InputLine) -> String {
    let text = |from: usize, to: usize| escaped(&String::from_utf8_lossy(&lineage.text[from..to]));
    let between = |from: usize, to: usize, is_first: bool, is_last: bool| {
        let (head, tail) = (
            if is_first { 0 } else { AROUND },
            if is_last { 0 } else { AROUND },
        );
        if to - from <= AROUND.max(head + tail) {
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
