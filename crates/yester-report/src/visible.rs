//! Makes strangers' text safe for a terminal.
//!
//! Test output, commits, authors, file names and sources come from strangers. An escape sequence in them could rename the
//! window or wipe the screen, an override of the writing direction could show one thing and mean another, and a newline in
//! a file name could forge a line of a report. We show what a terminal would obey: `\x1b`, `\u{202e}`, `\n`.
//!
//! Backslashes stay as they are, so that paths and regular expressions stay readable: this is for eyes, not for programs.

use std::borrow::Cow;

/// Text of several lines, with everything escaped that a terminal obeys or hides. Newlines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |character| "\n\t".contains(character))
}

/// Text that must stay on one line: newlines are escaped too.
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character == '\t')
}

fn escaped(text: &str, is_meant: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text
        .chars()
        .all(|one| !is_treacherous(one) || is_meant(one))
    {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    let mut before = ' ';
    for character in text.chars() {
        // Persian, Indic scripts and emoji need joiners. After a plain letter they only hide.
        let joins = matches!(character, '\u{200c}' | '\u{200d}')
            && !before.is_ascii()
            && !is_treacherous(before);
        match character {
            '\n' | '\r' if !is_meant(character) => safe.extend(character.escape_default()),
            _ if joins || is_meant(character) || !is_treacherous(character) => safe.push(character),
            _ if character.is_ascii() => safe.push_str(&format!(r"\x{:02x}", character as u32)),
            _ => safe.extend(character.escape_unicode()),
        }
        before = character;
    }
    Cow::Owned(safe)
}

/// Whether a terminal obeys a character, or the character changes how a text looks without being visible itself.
fn is_treacherous(character: char) -> bool {
    // C0, DEL and C1.
    character.is_control()
        || matches!(character,
            // Soft hyphen, and marks, embeddings, overrides and isolates of the writing direction.
            '\u{ad}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Spaces and joiners without width, and invisible operators.
            | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}'
            // Ends of lines and paragraphs that only some programs know.
            | '\u{2028}' | '\u{2029}'
            // Annotations and tags.
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_shown() {
        for (text, shown) in [
            ("\x1b]0;owned\x07\x1b[2J", r"\x1b]0;owned\x07\x1b[2J"),
            ("del \x7f, csi \u{9b}2J", r"del \x7f, csi \u{9b}2J"),
            ("a\u{202e}b\u{2066}c", r"a\u{202e}b\u{2066}c"),
            ("over\rwritten\u{8}\0", r"over\rwritten\x08\x00"),
            ("one\u{2028}two\u{feff}", r"one\u{2028}two\u{feff}"),
        ] {
            assert_eq!(visible(text), shown);
            assert_eq!(visible_line(text), shown);
            assert_eq!(visible(shown), shown, "once is enough");
        }
    }

    #[test]
    fn only_one_of_them_lets_lines_pass() {
        assert_eq!(visible("a\tb\nc\n"), "a\tb\nc\n");
        assert_eq!(
            visible_line("a\nnext     rm -rf ~\n"),
            r"a\nnext     rm -rf ~\n"
        );
        assert_eq!(visible("a\r\nb"), "a\\r\nb");
    }

    #[test]
    fn joiners_pass_where_a_script_needs_them() {
        for text in [
            "می\u{200c}خواهم",
            "👩\u{200d}🔬",
            "größer − «ok» … ×",
            "\\x1b",
        ] {
            assert_eq!(visible_line(text), text);
        }
        assert_eq!(visible("a\u{200d}dmin"), r"a\u{200d}dmin");
        assert_eq!(visible("é\u{200b}\u{200d}x"), r"é\u{200b}\u{200d}x");
    }
}
