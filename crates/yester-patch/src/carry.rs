//! Moving changes to another version, by a three-way merge of each file.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::atom::cut;
use crate::difference::AtomSet;
use crate::line::{Hunk, LineEnds, hunks, is_text};
use crate::rename::similarity;
use crate::renamed_path::RenamedPaths;
use crate::space::chosen;
use crate::{ChangeSpace, FileState, PatchError, Version, VersionDifference};

/// What became of changes that were to be moved to another version.
pub enum Carriage {
    /// They are this difference there.
    Moved(VersionDifference),
    /// The version has all of it already.
    Present,
    /// The version has changed in the same places.
    Conflict,
}

impl Carriage {
    /// The difference, if there is one.
    pub fn moved(self) -> Option<VersionDifference> {
        match self {
            Carriage::Moved(difference) => Some(difference),
            Carriage::Present | Carriage::Conflict => None,
        }
    }
}

/// A file at its path.
type FileAt = (String, FileState);

/// Files before and after the changes.
#[derive(Default)]
struct Carried {
    before: Vec<FileAt>,
    after: Vec<FileAt>,
}

impl ChangeSpace {
    /// What the step from one set of atoms to another does to another version, as a difference of that version. A file
    /// that the version does not have may go by another name there: `renames` tells it, or else one that is alike.
    pub(crate) fn carry(
        &self,
        (from, to): (&AtomSet, &AtomSet),
        onto: &Version,
        renames: &BTreeMap<String, String>,
    ) -> Result<Carriage, PatchError> {
        let mut carried = Carried::default();
        let renames = &RenamedPaths::new(renames);
        for change in &self.difference().changes {
            let (from, to) = (chosen(change, from), chosen(change, to));
            if from == to {
                continue;
            }
            let owned = |(path, state): (&str, FileState)| (path.to_owned(), state);
            let (old, new) = (change.state(&from).map(owned), change.state(&to).map(owned));
            let new = new.map(|new| renames.rewritten(old.as_ref(), new));
            if old != new && !carried.file(old, new, onto, renames)? {
                return Ok(Carriage::Conflict);
            }
        }
        if carried.before == carried.after {
            return Ok(Carriage::Present);
        }
        let (before, after) = (Version::of(carried.before), Version::of(carried.after));
        VersionDifference::between(&before, &after).map(Carriage::Moved)
    }
}

impl Carried {
    /// Does to a file of another version what happens from `old` to `new`. False if that is not possible.
    fn file(
        &mut self,
        old: Option<FileAt>,
        new: Option<FileAt>,
        onto: &Version,
        renames: &RenamedPaths<'_>,
    ) -> Result<bool, PatchError> {
        let at = |path: &str| onto.state(path);
        match (old, new) {
            (None, Some((path, state))) => match at(&path)? {
                None => self.after.push((path, state)),
                Some(there) => return Ok(there == state),
            },
            (Some((path, state)), None) => match at(&path)? {
                Some(there) if there == state => self.before.push((path, there)),
                there => return Ok(there.is_none()),
            },
            (Some(old), Some(new)) => {
                let Some((path, there)) = counterpart(&old, onto, renames)? else {
                    return Ok(false);
                };
                let Some(state) = merged(&old.1, &there, &new.1) else {
                    return Ok(false);
                };
                let new_path = if old.0 == new.0 { path.clone() } else { new.0 };
                if new_path != path && at(&new_path)?.is_some() {
                    return Ok(false);
                }
                self.before.push((path, there));
                self.after.push((new_path, state));
            }
            (None, None) => {}
        }
        Ok(true)
    }
}

/// The file of another version that is this one: at the same path, or at the one that it had there, or else of the same
/// name and mostly alike.
fn counterpart(
    (path, state): &FileAt,
    onto: &Version,
    renames: &RenamedPaths<'_>,
) -> Result<Option<FileAt>, PatchError> {
    for path in [Some(path), renames.paths.get(path)].into_iter().flatten() {
        if let Some(there) = onto.state(path)? {
            return Ok(Some((path.clone(), there)));
        }
    }
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let mut best: Option<(u32, FileAt)> = None;
    for (other, _) in onto.paths().filter(|(other, _)| name(other) == name(path)) {
        let Some(there) = onto.state(other)? else {
            continue;
        };
        let alike = similarity(&state.content, &there.content);
        if alike >= 50 && best.as_ref().is_none_or(|(most, _)| alike > *most) {
            best = Some((alike, (other.to_owned(), there)));
        }
    }
    Ok(best.map(|(_, file)| file))
}

