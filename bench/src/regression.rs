//! The cases of `bench/changes`: a directory each below `bench/cases/changes`, with `get`, `test.sh` and
//! `purpose`.
//!
//! `get` runs in an empty directory and leaves the directories `old` and `new` there, or a git `repository` with the tags
//! `good` and `bad`. `test.sh` runs in a tree and exits with 0 if it works, with 1 if it is broken as the new version is,
//! with 125 if it is anything else. A case may have a `build.sh`, which comes before; a build that fails is anything else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use yester_core::Outcome;
use yester_patch::{Repository, Version, VersionDifference};

use crate::case::{self, Purpose};
use crate::process_tree;

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
        Ok(Regression {
            name: name.to_owned(),
            purpose: Purpose::of(&source)?,
            material: case::comment(&get),
            property: case::comment(&test),
            directory,
        })
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
        for (script, is_test) in [(self.build(), false), (Some(self.test()), true)] {
            let Some(script) = script else { continue };
            let usage = process_tree::run(
                Command::new(script)
                    .current_dir(tree)
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null()),
                TRIAL_LIMIT,
            )?;
            match (is_test, usage.code) {
                (false, Some(0)) => continue,
                (true, Some(0)) => return Ok(Outcome::Pass),
                (true, Some(1)) => return Ok(Outcome::Fail),
                _ => return Ok(Outcome::Unresolved),
            }
        }
        unreachable!("the test is the last script and always gives an outcome")
    }

    /// It is an error if the old version does not work here, or the new one is not broken as it should be.
    pub fn check(&self) -> Result<(), String> {
        let versions = self.versions().map_err(|error| error.to_string())?;
        for (version, (name, wanted)) in versions
            .iter()
            .zip([("old", Outcome::Pass), ("new", Outcome::Fail)])
        {
            let tree = tempfile::tempdir().map_err(|error| error.to_string())?;
            version
                .materialise(tree.path())
                .map_err(|error| error.to_string())?;
            let outcome = self
                .try_out(tree.path())
                .map_err(|error| error.to_string())?;
            if outcome != wanted {
                return Err(format!("the test of its {name} version says {outcome:?}"));
            }
        }
        Ok(())
    }
}
