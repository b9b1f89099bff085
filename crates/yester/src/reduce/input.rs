//! What is reduced: a file, or a directory with all that is in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use yester_core::{Candidate, Entry};
use yester_run::{Subject, file};

use crate::failure::Failure;
use crate::user_file;

pub enum Input {
    File {
        content: Arc<[u8]>,
        executable: bool,
    },
    Directory(BTreeMap<String, Entry>),
}

/// Whether the user has asked for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

impl Input {
    /// What is piped into yester.
    pub fn standard() -> Result<Input, Failure> {
        Ok(Input::File {
            content: user_file::piped()?.into(),
            executable: false,
        })
    }

    pub fn read(path: &Path, state: &Path) -> Result<Input, Failure> {
        let shown = path.display();
        let fail = |error: io::Error| Failure::unreadable(path, &error);
        let metadata = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Failure::usage(format!("there is no file {shown}"))
                    .code("file_not_found")
                    .hint(
                        "yester reduce FILE -- COMMAND: FILE is the input that makes COMMAND fail",
                    ));
            }
            other => other.map_err(fail)?,
        };
        if metadata.is_dir() {
            return read_directory(path, state).map(Input::Directory);
        }
        if !metadata.is_file() {
            return Err(Failure::usage(format!("{shown} is no regular file")));
        }
        let content = file::read_shared(path, file::BIGGEST_INPUT).map_err(fail)?;
        Ok(Input::File {
            content,
            executable: metadata.permissions().mode() & 0o111 != 0,
        })
    }

    pub fn candidate(&self) -> Candidate {
        match self {
            Input::File { content, .. } => Candidate::File(Arc::clone(content)),
            Input::Directory(entries) => Candidate::Tree(entries.clone()),
        }
    }

    /// Whether a path begins like one in the candidate, whose name this is: then it is looked for there.
    pub fn begins(&self, path: &str, name: &OsStr) -> bool {
        let first = path.split('/').next().unwrap_or_default();
        match self {
            Input::File { .. } => OsStr::new(first) == name,
            Input::Directory(entries) => {
                let mut paths = entries.keys();
                paths.any(|own| own.split('/').next() == Some(first))
            }
        }
    }

    /// Whether there is nothing that could be left out.
    pub fn is_empty(&self) -> bool {
        match self {
            Input::File { content, .. } => content.is_empty(),
            Input::Directory(entries) => entries.is_empty(),
        }
    }

    /// The same without anything in it.
    pub fn nothing(&self) -> Candidate {
        match self {
            Input::File { .. } => Candidate::file(&b""[..]),
            Input::Directory(_) => Candidate::Tree(BTreeMap::new()),
        }
    }

    pub fn subject(&self, name: &OsString) -> Subject {
        match self {
            Input::File { executable, .. } => Subject::File {
                name: name.clone(),
                executable: *executable,
            },
            Input::Directory(_) => Subject::Files,
        }
    }
}

/// All files and links below a directory. What is neither, such as a socket, is not part of an input, nor is an empty
/// directory, nor what yester itself keeps there.
fn read_directory(root: &Path, state: &Path) -> Result<BTreeMap<String, Entry>, Failure> {
    let state = state.canonicalize().ok();
    let mut entries = BTreeMap::new();
    let mut open = vec![String::new()];
    while let Some(directory) = open.pop() {
        let path = root.join(&directory);
        for entry in fs::read_dir(&path).map_err(|error| Failure::unreadable(&path, &error))? {
            let entry = entry.map_err(|error| Failure::unreadable(&path, &error))?;
            let path = entry.path();
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                return Err(
                    Failure::usage(format!("the name of {} is not UTF-8", path.display()))
                        .hint("rename it, or reduce a copy without it"),
                );
            };
            let name = if directory.is_empty() {
                name
            } else {
                format!("{directory}/{name}")
            };
            let metadata =
                fs::symlink_metadata(&path).map_err(|error| Failure::unreadable(&path, &error))?;
            if metadata.is_dir() {
                if state.is_none() || path.canonicalize().ok() != state {
                    open.push(name);
                }
            } else if metadata.is_symlink() {
                let target =
                    fs::read_link(&path).map_err(|error| Failure::unreadable(&path, &error))?;
                entries.insert(name, Entry::Symlink(target.as_os_str().as_bytes().into()));
            } else if metadata.is_file() {
                let content = file::read(&path, file::BIGGEST_INPUT)
                    .map_err(|error| Failure::unreadable(&path, &error))?;
                let entry = Entry::File {
                    content: content.into(),
                    executable: metadata.permissions().mode() & 0o111 != 0,
                };
                entries.insert(name, entry);
            }
        }
    }
    Ok(entries)
}
