//! The sources of symbolic bytes: which ones the user chose, and the input byte for each of their offsets.

use super::memory::Region;
use crate::format::{InputByteRecord, head};

/// The most sources that are told apart.
pub const MOST_SOURCES: usize = 64;
const MOST_OFFSETS: usize = 1 << 22;

/// A file on this machine: device and inode.
pub type FileIdentity = (u64, u64);

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenSource {
    /// Standard input.
    Stdin,
    /// A file with the path that was given.
    File(&'static [u8]),
    /// A string of argv.
    Argument(usize),
    /// What is added to a value by an intervention.
    Intervention,
    /// Not recognised.
    Unknown,
}

impl ChosenSource {
    fn parse(line: &'static [u8]) -> ChosenSource {
        if line == b"stdin" {
            return ChosenSource::Stdin;
        }
        if line == b"intervention" {
            return ChosenSource::Intervention;
        }
        if let Some(path) = line.strip_prefix(b"file:") {
            return ChosenSource::File(path);
        }
        line.strip_prefix(b"arg:")
            .filter(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
            .map_or(ChosenSource::Unknown, |digits| {
                ChosenSource::Argument(digits.iter().fold(0_usize, |number, digit| {
                    number
                        .saturating_mul(10)
                        .saturating_add(usize::from(digit - b'0'))
                }))
            })
    }
}

/// All symbolic input.
pub struct Inputs {
    head: *mut u64,
    bytes: Region<InputByteRecord>,
    length: usize,
    sources: [ChosenSource; MOST_SOURCES],
    /// Which file a source is, if known.
    pub identities: [Option<FileIdentity>; MOST_SOURCES],
    by_offset: [Region<u32>; MOST_SOURCES],
    /// How many there are.
    pub count: usize,
}

impl Inputs {
    /// The sources in `lines`; nothing was read yet.
    pub fn new(head: *mut u64, bytes: Region<InputByteRecord>, lines: &'static [u8]) -> Inputs {
        let mut inputs = Inputs {
            head,
            bytes,
            length: 0,
            sources: [ChosenSource::Unknown; MOST_SOURCES],
            identities: [None; MOST_SOURCES],
            by_offset: [const { Region::empty() }; MOST_SOURCES],
            count: 0,
        };
        if lines.is_empty() {
            return inputs;
        }
        for line in lines.split(|&byte| byte == b'\n').take(MOST_SOURCES) {
            inputs.sources[inputs.count] = ChosenSource::parse(line);
            inputs.count += 1;
        }
        inputs
    }

    /// What a source is.
    pub fn source(&self, index: usize) -> ChosenSource {
        self.sources[index]
    }

    /// The source that is this file.
    pub fn with_identity(&self, identity: FileIdentity) -> Option<usize> {
        (0..self.count).find(|&source| self.identities[source] == Some(identity))
    }

    /// The number of the input byte at an offset of a source. None if there is no room, or if the byte was another when it
    /// was read before.
    pub fn index(&mut self, source: usize, offset: u64, value: u8) -> Option<u32> {
        if self.by_offset[source].capacity() == 0 {
            self.by_offset[source] = Region::reserve(MOST_OFFSETS);
        }
        let offsets = &self.by_offset[source];
        let offset_index = usize::try_from(offset).ok()?;
        if offset_index >= offsets.capacity() {
            return None;
        }
        let known = offsets.get(offset_index);
        if known != 0 {
            return (self.bytes.get(known as usize - 1).value == value).then_some(known - 1);
        }
        let index = self.push(source, offset, value)?;
        self.by_offset[source].set(offset_index, index + 1);
        Some(index)
    }

    /// Whether a byte at this offset was read before.
    pub fn is_known(&self, source: usize, offset: u64) -> bool {
        let offsets = &self.by_offset[source];
        usize::try_from(offset)
            .is_ok_and(|offset| offset < offsets.capacity() && offsets.get(offset) != 0)
    }

    /// Adds a byte at an offset that has none yet.
    pub fn push(&mut self, source: usize, offset: u64, value: u8) -> Option<u32> {
        if self.length >= self.bytes.capacity() {
            return None;
        }
        let index = self.length;
        self.bytes.set(
            index,
            InputByteRecord {
                offset,
                source: source as u32,
                value,
                reserved: [0; 3],
            },
        );
        self.length += 1;
        // SAFETY: `head` is a page of the recording, mapped as long as the program runs.
        unsafe { *self.head.add(head::INPUT) = self.length as u64 }
        Some(index as u32)
    }
}
