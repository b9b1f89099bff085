//! Revisions with other files at some paths.

use yester_core::{Answer, Candidate, Infeasible, Lab, Space, Stop, Subset};

use super::TestedHistory;
use crate::{Backport, Commit, Overlay, PatchError};

/// A revision with other files at some paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its full id.
    pub commit: String,
    /// What lies at these paths instead.
    pub overlay: Overlay,
}

impl Tree {
    /// A revision as it is.
    pub fn plain(commit: &Commit) -> Tree {
        Tree {
            commit: commit.id.clone(),
            overlay: Overlay::new(),
        }
    }

    /// The same with more files replaced.
    pub fn with(&self, more: Overlay) -> Tree {
        let mut overlay = self.overlay.clone();
        overlay.extend(more);
        Tree {
            overlay,
            commit: self.commit.clone(),
        }
    }
}

/// A patch, and the revision that it was made for.
#[derive(Clone)]
pub struct Patch {
    /// The patch.
    pub backport: Backport,
    /// The full id of the revision.
    pub commit: String,
}

/// One candidate, as a space of a single delta that is always applied.
struct Single(Candidate);

impl Space for Single {
    fn len(&self) -> usize {
        1
    }

    fn label(&self, _: usize) -> String {
        "a version".to_owned()
    }

    fn render(&self, _: &Subset) -> Result<Candidate, Infeasible> {
        Ok(self.0.clone())
    }
}

/// What a tree gives.
pub(super) fn test(
    lab: &mut dyn Lab,
    history: &TestedHistory,
    tree: &Tree,
) -> Result<Answer, Stop> {
    let entries = match history.entries(tree) {
        Ok(entries) => entries,
        Err(error) => return unreadable(error).map(Answer::infeasible),
    };
    let single = Single(Candidate::Tree(entries));
    lab.tester(&single).test(&Subset::full(1))
}

/// What it means that a version cannot be read: it is no candidate, also because git says that objects are missing or damaged, or git
/// could not be asked now.
pub(super) fn unreadable(error: PatchError) -> Result<Infeasible, Stop> {
    match error {
        PatchError::Path { .. }
        | PatchError::Name { .. }
        | PatchError::Special { .. }
        | PatchError::Git { .. } => Ok(Infeasible {
            reason: format!("failed to {error}"),
        }),
        error => Err(error.into()),
    }
}

/// What was read, or nothing of a version that is no candidate.
pub(super) fn readable<T>(read: Result<T, PatchError>) -> Result<Option<T>, Stop> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) => unreadable(error).map(|_| None),
    }
}
