//! A model of the scanf family that parses the input again. The values are expressions, and so is the number of conversions that
//! succeed. How many characters a conversion reads is assumed if it succeeds.

mod float;

use super::super::engine::{Engine, enter};
use super::super::memory;
use super::conversion::Conversion;
use super::file::{CStream, NextByte, back, next};
use super::number::{MOST_LENGTH, digit, is_space};
use core::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    static stdin: *mut CStream;
    fn strtol(text: *const c_char, end: *mut *mut c_char, base: c_int) -> i64;
    fn strtoul(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64;
}

/// The most conversions of one call that are followed.
const MOST_CONVERSIONS: usize = 32;

/// Where characters come from.
pub enum ScanOrigin {
    /// A string, and how many of its bytes were read.
    Text(u64, u64),
    /// A stream, and how many of its bytes were read.
    Stream(*mut CStream, u64),
}

/// How far a call has looked into a source.
#[derive(Clone, Copy)]
struct Reach {
    source: usize,
    /// The first byte that it asked for.
    first: u64,
    /// Behind the last byte that it got.
    end: u64,
    /// Whether it came to the end of the source.
    is_at_end: bool,
}

impl ScanOrigin {
    /// The next character and its node, -1 at the end.
    fn next(&mut self, reach: &mut Option<Reach>) -> (c_int, u32) {
        match self {
            ScanOrigin::Text(start, read) => {
                let value = memory::byte(*start + *read);
                let node = enter().map_or(0, |mut engine| {
                    let node = engine.byte(*start + *read);
                    engine.assume_border(node, 0);
                    node
                });
                if value == 0 {
                    return (-1, 0);
                }
                *read += 1;
                (c_int::from(value), node)
            }
            ScanOrigin::Stream(stream, read) => {
                let NextByte { value, node, place } = next(*stream);
                if let Some((source, offset)) = place {
                    let reach = reach.get_or_insert(Reach {
                        source,
                        first: offset,
                        end: offset,
                        is_at_end: false,
                    });
                    match value {
                        0.. => reach.end = reach.end.max(offset + 1),
                        _ => reach.is_at_end = true,
                    }
                }
                if value >= 0 {
                    *read += 1;
                }
                (value, node)
            }
        }
    }

    fn back(&mut self, byte: c_int) {
        if byte < 0 {
            return;
        }
        match self {
            ScanOrigin::Text(_, read) => *read -= 1,
            ScanOrigin::Stream(stream, read) => {
                *read -= 1;
                back(byte, *stream);
            }
        }
    }

    fn read(&self) -> u64 {
        match self {
            ScanOrigin::Text(_, read) | ScanOrigin::Stream(_, read) => *read,
        }
    }
}

/// Where the pointers come from that results go to.
pub enum Pointers {
    /// An array.
    Array(*const *mut c_void),
    /// A list of arguments of the x86-64 ABI.
    List(*mut super::super::external::List),
}

impl Pointers {
    fn next(&mut self) -> *mut c_void {
        // SAFETY: the program has passed as many as its format says.
        unsafe {
            match self {
                Pointers::Array(array) => {
                    let pointer = **array;
                    *array = array.add(1);
                    pointer
                }
                Pointers::List(list) => (**list).take() as *mut c_void,
            }
        }
    }
}

/// What a call has done so far.
struct Scan {
    origin: ScanOrigin,
    pointers: Pointers,
    /// For each conversion that stored or failed: that everything up to it succeeds.
    alive: [u32; MOST_CONVERSIONS],
    count: usize,
    /// That everything so far succeeds.
    now: u32,
    /// What it has seen of its stream.
    reach: Option<Reach>,
}

impl Scan {
    /// Makes everything after this depend on a condition; `shape` is assumed if it holds.
    fn require(&mut self, condition: u32, shape: u32) {
        let Some(mut engine) = enter() else { return };
        if condition != 0 {
            self.now = engine.graph.both(self.now, condition);
        }
        if shape != 0 && self.now != 0 {
            let dead = engine.graph.not(self.now);
            let weaker = engine.graph.either(dead, shape);
            if weaker != 0 && engine.graph.value(weaker) == 1 {
                engine.assume(weaker);
            }
        }
    }

