//! The step of the history at which it broke: that is where the culprit is searched.

use yester_core::{Lab, Outcome, Phase};
use yester_patch::{
    AtomSet, ChangeSpace, Commit, CommitTrees, DeltaLevel, FirstFailure, PatchError, Version,
    VersionDifference, first_failure,
};
use yester_report::count;
use yester_run::{
    CommandLab, FailureOutput, Judge, Observation, Reading, Trial, TwoSidedBaseline, Why,
};

use super::answer::{lines, version};
use super::best::FewestChanges;
use super::job::ChangesJob;
use super::side::failed;
use crate::driver::Halt;
use crate::failure::{Exit, Failure};

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
    /// The versions before and after them, unless these are GOOD and BAD, or their difference explains nothing.
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
    /// Searches the history for the step at which it broke. The lab reads later runs by what that step changes.
    pub fn find_home(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
    ) -> Result<Broken, Halt> {
        let Some(commits) = &self.commits else {
            return Ok(Broken::default());
        };
        let whole = lab.judge().clone();
        // BAD may print more than the first version that fails, which came later.
        lab.read_by(at_any_step(&whole));
        let found = first_failure(lab, commits);
        lab.read_by(whole.clone());
        let Some(FirstFailure { passing, suspects }) = found? else {
            return Ok(Broken::default());
        };
        let home = self.step(commits, &passing, &suspects)?;
        let home = match home {
            Some(home) => self.settle(lab, baseline, home, &whole)?,
            None => None,
        };
        Ok(Broken { suspects, home })
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

    /// Runs both versions of a step in clean trees. Nothing if they do not answer as they did in the search.
    fn settle(
        &self,
        lab: &mut CommandLab<FewestChanges>,
        baseline: &TwoSidedBaseline,
        home: Home,
        whole: &Judge,
    ) -> Result<Option<Home>, Halt> {
        let universe = home.space.difference().atoms();
        let (all, none) = (AtomSet::full(universe), AtomSet::empty(universe));
        let (Ok(failing), Ok(passing)) = (version(&home.space, &all), version(&home.space, &none))
        else {
            return Ok(None);
        };
        lab.enter(Phase {
            what: "running the commit and the one before it in clean trees",
            deltas: 0,
        });
        lab.read_by(at_any_step(whole));
        let seen = lab.test_clean(&[&failing, &passing], Why::Baseline);
        lab.read_by(whole.clone());
        let [after, before] = <[Trial; 2]>::try_from(seen?).expect("a run of each version");
        if after.outcome != Some(Outcome::Fail) || before.outcome != Some(Outcome::Pass) {
            lab.events().say(&format!(
                "{} does not answer as before in a clean tree; searching all changes",
                home.base_word()
            ));
            return Ok(None);
        }
        lab.read_by(narrowed(whole, &home, &after, &before, baseline));
        lab.remember(&failing, Outcome::Fail);
        lab.remember(&passing, Outcome::Pass);
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
        Ok(Some(home))
    }
}

/// How any version of the history is read.
fn at_any_step(judge: &Judge) -> Judge {
    let mut judge = judge.clone();
    if let Reading::Reproducing(_, output) = &mut judge.reading {
        *output = output.core();
    }
    judge
}

/// How versions between two neighbours are read: by what tells these apart.
fn narrowed(
    whole: &Judge,
    home: &Home,
    failing: &Trial,
    passing: &Trial,
    baseline: &TwoSidedBaseline,
) -> Judge {
    let mut judge = whole.clone();
    for name in file_names(&home.space) {
        if !judge.names.contains(&name) {
            judge.names.push(name);
        }
    }
    let observed = [failing, passing, &baseline.bad].map(|trial| trial.observation.as_ref());
    if let ([Some(failing), Some(passing), Some(bad)], Reading::Reproducing(_, output)) =
        (observed, &mut judge.reading)
    {
        let closer = |failing: &Observation, passing: &Observation| {
            FailureOutput::between(&[failing], &[passing], &judge.names)
        };
        *output = output.narrowed(closer(failing, passing), bad, &judge.names);
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
