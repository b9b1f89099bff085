//! Named pipes, sockets and devices where git expects files. Git would wait for them for ever.

use std::fs::{self, FileType};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::{PatchError, git};

/// What git opens to find out whether a directory is a repository.
const FIRST: [&str; 4] = ["HEAD", "config", "commondir", "config.worktree"];
/// What git reads in a repository, with all that is below.
const REST: [&str; 7] = [
    "objects",
    "refs",
    "packed-refs",
    "logs",
    "index",
    "info",
    "shallow",
];
/// How far git follows alternates of alternates.
const ALTERNATES: usize = 6;

/// Refuses what would make git hang when it looks for the repository around a directory.
pub(crate) fn refuse_around(directory: &Path) -> Result<(), PatchError> {
    let real = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned());
    for directory in real.ancestors() {
        // Either a work tree or a bare repository.
        refuse_head(&directory.join(".git"))?;
        if fs::symlink_metadata(directory.join("HEAD")).is_ok() {
            refuse_head(directory)?;
        }
    }
    Ok(())
}

/// Refuses what would make git hang when it finds out whether this is a git directory.
pub(crate) fn refuse_head(git_directory: &Path) -> Result<(), PatchError> {
    FIRST
        .iter()
        .try_for_each(|name| refuse(&git_directory.join(name)))
}

/// Refuses what would make git hang when it reads a repository.
pub(crate) fn refuse_in(git_directory: &Path) -> Result<(), PatchError> {
    let mut open: Vec<PathBuf> = REST.iter().map(|name| git_directory.join(name)).collect();
    let mut rounds = 0;
    while !open.is_empty() && rounds < ALTERNATES {
        let mut next = Vec::new();
        for path in open {
            refuse(&path)?;
            refuse_below(&path)?;
            next.extend(alternates(&path));
        }
        open = next;
        rounds += 1;
    }
    Ok(())
}

/// Other directories of objects that one refers to.
fn alternates(objects: &Path) -> Vec<PathBuf> {
    let list = git::read_at_once(&objects.join("info/alternates")).unwrap_or_default();
    let lines = list.split(|byte| *byte == b'\n');
    lines
        .filter(|line| !line.is_empty() && !line.starts_with(b"#"))
        .map(|line| objects.join(std::ffi::OsStr::from_bytes(line)))
        .collect()
}

fn refuse_below(root: &Path) -> Result<(), PatchError> {
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        // If it cannot be read, git will complain.
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(kind) if kind.is_file() => {}
                _ => refuse(&entry.path())?,
            }
        }
    }
    Ok(())
}

/// Refuses what is neither a file nor a directory, itself or behind a link.
fn refuse(path: &Path) -> Result<(), PatchError> {
    let is_plain = |kind: FileType| kind.is_file() || kind.is_dir();
    match fs::metadata(path) {
        Ok(metadata) if !is_plain(metadata.file_type()) => Err(PatchError::Special {
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}