    fn converted(&mut self) {
        if self.count < MOST_CONVERSIONS {
            self.alive[self.count] = self.now;
            self.count += 1;
        }
    }

    /// Skips space. The next character, and its node.
    fn skip(&mut self) -> (c_int, u32) {
        loop {
            let (byte, node) = self.origin.next(&mut self.reach);
            let space = enter().map_or(0, |mut engine| engine.space_node(node));
            let is = byte >= 0 && is_space(byte as u8);
            if node != 0 {
                let shape = enter().map_or(
                    0,
                    |mut engine| {
                        if is { space } else { engine.graph.not(space) }
                    },
                );
                self.require(0, shape);
            }
            if !is {
                return (byte, node);
            }
        }
    }

    /// Whether a character is of a kind (a node), and how it was.
    fn kind(&mut self, node: u32, is: bool, kind: impl Fn(&mut Engine, u32) -> u32) -> u32 {
        if node == 0 {
            return 0;
        }
        enter().map_or(0, |mut engine| {
            let kind = kind(&mut engine, node);
            if is { kind } else { engine.graph.not(kind) }
        })
    }

    fn number(&mut self, conversion: &Conversion) -> Option<bool> {
        let (mut byte, mut node) = self.skip();
        if byte < 0 {
            return None;
        }
        let base = match conversion.kind {
            b'i' => 0,
            b'x' | b'X' | b'p' => 16,
            b'o' => 8,
            _ => 10,
        };
        let mut text = [0_u8; MOST_LENGTH + 1];
        let mut nodes = [0_u32; MOST_LENGTH];
        let mut length = 0;
        let most = conversion.width.min(MOST_LENGTH - 1);
        let mut digits = 0;
        let mut prefixed = false;
        while length < most && byte >= 0 {
            let character = byte as u8;
            let sign = length == 0 && matches!(character, b'+' | b'-');
            let signs = length.min(1) * usize::from(matches!(text[0], b'+' | b'-'));
            let letter = matches!(character, b'x' | b'X')
                && length == signs + 1
                && text[signs] == b'0'
                && matches!(base, 0 | 16);
            let real_base = match base {
                0 if prefixed => 16,
                0 if digits > 0 && text[signs] == b'0' => 8,
                0 => 10,
                base => base,
            };
            if !sign && !letter && digit(character, real_base).is_none() {
                break;
            }
            prefixed |= letter;
            digits += usize::from(!sign && !letter);
            text[length] = character;
            nodes[length] = node;
            length += 1;
            (byte, node) = self.origin.next(&mut self.reach);
        }
        self.origin.back(byte);
        // What follows ends the number, unless it was long enough.
        let mut known = length;
        if byte >= 0 && length < most && node != 0 {
            nodes[length] = node;
            known += 1;
        }
        let origin = 1 << 32;
        let is_signed = matches!(conversion.kind, b'd' | b'i');
        // SAFETY: a text with a zero at its end.
        let value = unsafe {
            let text = text.as_ptr().cast();
            if is_signed {
                strtol(text, core::ptr::null_mut(), base as c_int) as u64
            } else {
                strtoul(text, core::ptr::null_mut(), base as c_int)
            }
        };
        let number = if nodes[..known].contains(&0) {
            None
        } else {
            enter().and_then(|mut engine| engine.number_in(&nodes[..known], origin, base))
        };
        let mut result = 0;
        if let Some(number) = number
            && let Some(mut engine) = enter()
        {
            let none = engine.graph.is(number.end, origin);
            let some = engine.graph.not(none);
            let reached = engine.graph.value(number.end);
            let shape = match digits {
                0 => 0,
                _ => engine.graph.is(number.end, reached),
            };
            let bits = 8 * conversion.size as u32;
            let narrow = engine.graph.extract(number.value, 0, bits);
            result = engine.result(narrow, value);
            drop(engine);
            self.require(some, shape);
        } else if nodes[..length].iter().any(|&node| node != 0)
            && let Some(mut engine) = enter()
        {
            engine.lose(&[b"a number that is too long for scanf's model"]);
        }
        if digits == 0 {
            return Some(false);
        }
        if conversion.is_stored {
            self.store(value, conversion.size, result);
        }
        Some(true)
    }

