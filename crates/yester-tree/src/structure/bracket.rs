//! Which brackets and quotes of a line belong together.

use std::ops::Range;

use crate::size::is_word;

/// A bracket or quote that opens, or looks like it.
pub(super) struct Bracket {
    /// Where it is.
    pub open: u32,
    /// Where what it opens ends, or 0 if nothing closes it.
    pub end: u32,
    /// The number of the first bracket after what it opens.
    pub next: u32,
}

/// Finds the brackets and quotes that open something in a line, in order. Where brackets cross each other the outer ones
/// count; quotes count more than brackets, and in a string brackets match by themselves.
pub(super) fn find(text: &[u8], line: Range<usize>, brackets: &mut Vec<Bracket>) {
    let mut open = Open::default();
    let mut string: Option<Quoted> = None;
    // From some place on there is no further quote of a kind, and searching for it again and again would take long.
    let mut is_used_up = [false; 2];
    let mut at = line.start;
    while at < line.end {
        let byte = text[at];
        match byte {
            _ if string.as_ref().is_some_and(|string| string.end == at + 1) => {
                let ended = string.take().expect("it was looked at");
                open = ended.around;
                close(brackets, ended.bracket, ended.end);
            }
            b'\\' if matches!(text.get(at + 1), Some(b'\\' | b'"' | b'\'')) => at += 1,
            b'(' | b'[' | b'{' => {
                open.push(byte, brackets.len());
                brackets.push(opened(at));
            }
            b')' | b']' | b'}' => {
                if let Some(bracket) = open.pop(opening(byte)) {
                    close(brackets, bracket, at + 1);
                }
            }
            b'"' | b'\'' if string.is_none() && !is_used_up[usize::from(byte == b'"')] => {
                let end = end_of_string(&text[..line.end], at);
                is_used_up[usize::from(byte == b'"')] = end.is_none();
                let is_apostrophe = |end: usize| {
                    let is_in_word = |at: usize| line.contains(&at) && is_word(text[at]);
                    byte == b'\'' && (is_in_word(at.wrapping_sub(1)) || is_in_word(end))
                };
                if let Some(end) = end.filter(|end| !is_apostrophe(*end)) {
                    string = Some(Quoted {
                        end,
                        bracket: brackets.len(),
                        around: std::mem::take(&mut open),
                    });
                    brackets.push(opened(at));
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// A string, and the brackets that are open around it.
struct Quoted {
    end: usize,
    bracket: usize,
    around: Open,
}

/// The brackets that wait for their partners.
#[derive(Default)]
struct Open {
    stack: Vec<(u8, u32)>,
    /// How many of each kind wait, so that those which have no chance are not looked for.
    waiting: [usize; 3],
}

impl Open {
    fn push(&mut self, byte: u8, bracket: usize) {
        self.stack.push((byte, bracket as u32));
        self.waiting[kind(byte)] += 1;
    }

    /// The innermost bracket of this kind. Those inside it never find their partners.
    fn pop(&mut self, wanted: u8) -> Option<usize> {
        if self.waiting[kind(wanted)] == 0 {
            return None;
        }
        loop {
            let (byte, bracket) = self.stack.pop()?;
            self.waiting[kind(byte)] -= 1;
            if byte == wanted {
                return Some(bracket as usize);
            }
        }
    }
}

fn kind(opening: u8) -> usize {
    match opening {
        b'(' => 0,
        b'[' => 1,
        _ => 2,
    }
}

fn opening(closing: u8) -> u8 {
    match closing {
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

fn opened(at: usize) -> Bracket {
    Bracket {
        open: at as u32,
        end: 0,
        next: 0,
    }
}

fn close(brackets: &mut [Bracket], bracket: usize, end: usize) {
    let next = brackets.len() as u32;
    let bracket = &mut brackets[bracket];
    bracket.end = end as u32;
    bracket.next = next;
}

/// Where a string ends that starts with the quote at this place.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match *text.get(at)? {
            b'\\' => at += 2,
            byte if byte == text[start] => return Some(at + 1),
            _ => at += 1,
        }
    }
}
