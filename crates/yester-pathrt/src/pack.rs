//! Compression of events. Programs loop, so traces shrink about fifty-fold, and packing costs less than the pages that raw
//! events would take.
//!
//! A packed stream is a sequence of blocks. Two 32-bit words come before each: its raw size and its packed size. A raw size of 0
//! ends the stream. A block is a sequence of steps: how many literal bytes follow, these bytes, how many bytes to repeat, and how
//! far back they start. Numbers have seven bits a byte, lowest first. A step that repeats nothing is the last.
//!
//! The events after the last block are in the window: a 64-bit word with the offset in the stream at which it starts, a reserved
//! word, then raw events up to the end mark. The runtime completes a block before it empties the window, so a window that starts
//! before the end of the blocks is stale.

/// How many bytes come before the events of a window.
pub const WINDOW_HEAD: usize = 16;
/// How many bytes come before each block.
pub const BLOCK_HEAD: usize = 8;
/// How many earlier places the packer remembers.
pub const PLACES: usize = 1 << 13;

const SHORTEST_REPEAT: usize = 8;

/// How many bytes a block takes at most.
#[must_use]
pub const fn bound(raw: usize) -> usize {
    raw + raw / 64 + 64
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

/// Packs bytes into `packed`, which has at least [`bound`] bytes, and returns the packed size. `places` may have any content.
pub fn pack(raw: &[u8], packed: &mut [u8], places: &mut [u32; PLACES]) -> usize {
    let mut sink = Sink { packed, used: 0 };
    let (mut at, mut literal, mut misses) = (0, 0, 0);
    while at + SHORTEST_REPEAT <= raw.len() {
        let here = word(raw, at);
        let place = &mut places[(here.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 51) as usize];
        let before = *place as usize;
        *place = at as u32;
        if before >= at || word(raw, before) != here {
            // Look less and less often while nothing repeats.
            misses += 1;
            at += 1 + (misses >> 5);
            continue;
        }
        misses = 0;
        let mut length = SHORTEST_REPEAT;
        loop {
            if at + length + 8 > raw.len() {
                while at + length < raw.len() && raw[at + length] == raw[before + length] {
                    length += 1;
                }
                break;
            }
            let difference = word(raw, at + length) ^ word(raw, before + length);
            if difference != 0 {
                length += difference.trailing_zeros() as usize / 8;
                break;
            }
            length += 8;
        }
        sink.bytes(&raw[literal..at]);
        sink.number(length);
        sink.number(at - before);
        at += length;
        literal = at;
    }
    sink.bytes(&raw[literal..]);
    sink.number(0);
    sink.used
}

struct Sink<'a> {
    packed: &'a mut [u8],
    used: usize,
}

impl Sink<'_> {
    fn number(&mut self, mut number: usize) {
        while number >= 128 {
            self.packed[self.used] = number as u8 | 128;
            self.used += 1;
            number >>= 7;
        }
        self.packed[self.used] = number as u8;
        self.used += 1;
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.packed[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }
}

#[cfg(not(yester_runtime))]
mod unpack {
    extern crate alloc;
    use super::{BLOCK_HEAD, WINDOW_HEAD, word};
    use crate::format::end_of_events;
    use alloc::vec::Vec;

    /// The blocks of a packed stream: raw size and packed bytes of each. Stops at the first that does not fit.
    fn blocks(events: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
        let mut rest = events;
        core::iter::from_fn(move || {
            let sizes = word(rest.get(..BLOCK_HEAD)?, 0);
            let (raw, packed) = (sizes as u32 as usize, (sizes >> 32) as usize);
            if raw == 0 {
                return None;
            }
            let block = rest.get(BLOCK_HEAD..BLOCK_HEAD + packed)?;
            rest = &rest[BLOCK_HEAD + packed..];
            Some((raw, block))
        })
    }