    fn store(&mut self, value: u64, size: usize, node: u32) {
        let pointer = self.pointers.next();
        let bytes = value.to_le_bytes();
        // SAFETY: the program has room for a value of this size there.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer.cast(), size) };
        if let Some(mut engine) = enter() {
            engine.shadow.store(pointer as u64, size as u64, node);
        }
    }

    /// `%c`, `%s` and `%[`.
    fn text(&mut self, conversion: &Conversion) -> Option<bool> {
        let (mut byte, mut node) = if conversion.kind == b's' {
            self.skip()
        } else {
            self.origin.next(&mut self.reach)
        };
        if byte < 0 {
            return None;
        }
        let is_character = conversion.kind == b'c';
        let most = match (is_character, conversion.width) {
            (true, usize::MAX) => 1,
            (_, width) => width,
        };
        let place = if conversion.is_stored {
            self.pointers.next() as u64
        } else {
            0
        };
        let mut length = 0;
        while byte >= 0 && length < most {
            let fits = is_character || conversion.takes(byte as u8);
            let shape = if is_character {
                0
            } else {
                self.kind(node, fits, |engine, node| {
                    conversion.takes_node(engine, node)
                })
            };
            if length == 0 && !fits {
                self.origin.back(byte);
                let condition = enter().map_or(0, |mut engine| engine.graph.not(shape));
                self.require(condition, 0);
                return Some(false);
            }
            if length == 0 && conversion.kind == b'[' {
                self.require(shape, 0);
            } else {
                self.require(0, shape);
            }
            if !fits {
                break;
            }
            if place != 0 {
                // SAFETY: the program has room there.
                unsafe { *((place + length as u64) as *mut u8) = byte as u8 };
                if let Some(mut engine) = enter() {
                    let node = engine.result(node, byte as u64);
                    engine.shadow.store(place + length as u64, 1, node);
                }
            }
            length += 1;
            if length < most {
                (byte, node) = self.origin.next(&mut self.reach);
            } else {
                byte = -1;
            }
        }
        self.origin.back(byte);
        if is_character {
            return if length == most { Some(true) } else { None };
        }
        if place != 0 {
            // SAFETY: as above.
            unsafe { *((place + length as u64) as *mut u8) = 0 };
            if let Some(mut engine) = enter() {
                engine.written(place + length as u64, 1);
            }
        }
        Some(true)
    }

    /// Scans by a format. Returns the result of scanf.
    fn run(&mut self, format: *const c_char) -> c_int {
        let mut place = format as u64;
        let mut assigned = 0;
        loop {
            let character = memory::byte(place);
            place += 1;
            if character == 0 {
                return assigned;
            }
            if is_space(character) {
                let (byte, _) = self.skip();
                self.origin.back(byte);
                continue;
            }
            let mut outcome = None;
            if character != b'%' {
                outcome = Some(self.literal(character, false));
            }
            if outcome.is_none() {
                let (conversion, behind) = Conversion::parse(place);
                place = behind;
                outcome = Some(match conversion.kind {
                    b'%' => self.literal(b'%', true),
                    b'n' => {
                        let read = self.origin.read();
                        if conversion.is_stored {
                            self.store(read, conversion.size, 0);
                        }
                        Some(true)
                    }
                    kind => {
                        let outcome = match kind {
                            b'c' | b's' | b'[' => self.text(&conversion),
                            b'a' | b'e' | b'f' | b'g' | b'E' | b'F' | b'G' | b'A' => {
                                self.float(&conversion)
                            }
                            _ => self.number(&conversion),
                        };
                        if conversion.is_stored && outcome.is_some() {
                            self.converted();
                            assigned += c_int::from(outcome == Some(true));
                        }
                        outcome
                    }
                });
            }
            match outcome.flatten() {
                Some(true) => {}
                Some(false) => return assigned,
                None if assigned == 0 => return -1,
                None => return assigned,
            }
        }
    }

