//! What a call of `yester changes` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_core::{Candidate, Space};
use yester_patch::regression::{ComparedVersions, limited_difference};
use yester_patch::{
    ChangeSpace, CommitTrees, DeltaLevel, Entries, FileChange, FileKind, History, Outliner,
    PatchError, Repository,
};
use yester_report::quote;
use yester_run::{Expectation, tree_path};

use super::answer::patch_names;
use crate::cli::ChangesArguments;
use crate::companion::Companions;
use crate::failure::{Exit, Failure};
use crate::identity::Identity;
use crate::versions::{
    Languages, PatchFiles, Side, TreeCommand, VersionPlace, below, carried_places, check_also,
    expectation, failed, file_names, find_products, has, not_executable, only_places, places,
    program_path, worker_names,
};

pub struct ChangesJob {
    pub arguments: ChangesArguments,
    pub start: PathBuf,
    pub good: Side,
    pub bad: Side,
    repository: Option<Repository>,
    /// Where in the tree of a revision the user stands.
    pub below: String,
    /// The paths that all versions have as BAD does.
    carried: Vec<String>,
    /// The user's files that all versions have.
    pub companions: Companions,
    pub test: TreeCommand,
    outliner: Arc<dyn Outliner>,
    /// The paths that `--only` names, and what BAD has elsewhere.
    only: Vec<String>,
    pub beyond: Entries,
    pub space: ChangeSpace,
    /// The commits from GOOD to BAD, where they are searched.
    pub commits: Option<CommitTrees>,
    pub outputs: PatchFiles,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

/// The commits between two versions.
pub enum CommitsBetween {
    Found(Box<CommitTrees>),
    /// They are not searched, for this reason.
    None(String),
}

impl ChangesJob {
    pub fn new(mut arguments: ChangesArguments, start: &Path) -> Result<ChangesJob, Failure> {
        arguments.reading.check()?;
        check_also(arguments.also.as_ref())?;
        let words = [Some(&arguments.good), arguments.bad.as_ref()];
        let words = quote::command(words.into_iter().flatten().map(OsString::as_os_str));
        let outputs = PatchFiles::new(
            arguments.output.as_deref(),
            &patch_names(&arguments),
            format!("changes {words}"),
        )?;
        let repository = Repository::around(start);
        let (good, bad) = arguments.versions(&repository)?;
        let mut good = Side::find(&good, start, &repository)?;
        let mut bad = Side::find(&bad, start, &repository)?;
        let state = start.join(&arguments.run.state_dir);
        for side in [&mut good, &mut bad] {
            // What an earlier run has left is no change.
            side.leave_out(&state.canonicalize().unwrap_or_else(|_| state.clone()));
        }
        let repository = repository.ok();
        find_products(&mut arguments.build)?;
        let is_in_history = good.commit().is_some() || bad.commit().is_some();
        let in_history = repository.as_ref().filter(|_| is_in_history);
        let below = in_history.map_or(String::new(), |repository| below(start, repository));
        let mut carried = carried_places(&arguments.carry, (&bad.version, &bad.word), &below)?;
        let given = good.version.carry(&carried, &bad.version);
        given.map_err(|error| failed(&error))?;
        let words = std::mem::take(&mut arguments.command);
        let mut companions = Companions::given(&arguments.trial.with, start)?;
        let is_own = |path: &str| {
            let mut places = places(path, &below).into_iter();
            places.any(|place| has(&good.version, &place) || has(&bad.version, &place))
        };
        companions.add_script(&words, start, is_own, "every version")?;
        for version in [&mut good.version, &mut bad.version] {
            companions.put_into(version);
        }
        carried.extend(companions.paths());
        let program = program_in_tree(&words, &good, &bad, &below)?;
        let test = TreeCommand::new(words, program, start, &arguments.build, &bad.version)?;
        let only = only_places(&arguments.only, [&good.version, &bad.version], &below)?;
        let (difference, beyond) = limited_difference(&good.version, &bad.version, &only)
            .map_err(|error| failed(&error))?;
        let outliner: Arc<dyn Outliner> = Arc::new(Languages::default());
        // Anything finer than files takes parsing all changed files.
        let space = ChangeSpace::new(difference, DeltaLevel::File, Some(outliner.clone()));
        let mut job = ChangesJob {
            arguments,
            start: start.to_owned(),
            good,
            bad,
            repository,
            below,
            carried,
            companions,
            test,
            outliner,
            only,
            beyond,
            space,
            commits: None,
            outputs,
            run: String::new(),
        };
        let subject = format!("{}..{}", job.good.word, job.bad.word);
        job.run = job.identity()?.name("changes", OsStr::new(&subject));
        Ok(job)
    }

