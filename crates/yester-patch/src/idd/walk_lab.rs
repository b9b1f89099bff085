//! What the search through a history asks of whoever runs its tests.

use yester_core::{Lab, Outcome};

use crate::Commit;

/// A lab that counts what it is asked, and hears how far the walk has come.
pub trait WalkLab: Lab {
    /// How many candidates were asked for so far, each once.
    fn answered(&self) -> u64;

    /// The walk says what it has found. Nothing depends on it; people like to know.
    fn tell(&mut self, news: WalkNews<'_>);
}

/// What a walk has found.
#[derive(Clone, Copy, Debug)]
pub enum WalkNews<'a> {
    /// What a revision gives with the patch of now.
    Tested {
        /// How far back it is.
        revision: usize,
        /// The revision.
        commit: &'a Commit,
        /// The outcome.
        outcome: Outcome,
    },
    /// There is a new patch.
    Border(&'a Border),
    /// A revision after the one that was found is without what broke it, and passes: it has come back since.
    CameBack(&'a Commit),
}

/// A revision at which the walk needed another patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Border {
    /// The revision.
    pub commit: Commit,
    /// Where the walk was heading.
    pub direction: Direction,
    /// What was wrong with the patch so far.
    pub reason: BorderReason,
    /// How many lines differ from the next revision that gives an answer.
    pub lines_before: u64,
    /// How many lines the new patch has.
    pub lines_after: u64,
    /// How many trials it took.
    pub trials: u64,
}

/// Where a walk heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To older revisions, with what keeps the test running.
    Back,
    /// To newer ones, with the fix.
    Forward,
}

/// What was wrong with a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BorderReason {
    /// The revision does not fail with it as the newest one does.
    OtherOutcome,
    /// The revision has changed in the same places.
    Conflict,
}
