//! A merge that fails though the version before it passes: is it the branch, or the merge itself?

use yester_core::Outcome;

use crate::Commit;

/// A merge that broke it, and what is known of what it merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenMerge {
    /// The merge. It fails, and the version before it passes.
    pub commit: Commit,
    /// What it merged: the last commit of each branch that was looked at, and its outcome.
    pub merged: Vec<(Commit, Outcome)>,
    /// What broke it.
    pub cause: MergeCause,
}

/// What is to blame for a merge that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeCause {
    /// A commit of a branch that it merged, which fails by itself.
    Branch,
    /// The merge: the branches pass by themselves, or they failed before they branched off.
    Merge,
    /// Nobody can say: a branch gives no answer by itself.
    Unknown,
}

impl BrokenMerge {
    /// A merge before anything is known of what it merged.
    pub(crate) fn new(commit: &Commit) -> BrokenMerge {
        BrokenMerge {
            commit: commit.clone(),
            merged: Vec::new(),
            cause: MergeCause::Merge,
        }
    }

    /// Takes note of a branch that is not to blame.
    pub(crate) fn add(&mut self, tip: &Commit, outcome: Outcome) {
        self.merged.push((tip.clone(), outcome));
        if outcome == Outcome::Unresolved {
            self.cause = MergeCause::Unknown;
        }
    }

    /// Takes note of the branch that is to blame.
    pub(crate) fn blame(&mut self, tip: &Commit, outcome: Outcome) {
        self.merged = vec![(tip.clone(), outcome)];
        self.cause = MergeCause::Branch;
    }
}
