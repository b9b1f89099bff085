//! What the printf family writes into memory. The library prints; then each printed piece gets its expression. The length of each
//! piece is assumed: how many digits a number has, its sign, where a string ends.

use super::super::engine::{Engine, enter};
use super::super::external::List;
use super::super::memory;
use super::super::value::{signed, truncate};
use super::directive::{Directive, MOST_DIGITS, power};
use crate::format::Operation;
use core::ffi::{c_char, c_int};

unsafe extern "C" {
    fn strnlen(text: *const c_char, most: usize) -> usize;
}

/// The most pieces of one format that are followed.
const MOST_PIECES: usize = 64;

/// The arguments of a format.
pub enum PrintArguments {
    /// Pairs of a value and its node, and how many.
    Array(*const [u64; 2], u64),
    /// A list, as it was before it was used.
    List(List),
}

impl PrintArguments {
    /// The next integer or pointer of so many bits, and its node or 0.
    fn next(&mut self, engine: &mut Engine, width: u32) -> (u64, u32) {
        match self {
            PrintArguments::Array(_, 0) => (0, 0),
            PrintArguments::Array(pairs, count) => {
                // SAFETY: the caller has promised so many.
                let [value, node] = unsafe { **pairs };
                *pairs = pairs.wrapping_add(1);
                *count -= 1;
                let node = match node as u32 {
                    0 => 0,
                    node if engine.graph.width(node) > width => {
                        engine.graph.extract(node, 0, width)
                    }
                    node => node,
                };
                let value = truncate(value, width);
                (value, engine.checked(node, value, width))
            }
            PrintArguments::List(list) => {
                let (place, size) = (list.next_place(), u64::from(width / 8));
                let value = memory::value(place, size as usize);
                let loaded = engine.shadow.load(&mut engine.graph, place, size, value);
                (value, loaded.node)
            }
        }
    }

    /// The node of the next floating point number.
    fn next_float(&mut self, engine: &mut Engine, is_long: bool) -> u32 {
        let PrintArguments::List(list) = self else {
            // A long double has no node.
            return self.next(engine, 64).1;
        };
        let place = list.next_float(is_long);
        if is_long {
            return 0;
        }
        let value = memory::value(place, 8);
        let loaded = engine.shadow.load(&mut engine.graph, place, 8, value);
        loaded.node
    }
}

/// A part of what is printed.
#[derive(Clone, Copy)]
struct PrintedPiece {
    /// How many characters, if that is known.
    length: Option<u64>,
    /// The offset at which the characters with an expression start.
    indent: u64,
    content: PrintedContent,
}

#[derive(Clone, Copy)]
enum PrintedContent {
    /// Does not depend on the input.
    Plain,
    /// Depends on it in a way that is not modelled.
    Foreign,
    /// One character with this node.
    Character(u32),
    /// Bytes of memory: address and count.
    Text(u64, u64),
    /// Digits of a number without sign: its node, how many, and the letter of its conversion.
    Digits(u32, u32, u8),
}

const PLAIN_PIECE: PrintedPiece = PrintedPiece {
    length: Some(0),
    indent: 0,
    content: PrintedContent::Plain,
};

/// Where the output is.
#[derive(Clone, Copy)]
pub struct Destination {
    /// Its first byte.
    pub start: u64,
    /// How many bytes may be written, the zero included.
    pub room: u64,
}

impl Engine {
    /// Splits the output into pieces by its format. Returns how many there are; None if the format is not modelled.
    fn pieces(
        &mut self,
        format: u64,
        arguments: &mut PrintArguments,
        pieces: &mut [PrintedPiece; MOST_PIECES],
    ) -> Option<usize> {
        let mut place = format;
        let mut count = 0;
        while memory::byte(place) != 0 {
            if count == MOST_PIECES {
                return None;
            }
            if memory::byte(place) != b'%' {
                let start = place;
                while !matches!(memory::byte(place), 0 | b'%') {
                    place += 1;
                }
                pieces[count] = PrintedPiece {
                    length: Some(place - start),
                    ..PLAIN_PIECE
                };
                count += 1;
                continue;
            }
            let (directive, behind) = Directive::parse(place + 1, || arguments.next_int(self))?;
            place = behind;
            pieces[count] = self.piece(&directive, arguments)?;
            count += 1;
        }
        Some(count)
    }

