//! Where the answer goes.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_core::Candidate;
use yester_run::{Survival, file, write_directory};

use super::input::{Input, is_standard};
use super::job::ReduceJob;
use crate::cli::ReduceArguments;
use crate::failure::{Exit, Failure};
use crate::{interrupt, output};

/// Where the answer of a call goes.
#[derive(Clone)]
pub enum Destination {
    /// A file or a directory. Under a name of ours, whatever is there may come from a stranger; `is_chosen` says that the
    /// user has given this very path.
    Path { path: PathBuf, is_chosen: bool },
    /// Standard output.
    Standard,
    /// The input itself, if it still has this content.
    InPlace { file: PathBuf, content: Arc<[u8]> },
}

impl Destination {
    /// Where a call wants its answer. `real` is the path of the input.
    pub fn new(
        arguments: &ReduceArguments,
        real: &Path,
        input: &Input,
    ) -> Result<Destination, Failure> {
        let is_piped = is_standard(&arguments.file);
        if arguments.in_place {
            return match input {
                _ if is_piped => Err(Failure::usage("standard input cannot be replaced")
                    .hint("leave out --in-place: the result goes to standard output")),
                Input::Directory(_) => Err(Failure::usage("--in-place is for single files")
                    .hint("-o OUT says where the reduced directory goes")),
                Input::File { content, .. } => Ok(Destination::InPlace {
                    file: real.to_owned(),
                    content: Arc::clone(content),
                }),
            };
        }
        let path = match &arguments.output {
            Some(path) if is_standard(path) || is_standard_output(path) => None,
            Some(path) if is_open_file(path) => {
                return Err(Failure::usage(format!(
                    "{} is an open file, which cannot be replaced by the result",
                    path.display()
                ))
                .hint("-o - writes the result to standard output, -o OUT to a file"));
            }
            Some(path) => Some(path.clone()),
            None if is_piped => None,
            None => Some(with_word(real, "reduced")),
        };
        let Some(path) = path else {
            let in_the_way = match input {
                Input::Directory(_) => Some("a directory cannot be written to standard output"),
                _ if arguments.output_style.json => {
                    Some("the result and the JSON cannot both go to standard output")
                }
                _ if arguments
                    .output_style
                    .events
                    .as_deref()
                    .is_some_and(is_standard) =>
                {
                    Some("the result and the events cannot both go to standard output")
                }
                _ if arguments.method.isolate.is_some() => {
                    Some("--isolate has two results, and standard output takes one")
                }
                _ => None,
            };
            return match in_the_way {
                Some(what) => Err(Failure::usage(what).hint("-o OUT says where the result goes")),
                None => Ok(Destination::Standard),
            };
        };
        Ok(Destination::Path {
            path,
            is_chosen: arguments.output.is_some(),
        })
    }

    /// The path of the answer, if it has one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Destination::Path { path, .. } | Destination::InPlace { file: path, .. } => Some(path),
            Destination::Standard => None,
        }
    }

    pub fn describe(&self) -> String {
        match self.path() {
            Some(path) => path.display().to_string(),
            None => "standard output".to_owned(),
        }
    }

    /// Writes the answer. `input` is the user's file, whose permissions it gets.
    fn write(&self, input: &Path, answer: &Candidate) -> Result<(), Failure> {
        let content = match (answer, self.path()) {
            (Candidate::File(content), _) => content,
            (Candidate::Tree(entries), Some(path)) => {
                return output::make_around(path)
                    .and_then(|()| write_directory(path, entries, Survival::PowerFailure))
                    .map_err(|error| Failure::io(format!("write {}", path.display()), &error));
            }
            (Candidate::Tree(_), None) => unreachable!("it was refused"),
        };
        // What is private stays so. What runs as somebody else does not: the file may get another owner.
        let mode =
            fs::metadata(input).map_or(0o644, |file| (file.permissions().mode() | 0o200) & 0o777);
        match self {
            // Whoever tells the end prints it.
            Destination::Standard => Ok(()),
            Destination::Path {
                path,
                is_chosen: true,
            } => output::write(path, content, mode),
            Destination::Path { path, .. } => output::replace(path, content, mode),
            Destination::InPlace {
                file,
                content: original,
            } => replace_input(file, original, content, mode),
        }
    }
}

