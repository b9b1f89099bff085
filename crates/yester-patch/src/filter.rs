//! Files that git stores in one form and checks out in another, such as the pointers of LFS.

use std::fs::{self, File};
use std::process::Stdio;

use crate::git;
use crate::{PatchError, Repository};

/// Files of a commit that git would check out through a filter, with the filter's name. We only look filters up and never
/// run one.
pub(crate) fn filtered(
    repository: &Repository,
    commit: &str,
    paths: impl Iterator<Item = impl AsRef<str>>,
) -> Result<Vec<(String, String)>, PatchError> {
    let git = repository.git();
    // The attributes come from an index, the only source that all versions of git know.
    let (index, list) = (git.home().join("index"), git.home().join("paths"));
    let mut text = Vec::new();
    for path in paths {
        text.extend_from_slice(path.as_ref().as_bytes());
        text.push(0);
    }
    repository.output(&["read-tree", commit])?;
    fs::write(&list, text).map_err(|source| git::failed(&list, source))?;
    let input = File::open(&list).map_err(|source| git::failed(&list, source))?;
    let arguments = ["check-attr", "--cached", "-z", "--stdin", "filter"];
    let mut command = git.command(&arguments);
    command.stdin(Stdio::from(input));
    let output = git.run(command, &arguments.join(" "));
    let _ = fs::remove_file(&index);
    let output = String::from_utf8_lossy(&output?).into_owned();
    let mut fields = output.split('\0');
    let mut found = Vec::new();
    // The path, the name of the attribute, its value.
    while let (Some(path), Some(_), Some(value)) = (fields.next(), fields.next(), fields.next()) {
        if !["unspecified", "unset", "set", ""].contains(&value) {
            found.push((path.to_owned(), value.to_owned()));
        }
    }
    Ok(found)
}

/// What the user should know about such files.
pub(crate) fn note(filtered: &[(String, String)]) -> Option<String> {
    let (path, filter) = filtered.first()?;
    let (files, them) = match filtered.len() - 1 {
        0 => (format!("{path} is"), "it"),
        1 => (format!("{path} and 1 other file are"), "them"),
        others => (format!("{path} and {others} other files are"), "them"),
    };
    Some(format!(
        "{files} taken as git stores {them}, without the filter {filter}; \
         for the real files, check the revision out into a directory and give that directory"
    ))
}
