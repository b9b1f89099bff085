//! The cases of `bench/changes`: a directory each below `bench/cases/changes`, with `get`, `test.sh` and
//! `purpose`.
//!
//! `get` runs in an empty directory and leaves the directories `old` and `new` there, or a git `repository` with the tags
//! `good` and `bad`. `test.sh` runs in a tree and exits with 0 if it works, with 1 if it is broken as the new version is,
//! with 125 if it is anything else; or it is a plain test that exits with 1 for whatever goes wrong. A case may have a
//! `build.sh`, which comes before; a build that fails is anything else. It may have a file `carry` with paths of the bad
//! version that are put into every version, and a file `truth` (see [`Truth`]).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use yester_core::Outcome;
use yester_patch::{Repository, Version, VersionDifference};

use crate::case::{self, Purpose};
use crate::process_tree;
use crate::truth::{Truth, masked};

/// No build and test of these cases takes nearly as long.
const TRIAL_LIMIT: Duration = Duration::from_secs(120);

/// A fetched case.
#[derive(Debug)]
pub struct Regression {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub purpose: Purpose,
    /// The comment of its `get`: what the versions are.
    pub material: String,
    /// The comment of its `test.sh`: what worked.
    pub property: String,
    /// Where its versions and its scripts are.
    pub directory: PathBuf,
    /// What is known of it.
    pub truth: Option<Truth>,
    /// The paths of the bad version that are put into every version.
    pub carried: Vec<String>,
}

/// What a build and a test of a tree showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Whether it works.
    pub outcome: Outcome,
    /// What the test printed, masked.
    pub output: Vec<String>,
}

impl Regression {
    /// Fetches a case of the directory `cases` into a directory of its own below `place`, unless it is there already.
    pub fn fetch(cases: &Path, name: &str, place: &Path) -> Result<Regression, String> {
        let source = cases.join("changes").join(name);
        let directory = place.join(name);
        let get = case::fetch(&source, &directory, &cases.join("lib"))?;
        for entry in fs::read_dir(&source).map_err(|error| error.to_string())? {
            let entry = entry.map_err(|error| error.to_string())?;
            fs::copy(entry.path(), directory.join(entry.file_name()))
                .map_err(|error| error.to_string())?;
        }
        let test =
            fs::read_to_string(directory.join("test.sh")).map_err(|error| error.to_string())?;
        let truth = fs::read_to_string(directory.join("truth")).ok();
        let carried = fs::read_to_string(directory.join("carry")).unwrap_or_default();
        let regression = Regression {
            name: name.to_owned(),
            purpose: Purpose::of(&source)?,
            material: case::comment(&get),
            property: case::comment(&test),
            truth: truth.as_deref().map(Truth::parse).transpose()?,
            carried: carried.lines().map(str::to_owned).collect(),
            directory,
        };
        regression.keep_carried()?;
        Ok(regression)
    }

    /// Where the carried files are, at their paths.
    pub fn carried_directory(&self) -> PathBuf {
        self.directory.join("carried")
    }

