//! The baseline: what one learns from the difference of the two versions alone.

use std::ops::Range;
use std::path::Path;
use std::process::Command;

use super::Case;

/// The lines that differ between the versions of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// Those of the old version.
    pub old: Vec<Range<u32>>,
    /// Those of the new version.
    pub new: Vec<Range<u32>>,
}

impl ChangedLines {
    /// Those of a case.
    pub fn of(case: &Case) -> Result<ChangedLines, String> {
        ChangedLines::between(&case.old, &case.new)
    }

    /// Asks git.
    pub fn between(old: &Path, new: &Path) -> Result<ChangedLines, String> {
        let output = Command::new("git")
            .args(["diff", "--no-index", "--no-color", "--no-ext-diff", "-U0"])
            .args([old, new])
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.code() {
            Some(0 | 1) => ChangedLines::parse(&String::from_utf8_lossy(&output.stdout)),
            _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }

    fn parse(difference: &str) -> Result<ChangedLines, String> {
        let mut changed = ChangedLines::default();
        for line in difference.lines() {
            let Some(header) = line.strip_prefix("@@ -") else {
                continue;
            };
            let mut words = header.split(' ');
            let mut next = || range(words.next()?.trim_start_matches('+'));
            let (Some(old), Some(new)) = (next(), next()) else {
                return Err(format!("'{line}' has no lines"));
            };
            changed.old.push(old);
            changed.new.push(new);
        }
        Ok(changed)
    }

    /// How many lines a reader has to look at.
    pub fn count(&self) -> usize {
        let ranges = self.old.iter().chain(&self.new);
        ranges.map(ExactSizeIterator::len).sum()
    }

    /// Whether the line with the fault is among them.
    pub fn contain_truth(&self, case: &Case) -> bool {
        let is_in = |ranges: &[Range<u32>], lines: &[u32]| {
            let mut lines = lines.iter();
            lines.any(|line| ranges.iter().any(|range| range.contains(line)))
        };
        is_in(&self.old, &case.truth.lines_old)
            || !case.truth.is_missing && is_in(&self.new, &case.truth.lines_new)
    }
}

/// The lines of `START` or `START,COUNT`.
fn range(word: &str) -> Option<Range<u32>> {
    let (start, count) = word.split_once(',').unwrap_or((word, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    Some(start..start + count)
}

#[cfg(test)]
mod tests {
    use super::ChangedLines;

    #[test]
    fn the_heads_of_a_difference_tell_which_lines_changed() {
        let text = "--- a\n+++ b\n@@ -3 +3,2 @@ int f()\n-x\n+y\n+z\n@@ -9,2 +10,0 @@\n-a\n-b\n";
        let changed = ChangedLines::parse(text).expect("a difference");
        assert_eq!(changed.old, [3..4, 9..11]);
        assert_eq!(changed.new, [3..5, 10..10]);
        assert_eq!(changed.count(), 5);
        assert!(ChangedLines::parse("@@ -x +3 @@").is_err());
    }
}
