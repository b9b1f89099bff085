//! `path:line:column:` and its relatives.

/// Where a message points, and what it says there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MessageLocation<'a> {
    pub file: &'a str,
    pub line: u32,
    pub text: &'a str,
}

/// The location that a line starts with: `path:3:5: text`, `path:3: text`, `path:3:5 - text`, `path(3,5): text`,
/// `path:[3,5] text`.
pub(super) fn leading(line: &str) -> Option<MessageLocation<'_>> {
    // Skip the colon of a drive on Windows.
    let from = if line.as_bytes().get(1) == Some(&b':') {
        2
    } else {
        0
    };
    let end = from + line.get(from..)?.find([':', '(', ' ', '"', '\'', '='])?;
    let (file, rest) = (&line[..end], &line[end..]);
    if !is_file(file) {
        return None;
    }
    let (rest, close) = match rest.as_bytes() {
        [b':', b'[', ..] => (&rest[2..], "]"),
        [b':', ..] => (&rest[1..], ""),
        [b'(', ..] => (&rest[1..], ")"),
        _ => return None,
    };
    let (line, rest) = number(rest)?;
    let (rest, has_column) = match rest.strip_prefix([':', ',']).and_then(number) {
        Some((_, rest)) => (rest, true),
        None => (rest, false),
    };
    let rest = rest.strip_prefix(close)?;
    let text = match rest.as_bytes().first() {
        Some(b':') => &rest[1..],
        Some(b' ') if has_column => rest.trim_start().trim_start_matches("- "),
        _ => return None,
    };
    Some(MessageLocation {
        file,
        line,
        text: text.trim_start(),
    })
}

/// A number and the rest after it.
pub(super) fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..end].parse().ok()?;
    Some((number, &text[end..]))
}

/// `path:line` or `path:line:column`, and nothing else.
pub(super) fn whole(text: &str) -> Option<(&str, u32)> {
    let (front, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let before = front.rsplit_once(':');
    let with_column = before.and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(with_column.unwrap_or((front, last))).filter(|(file, _)| !file.is_empty())
}

/// A path without parts that mean nothing.
pub(super) fn normal(path: &str) -> String {
    let mut path = path.strip_prefix("file://").unwrap_or(path);
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    path.to_owned()
}

/// What compilers call a text that comes without a file.
const STANDARD_INPUT: &str = "<stdin>";

/// Whether a word may be the path of a file rather than a host or a time.
fn is_file(word: &str) -> bool {
    if word == STANDARD_INPUT {
        return true;
    }
    word.contains(['.', '/', '\\'])
        && word.contains(|character: char| character.is_alphabetic())
        && !word.contains("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<(&str, u32, &str)> {
        leading(line).map(|location| (location.file, location.line, location.text))
    }

    #[test]
    fn locations_are_read_in_the_forms_of_all_tools() {
        assert_eq!(
            read("<stdin>:23:10: error: no member named 'x'"),
            Some(("<stdin>", 23, "error: no member named 'x'"))
        );
        assert_eq!(read("a/b.c:3:5: error: x"), Some(("a/b.c", 3, "error: x")));
        assert_eq!(read("b.c:3: error: x"), Some(("b.c", 3, "error: x")));
        assert_eq!(read("a.ts(3,5): error x"), Some(("a.ts", 3, "error x")));
        assert_eq!(read("a.ts:3:5 - error x"), Some(("a.ts", 3, "error x")));
        assert_eq!(read("/A.java:[3,5] error"), Some(("/A.java", 3, "error")));
        assert_eq!(read("C:\\a.c:3:5: x"), Some(("C:\\a.c", 3, "x")));
    }

    #[test]
    fn times_hosts_and_prose_are_no_locations() {
        for line in [
            "12:30:45: a",
            "localhost:8080: refused",
            "http://a.b:80: no",
            "In file included from a.c:1:",
            "a.c: In function",
            "x.c:99999999999999: y",
            "",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn a_path_alone_has_its_line() {
        assert_eq!(whole("/a/b.js:3"), Some(("/a/b.js", 3)));
        assert_eq!(whole("/a/b.js:3:17"), Some(("/a/b.js", 3)));
        assert_eq!(whole("/a/b.js"), None);
        assert_eq!(normal("././a.c"), "a.c");
        assert_eq!(normal("file:///a.mjs"), "/a.mjs");
    }
}
