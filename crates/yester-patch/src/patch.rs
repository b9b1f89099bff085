//! Writes subsets as patches in git's format, for `git apply` and `patch -p1`.

use std::fs;
use std::path::Path;

use crate::git::Git;
use crate::line::{Hunk, LineEnds, hunks, is_text};
use crate::rename::similarity;
use crate::space::chosen;
use crate::{AtomSet, ChangeSpace, FileKind, FileState, PatchError};

/// Unchanged lines around each hunk.
const CONTEXT: u32 = 3;

/// A file at its path, or nothing.
type FileAtPath<'a> = Option<(&'a str, FileState)>;

/// The patch from GOOD to GOOD with some atoms.
pub fn culprit_patch(space: &ChangeSpace, atoms: &AtomSet) -> Result<Vec<u8>, PatchError> {
    write(space, &AtomSet::empty(atoms.universe()), atoms)
}

/// The patch from BAD to BAD without some atoms.
pub fn fix_patch(space: &ChangeSpace, atoms: &AtomSet) -> Result<Vec<u8>, PatchError> {
    let all = AtomSet::full(atoms.universe());
    write(space, &all, &all.difference(atoms))
}

/// The patch from one set of atoms to another.
pub fn write(space: &ChangeSpace, from: &AtomSet, to: &AtomSet) -> Result<Vec<u8>, PatchError> {
    let mut patch = Vec::new();
    for change in &space.difference().changes {
        let (before, after) = (chosen(change, from), chosen(change, to));
        if before != after {
            section(&mut patch, change.state(&before), change.state(&after))?;
        }
    }
    Ok(patch)
}

/// Applies a patch to the files of a directory, whatever repository is around it.
pub fn apply(patch: &Path, directory: &Path) -> Result<(), PatchError> {
    let git = Git::alone()?;
    let absolute = |path: &Path| {
        path.canonicalize().map_err(|source| PatchError::Read {
            path: path.to_owned(),
            source,
        })
    };
    let mut command = git.command(&["apply", "--whitespace=nowarn"]);
    command
        .arg(absolute(patch)?)
        .current_dir(absolute(directory)?);
    git.run(command, "apply").map(drop)
}

/// What happens to one file.
fn section(
    patch: &mut Vec<u8>,
    old: FileAtPath<'_>,
    new: FileAtPath<'_>,
) -> Result<(), PatchError> {
    if old == new {
        return Ok(());
    }
    if let (Some((_, one)), Some((_, other))) = (&old, &new)
        && !(one.kind.is_file() && other.kind.is_file())
        && (one.kind != other.kind || one.kind == FileKind::Symlink)
    {
        // Git writes a change of type as a deleted and a created file. For a symbolic link, `patch` needs the mode, which
        // only deleted and created files have.
        section(patch, old, None)?;
        return section(patch, None, new);
    }
    let (old_path, new_path) = match (&old, &new) {
        (Some((old, _)), Some((new, _))) => (*old, *new),
        (Some((path, _)), None) | (None, Some((path, _))) => (*path, *path),
        (None, None) => return Ok(()),
    };
    let mut line = |text: String| patch.extend_from_slice(format!("{text}\n").as_bytes());
    line(format!(
        "diff --git {} {}",
        quoted("a/", old_path),
        quoted("b/", new_path)
    ));
    match (&old, &new) {
        (None, Some((_, state))) => line(format!("new file mode {}", state.kind.mode())),
        (Some((_, state)), None) => line(format!("deleted file mode {}", state.kind.mode())),
        (Some((_, one)), Some((_, other))) => {
            if one.kind != other.kind {
                line(format!("old mode {}", one.kind.mode()));
                line(format!("new mode {}", other.kind.mode()));
            }
            if old_path != new_path {
                let percent = similarity(&one.content, &other.content);
                line(format!("similarity index {percent}%"));
                line(format!("rename from {}", quoted("", old_path)));
                line(format!("rename to {}", quoted("", new_path)));
            }
        }
        (None, None) => {}
    }
    let (one, other) = (text(&old), text(&new));
    if one == other {
        return Ok(());
    }
    if !is_text(&one) || !is_text(&other) {
        return binary(patch, &old, &new);
    }
    let name = |side: &FileAtPath<'_>, prefix| match side {
        // A tab ends a name with blanks in it.
        Some((path, _)) if path.contains(' ') => quoted(prefix, path) + "\t",
        Some((path, _)) => quoted(prefix, path),
        None => "/dev/null".to_owned(),
    };
    line(format!("--- {}", name(&old, "a/")));
    line(format!("+++ {}", name(&new, "b/")));
    write_hunks(patch, &one, &other);
    Ok(())
}

