use std::borrow::Cow;

/// A longer line is data and not a message.
const MOST_BYTES: usize = 2000;

/// A text without the commands of a terminal.
pub(super) fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split('\u{1b}');
    plain.extend(parts.next());
    for part in parts {
        let bytes = part.as_bytes();
        let rest = match bytes.first() {
            // A command with numbers ends with a letter.
            Some(b'[') => {
                let end = bytes[1..]
                    .iter()
                    .position(|byte| (0x40..=0x7e).contains(byte));
                end.map_or("", |end| part.get(end + 2..).unwrap_or(""))
            }
            // A link or a title ends with a bell, or with another command.
            Some(b']') => part.split_once('\u{7}').map_or("", |(_, rest)| rest),
            _ => {
                let mut characters = part.chars();
                characters.next();
                characters.as_str()
            }
        };
        plain.push_str(rest);
    }
    Cow::Owned(plain)
}

/// The part of a line that is worth reading.
pub(super) fn shortened(line: &str) -> &str {
    let mut end = line.len().min(MOST_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_links_go_and_the_text_stays() {
        let plain = |text| without_colours(text).into_owned();
        assert_eq!(
            plain("\u{1b}[01m\u{1b}[Kb.c:1:\u{1b}[m\u{1b}[K x"),
            "b.c:1: x"
        );
        assert_eq!(plain("a\u{1b}]8;;http://x\u{7}b\u{1b}]8;;\u{7}c"), "abc");
        assert_eq!(plain("a\u{1b}[1"), "a");
        assert_eq!(plain("a\u{1b}"), "a");
        assert_eq!(plain("a\u{1b}é\u{1b}[é"), "a");
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(shortened(&"é".repeat(2000)).len(), 2000);
        assert_eq!(shortened(&format!("a{}", "é".repeat(2000))).len(), 1999);
    }
}
