//! Tables and constants whose numbers change together: opcodes, tokens, the tables of a generated parser.

use std::collections::BTreeMap;

use crate::shared::Entities;
use crate::word::tokens;
use crate::{FileChange, FileEdit};

/// Fewer lines than this with other numbers are no table.
const FEWEST: usize = 4;

/// The atoms of a change that only change numbers, in rings: those of one entity, and those outside of all.
///
/// The numbers of a table mean something only together, and nothing else in the text says so.
pub(crate) fn rings(change: &FileChange, entities: &Entities) -> Vec<Vec<u32>> {
    let mut rings: BTreeMap<Option<u32>, Vec<u32>> = BTreeMap::new();
    for (place, edit) in change.edits.iter().enumerate() {
        if is_number(change, edit) {
            let ring = rings.entry(entities.of_edit[place]).or_default();
            ring.push((change.first + place) as u32);
        }
    }
    let mut rings: Vec<Vec<u32>> = rings.into_values().collect();
    rings.retain(|ring| ring.len() >= FEWEST);
    rings
}

/// Whether two lines differ in numbers only, or one line that comes or goes has nothing but numbers.
fn is_number(change: &FileChange, edit: &FileEdit) -> bool {
    let FileEdit::Line(edit) = edit else {
        return false;
    };
    let old = &change.old_content()[change.old_lines.bytes(&edit.old)];
    let new = &change.new_content()[change.new_lines.bytes(&edit.new)];
    match (edit.old.is_empty(), edit.new.is_empty()) {
        (false, false) => masked(old) == masked(new),
        (true, _) => has_only_numbers(new),
        (_, true) => has_only_numbers(old),
    }
}

/// The tokens of a line, with nothing where a number is.
fn masked(line: &[u8]) -> Vec<Option<&[u8]>> {
    tokens(line)
        .map(|token| (!is_digits(token)).then_some(token))
        .collect()
}

fn has_only_numbers(line: &[u8]) -> bool {
    let is_word = |token: &[u8]| crate::word::is_word(token[0]) && !is_digits(token);
    tokens(line).any(is_digits) && !tokens(line).any(is_word)
}

fn is_digits(token: &[u8]) -> bool {
    token[0].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_numbers_and_lines_with_other_numbers_are_told_from_the_rest() {
        assert!(has_only_numbers(b"  0x1F, 12, -3, /* 40 */\n"));
        assert!(!has_only_numbers(b"  },\n"));
        assert!(!has_only_numbers(b"  { \"x\", 3 },\n"));
        assert_eq!(masked(b"#define OP_A 12\n"), masked(b"#define OP_A    7\n"));
        assert_ne!(masked(b"#define OP_A 12\n"), masked(b"#define OP_B 12\n"));
    }
}
