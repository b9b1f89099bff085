//! Lines in which a preprocessor tells where it found the text that follows.

use std::ops::Range;
use std::sync::Arc;

use yester_core::{Lab, Stop};

use super::choice::choose;
use yester_tree::{Edit, Replacement};

/// A text without these lines, or with those only that tell where the system's text ends and the user's begins: compilers warn
/// of less in what is said to be the system's, and accept more there.
pub(super) fn without_markers(lab: &mut dyn Lab, text: Arc<[u8]>) -> Result<Arc<[u8]>, Stop> {
    let markers = markers(&text);
    if markers.is_empty() {
        return Ok(text);
    }
    let borders = borders(&text, &markers);
    let choices = [&[], &borders[..]];
    let without = |kept: &[Range<usize>]| -> Arc<[u8]> {
        let replacements = markers.iter().map(|marker| Replacement {
            range: marker.clone(),
            with: match kept.binary_search_by_key(&marker.start, |kept| kept.start) {
                Ok(_) => without_inclusion(&text[marker.clone()]).into(),
                Err(_) => (&b""[..]).into(),
            },
        });
        Edit::new(replacements.collect()).apply(&text).into()
    };
    let what = "removing line markers";
    let found = choose(lab, what, choices.len(), &|choice| without(choices[choice]))?;
    Ok(found.map_or_else(|| Arc::clone(&text), |choice| without(choices[choice])))
}

/// The markers with which something begins that is the system's, the user's, or neither: the last file is the user's.
fn borders(text: &[u8], markers: &[Range<usize>]) -> Vec<Range<usize>> {
    let own = markers.last().and_then(|last| file(&text[last.clone()]));
    let mut borders = Vec::new();
    let mut side = None;
    for (number, marker) in markers.iter().enumerate() {
        let end = markers
            .get(number + 1)
            .map_or(text.len(), |next| next.start);
        let line = &text[marker.clone()];
        let next = Some((file(line) == own, is_system(line)));
        if side != next && !text[marker.end..end].trim_ascii().is_empty() {
            side = next;
            borders.push(marker.clone());
        }
    }
    borders
}

/// Lines such as `# 1 "file.h" 3`, without their ends.
pub(super) fn markers(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut markers = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        if let [b'#', rest @ ..] = line {
            let rest = rest.trim_ascii_start();
            let rest = rest.strip_prefix(b"line").unwrap_or(rest);
            if rest
                .trim_ascii_start()
                .first()
                .is_some_and(u8::is_ascii_digit)
            {
                markers.push(start..start + line.len());
            }
        }
        start += line.len() + 1;
    }
    markers
}

/// The file that a marker names.
pub(super) fn file(marker: &[u8]) -> Option<&[u8]> {
    marker.split(|byte| *byte == b'"').nth(1)
}

/// The number that the line behind a marker has in its file.
pub(super) fn line_number(marker: &[u8]) -> Option<usize> {
    let digits = marker.iter().skip_while(|byte| !byte.is_ascii_digit());
    let digits = digits.copied().take_while(u8::is_ascii_digit).collect();
    String::from_utf8(digits).ok()?.parse().ok()
}

/// A marker that does not say that a file begins or ends to be included: its other end may be gone.
fn without_inclusion(marker: &[u8]) -> Vec<u8> {
    let flags = marker
        .iter()
        .rposition(|byte| *byte == b'"')
        .map_or(marker.len(), |quote| quote + 1);
    let (rest, flags) = marker.split_at(flags);
    let flags = flags.split(u8::is_ascii_whitespace);
    let flags = flags.filter(|flag| !matches!(*flag, b"" | b"1" | b"2"));
    flags.fold(rest.to_vec(), |line, flag| {
        [&line, &b" "[..], flag].concat()
    })
}

/// Whether a marker says that its file is one of the system's.
fn is_system(marker: &[u8]) -> bool {
    let flags = marker.rsplit(|byte| *byte == b'"').next().unwrap_or(b"");
    let mut flags = flags.split(u8::is_ascii_whitespace);
    flags.any(|flag| flag == b"3")
}

#[cfg(test)]
mod tests {
    use super::{borders, file, markers, without_inclusion};

    #[test]
    fn borders_are_where_the_text_of_the_system_begins_and_ends() {
        let text = b"# 1 \"u.c\"\n# 1 \"a.h\" 1 3\nint a;\n# 1 \"b.h\" 1 3 4\nint b;\n# 2 \"u.c\" 2\n\n# 1 \"c.h\" 1 3\nint c;\n# 9 \"u.c\" 2\nint d;\n# 20 \"u.c\"\nint e;\n";
        let found = borders(text, &markers(text)).into_iter();
        let found: Vec<&[u8]> = found.map(|range| &text[range]).collect();
        let expected: [&[u8]; 2] = [b"# 1 \"a.h\" 1 3", b"# 9 \"u.c\" 2"];
        assert_eq!(found, expected);
        assert_eq!(without_inclusion(found[0]), b"# 1 \"a.h\" 3");
        assert_eq!(without_inclusion(found[1]), b"# 9 \"u.c\"");
    }

    #[test]
    fn markers_are_lines_with_a_number() {
        let text = b"# 1 \"a.cpp\"\n#line 7 \"b.h\"\n#pragma once\n#define A 1\nint x; # 3\n#\t2 \"c.h\" 3\r\n# 9";
        let found: Vec<&[u8]> = markers(text)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        let files: Vec<Option<&[u8]>> = found.iter().map(|marker| file(marker)).collect();
        let names: [Option<&[u8]>; 4] = [Some(b"a.cpp"), Some(b"b.h"), Some(b"c.h"), None];
        assert_eq!(files, names);
    }
}
