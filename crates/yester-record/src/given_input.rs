//! The input of a program, as a call gives it: the files that arguments name, and what of all that varies.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use yester_patch::{FileKind, FileState, PatchError, Version};
use yester_path::{InputSource, ProgramInput, is_below};
use yester_run::{file, tree_path};

use crate::workshop::NamedVersion;

/// So many symbolic links are followed from one to the next.
const MOST_LINKS: usize = 40;

/// Why an input is not what a call says.
#[derive(Debug, Error)]
pub enum InputError {
    /// There is no standard input.
    #[error("there is no standard input to follow")]
    NoStdin,
    /// There is no argument of this number.
    #[error("there is no argument {0}")]
    NoArgument(usize),
    /// A file is where no copy of the tree has it.
    #[error("{} is outside of the directory that the program runs in", .0.display())]
    Outside(PathBuf),
    /// A file is not there.
    #[error("there is no file {}", .0.display())]
    NoFile(PathBuf),
    /// A file cannot be read.
    #[error("failed to read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A version cannot be read.
    #[error(transparent)]
    Version(#[from] PatchError),
}

/// Finds the files that arguments name, where the user stands (`start`) or in the newest version, and gives all versions the same content for
/// them: they run on one input.
///
/// # Errors
/// If a file or a version cannot be read.
pub fn find_files(
    input: &mut ProgramInput,
    start: &Path,
    versions: &mut [NamedVersion],
) -> Result<(), InputError> {
    for index in 0..input.arguments.len() {
        let word = input.arguments[index].clone();
        let Some(content) = file_content(&word, start, versions)? else {
            continue;
        };
        let path = match tree_path(&word) {
            Some(path) if is_below(Path::new(&word)) => path,
            // The user's path is not in the tree: the tree gets a file of the same name.
            _ => {
                let name = Path::new(&word).file_name().unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                let is_taken = |name: &str| {
                    let mut trees = versions.iter();
                    trees.any(|version| version.tree.paths().any(|(path, _)| path == name))
                };
                let numbered = (1..).map(|number| format!("{number}-{name}"));
                let mut names = std::iter::once(name.clone()).chain(numbered);
                let name = names.find(|name| !is_taken(name)).expect("there is no end");
                input.arguments[index] = name.clone().into();
                name
            }
        };
        put(input, versions, path, content);
    }
    Ok(())
}

/// The content of a file that an argument names: where the user stands, otherwise in the new version.
fn file_content(
    word: &OsStr,
    start: &Path,
    versions: &[NamedVersion],
) -> Result<Option<Vec<u8>>, InputError> {
    let here = start.join(word);
    if !word.is_empty() && here.is_file() {
        let content = file::read(&here, file::BIGGEST_INPUT);
        return content
            .map(Some)
            .map_err(|source| InputError::Read { path: here, source });
    }
    let Some(path) = tree_path(word) else {
        return Ok(None);
    };
    match versions.last() {
        Some(newest) => content_in_tree(&newest.tree, path),
        None => Ok(None),
    }
}

/// The content of a file of a tree, also if links within the tree lead there.
fn content_in_tree(tree: &Version, mut path: String) -> Result<Option<Vec<u8>>, InputError> {
    for _ in 0..MOST_LINKS {
        let state = tree.state(&path)?;
        let Some(state) = state else {
            return Ok(None);
        };
        match state.kind {
            FileKind::Symlink => {
                let target = Path::new(OsStr::from_bytes(&state.content));
                let beside = Path::new(&path).parent().unwrap_or(Path::new(""));
                match tree_path(beside.join(target).as_os_str()) {
                    Some(next) => path = next,
                    None => return Ok(None),
                }
            }
            kind if kind.is_file() => return Ok(Some(state.content.to_vec())),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

fn put(input: &mut ProgramInput, versions: &mut [NamedVersion], path: String, content: Vec<u8>) {
    for version in versions {
        let state = FileState {
            kind: FileKind::File,
            content: content.clone().into(),
        };
        version.tree.put(&path, state);
    }
    if !input
        .files
        .iter()
        .any(|(known, _)| *known == Path::new(&path))
    {
        input.files.push((path.into(), Arc::new(content)));
    }
}

/// What of the input varies: what is said to, otherwise all of it but what is said not to. Files among it that only the versions or the user have go
/// into all versions.
///
/// # Errors
/// If there is no such part of the input, or a file or a version cannot be read.
pub fn varying(
    [symbolic, fixed]: [&[InputSource]; 2],
    input: &mut ProgramInput,
    start: &Path,
    versions: &mut [NamedVersion],
) -> Result<Vec<InputSource>, InputError> {
    for source in symbolic.iter().chain(fixed) {
        match source {
            InputSource::Stdin if input.stdin.is_none() => return Err(InputError::NoStdin),
            InputSource::Argument(number) if !(1..=input.arguments.len()).contains(number) => {
                return Err(InputError::NoArgument(*number));
            }
            InputSource::File(path) if input.content(source).is_none() => {
                let Some(place) = tree_path(path.as_os_str()).filter(|_| is_below(path)) else {
                    return Err(InputError::Outside(path.clone()));
                };
                let content = file_content(path.as_os_str(), start, versions)?;
                let Some(content) = content else {
                    return Err(InputError::NoFile(path.clone()));
                };
                put(input, versions, place, content);
            }
            _ => {}
        }
    }
    if !symbolic.is_empty() {
        return Ok(symbolic.to_vec());
    }
    let mut all = Vec::new();
    if input.stdin.is_some() {
        all.push(InputSource::Stdin);
    }
    let files = input.files.iter().map(|(path, _)| path);
    let files = files.filter(|path| !has_line_break(path));
    all.extend(files.cloned().map(InputSource::File));
    let names_file = |argument: &OsString| {
        let mut files = input.files.iter();
        files.any(|(path, _)| tree_path(argument).is_some_and(|place| *path == Path::new(&place)))
    };
    let plain = input.arguments.iter().enumerate();
    let plain = plain.filter(|(_, argument)| !names_file(argument));
    all.extend(plain.map(|(index, _)| InputSource::Argument(index + 1)));
    all.retain(|source| !fixed.contains(source));
    Ok(all)
}

/// The files that cannot vary.
pub fn fixed_files(input: &ProgramInput) -> impl Iterator<Item = &Path> {
    let files = input.files.iter().map(|(path, _)| path.as_path());
    files.filter(|path| has_line_break(path))
}

/// The program is told its sources line by line.
fn has_line_break(path: &Path) -> bool {
    path.as_os_str().as_bytes().contains(&b'\n')
}