/// A file with what two sides have made of its base. Nothing if they have changed the same lines.
fn merged(base: &FileState, ours: &FileState, theirs: &FileState) -> Option<FileState> {
    let kind = match (base.kind == theirs.kind, base.kind == ours.kind) {
        (true, _) => ours.kind,
        (_, true) => theirs.kind,
        _ if ours.kind == theirs.kind => ours.kind,
        _ => return None,
    };
    let content = if base.content == theirs.content || ours.content == theirs.content {
        ours.content.clone()
    } else if base.content == ours.content {
        theirs.content.clone()
    } else {
        let is_mergeable = [base, ours, theirs]
            .iter()
            .all(|side| side.kind.is_file() && is_text(&side.content));
        if !is_mergeable {
            return None;
        }
        let texts = (&*base.content, &*ours.content, &*theirs.content);
        let merged = merged_lines(texts, Cut::Hunks);
        merged
            .or_else(|| merged_lines(texts, Cut::Lines))
            .or_else(|| merged_loosely(texts.0, texts.1, texts.2))?
            .into()
    };
    Some(FileState { kind, content })
}

/// How fine the changes are that are merged.
#[derive(Clone, Copy)]
enum Cut {
    Hunks,
    /// Lines that became similar ones, each by itself: of two that are next to each other, the sides may have changed one each.
    Lines,
}

/// Hunks cut at the lines that became similar ones.
fn line_by_line(hunks: &[Hunk], old: (&[u8], &LineEnds), new: (&[u8], &LineEnds)) -> Vec<Hunk> {
    let mut finer = Vec::new();
    for hunk in hunks {
        let (mut left, mut right) = (hunk.old.start, hunk.new.start);
        let mut upto = |old: &Range<u32>, new: &Range<u32>, finer: &mut Vec<Hunk>| {
            let (before, after) = (left..old.start, right..new.start);
            if !before.is_empty() || !after.is_empty() {
                finer.push(Hunk {
                    old: before,
                    new: after,
                });
            }
            (left, right) = (old.end, new.end);
        };
        for edit in cut(hunk, 0, old, new) {
            if !edit.old.is_empty() && !edit.new.is_empty() {
                upto(&edit.old, &edit.new, &mut finer);
                finer.push(Hunk {
                    old: edit.old,
                    new: edit.new,
                });
            }
        }
        let end = |range: &Range<u32>| range.end..range.end;
        upto(&end(&hunk.old), &end(&hunk.new), &mut finer);
    }
    finer
}

/// The lines of a text with the changes of both sides. Nothing if these overlap, or add lines in the same place. That
/// they touch each other is no obstacle: whatever is merged is tested.
fn merged_lines((base, ours, theirs): (&[u8], &[u8], &[u8]), cut: Cut) -> Option<Vec<u8>> {
    let (base_ends, our_ends, their_ends) =
        (LineEnds::of(base), LineEnds::of(ours), LineEnds::of(theirs));
    let edits = |text: &[u8], ends: &LineEnds| {
        let hunks = hunks(base, text);
        match cut {
            Cut::Hunks => hunks,
            Cut::Lines => line_by_line(&hunks, (base, &base_ends), (text, ends)),
        }
    };
    let sides = [
        (edits(ours, &our_ends), ours, &our_ends),
        (edits(theirs, &their_ends), theirs, &their_ends),
    ];
    let mut edits: Vec<(&Hunk, &[u8])> = Vec::new();
    for (hunks, text, ends) in &sides {
        edits.extend(
            hunks
                .iter()
                .map(|hunk| (hunk, &text[ends.bytes(&hunk.new)])),
        );
    }
    edits.sort_by_key(|(hunk, _)| (hunk.old.start, hunk.old.end));
    // Both have done the same.
    edits.dedup_by(|one, other| one.0.old == other.0.old && one.1 == other.1);
    let overlap = |pair: &[(&Hunk, &[u8])]| {
        let (one, other) = (&pair[0].0.old, &pair[1].0.old);
        other.start < one.end || one == other
    };
    let is_of_both = |pair: &[(&Hunk, &[u8])]| {
        let of_ours = |hunk: &Hunk| sides[0].0.iter().any(|own| std::ptr::eq(own, hunk));
        of_ours(pair[0].0) != of_ours(pair[1].0)
    };
    if edits
        .windows(2)
        .any(|pair| overlap(pair) && is_of_both(pair))
    {
        return None;
    }
    let mut merged = Vec::with_capacity(ours.len().max(theirs.len()));
    let mut at = 0;
    for (hunk, text) in edits {
        merged.extend_from_slice(&base[base_ends.bytes(&(at..hunk.old.start))]);
        merged.extend_from_slice(text);
        at = hunk.old.end;
    }
    merged.extend_from_slice(&base[base_ends.bytes(&(at..base_ends.len()))]);
    Some(merged)
}