    fn literal(&mut self, character: u8, skips: bool) -> Option<bool> {
        let (byte, node) = if skips {
            self.skip()
        } else {
            self.origin.next(&mut self.reach)
        };
        if byte < 0 {
            return None;
        }
        let same = byte == c_int::from(character);
        if node != 0 {
            let equal = self.kind(node, true, |engine, node| {
                engine.graph.is(node, u64::from(character))
            });
            self.require(equal, 0);
        }
        if !same {
            self.origin.back(byte);
        }
        Some(same)
    }
}

/// Scans if something is symbolic. None if the format is not modelled.
pub fn scan(
    callee: usize,
    origin: ScanOrigin,
    format: *const c_char,
    pointers: Pointers,
) -> Option<c_int> {
    let mut engine = enter()?;
    super::super::call::current().callee = 0;
    if Conversion::is_foreign(format) {
        engine.lose(&[b"a conversion of scanf that is not modelled"]);
        return None;
    }
    let now = engine.graph.truth(true);
    drop(engine);
    let mut scan = Scan {
        origin,
        pointers,
        alive: [0; MOST_CONVERSIONS],
        count: 0,
        now,
        reach: None,
    };
    let result = scan.run(format);
    if let Some(mut engine) = enter() {
        let mut node = 0;
        if result >= 0 {
            node = engine.graph.constant(32, scan.count as u64);
            for (index, &alive) in scan.alive[..scan.count].iter().enumerate().rev() {
                let fewer = engine.graph.constant(32, index as u64);
                node = engine.graph.choose(alive, node, fewer);
            }
        }
        if let (ScanOrigin::Stream(stream, _), Some(reach)) = (&scan.origin, scan.reach) {
            node = engine.scanned(*stream, reach, node, format as u64);
        }
        if node != 0 {
            engine.give(callee as u64, node, u64::from(result as u32));
        }
    }
    Some(result)
}

impl Engine {
    /// The result of a call that has read from a stream, where it was `node`, or 0 for the end: the end comes in runs where nothing
    /// is there to be read, and something if more is there.
    fn scanned(&mut self, stream: *mut CStream, reach: Reach, node: u32, format: u64) -> u32 {
        let Reach {
            source, first, end, ..
        } = reach;
        let nothing = self.graph.constant(32, u64::from(u32::MAX));
        if node == 0 {
            // Nothing but space was there.
            if end > first {
                self.goes_on_for(stream, source, first, end - first, false);
            }
            let more = if reach.is_at_end {
                self.one_byte_more(stream, source, end)
            } else {
                None
            };
            let Some((exists, byte)) = more else { return 0 };
            let mut place = format;
            while is_space(memory::byte(place)) {
                place += 1;
            }
            let (conversion, _) = Conversion::parse(place + 1);
            let fits = match conversion.kind {
                _ if memory::byte(place) != b'%' || !conversion.is_stored => 0,
                b'd' | b'i' | b'u' => self.digit_node(byte, 10, 32).0,
                b's' | b'[' => conversion.takes_node(self, byte),
                b'c' if conversion.width == usize::MAX => self.graph.truth(true),
                _ => 0,
            };
            if fits == 0 {
                self.pin_length(source);
                return 0;
            }
            self.assume_if(exists, fits);
            let one = self.graph.constant(32, 1);
            return self.graph.choose(exists, one, nothing);
        }
        if end == first {
            return node;
        }
        match self.goes_on_for(stream, source, first, end - first, reach.is_at_end) {
            Some(exists) => self.graph.choose(exists, node, nothing),
            None => node,
        }
    }
}

/// The stream that `scanf` reads.
pub fn standard_input() -> *mut CStream {
    // SAFETY: the library has set it before the program starts.
    unsafe { stdin }
}
