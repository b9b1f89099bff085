//! A file of a candidate, to look up what a message is about.

use regex::bytes::Regex;

use crate::line::LineEnds;

/// How many places with a name are looked at.
const PLACES: usize = 16;

/// A file as a subset renders it.
pub(super) struct RenderedFile {
    text: Vec<u8>,
    lines: LineEnds,
    /// The conditions of the C preprocessor, in order: their lines, counted from 0, and the one around each.
    conditions: Vec<Condition>,
    /// For each line, the innermost condition around it.
    around: Vec<Option<u32>>,
}

struct Condition {
    /// The line of `#if` and of each `#else` so far.
    lines: Vec<u32>,
    around: Option<u32>,
}

impl RenderedFile {
    pub fn new(text: Vec<u8>) -> Self {
        let lines = LineEnds::of(&text);
        let (mut conditions, mut around) = (Vec::<Condition>::new(), Vec::new());
        let mut open = None;
        for number in 0..lines.len() {
            let line = text[lines.bytes(&(number..number + 1))].trim_ascii_start();
            let directive = line.strip_prefix(b"#").unwrap_or_default();
            let directive = directive.trim_ascii_start();
            if directive.starts_with(b"if") {
                let around = open.replace(conditions.len() as u32);
                let lines = vec![number];
                conditions.push(Condition { lines, around });
            } else if let Some(innermost) = open {
                let innermost: &mut Condition = &mut conditions[innermost as usize];
                if directive.starts_with(b"el") {
                    innermost.lines.push(number);
                } else if directive.starts_with(b"endif") {
                    open = innermost.around;
                }
            }
            around.push(open);
        }
        RenderedFile {
            text,
            lines,
            conditions,
            around,
        }
    }

    /// A line, counted from 0.
    pub fn line(&self, number: u32) -> &[u8] {
        if number >= self.lines.len() {
            return &[];
        }
        &self.text[self.lines.bytes(&(number..number + 1))]
    }

    /// The lines of the conditions around places with a name that are not around `seen`, a line that the compiler has
    /// seen: they may hide the name from it.
    pub fn hiding(&self, name: &str, seen: u32) -> Vec<u32> {
        let word = format!(r"(?-u:\b){}(?-u:\b)", regex::escape(name));
        let Some(word) = Regex::new(&word)
            .ok()
            .filter(|_| !self.conditions.is_empty())
        else {
            return Vec::new();
        };
        let seen = self.conditions_around(seen);
        let mut hiding = Vec::new();
        for found in word.find_iter(&self.text).take(PLACES) {
            let around = self.conditions_around(self.lines.at(found.start()));
            let hidden_by = around.iter().filter(|condition| !seen.contains(condition));
            hiding.extend(
                hidden_by.flat_map(|condition| &self.conditions[*condition as usize].lines),
            );
        }
        hiding.sort_unstable();
        hiding.dedup();
        hiding
    }

    /// The lines of the condition that lets through a line with `#error`.
    pub fn asked_before_error(&self, line: u32) -> Vec<u32> {
        let text = self.line(line).trim_ascii_start();
        let directive = text.strip_prefix(b"#").unwrap_or_default();
        if !directive.trim_ascii_start().starts_with(b"error") {
            return Vec::new();
        }
        let innermost = self.conditions_around(line).first().copied();
        let asked = innermost.map(|condition| self.conditions[condition as usize].lines.clone());
        let mut asked = asked.unwrap_or_default();
        asked.retain(|asked| *asked < line);
        asked
    }

    fn conditions_around(&self, line: u32) -> Vec<u32> {
        let innermost = self.around.get(line as usize).copied().flatten();
        let outwards = |condition: &u32| self.conditions[*condition as usize].around;
        std::iter::successors(innermost, outwards).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_around_a_name_hide_it_unless_they_are_around_the_place_that_was_seen() {
        let text =
            "#if A\n#ifdef B\nint f;\n#else\n# if C\nint f;\n# endif\n#endif\nuse(f)\n#endif\n";
        let rendering = RenderedFile::new(text.into());
        assert_eq!(rendering.hiding("f", 8), [1, 3, 4]);
        assert_eq!(rendering.hiding("f", 100), [0, 1, 3, 4]);
        assert!(rendering.hiding("g", 8).is_empty());
        assert_eq!(rendering.line(8), b"use(f)\n");
    }

    #[test]
    fn an_error_of_the_preprocessor_comes_from_the_condition_around_it() {
        let text = "#if A\n#if B\n#elif C\n# error no way\n#else\n#endif\nx\n#endif\n";
        let rendering = RenderedFile::new(text.into());
        assert_eq!(rendering.asked_before_error(3), [1, 2]);
        assert!(rendering.asked_before_error(6).is_empty());
    }
}
