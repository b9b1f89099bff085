use std::borrow::Cow;
use std::ops::Range;

use crate::size::is_word;

/// The same text with blanks in the place of words that its grammar does not know, and of the parentheses behind them. What
/// is left has its place. `one/two` is `one` before `two`.
pub(super) fn without_noise<'a>(text: &'a [u8], noise: &[&str]) -> Cow<'a, [u8]> {
    let mut text = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(word) = next_word(&text, at) {
        at = word.end;
        let is_noise = |noise: &&str| match noise.split_once('/') {
            None => text[word.clone()] == *noise.as_bytes(),
            Some((first, second)) => {
                let next = next_word(&text, word.end).unwrap_or(0..0);
                text[word.clone()] == *first.as_bytes() && text[next] == *second.as_bytes()
            }
        };
        if noise.iter().any(is_noise) {
            at = end_of_parentheses(&text, word.end).unwrap_or(word.end);
            for byte in &mut text.to_mut()[word.start..at] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
    }
    text
}

fn next_word(text: &[u8], from: usize) -> Option<Range<usize>> {
    let start = from + text[from..].iter().position(|byte| is_word(*byte))?;
    let length = text[start..].iter().take_while(|byte| is_word(**byte));
    Some(start..start + length.count())
}

/// Where the parentheses end that open here, or after white space.
fn end_of_parentheses(text: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0;
    let mut is_string = false;
    for (at, byte) in text.iter().enumerate().skip(from) {
        match byte {
            b'"' if depth > 0 => is_string = !is_string,
            _ if is_string => {}
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth -= 1,
            byte if depth == 0 && !byte.is_ascii_whitespace() => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_become_blanks() {
        let text = "int f() __attribute__ ((__a__ (\")\")))\n__asm (\"(g)\"); __extension__ x; int __asm_y;";
        let quiet = without_noise(
            text.as_bytes(),
            &["__attribute__", "__asm", "__extension__"],
        );
        let words: Vec<&str> = str::from_utf8(&quiet)
            .expect("text")
            .split_whitespace()
            .collect();
        assert_eq!(words.join(" "), "int f() ; x; int __asm_y;");
        assert_eq!(quiet.len(), text.len());
        assert_eq!(*without_noise(b"a b a c", &["a/c"]), *b"a b   c");
        assert!(matches!(without_noise(b"a (b)", &["c"]), Cow::Borrowed(_)));
    }
}