    /// How many changed lines there are.
    pub fn lines(&self) -> u64 {
        (0..self.space.len())
            .map(|delta| self.space.weight(delta))
            .sum()
    }

    /// The commits from GOOD to BAD.
    pub fn find_commits(&self) -> Result<CommitsBetween, Failure> {
        let (Some(good), Some(bad), Some(repository)) =
            (self.good.commit(), self.bad.commit(), &self.repository)
        else {
            return Ok(CommitsBetween::None(
                "the two trees are compared directly, without a history".to_owned(),
            ));
        };
        let history = match History::between(repository, &good.id, &bad.id) {
            Ok(history) => history,
            Err(PatchError::NoCommonHistory { .. }) => {
                let shallow = if repository.is_shallow() {
                    "; this is a shallow clone, and git fetch --unshallow gets the rest"
                } else {
                    ""
                };
                return Ok(CommitsBetween::None(format!(
                    "{} and {} have no common history; their trees are compared directly{shallow}",
                    self.good.word, self.bad.word
                )));
            }
            Err(error) => return Err(failed(&error)),
        };
        let space = CommitTrees::new(history).map_err(|error| failed(&error))?;
        let space = space.carrying(self.carried.clone()).only(self.only.clone());
        Ok(CommitsBetween::Found(Box::new(space)))
    }

    /// The user's words for both versions.
    pub fn sides(&self) -> String {
        let sides = [Some(&self.arguments.good), self.arguments.bad.as_ref()];
        quote::command(sides.into_iter().flatten().map(OsString::as_os_str))
    }

    /// GOOD and BAD as candidates.
    pub fn versions(&self) -> Result<(Candidate, Candidate), Failure> {
        self.versions_in(&self.space.over(self.beyond.clone()))
    }

    /// GOOD, and GOOD with all changes that are searched: not all of BAD's with `--only`.
    pub fn searched_versions(&self) -> Result<(Candidate, Candidate), Failure> {
        self.versions_in(&self.space)
    }

    fn versions_in(&self, space: &ChangeSpace) -> Result<(Candidate, Candidate), Failure> {
        let all = self.space.all();
        let bad = space.version(&all).map_err(|infeasible| {
            let word = &self.bad.word;
            Failure::usage(format!("failed to make {word}: {}", infeasible.reason))
        })?;
        Ok((Candidate::Tree(Default::default()), bad))
    }

    /// The two versions, for the search.
    pub fn compared(&self) -> ComparedVersions<'_> {
        ComparedVersions {
            good: &self.good.version,
            bad: &self.bad.version,
            space: &self.space,
            beyond: &self.beyond,
            commits: self.commits.as_ref(),
            repository: self.repository.as_ref(),
            carried: &self.carried,
            only: &self.only,
            outliner: &self.outliner,
        }
    }

    /// Whether `--only` leaves out some changes.
    pub fn is_limited(&self) -> bool {
        !self.only.is_empty()
    }

    pub fn expectation(&self) -> Expectation {
        let ChangesArguments {
            build,
            reading,
            trial,
            same_failure,
            ..
        } = &self.arguments;
        let mut names = worker_names(trial, &self.run);
        // A message may name a line of a changed file, which moves with every change before it.
        names.extend(changed_names(&self.space));
        expectation(build, reading, *same_failure, names)
    }

