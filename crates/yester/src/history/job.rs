//! What a call of `yester history` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_patch::{Commit, FileKind, Outliner, PatchError, Repository, RevisionTrees, Version};
use yester_run::Expectation;

use super::glob::Glob;
use super::range::revisions;
use crate::cli::{HistoryArguments, TimeoutMeaning};
use crate::companion::Companions;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::suspicion;
use crate::versions::{
    Languages, PatchFiles, TreeCommand, about_build, carry, failed, find_products, has, lies_there,
    places, tree_path,
};

/// The patches that an answer may have.
pub const BACKPORT: &str = "backport.patch";
pub const CULPRIT: &str = "culprit.patch";
pub const FIX: &str = "fix.patch";

/// What to know about a repository whose history is cut.
pub const SHALLOW: &str =
    "this is a shallow clone, and older revisions are missing: git fetch --unshallow gets them";

/// How many names of files are looked for in messages: more would cost more than they tell.
const MOST_NAMES: usize = 2000;

pub struct HistoryJob {
    pub arguments: HistoryArguments,
    pub start: PathBuf,
    pub repository: Repository,
    /// Where in the tree the user stands.
    pub below: String,
    /// The revisions to walk through, the newest first.
    pub revisions: Vec<Commit>,
    /// Whether the user has named the oldest of them, which may well pass.
    pub is_oldest_named: bool,
    /// The newest revision, with the carried files as they are today.
    pub today: Version,
    /// The paths that all revisions have as today.
    pub carried: Vec<String>,
    /// Those of them that nobody has asked for: the command names them.
    pub named: Vec<String>,
    /// What to say about files of the user that all revisions have.
    pub notes: Vec<String>,
    pub pinned: Vec<Glob>,
    pub trees: RevisionTrees,
    pub test: TreeCommand,
    pub outliner: Arc<dyn Outliner>,
    pub outputs: PatchFiles,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

impl HistoryJob {
    pub fn new(mut arguments: HistoryArguments, start: &Path) -> Result<HistoryJob, Failure> {
        arguments.reading.check()?;
        if arguments.also.as_ref().is_some_and(|line| line.is_empty()) {
            return Err(Failure::usage("--also needs a command"));
        }
        let names = [BACKPORT, CULPRIT, FIX].map(str::to_owned);
        let call = format!("history {}", arguments.from);
        let outputs = PatchFiles::new(arguments.output.as_deref(), &names, call)?;
        let repository = Repository::around(start).map_err(|error| match error {
            PatchError::NoRepository { .. } => Failure::usage("this is not a git repository")
                .hint("yester history walks through the commits of one; for two directories: yester changes GOOD BAD"),
            error => failed(&error),
        })?;
        let (revisions, is_oldest_named) = revisions(&repository, &arguments)?;
        let newest = &revisions[0];
        let oldest = &revisions[revisions.len() - 1];
        let mut today =
            Version::revision(&repository, &newest.id).map_err(|error| failed(&error))?;
        let below = below(start, &repository);
        find_products(&mut arguments.build)?;
        let pinned = arguments.pin.iter().map(|glob| Glob::new(glob)).collect();
        let words = std::mem::take(&mut arguments.command);
        let mut carried =
            carry_today(&arguments.carry, start, &below, &mut today, &arguments.from)?;
        let mut companions = Companions::given(&arguments.trial.with, start)?;
        let is_own = |path: &str| {
            let mut places = places(path, &below).into_iter();
            places.any(|place| has(&today, &place))
        };
        companions.add_script(&words, start, is_own, "every revision")?;
        companions.put_into(&mut today);
        carried.extend(companions.paths());
        refuse_uncommitted(&words, start, &below, &today, &arguments.from)?;
        let named = named_tests(&words, &below, &today);
        let named: Vec<String> = named
            .into_iter()
            .filter(|path| !carried.iter().any(|place| lies_there(place, path)))
            .collect();
        carried.extend(named.iter().cloned());
        // Any failure is one to walk back from, so that nothing else would tell.
        let shell = suspicion::shell_word(&words);
        let is_path = words[0].as_bytes().contains(&b'/');
        let test =
            match program_in_tree(&words, &below, &today, &arguments.from)? {
                Some(path) => TreeCommand::in_tree(&path, words, start),
                None => TreeCommand::find(words, start, &arguments.build).map_err(|failure| {
                    match is_path {
                        true => about_build(failure, &arguments.build, &today),
                        false => failure,
                    }
                })?,
            };
        let trees = RevisionTrees::new(&repository, &newest.id, &oldest.id)
            .map_err(|error| failed(&error))?
            .carrying(carried.clone());
        let mut job = HistoryJob {
            arguments,
            start: start.to_owned(),
            repository,
            below,
            revisions,
            is_oldest_named,
            today,
            carried,
            notes: companions.notes.into_iter().chain(shell).collect(),
            named,
            pinned,
            trees,
            test,
            outliner: Arc::new(Languages::default()),
            outputs,
            run: String::new(),
        };
        job.run = job
            .identity()?
            .name("history", OsStr::new(&job.arguments.from));
        Ok(job)
    }

