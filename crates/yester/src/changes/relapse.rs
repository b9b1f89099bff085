//! A culprit that the history has seen before: it failed, was taken out, and came back.

use yester_core::{Outcome, Stop};
use yester_patch::{AtomSet, Commit, PatchError, commit_outcome};
use yester_run::CommandLab;

use super::answer::CulpritChanges;
use super::best::FewestChanges;
use super::job::ChangesJob;

/// How many earlier changes of the same files are looked at.
const LOOKED_AT: usize = 30;

/// An earlier life of a culprit.
pub struct Relapse {
    /// The commit that it came in with, and failed.
    pub came: Commit,
    /// The commit that it went out with, and passed.
    pub went: Commit,
}

impl ChangesJob {
    /// Where a culprit of one commit was before that commit, if the test has seen it come and go.
    pub fn relapse(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        finding: &CulpritChanges,
    ) -> Result<Option<Relapse>, Stop> {
        let Some(commits) = &self.commits else {
            return Ok(None);
        };
        // What git does not know is not told.
        let Ok(Some(Relapse { came, went })) = self.earlier_life(finding) else {
            return Ok(None);
        };
        let failed = commit_outcome(lab, commits, &came)? == Outcome::Fail;
        let passed = failed && commit_outcome(lab, commits, &went)? == Outcome::Pass;
        Ok(passed.then_some(Relapse { came, went }))
    }

    /// By its text alone.
    fn earlier_life(&self, finding: &CulpritChanges) -> Result<Option<Relapse>, PatchError> {
        let (Some(commits), Some(home)) = (&self.commits, &finding.home) else {
            return Ok(None);
        };
        let space = &finding.space;
        let none = AtomSet::empty(finding.atoms.universe());
        let paths = space.difference().changes.iter();
        let touched = |first: usize, count: usize| {
            (first..first + count).any(|atom| finding.atoms.contains(atom))
        };
        let paths: Vec<String> = paths
            .filter(|change| touched(change.first, change.edits.len()))
            .flat_map(|change| [&change.old, &change.new])
            .flatten()
            .map(|(path, _)| path.clone())
            .collect();
        let touching = commits.history().touching(&home.base.id, &paths)?;
        let (mut came, mut went) = (None, None);
        for commit in touching.into_iter().take(LOOKED_AT) {
            // What can be taken out is there.
            let version = self.version_at(&commit.id)?;
            let is_there = space.carry((&finding.atoms, &none), &version)?.is_some();
            match (is_there, &came) {
                (true, _) => came = Some(commit),
                (false, None) => went = Some(commit),
                (false, Some(_)) => break,
            }
        }
        Ok(came.zip(went).map(|(came, went)| Relapse { came, went }))
    }
}