    fn identity(&self) -> Result<Identity, Failure> {
        let ChangesArguments {
            build,
            answer,
            reading,
            trial,
            ..
        } = &self.arguments;
        let state_dir = &self.arguments.run.state_dir;
        let mut identity = Identity::of_call(&self.start, state_dir);
        for side in [&self.good, &self.bad] {
            match &side.place {
                VersionPlace::Revision(commit) => identity.add("commit", &commit.id),
                VersionPlace::Directory(_) => {
                    for (path, kind) in side.version.paths() {
                        identity.add("path", path);
                        identity.add("mode", kind.mode());
                        let state = side.version.state(path).map_err(|error| failed(&error))?;
                        if let Some(state) = state {
                            identity.add("content", OsStr::from_bytes(&state.content));
                        }
                    }
                }
            }
        }
        self.test.identify(&mut identity)?;
        self.companions.identify(&mut identity);
        for rule in &reading.fail_if {
            identity.add("fail-if", rule.to_string());
        }
        let rest = (
            (reading.timeout, reading.timeout_means, reading.repeat),
            (trial.sandbox, trial.memory, trial.seed),
            (build, &self.carried),
            (answer, self.arguments.same_failure, &self.only),
        );
        identity.add("flags", format!("{rest:?}"));
        if let Some(algorithm) = self.arguments.algorithm {
            identity.add("algorithm", format!("{algorithm:?}"));
        }
        Ok(identity)
    }

    /// Whether the test is a program that the user has built, and not part of the versions.
    pub fn is_test_elsewhere(&self) -> bool {
        let word = &self.test.command.words[0];
        let is_path = word.as_bytes().contains(&b'/');
        self.test.program_in_tree.is_none() && is_path && tree_path(word).is_some()
    }

    /// Words of the command that name files which not every version has, with what to do about them.
    pub fn doubtful_words(&self) -> Option<String> {
        let arguments = self.test.command.arguments().iter();
        let paths = arguments.filter_map(|argument| tree_path(argument));
        for path in paths {
            let (good, bad) = (
                has(&self.good.version, &path),
                has(&self.bad.version, &path),
            );
            if bad && !good {
                return Some(format!(
                    "{path} is in {} only: --carry {path} puts it into all versions",
                    self.bad.word
                ));
            }
            if !good && !bad && self.start.join(&path).is_file() {
                return Some(format!(
                    "{path} is not part of the versions: --with {path} puts it into all of them"
                ));
            }
        }
        None
    }
}

/// The names of changed files.
pub fn changed_names(space: &ChangeSpace) -> Vec<String> {
    file_names(space.difference().changes.iter().map(FileChange::path))
}

/// Where the test is in the trees, if it is part of them.
fn program_in_tree(
    words: &[OsString],
    good: &Side,
    bad: &Side,
    below: &str,
) -> Result<Option<String>, Failure> {
    let Some(path) = program_path(words) else {
        return Ok(None);
    };
    for place in places(&path, below) {
        let kind = |side: &Side| {
            let mut paths = side.version.paths();
            paths.find(|(path, _)| *path == place).map(|(_, kind)| kind)
        };
        let missing = |side: &Side, other: &Side, hint: String| Failure {
            exit: Exit::Nothing,
            code: None,
            message: format!(
                "{} cannot be tested: {place} is in {} only",
                side.word, other.word
            ),
            evidence: Vec::new(),
            hint: Some(hint),
        };
        let copy =
            format!("copy it out of the tree and give the path of the copy: cp {place} /tmp/");
        match (kind(good), kind(bad)) {
            (None, None) => {}
            (Some(_), Some(FileKind::File)) => return Err(not_executable(&place, &bad.word)),
            (Some(_), Some(_)) => return Ok(Some(place)),
            (None, Some(_)) => {
                let hint = format!("--carry {place} puts it into all versions; or {copy}");
                return Err(missing(good, bad, hint));
            }
            (Some(_), None) => return Err(missing(bad, good, copy)),
        }
    }
    Ok(None)
}