/// The same where our side has changed the white space of lines that theirs touches: our white space stays, and what theirs
/// brings is indented as the lines around it are.
fn merged_loosely(base: &[u8], ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let (base_ends, our_ends, their_ends) =
        (LineEnds::of(base), LineEnds::of(ours), LineEnds::of(theirs));
    let our_hunks = hunks(&without_blanks(base), &without_blanks(ours));
    // Where a line of the base is in ours, if it is there.
    let place = |line: u32| {
        let mut shift = 0;
        for hunk in &our_hunks {
            if line < hunk.old.start {
                break;
            }
            if hunk.old.contains(&line) {
                return None;
            }
            shift = i64::from(hunk.new.end) - i64::from(hunk.old.end);
        }
        u32::try_from(i64::from(line) + shift).ok()
    };
    let mut merged = Vec::with_capacity(ours.len().max(theirs.len()));
    let mut at = 0;
    for hunk in hunks(base, theirs) {
        let is_clear = |own: &Hunk| {
            let (own, other) = (&own.old, &hunk.old);
            own.end < other.start || other.end < own.start
        };
        // An edge of ours at the edge of theirs leaves open where things go.
        if !our_hunks.iter().all(is_clear) {
            return None;
        }
        let lines = base_ends.len();
        let start = match hunk.old.start {
            0 => 0,
            start => place(start - 1)? + 1,
        };
        let end = start + (hunk.old.end - hunk.old.start);
        let near = (hunk.old.start..hunk.old.end)
            .chain(hunk.old.start.checked_sub(1))
            .chain((hunk.old.end < lines).then_some(hunk.old.end));
        let (mut before, mut after): (&[u8], &[u8]) = (b"", b"");
        for line in near {
            let old = &base[base_ends.bytes(&(line..line + 1))];
            if let Some(there) = place(line).filter(|_| !old.trim_ascii().is_empty()) {
                before = indentation(old);
                after = indentation(&ours[our_ends.bytes(&(there..there + 1))]);
                break;
            }
        }
        merged.extend_from_slice(&ours[our_ends.bytes(&(at..start))]);
        for line in hunk.new.clone() {
            let line = &theirs[their_ends.bytes(&(line..line + 1))];
            match line.strip_prefix(before) {
                Some(rest) => merged.extend([after, rest].concat()),
                None => merged.extend_from_slice(line),
            }
        }
        at = end;
    }
    merged.extend_from_slice(&ours[our_ends.bytes(&(at..our_ends.len()))]);
    Some(merged)
}

/// A text without the white space in its lines.
fn without_blanks(text: &[u8]) -> Vec<u8> {
    let is_kept = |byte: &u8| *byte == b'\n' || !byte.is_ascii_whitespace();
    text.iter().copied().filter(is_kept).collect()
}

