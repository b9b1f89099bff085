//! Two versions as they are compared, and the others of their history in the same light.

use std::sync::Arc;

use yester_core::{Candidate, Infeasible};

use crate::{
    AtomSet, ChangeSpace, CommitTrees, DeltaLevel, Entries, Outliner, PatchError, Repository,
    Version, VersionDifference, with_all_of_created,
};

/// Two versions, and what is known about what lies between them.
#[derive(Clone, Copy)]
pub struct ComparedVersions<'a> {
    /// The version that passes.
    pub good: &'a Version,
    /// The version that fails.
    pub bad: &'a Version,
    /// What is searched of their difference.
    pub space: &'a ChangeSpace,
    /// What BAD has where nothing is searched.
    pub beyond: &'a Entries,
    /// The commits from GOOD to BAD, where they are searched.
    pub commits: Option<&'a CommitTrees>,
    /// Where they come from.
    pub repository: Option<&'a Repository>,
    /// The paths that all versions have as BAD does.
    pub carried: &'a [String],
    /// The only paths that are searched, if there are any.
    pub only: &'a [String],
    /// Who knows the languages of the files.
    pub outliner: &'a Arc<dyn Outliner>,
}

impl ComparedVersions<'_> {
    /// A version of the history, with what all versions have as BAD does.
    pub(super) fn version_at(&self, commit: &str) -> Result<Version, PatchError> {
        let repository = self.repository.expect("a history has a repository");
        let mut version = Version::revision(repository, commit)?;
        version.carry(self.carried, self.bad)?;
        if !self.only.is_empty() {
            version.keep(self.only);
        }
        Ok(version)
    }

    /// BAD as a candidate over GOOD.
    pub(super) fn bad_candidate(&self) -> Result<Candidate, Infeasible> {
        self.space
            .over(self.beyond.clone())
            .version(&self.space.all())
    }

    /// The changes of BAD without some of them.
    pub fn without(&self, found: &AtomSet) -> AtomSet {
        let gone = with_all_of_created(self.space, found);
        self.space.all().difference(&gone)
    }
}

/// What differs at some places, if there are any, and what BAD has elsewhere.
pub fn limited_difference(
    good: &Version,
    bad: &Version,
    only: &[String],
) -> Result<(VersionDifference, Entries), PatchError> {
    let difference = VersionDifference::between;
    if only.is_empty() {
        return Ok((difference(good, bad)?, Entries::new()));
    }
    let (mut good_there, mut bad_there) = (good.clone(), bad.clone());
    let (mut good_elsewhere, mut bad_elsewhere) = (good.clone(), bad.clone());
    for version in [&mut good_there, &mut bad_there] {
        version.keep(only);
    }
    for version in [&mut good_elsewhere, &mut bad_elsewhere] {
        for place in only {
            version.remove(place);
        }
    }
    let elsewhere = difference(&good_elsewhere, &bad_elsewhere)?;
    let all = AtomSet::full(elsewhere.atoms());
    let elsewhere = ChangeSpace::new(elsewhere, DeltaLevel::File, None);
    let beyond = match elsewhere.version(&all) {
        Ok(Candidate::Tree(entries)) => entries,
        _ => Entries::new(),
    };
    Ok((difference(&good_there, &bad_there)?, beyond))
}
