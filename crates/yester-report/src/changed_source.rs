//! A part of the input that is another in an input that was made.

use std::fmt::Write as _;

use serde::Serialize;

use crate::sheet::Sheet;

/// So much of an input is shown.
const WIDEST: usize = 60;

/// A part of the input.
#[derive(Clone, Debug, Serialize)]
pub struct ChangedSource {
    /// `stdin`, `file:PATH` or `arg:N`.
    pub source: String,
    /// Your input there; bytes that are not UTF-8 are written as `\xff`.
    pub was: String,
    /// The alternate input there.
    pub becomes: String,
    /// The offsets of the bytes that differ.
    pub offsets: Vec<usize>,
    /// Both as they are.
    #[serde(skip)]
    bytes: [Vec<u8>; 2],
}

impl ChangedSource {
    /// A part that differs. None if it does not.
    pub fn new(source: String, was: &[u8], becomes: &[u8]) -> Option<ChangedSource> {
        let longest = was.len().max(becomes.len());
        let offsets: Vec<usize> = (0..longest)
            .filter(|at| was.get(*at) != becomes.get(*at))
            .collect();
        (!offsets.is_empty()).then(|| ChangedSource {
            source,
            was: text(was),
            becomes: text(becomes),
            offsets,
            bytes: [was.to_vec(), becomes.to_vec()],
        })
    }

    /// Both texts below each other, under these names.
    pub(crate) fn shown(&self, names: [&str; 2]) -> String {
        let mut sheet = Sheet::default();
        self.tell(names, &mut sheet);
        sheet.finish()
    }

    /// Shows both texts below each other, under these names.
    pub(crate) fn tell(&self, names: [&str; 2], sheet: &mut Sheet) {
        let (was, becomes, marks) = self.lines();
        let source = &self.source;
        let width = names[0].len().max(names[1].len());
        let blank = " ".repeat(width + 2 + source.chars().count());
        sheet.line(format!("  {:<width$}  {source}  {was}", names[0]));
        sheet.line(format!("  {:<width$}  {source}  {becomes}", names[1]));
        sheet.line(format!("  {blank}  {marks}"));
    }

    /// Both texts from a little before the first difference on, and marks below what differs.
    fn lines(&self) -> (String, String, String) {
        let first = self
            .offsets
            .first()
            .copied()
            .unwrap_or_default()
            .saturating_sub(20);
        let cut = |bytes: &[u8]| -> Vec<String> {
            let pieces = pieces(bytes);
            let behind = pieces.iter().skip_while(|(at, _)| *at < first);
            let mut behind = behind.map(|(_, shown)| shown.clone());
            let mut shown: Vec<String> = behind.by_ref().take(WIDEST).collect();
            if first > 0 {
                shown.insert(0, "…".to_owned());
            }
            if behind.next().is_some() {
                shown.push("…".to_owned());
            }
            shown
        };
        let [was, becomes] = self.bytes.each_ref().map(|bytes| cut(bytes));
        let mut shown = (String::new(), String::new(), String::new());
        for index in 0..was.len().max(becomes.len()) {
            let pair =
                [was.get(index), becomes.get(index)].map(|one| one.map_or("", String::as_str));
            let width = pair
                .iter()
                .map(|one| one.chars().count())
                .max()
                .unwrap_or(0);
            let mark = if pair[0] == pair[1] { " " } else { "^" };
            let _ = write!(shown.0, "{:<width$}", pair[0]);
            let _ = write!(shown.1, "{:<width$}", pair[1]);
            shown.2.push_str(&mark.repeat(width));
        }
        (
            shown.0.trim_end().to_owned(),
            shown.1.trim_end().to_owned(),
            shown.2.trim_end().to_owned(),
        )
    }
}

/// Bytes as text. What is not UTF-8 is written as `\xff`, so that two inputs that differ never look the same.
fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// What is shown of each character, or of each byte that belongs to none, and where it begins.
fn pieces(bytes: &[u8]) -> Vec<(usize, String)> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    for chunk in bytes.utf8_chunks() {
        for (at, one) in chunk.valid().char_indices() {
            pieces.push((begin + at, one.escape_debug().to_string()));
        }
        begin += chunk.valid().len();
        for byte in chunk.invalid() {
            pieces.push((begin, format!("\\x{byte:02x}")));
            begin += 1;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(was: &[u8], becomes: &[u8]) -> ChangedSource {
        ChangedSource::new("stdin".to_owned(), was, becomes).expect("they differ")
    }

    #[test]
    fn marks_stand_below_what_differs() {
        let change = changed(b"ab\n", b"aB\n");
        let expected = ("ab\\n", "aB\\n", " ^");
        let (was, becomes, marks) = change.lines();
        assert_eq!((was.as_str(), becomes.as_str(), marks.as_str()), expected);
    }

    #[test]
    fn an_input_that_is_not_shown_whole_has_a_sign_at_each_end_that_is_cut() {
        let was = format!("{}9{}", "x".repeat(30), "y".repeat(90));
        let change = changed(was.as_bytes(), was.replace('9', "8").as_bytes());
        let (was, becomes, marks) = change.lines();
        let expected = |digit: char| format!("…{}{digit}{}…", "x".repeat(20), "y".repeat(39));
        assert_eq!((was, becomes), (expected('9'), expected('8')));
        assert_eq!(marks, format!("{}^", " ".repeat(21)));
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_once_and_do_not_shift_what_is_behind_them() {
        let before = [b"\xff".repeat(30), b"\xc3\xa4".to_vec()].concat();
        let was = [&before[..], b"\xfe9"].concat();
        let becomes = [&before[..], b"\xfe8"].concat();
        let change = changed(&was, &becomes);
        assert_eq!(change.offsets, [33]);
        let (was, _, marks) = change.lines();
        let expected = format!("…{}ä\\xfe9", r"\xff".repeat(17));
        assert_eq!(was, expected);
        assert_eq!(marks.chars().count(), expected.chars().count());
        assert!(marks.trim_start() == "^", "{marks}");
    }
}
