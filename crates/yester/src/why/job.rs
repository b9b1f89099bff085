//! What a call of `yester why` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use yester_patch::{FileKind, PatchError, Repository, Version};
use yester_report::quote;
use yester_run::{file_of, is_product, tree_path};

use crate::cli::{StepChoice, WhyArguments};
use crate::failure::Failure;
use crate::identity::Identity;
use crate::test_input::{TestInput, find_input};
use crate::versions::{Side, VersionPlace, failed, has};

pub struct WhyJob {
    pub arguments: WhyArguments,
    pub start: PathBuf,
    pub repository: Option<Repository>,
    /// The version that passes, if the user knows one.
    pub good: Option<Side>,
    /// The version that fails.
    pub bad: Side,
    /// The work tree, if it differs from that version in tracked files. It is not known yet which of them is to be looked at.
    pub work: Option<Side>,
    /// The test, as all steps are given it.
    pub test: Vec<OsString>,
    pub input: Option<TestInput>,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

impl WhyJob {
    pub fn new(arguments: WhyArguments, start: &Path) -> Result<WhyJob, Failure> {
        arguments.reading.check()?;
        if let Some(output) = &arguments.output
            && output.exists()
            && !output.is_dir()
        {
            return Err(
                Failure::usage(format!("{} is not a directory", output.display()))
                    .hint("-o takes a directory"),
            );
        }
        let repository = Repository::around(start);
        let find = |word: &OsStr| -> Result<Side, Failure> {
            let mut side = Side::find(word, start, &repository)?;
            let state = start.join(&arguments.run.state_dir);
            side.leave_out(&state.canonicalize().unwrap_or(state));
            Ok(side)
        };
        let good = arguments.good.as_deref().map(find).transpose()?;
        let bad = match (&arguments.bad, &repository) {
            (Some(bad), _) => find(bad)?,
            (None, Ok(_)) if good.as_ref().is_none_or(|good| good.commit().is_some()) => {
                find(OsStr::new("HEAD")).map_err(|failure| match failure.hint {
                    Some(_) => Failure::nothing("this repository has no commit yet"),
                    None => failure,
                })?
            }
            (None, Ok(_)) => {
                return Err(Failure::usage("BAD is missing")
                    .hint("GOOD is a directory, so BAD is one too: yester why GOOD BAD -- TEST"));
            }
            (None, Err(PatchError::NoRepository { .. })) => {
                return Err(Failure::usage("this directory is not in a git repository")
                    .hint("start in one, or name two directories: yester why GOOD BAD -- TEST"));
            }
            (None, Err(error)) => return Err(failed(error)),
        };
        let repository = repository.ok();
        let work = match (&repository, &arguments.bad) {
            (Some(here), None) if has_changes(here, &bad.version)? => {
                let root = here.directory();
                let is_here = start.canonicalize().ok() == root.canonicalize().ok();
                let word = if is_here { Path::new(".") } else { root };
                let mut work = Side::find(word.as_os_str(), start, &Err(no_repository(root)))?;
                let state = start.join(&arguments.run.state_dir);
                work.leave_out(&state.canonicalize().unwrap_or(state));
                Some(work)
            }
            _ => None,
        };
        let mut test = arguments.command.clone();
        let input = find_input(&arguments, &test, start, &bad.version)?;
        if let Some(TestInput {
            word: Some(word),
            is_in_tree: false,
            path,
            ..
        }) = &input
        {
            // No version has it, so all of them read the user's.
            test[*word] = start.join(path).into_os_string();
        }
        let mut job = WhyJob {
            arguments,
            start: start.to_owned(),
            repository,
            good,
            bad,
            work,
            test,
            input,
            run: String::new(),
        };
        job.run = job.identity()?.name("why", OsStr::new(&job.bad.word));
        Ok(job)
    }

    pub fn skips(&self, step: StepChoice) -> bool {
        self.arguments.skip.contains(&step)
    }

    /// The test in the user's words.
    pub fn test_text(&self) -> String {
        let words = self.arguments.command.iter();
        quote::command(words.map(OsString::as_os_str))
    }

