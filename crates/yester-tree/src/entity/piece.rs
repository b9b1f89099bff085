use std::ops::Range;

use crate::size::is_word;

/// A piece has at least so many bytes: the syntax tree of a small piece takes little memory, but very small pieces would
/// take long to parse.
const PIECE_BYTES: usize = 1 << 16;

/// Cuts a text between declarations that nothing is around. Brackets, quotation marks, comments and directives are read as
/// in C. A closing brace ends a declaration only before one of the words in `opening`, since a name may follow a class.
pub(super) fn pieces(text: &[u8], opening: &[&str]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut depth = 0usize;
    let mut at = 0;
    while !opening.is_empty() && at < text.len() {
        let byte = text[at];
        match byte {
            b'#' if is_first_in_line(text, at) => at = end_of_directive(text, at),
            b'/' | b'"' | b'\'' | b'R' => at = end_of_literal(text, at),
            _ => at += 1,
        }
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_end = match byte {
            b';' => true,
            b'}' => opens(&text[at..], opening),
            _ => false,
        };
        if is_end && depth == 0 && at - start >= PIECE_BYTES {
            pieces.push(start..at);
            start = at;
        }
    }
    pieces.push(start..text.len());
    pieces
}

fn opens(rest: &[u8], opening: &[&str]) -> bool {
    let rest = rest.trim_ascii_start();
    let length = rest.iter().take_while(|byte| is_word(**byte)).count();
    let is_directive = rest.first() == Some(&b'#');
    is_directive
        || opening
            .iter()
            .any(|word| *word.as_bytes() == rest[..length])
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
        if !text[..at - 1].trim_ascii_end().ends_with(b"\\") {
            return at;
        }
    }
    text.len()
}

/// The end of the comment, string or character that may begin here, or the next byte.
fn end_of_literal(text: &[u8], at: usize) -> usize {
    let rest = &text[at..];
    let upto = |skipped: usize, end: &[u8]| {
        let found = find(&rest[skipped..], end);
        at + found.map_or(rest.len(), |found| skipped + found + end.len())
    };
    let is_in_word = at > 0 && is_word(text[at - 1]);
    match rest {
        [b'/', b'/', ..] => upto(2, b"\n"),
        [b'/', b'*', ..] => upto(2, b"*/"),
        [b'R', b'"', raw @ ..] => {
            let length = raw
                .iter()
                .take(17)
                .take_while(|byte| **byte != b'(')
                .count();
            let end = [b")", &raw[..length], b"\""].concat();
            upto(2 + length, &end)
        }
        // The apostrophe of a number.
        [b'\'', ..] if is_in_word && !matches!(text[at - 1], b'L' | b'u' | b'U' | b'8') => at + 1,
        [quote @ (b'"' | b'\''), string @ ..] => {
            let mut length = 0;
            while let Some(byte) = string.get(length) {
                length += 1 + usize::from(*byte == b'\\');
                if byte == quote || *byte == b'\n' {
                    break;
                }
            }
            text.len().min(at + 1 + length)
        }
        _ => at + 1,
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that are long enough for a piece, one after another.
    fn cut(texts: &[&str]) -> Vec<usize> {
        let blank = " ".repeat(PIECE_BYTES);
        let whole: Vec<String> = texts.iter().map(|text| format!("{blank}{text}")).collect();
        let pieces = pieces(whole.concat().as_bytes(), &["int", "struct"]);
        assert_eq!(pieces[0].start, 0);
        assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start));
        pieces
            .into_iter()
            .map(|piece| piece.end / PIECE_BYTES)
            .collect()
    }

    #[test]
    fn a_text_is_cut_between_declarations() {
        assert_eq!(cut(&["int x;", "int f() {}", "int y;"]), [1, 2, 3, 3]);
    }

    #[test]
    fn a_name_behind_a_class_belongs_to_it() {
        assert_eq!(cut(&["struct A {}", "x;", "int y;"]), [2, 3, 3]);
    }

    #[test]
    fn brackets_in_literals_and_comments_do_not_count() {
        let odd = [
            "auto a = \"{\\\"\";",
            "auto b = '{';",
            "auto c = R\"x({)\")x\";",
            "int d = 1'000; // {",
            "\n#define E {\\\n{\nint e;",
            "/* { */ int f;",
        ];
        assert_eq!(cut(&odd), [1, 2, 3, 4, 5, 6, 6]);
        assert_eq!(cut(&["int f() {", "int x;", "}"]), [3]);
    }

    #[test]
    fn any_bytes_are_cut_into_pieces_that_make_up_the_whole() {
        for text in ["", "\"", "R\"", "/*", "'", "}", "#\\", "\\"] {
            let pieces = pieces(text.as_bytes(), &["int"]);
            assert_eq!(pieces.last().map(|piece| piece.end), Some(text.len()));
        }
    }
}
