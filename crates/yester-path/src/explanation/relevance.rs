//! Which branches can matter for what the versions write differently: those in the relevant slice of the first byte that differs.
//!
//! An input that turns another branch changes nothing about that byte, so nobody has to ask for it.

use std::collections::HashSet;

use super::written::first_difference;
use super::{NEW, OLD, VersionSources};
use crate::recording::{Recording, RecordingError};
use crate::relevance::RelevantSlicer;

/// Of longer runs no slice is made: it takes longer than the questions that it saves.
const MOST_CONSTRAINTS: usize = 2000;

/// The constraints of each version that matter, by their index. Without a slice, all of them may.
#[derive(Default)]
pub struct Relevant([Option<HashSet<usize>>; 2]);

impl Relevant {
    /// For both versions on the same input.
    pub fn of(
        recordings: [&Recording; 2],
        sources: &dyn VersionSources,
    ) -> Result<Relevant, RecordingError> {
        let is_long = |one: &&Recording| one.cut || one.constraints.len() > MOST_CONSTRAINTS;
        if recordings.iter().any(is_long) {
            return Ok(Relevant::default());
        }
        // If one version writes nothing there, what it does not do is in no slice.
        let Some([Some(old), Some(new)]) = first_difference(recordings)? else {
            return Ok(Relevant::default());
        };
        // Where another statement writes, something else was written or not written before: what decided that is in no slice either.
        let mut texts = Vec::new();
        for (version, origin) in [(OLD, old), (NEW, new)] {
            let place = recordings[version].places(&[origin])?.pop().flatten();
            let line = place.map(|place| sources.line(version, recordings[version], place));
            let text = line.and_then(|line| sources.text(version, &line));
            texts.push(text.map(|text| text.trim().to_owned()));
        }
        if texts[OLD].is_none() || texts[OLD] != texts[NEW] {
            return Ok(Relevant::default());
        }
        let mut found = Relevant::default();
        for (version, origin) in [(OLD, old), (NEW, new)] {
            let recording = recordings[version];
            let slice = RelevantSlicer::new(recording).slice(&[origin])?;
            if slice.incomplete.is_some() {
                continue;
            }
            let branches = slice.branches.iter();
            let branches: HashSet<(usize, u64)> =
                branches.map(|one| (one.stream, one.offset)).collect();
            let constraints = recording.constraints.iter().enumerate();
            let relevant = constraints.filter(|(_, one)| {
                one.stream
                    .is_none_or(|stream| branches.contains(&(stream, one.event)))
            });
            found.0[version] = Some(relevant.map(|(index, _)| index).collect());
        }
        Ok(found)
    }

    /// Whether a constraint of a version can matter.
    pub fn contains(&self, version: usize, constraint: usize) -> bool {
        self.0[version]
            .as_ref()
            .is_none_or(|known| known.contains(&constraint))
    }
}