/// The names that Linux has for standard output. What it is redirected to may have more in it than the result.
fn is_standard_output(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(&path.to_str().unwrap_or_default())
}

/// Whether a name stands for a file that yester has open, wherever that is.
fn is_open_file(path: &Path) -> bool {
    let places = ["/dev/fd", "/proc/self/fd", "/dev/stdin", "/dev/stderr"];
    places.iter().any(|place| path.starts_with(place))
}

/// Puts the answer in the place of the input, and keeps the input beside it. Somebody else's work is not replaced.
fn replace_input(file: &Path, original: &[u8], answer: &[u8], mode: u32) -> Result<(), Failure> {
    let now = file::read(file, file::BIGGEST_INPUT);
    if now.is_ok_and(|now| now == original) {
        if answer == original {
            return Ok(());
        }
        let owner = fs::metadata(file).ok();
        keep_original(file, original, mode)?;
        output::write(file, answer, mode)?;
        if let Some(owner) = owner {
            // Only root can give files away, and nobody else has to.
            let _ = chown(file, Some(owner.uid()), Some(owner.gid()));
        }
        return Ok(());
    }
    Err(Failure {
        exit: Exit::Limit,
        ..Failure::usage(format!(
            "{} was changed in the meantime, and is left as it is now",
            file.display()
        ))
    }
    .hint("yester runs shows the run; the result is in best/ there"))
}

/// Keeps the input as FILE.orig. If that is something else already, such as the input of an earlier call, it stays, and
/// this one gets a number.
fn keep_original(file: &Path, original: &[u8], mode: u32) -> Result<(), Failure> {
    let numbered = |number: usize| {
        let mut path = file.as_os_str().to_owned();
        path.push(".orig");
        if number > 1 {
            path.push(format!(".{number}"));
        }
        PathBuf::from(path)
    };
    for path in (1..).map(numbered) {
        if fs::symlink_metadata(&path).is_err() {
            return output::replace(&path, original, mode);
        }
        if file::read(&path, file::BIGGEST_INPUT).is_ok_and(|kept| kept == original) {
            break;
        }
    }
    Ok(())
}

impl ReduceJob {
    /// Writes the answer where the user wants it.
    pub fn write_output(&self, answer: &Candidate) -> Result<(), Failure> {
        self.destination.write(&self.arguments.file, answer)
    }

    /// Has the best so far written there if the program has to end at once.
    pub fn rescue(&self, best: &Path) {
        let (destination, file, best) = (
            self.destination.clone(),
            self.arguments.file.clone(),
            match self.input {
                Input::File { .. } => best.join(&self.name),
                Input::Directory(_) => best.to_owned(),
            },
        );
        interrupt::rescue(move || {
            if let Ok(best) = Input::read(&best, Path::new("")) {
                let _ = destination.write(&file, &best.candidate());
            }
        });
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
pub fn check(destination: &Destination, file: &Path, input: &Input) -> Result<(), Failure> {
    let output = match destination {
        Destination::Standard => return Ok(()),
        Destination::InPlace { file, .. } => {
            let metadata = fs::metadata(file);
            if metadata.is_ok_and(|metadata| metadata.permissions().readonly()) {
                return Err(Failure::usage(format!("{} is read-only", file.display()))
                    .hint("chmod u+w, or leave out --in-place"));
            }
            return output::check_writable(file);
        }
        Destination::Path { path, .. } => path,
    };
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
            Failure::usage(format!("{shown} is the input, which is never changed")).hint(
                "-o takes the name of another file; --in-place replaces the input and keeps a copy",
            ),
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
