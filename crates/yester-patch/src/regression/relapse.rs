//! A culprit that the history has seen before: it failed, was taken out, and came back.

use std::collections::BTreeMap;

use yester_core::{Lab, Outcome, Stop};

use super::{BrokenBy, ComparedVersions};
use crate::{AtomSet, Commit, PatchError, commit_outcome};

/// How many earlier changes of the same files are looked at.
const LOOKED_AT: usize = 100;

/// An earlier life of a culprit.
pub struct Relapse {
    /// The commit that it came in with, and failed.
    pub came: Commit,
    /// The commit that it went out with, and passed.
    pub went: Commit,
}

impl ComparedVersions<'_> {
    /// Where a culprit of one commit was before that commit, if the test has seen it come and go.
    pub fn relapse(&self, lab: &mut dyn Lab, culprit: &BrokenBy) -> Result<Option<Relapse>, Stop> {
        let Some(commits) = self.commits else {
            return Ok(None);
        };
        // What git does not know is not told.
        let Ok(Some(Relapse { came, went })) = self.earlier_life(culprit) else {
            return Ok(None);
        };
        let failed = commit_outcome(lab, commits, &came)? == Outcome::Fail;
        let passed = failed && commit_outcome(lab, commits, &went)? == Outcome::Pass;
        Ok(passed.then_some(Relapse { came, went }))
    }

    /// The last version after the one where a culprit was found that is without it, and passes: it has come back since.
    pub(super) fn last_without(
        &self,
        lab: &mut dyn Lab,
        culprit: &BrokenBy,
    ) -> Result<Option<Commit>, Stop> {
        let (Some(commits), Some(commit)) = (self.commits, &culprit.commit) else {
            return Ok(None);
        };
        let history = commits.history();
        // What git does not know is not told.
        let range = (commit.id.as_str(), history.bad.as_str());
        let paths = culprit.space.difference().paths(&culprit.atoms);
        let Ok(touching) = history.touching(range, &paths) else {
            return Ok(None);
        };
        for commit in touching.into_iter().take(LOOKED_AT) {
            let mut versions = history.commits.iter();
            let is_version = versions.any(|version| version.id == commit.id);
            if is_version && matches!(self.has(culprit, &commit), Ok(false)) {
                let passes = commit_outcome(lab, commits, &commit)? == Outcome::Pass;
                return Ok(passes.then_some(commit));
            }
        }
        Ok(None)
    }

    /// By its text alone.
    fn earlier_life(&self, culprit: &BrokenBy) -> Result<Option<Relapse>, PatchError> {
        let (Some(commits), Some(home)) = (self.commits, &culprit.home) else {
            return Ok(None);
        };
        let history = commits.history();
        let paths = culprit.space.difference().paths(&culprit.atoms);
        let touching = history.touching((&history.good, &home.base.id), &paths)?;
        let (mut came, mut went) = (None, None);
        for commit in touching.into_iter().take(LOOKED_AT) {
            match (self.has(culprit, &commit)?, &came) {
                (true, _) => came = Some(commit),
                (false, None) => went = Some(commit),
                (false, Some(_)) => break,
            }
        }
        Ok(came.zip(went).map(|(came, went)| Relapse { came, went }))
    }

    /// Whether a version has the changes of a culprit: what can be taken out is there.
    fn has(&self, culprit: &BrokenBy, commit: &Commit) -> Result<bool, PatchError> {
        let none = AtomSet::empty(culprit.atoms.universe());
        let version = self.version_at(&commit.id)?;
        let step = (&culprit.atoms, &none);
        let without = culprit.space.carry(step, &version, &BTreeMap::new())?;
        Ok(without.moved().is_some())
    }
}