    /// The raw events of a stream, from the contents of its `events` and `window` files. It ends at a damaged block.
    #[must_use]
    pub fn stream(events: &[u8], window: &[u8]) -> Vec<u8> {
        let mut raw = Vec::new();
        for (size, block) in blocks(events) {
            let from = raw.len();
            if unpack(block, size, &mut raw).is_none() {
                raw.truncate(from);
                return raw;
            }
        }
        if window.len() > WINDOW_HEAD && word(window, 0) == raw.len() as u64 {
            let window = &window[WINDOW_HEAD..];
            raw.extend_from_slice(&window[..end_of_events(window, 0)]);
        }
        raw
    }

    /// Unpacks a block of `size` raw bytes and appends these to `raw`; `None` if the block is damaged.
    pub fn unpack(mut block: &[u8], size: usize, raw: &mut Vec<u8>) -> Option<()> {
        let begin = raw.len();
        let end = begin.checked_add(size)?;
        loop {
            let literal = number(&mut block)?;
            raw.extend_from_slice(block.get(..literal)?);
            block = &block[literal..];
            let length = number(&mut block)?;
            if length == 0 {
                return (raw.len() == end).then_some(());
            }
            if length > end.checked_sub(raw.len())? {
                return None;
            }
            let back = number(&mut block)?;
            let mut from = raw.len().checked_sub(back).filter(|from| *from >= begin)?;
            let mut left = length;
            while left > 0 {
                // The repeated bytes may overlap the bytes that they produce.
                let part = left.min(raw.len() - from);
                if part == 0 {
                    return None;
                }
                raw.extend_from_within(from..from + part);
                from += part;
                left -= part;
            }
        }
    }

    fn number(block: &mut &[u8]) -> Option<usize> {
        let (mut number, mut shift) = (0_usize, 0);
        loop {
            let (byte, rest) = block.split_first()?;
            *block = rest;
            number |= usize::from(byte & 127).checked_shl(shift)?;
            shift += 7;
            if byte & 128 == 0 {
                return Some(number);
            }
        }
    }
}
#[cfg(not(yester_runtime))]
pub use unpack::{stream, unpack};

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(raw: &[u8], places: &mut [u32; PLACES]) -> Vec<u8> {
        let mut packed = vec![0; bound(raw.len())];
        let size = pack(raw, &mut packed, places);
        packed.truncate(size);
        packed
    }

    #[test]
    fn what_is_packed_is_unpacked_again() {
        let mut places = [0; PLACES];
        let mut seed = 1_u64;
        for case in 0..300_usize {
            let mut raw = Vec::new();
            // From all alike to all different.
            while raw.len() < case * 7 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let byte = (seed >> 60) as u8 * u8::from(case % 3 > 0);
                let times = 1 + (seed >> 40) as usize % (1 + case % 40);
                raw.extend(std::iter::repeat_n(byte, times));
                if case % 5 == 0 && raw.len() > 20 {
                    raw.extend_from_within(raw.len() / 3..raw.len() / 2);
                }
            }
            let mut again = b"before".to_vec();
            unpack(&packed(&raw, &mut places), raw.len(), &mut again).expect("a whole block");
            assert_eq!(&again[6..], raw, "case {case}");
        }
    }

    #[test]
    fn circles_take_little_room() {
        let raw: Vec<u8> = (0..200_000)
            .map(|index| [1, 3, 0xF9, 7, 2][index % 5])
            .collect();
        assert!(packed(&raw, &mut [0; PLACES]).len() < 30);
    }

    #[test]
    fn a_damaged_block_is_no_reason_to_panic() {
        let raw: Vec<u8> = (0..2_000_u32)
            .map(|index| (index * index / 7) as u8 % 5)
            .collect();
        let whole = packed(&raw, &mut [0; PLACES]);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            damaged.truncate(whole.len() - at % 3);
            let _ = unpack(&damaged, raw.len(), &mut Vec::new());
        }
    }
}
