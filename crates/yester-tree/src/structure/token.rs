//! What a line is made of: groups, strings, words and signs, and items of them.

use std::ops::Range;

use super::bracket::Bracket;
use super::shape::{Part, Shape};
use crate::size::is_word;

/// A text and the brackets of one or more of its lines.
#[derive(Clone, Copy)]
pub(super) struct Marked<'a> {
    pub text: &'a [u8],
    pub brackets: &'a [Bracket],
}

impl<'a> Marked<'a> {
    /// The items of a line with what separates them, or its tokens if nothing does. Its brackets start at this one.
    pub(super) fn line(self, range: Range<usize>, bracket: usize, parts: &mut Vec<Part>) {
        let last = self.items(range, bracket, parts);
        if last.start > 0 {
            last.join(parts);
        }
    }

    /// The brackets or quotes of a group or string, and the items between them.
    pub(super) fn group(self, part: &Part, parts: &mut Vec<Part>) {
        let range = part.range();
        let inner = range.start + 1..range.end - 1;
        parts.push(Part::new(Shape::Delimiter, range.start..inner.start));
        self.items(inner.clone(), part.bracket as usize, parts)
            .join(parts);
        parts.push(Part::new(Shape::Delimiter, inner.end..range.end));
    }

    /// The tokens of an item.
    pub(super) fn item(self, part: &Part, parts: &mut Vec<Part>) {
        parts.extend(self.tokens(part.range(), part.bracket as usize));
    }

    /// Joins all items but the last one, which it tells.
    fn items(self, range: Range<usize>, bracket: usize, parts: &mut Vec<Part>) -> OpenItem {
        let mut item = OpenItem {
            start: parts.len(),
            bracket,
        };
        let mut tokens = self.tokens(range, bracket);
        while let Some(token) = tokens.next() {
            let is_separator = matches!(self.text[token.start as usize], b',' | b';');
            if is_separator {
                item.join(parts);
                parts.push(Part {
                    shape: Shape::Separator,
                    ..token
                });
                item.start = parts.len();
                item.bracket = tokens.bracket;
            } else {
                parts.push(token);
            }
        }
        item
    }

    fn tokens(self, range: Range<usize>, bracket: usize) -> Tokens<'a> {
        Tokens {
            marked: self,
            at: range.start,
            end: range.end,
            bracket,
        }
    }
}

/// An item as the tokens at the end of a list of parts.
struct OpenItem {
    start: usize,
    /// The first bracket in it.
    bracket: usize,
}

impl OpenItem {
    /// Makes one part of the tokens, if there are several.
    fn join(&self, parts: &mut Vec<Part>) {
        if let [first, .., last] = parts[self.start..] {
            parts.truncate(self.start);
            parts.push(Part {
                shape: Shape::Item,
                start: first.start,
                end: last.end,
                bracket: self.bracket as u32,
            });
        }
    }
}

/// The tokens of a part of a line, from left to right.
struct Tokens<'a> {
    marked: Marked<'a>,
    at: usize,
    end: usize,
    /// The first bracket from here on.
    bracket: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let text = &self.marked.text[..self.end];
        let skipped = text[self.at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace());
        let start = self.at + skipped.count();
        let byte = *text.get(start)?;
        let mut part = Part::new(Shape::Sign, start..start + 1);
        if let Some(bracket) = self.marked.brackets.get(self.bracket)
            && bracket.open as usize == start
        {
            self.bracket += 1;
            if bracket.end > 0 {
                part.shape = match byte {
                    b'"' | b'\'' => Shape::String,
                    _ => Shape::Group,
                };
                part.end = bracket.end;
                part.bracket = self.bracket as u32;
                self.bracket = bracket.next as usize;
            }
        } else if is_word(byte) {
            let length = text[start..].iter().take_while(|byte| is_word(**byte));
            part = Part::new(Shape::Word, start..start + length.count());
        }
        self.at = part.end as usize;
        Some(part)
    }
}
