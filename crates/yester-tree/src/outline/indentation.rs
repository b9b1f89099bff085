//! The indentation of Python, which its grammar takes more lightly than Python does.

/// The lines whose indentation Python refuses: deeper than the line before without a block that starts there, not deeper
/// where one starts, or back to a depth that no block around has.
pub(super) fn misindented(text: &[u8]) -> Vec<u32> {
    let mut wrong = Vec::new();
    let mut around: Vec<&[u8]> = vec![b""];
    let mut starts_block = false;
    for line in logical_lines(text) {
        let deepest = *around.last().expect("the outermost stays");
        let is_deeper = line.indentation.len() > deepest.len();
        if is_deeper != starts_block {
            wrong.push(line.number);
        }
        if is_deeper {
            around.push(line.indentation);
        } else {
            while around
                .last()
                .is_some_and(|depth| depth.len() > line.indentation.len())
            {
                around.pop();
            }
            if around.last() != Some(&line.indentation) && is_deeper == starts_block {
                wrong.push(line.number);
            }
        }
        starts_block = line.starts_block;
    }
    wrong
}

/// A statement with all lines that brackets, strings and backslashes make it go on over.
struct LogicalLine<'a> {
    number: u32,
    indentation: &'a [u8],
    starts_block: bool,
}

fn logical_lines(text: &[u8]) -> Vec<LogicalLine<'_>> {
    let mut lines = Vec::new();
    let (mut at, mut number) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        let blanks = rest.iter().take_while(|byte| b" \t\x0c".contains(byte));
        let indentation = &rest[..blanks.count()];
        let (length, breaks, last) = statement(rest);
        if last.is_some() {
            lines.push(LogicalLine {
                number,
                indentation,
                starts_block: last == Some(b':'),
            });
        }
        at += length;
        number += breaks;
    }
    lines
}

/// How long a statement is, how many lines it has, and its last character if it has any.
fn statement(text: &[u8]) -> (usize, u32, Option<u8>) {
    let (mut at, mut breaks, mut depth, mut last) = (0, 0, 0_usize, None);
    while at < text.len() {
        let byte = text[at];
        let length = match byte {
            b'#' => text[at..].iter().take_while(|byte| **byte != b'\n').count(),
            b'"' | b'\'' => string(&text[at..]),
            b'\\' => 2,
            _ => 1,
        };
        let piece = &text[at..text.len().min(at + length)];
        breaks += piece.iter().filter(|byte| **byte == b'\n').count() as u32;
        at += piece.len();
        match byte {
            b'\n' if depth == 0 => break,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if !b" \t\r\n\x0c#\\".contains(&byte) {
            last = Some(byte);
        }
    }
    (at, breaks, last)
}

/// How long a string is that starts here.
fn string(text: &[u8]) -> usize {
    let quote = text[0];
    let is_long = text.starts_with(&[quote; 3]);
    let mut at = if is_long { 3 } else { 1 };
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'\n' if !is_long => return at,
            byte if byte == quote && !is_long => return at + 1,
            byte if byte == quote && text[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::misindented;

    #[test]
    fn what_python_accepts_is_not_misindented() {
        let text = "\
import a
def f(x,
  y):
    '''Text
  at any depth:
'''
    if x: return {
1: 2}
    for i in y:
        # a comment
  # anywhere
        z = i \\
  + 1

    return z

class K:
    'it\\'s: one'
    def g(self): pass
";
        assert_eq!(misindented(text.as_bytes()), []);
    }

    #[test]
    fn unexpected_missing_and_unmatched_indentation_is_found() {
        assert_eq!(misindented(b"a = 1\n    b = 2\n"), [1]);
        assert_eq!(misindented(b"def f():\nreturn 1\n"), [1]);
        assert_eq!(misindented(b"if a:\n        b\n    c\n"), [2]);
        assert_eq!(
            misindented(b"class K:\n    x = 1\n\n        def f(self):\n            pass\n"),
            [3]
        );
    }
}
