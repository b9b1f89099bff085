//! Who made the changes of a culprit.

use std::collections::{BTreeMap, HashMap};

use yester_core::Outcome;

use super::{BrokenBy, ComparedVersions};
use crate::{ChangeSpan, Commit, CommitTrees, History, PatchError};

/// Neighbouring changes of a culprit that one commit has made.
pub struct BlamedChange {
    /// The changes.
    pub span: ChangeSpan,
    /// What happens without their hunk, where that was tried.
    pub without: Option<Outcome>,
    /// The commit, where the history says it.
    pub commit: Option<Commit>,
}

impl ComparedVersions<'_> {
    /// The changes of a culprit one by one, with who made them. Those of the commit that broke it come first.
    pub fn blame(&self, culprit: &BrokenBy) -> Result<Vec<BlamedChange>, PatchError> {
        let difference = culprit.space.difference();
        let ids = self.commits_of(culprit)?;
        let mut known: HashMap<&str, Option<Commit>> = HashMap::new();
        let mut blamed = Vec::new();
        for hunk in &culprit.hunks {
            for (atoms, id) in difference.runs(&hunk.atoms, &ids) {
                let commit = match id.map(|id| (id, known.get(id))) {
                    Some((_, Some(commit))) => commit.clone(),
                    Some((id, None)) => {
                        let commit = self.commit(id, culprit)?;
                        known.insert(id, commit.clone());
                        commit
                    }
                    None => None,
                };
                blamed.extend(
                    difference
                        .spans(&atoms)
                        .into_iter()
                        .map(|span| BlamedChange {
                            span,
                            without: hunk.without,
                            commit: commit.clone(),
                        }),
                );
            }
        }
        let guilty = culprit.commit.as_ref().map(|commit| &commit.id);
        let is_guilty = |change: &BlamedChange| {
            let id = change.commit.as_ref().map(|commit| &commit.id);
            id.is_some() && id == guilty
        };
        blamed.sort_by_key(|change| !is_guilty(change));
        Ok(blamed)
    }

    fn commit(&self, id: &str, culprit: &BrokenBy) -> Result<Option<Commit>, PatchError> {
        let Some(repository) = self.repository else {
            return Ok(None);
        };
        let commit = told(repository.commit(id))?;
        Ok(commit.map(|commit| {
            // Git does not look into merges for removed lines; the search has.
            let found = culprit.commit.clone();
            found.filter(|_| commit.parents.len() > 1).unwrap_or(commit)
        }))
    }

    /// The ids of the commits that the changes of a culprit come from.
    fn commits_of(&self, culprit: &BrokenBy) -> Result<BTreeMap<usize, String>, PatchError> {
        let only = culprit.home.as_ref().and_then(|home| home.commit());
        if let Some(commit) = only.filter(|commit| commit.parents.len() == 1) {
            // All of it is that commit's doing.
            let of_commit = |atom| (atom, commit.id.clone());
            return Ok(culprit.atoms.iter().map(of_commit).collect());
        }
        let history = match (&culprit.home, self.repository) {
            (Some(home), Some(repository)) => {
                let last = home.suspects.last().map_or("", |commit| &commit.id);
                told(History::between(repository, &home.base.id, last))?
            }
            _ => self.commits.map(CommitTrees::history).cloned(),
        };
        let Some(history) = history else {
            return Ok(BTreeMap::new());
        };
        let blame = history.blame(culprit.space.difference(), &culprit.atoms);
        Ok(told(blame)?.unwrap_or_default())
    }
}

/// What git knows, or nothing where it does not: the answer is the same then, only less told about. But a git that cannot
/// be started now may know it the next time.
fn told<T>(answer: Result<T, PatchError>) -> Result<Option<T>, PatchError> {
    match answer {
        Err(error @ PatchError::Start(_)) => Err(error),
        answer => Ok(answer.ok()),
    }
}
