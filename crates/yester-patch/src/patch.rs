//! Writes subsets as patches in git's format, for `git apply` and `patch -p1`.

use std::fs;
use std::ops::Range;
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
    for section in sections(space, from, to)? {
        patch.extend(section.header);
        patch.extend(section.hunks.into_iter().flat_map(|hunk| hunk.text));
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

/// What a patch does to one file.
pub struct PatchSection {
    /// The path, as a `ChangeSpan` has it.
    pub path: String,
    /// What stands before the hunks, or all of it for a file that has none: one that is not text, or keeps its content.
    pub header: Vec<u8>,
    /// The changed lines.
    pub hunks: Vec<PatchHunk>,
}

/// Changed lines and those around them.
pub struct PatchHunk {
    /// Which lines of the version before it has, counted from 0.
    pub old: Range<u32>,
    /// Its lines, with the one that says where it is.
    pub text: Vec<u8>,
}

/// The same patch, file by file and hunk by hunk.
pub fn sections(
    space: &ChangeSpace,
    from: &AtomSet,
    to: &AtomSet,
) -> Result<Vec<PatchSection>, PatchError> {
    let mut sections = Vec::new();
    for change in &space.difference().changes {
        let (before, after) = (chosen(change, from), chosen(change, to));
        if before != after {
            let path = change.path();
            section(
                &mut sections,
                path,
                change.state(&before),
                change.state(&after),
            )?;
        }
    }
    Ok(sections)
}

/// What happens to one file.
fn section(
    sections: &mut Vec<PatchSection>,
    path: &str,
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
        section(sections, path, old, None)?;
        return section(sections, path, None, new);
    }
    let (old_path, new_path) = match (&old, &new) {
        (Some((old, _)), Some((new, _))) => (*old, *new),
        (Some((path, _)), None) | (None, Some((path, _))) => (*path, *path),
        (None, None) => return Ok(()),
    };
    let mut header = Vec::new();
    let mut line = |text: String| header.extend_from_slice(format!("{text}\n").as_bytes());
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
    let mut hunks = Vec::new();
    if one != other && is_text(&one) && is_text(&other) {
        let name = |side: &FileAtPath<'_>, prefix| match side {
            // A tab ends a name with blanks in it.
            Some((path, _)) if path.contains(' ') => quoted(prefix, path) + "\t",
            Some((path, _)) => quoted(prefix, path),
            None => "/dev/null".to_owned(),
        };
        line(format!("--- {}", name(&old, "a/")));
        line(format!("+++ {}", name(&new, "b/")));
        hunks = written_hunks(&one, &other);
    } else if one != other {
        header.extend(binary(&old, &new)?);
    }
    sections.push(PatchSection {
        path: path.to_owned(),
        header,
        hunks,
    });
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

fn written_hunks(old: &[u8], new: &[u8]) -> Vec<PatchHunk> {
    let (old_lines, new_lines) = (LineEnds::of(old), LineEnds::of(new));
    let put = |patch: &mut Vec<u8>, sign: u8, text: &[u8], lines: &LineEnds, range: Range<u32>| {
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
    let mut written = Vec::new();
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
        let mut patch = header.into_bytes();
        let begin = first.old.start - before;
        let mut at = begin;
        for Hunk {
            old: removed,
            new: added,
        } in group
        {
            put(&mut patch, b' ', old, &old_lines, at..removed.start);
            put(&mut patch, b'-', old, &old_lines, removed.clone());
            put(&mut patch, b'+', new, &new_lines, added.clone());
            at = removed.end;
        }
        put(&mut patch, b' ', old, &old_lines, at..at + after);
        written.push(PatchHunk {
            old: begin..at + after,
            text: patch,
        });
    }
    written
}

/// A binary file: what git prints after the names.
fn binary(old: &FileAtPath<'_>, new: &FileAtPath<'_>) -> Result<Vec<u8>, PatchError> {
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
    Ok(output[start + 1..].to_vec())
}