    /// The versions in the user's words.
    pub fn sides(&self) -> String {
        let words = [self.arguments.good.as_ref(), self.arguments.bad.as_ref()];
        let words: Vec<&OsStr> = words
            .into_iter()
            .flatten()
            .map(OsString::as_os_str)
            .collect();
        if words.is_empty() {
            return self.bad.word.clone();
        }
        quote::command(words)
    }

    /// The failing version, for people.
    pub fn bad_text(&self) -> String {
        match &self.bad.place {
            VersionPlace::Directory(_) if self.arguments.bad.is_none() => {
                "the work tree".to_owned()
            }
            _ => self.bad.word.clone(),
        }
    }

    /// Paths of the test that one version has and another does not.
    pub fn missing_in(&self, good: &Version, bad: &Version) -> Vec<String> {
        let is_missing = |path: &String| has(bad, path) && !has(good, path);
        self.named_paths().into_iter().filter(is_missing).collect()
    }

    /// Files of the user's that the test names and the failing version lacks. A program that the build makes is none.
    pub fn strangers(&self) -> Vec<String> {
        let is_stranger = |path: &String| {
            let place = self.start.join(path);
            !has(&self.bad.version, path) && place.is_file() && !is_product(&place)
        };
        self.named_paths().into_iter().filter(is_stranger).collect()
    }

    /// The relative paths that the words of the test may be, and the words of a line for the shell among them.
    fn named_paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for word in &self.test {
            let text = word.to_string_lossy();
            let inner = text
                .split(|letter: char| letter.is_whitespace() || "\"'`|&;<>()$={}".contains(letter));
            let inner = inner.filter_map(|part| tree_path(OsStr::new(part)));
            paths.extend(tree_path(file_of(word)));
            paths.extend(inner);
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// Why `explain` and `flip` cannot be called.
    pub fn cannot_look_inside(&self) -> Option<&'static str> {
        let endings = [".c", ".cc", ".cpp", ".cxx", ".C"];
        let mut paths = self.bad.version.paths();
        let is_code = |path: &str| endings.iter().any(|ending| path.ends_with(ending));
        if !paths.any(|(path, _)| is_code(path)) {
            return Some("there is no C or C++ code");
        }
        let is_built = self.arguments.build.build.is_some();
        (!is_built).then_some("--build LINE has to say how the program is built")
    }

    fn identity(&self) -> Result<Identity, Failure> {
        let arguments = &self.arguments;
        let mut identity = Identity::of_call(&self.start, &arguments.run.state_dir);
        for side in [self.good.as_ref(), Some(&self.bad)].into_iter().flatten() {
            match &side.place {
                VersionPlace::Revision(commit) => identity.add("commit", &commit.id),
                // Each step looks at what is in it.
                VersionPlace::Directory(path) => identity.add("directory", path),
            }
        }
        for word in &self.test {
            identity.add("word", word);
        }
        let flags = (
            &arguments.build,
            &arguments.carry,
            &arguments.input,
            &arguments.skip,
            &arguments.reading.fail_if,
        );
        identity.add("flags", format!("{flags:?}"));
        Ok(identity)
    }
}

/// No revision is looked for there.
pub fn no_repository(path: &Path) -> PatchError {
    PatchError::NoRepository {
        path: path.to_owned(),
    }
}

/// Whether tracked files of the work tree differ from a revision.
fn has_changes(repository: &Repository, version: &Version) -> Result<bool, Failure> {
    let root = repository.directory();
    // A bare repository has no work tree.
    if fs::symlink_metadata(root.join(".git")).is_err() {
        return Ok(false);
    }
    let work = Version::directory(root).map_err(|error| failed(&error))?;
    for (path, kind) in version.paths() {
        if kind == FileKind::Submodule {
            continue;
        }
        let states = [&work, version].map(|version| version.state(path));
        let [here, there] = states.map(|state| state.map_err(|error| failed(&error)));
        let content = |state: Option<yester_patch::FileState>| state.map(|state| state.content);
        if content(here?) != content(there?) {
            return Ok(true);
        }
    }
    Ok(false)
}