    fn piece(
        &mut self,
        directive: &Directive,
        arguments: &mut PrintArguments,
    ) -> Option<PrintedPiece> {
        let unknown = |content| PrintedPiece {
            length: None,
            indent: 0,
            content,
        };
        Some(match directive.kind {
            b'%' => PrintedPiece {
                length: Some(1),
                ..PLAIN_PIECE
            },
            b'n' => {
                let (target, _) = arguments.next(self, 64);
                self.written(target, u64::from(directive.bits / 8));
                PLAIN_PIECE
            }
            b'm' => unknown(PrintedContent::Plain),
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
                match arguments.next_float(self, directive.is_long_double) {
                    0 => unknown(PrintedContent::Plain),
                    node => {
                        self.concretise(node);
                        unknown(PrintedContent::Foreign)
                    }
                }
            }
            b'c' if !directive.is_wide => {
                let (_, node) = arguments.next(self, 32);
                let byte = self.graph.extract(node, 0, 8);
                self.padded(directive, 1, 0, PrintedContent::Character(byte))
            }
            b's' if !directive.is_wide => {
                let (text, node) = arguments.next(self, 64);
                self.concretise(node);
                if text == 0 {
                    return Some(unknown(PrintedContent::Plain));
                }
                let most = directive.precision.unwrap_or(u64::MAX);
                // SAFETY: the library has just printed it.
                let length = unsafe { strnlen(text as *const c_char, most as usize) } as u64;
                self.assume_length(text, length, length < most);
                self.padded(directive, length, 0, PrintedContent::Text(text, length))
            }
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let passed = directive.bits.max(32);
                let (value, node) = arguments.next(self, passed);
                if directive.is_grouped {
                    let content = if node == 0 {
                        PrintedContent::Plain
                    } else {
                        PrintedContent::Foreign
                    };
                    return Some(unknown(content));
                }
                let node = if node == 0 {
                    0
                } else {
                    self.graph.extract(node, 0, directive.bits)
                };
                return self.number_piece(directive, truncate(value, directive.bits), node);
            }
            b'p' | b'c' | b's' | b'C' | b'S' => {
                let width = if directive.kind.eq_ignore_ascii_case(&b'c') {
                    32
                } else {
                    64
                };
                let (text, node) = arguments.next(self, width);
                let points = directive.kind.eq_ignore_ascii_case(&b's') && text != 0;
                if node != 0 || (points && self.shadow.any(text, 4)) {
                    unknown(PrintedContent::Foreign)
                } else {
                    unknown(PrintedContent::Plain)
                }
            }
            _ => return None,
        })
    }

    /// A string is as long as it was: `ends` if a zero ended it.
    fn assume_length(&mut self, text: u64, length: u64, ends: bool) {
        for index in 0..length + u64::from(ends) {
            if self.shadow.any(text + index, 1) {
                let byte = self.byte(text + index);
                self.assume_border(byte, 0);
            }
        }
    }

    fn padded(
        &self,
        directive: &Directive,
        length: u64,
        before: u64,
        content: PrintedContent,
    ) -> PrintedPiece {
        let whole = (length + before).max(directive.width);
        let padding = if directive.is_left {
            0
        } else {
            whole - length - before
        };
        let content = match content {
            PrintedContent::Character(0) | PrintedContent::Digits(0, _, _) => PrintedContent::Plain,
            content => content,
        };
        PrintedPiece {
            length: Some(whole),
            indent: padding + before,
            content,
        }
    }

    fn number_piece(
        &mut self,
        directive: &Directive,
        value: u64,
        node: u32,
    ) -> Option<PrintedPiece> {
        let bits = directive.bits;
        let (mut size, mut node) = (value, node);
        let mut before = 0;
        if matches!(directive.kind, b'd' | b'i') {
            let negative = signed(value, bits) < 0;
            if node != 0 {
                let zero = self.graph.constant(bits, 0);
                let mut sign = self.graph.binary(Operation::LessSigned, node, zero);
                if !negative {
                    sign = self.graph.not(sign);
                }
                self.assume(sign);
            }
            if negative {
                size = truncate(value.wrapping_neg(), bits);
                if node != 0 {
                    node = self.graph.unary(Operation::Negate, node);
                }
            }
            before = u64::from(negative || directive.has_sign);
        }
        let base = match directive.kind {
            b'x' | b'X' => 16,
            b'o' => 8,
            _ => 10,
        };
        if directive.is_alternative && base != 10 {
            if node != 0 {
                let zero = self.graph.is(node, 0);
                let zero = if size == 0 {
                    zero
                } else {
                    self.graph.not(zero)
                };
                self.assume(zero);
            }
            if base == 16 && size != 0 {
                before = 2;
            }
            if base == 8 {
                let content = if node == 0 {
                    PrintedContent::Plain
                } else {
                    PrintedContent::Foreign
                };
                return Some(PrintedPiece {
                    length: None,
                    indent: 0,
                    content,
                });
            }
        }
        let least = match directive.precision {
            Some(precision) => precision,
            None if directive.has_zeros && !directive.is_left => {
                directive.width.saturating_sub(before).max(1)
            }
            None => 1,
        };
        if least > MOST_DIGITS {
            return None;
        }
        let mut count = 0;
        while power(base, count).is_some_and(|power| power <= size) {
            count += 1;
        }
        let shown = u64::from(count).max(least);
        if node != 0 {
            self.assume_digits(node, base, shown as u32, shown > least);
        }
        let content = PrintedContent::Digits(node, shown as u32, directive.kind);
        Some(self.padded(directive, shown, before, content))
    }

    /// A number has no more than `count` digits, and not fewer if `exactly`.
    fn assume_digits(&mut self, node: u32, base: u64, count: u32, exactly: bool) {
        let width = self.graph.width(node);
        if let Some(end) = power(base, count).filter(|&end| truncate(end, width) == end) {
            let end = self.graph.constant(width, end);
            let fits = self.graph.binary(Operation::LessUnsigned, node, end);
            self.assume(fits);
        }
        if exactly && let Some(least) = power(base, count - 1) {
            let least = self.graph.constant(width, least);
            let reaches = self
                .graph
                .binary(Operation::LessOrEqualUnsigned, least, node);
            self.assume(reaches);
        }
    }

    /// The character of a digit that has `place` digits behind it.
    fn printed_digit(&mut self, node: u32, place: u32, kind: u8) -> u32 {
        let width = self.graph.width(node);
        let ten = self.graph.constant(8, 10);
        let zero = self.graph.constant(8, u64::from(b'0'));
        let bits = match kind {
            b'x' | b'X' => 4,
            b'o' => 3,
            _ => 0,
        };
        if bits != 0 {
            if place * bits >= width {
                return zero;
            }
            let digit = self
                .graph
                .extract(node, place * bits, bits.min(width - place * bits));
            let digit = self.graph.extend(Operation::ZeroExtend, digit, 8);
            let plain = self.graph.binary(Operation::Add, digit, zero);
            if bits == 3 {
                return plain;
            }
            let letter = if kind == b'x' { b'a' } else { b'A' } - 10;
            let letter = self.graph.constant(8, u64::from(letter));
            let letter = self.graph.binary(Operation::Add, digit, letter);
            let is_plain = self.graph.binary(Operation::LessUnsigned, digit, ten);
            return self.graph.choose(is_plain, plain, letter);
        }
        let Some(divisor) = power(10, place).filter(|&power| truncate(power, width) == power)
        else {
            return zero;
        };
        let divisor = self.graph.constant(width, divisor);
        let quotient = self.graph.binary(Operation::DivideUnsigned, node, divisor);
        let base = self.graph.constant(width, 10);
        let digit = self
            .graph
            .binary(Operation::RemainderUnsigned, quotient, base);
        let digit = self.graph.extract(digit, 0, 8);
        self.graph.binary(Operation::Add, digit, zero)
    }

    fn content_byte(&mut self, piece: &PrintedPiece, index: u64) -> u32 {
        let Some(index) = index.checked_sub(piece.indent) else {
            return 0;
        };
        match piece.content {
            PrintedContent::Character(node) if index == 0 => node,
            PrintedContent::Text(start, length) if index < length => {
                if !self.shadow.any(start + index, 1) {
                    return 0;
                }
                self.byte(start + index)
            }
            PrintedContent::Digits(node, count, kind) if index < u64::from(count) => {
                self.printed_digit(node, count - 1 - index as u32, kind)
            }
            _ => 0,
        }
    }

    /// Gives a byte that was printed its node, if that has its value.
    fn print_byte(&mut self, place: u64, node: u32) {
        let stays_plain = node == 0 || self.graph.is_constant(node);
        if stays_plain {
            return self.written(place, 1);
        }
        if self.graph.value(node) == u64::from(memory::byte(place)) {
            return self.shadow.store(place, 1, node);
        }
        self.written(place, 1);
        self.lose(&[b"printed text that is not what its format says"]);
    }

    /// After the library has printed `total` characters.
    pub fn print(
        &mut self,
        destination: Destination,
        format: u64,
        arguments: &mut PrintArguments,
        total: u64,
    ) {
        let stored = total.min(destination.room.saturating_sub(1));
        let end = destination.start + stored;
        if destination.room > 0 {
            self.written(end, 1);
        }
        let mut pieces = [PLAIN_PIECE; MOST_PIECES];
        let Some(count) = self.pieces(format, arguments, &mut pieces) else {
            self.lose(&[b"a format of printf that is not followed"]);
            return self.written(destination.start, stored);
        };
        let pieces = &pieces[..count];
        let known: u64 = pieces.iter().filter_map(|piece| piece.length).sum();
        let first = pieces.iter().position(|piece| piece.length.is_none());
        let last = pieces.iter().rposition(|piece| piece.length.is_none());
        if known > total || (first.is_none() && known != total) {
            self.lose(&[b"printed text that is not what its format says"]);
            return self.written(destination.start, stored);
        }
        let mut at = 0;
        for (index, piece) in pieces.iter().enumerate() {
            let is_between =
                first.is_some_and(|first| index >= first) && last.is_some_and(|last| index <= last);
            if is_between {
                if !matches!(piece.content, PrintedContent::Plain) {
                    self.lose_piece(piece);
                }
                if Some(index) == last {
                    // The pieces after this one are located from the end.
                    let behind: u64 = pieces[index + 1..].iter().filter_map(|p| p.length).sum();
                    let next = total - behind;
                    self.written(
                        destination.start + at.min(stored),
                        next.min(stored) - at.min(stored),
                    );
                    at = next;
                }
                continue;
            }
            let length = piece.length.unwrap_or(0);
            for offset in 0..length {
                if at + offset >= stored {
                    break;
                }
                let node = self.content_byte(piece, offset);
                self.print_byte(destination.start + at + offset, node);
            }
            at += length;
        }
    }

    fn lose_piece(&mut self, piece: &PrintedPiece) {
        let symbolic = match piece.content {
            PrintedContent::Plain => false,
            PrintedContent::Text(start, length) => length > 0 && self.shadow.any(start, length),
            _ => true,
        };
        if symbolic {
            self.lose(&[b"a conversion of printf that is not followed"]);
        }
    }
}

