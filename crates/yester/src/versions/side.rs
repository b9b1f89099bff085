//! The versions that a call names: what the user's words for them stand for.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use yester_patch::{Commit, PatchError, Repository, Version};

use super::{failed, is_earlier_patch};
use crate::cli::STATE;
use crate::failure::Failure;

/// A version that the user has named.
pub struct Side {
    /// As the user wrote it.
    pub word: String,
    pub place: VersionPlace,
    pub version: Version,
}

pub enum VersionPlace {
    Directory(PathBuf),
    Revision(Commit),
}

impl Side {
    /// Finds a directory or a revision of the repository around. Where a word could be both, the user has to say which.
    pub fn find(
        word: &OsStr,
        start: &Path,
        repository: &Result<Repository, PatchError>,
    ) -> Result<Side, Failure> {
        let path = start.join(word);
        let word = word
            .to_str()
            .ok_or_else(|| Failure::usage(format!("{} is not UTF-8", path.display())))?
            .to_owned();
        let is_path = word.starts_with(['.', '/']) || word.ends_with('/');
        let revision = match repository {
            Ok(repository) if !is_path => Some(repository.resolve(&word)),
            _ => None,
        };
        match (path.is_dir(), revision, repository) {
            (true, Some(Ok(_)), _) => Err(Failure::usage(format!(
                "'{word}' is a directory and a revision"
            ))
            .hint(format!(
                "./{word} is the directory, {word}~0 is the revision"
            ))),
            (true, ..) => Side::directory(word, &path),
            (false, Some(Ok(_)), Ok(repository)) => {
                let commit = repository.commit(&word).map_err(|error| failed(&error))?;
                let version =
                    Version::revision(repository, &commit.id).map_err(|error| failed(&error))?;
                Ok(Side {
                    word,
                    place: VersionPlace::Revision(commit),
                    version,
                })
            }
            (false, Some(Err(PatchError::UnknownRevision { .. })), Ok(repository)) => {
                let failure = Failure::usage(format!(
                    "'{word}' is neither a directory nor a revision of this repository"
                ));
                Err(if repository.is_shallow() {
                    failure.hint(
                        "this is a shallow clone, and older revisions are missing: git fetch --unshallow --tags gets them",
                    )
                } else {
                    failure.hint(
                        "git log --oneline --all and git tag list revisions; a branch of a server may need git fetch",
                    )
                })
            }
            (false, Some(Err(error)), _) => Err(failed(&error)),
            (false, None, Err(PatchError::Start(_))) if !is_path => Err(Failure::usage(format!(
                "'{word}' is not a directory"
            ))
            .hint("git is not installed, or not on the PATH: without it there are no revisions")),
            (
                false,
                None,
                Err(error @ (PatchError::NoRepository { .. } | PatchError::Start(_))),
            ) => Err(Failure::usage(format!("'{word}' is not a directory"))
                .hint(format!("it cannot be a revision either: failed to {error}"))),
            (false, None, Err(error)) if !is_path => Err(failed(error)),
            (false, ..) if path.exists() => Err(Failure::usage(format!(
                "'{word}' is a file, not a directory"
            ))
            .hint("for two versions of one file, give the directories that they are in")),
            (false, ..) => Err(Failure::usage(format!("there is no directory '{word}'"))
                .hint("a revision of git is given by its name, such as v1.0 or HEAD~5")),
        }
    }

    fn directory(word: String, path: &Path) -> Result<Side, Failure> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut version = Version::directory(&real).map_err(|error| failed(&error))?;
        let is_earlier = |path: &&str| is_earlier_patch(&real.join(path));
        let earlier = version.paths().map(|(path, _)| path).filter(is_earlier);
        for path in earlier.map(str::to_owned).collect::<Vec<_>>() {
            version.remove(&path);
        }
        // What git ignores in a work tree was made there, and no revision has it.
        if fs::symlink_metadata(real.join(".git")).is_ok() {
            let ignored = match Repository::around(&real) {
                Ok(repository) if is_root(&repository, &real) => repository.ignored(),
                // Without git, or with a work tree whose repository is gone, it is a directory like any other.
                Ok(_) | Err(PatchError::NoRepository { .. } | PatchError::Start(_)) => {
                    Ok(Vec::new())
                }
                Err(error) => Err(error),
            };
            for path in ignored.map_err(|error| failed(&error))? {
                version.remove(&path);
            }
        }
        Ok(Side {
            word,
            place: VersionPlace::Directory(real),
            version,
        })
    }

    /// What was taken, for the user to see.
    pub fn describe(&self) -> String {
        match &self.place {
            VersionPlace::Directory(path) => format!("the directory {}", path.display()),
            VersionPlace::Revision(commit) => format!("{} {}", commit.short(), commit.subject),
        }
    }

    /// Leaves out a path of the file system, if it lies in a directory that is this version.
    pub fn leave_out(&mut self, path: &Path) {
        if let VersionPlace::Directory(root) = &self.place
            && let Ok(relative) = path.strip_prefix(root)
            && let Some(relative) = relative.to_str()
        {
            // A run may keep its state within that of another one.
            let ours = relative.split('/').next().filter(|first| *first == STATE);
            self.version.remove(ours.unwrap_or(relative));
        }
    }

    pub fn commit(&self) -> Option<&Commit> {
        match &self.place {
            VersionPlace::Revision(commit) => Some(commit),
            VersionPlace::Directory(_) => None,
        }
    }
}

/// Whether a directory is the root of a repository's work tree, and not somewhere in another one.
fn is_root(repository: &Repository, directory: &Path) -> bool {
    let root = repository.directory().canonicalize();
    root.is_ok_and(|root| root == directory)
}