    /// A revision as it is tested: with what all have as today.
    pub fn version(&self, commit: &str) -> Result<Version, PatchError> {
        let mut version = Version::revision(&self.repository, commit)?;
        carry(&self.carried, &mut version, &self.today)?;
        Ok(version)
    }

    /// Whether no patch may touch a path.
    pub fn is_pinned(&self, path: &str) -> bool {
        self.pinned.iter().any(|glob| glob.matches(path))
            || self.carried.iter().any(|place| lies_there(place, path))
    }

    pub fn expectation(&self) -> Expectation {
        let reading = &self.arguments.reading;
        let directories = self.arguments.trial.worker_directories(&self.run);
        let mut names: Vec<String> = directories
            .map(|directory| directory.to_string_lossy().into_owned())
            .collect();
        // A message may name a line of a file, which moves with every change before it. What is carried does not move.
        let paths = self.today.paths().map(|(path, _)| path);
        let moves = |path: &&str| !self.carried.iter().any(|place| lies_there(place, path));
        let mut files: Vec<String> = paths
            .filter(moves)
            .filter_map(|path| path.rsplit('/').next())
            .filter(|name| name.contains('.'))
            .map(str::to_owned)
            .collect();
        files.sort_by_key(|name| (usize::MAX - name.len(), name.clone()));
        files.dedup();
        files.truncate(MOST_NAMES);
        names.extend(files);
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

    fn identity(&self) -> Result<Identity, Failure> {
        let HistoryArguments {
            build,
            reading,
            trial,
            pin,
            all_parents,
            plain,
            same_failure,
            ..
        } = &self.arguments;
        let mut identity = Identity::default();
        identity.add("version", env!("CARGO_PKG_VERSION"));
        identity.add("start", &self.start);
        // Two runs must not share a directory for their trials.
        identity.add("state", self.start.join(&self.arguments.run.state_dir));
        identity.add("commit", &self.revisions[0].id);
        identity.add("until", &self.revisions[self.revisions.len() - 1].id);
        for (path, kind) in self.today.paths() {
            if self.carried.iter().any(|place| lies_there(place, path)) {
                identity.add("path", path);
                identity.add("mode", kind.mode());
                let state = self.today.state(path).map_err(|error| failed(&error))?;
                if let Some(state) = state {
                    identity.add("content", OsStr::from_bytes(&state.content));
                }
            }
        }
        self.test.identify(&mut identity)?;
        for rule in &reading.fail_if {
            identity.add("fail-if", rule.to_string());
        }
        let rest = (
            (reading.timeout, reading.timeout_means, reading.repeat),
            (trial.sandbox, trial.memory, trial.seed),
            (build, &self.carried, pin),
            (all_parents, plain, same_failure),
        );
        identity.add("flags", format!("{rest:?}"));
        Ok(identity)
    }
}

/// Where in the tree the user stands.
fn below(start: &Path, repository: &Repository) -> String {
    let root = repository.directory().canonicalize().ok();
    let start = start.canonicalize().ok();
    let below = root
        .zip(start)
        .and_then(|(root, start)| Some(start.strip_prefix(root).ok()?.to_str()?.to_owned()));
    below.unwrap_or_default()
}

/// Puts what `--carry` names into a version, as it is in the work tree. Gives the places in the tree.
fn carry_today(
    words: &[String],
    start: &Path,
    below: &str,
    today: &mut Version,
    from: &str,
) -> Result<Vec<String>, Failure> {
    let mut carried = Vec::new();
    for word in words {
        let path = tree_path(OsStr::new(word)).ok_or_else(|| {
            Failure::usage(format!("--carry {word} is no path in the tree"))
                .hint("it is a relative path, from here or from the root of the repository")
        })?;
        let here = match below.is_empty() {
            true => path.clone(),
            false => format!("{below}/{path}"),
        };
        let found = start.join(&path);
        let metadata = fs::symlink_metadata(&found);
        let place = match metadata {
            Ok(metadata) if metadata.is_dir() => {
                let directory = Version::directory(&found).map_err(|error| failed(&error))?;
                today.remove(&here);
                for (file, _) in directory.paths() {
                    let state = directory.state(file).map_err(|error| failed(&error))?;
                    if let Some(state) = state {
                        today.put(&format!("{here}/{file}"), state);
                    }
                }
                here
            }
            Ok(_) => {
                let (around, name) = match found.parent().zip(found.file_name()) {
                    Some((around, name)) => (around, name.to_string_lossy().into_owned()),
                    None => unreachable!("a path in the tree has a name"),
                };
                let state = Version::file(around, &name).map_err(|error| failed(&error))?;
                today.remove(&here);
                today.put(&here, state);
                here
            }
            Err(_) => {
                let is_there = |place: &String| {
                    let mut paths = today.paths();
                    paths.any(|(path, _)| lies_there(place, path))
                };
                let place = places(&path, below).into_iter().find(is_there);
                place.ok_or_else(|| {
                    Failure::usage(format!("neither this directory nor {from} has {path}"))
                        .hint("--carry takes a file or a directory, from here or from the root of the repository")
                })?
            }
        };
        carried.push(place);
    }
    Ok(carried)
}

/// Refuses a command that names a file which is here but not in the revision: in its tree there is no such file.
fn refuse_uncommitted(
    words: &[OsString],
    start: &Path,
    below: &str,
    today: &Version,
    from: &str,
) -> Result<(), Failure> {
    for word in words.iter().skip(1) {
        let Some(path) = tree_path(file_of(word)) else {
            continue;
        };
        let is_there = |place: &str| today.paths().any(|(path, _)| lies_there(place, path));
        let here = format!("{below}/{path}");
        if !below.is_empty() && !is_there(&path) && is_there(&here) {
            return Err(Failure::usage(format!(
                "the command runs in the root of the tree, where there is no {path}"
            ))
            .hint(format!("write {here} instead")));
        }
        let is_in_tree = is_there(&path);
        if !is_in_tree && start.join(&path).is_file() {
            return Err(Failure::usage(format!("{path} is not in {from}"))
                .hint(format!("--carry {path} puts it into every revision")));
        }
    }
    Ok(())
}

/// The file that a word may name: pytest's words go on with the name of a test.
fn file_of(word: &OsStr) -> &OsStr {
    let bytes = word.as_bytes();
    let end = bytes.windows(2).position(|two| two == b"::");
    OsStr::from_bytes(&bytes[..end.unwrap_or(bytes.len())])
}

/// The tests among the files of the tree that the command names, by their paths.
fn named_tests(words: &[OsString], below: &str, today: &Version) -> Vec<String> {
    let is_test = |path: &str| {
        let path = path.to_ascii_lowercase();
        path.split(['/', '.', '_', '-'])
            .any(|part| ["test", "tests", "spec", "specs", "t"].contains(&part))
    };
    let paths = words.iter().filter_map(|word| tree_path(file_of(word)));
    let places = paths.flat_map(|path| places(&path, below));
    places
        .filter(|place| is_test(place) && has(today, place))
        .collect()
}

/// Where the test is in the tree, if it is part of it.
fn program_in_tree(
    words: &[OsString],
    below: &str,
    today: &Version,
    from: &str,
) -> Result<Option<String>, Failure> {
    let path = words
        .first()
        .filter(|word| word.as_bytes().contains(&b'/'))
        .and_then(|word| tree_path(word));
    let Some(path) = path else {
        return Ok(None);
    };
    for place in places(&path, below) {
        let kind = today.paths().find(|(path, _)| *path == place);
        match kind {
            Some((_, FileKind::File)) => {
                return Err(
                    Failure::usage(format!("{place} is not executable in {from}"))
                        .hint(format!("call its interpreter: -- sh {place}")),
                );
            }
            Some(_) => return Ok(Some(place)),
            None => {}
        }
    }
    Ok(None)
}
