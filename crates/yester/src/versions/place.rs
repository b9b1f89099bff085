//! Paths in the trees of the versions, and those that `--carry` names.

use std::ffi::OsStr;
use std::path::Path;

use yester_patch::{PatchError, Version};

use crate::failure::Failure;

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
            paths.any(|(path, _)| lies_there(place, path))
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
pub fn lies_there(place: &str, path: &str) -> bool {
    path.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
