//! Which branches can matter for what the versions write differently: those in the relevant slice of the first byte that differs.
//!
//! An input that turns another branch changes nothing about that byte, so nobody has to ask for it.

use std::collections::{BTreeSet, HashSet};

use super::written::first_difference;
use super::{NEW, OLD, SourceLine, VersionSources};
use crate::recording::{Recording, RecordingError};
use crate::relevance::{ChainEnd, RelevantSlicer};

/// Of longer runs no slice is made: it takes longer than the questions that it saves.
const MOST_CONSTRAINTS: usize = 2000;

/// If no more changed lines than this may be the cause, they are looked at more closely.
pub(super) const MOST_CAUSES: usize = 3;

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

/// The lines of each version that the first byte that differs depends on, or the exit code if all bytes are the same.
#[derive(Default)]
pub struct Behind([BTreeSet<(String, u32)>; 2]);

impl Behind {
    /// For both versions on the same input. Of a version that writes nothing there and was not `killed`, or that cannot be followed, no
    /// line is known.
    ///
    /// # Errors
    /// If a recording cannot be read.
    pub fn of(
        recordings: [&Recording; 2],
        killed: [bool; 2],
        sources: &dyn VersionSources,
    ) -> Result<Behind, RecordingError> {
        let ends = match first_difference(recordings)? {
            Some(origins) => origins.map(|origin| origin.map(ChainEnd::Output)),
            None => [Some(ChainEnd::ExitCode); 2],
        };
        let mut found = Behind::default();
        for version in [OLD, NEW] {
            let end = match ends[version] {
                Some(ChainEnd::Output(origin)) => ChainEnd::Output(origin),
                _ if killed[version] => ChainEnd::Crash,
                Some(end) => end,
                None => continue,
            };
            let lines = recordings[version].lines_behind(end)?;
            let lines = lines.into_iter().flatten();
            found.0[version] = lines
                .map(|line| (sources.name(version, &line.file), line.line))
                .collect();
        }
        Ok(found)
    }

    /// Whether a line is one of few that may be the cause: that have changed, or that have changed and that what differs depends on.
    pub fn is_cause(
        &self,
        sources: &dyn VersionSources,
        version: usize,
        line: &SourceLine,
    ) -> bool {
        let changed = sources.changed_files(version).get(&line.file);
        if !changed.is_some_and(|lines| lines.contains(&line.line)) {
            return false;
        }
        // A constant may leave no step that the output could be followed to.
        few_changed(sources, version).is_some()
            || self.0[version].contains(&(line.file.clone(), line.line))
                && self.causes(sources, version).len() <= MOST_CAUSES
    }

    /// The lines that have changed in a version and that what differs depends on.
    pub fn causes(&self, sources: &dyn VersionSources, version: usize) -> Vec<(String, u32)> {
        let changed = sources.changed_files(version);
        let lines = self.0[version].iter().filter(|(file, line)| {
            let lines = changed.get(file);
            lines.is_some_and(|lines| lines.contains(line))
        });
        lines.cloned().collect()
    }
}

/// How many lines of a version have changed, if they are few.
pub fn few_changed(sources: &dyn VersionSources, version: usize) -> Option<usize> {
    let files = sources.changed_files(version).values();
    let lines = files.map(BTreeSet::len).sum();
    (1..=MOST_CAUSES).contains(&lines).then_some(lines)
}
