//! The source that a message shows, with the relevant part underlined.

use super::name::{identifiers, unique};

/// How many lines after a message its underlined source may be.
const LOOK_AHEAD: usize = 12;

/// The names that are underlined with `^` or `~` in the lines after a message's main line.
pub(super) fn underlined(lines: &[&str], at: usize) -> Vec<String> {
    let around = lines.iter().skip(at + 1).take(LOOK_AHEAD);
    let pairs = around.clone().zip(around.skip(1));
    for (source, marks) in pairs {
        // Words may follow the marks, but nothing comes before them.
        let front = marks.split(['^', '~']).next().unwrap_or_default();
        if front.len() == marks.len() || !front.chars().all(is_mark_line) {
            continue;
        }
        let start = marks
            .chars()
            .take_while(|mark| !matches!(mark, '^' | '~'))
            .count();
        let length = marks
            .chars()
            .skip(start)
            .take_while(|mark| matches!(mark, '^' | '~'))
            .count();
        let source: Vec<char> = source.chars().collect();
        let is_part = |at: usize| {
            let character = source.get(at);
            character.is_some_and(|one| one.is_alphanumeric() || *one == '_')
        };
        // A single mark stands for the word above it.
        let mut end = start + length;
        while is_part(end) && is_part(end - 1) {
            end += 1;
        }
        let word: String = source.iter().skip(start).take(end - start).collect();
        return unique(identifiers(&word).collect());
    }
    Vec::new()
}

fn is_mark_line(character: char) -> bool {
    character.is_whitespace()
        || character.is_ascii_digit()
        || matches!(character, '|' | '^' | '~' | '-')
}

#[cfg(test)]
mod tests {
    use super::underlined;

    #[test]
    fn what_is_underlined_is_found_with_and_without_a_gutter() {
        let rustc = [
            "error",
            " --> r.rs:9:5",
            "  |",
            "9 |     here(1, 2);",
            "  |     ^^^^    - unexpected",
        ];
        assert_eq!(underlined(&rustc, 0), ["here"]);
        let clang = ["a.c:1:1: error: x", "  two(1);", "  ^"];
        assert_eq!(underlined(&clang, 0), ["two"]);
        assert!(underlined(&["a.c:1:1: error: x", "a ^ b", "c"], 0).is_empty());
    }
}
