//! What is known of a case of `bench/changes`: its file `truth`, found by hand.
//!
//! Lines `KEY: VALUE`, then `patch:` and a patch without context up to the end of the file:
//!
//! - `commit`: the subject of the guilty commit; once more for another one that may be named instead.
//! - `bad`: a line that the bad version prints, masked; once for each line. `[..]` stands for any text in a line, and a
//!   line `...` for any lines, as in the book.
//! - `patch`: the fewest known lines that make the parent of the first guilty commit fail.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// What is known of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// The subjects of the commits that may be named, the right one first.
    pub commits: Vec<String>,
    /// What the bad version prints, masked, with wildcards.
    pub bad: Vec<String>,
    /// The fewest known lines that make the parent of the first of the commits fail.
    pub patch: String,
}

impl Truth {
    /// Reads the file of a case.
    pub fn parse(text: &str) -> Result<Truth, String> {
        let mut truth = Truth::default();
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            rest = after;
            if line == "patch:" {
                truth.patch = rest.to_owned();
                break;
            }
            let (key, value) = line
                .split_once(':')
                .ok_or(format!("its truth has the line '{line}'"))?;
            let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
            match key {
                "commit" => truth.commits.push(value),
                "bad" => truth.bad.push(value),
                _ => return Err(format!("its truth has the key '{key}'")),
            }
        }
        if truth.commits.is_empty() || truth.patch.is_empty() {
            Err("its truth has no commit or no patch".to_owned())
        } else {
            Ok(truth)
        }
    }

    /// How many lines the patch adds and removes.
    pub fn lines(&self) -> u64 {
        let is_changed = |line: &&str| {
            line.starts_with(['+', '-']) && !line.starts_with("+++ ") && !line.starts_with("--- ")
        };
        self.patch.lines().filter(is_changed).count() as u64
    }

    /// Whether this is the output of the bad version.
    pub fn accepts(&self, output: &[String]) -> bool {
        matches_lines(&self.bad, output)
    }
}

fn matches_lines(patterns: &[String], lines: &[String]) -> bool {
    match patterns.split_first() {
        None => lines.is_empty(),
        Some((pattern, rest)) if pattern == "..." => {
            (0..=lines.len()).any(|skipped| matches_lines(rest, &lines[skipped..]))
        }
        Some((pattern, rest)) => lines
            .split_first()
            .is_some_and(|(line, lines)| matches_line(pattern, line) && matches_lines(rest, lines)),
    }
}

fn matches_line(pattern: &str, line: &str) -> bool {
    match pattern.split_once("[..]") {
        None => pattern == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let ends = rest.char_indices().map(|(position, _)| position);
            ends.chain([rest.len()])
                .any(|position| matches_line(after, &rest[position..]))
        }),
    }
}

/// The lines of an output without what may differ between two runs of the same failure: where the tree and the case are,
/// positions in files, addresses and times. Empty lines are left out.
pub fn masked(output: &str, tree: &Path, case: &Path) -> Vec<String> {
    static MASKS: LazyLock<[(Regex, &str); 5]> = LazyLock::new(|| {
        [
            (r"0x[0-9a-fA-F]{4,}", "ADDRESS"),
            (r"(\.[A-Za-z]+):\d+(:\d+)?\b", "$1:LINE"),
            (r"\bline \d+\b", "line LINE"),
            (r"\b\d+(\.\d+)? ?(ms|s|seconds)\b", "TIME"),
            (r"/tmp/[^\s:'\x22)]*", "TEMPORARY"),
        ]
        .map(|(pattern, mask)| (Regex::new(pattern).expect("a valid pattern"), mask))
    });
    let mut text = output.to_owned();
    for (path, name) in [(tree, "TREE"), (case, "CASE")] {
        text = text.replace(&path.display().to_string(), name);
    }
    for (pattern, mask) in MASKS.iter() {
        text = pattern.replace_all(&text, *mask).into_owned();
    }
    text.lines()
        .map(|line| line.trim_end().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truth_has_keys_and_a_patch() {
        let text = "commit: thing 2.0: a.js\nbad: got 2\nbad:   at b\npatch:\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-1\n+2\n";
        let truth = Truth::parse(text).unwrap();
        assert_eq!(truth.commits, ["thing 2.0: a.js"]);
        assert_eq!(truth.bad, ["got 2", "  at b"]);
        assert_eq!(truth.lines(), 2);
        assert!(truth.accepts(&["got 2".to_owned(), "  at b".to_owned()]));
        assert!(!truth.accepts(&[]));
    }

    #[test]
    fn wildcards_stand_for_text_and_for_lines() {
        let truth = Truth {
            bad: ["with 7[..]", "...", "got 2"].map(str::to_owned).to_vec(),
            ..Truth::default()
        };
        let lines = |lines: &[&str]| {
            lines
                .iter()
                .map(|&line| line.to_owned())
                .collect::<Vec<_>>()
        };
        assert!(truth.accepts(&lines(&["with 7.2", "got 2"])));
        assert!(truth.accepts(&lines(&["with 7", "a", "b", "got 2"])));
        assert!(!truth.accepts(&lines(&["with 6", "got 2"])));
        assert!(!truth.accepts(&lines(&["with 7", "got 2", "more"])));
    }

    #[test]
    fn a_truth_without_a_patch_is_an_error() {
        assert!(Truth::parse("commit: thing 2.0\n").is_err());
        assert!(Truth::parse("guilty: thing 2.0\npatch:\n").is_err());
    }

    #[test]
    fn positions_addresses_times_and_places_are_masked_and_values_are_not() {
        let output = "at f (/tmp/x/a.js:10:5)\nFile \"/case/t.py\", line 7, in g\n\nRan 1 test in 0.012s\n<A at 0x7f12ab> 3 != 4\n";
        assert_eq!(
            masked(output, Path::new("/tmp/x"), Path::new("/case")),
            [
                "at f (TREE/a.js:LINE)",
                "File \"CASE/t.py\", line LINE, in g",
                "Ran 1 test in TIME",
                "<A at ADDRESS> 3 != 4",
            ]
        );
    }
}
