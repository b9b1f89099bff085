//! What a call of `yester changes` asks for, checked before anything runs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use yester_core::{Candidate, Space};
use yester_patch::{
    AtomSet, ChangeSpace, CommitTrees, DeltaLevel, Entries, FileKind, History, Outliner,
    PatchError, Repository, Version,
};
use yester_run::{Build, Expectation, Invocation};

use super::answer::version;
use super::home::file_names;
use super::outliner::Languages;
use super::output::Outputs;
use super::place::{
    below, carried_places, carry, has, limited_difference, only_places, places, tree_path,
};
use super::side::{Side, VersionPlace, failed};
use crate::cli::{BuildArguments, ChangesArguments, SandboxChoice, TimeoutMeaning};
use crate::command::{UserCommand, is_file};
use crate::failure::{Exit, Failure};
use crate::identity::Identity;
use crate::{driver, quote};

/// Where Debian puts compilers that remember what they have compiled.
const CCACHE: &str = "/usr/lib/ccache";
/// Where make looks for flags.
const MAKE_FLAGS: &str = "MAKEFLAGS";

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
    pub command: UserCommand,
    /// The test's path in the tree, if it is the tree's own.
    pub program_in_tree: Option<String>,
    outliner: Arc<dyn Outliner>,
    /// The paths that `--only` names, and what BAD has elsewhere.
    only: Vec<String>,
    pub beyond: Entries,
    pub space: ChangeSpace,
    /// The commits from GOOD to BAD, where they are searched.
    pub commits: Option<CommitTrees>,
    pub outputs: Outputs,
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
        let outputs = Outputs::new(&arguments)?;
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
        for product in &mut arguments.build.product {
            *product = tree_path(OsStr::new(product)).ok_or_else(|| {
                Failure::usage(format!("--product {product} is no path in the tree"))
                    .hint("it is a relative path, from the root of the tree")
            })?;
        }
        let below = below(start, repository.as_ref(), &good, &bad);
        let carried = carried_places(&arguments.build.carry, &bad, &below)?;
        carry(&carried, &mut good.version, &bad.version).map_err(|error| failed(&error))?;
        let words = std::mem::take(&mut arguments.command);
        let (program_in_tree, command) = match program_in_tree(&words, &good, &bad, &below)? {
            Some(path) => (Some(path.clone()), in_tree(&path, words)),
            None => find(words, start, &arguments.build)?,
        };
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
            command,
            program_in_tree,
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
                return Ok(CommitsBetween::None(format!(
                    "{} and {} have no common history; their trees are compared directly",
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
        let all = AtomSet::full(self.space.difference().atoms());
        let bad = version(space, &all).map_err(|infeasible| {
            let word = &self.bad.word;
            Failure::usage(format!("failed to make {word}: {}", infeasible.reason))
        })?;
        Ok((Candidate::Tree(Default::default()), bad))
    }

    /// Who knows the languages of the files.
    pub fn outliner(&self) -> Arc<dyn Outliner> {
        self.outliner.clone()
    }

    /// Gives another version what all versions have as BAD does.
    pub fn carry_into(&self, version: &mut Version) -> Result<(), PatchError> {
        carry(&self.carried, version, &self.bad.version)
    }

    /// Whether `--only` leaves out some changes.
    pub fn is_limited(&self) -> bool {
        !self.only.is_empty()
    }

    /// Leaves out of another version what `--only` does not name.
    pub fn limit(&self, version: &mut Version) {
        if !self.only.is_empty() {
            version.keep(&self.only);
        }
    }

    pub fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    /// Whether compilers can be asked through ccache. Where the root is read-only, it has no place to write to.
    pub fn has_ccache(&self) -> bool {
        self.arguments.trial.sandbox != SandboxChoice::Full && Path::new(CCACHE).is_dir()
    }

    pub fn invocation(&self) -> Invocation {
        let mut environment = self.arguments.trial.environment(&self.start);
        if self.has_ccache()
            && let Some((_, path)) = environment.iter_mut().find(|(name, _)| name == "PATH")
        {
            let mut longer = OsString::from(CCACHE);
            longer.push(":");
            longer.push(&path);
            *path = longer;
        }
        let build = &self.arguments.build;
        Invocation {
            program: self.command.program.clone().into(),
            program_in_tree: self.program_in_tree.clone().map(OsString::from),
            arguments: self.command.arguments().to_vec(),
            environment,
            stdin: false,
            // The baseline sets the times.
            timeout: Duration::MAX,
            memory: self.arguments.trial.memory,
            in_place: None,
            build: build.build.clone().map(|line| Build {
                line,
                environment: vec![(MAKE_FLAGS.into(), keep_going(env::var_os(MAKE_FLAGS)))],
                timeout: Duration::MAX,
                products: build.product.clone(),
            }),
        }
    }

    pub fn expectation(&self) -> Expectation {
        let reading = &self.arguments.reading;
        let directories = self.arguments.trial.worker_directories(&self.run);
        let mut names: Vec<String> = directories
            .map(|directory| directory.to_string_lossy().into_owned())
            .collect();
        // A message may name a line of a changed file, which moves with every change before it.
        names.extend(file_names(&self.space));
        Expectation {
            exit: None,
            rules: reading.fail_if.clone(),
            timeout: reading.timeout,
            build_timeout: self.arguments.build.build_timeout,
            timeout_fails: reading.timeout_means == TimeoutMeaning::Fail,
            repeat: reading.repeat,
            doubtful: false,
            names,
            same_failure: self.arguments.same_failure.into(),
        }
    }

    /// Directories that the test must be able to read in every sandbox, `base` among them.
    pub fn visible(&self, base: &Path) -> Result<Vec<PathBuf>, Failure> {
        let files = self.command.files(&self.start)?;
        Ok(driver::visible(&files, &[&self.start, base]))
    }

    /// What is run in the tree `directory`, to be copied into a shell.
    pub fn command_in(&self, directory: &Path, only_build: bool) -> String {
        let mut words: Vec<OsString> = self.command.words.clone();
        words[0] = match &self.program_in_tree {
            Some(path) => format!("./{path}").into(),
            None => self.command.program.clone().into(),
        };
        let words = words
            .iter()
            .map(|word| OsString::from(word.to_string_lossy().replace("{}", ".")));
        let words: Vec<OsString> = words.collect();
        let mut text = format!("cd {}", quote::word(directory.as_os_str()));
        if let Some(build) = &self.arguments.build.build {
            text.push_str(&format!(" && {{ {}; }}", build.to_string_lossy()));
        }
        if !only_build {
            let start = quote::word(self.start.as_os_str());
            let command = quote::command(words.iter().map(OsString::as_os_str));
            text.push_str(&format!(" && YESTER_START={start} {command}"));
        }
        text
    }

    fn identity(&self) -> Result<Identity, Failure> {
        let ChangesArguments {
            build,
            answer,
            reading,
            trial,
            ..
        } = &self.arguments;
        let mut identity = Identity::default();
        identity.add("version", env!("CARGO_PKG_VERSION"));
        identity.add("start", &self.start);
        // Two runs must not share a directory for their trials.
        identity.add("state", self.start.join(&self.arguments.run.state_dir));
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
        for word in &self.command.words {
            identity.add("word", word);
        }
        identity.add_file(&self.command.program)?;
        for argument in self.command.arguments() {
            let path = Path::new(argument);
            if path.is_absolute() && is_file(path)? {
                identity.add_file(path)?;
            }
        }
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
        Ok(identity)
    }

    /// Words of the command that name files which not every version has, with what to do about them.
    pub fn doubtful_words(&self) -> Option<String> {
        let arguments = self.command.arguments().iter();
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
                    "{path} is not part of the versions: name it by its full path, {}",
                    quote::word(self.start.join(&path).as_os_str())
                ));
            }
        }
        None
    }
}

