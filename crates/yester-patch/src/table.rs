//! Tables of numbers and lists of numbered constants. Programs make them, and one part without the others makes no sense.

use std::ops::Range;

use crate::line::Lines;
use crate::word::{is_word, tokens};
use crate::{Change, Edit};

/// Fewer lines of numbers are no table.
const LONG: u32 = 8;
/// So many lines of code may be between two tables that belong together.
const GAP: u32 = 12;

/// The atoms of a change that are in tables which belong together, for each such group.
pub(crate) fn tables(change: &Change) -> Vec<Vec<u32>> {
    let old = groups(change.old_content(), &change.old_lines);
    let new = groups(change.new_content(), &change.new_lines);
    // Both versions of a line are in the same group of tables, so that groups are joined by what they share.
    let mut joined: Vec<Vec<u32>> = Vec::new();
    for (side, groups) in [old, new].into_iter().enumerate() {
        for group in groups {
            let mut atoms: Vec<u32> = (change.first as u32..)
                .zip(&change.edits)
                .filter_map(|(atom, edit)| match edit {
                    Edit::Line(edit) => Some((atom, [&edit.old, &edit.new][side])),
                    _ => None,
                })
                .filter(|(_, lines)| lines.start < group.end && group.start < lines.end)
                .map(|(atom, _)| atom)
                .collect();
            let (mine, others): (Vec<_>, Vec<_>) = joined
                .into_iter()
                .partition(|other| other.iter().any(|atom| atoms.contains(atom)));
            atoms.extend(mine.concat());
            atoms.sort_unstable();
            atoms.dedup();
            joined = others;
            joined.push(atoms);
        }
    }
    joined.retain(|atoms| atoms.len() > 1);
    joined.sort_unstable();
    joined
}

/// Where the tables of a text are, those that are near each other as one.
fn groups(text: &[u8], lines: &Lines) -> Vec<Range<u32>> {
    let mut groups: Vec<Range<u32>> = Vec::new();
    let (mut start, mut gap) = (0, u32::MAX);
    for number in 0..=lines.len() {
        let line = match number < lines.len() {
            true => &text[lines.bytes(&(number..number + 1))],
            false => &[],
        };
        if is_numbers(line) {
            continue;
        }
        if number - start >= LONG {
            match groups.last_mut() {
                Some(last) if gap <= GAP => last.end = number,
                _ => groups.push(start..number),
            }
            gap = 0;
        } else {
            gap = gap.saturating_add(number - start);
        }
        let line = line.trim_ascii();
        let is_code = !line.is_empty() && !line.starts_with(b"*") && !line.starts_with(b"/");
        gap = gap.saturating_add(u32::from(is_code));
        start = number + 1;
    }
    groups
}

/// Whether there are numbers in a line and nothing else, but for comments and the name of a constant.
fn is_numbers(line: &[u8]) -> bool {
    let tokens: Vec<&[u8]> = tokens(line).collect();
    let mut rest = match &tokens[..] {
        [b"#", b"define", _, rest @ ..] => rest,
        all => all,
    };
    let mut has_number = false;
    while let [token, after @ ..] = rest {
        rest = match (*token, after) {
            (b"/", [b"/", ..]) => &[],
            (b"/", [b"*", comment @ ..]) => {
                let end = comment.windows(2).position(|pair| pair == [b"*", b"/"]);
                end.map_or(&[], |end| &comment[end + 2..])
            }
            _ if token[0].is_ascii_digit() => {
                has_number = true;
                after
            }
            _ if is_word(token[0]) => return false,
            _ => after,
        };
    }
    has_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_from_code() {
        for line in [
            "#define OP_Next 5 /* jump */",
            "  /* 8 */ 0x04, 12,\\",
            "1, 2 // three",
        ] {
            assert!(is_numbers(line.as_bytes()), "{line}");
        }
        for line in ["int x = 5;", "#define A B", "", "};", "/* 5 */"] {
            assert!(!is_numbers(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn tables_near_each_other_are_one() {
        let table = "1, 2,\n".repeat(LONG as usize);
        let text = format!(
            "{table}}};\nint x[] = {{\n{table}{}{table}",
            "code\n".repeat(13)
        );
        let groups = groups(text.as_bytes(), &Lines::of(text.as_bytes()));
        assert_eq!(groups, [0..18, 31..39]);
    }
}
