//! The step of the history at which it broke: that is where the culprit is searched.

use yester_core::Candidate;
use yester_patch::{
    AtomSet, ChangeSpace, Commit, CommitTrees, DeltaLevel, FirstFailure, PatchError, Version,
    VersionDifference, first_failure,
};
use yester_report::count;
use yester_run::{CommandLab, FailureOutput, Judge, Printed, Reading, TwoSidedBaseline};

use super::best::FewestChanges;
use super::job::ChangesJob;
use crate::driver::Halt;
use crate::failure::{Exit, Failure};
use crate::versions::{failed, lines, version};

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
pub struct Broken {
    /// The commits of which one broke it.
    pub suspects: Vec<Commit>,
    /// The versions before and after them, unless these are GOOD and BAD.
    pub home: Option<Home>,
}

impl Broken {
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

impl ChangesJob {
    /// Searches the history for the step at which it broke, after a version that passes: GOOD, unless another one is given.
    /// The lab reads later runs by what that step changes.
    pub fn find_home(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        since: Option<&Commit>,
    ) -> Result<Broken, Halt> {
        let Some(commits) = &self.commits else {
            return Ok(Broken::default());
        };
        let mut whole = lab.judge().clone();
        // BAD may print more than the first version that fails, which came later.
        lab.read_by(at_any_step(&whole));
        lab.keep_all_outputs(true);
        let mut found = first_failure(lab, commits, since);
        // Now another version is known that passes, and it tells which numbers mean nothing.
        if let Ok(Some(first)) = &found
            && first.suspects.len() > 1
            && let Some(wiser) = self.wiser(lab, baseline, commits, &whole, &first.passing)
        {
            whole = wiser;
            lab.read_by(at_any_step(&whole));
            lab.reconsider();
            found = first_failure(lab, commits, since);
        }
        lab.keep_all_outputs(false);
        lab.read_by(whole.clone());
        let Some(FirstFailure { passing, suspects }) = found? else {
            return Ok(Broken::default());
        };
        let home = self.step(commits, &passing, &suspects)?;
        if let Some(home) = &home {
            self.enter(lab, baseline, home, &whole);
        }
        Ok(Broken { suspects, home })
    }

    /// The judge that has also seen what another version prints that passes, if that makes a difference.
    fn wiser(
        &self,
        lab: &CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        commits: &CommitTrees,
        whole: &Judge,
        passing: &str,
    ) -> Option<Judge> {
        let version = Candidate::Tree(commits.entries(passing).ok()?);
        let (good, other) = (
            baseline.good.observation.as_ref()?,
            lab.output_of(&version)?,
        );
        let mut wiser = whole.clone();
        let Reading::Reproducing(_, output) = &mut wiser.reading else {
            return None;
        };
        let before = output.clone();
        *output = output.with_passing(&[good, &*other], &whole.names);
        (*output != before).then_some(wiser)
    }

    /// The changes of a step. Nothing if it is the whole way from GOOD to BAD, or does not lead along the history.
    fn step(
        &self,
        commits: &CommitTrees,
        passing: &str,
        suspects: &[Commit],
    ) -> Result<Option<Home>, Halt> {
        let (Some(repository), Some(last)) = (self.repository(), suspects.last()) else {
            return Ok(None);
        };
        let history = commits.history();
        let is_whole = passing == history.good && last.id == history.bad;
        // The common past of two branches fails, and GOOD has the fix.
        let leads_back = passing == history.good && suspects[0].id == history.merge_base;
        if is_whole || leads_back {
            return Ok(None);
        }
        let make = || -> Result<Home, PatchError> {
            let (before, after) = (self.version_at(passing)?, self.version_at(&last.id)?);
            let difference = VersionDifference::between(&before, &after)?;
            let beneath = commits.entries(passing)?;
            Ok(Home {
                space: ChangeSpace::new(difference, DeltaLevel::File, Some(self.outliner()))
                    .over(beneath),
                base: repository.commit(passing)?,
                suspects: suspects.to_vec(),
            })
        };
        let home = make().map_err(|error| {
            Halt::Nothing(Failure {
                exit: Exit::Limit,
                ..failed(&error)
            })
        })?;
        Ok(Some(home).filter(|home| home.space.difference().atoms() > 0))
    }

    /// A version of the history, with what all versions have as BAD does.
    pub fn version_at(&self, commit: &str) -> Result<Version, PatchError> {
        let repository = self.repository().expect("a history has a repository");
        let mut version = Version::revision(repository, commit)?;
        self.carry_into(&mut version)?;
        self.limit(&mut version);
        Ok(version)
    }

    /// Lets the lab read versions between the two of a step by what tells these apart.
    fn enter(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        home: &Home,
        whole: &Judge,
    ) {
        let universe = home.space.difference().atoms();
        let (all, none) = (AtomSet::full(universe), AtomSet::empty(universe));
        let (Ok(failing), Ok(passing)) = (version(&home.space, &all), version(&home.space, &none))
        else {
            return;
        };
        let judge = narrowed(whole, home, |judge_names, output| {
            let bad: &dyn Printed = baseline.bad.observation.as_ref()?;
            let good: &dyn Printed = baseline.good.observation.as_ref()?;
            // A step may begin with GOOD or end with BAD, which the search has not run.
            let (after, before) = (lab.output_of(&failing), lab.output_of(&passing));
            let after = after
                .as_deref()
                .map_or(bad, |output| output as &dyn Printed);
            let before = before
                .as_deref()
                .map_or(good, |output| output as &dyn Printed);
            let closer = FailureOutput::between(&[after], &[before], judge_names);
            Some(output.narrowed(closer, bad, judge_names))
        });
        lab.read_by(judge);
        let (files, lines) = (
            home.space.difference().changes.len() as u64,
            lines(&home.space, &all),
        );
        lab.events().say(&format!(
            "{} fails and {} passes: {} in {}",
            home.suspects.last().map_or("", Commit::short),
            home.base_word(),
            count(lines, "changed line"),
            count(files, "file"),
        ));
    }
}

/// How any version of the history is read.
fn at_any_step(judge: &Judge) -> Judge {
    let mut judge = judge.clone();
    if let Reading::Reproducing(_, output) = &mut judge.reading {
        *output = output.at_any_step();
    }
    judge
}

/// How versions of a step are read, when `closer` gives what the failure looks like there.
fn narrowed(
    whole: &Judge,
    home: &Home,
    closer: impl FnOnce(&[String], &FailureOutput) -> Option<FailureOutput>,
) -> Judge {
    let mut judge = whole.clone();
    for name in file_names(&home.space) {
        if !judge.names.contains(&name) {
            judge.names.push(name);
        }
    }
    if let Reading::Reproducing(_, output) = &mut judge.reading {
        let narrowed = closer(&judge.names, output);
        *output = narrowed.unwrap_or_else(|| output.at_any_step());
    }
    judge
}

/// The names of changed files, the longest first, so that none is taken for a part of another.
pub fn file_names(space: &ChangeSpace) -> Vec<String> {
    let changes = space.difference().changes.iter();
    let mut names: Vec<String> = changes
        .filter_map(|change| change.path().rsplit('/').next())
        .filter(|name| name.contains('.'))
        .map(str::to_owned)
        .collect();
    names.sort_by_key(|name| (usize::MAX - name.len(), name.clone()));
    names.dedup();
    names
}