/// A command whose program is in the tree and nowhere else.
fn in_tree(path: &str, words: Vec<OsString>) -> UserCommand {
    UserCommand {
        program: format!("{{}}/{path}").into(),
        words,
    }
}

/// Finds a program that is not part of the versions, and where in the tree it may be all the same, since a build can
/// make it. What was built where the user stands must not be taken for it.
fn find(
    words: Vec<OsString>,
    start: &Path,
    build: &BuildArguments,
) -> Result<(Option<String>, UserCommand), Failure> {
    let word = words.first().map(OsString::as_os_str).unwrap_or_default();
    let has_directory = word.as_bytes().contains(&b'/');
    let placed = word.to_str().and_then(|word| word.strip_prefix("{}/"));
    let path = match placed {
        Some(path) => tree_path(OsStr::new(path)),
        None => tree_path(word).filter(|_| has_directory && build.build.is_some()),
    };
    let Some(path) = path else {
        return Ok((None, UserCommand::find(words, start)?));
    };
    let is_elsewhere =
        placed.is_none() && !build.product.contains(&path) && is_file(&start.join(&path))?;
    let command = if is_elsewhere {
        UserCommand::find(words, start)?
    } else {
        in_tree(&path, words)
    };
    Ok((Some(path), command))
}

/// Where the test is in the trees, if it is part of them.
fn program_in_tree(
    words: &[OsString],
    good: &Side,
    bad: &Side,
    below: &str,
) -> Result<Option<String>, Failure> {
    let Some(path) = words
        .first()
        .filter(|word| word.as_bytes().contains(&b'/'))
        .and_then(|word| tree_path(word))
    else {
        return Ok(None);
    };
    for place in places(&path, below) {
        let kind = |side: &Side| {
            let mut paths = side.version.paths();
            paths.find(|(path, _)| *path == place).map(|(_, kind)| kind)
        };
        let missing = |side: &Side, other: &Side, hint: String| Failure {
            exit: Exit::Nothing,
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
            (Some(_), Some(FileKind::File)) => {
                return Err(
                    Failure::usage(format!("{place} is not executable in {}", bad.word))
                        .hint(format!("call its interpreter: -- sh {place}")),
                );
            }
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

/// The modification time of all files of a version that all trials start from: git keeps none, and builds go by them.
pub fn common_time() -> SystemTime {
    // 2020-01-01. What is put in place later must be newer, and compilers' caches mistrust what was just written.
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800)
}

/// Flags for make, so that a failing build tells all that is wrong and not only what it met first.
fn keep_going(flags: Option<OsString>) -> OsString {
    let flags = flags.unwrap_or_default();
    // Letters without a dash may only come first.
    let bytes = flags.as_encoded_bytes();
    let is_letters = bytes.first().is_some_and(u8::is_ascii_alphanumeric);
    let mut longer = OsString::from(if is_letters { "k" } else { "-k " });
    longer.push(flags);
    longer
}
