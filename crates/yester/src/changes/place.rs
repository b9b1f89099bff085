//! Where in the trees of two versions the user stands, and what `--only` leaves of their difference.

use std::ffi::OsStr;
use std::path::Path;

use yester_core::Candidate;
use yester_patch::{
    AtomSet, ChangeSpace, DeltaLevel, Entries, PatchError, Repository, Version, VersionDifference,
};

use crate::failure::Failure;
use crate::versions::{Side, lies_there, places, tree_path, version};

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