    fn keep_carried(&self) -> Result<(), String> {
        let repository = self.directory.join("repository");
        for path in &self.carried {
            let output = Command::new("git")
                .arg("-C")
                .arg(&repository)
                .args(["show", &format!("bad:{path}")])
                .output()
                .map_err(|error| error.to_string())?;
            if !output.status.success() {
                return Err(format!("its bad version has no {path}"));
            }
            put(&self.carried_directory().join(path), &output.stdout)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// The test.
    pub fn test(&self) -> PathBuf {
        self.directory.join("test.sh")
    }

    /// What comes before the test, if it has a build.
    pub fn build(&self) -> Option<PathBuf> {
        Some(self.directory.join("build.sh")).filter(|build| build.exists())
    }

    /// The repository, if it has a history.
    pub fn repository(&self) -> Option<PathBuf> {
        Some(self.directory.join("repository")).filter(|repository| repository.exists())
    }

    /// The version that works and the one that does not.
    pub fn versions(&self) -> Result<[Version; 2], yester_patch::PatchError> {
        match self.repository() {
            Some(repository) => {
                let repository = Repository::around(&repository)?;
                Ok([
                    Version::revision(&repository, "good")?,
                    Version::revision(&repository, "bad")?,
                ])
            }
            None => Ok([
                Version::directory(&self.directory.join("old"))?,
                Version::directory(&self.directory.join("new"))?,
            ]),
        }
    }

    /// All that differs.
    pub fn difference(&self) -> Result<VersionDifference, yester_patch::PatchError> {
        let [good, bad] = self.versions()?;
        VersionDifference::between(&good, &bad)
    }

    /// Builds and tests what is in a directory.
    pub fn try_out(&self, tree: &Path) -> io::Result<Outcome> {
        self.observe(tree).map(|trial| trial.outcome)
    }

    /// Builds and tests what is in a directory, and keeps what the test prints.
    pub fn observe(&self, tree: &Path) -> io::Result<Trial> {
        for path in &self.carried {
            let content = fs::read(self.carried_directory().join(path))?;
            put(&tree.join(path), &content)?;
        }
        let kept = tempfile::NamedTempFile::new()?;
        for (script, is_test) in [(self.build(), false), (Some(self.test()), true)] {
            let Some(script) = script else { continue };
            kept.as_file().set_len(0)?;
            let file = || fs::OpenOptions::new().append(true).open(kept.path());
            let usage = process_tree::run(
                Command::new(script)
                    .current_dir(tree)
                    .stdin(Stdio::null())
                    .stdout(file()?)
                    .stderr(file()?),
                TRIAL_LIMIT,
            )?;
            let outcome = match (is_test, usage.code) {
                (false, Some(0)) => continue,
                (true, Some(0)) => Outcome::Pass,
                (true, Some(1)) => Outcome::Fail,
                _ => Outcome::Unresolved,
            };
            let output = fs::read(kept.path())?;
            let tree = tree.canonicalize()?;
            return Ok(Trial {
                outcome,
                output: masked(&String::from_utf8_lossy(&output), &tree, &self.directory),
            });
        }
        unreachable!("the test is the last script and always gives an outcome")
    }

    /// What a version shows in a new tree.
    pub fn observe_version(&self, version: &Version) -> Result<Trial, String> {
        self.observe_patched(version, None)
    }

    /// What a version shows in a new tree after a patch was applied.
    pub fn observe_patched(
        &self,
        version: &Version,
        patch: Option<&Path>,
    ) -> Result<Trial, String> {
        let tree = tempfile::tempdir().map_err(|error| error.to_string())?;
        version
            .materialise(tree.path())
            .map_err(|error| error.to_string())?;
        if let Some(patch) = patch {
            let output = Command::new("git")
                .args(["apply", "--unidiff-zero"])
                .arg(patch)
                .current_dir(tree.path())
                .output()
                .map_err(|error| error.to_string())?;
            if !output.status.success() {
                let message = String::from_utf8_lossy(&output.stderr);
                return Err(format!(
                    "{} does not apply: {}",
                    patch.display(),
                    message.trim()
                ));
            }
        }
        self.observe(tree.path()).map_err(|error| error.to_string())
    }

    /// It is an error if the old version does not work here, or the new one is not broken as it should be.
    pub fn check(&self) -> Result<(), String> {
        let versions = self.versions().map_err(|error| error.to_string())?;
        for (version, (name, wanted)) in versions
            .iter()
            .zip([("old", Outcome::Pass), ("new", Outcome::Fail)])
        {
            let trial = self.observe_version(version)?;
            if trial.outcome != wanted {
                return Err(format!(
                    "the test of its {name} version says {:?}: {:?}",
                    trial.outcome, trial.output
                ));
            }
            if let Some(truth) = self.truth.as_ref().filter(|_| name == "new")
                && !truth.accepts(&trial.output)
            {
                return Err(format!(
                    "its new version does not print what its truth says, but {:?}",
                    trial.output
                ));
            }
        }
        Ok(())
    }

    /// It is an error if the known lines do not make the parent of the known commit fail as they should.
    pub fn check_truth(&self) -> Result<(), String> {
        let (Some(truth), Some(repository)) = (&self.truth, self.repository()) else {
            return Ok(());
        };
        let output = Command::new("git")
            .arg("-C")
            .arg(&repository)
            .args(["log", "--format=%H %s", "good..bad"])
            .output()
            .map_err(|error| error.to_string())?;
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        let guilty: Vec<&str> = log
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter(|(_, subject)| *subject == truth.commits[0])
            .map(|(commit, _)| commit)
            .collect();
        let [guilty] = guilty[..] else {
            return Err(format!(
                "{} commits are '{}'",
                guilty.len(),
                truth.commits[0]
            ));
        };
        let patch = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
        fs::write(patch.path(), &truth.patch).map_err(|error| error.to_string())?;
        let repository = Repository::around(&repository).map_err(|error| error.to_string())?;
        let [parent, commit] = [format!("{guilty}~1"), guilty.to_owned()]
            .map(|revision| Version::revision(&repository, &revision));
        let [parent, commit] = [
            parent.map_err(|error| error.to_string())?,
            commit.map_err(|error| error.to_string())?,
        ];
        let right = self.observe_version(&parent)?;
        if right.outcome != Outcome::Pass {
            return Err(format!("the parent of its guilty commit says {right:?}"));
        }
        for (what, trial) in [
            ("its guilty commit", self.observe_version(&commit)?),
            (
                "the patch of its truth",
                self.observe_patched(&parent, Some(patch.path()))?,
            ),
        ] {
            if trial.outcome != Outcome::Fail || !truth.accepts(&trial.output) {
                return Err(format!("{what} says {trial:?}"));
            }
        }
        Ok(())
    }
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().expect("a file is in a directory"))?;
    fs::write(path, content)
}