impl PrintArguments {
    /// The next `int`, whose value is assumed.
    fn next_int(&mut self, engine: &mut Engine) -> i32 {
        let (value, node) = self.next(engine, 32);
        engine.concretise(node);
        value as i32
    }
}

/// After something was printed to memory, with the result of the function.
pub fn printed(
    destination: Destination,
    format: u64,
    mut arguments: PrintArguments,
    result: c_int,
) {
    let Some(mut engine) = enter() else { return };
    // SAFETY: the library has just read it.
    let length = unsafe { strnlen(format as *const c_char, usize::MAX) } as u64;
    if engine.is_symbolic(format, length) {
        engine.lose(&[b"a format of printf that depends on the input"]);
    }
    match u64::try_from(result) {
        Ok(total) => engine.print(destination, format, &mut arguments, total),
        Err(_) => {
            engine.lose(&[b"text that could not be printed"]);
            let written = destination.room.min(super::MOST_TEXT);
            engine.written(destination.start, written);
        }
    }
}

/// Before something is printed to a stream: `%n` writes to memory, and how much is printed may depend on the input.
pub fn prints(is_used: bool, format: u64, mut arguments: PrintArguments, name: &[u8]) {
    let mut text = format;
    while memory::byte(text) != 0 && memory::byte(text) != b'n' {
        text += 1;
    }
    if !is_used && memory::byte(text) == 0 {
        return;
    }
    let Some(mut engine) = enter() else { return };
    let mut is_counted = false;
    let mut depends = false;
    let mut place = format;
    while memory::byte(place) != 0 {
        place += 1;
        if memory::byte(place - 1) != b'%' {
            continue;
        }
        let parsed = Directive::parse(place, || {
            let (value, node) = arguments.next(&mut engine, 32);
            depends |= node != 0;
            value as i32
        });
        let Some((directive, behind)) = parsed else {
            return engine.lose(&[b"a format of printf that is not followed"]);
        };
        place = behind;
        match directive.kind {
            b'%' | b'm' => {}
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
                let node = arguments.next_float(&mut engine, directive.is_long_double);
                depends |= node != 0;
            }
            b'n' => {
                let (target, _) = arguments.next(&mut engine, 64);
                engine.written(target, u64::from(directive.bits / 8));
                // It stores how much is printed, like the result.
                is_counted = true;
            }
            b'c' => {
                arguments.next(&mut engine, 32);
            }
            b's' if !directive.is_wide => {
                let (text, node) = arguments.next(&mut engine, 64);
                let most = directive.precision.unwrap_or(u64::MAX) as usize;
                depends |= node != 0;
                if text != 0 {
                    // SAFETY: the library is about to print it.
                    let length = unsafe { strnlen(text as *const c_char, most) };
                    depends |= engine.shadow.any(text, length as u64);
                }
            }
            b's' | b'S' | b'p' => depends |= arguments.next(&mut engine, 64).1 != 0,
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'C' => {
                depends |= arguments.next(&mut engine, directive.bits.max(32)).1 != 0;
            }
            _ => return engine.lose(&[b"a format of printf that is not followed"]),
        }
    }
    if depends && (is_used || is_counted) {
        engine.lose(&[b"result of ", name, b" does not follow its arguments"]);
    }
}
