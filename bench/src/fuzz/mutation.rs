//! Makes new inputs of old ones, the same for the same number.

/// A generator of numbers that look random (SplitMix64).
pub struct Numbers(u64);

impl Numbers {
    /// The numbers that belong to one input of a target.
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number below `end`, or 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// No input is bigger, but for what nesting adds.
const BIGGEST: usize = 1 << 10;
/// How often something is repeated at most.
const MOST_REPEATS: usize = 400;
/// What many formats have a meaning for.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "</",
    "/>",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "/*",
    "*/",
    "//",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "#",
    "%%",
    "%{",
    "%}",
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    "  ",
    "\0",
    "\u{feff}",
    "\u{fffd}",
    "é",
    "- ",
    ": ",
    "? ",
    "|",
    ">",
    "&",
    "*",
    "!",
    "%",
    "@",
    "$",
    "$a$",
    "<<E\n",
    "<<-'E'\n",
    "\nE\n",
    "=",
    ":=",
    "=>",
    "->",
    ";",
    ",",
    "0",
    "-1",
    "18446744073709551615",
    "1e999",
    "NaN",
    "true",
    "null",
    "if",
    "else",
    "f'{",
    "r#\"",
    "R\"x(",
    "<a>",
    "</a>",
    "<div>",
    "<script>",
    "BEGIN",
    "END",
    "case",
    "do",
    "|\n  ",
    "---\n",
    "...\n",
    "\x0c",
    "\x1b[31m",
];

/// An input made of one seed, or of two.
pub fn mutated(seeds: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut input = seeds[numbers.below(seeds.len())].clone();
    for _ in 0..1 << numbers.below(4) {
        mutate(&mut input, seeds, numbers);
        input.truncate(BIGGEST);
    }
    if numbers.below(16) == 0 {
        nest(&mut input, numbers);
    }
    input
}

fn mutate(input: &mut Vec<u8>, seeds: &[Vec<u8>], numbers: &mut Numbers) {
    let at = numbers.below(input.len() + 1);
    let length = match numbers.below(4) {
        0 => numbers.below(input.len() + 1),
        _ => numbers.below(16),
    };
    let end = (at + length).min(input.len());
    match numbers.below(9) {
        0 if at < input.len() => input[at] ^= 1 << numbers.below(8),
        1 if at < input.len() => input[at] = numbers.below(256) as u8,
        2 => input.truncate(at),
        3 => drop(input.drain(at..end)),
        4 => {
            let copy = input[at..end].to_vec();
            let to = numbers.below(input.len() + 1);
            input.splice(to..to, copy);
        }
        5 => {
            let other = &seeds[numbers.below(seeds.len())];
            let from = numbers.below(other.len() + 1);
            let until = (from + length).min(other.len());
            input.splice(at..end, other[from..until].iter().copied());
        }
        6 if at + 4 <= input.len() => {
            let word = [0, 1, u32::MAX, i32::MAX as u32, 1 << 16][numbers.below(5)];
            input[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        _ => {
            let token = TOKENS[numbers.below(TOKENS.len())];
            input.splice(at..at, token.bytes());
        }
    }
}

/// Repeats a piece of the input, or a token, many times in one place, and sometimes its counterpart in another.
fn nest(input: &mut Vec<u8>, numbers: &mut Numbers) {
    let at = numbers.below(input.len() + 1);
    let end = (at + 1 + numbers.below(8)).min(input.len());
    let piece = match numbers.below(2) {
        0 => input[at..end].to_vec(),
        _ => TOKENS[numbers.below(TOKENS.len())].into(),
    };
    let repeats = numbers.below(MOST_REPEATS);
    let mut nested: Vec<u8> = Vec::new();
    for depth in 0..repeats {
        nested.extend(&piece);
        if numbers.below(repeats) == 0 {
            nested.extend([b'\n'].into_iter().chain(std::iter::repeat_n(b' ', depth)));
        }
    }
    input.splice(at..at, nested);
}
