//! Which deleted file became which added file.

use std::collections::HashMap;

use yester_core::Hash;

use crate::FileState;
use crate::line::{LineEnds, is_text};

/// A line that is in this many deleted files tells nothing about where a file comes from.
const COMMON: usize = 16;

/// How many deleted files are compared with an added file: those that share most lines with it.
const CANDIDATES: usize = 4;

/// Deleted and added files that are the same file: first equal ones, then those with half of their bytes in common. Returns
/// positions in the two lists.
pub(crate) fn renames(
    deleted: &[(String, FileState)],
    added: &[(String, FileState)],
) -> Vec<(usize, usize)> {
    let mut renames = Vec::new();
    let mut is_taken = (vec![false; deleted.len()], vec![false; added.len()]);
    let mut take = |pairs: Vec<(usize, usize)>| {
        for (old, new) in pairs {
            if !is_taken.0[old] && !is_taken.1[new] {
                (is_taken.0[old], is_taken.1[new]) = (true, true);
                renames.push((old, new));
            }
        }
        is_taken.clone()
    };
    let (old_taken, new_taken) = take(equal_pairs(deleted, added));
    take(similar_pairs(deleted, added, &old_taken, &new_taken));
    renames.sort_unstable();
    renames
}

fn may_be_renamed(state: &FileState) -> bool {
    state.kind.is_file() && !state.content.is_empty()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Pairs with equal contents, those with equal names first.
fn equal_pairs(
    deleted: &[(String, FileState)],
    added: &[(String, FileState)],
) -> Vec<(usize, usize)> {
    let mut by_content: HashMap<Hash, Vec<usize>> = HashMap::new();
    for (old, (_, state)) in deleted.iter().enumerate() {
        if may_be_renamed(state) {
            let equal = by_content.entry(Hash::of(&state.content)).or_default();
            equal.push(old);
        }
    }
    let mut pairs = Vec::new();
    let mut open: Vec<usize> = (0..added.len()).collect();
    open.retain(|new| may_be_renamed(&added[*new].1));
    for by_name in [true, false] {
        open.retain(|new| {
            let (path, state) = &added[*new];
            let fits = |old: &usize| !by_name || name(&deleted[*old].0) == name(path);
            let found = by_content
                .get_mut(&Hash::of(&state.content))
                .and_then(|equal| Some(equal.remove(equal.iter().position(fits)?)));
            pairs.extend(found.map(|old| (old, *new)));
            found.is_none()
        });
    }
    pairs
}

/// Pairs of texts with much in common, the most similar first.
fn similar_pairs(
    deleted: &[(String, FileState)],
    added: &[(String, FileState)],
    old_taken: &[bool],
    new_taken: &[bool],
) -> Vec<(usize, usize)> {
    let is_open =
        |state: &FileState, taken: bool| !taken && may_be_renamed(state) && is_text(&state.content);
    let mut with_line: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (old, (_, state)) in deleted.iter().enumerate() {
        if is_open(state, old_taken[old]) {
            for line in lines(&state.content) {
                let files = with_line.entry(line).or_default();
                if files.len() <= COMMON && files.last() != Some(&old) {
                    files.push(old);
                }
            }
        }
    }
    let mut scored = Vec::new();
    for (new, (path, state)) in added.iter().enumerate() {
        if with_line.is_empty() || !is_open(state, new_taken[new]) {
            continue;
        }
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for line in lines(&state.content) {
            let files = with_line.get(line).map_or(&[][..], Vec::as_slice);
            if files.len() <= COMMON {
                files
                    .iter()
                    .for_each(|old| *shared.entry(*old).or_default() += line.len());
            }
        }
        let mut candidates: Vec<(usize, usize)> = shared.into_iter().collect();
        candidates.sort_by_key(|(old, bytes)| (std::cmp::Reverse(*bytes), *old));
        for (old, _) in candidates.into_iter().take(CANDIDATES) {
            let similarity = similarity(&deleted[old].1.content, &state.content);
            if similarity >= 50 {
                let same_name = name(&deleted[old].0) == name(path);
                scored.push((std::cmp::Reverse((similarity, same_name)), old, new));
            }
        }
    }
    scored.sort_unstable();
    scored.into_iter().map(|(_, old, new)| (old, new)).collect()
}

/// What percentage of the longer text is in lines that both have.
pub(crate) fn similarity(old: &[u8], new: &[u8]) -> u32 {
    let mut counts: HashMap<&[u8], usize> = HashMap::new();
    lines(old).for_each(|line| *counts.entry(line).or_default() += 1);
    let mut shared = 0;
    for line in lines(new) {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            shared += line.len();
        }
    }
    (100 * shared)
        .checked_div(old.len().max(new.len()))
        .unwrap_or(100) as u32
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = LineEnds::of(text);
    (0..ends.len()).map(move |line| &text[ends.bytes(&(line..line + 1))])
}
