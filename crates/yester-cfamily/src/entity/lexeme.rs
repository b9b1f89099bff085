use std::collections::HashMap;

use super::Name;
use yester_tree::is_word;

/// A word, sign, literal or directive of a C or C++ text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    start: u32,
    end: u32,
    pub kind: Kind,
    /// The number of a word; the other bracket of a bracket.
    link: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, a string or a character.
    Literal,
    /// A byte that is none of these, or one of `::` and `->`.
    Sign,
    /// A line for the preprocessor.
    Directive,
}

/// Words that say nothing about names, with the parentheses behind them.
const NOISE: [&[u8]; 10] = [
    b"__attribute__",
    b"__attribute",
    b"__asm__",
    b"__asm",
    b"asm",
    b"__extension__",
    b"__declspec",
    b"__restrict",
    b"__restrict__",
    b"__inline__",
];

/// The lexemes of a text, without comments, attributes and other noise. Every bracket knows its other one: where they do not
/// match, a brace counts for more than a parenthesis. Of `#if` and `#else` only the first part has brackets that count.
pub(super) struct Lexemes<'text> {
    pub text: &'text [u8],
    list: Vec<Lexeme>,
    /// The words of the text by their numbers.
    pub words: Vec<&'text [u8]>,
}

/// A bracket without the other one.
const ALONE: u32 = u32::MAX;

impl<'text> Lexemes<'text> {
    pub fn new(text: &'text [u8]) -> Self {
        let mut lexemes = Lexemes {
            text,
            list: Vec::new(),
            words: Vec::new(),
        };
        let mut numbers: HashMap<&'text [u8], Name> = HashMap::new();
        let mut at = 0;
        while let Some((range, kind)) = next(text, at) {
            at = range.1;
            let link = match kind {
                Kind::Word => {
                    let word = &text[range.0..range.1];
                    let next = lexemes.words.len() as Name;
                    let number = *numbers.entry(word).or_insert(next);
                    if number == next {
                        lexemes.words.push(word);
                    }
                    number
                }
                _ => ALONE,
            };
            lexemes.list.push(Lexeme {
                start: range.0 as u32,
                end: range.1 as u32,
                kind,
                link,
            });
        }
        lexemes.match_brackets();
        lexemes.drop_noise();
        lexemes.match_brackets();
        lexemes
    }

    fn match_brackets(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        // Where the open braces are among the open brackets.
        let mut braces: Vec<usize> = Vec::new();
        // For each `#if` that is open: whether its first part has ended.
        let mut conditions: Vec<bool> = Vec::new();
        let mut over = 0;
        for at in 0..self.list.len() {
            match self.list[at].kind {
                Kind::Directive => match directive(self.bytes(at)) {
                    b"if" | b"ifdef" | b"ifndef" => conditions.push(false),
                    b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                        if let Some(is_over @ false) = conditions.last_mut() {
                            *is_over = true;
                            over += 1;
                        }
                    }
                    b"endif" => over -= usize::from(conditions.pop() == Some(true)),
                    _ => {}
                },
                Kind::Sign => {
                    let bracket = self.bytes(at)[0];
                    if !matches!(bracket, b'(' | b')' | b'[' | b']' | b'{' | b'}') {
                        continue;
                    }
                    self.list[at].link = ALONE;
                    if over > 0 {
                        continue;
                    }
                    let last = |lexemes: &Self| open.last().map(|open| lexemes.bytes(*open)[0]);
                    let place = match bracket {
                        b'{' => {
                            braces.push(open.len());
                            open.push(at);
                            continue;
                        }
                        b'(' | b'[' => {
                            open.push(at);
                            continue;
                        }
                        b')' if last(self) == Some(b'(') => open.len() - 1,
                        b']' if last(self) == Some(b'[') => open.len() - 1,
                        b'}' => match braces.pop() {
                            Some(place) => place,
                            None => continue,
                        },
                        _ => continue,
                    };
                    let other = open[place];
                    open.truncate(place);
                    self.list[at].link = other as u32;
                    self.list[other].link = at as u32;
                }
                _ => {}
            }
        }
    }

    /// Attributes, also in brackets.
    fn drop_noise(&mut self) {
        let mut kept = Vec::with_capacity(self.list.len());
        let mut at = 0;
        while at < self.list.len() {
            let is_noise = self.list[at].kind == Kind::Word && NOISE.contains(&self.bytes(at));
            if is_noise {
                at += 1;
                if self.is(at, "(") {
                    at = self.behind(at);
                }
            } else if self.is(at, "[") && self.is(at + 1, "[") && self.mate(at).is_some() {
                at = self.behind(at);
            } else {
                kept.push(self.list[at]);
                at += 1;
            }
        }
        kept.shrink_to_fit();
        self.list = kept;
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Nothing behind the last one.
    pub fn bytes(&self, at: usize) -> &'text [u8] {
        self.list.get(at).map_or(b"", |lexeme| {
            &self.text[lexeme.start as usize..lexeme.end as usize]
        })
    }

    pub fn is(&self, at: usize, text: &str) -> bool {
        self.bytes(at) == text.as_bytes()
    }

    pub fn kind(&self, at: usize) -> Option<Kind> {
        self.list.get(at).map(|lexeme| lexeme.kind)
    }

    /// The number of a word.
    pub fn word(&self, at: usize) -> Option<Name> {
        let lexeme = self.list.get(at)?;
        (lexeme.kind == Kind::Word).then_some(lexeme.link)
    }

    pub fn start(&self, at: usize) -> usize {
        self.list[at].start as usize
    }

    pub fn end(&self, at: usize) -> usize {
        self.list[at].end as usize
    }

    /// The other bracket.
    pub fn mate(&self, at: usize) -> Option<usize> {
        let lexeme = self.list.get(at)?;
        (lexeme.kind == Kind::Sign && lexeme.link != ALONE).then_some(lexeme.link as usize)
    }

    /// What comes behind an opening bracket and all that is in it, or behind anything else.
    pub fn behind(&self, at: usize) -> usize {
        match self.mate(at) {
            Some(close) if close > at => close + 1,
            _ => at + 1,
        }
    }

    /// Whether these two signs stand side by side.
    pub fn is_pair(&self, at: usize, sign: &str) -> bool {
        self.is(at, sign) && self.is(at + 1, sign) && self.end(at) == self.start(at + 1)
    }
}

