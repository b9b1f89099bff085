//! Identifiers in a text that no grammar has taken apart, such as the body of a macro in C.

/// The identifiers of a text and where they start. Strings, comments and numbers have none.
pub(super) fn identifiers(text: &[u8]) -> Vec<(&[u8], usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match rest[0] {
            b'"' | b'\'' => quoted(rest),
            b'/' if rest.starts_with(b"/*") => find(rest, b"*/").map_or(rest.len(), |end| end + 2),
            b'/' if rest.starts_with(b"//") => find(rest, b"\n").unwrap_or(rest.len()),
            byte if is_part(byte) => {
                let length = rest.iter().take_while(|byte| is_part(**byte)).count();
                if !byte.is_ascii_digit() {
                    found.push((&rest[..length], at));
                }
                length
            }
            _ => 1,
        };
        at += length;
    }
    found
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// How long a string is. One that does not end is just a quotation mark.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == text[0] => return at + 1,
            _ => {}
        }
        at += 1;
    }
    1
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::identifiers;

    fn names(text: &str) -> Vec<&str> {
        let names = identifiers(text.as_bytes()).into_iter();
        names
            .map(|(name, _)| std::str::from_utf8(name).expect("ascii"))
            .collect()
    }

    #[test]
    fn strings_numbers_and_comments_have_no_identifiers() {
        assert_eq!(names("(a+0x1F*b_2)"), ["a", "b_2"]);
        assert_eq!(names(r#"p("x \" y", 'c', z)"#), ["p", "z"]);
        assert_eq!(names("a /* b */ c // d\n e"), ["a", "c", "e"]);
        assert_eq!(names("don't"), ["don", "t"]);
        assert_eq!(names("a /* b"), ["a"]);
    }
}
