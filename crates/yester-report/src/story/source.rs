//! The parts of the sources that the places of a story are in.

use std::collections::BTreeSet;

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

/// The lines around all places and their steps.
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
        let wanted: BTreeSet<u32> = lines
            .flat_map(|(_, line)| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND))
            .collect();
        let lines = wanted.into_iter().filter_map(|number| {
            let text = source.lines.get(number as usize - 1)?;
            Some((number, text.chars().take(WIDEST).collect()))
        });
        StorySource {
            version: source.version.to_owned(),
            file: source.file.clone(),
            lines: lines.take(MOST_LINES).collect(),
        }
    });
    parts.filter(|part| !part.lines.is_empty()).collect()
}
