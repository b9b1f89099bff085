//! The search between two versions of which one passes: first the step of the history that broke it, then the changes there.
//!
//! `home` finds the step, `culprit` the changes, `relapse` looks for them at other times of the history, `proof` runs the
//! answer in clean places, and `blame` says who made it. All of it is over a [`StepLab`], which reads the versions of each step by what tells them
//! apart.

mod blame;
mod compared;
mod culprit;
mod home;
mod proof;
mod relapse;

pub use self::blame::BlamedChange;
pub use self::compared::{ComparedVersions, limited_difference};
pub use self::culprit::{BrokenBy, RegressionSearch};
pub use self::home::Home;
pub use self::proof::{Fix, Proof};
pub use self::relapse::Relapse;

use yester_core::{Candidate, Lab, Outcome, Stop};

use crate::{Commit, PatchError};

/// A lab that reads the versions of each step of the history by what tells them apart.
pub trait StepLab: Lab {
    /// Versions of any step of the history come now: BAD may print more than the first one that fails, which came later.
    fn read_any_step(&mut self);

    /// Learns from one of these that passes which numbers mean nothing. If that makes a difference, judges again what has
    /// run so far, and says so.
    fn learn_passing(&mut self, passing: &Candidate) -> bool;

    /// Versions between GOOD and BAD come now.
    fn read_all(&mut self);

    /// Versions of this step come now.
    fn read_step(&mut self, home: &Home);

    /// What was found at a step is gone from a later version, which passes. The search starts over after that.
    fn leave_step(&mut self, later: &Commit);

    /// These versions of the history were tested, of which `history` has those of the first line. Nothing depends on it; people
    /// like to know.
    fn tell(&mut self, tested: &[(Commit, Outcome)], history: &[Commit]);

    /// The search starts with these changes, which fail: that is the best so far.
    fn start_with(&mut self, best: &BrokenBy);
}

/// Why a search has no answer.
#[derive(Debug)]
pub enum SearchError {
    /// It had to stop.
    Stop(Stop),
    /// A version cannot be read.
    Patch(PatchError),
}

impl From<Stop> for SearchError {
    fn from(stop: Stop) -> SearchError {
        SearchError::Stop(stop)
    }
}

impl From<PatchError> for SearchError {
    fn from(error: PatchError) -> SearchError {
        SearchError::Patch(error)
    }
}