fn indentation(line: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| *byte == b' ' || *byte == b'\t';
    let end = line.iter().position(|byte| !is_blank(byte));
    &line[..end.unwrap_or(line.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeltaLevel, FileKind};

    fn file(text: &str) -> FileState {
        FileState {
            kind: FileKind::File,
            content: text.as_bytes().into(),
        }
    }

    fn version(files: &[(&str, &str)]) -> Version {
        Version::of(
            files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), file(text))),
        )
    }

    /// What all of the step between two versions makes of a third one.
    fn carried(
        old: &[(&str, &str)],
        new: &[(&str, &str)],
        onto: &[(&str, &str)],
    ) -> Option<Vec<(String, String)>> {
        let difference =
            VersionDifference::between(&version(old), &version(new)).expect("a difference");
        let space = ChangeSpace::new(difference, DeltaLevel::Hunk, None);
        let atoms = space.difference().atoms();
        let step = (&AtomSet::empty(atoms), &AtomSet::full(atoms));
        let carriage = space.carry(step, &version(onto), &BTreeMap::new());
        let difference = carriage.expect("a merge").moved()?;
        let files = difference
            .changes
            .iter()
            .filter_map(|change| change.new.as_ref());
        let text = |state: &FileState| String::from_utf8_lossy(&state.content).into_owned();
        Some(
            files
                .map(|(path, state)| (path.clone(), text(state)))
                .collect(),
        )
    }

    fn one(path: &str, text: &str) -> Option<Vec<(String, String)>> {
        Some(vec![(path.to_owned(), text.to_owned())])
    }

    #[test]
    fn a_change_finds_its_lines_where_others_have_moved_them() {
        let (old, new) = ("1\n2\n3\n4\n5\n", "1\n2\n3\nfour\n5\n");
        assert_eq!(
            carried(
                &[("a", old)],
                &[("a", new)],
                &[("a", "0\n0\n1\n2\n3\n4\n5\n")]
            ),
            one("a", "0\n0\n1\n2\n3\nfour\n5\n")
        );
        // Without the line at the end.
        assert_eq!(
            carried(
                &[("a", "x\ny\nz")],
                &[("a", "x\ny\nZ")],
                &[("a", "X\ny\nz")]
            ),
            one("a", "X\ny\nZ")
        );
    }

    #[test]
    fn changes_of_the_same_lines_conflict() {
        for onto in ["1\n2\nIII\n4\n", "1\n2\n4\n", "1\n4\n"] {
            let change = carried(
                &[("a", "1\n2\n3\n4\n")],
                &[("a", "1\n2\nthree\n4\n")],
                &[("a", onto)],
            );
            assert_eq!(change, None, "{onto:?}");
        }
    }

    #[test]
    fn white_space_of_the_lines_around_does_not_conflict() {
        let old = "if a:\n    b = 1\n    c = 2\n";
        let new = "if a:\n    b = 1\n    if b:\n        d()\n    c = 3\n";
        assert_eq!(
            carried(
                &[("a", old)],
                &[("a", new)],
                &[("a", "if a:\n\tb = 1\n\tc  =  2\n")]
            ),
            one("a", "if a:\n\tb = 1\n\tif b:\n\t    d()\n\tc = 3\n")
        );
        let onto = "if a:\n\tb = 1\n\tc = 4\n";
        assert_eq!(carried(&[("a", old)], &[("a", new)], &[("a", onto)]), None);
    }

    #[test]
    fn of_neighbouring_lines_each_side_may_have_changed_one() {
        let old = "if part or True:\n    word = part.strip()\n";
        let new = "if part:\n    word = part.rstrip()\n";
        let onto = "if part:\n    word = part.strip()\n";
        assert_eq!(
            carried(&[("a", old)], &[("a", new)], &[("a", onto)]),
            one("a", new)
        );
    }

    #[test]
    fn a_renamed_file_is_found_by_its_old_name() {
        let difference = VersionDifference::between(
            &version(&[("new.c", "1\n2\n")]),
            &version(&[("new.c", "1\n3\n")]),
        );
        let space = ChangeSpace::new(difference.expect("a difference"), DeltaLevel::Hunk, None);
        let atoms = space.difference().atoms();
        let step = (&AtomSet::empty(atoms), &AtomSet::full(atoms));
        let renames = BTreeMap::from([("new.c".to_owned(), "old.c".to_owned())]);
        let onto = version(&[("old.c", "0\n1\n2\n"), ("other.c", "1\n2\n")]);
        let carriage = space.carry(step, &onto, &renames).expect("a merge");
        let difference = carriage.moved().expect("no conflict");
        let new = difference.changes[0].new.as_ref().expect("a file");
        assert_eq!(
            (new.0.as_str(), &*new.1.content),
            ("old.c", &b"0\n1\n3\n"[..])
        );
    }

    #[test]
    fn changes_of_neighbouring_lines_do_not_conflict() {
        let (old, new) = ([("a", "1\n2\n3\n")], [("a", "1\ntwo\n3\n")]);
        for (onto, merged) in [
            ("I\n2\n3\n", "I\ntwo\n3\n"),
            ("1\nnew\n2\n3\n", "1\nnew\ntwo\n3\n"),
            ("1\n2\nnew\n3\n", "1\ntwo\nnew\n3\n"),
        ] {
            assert_eq!(carried(&old, &new, &[("a", onto)]), one("a", merged));
        }
    }

    #[test]
    fn what_is_there_already_is_no_change() {
        let (old, new) = ([("a", "1\n2\n")], [("a", "1\ntwo\n")]);
        assert_eq!(carried(&old, &new, &new), None);
        assert_eq!(carried(&[], &[("n", "x\n")], &[("n", "x\n")]), None);
    }

    #[test]
    fn a_file_is_found_under_another_directory() {
        let text = "alpha\nbeta\ngamma\ndelta\n";
        assert_eq!(
            carried(
                &[("src/a.c", text)],
                &[("src/a.c", "alpha\nbeta\ngamma\nDELTA\n")],
                &[("lib/a.c", text), ("lib/b.c", "other\n")]
            ),
            one("lib/a.c", "alpha\nbeta\ngamma\nDELTA\n")
        );
    }

    #[test]
    fn files_come_and_go_where_nothing_else_is_in_the_way() {
        assert_eq!(
            carried(&[], &[("n", "x\n")], &[("m", "y\n")]),
            one("n", "x\n")
        );
        assert_eq!(carried(&[], &[("n", "x\n")], &[("n", "y\n")]), None);
        assert_eq!(
            carried(&[("n", "x\n")], &[], &[("n", "x\n")]),
            Some(Vec::new())
        );
        assert_eq!(carried(&[("n", "x\n")], &[], &[("n", "y\n")]), None);
    }
}
