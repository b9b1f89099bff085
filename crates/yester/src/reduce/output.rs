//! Where the answer goes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use yester_core::Candidate;
use yester_run::{write_atomically, write_directory};

use super::input::Input;
use super::job::Job;
use crate::failure::{Exit, Failure};

impl Job {
    /// Writes the answer where the user wants it.
    pub fn write_output(&self, answer: &Candidate) -> Result<(), Failure> {
        let failed =
            |error: io::Error| Failure::io(format!("write {}", self.output.display()), &error);
        let content = match answer {
            Candidate::File(content) => content,
            Candidate::Tree(entries) => {
                return write_directory(&self.output, entries).map_err(failed);
            }
        };
        // What is private stays so.
        let mode = fs::metadata(&self.arguments.file)
            .map_or(0o644, |file| file.permissions().mode() | 0o200);
        let written = match fs::metadata(&self.output) {
            // A device or a pipe is written to, never replaced.
            Ok(metadata) if !metadata.is_file() => fs::write(&self.output, content),
            found => {
                // A link stays a link.
                let path = found
                    .and_then(|_| self.output.canonicalize())
                    .unwrap_or_else(|_| self.output.clone());
                write_atomically(&path, content)
                    .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(mode)))
            }
        };
        written.map_err(failed)
    }
}

/// With the word `reduced`, `dir/input.c` becomes `dir/input.reduced.c`.
pub fn with_word(file: &Path, word: &str) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(".");
    name.push(word);
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    file.with_file_name(name)
}

/// Hours of work must not end with a path that cannot be written.
pub fn check(output: &Path, file: &Path, input: &Input) -> Result<(), Failure> {
    let shown = output.display();
    match input {
        Input::File { .. } if output.is_dir() => {
            return Err(Failure::usage(format!("{shown} is a directory"))
                .hint("-o takes the name of a file"));
        }
        Input::Directory(_) => check_directory(output, file)?,
        Input::File { .. } => {}
    }
    if output
        .canonicalize()
        .is_ok_and(|path| file.canonicalize().is_ok_and(|input| path == input))
    {
        return Err(
            Failure::usage(format!("{shown} is the input, which is never changed"))
                .hint("-o takes the name of another file"),
        );
    }
    if output.exists() && !output.is_file() {
        return Ok(());
    }
    let parent = output
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut probe = OsString::from(".");
    probe.push(output.file_name().unwrap_or(OsStr::new("output")));
    probe.push(format!(".{}.probe", std::process::id()));
    let probe = parent.join(probe);
    let tried = File::create(&probe).and_then(|_| fs::remove_file(&probe));
    tried.map_err(|error| match error.kind() {
        io::ErrorKind::StorageFull => Failure::io(format!("write {shown}"), &error),
        _ => Failure {
            exit: Exit::Usage,
            ..Failure::io(format!("write {shown}"), &error)
        }
        .hint("-o OUT puts the result somewhere else"),
    })
}

/// A directory is replaced by the answer only if it looks like an earlier answer: it has nothing that the input lacks.
fn check_directory(output: &Path, input: &Path) -> Result<(), Failure> {
    let shown = output.display();
    // The directory that it is in is there already; it itself may not be.
    let around = output
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let around = around.unwrap_or(Path::new(".")).canonicalize();
    let real = input.canonicalize();
    if let (Ok(around), Ok(real)) = (&around, &real)
        && (around.starts_with(real) || output.canonicalize().is_ok_and(|output| output == *real))
    {
        return Err(
            Failure::usage(format!("{shown} is in the input, which is never changed"))
                .hint("-o OUT puts the result somewhere else"),
        );
    }
    let Ok(metadata) = fs::symlink_metadata(output) else {
        return Ok(());
    };
    let is_answer = metadata.is_dir()
        && match Input::read(output, Path::new(""))? {
            Input::Directory(entries) => entries
                .keys()
                .all(|path| fs::symlink_metadata(input.join(path)).is_ok()),
            Input::File { .. } => false,
        };
    if is_answer {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{shown} is there already and has other things in it"
    ))
    .hint("-o OUT puts the result somewhere else"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_named_after_the_input() {
        for (file, output) in [
            ("input.c", "input.reduced.c"),
            ("a dir/x.tar.gz", "a dir/x.tar.reduced.gz"),
            ("plain", "plain.reduced"),
            (".hidden", ".hidden.reduced"),
        ] {
            assert_eq!(with_word(Path::new(file), "reduced"), Path::new(output));
        }
    }
}
