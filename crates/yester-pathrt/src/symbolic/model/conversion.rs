//! Conversions in formats of scanf.

use super::super::engine::Engine;
use super::super::memory;
use super::number::is_space;
use core::ffi::c_char;

/// One conversion of a format.
pub struct Conversion {
    /// Whether its result goes somewhere.
    pub is_stored: bool,
    /// How many characters at most.
    pub width: usize,
    /// Bytes of the result.
    pub size: usize,
    /// Its letter.
    pub kind: u8,
    /// The set of `%[`, in the format.
    pub set: (u64, u64),
}

impl Conversion {
    /// Reads one behind its percent sign; also what is behind it.
    pub fn parse(place: u64) -> (Conversion, u64) {
        let mut place = place;
        let mut conversion = Conversion {
            is_stored: true,
            width: usize::MAX,
            size: 4,
            kind: 0,
            set: (0, 0),
        };
        if memory::byte(place) == b'*' {
            conversion.is_stored = false;
            place += 1;
        }
        while let character @ b'0'..=b'9' = memory::byte(place) {
            let width = if conversion.width == usize::MAX {
                0
            } else {
                conversion.width
            };
            conversion.width = width * 10 + usize::from(character - b'0');
            place += 1;
        }
        let mut halves = 0;
        loop {
            match memory::byte(place) {
                b'h' => {
                    halves += 1;
                    conversion.size = 4 >> halves;
                }
                b'l' | b'q' | b'j' | b'z' | b't' | b'L' => conversion.size = 8,
                _ => break,
            }
            place += 1;
        }
        conversion.kind = memory::byte(place);
        place += 1;
        if conversion.kind == b'p' {
            conversion.size = 8;
        }
        if conversion.kind == b'[' {
            let start = place;
            if memory::byte(place) == b'^' {
                place += 1;
            }
            // A bracket that comes first is one of the set.
            place += 1;
            while memory::byte(place) != b']' && memory::byte(place) != 0 {
                place += 1;
            }
            conversion.set = (start, place);
            place += 1;
        }
        (conversion, place)
    }

    /// Whether the model does not know something in a format.
    pub fn is_foreign(format: *const c_char) -> bool {
        let mut place = format as u64;
        while memory::byte(place) != 0 {
            place += 1;
            if memory::byte(place - 1) != b'%' {
                continue;
            }
            let start = place;
            let (conversion, behind) = Conversion::parse(place);
            place = behind;
            let known = b"diouxXpcs[n%aefgEFGA".contains(&conversion.kind);
            let is_text = b"cs[".contains(&conversion.kind);
            let wide = is_text && conversion.size == 8;
            let long = (start..behind).any(|place| memory::byte(place) == b'L');
            if !known || wide || long {
                return true;
            }
        }
        false
    }

    /// The ranges of the set.
    fn ranges(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let (mut place, end) = self.set;
        if memory::byte(place) == b'^' {
            place += 1;
        }
        core::iter::from_fn(move || {
            if place >= end {
                return None;
            }
            let first = memory::byte(place);
            if place + 2 < end && memory::byte(place + 1) == b'-' {
                place += 3;
                return Some((first, memory::byte(place - 1)));
            }
            place += 1;
            Some((first, first))
        })
    }

    /// Whether a character belongs to `%s` or `%[`.
    pub fn takes(&self, byte: u8) -> bool {
        if self.kind == b's' {
            return !is_space(byte);
        }
        let inverted = memory::byte(self.set.0) == b'^';
        self.ranges()
            .any(|(first, last)| (first..=last).contains(&byte))
            != inverted
    }

    /// The same as a node.
    pub fn takes_node(&self, engine: &mut Engine, node: u32) -> u32 {
        if self.kind == b's' {
            let space = engine.space_node(node);
            return engine.graph.not(space);
        }
        let mut member = engine.graph.truth(false);
        for (first, last) in self.ranges() {
            let inside = engine.graph.within(node, u64::from(first), u64::from(last));
            member = engine.graph.either(member, inside);
        }
        if memory::byte(self.set.0) == b'^' {
            member = engine.graph.not(member);
        }
        member
    }
}
