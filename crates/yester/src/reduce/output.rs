//! Where the answer goes.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use yester_core::Candidate;
use yester_run::{Survival, write_directory};

use super::input::Input;
use super::job::ReduceJob;
use crate::failure::Failure;
use crate::{interrupt, output};

impl ReduceJob {
    /// Writes the answer where the user wants it.
    pub fn write_output(&self, answer: &Candidate) -> Result<(), Failure> {
        write(&self.output, &self.arguments.file, answer, self.is_chosen())
    }

    /// Whether the user has said where it goes.
    pub fn is_chosen(&self) -> bool {
        self.arguments.output.is_some()
    }

    /// Has the best so far written there if the program has to end at once.
    pub fn rescue(&self, best: &Path) {
        let (output, file, best) = (
            self.output.clone(),
            self.arguments.file.clone(),
            match self.input {
                Input::File { .. } => best.join(&self.name),
                Input::Directory(_) => best.to_owned(),
            },
        );
        let is_chosen = self.is_chosen();
        interrupt::rescue(move || {
            if let Ok(best) = Input::read(&best, Path::new("")) {
                let _ = write(&output, &file, &best.candidate(), is_chosen);
            }
        });
    }
}

/// `is_chosen` says that the user has given this very path. Under a name of ours, whatever is there may come from a stranger.
fn write(output: &Path, file: &Path, answer: &Candidate, is_chosen: bool) -> Result<(), Failure> {
    let content = match answer {
        Candidate::File(content) => content,
        Candidate::Tree(entries) => {
            return write_directory(output, entries, Survival::PowerFailure).map_err(
                |error: io::Error| Failure::io(format!("write {}", output.display()), &error),
            );
        }
    };
    // What is private stays so.
    let mode = fs::metadata(file).map_or(0o644, |file| file.permissions().mode() | 0o200);
    match is_chosen {
        true => output::write(output, content, mode),
        false => output::replace(output, content, mode),
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
    output::check_writable(output)
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