/// The first word of a directive.
pub(super) fn directive(line: &[u8]) -> &[u8] {
    let rest = line[1..].trim_ascii_start();
    let length = rest.iter().take_while(|byte| is_word(**byte)).count();
    &rest[..length]
}

fn next(text: &[u8], mut at: usize) -> Option<((usize, usize), Kind)> {
    loop {
        at += text[at..]
            .iter()
            .position(|byte| !byte.is_ascii_whitespace())?;
        match text[at..] {
            [b'/', b'/', ..] => at = upto(text, at + 2, b"\n"),
            [b'/', b'*', ..] => at = upto(text, at + 2, b"*/"),
            [b'\\', ..] => at += 1,
            _ => break,
        }
    }
    let rest = &text[at..];
    let (length, kind) = match rest {
        [b'#', ..] if is_first_in_line(text, at) => {
            (end_of_directive(text, at) - at, Kind::Directive)
        }
        [b'R', b'"', raw @ ..] => (2 + raw_string(raw), Kind::Literal),
        [b'L' | b'u' | b'U', b'R', b'"', raw @ ..] => (3 + raw_string(raw), Kind::Literal),
        [quote @ (b'"' | b'\''), string @ ..] => (1 + quoted(string, *quote), Kind::Literal),
        [b'0'..=b'9', ..] => {
            let is_part = |(index, byte): &(usize, &u8)| {
                is_word(**byte)
                    || **byte == b'.'
                    || **byte == b'\'' && rest.get(index + 1).is_some_and(|next| is_word(*next))
                    || matches!(byte, b'+' | b'-')
                        && matches!(rest[index - 1], b'e' | b'E' | b'p' | b'P')
            };
            (
                rest.iter().enumerate().take_while(is_part).count(),
                Kind::Literal,
            )
        }
        [byte, ..] if is_word(*byte) => {
            let length = rest.iter().take_while(|byte| is_word(**byte)).count();
            (length, Kind::Word)
        }
        [b':', b':', ..] | [b'-', b'>', ..] => (2, Kind::Sign),
        _ => (1, Kind::Sign),
    };
    let end = text.len().min(at + length);
    Some(((at, end), kind))
}

fn is_first_in_line(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev();
    let mut before = before.skip_while(|byte| matches!(byte, b' ' | b'\t'));
    before.next().is_none_or(|byte| *byte == b'\n')
}

/// The end of the line, unless a backslash takes it back.
fn end_of_directive(text: &[u8], mut at: usize) -> usize {
    while let Some(length) = text[at..].iter().position(|byte| *byte == b'\n') {
        at += length + 1;
        let line = text[..at - 1]
            .strip_suffix(b"\r")
            .unwrap_or(&text[..at - 1]);
        if !line.ends_with(b"\\") {
            return at;
        }
    }
    text.len()
}

fn upto(text: &[u8], from: usize, end: &[u8]) -> usize {
    let rest = text.get(from..).unwrap_or(b"");
    let found = rest.windows(end.len()).position(|window| window == end);
    found.map_or(text.len(), |found| from + found + end.len())
}

/// How long a raw string is behind its quotation mark.
fn raw_string(raw: &[u8]) -> usize {
    let length = raw
        .iter()
        .take(17)
        .take_while(|byte| **byte != b'(')
        .count();
    upto(raw, length, &[b")", &raw[..length], b"\""].concat())
}

/// How long a string or a character is behind its quotation mark.
fn quoted(string: &[u8], quote: u8) -> usize {
    let mut length = 0;
    while let Some(byte) = string.get(length) {
        length += 1 + usize::from(*byte == b'\\');
        if *byte == quote || *byte == b'\n' {
            break;
        }
    }
    length
}
