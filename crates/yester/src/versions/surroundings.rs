//! The directory around an input, for tests that need all of a project: every trial has a copy of it, in which a candidate
//! takes the place of the input.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use yester_core::Hash;
use yester_patch::{Version, common_time};
use yester_report::quote;
use yester_run::{RunDirectory, Subject};

use super::{failed, has, program_path, unreadable};
use crate::failure::Failure;
use crate::identity::Identity;

pub struct Surroundings {
    /// The directory as the user names it.
    root: PathBuf,
    version: Version,
    /// Where the input is in the directory.
    path: String,
}

impl Surroundings {
    /// Reads the directory that `--within` names.
    pub fn new(
        directory: &Path,
        input: &Path,
        (start, state): (&Path, &Path),
    ) -> Result<Surroundings, Failure> {
        let shown = directory.display();
        let root = start
            .join(directory)
            .canonicalize()
            .map_err(|error| Failure::unreadable(directory, &error))?;
        if !root.is_dir() {
            return Err(Failure::usage(format!("{shown} is not a directory"))
                .hint("--within DIR: every trial runs in a copy of DIR"));
        }
        let file = start.join(input).canonicalize().ok();
        let path = file.as_deref().and_then(|file| {
            let path = file.strip_prefix(&root).ok()?.to_str()?;
            (!path.is_empty() && file.is_file()).then(|| path.to_owned())
        });
        let path = path.ok_or_else(|| {
            Failure::usage(format!("{} is not a file below {shown}", input.display()))
                .hint("--within DIR: a candidate takes the place of FILE in a copy of DIR")
        })?;
        let mut version = Version::directory(&root).map_err(|error| failed(&error))?;
        let state = start.join(state).canonicalize().ok();
        if let Some(state) = state
            .as_ref()
            .and_then(|state| state.strip_prefix(&root).ok())
        {
            version.remove(&state.to_string_lossy());
        }
        Ok(Surroundings {
            root: directory.to_owned(),
            version,
            path,
        })
    }

    /// Whether the directory has this path.
    pub fn has(&self, path: &str) -> bool {
        has(&self.version, path)
    }

    /// The path of the command's program in the directory, if it is there.
    pub fn program(&self, words: &[OsString]) -> Option<String> {
        program_path(words).filter(|path| self.has(path))
    }

    pub fn subject(&self, run: &str, executable: bool) -> Subject {
        Subject::FileInTree {
            base: tree(run),
            path: self.path.clone(),
            executable,
        }
    }

    /// Where the copy is that all trials start from.
    pub fn copy_in(run: &RunDirectory) -> PathBuf {
        run.path().join("within")
    }

    /// Makes that copy, and says what stands for it.
    pub fn copy(&self, name: &str, run: &RunDirectory) -> Result<(Hash, PathBuf), Failure> {
        let copy = Surroundings::copy_in(run);
        let _ = yester_run::remove(&copy);
        // All files are equally old, so that nothing is built again that was built before.
        let made = self.version.materialise_as_of(&copy, common_time());
        made.map_err(|error| unreadable(&error))?;
        let place = copy
            .canonicalize()
            .map_err(|error| Failure::io(format!("write {}", copy.display()), &error))?;
        Ok((tree(name), place))
    }

    /// A command on a file that lies at `path`, to be copied into a shell.
    pub fn command_on(&self, path: &Path, words: &[OsString], stdin: bool) -> String {
        let words = words
            .iter()
            .map(|word| OsString::from(word.to_string_lossy().replace("{}", &self.path)));
        let words: Vec<OsString> = words.collect();
        let command = quote::command(words.iter().map(OsString::as_os_str));
        let (path, place) = (
            quote::word(path.as_os_str()),
            quote::word(self.path.as_ref()),
        );
        let stdin = if stdin {
            format!(" < {place}")
        } else {
            String::new()
        };
        let root = quote::word(self.root.as_os_str());
        format!("cp -R -- {root} copy && cp -- {path} copy/{place} && cd copy && {command}{stdin}")
    }

    /// Makes another directory another run.
    pub fn identify(&self, identity: &mut Identity) -> Result<(), Failure> {
        identity.add("within", &self.path);
        identity.add_version(&self.version)
    }
}

/// The name of the run says everything that the tree depends on.
fn tree(run: &str) -> Hash {
    Hash::of(run.as_bytes())
}
