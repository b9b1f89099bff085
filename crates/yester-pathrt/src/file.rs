//! The files of a recording: sparse, of their full capacity from the start, and mapped.

use core::cell::UnsafeCell;

use crate::stream::EventStream;
use crate::system;

/// A static variable that threads share. Each one documents which lock protects it.
pub struct SharedCell<T>(UnsafeCell<T>);

// SAFETY: whoever takes the pointer follows the rules that stand at the variable.
unsafe impl<T> Sync for SharedCell<T> {}

impl<T> SharedCell<T> {
    /// A variable with its first value.
    pub const fn new(value: T) -> Self {
        SharedCell(UnsafeCell::new(value))
    }

    /// Where it is.
    pub const fn get(&self) -> *mut T {
        self.0.get()
    }
}

/// How much of a file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// All of it. Only `head`.
    All,
    /// A constant text.
    Text {
        /// How many bytes.
        bytes: usize,
    },
    /// A number of units that a word of `head` says.
    Counted {
        /// Which word.
        word: usize,
        /// The bytes of a unit.
        unit: usize,
    },
    /// The blocks that a stream has written.
    Blocks(*const EventStream),
    /// The events in the window of a stream.
    Window(*const EventStream),
}

/// A mapped file.
#[derive(Clone, Copy)]
pub struct File {
    /// Its name, with a zero at the end.
    pub name: Name,
    /// Where it is mapped.
    pub place: *mut u8,
    /// How many bytes are mapped.
    pub capacity: usize,
    /// How much of them is used.
    pub used: Used,
}

/// A short name with zeros at its end.
pub type Name = [u8; 24];

/// A name from its parts.
#[must_use]
pub fn name(text: &[u8], number: Option<u32>) -> Name {
    let mut name = [0; 24];
    let mut writer = TextWriter {
        bytes: &mut name,
        used: 0,
    };
    writer.text(text);
    if let Some(number) = number {
        writer.number(u64::from(number));
    }
    name
}

/// Builds a text without allocating.
pub struct TextWriter<'a> {
    /// Where it goes; the last byte stays zero.
    pub bytes: &'a mut [u8],
    /// How many bytes it has so far.
    pub used: usize,
}

impl TextWriter<'_> {
    /// Appends text, as far as there is room.
    pub fn text(&mut self, text: &[u8]) {
        for byte in text {
            if self.used + 1 < self.bytes.len() {
                self.bytes[self.used] = *byte;
                self.used += 1;
            }
        }
    }

    /// Appends a decimal number.
    pub fn number(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.text(&digits[first..]);
    }
}

/// Makes a file in a directory and maps it. If there is not enough address space, it gets a smaller capacity, but at least
/// `least`. The descriptor stays open.
pub fn create(
    directory: i32,
    name: Name,
    capacity: usize,
    least: usize,
    used: Used,
) -> Option<(File, i32)> {
    let descriptor = i32::try_from(system::make_file(directory, &name)).ok()?;
    if descriptor < 0 {
        return None;
    }
    // The kernel sends a signal if a file grows beyond this limit.
    let limit = system::limit(system::LIMIT_FILE);
    let mut capacity = capacity.min(usize::try_from(limit).unwrap_or(usize::MAX)) & !4095;
    while capacity >= least.max(4096) {
        if system::set_size(descriptor, capacity) == 0
            && let Some(place) = system::map(descriptor, capacity, core::ptr::null_mut())
        {
            let file = File {
                name,
                place,
                capacity,
                used,
            };
            return Some((file, descriptor));
        }
        capacity = (capacity / 2) & !4095;
    }
    system::close(descriptor);
    None
}
