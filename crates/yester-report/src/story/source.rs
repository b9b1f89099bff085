//! The parts of the sources that the places of a story are in.

use std::collections::BTreeSet;

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::{Deserialize, Serialize};

use super::StoryPlace;

/// A source file as it was when the run saw it.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    /// The version that it is of: `old` or `new`; empty if there is one only.
    pub version: &'static str,
    /// Its name, as places have it.
    pub file: String,
    /// Its lines.
    pub lines: Vec<String>,
    /// Its lines in the version before, where there is one.
    pub before: Option<Vec<String>>,
}

/// A part of a source file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StorySource {
    /// The version that it is of; empty if there is one only.
    pub version: String,
    /// The file.
    pub file: String,
    /// Numbers of lines, in ascending order, and what is in them. Lines between may be left out.
    pub lines: Vec<(u32, String)>,
    /// The numbers of those that the version before does not have.
    #[serde(default)]
    pub added: BTreeSet<u32>,
    /// Lines that only the version before has, each with the number of the line that follows.
    #[serde(default)]
    pub removed: Vec<(u32, String)>,
}

impl StorySource {
    /// Its name, with the version if there are two.
    pub fn name(&self) -> String {
        match self.version.as_str() {
            "" => self.file.clone(),
            version => format!("{} ({version} version)", self.file),
        }
    }

    /// Whether it has this line.
    pub fn has(&self, version: &str, file: &str, line: u32) -> bool {
        self.version == version
            && self.file == file
            && self.lines.iter().any(|(number, _)| *number == line)
    }
}

/// So many lines are shown around a line that matters, and so many of a file.
const AROUND: u32 = 3;
const MOST_LINES: usize = 300;
/// A longer line is cut.
const WIDEST: usize = 400;

/// A file with more changed lines is shown only around its places.
const MOST_CHANGED: usize = 60;

/// The lines around all places and their steps, and the lines that have changed.
pub(super) fn around(sources: &[SourceText], places: &[StoryPlace]) -> Vec<StorySource> {
    let parts = sources.iter().map(|source| {
        let own = places
            .iter()
            .filter(|place| place.version == source.version);
        let lines = own.flat_map(|place| {
            let steps = place.steps.iter().map(|step| (&step.file, step.line));
            std::iter::once((&place.file, place.line)).chain(steps)
        });
        let lines = lines.filter(|(file, _)| **file == source.file);
        let mut wanted: BTreeSet<u32> = lines
            .flat_map(|(_, line)| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND))
            .collect();
        let (mut added, removed) = source.changes();
        if !wanted.is_empty() && added.len() + removed.len() <= MOST_CHANGED {
            wanted.extend(&added);
            wanted.extend(removed.iter().map(|(line, _)| line));
        }
        let lines = wanted.iter().filter_map(|number| {
            let text = source.lines.get(*number as usize - 1)?;
            Some((*number, text.chars().take(WIDEST).collect()))
        });
        let lines: Vec<(u32, String)> = lines.take(MOST_LINES).collect();
        let is_shown = |line: &u32| lines.iter().any(|(number, _)| number == line);
        added.retain(is_shown);
        StorySource {
            version: source.version.to_owned(),
            file: source.file.clone(),
            added,
            removed: removed
                .into_iter()
                .filter(|(line, _)| is_shown(line))
                .collect(),
            lines,
        }
    });
    parts.filter(|part| !part.lines.is_empty()).collect()
}

impl SourceText {
    /// The numbers of the lines that the version before does not have, and its lines that are not here.
    fn changes(&self) -> (BTreeSet<u32>, Vec<(u32, String)>) {
        let (mut added, mut removed) = (BTreeSet::new(), Vec::new());
        let Some(before) = &self.before else {
            return (added, removed);
        };
        let mut input = InternedInput::default();
        input.update_before(before.iter().map(String::as_str));
        input.update_after(self.lines.iter().map(String::as_str));
        for hunk in Diff::compute(Algorithm::Histogram, &input).hunks() {
            added.extend(hunk.after.clone().map(|line| line + 1));
            // Behind the last line, they stand above it.
            let next = (hunk.after.start + 1).min(self.lines.len() as u32);
            let texts = hunk.before.map(|line| &before[line as usize]);
            removed.extend(texts.map(|text| (next, text.chars().take(WIDEST).collect())));
        }
        (added, removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_shown_with_what_they_were() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let source = SourceText {
            version: "new",
            file: "x.c".to_owned(),
            lines: lines("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nNEW"),
            before: Some(lines("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nold")),
        };
        let place = StoryPlace {
            here: None,
            version: "new".to_owned(),
            file: "x.c".to_owned(),
            line: 2,
            ..StoryPlace::default()
        };
        let shown = around(&[source], &[place]);
        let numbers: Vec<u32> = shown[0].lines.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 12]);
        assert_eq!(shown[0].added, BTreeSet::from([12]));
        assert_eq!(shown[0].removed, [(12, "old".to_owned())]);
    }
}
