//! Revisions with other files at some paths.

use std::collections::BTreeSet;

use yester_core::{
    Answer, Breakage, BreakageKind, Candidate, Infeasible, Lab, Space, Stop, Subset,
};
use yester_patch::{
    AtomSet, Backport, ChangeSpace, Commit, DeltaLevel, Entries, Overlay, PatchError, Version,
    VersionDifference,
};

use super::job::HistoryJob;

/// A revision with other files at some paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its full id.
    pub commit: String,
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
    pub backport: Backport,
    pub commit: String,
}

impl HistoryJob {
    pub fn version_of(&self, tree: &Tree) -> Result<Version, PatchError> {
        let mut version = self.version(&tree.commit)?;
        for (path, state) in &tree.overlay {
            version.remove(path);
            if let Some(state) = state {
                version.put(path, state.clone());
            }
        }
        Ok(version)
    }

    pub fn entries(&self, tree: &Tree) -> Result<Entries, PatchError> {
        self.trees.with(&tree.commit, &tree.overlay)
    }

    /// Whether git has all of a tree, and files can have its names.
    pub fn can_be_read(&self, tree: &Tree) -> Result<bool, Stop> {
        Ok(readable(self.entries(tree))?.is_some())
    }

    /// A tree as a patch of its revision.
    pub fn patch_of(&self, tree: &Tree) -> Result<Patch, PatchError> {
        let version = self.version(&tree.commit)?;
        Ok(Patch {
            backport: Backport::new(&version, &tree.overlay)?,
            commit: tree.commit.clone(),
        })
    }

    /// A revision with a patch that was made for another one. Nothing if it has changed in the same places.
    pub fn patched(&self, patch: &Patch, commit: &str) -> Result<Option<Tree>, PatchError> {
        let plain = Tree {
            commit: commit.to_owned(),
            overlay: Overlay::new(),
        };
        match patch.backport.is_empty() {
            true => Ok(Some(plain)),
            false => self.moved(patch, &plain),
        }
    }

    /// The same with those parts of the patch that fit.
    pub fn partly_patched(&self, patch: &Patch, commit: &str) -> Result<Option<Tree>, PatchError> {
        let renames = self.trees.renames(&patch.commit, commit)?;
        let version = self.version(commit)?;
        let overlay = patch.backport.fitting(&version, &renames)?;
        Ok(overlay.map(|overlay| Tree {
            commit: commit.to_owned(),
            overlay,
        }))
    }

    /// A tree with all of a patch that was made for another revision. Nothing if it has changed in the same places.
    pub fn moved(&self, patch: &Patch, tree: &Tree) -> Result<Option<Tree>, PatchError> {
        let renames = self.trees.renames(&patch.commit, &tree.commit)?;
        let version = self.version_of(tree)?;
        let overlay = patch
            .backport
            .onto(&patch.backport.atoms(), &version, &renames)?;
        Ok(overlay.map(|overlay| tree.with(overlay)))
    }

    /// What makes one tree the other, but for what no patch may touch.
    pub fn difference(&self, from: &Tree, to: &Tree) -> Result<ChangeSpace, PatchError> {
        let (before, mut after) = (self.version_of(from)?, self.version_of(to)?);
        let both = before.paths().chain(after.paths());
        let pinned = both
            .map(|(path, _)| path)
            .filter(|path| self.is_pinned(path));
        for path in pinned.map(str::to_owned).collect::<BTreeSet<_>>() {
            after.remove(&path);
            if let Some(state) = before.state(&path)? {
                after.put(&path, state);
            }
        }
        let difference = VersionDifference::between(&before, &after)?;
        let outliner = (!self.arguments.plain).then(|| self.outliner.clone());
        let space = ChangeSpace::new(difference, DeltaLevel::File, outliner);
        Ok(space.over(self.entries(from)?))
    }
}

/// All changes of a difference.
pub fn all_of(space: &ChangeSpace) -> AtomSet {
    AtomSet::full(space.difference().atoms())
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
pub fn test(lab: &mut dyn Lab, job: &HistoryJob, tree: &Tree) -> Result<Answer, Stop> {
    let entries = match job.entries(tree) {
        Ok(entries) => entries,
        Err(error) => return unreadable(&error).map(Answer::infeasible),
    };
    let single = Single(Candidate::Tree(entries));
    lab.tester(&single).test(&Subset::full(1))
}

/// What it means that a version cannot be read: it is no candidate, also because git says that objects are missing or damaged, or git
/// could not be asked now.
pub fn unreadable(error: &PatchError) -> Result<Infeasible, Stop> {
    match error {
        PatchError::Path { .. }
        | PatchError::Name { .. }
        | PatchError::Special { .. }
        | PatchError::Git { .. } => Ok(Infeasible {
            reason: format!("failed to {error}"),
        }),
        error => Err(broken(error)),
    }
}

/// What was read, or nothing of a version that is no candidate.
pub fn readable<T>(read: Result<T, PatchError>) -> Result<Option<T>, Stop> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) => unreadable(&error).map(|_| None),
    }
}

/// A repository that cannot be read now may be readable later.
pub fn broken(error: &PatchError) -> Stop {
    Stop::Broken(Breakage {
        kind: BreakageKind::Other,
        message: format!("failed to {error}"),
    })
}
