//! Paths in the trees of the versions, and what the user says of them: `--carry` and `--only`.

use std::ffi::OsStr;
use std::path::Path;

use yester_core::Candidate;
use yester_patch::{
    AtomSet, ChangeSpace, DeltaLevel, Entries, PatchError, Repository, Version, VersionDifference,
};

use super::answer::version;
use super::side::Side;
use crate::failure::Failure;

/// Where in the trees the user stands: git's revisions are whole trees, wherever in one it is called.
pub fn below(start: &Path, repository: Option<&Repository>, good: &Side, bad: &Side) -> String {
    if good.commit().is_none() && bad.commit().is_none() {
        return String::new();
    }
    let root = repository.and_then(|repository| repository.directory().canonicalize().ok());
    let start = start.canonicalize().ok();
    let below = root
        .zip(start)
        .and_then(|(root, start)| Some(start.strip_prefix(root).ok()?.to_str()?.to_owned()));
    below.unwrap_or_default()
}

/// A relative path that a word may be, from the root of the tree.
pub fn tree_path(word: &OsStr) -> Option<String> {
    let path = Path::new(word);
    if path.is_absolute() {
        return None;
    }
    let mut parts = Vec::new();
    for part in path.components() {
        match part {
            std::path::Component::Normal(name) => parts.push(name.to_str()?),
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                parts.pop()?;
            }
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
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

/// The places in the trees that the words of `--carry` name.
pub fn carried_places(words: &[String], bad: &Side, below: &str) -> Result<Vec<String>, Failure> {
    let mut carried = Vec::new();
    for word in words {
        let path = tree_path(OsStr::new(word))
            .ok_or_else(|| Failure::usage(format!("--carry {word} is no path in the tree")))?;
        let place = places(&path, below).into_iter().find(|place| {
            let mut paths = bad.version.paths();
            paths.any(|(path, _)| lies_there(place, path))
        });
        let Some(place) = place else {
            return Err(
                Failure::usage(format!("{} has no {path} to be carried", bad.word))
                    .hint("--carry takes a path of BAD, from the root of its tree"),
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
            paths.any(|(path, _)| lies_there(place, path))
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

/// What differs at some places, if there are any, and what BAD has elsewhere.
pub fn limited_difference(
    good: &Version,
    bad: &Version,
    only: &[String],
) -> Result<(VersionDifference, Entries), PatchError> {
    let difference = VersionDifference::between;
    if only.is_empty() {
        return Ok((difference(good, bad)?, Entries::new()));
    }
    let (mut good_there, mut bad_there) = (good.clone(), bad.clone());
    let (mut good_elsewhere, mut bad_elsewhere) = (good.clone(), bad.clone());
    for version in [&mut good_there, &mut bad_there] {
        version.keep(only);
    }
    for version in [&mut good_elsewhere, &mut bad_elsewhere] {
        for place in only {
            version.remove(place);
        }
    }
    let elsewhere = difference(&good_elsewhere, &bad_elsewhere)?;
    let all = AtomSet::full(elsewhere.atoms());
    let elsewhere = ChangeSpace::new(elsewhere, DeltaLevel::File, None);
    let beyond = match version(&elsewhere, &all) {
        Ok(Candidate::Tree(entries)) => entries,
        _ => Entries::new(),
    };
    Ok((difference(&good_there, &bad_there)?, beyond))
}

/// Gives a version what BAD has at some places.
pub fn carry(places: &[String], version: &mut Version, bad: &Version) -> Result<(), PatchError> {
    for place in places {
        version.remove(place);
        for (path, _) in bad.paths().filter(|(path, _)| lies_there(place, path)) {
            if let Some(state) = bad.state(path)? {
                version.put(path, state);
            }
        }
    }
    Ok(())
}

/// Whether a path is this place or below it.
fn lies_there(place: &str, path: &str) -> bool {
    path.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
