//! Paths in the trees of the versions, and those that `--carry` names.

use std::ffi::OsStr;
use std::path::Path;

use yester_patch::{Repository, Version, is_at_or_below};
use yester_run::tree_path;

use crate::failure::Failure;

/// Where in the tree of a revision the user stands: git's revisions are whole trees, wherever in one it is called.
pub fn below(start: &Path, repository: &Repository) -> String {
    let root = repository.directory().canonicalize().ok();
    let start = start.canonicalize().ok();
    let below = root
        .zip(start)
        .and_then(|(root, start)| Some(start.strip_prefix(root).ok()?.to_str()?.to_owned()));
    below.unwrap_or_default()
}

/// Git, called in the root of the tree. Below it, `git apply` passes over what lies elsewhere, and says nothing.
pub fn git_in_root(below: &str) -> String {
    if below.is_empty() {
        return "git".to_owned();
    }
    let up = vec![".."; below.split('/').count()].join("/");
    format!("git -C {up}")
}

/// The same path from where the user stands, after the one from the root.
pub fn places(path: &str, below: &str) -> Vec<String> {
    let mut places = vec![path.to_owned()];
    if !below.is_empty() {
        places.push(format!("{below}/{path}"));
    }
    places
}

pub fn has(version: &Version, path: &str) -> bool {
    version.paths().any(|(other, _)| other == path)
}

/// The places in the trees that the words of `--carry` name. The version that they are taken from has a name.
pub fn carried_places(
    words: &[String],
    (bad, name): (&Version, &str),
    below: &str,
) -> Result<Vec<String>, Failure> {
    let mut carried = Vec::new();
    for word in words {
        let path = tree_path(OsStr::new(word))
            .ok_or_else(|| Failure::usage(format!("--carry {word} is no path in the tree")))?;
        let place = places(&path, below).into_iter().find(|place| {
            let mut paths = bad.paths();
            paths.any(|(path, _)| is_at_or_below(path, place))
        });
        let Some(place) = place else {
            return Err(
                Failure::usage(format!("{name} has no {path} to be carried")).hint(format!(
                    "--carry takes a path of {name}, from the root of its tree"
                )),
            );
        };
        carried.push(place);
    }
    Ok(carried)
}

/// The places in the trees that the words of `--only` name.
pub fn only_places(
    words: &[String],
    versions: [&Version; 2],
    below: &str,
) -> Result<Vec<String>, Failure> {
    let mut only = Vec::new();
    for word in words {
        let unknown = || {
            Failure::usage(format!("neither version has {word}"))
                .hint("--only takes a path from the root of the trees")
        };
        let path = tree_path(OsStr::new(word)).ok_or_else(unknown)?;
        let is_there = |place: &String| {
            let mut paths = versions.iter().flat_map(|version| version.paths());
            paths.any(|(path, _)| is_at_or_below(path, place))
        };
        only.push(
            places(&path, below)
                .into_iter()
                .find(is_there)
                .ok_or_else(unknown)?,
        );
    }
    Ok(only)
}
