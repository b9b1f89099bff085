//! Expressions for the results of functions on one string: its length, the first place of something in it.

use super::super::engine::Engine;
use super::StringSpan;

/// What a search is for.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// A byte with this node.
    Byte(u32),
    /// Any byte of a string without its zero.
    Any(StringSpan),
    /// No byte of a string.
    None(StringSpan),
}

/// What a search gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SearchResult {
    /// How many bytes stand before the place.
    Count,
    /// The place, or null at the end of the string.
    Pointer,
}

/// Longer than any text.
const FAR: u64 = 1 << 40;

impl Engine {
    /// The length of a string.
    pub fn length_node(&mut self, text: StringSpan) -> u32 {
        // If the last zero is only assumed, the text goes on behind it without.
        let is_assumed = text.length > 0 && {
            let last = self.byte(text.start + text.length - 1);
            let ends = self.graph.is(last, 0);
            ends != 0 && self.graph.is_known(ends)
        };
        let mut node = self
            .graph
            .constant(64, if is_assumed { FAR } else { text.length });
        for index in (0..text.length).rev() {
            let byte = self.byte(text.start + index);
            let zero = self.graph.is(byte, 0);
            let here = self.graph.constant(64, index);
            node = self.graph.choose(zero, here, node);
        }
        node
    }

    /// Whether a byte is what is searched for.
    fn matches(&mut self, byte: u32, wanted: Wanted) -> u32 {
        match wanted {
            Wanted::Byte(other) => self
                .graph
                .binary(crate::format::Operation::Equal, byte, other),
            Wanted::Any(set) => self.member(byte, set),
            Wanted::None(set) => {
                let member = self.member(byte, set);
                self.graph.not(member)
            }
        }
    }

    /// Whether a byte is one of a string.
    pub fn member(&mut self, byte: u32, set: StringSpan) -> u32 {
        let mut node = self.graph.truth(false);
        for index in 0..set.length {
            let other = self.byte(set.start + index);
            let equal = self
                .graph
                .binary(crate::format::Operation::Equal, byte, other);
            node = self.graph.either(node, equal);
        }
        node
    }

    /// The first place in a string of what is wanted, within `limit` bytes.
    pub fn first(&mut self, text: StringSpan, wanted: Wanted, answer: SearchResult) -> u32 {
        let end = self.graph.constant(8, 0);
        let found = match wanted {
            // The end of the string can be searched for; sets do not have it.
            Wanted::Byte(_) => self.matches(end, wanted),
            _ => self.graph.truth(false),
        };
        let mut node = self.place(text, text.length, found, answer);
        for index in (0..text.length).rev() {
            let byte = self.byte(text.start + index);
            let ends = self.graph.is(byte, 0);
            let found = self.matches(byte, wanted);
            let stop = match wanted {
                Wanted::Byte(_) => found,
                Wanted::Any(_) | Wanted::None(_) => {
                    let goes_on = self.graph.not(ends);
                    self.graph.both(found, goes_on)
                }
            };
            let at_end = self.place(text, index, stop, answer);
            let either = self.graph.either(stop, ends);
            node = self.graph.choose(either, at_end, node);
        }
        node
    }

    fn place(&mut self, text: StringSpan, index: u64, found: u32, answer: SearchResult) -> u32 {
        if answer == SearchResult::Count {
            return self.graph.constant(64, index);
        }
        let here = self.graph.constant(64, text.start + index);
        let nowhere = self.graph.constant(64, 0);
        self.graph.choose(found, here, nowhere)
    }

    /// The last place of a byte in a string.
    pub fn last(&mut self, text: StringSpan, wanted: u32) -> u32 {
        let zero = self.graph.constant(8, 0);
        let nowhere = self.graph.constant(64, 0);
        let mut node = nowhere;
        for index in (0..=text.length).rev() {
            let byte = if index == text.length {
                zero
            } else {
                self.byte(text.start + index)
            };
            let found = self
                .graph
                .binary(crate::format::Operation::Equal, byte, wanted);
            let here = self.graph.constant(64, text.start + index);
            let here = self.graph.choose(found, here, nowhere);
            let ends = self.graph.is(byte, 0);
            let none_after = self.graph.is(node, 0);
            let last = self.graph.either(ends, none_after);
            node = self.graph.choose(last, here, node);
        }
        node
    }

    /// The first place of a byte in `size` bytes of memory, zeros or not.
    pub fn first_in_memory(&mut self, start: u64, size: u64, wanted: u32) -> u32 {
        let mut node = self.graph.constant(64, 0);
        for index in (0..size).rev() {
            let byte = self.byte(start + index);
            let found = self
                .graph
                .binary(crate::format::Operation::Equal, byte, wanted);
            let here = self.graph.constant(64, start + index);
            node = self.graph.choose(found, here, node);
        }
        node
    }

    /// The first place of one string in another.
    pub fn first_text(&mut self, text: StringSpan, wanted: StringSpan) -> u32 {
        let mut node = self.graph.constant(64, 0);
        if wanted.length == 0 {
            return self.graph.constant(64, text.start);
        }
        for index in (0..text.length).rev() {
            let byte = self.byte(text.start + index);
            let ends = self.graph.is(byte, 0);
            let nowhere = self.graph.constant(64, 0);
            node = self.graph.choose(ends, nowhere, node);
            if index + wanted.length > text.length {
                continue;
            }
            let mut matches = self.graph.truth(true);
            for offset in 0..wanted.length {
                let one = self.byte(text.start + index + offset);
                let other = self.byte(wanted.start + offset);
                let equal = self
                    .graph
                    .binary(crate::format::Operation::Equal, one, other);
                matches = self.graph.both(matches, equal);
            }
            let here = self.graph.constant(64, text.start + index);
            node = self.graph.choose(matches, here, node);
        }
        node
    }
}
