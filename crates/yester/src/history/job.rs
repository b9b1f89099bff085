//! What a call of `yester history` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_patch::idd::TestedHistory;
use yester_patch::{
    FileKind, Glob, PatchError, Repository, RevisionTrees, Version, is_at_or_below,
};
use yester_run::{Expectation, tree_path};

use super::range::revisions;
use crate::cli::HistoryArguments;
use crate::cli::suspicion;
use crate::companion::Companions;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::versions::{
    FIX_NAMES, Languages, PatchFiles, TreeCommand, below, check_also, expectation, failed,
    file_names, find_products, has, not_executable, places, program_path, worker_names,
};

/// The patches that an answer may have.
pub const BACKPORT: &str = "backport.patch";
pub const CULPRIT: &str = "culprit.patch";

/// What to know about a repository whose history is cut.
pub const SHALLOW: &str =
    "this is a shallow clone, and older revisions are missing: git fetch --unshallow gets them";

/// How many names of files are looked for in messages: more would cost more than they tell.
const MOST_NAMES: usize = 2000;

pub struct HistoryJob {
    pub arguments: HistoryArguments,
    pub start: PathBuf,
    /// Where in the tree the user stands.
    pub below: String,
    pub history: TestedHistory,
    /// The tests that all revisions have as today, though nobody has asked for it: the command names them.
    pub named_tests: Vec<String>,
    /// What to say about files of the user that all revisions have.
    pub notes: Vec<String>,
    pub test: TreeCommand,
    pub outputs: PatchFiles,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

impl HistoryJob {
    pub fn new(mut arguments: HistoryArguments, start: &Path) -> Result<HistoryJob, Failure> {
        arguments.reading.check()?;
        check_also(arguments.also.as_ref())?;
        let names = [BACKPORT, CULPRIT].into_iter().chain(FIX_NAMES);
        let names: Vec<String> = names.map(str::to_owned).collect();
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
        let is_there = |id: &String| repository.commit(id).is_ok();
        let cut = oldest.parents.first().filter(|parent| !is_there(parent));
        let cut = cut.map(|parent| {
            format!(
                "commit {parent} is missing from the repository: revisions before it are left out"
            )
        });
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
        let mut named_tests = named_tests(&words, &below, &today);
        named_tests.retain(|path| !carried.iter().any(|place| is_at_or_below(path, place)));
        carried.extend(named_tests.iter().cloned());
        // Any failure is one to walk back from, so that nothing else would tell.
        let shell = suspicion::shell_word(&words);
        let program = program_in_tree(&words, &below, &today, &arguments.from)?;
        let test = TreeCommand::new(words, program, start, &arguments.build, &today)?;
        let trees = RevisionTrees::new(&repository, &newest.id, &oldest.id)
            .map_err(|error| failed(&error))?
            .carrying(carried.clone());
        let named = test.command.words.iter();
        let history = TestedHistory {
            repository,
            revisions,
            is_oldest_named,
            today,
            carried,
            pinned,
            trees,
            outliner: Arc::new(Languages::default()),
            named: named.filter_map(|word| tree_path(word)).collect(),
            is_plain: arguments.plain,
            first_parent: arguments.first_parent,
        };
        let mut job = HistoryJob {
            arguments,
            start: start.to_owned(),
            below,
            history,
            named_tests,
            notes: companions
                .notes
                .into_iter()
                .chain(shell)
                .chain(cut)
                .collect(),
            test,
            outputs,
            run: String::new(),
        };
        job.run = job
            .identity()?
            .name("history", OsStr::new(&job.arguments.from));
        Ok(job)
    }

    pub fn expectation(&self) -> Expectation {
        let HistoryArguments {
            build,
            reading,
            trial,
            same_failure,
            ..
        } = &self.arguments;
        let mut names = worker_names(trial, &self.run);
        // A message may name a line of a file, which moves with every change before it. What is carried does not move.
        let paths = self.history.today.paths().map(|(path, _)| path);
        let mut files = file_names(paths.filter(|path| !self.is_carried(path)));
        files.truncate(MOST_NAMES);
        names.extend(files);
        expectation(build, reading, *same_failure, names)
    }

    /// Whether all revisions have a path as it is today.
    fn is_carried(&self, path: &str) -> bool {
        let mut carried = self.history.carried.iter();
        carried.any(|place| is_at_or_below(path, place))
    }

    fn identity(&self) -> Result<Identity, Failure> {
        let HistoryArguments {
            build,
            reading,
            trial,
            pin,
            first_parent,
            plain,
            same_failure,
            ..
        } = &self.arguments;
        let state_dir = &self.arguments.run.state_dir;
        let mut identity = Identity::of_call(&self.start, state_dir);
        identity.add("commit", &self.history.revisions[0].id);
        identity.add(
            "until",
            &self.history.revisions[self.history.revisions.len() - 1].id,
        );
        for (path, kind) in self.history.today.paths() {
            if self.is_carried(path) {
                identity.add("path", path);
                identity.add("mode", kind.mode());
                let state = self
                    .history
                    .today
                    .state(path)
                    .map_err(|error| failed(&error))?;
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
            (build, &self.history.carried, pin),
            (first_parent, plain, same_failure),
        );
        identity.add("flags", format!("{rest:?}"));
        Ok(identity)
    }
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
        let here = if below.is_empty() {
            path.clone()
        } else {
            format!("{below}/{path}")
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
                    paths.any(|(path, _)| is_at_or_below(path, place))
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
        let is_there = |place: &str| today.paths().any(|(path, _)| is_at_or_below(path, place));
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
    let Some(path) = program_path(words) else {
        return Ok(None);
    };
    for place in places(&path, below) {
        let kind = today.paths().find(|(path, _)| *path == place);
        match kind {
            Some((_, FileKind::File)) => return Err(not_executable(&place, from)),
            Some(_) => return Ok(Some(place)),
            None => {}
        }
    }
    Ok(None)
}
