//! From two versions that differ on one input to the places that make them differ, after Roychoudhury and Vaswani (2008) and beyond.
//!
//! [`Alternates`] finds inputs close to the user's, by the questions of [`crate::deviations`]: DARWIN's second phase runs them in both
//! versions. [`Evidence`] weighs these, and what differs on the user's own input, and names the places.

mod alternate;
mod definition;
mod relevance;
mod suspect;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub use self::alternate::{Alternate, Alternates, Differing, Direction};
pub use self::definition::with_definitions;
pub use self::relevance::{Behind, Relevant};
pub use self::suspect::{Evidence, Suspect, best};
pub use self::written::{WrittenDifference, written_differently};
use crate::input::ProgramInput;
use crate::origin::SourcePlace;
use crate::program::{RecordedRuns, Shown};
use crate::recording::{Recording, RecordingError};
use crate::solver::SolverError;
use crate::version_comparison::StepPlace;

/// The old version, by its place in every pair.
pub const OLD: usize = 0;
/// The new version.
pub const NEW: usize = 1;

/// Two versions of a program that run on any input.
pub trait Versions {
    /// What a run shows.
    type Shown: Shown;
    /// What of that is compared.
    type Behaviour: Clone;
    /// Why a search has to end.
    type Stop: From<RecordingError> + From<SolverError>;

    /// Runs a version on inputs. Nothing for those on which it leaves no recording.
    ///
    /// # Errors
    /// If the search has to end.
    fn run_all(
        &mut self,
        version: usize,
        inputs: &[ProgramInput],
        timeout: Duration,
    ) -> RecordedRuns<Self::Shown, Self::Stop>;

    /// What a run has done.
    fn behaviour(&self, observation: &Self::Shown) -> Self::Behaviour;

    /// Whether both versions have done the same on an input.
    fn agree(&self, old: &Self::Behaviour, new: &Self::Behaviour) -> bool;
}

/// A line of a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// The file, as the user knows it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
    /// The function.
    pub function: String,
}

/// The sources of both versions.
pub trait VersionSources {
    /// The name of a file as the user knows it.
    fn name(&self, version: usize, file: &str) -> String;

    /// The lines of a file, by its name as the compiler or the user knows it; none if it cannot be read.
    fn lines(&self, version: usize, file: &str) -> Vec<String>;

    /// The files of a version with lines that changed, and these lines.
    fn changed_files(&self, version: usize) -> &BTreeMap<String, BTreeSet<u32>>;

    /// A line of such a file.
    fn line_text(&self, version: usize, file: &str, line: u32) -> Option<String>;

    /// The line of the other version that is where a line is, or follows it if that is not there.
    fn counterpart(&self, version: usize, line: &SourceLine) -> Option<SourceLine>;

    /// The text of a line, if its file can be read.
    fn text(&self, version: usize, line: &SourceLine) -> Option<String> {
        self.line_text(version, &line.file, line.line)
    }

    /// The line of a step.
    fn line_of(&self, version: usize, recording: &Recording, place: StepPlace) -> SourceLine {
        let function = recording.sites.function(place.function);
        let function = function.expect("the step is of this recording");
        let site = &function.sites[place.site as usize];
        SourceLine {
            file: self.name(version, function.file_of(site)),
            line: site.line,
            column: site.column,
            function: function.name.clone(),
        }
    }

    /// The line of a place that is no site.
    fn line(&self, version: usize, recording: &Recording, place: SourcePlace) -> SourceLine {
        let function = recording.sites.function(place.function);
        SourceLine {
            file: function.map_or_else(String::new, |one| self.name(version, &one.file)),
            line: place.line,
            column: place.column,
            function: function.map_or_else(String::new, |one| one.name.clone()),
        }
    }
}
