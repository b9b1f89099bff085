//! What a compiler says is to blame.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::marker::{file, line_number, markers};

/// A shorter line is like too many others.
const SHORTEST: usize = 6;

/// The lines that messages about a text name. They are known by what they say, so that they are found again when others are
/// gone.
pub(super) struct Suspects(HashSet<Box<[u8]>>);

impl Suspects {
    /// The lines of a text that some messages name, as in `file.cpp:12:3: error`.
    pub fn new(messages: &str, text: &[u8]) -> Suspects {
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let told = Told::new(text);
        let named = messages.lines().flat_map(named);
        let named = named.filter_map(|(name, line)| told.line(name.as_bytes(), line));
        let suspects = named.filter_map(|line| lines.get(line).map(|line| line.trim_ascii()));
        let suspects = suspects.filter(|line| line.len() >= SHORTEST);
        Suspects(suspects.map(Box::from).collect())
    }

    /// Where these lines are in a text.
    pub fn places(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut start = 0;
        let mut places = Vec::new();
        if self.0.is_empty() {
            return places;
        }
        for line in text.split(|byte| *byte == b'\n') {
            if self.0.contains(line.trim_ascii()) {
                places.push(start..start + line.len());
            }
            start += line.len() + 1;
        }
        places
    }
}

/// The files and lines in a message.
fn named(message: &str) -> impl Iterator<Item = (&str, usize)> {
    message.split_whitespace().filter_map(|word| {
        let (name, rest) = word.split_once(':')?;
        let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next()?;
        Some((name, digits.parse().ok()?))
    })
}

/// Where the lines of each file are that a preprocessor tells of.
struct Told<'a>(HashMap<&'a [u8], Vec<(usize, usize)>>);

impl<'a> Told<'a> {
    fn new(text: &'a [u8]) -> Told<'a> {
        let mut files: HashMap<&[u8], Vec<(usize, usize)>> = HashMap::new();
        let (mut from, mut line) = (0, 0);
        for marker in markers(text) {
            line += text[from..marker.start]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            from = marker.start;
            let marker = &text[marker];
            if let (Some(name), Some(number)) = (file(marker), line_number(marker)) {
                files.entry(name).or_default().push((number, line + 1));
            }
        }
        Told(files)
    }

    /// The line of the text, counted from 0, that messages call the line of this number of this file.
    fn line(&self, name: &[u8], number: usize) -> Option<usize> {
        let Some(markers) = self.0.get(name) else {
            return number.checked_sub(1);
        };
        let before = markers.iter().filter(|(first, _)| *first <= number);
        let (first, line) = before.max_by_key(|(first, _)| *first)?;
        Some(line + (number - first))
    }
}

#[cfg(test)]
mod tests {
    use super::Suspects;

    #[test]
    fn messages_name_lines_that_are_found_again() {
        let text = b"int one();\nint f() { return one(); }\nint g() { return f(); }\n";
        let messages = "a.cpp:2:20:   required from here\nin a.cpp:1: at 99:1, x:y:z\n";
        let suspects = Suspects::new(messages, text);
        assert_eq!(suspects.places(text), [0..10, 11..36]);
        assert_eq!(suspects.places(&text[11..]).first(), Some(&(0..25)));
        assert!(Suspects::new("", text).places(text).is_empty());
    }

    #[test]
    fn lines_are_those_that_a_preprocessor_tells_of() {
        let text = b"# 1 \"u.c\"\n# 10 \"h.h\" 1\nint ten;\nint eleven;\n# 3 \"u.c\" 2\nint three;\n# 7 \"u.c\"\nint seven;\n";
        let places = |messages| Suspects::new(messages, text).places(text);
        let at = |line: &str| {
            let text = str::from_utf8(text).expect("text");
            let start = text.find(line).expect("there");
            start..start + line.len()
        };
        assert_eq!(places("h.h:11:5: error"), [at("int eleven;")]);
        assert_eq!(places("u.c:3: error"), [at("int three;")]);
        assert_eq!(places("u.c:7: error"), [at("int seven;")]);
    }
}