/// The content of a side as a patch shows it.
fn text(side: &FileAtPath<'_>) -> Vec<u8> {
    match side {
        None => Vec::new(),
        Some((_, state)) if state.kind == FileKind::Submodule => {
            [b"Subproject commit ", &*state.content, b"\n"].concat()
        }
        Some((_, state)) => state.content.to_vec(),
    }
}

/// A path as git writes it: quoted and escaped if anything in it might mislead.
fn quoted(prefix: &str, path: &str) -> String {
    let special =
        |character: char| character.is_ascii_control() || character == '"' || character == '\\';
    if !path.contains(special) {
        return format!("{prefix}{path}");
    }
    let mut quoted = format!("\"{prefix}");
    for character in path.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if character.is_ascii_control() => {
                quoted.push_str(&format!("\\{:03o}", character as u32));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

fn write_hunks(patch: &mut Vec<u8>, old: &[u8], new: &[u8]) {
    let (old_lines, new_lines) = (LineEnds::of(old), LineEnds::of(new));
    let put = |patch: &mut Vec<u8>,
               sign: u8,
               text: &[u8],
               lines: &LineEnds,
               range: std::ops::Range<u32>| {
        for line in range {
            let line = &text[lines.bytes(&(line..line + 1))];
            patch.push(sign);
            patch.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                patch.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    };
    let hunks = hunks(old, new);
    // Hunks whose contexts touch are written as one.
    for group in hunks.chunk_by(|one, next| next.old.start - one.old.end <= 2 * CONTEXT) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let before = first.old.start.min(CONTEXT);
        let after = (old_lines.len() - last.old.end).min(CONTEXT);
        let range = |start: u32, end: u32| match end - start {
            0 => format!("{start},0"),
            count => format!("{},{count}", start + 1),
        };
        let header = format!(
            "@@ -{} +{} @@\n",
            range(first.old.start - before, last.old.end + after),
            range(first.new.start - before, last.new.end + after),
        );
        patch.extend_from_slice(header.as_bytes());
        let mut at = first.old.start - before;
        for Hunk {
            old: removed,
            new: added,
        } in group
        {
            put(patch, b' ', old, &old_lines, at..removed.start);
            put(patch, b'-', old, &old_lines, removed.clone());
            put(patch, b'+', new, &new_lines, added.clone());
            at = removed.end;
        }
        put(patch, b' ', old, &old_lines, at..at + after);
    }
}

/// Writes a binary file, with what git prints after the names.
fn binary(
    patch: &mut Vec<u8>,
    old: &FileAtPath<'_>,
    new: &FileAtPath<'_>,
) -> Result<(), PatchError> {
    let git = Git::alone()?;
    let place = |name: &'static str, side: &FileAtPath<'_>| -> Result<&str, PatchError> {
        let Some((_, state)) = side else {
            return Ok("/dev/null");
        };
        let path = git.home().join(name);
        fs::write(&path, &state.content).map_err(|source| PatchError::Write { path, source })?;
        Ok(name)
    };
    let output = git.difference(&[
        "--binary",
        "--full-index",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--",
        place("old", old)?,
        place("new", new)?,
    ])?;
    let start = output.windows(7).position(|window| window == b"\nindex ");
    let Some(start) = start else {
        let message = "it found no difference".to_owned();
        return Err(git.complaint("diff --no-index".to_owned(), message));
    };
    patch.extend_from_slice(&output[start + 1..]);
    Ok(())
}
