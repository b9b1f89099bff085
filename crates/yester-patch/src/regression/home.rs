//! The step of the history at which it broke: that is where the culprit is searched.

use yester_core::{Candidate, Outcome, Stop};

use super::{ComparedVersions, SearchError, StepLab};
use crate::{
    BrokenMerge, ChangeSpace, Commit, CommitTrees, DeltaLevel, FirstFailure, PatchError,
    VersionDifference, first_failure,
};

/// Two versions of the history: the last that passes and the first that fails.
pub struct Home {
    /// The changes between them, over the tree of GOOD.
    pub space: ChangeSpace,
    /// The last version that passes.
    pub base: Commit,
    /// The commits between them. The last one is the first version that fails.
    pub suspects: Vec<Commit>,
}

impl Home {
    /// The commit that broke it, if there is only one that can have.
    pub fn commit(&self) -> Option<&Commit> {
        only(&self.suspects)
    }

    /// What people call the last version that passes.
    pub fn base_word(&self) -> String {
        match self.commit() {
            Some(commit) if commit.parents.first() == Some(&self.base.id) => {
                format!("{}~1", commit.short())
            }
            _ => self.base.short().to_owned(),
        }
    }
}

/// Where a history broke.
#[derive(Default)]
pub(super) struct Turn {
    /// The commits of which one broke it.
    pub suspects: Vec<Commit>,
    /// The merges that lead there, the outermost first.
    pub merges: Vec<BrokenMerge>,
    /// The versions before and after them, unless these are GOOD and BAD.
    pub home: Option<Home>,
}

impl Turn {
    /// The commit that broke it, if there is only one that can have.
    pub fn commit(&self) -> Option<&Commit> {
        only(&self.suspects)
    }
}

fn only(commits: &[Commit]) -> Option<&Commit> {
    match commits {
        [commit] => Some(commit),
        _ => None,
    }
}

impl ComparedVersions<'_> {
    /// Searches the history for the step at which it broke, after a version that passes: GOOD, unless another one is given.
    /// The lab reads later runs by what that step changes.
    pub(super) fn find_home(
        &self,
        lab: &mut dyn StepLab,
        since: Option<&Commit>,
    ) -> Result<Turn, SearchError> {
        let Some(commits) = self.commits else {
            return Ok(Turn::default());
        };
        lab.read_any_step();
        let mut tested = Vec::new();
        let found = first_failure_learning(lab, commits, since, &mut tested);
        let history = &commits.history().commits;
        if let Some(bad) = history.last() {
            tested.push((bad.clone(), Outcome::Fail));
        }
        lab.tell(&tested, history);
        lab.read_all();
        let Some(FirstFailure {
            passing,
            suspects,
            merges,
        }) = found?
        else {
            return Ok(Turn::default());
        };
        let home = self.step(commits, &passing, &suspects)?;
        if let Some(home) = &home {
            lab.read_step(home);
        }
        Ok(Turn {
            suspects,
            merges,
            home,
        })
    }

    /// The changes of a step. Nothing if it is the whole way from GOOD to BAD, or does not lead along the history.
    fn step(
        &self,
        commits: &CommitTrees,
        passing: &str,
        suspects: &[Commit],
    ) -> Result<Option<Home>, PatchError> {
        let (Some(repository), Some(last)) = (self.repository, suspects.last()) else {
            return Ok(None);
        };
        let history = commits.history();
        let is_whole = passing == history.good && last.id == history.bad;
        // The common past of two branches fails, and GOOD has the fix.
        let leads_back = passing == history.good && suspects[0].id == history.merge_base;
        if is_whole || leads_back {
            return Ok(None);
        }
        let (before, after) = (self.version_at(passing)?, self.version_at(&last.id)?);
        let difference = VersionDifference::between(&before, &after)?;
        let beneath = commits.entries(passing)?;
        let outliner = Some(self.outliner.clone());
        let home = Home {
            space: ChangeSpace::new(difference, DeltaLevel::File, outliner).over(beneath),
            base: repository.commit(passing)?,
            suspects: suspects.to_vec(),
        };
        Ok(Some(home).filter(|home| !home.space.all().is_empty()))
    }
}

/// Searches again where another version is known now that passes, if that tells which numbers mean nothing.
fn first_failure_learning(
    lab: &mut dyn StepLab,
    commits: &CommitTrees,
    since: Option<&Commit>,
    tested: &mut Vec<(Commit, Outcome)>,
) -> Result<Option<FirstFailure>, Stop> {
    let found = first_failure(lab, commits, since, tested)?;
    if let Some(first) = &found
        && first.suspects.len() > 1
        && let Ok(passing) = commits.entries(&first.passing)
        && lab.learn_passing(&Candidate::Tree(passing))
    {
        return first_failure(lab, commits, since, tested);
    }
    Ok(found)
}
