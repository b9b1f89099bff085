//! A history as it is tested: revisions that have some files as they are today.

use std::collections::BTreeSet;
use std::sync::Arc;

use yester_core::Stop;

use super::tree::{Patch, Tree, readable};
use crate::glob::Glob;
use crate::version::is_at_or_below;
use crate::{
    Backport, ChangeSpace, Commit, DeltaLevel, Entries, Outliner, Overlay, PatchError, Repository,
    RevisionTrees, Version, VersionDifference,
};

/// Revisions that fail or do not, with the files that all of them have as today.
pub struct TestedHistory {
    /// Where they come from.
    pub repository: Repository,
    /// The revisions to walk through, the newest first.
    pub revisions: Vec<Commit>,
    /// Whether somebody has named the oldest of them, which may well pass.
    pub is_oldest_named: bool,
    /// The newest revision, with the carried files as they are today.
    pub today: Version,
    /// The paths that all revisions have as today.
    pub carried: Vec<String>,
    /// The files that no patch may touch.
    pub pinned: Vec<Glob>,
    /// The trees of the revisions, over the newest.
    pub trees: RevisionTrees,
    /// Who knows the languages of the files.
    pub outliner: Arc<dyn Outliner>,
    /// The paths that the test is called with.
    pub named: Vec<String>,
    /// Whether to walk as in the paper: one revision after the other, with plain bisection for each patch.
    pub is_plain: bool,
    /// Whether to stop at a merge, and not to look at the commits that it has brought in.
    pub first_parent: bool,
}

impl TestedHistory {
    /// A revision as it is tested: with what all have as today.
    pub fn version(&self, commit: &str) -> Result<Version, PatchError> {
        let mut version = Version::revision(&self.repository, commit)?;
        version.carry(&self.carried, &self.today)?;
        Ok(version)
    }

    /// Whether no patch may touch a path.
    fn is_pinned(&self, path: &str) -> bool {
        self.pinned.iter().any(|glob| glob.matches(path))
            || self.carried.iter().any(|place| is_at_or_below(path, place))
    }

    /// Whether the test is called with a file.
    pub(super) fn is_named(&self, path: &str) -> bool {
        let mut named = self.named.iter();
        named.any(|named| path == named || path.ends_with(&format!("/{named}")))
    }

    /// A tree as a version.
    pub(super) fn version_of(&self, tree: &Tree) -> Result<Version, PatchError> {
        let mut version = self.version(&tree.commit)?;
        for (path, state) in &tree.overlay {
            version.remove(path);
            if let Some(state) = state {
                version.put(path, state.clone());
            }
        }
        Ok(version)
    }

    /// A tree as entries over the newest revision.
    pub fn entries(&self, tree: &Tree) -> Result<Entries, PatchError> {
        self.trees.with(&tree.commit, &tree.overlay)
    }

    /// Whether git has all of a tree, and files can have its names.
    pub(super) fn can_be_read(&self, tree: &Tree) -> Result<bool, Stop> {
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
    pub(super) fn patched(&self, patch: &Patch, commit: &str) -> Result<Option<Tree>, PatchError> {
        let plain = Tree {
            commit: commit.to_owned(),
            overlay: Overlay::new(),
        };
        if patch.backport.is_empty() {
            Ok(Some(plain))
        } else {
            self.moved(patch, &plain)
        }
    }

    /// The same with those parts of the patch that fit.
    pub(super) fn partly_patched(
        &self,
        patch: &Patch,
        commit: &str,
    ) -> Result<Option<Tree>, PatchError> {
        let renames = self.trees.renames(&patch.commit, commit)?;
        let version = self.version(commit)?;
        let overlay = patch.backport.fitting(&version, &renames)?;
        Ok(overlay.map(|overlay| Tree {
            commit: commit.to_owned(),
            overlay,
        }))
    }

    /// A tree with all of a patch that was made for another revision. Nothing if it has changed in the same places.
    pub(super) fn moved(&self, patch: &Patch, tree: &Tree) -> Result<Option<Tree>, PatchError> {
        let renames = self.trees.renames(&patch.commit, &tree.commit)?;
        let version = self.version_of(tree)?;
        let overlay = patch
            .backport
            .onto(&patch.backport.atoms(), &version, &renames)?;
        Ok(overlay.map(|overlay| tree.with(overlay)))
    }

    /// What makes one tree the other, but for what no patch may touch.
    pub(super) fn difference(&self, from: &Tree, to: &Tree) -> Result<ChangeSpace, PatchError> {
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
        let outliner = (!self.is_plain).then(|| self.outliner.clone());
        let space = ChangeSpace::new(difference, DeltaLevel::File, outliner);
        Ok(space.over(self.entries(from)?))
    }

    /// What makes one tree of a revision another, as a patch.
    pub(super) fn step(&self, from: &Tree, to: &Tree) -> Result<Patch, Stop> {
        let version = self.version_of(from)?;
        let plain = self.version(&from.commit)?;
        let mut overlay = to.overlay.clone();
        for path in from.overlay.keys() {
            if !overlay.contains_key(path) {
                overlay.insert(path.clone(), plain.state(path)?);
            }
        }
        Ok(Patch {
            backport: Backport::new(&version, &overlay)?,
            commit: from.commit.clone(),
        })
    }

    /// The files that are read, as far as is known. Nobody has looked at files that the newest revision does not have.
    pub(super) fn read_in(
        &self,
        space: &ChangeSpace,
        read: Option<&BTreeSet<String>>,
    ) -> Option<BTreeSet<String>> {
        Some(space.difference().read(read?, [&self.today]))
    }
}
