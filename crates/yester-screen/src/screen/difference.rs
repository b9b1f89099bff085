//! What an improvement has changed, in a few lines.

use std::collections::{BTreeMap, BTreeSet};

use imara_diff::{Algorithm, Diff, InternedInput};
use yester_core::{Candidate, Entry};

use super::situation::Improvement;

/// A line that an improvement took away or put in.
pub struct ChangedLine {
    pub is_added: bool,
    pub text: String,
}

/// No window has room for more lines of one improvement.
const MOST: usize = 20;

/// The first lines that an improvement has changed. They are found only once: the view is drawn several times a second.
pub fn changed_lines(improvement: &Improvement) -> &[ChangedLine] {
    improvement
        .changed
        .get_or_init(|| match (&improvement.before, &improvement.after) {
            (Some(Candidate::File(before)), Some(Candidate::File(after))) => {
                of_texts(before, after)
            }
            (Some(Candidate::Tree(before)), Some(Candidate::Tree(after))) => {
                of_trees(before, after)
            }
            _ => Vec::new(),
        })
}

fn of_texts(before: &[u8], after: &[u8]) -> Vec<ChangedLine> {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let line = |token, is_added| ChangedLine {
        is_added,
        text: String::from_utf8_lossy(input.interner[token])
            .trim_end()
            .to_owned(),
    };
    let hunks = diff.hunks().flat_map(|hunk| {
        let removed = hunk
            .before
            .map(|index| line(input.before[index as usize], false));
        let added = hunk
            .after
            .map(|index| line(input.after[index as usize], true));
        removed.chain(added).collect::<Vec<_>>()
    });
    hunks.take(MOST).collect()
}

/// Of trees, the files that went or have changed.
fn of_trees(before: &BTreeMap<String, Entry>, after: &BTreeMap<String, Entry>) -> Vec<ChangedLine> {
    let is_there = |entry: Option<&Entry>| entry.is_some_and(|entry| *entry != Entry::Absent);
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differs = paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path));
    let line = |path: &String| ChangedLine {
        is_added: is_there(after.get(path)),
        text: path.clone(),
    };
    differs.map(line).take(MOST).collect()
}
