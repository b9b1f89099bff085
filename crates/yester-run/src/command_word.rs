//! What the words of a command name: programs, scripts, files.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;
use thiserror::Error;

use crate::file;

/// Programs that run a script or another program, which one of their arguments names.
const RUNNERS: [&str; 36] = [
    "ash", "bash", "bun", "busybox", "dash", "deno", "env", "fish", "guile", "ionice", "ksh",
    "lua", "luajit", "nice", "node", "nodejs", "nohup", "perl", "php", "prlimit", "pypy", "pypy3",
    "racket", "Rscript", "ruby", "setsid", "sh", "stdbuf", "strace", "taskset", "tclsh", "time",
    "timeout", "valgrind", "xvfb-run", "zsh",
];

/// Options of runners after which the program itself stands, and no file.
const TEXTS: [&str; 6] = ["-c", "-e", "-m", "-E", "--eval", "--command"];

/// The machine cannot tell whether there is a file.
#[derive(Debug, Error)]
#[error("failed to look at {}", path.display())]
pub struct UnknownFile {
    /// Where the file would be.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
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
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop()?;
            }
            _ => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Finds a program by its name alone.
pub fn on_path(name: &OsStr, start: &Path) -> Option<PathBuf> {
    let directories = env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
    let candidates: Vec<PathBuf> = env::split_paths(&directories)
        .map(|directory| start.join(directory).join(name))
        .collect();
    candidates
        .iter()
        .find(|path| is_executable(path))
        .or_else(|| candidates.iter().find(|path| path.is_file()))
        .cloned()
}

/// Whether a word of the command names a file. A disk that cannot tell is an error: without the file this would be
/// another run.
pub fn is_file(path: &Path) -> Result<bool, UnknownFile> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(metadata.is_file()),
        Err(source) if is_trouble(&source) => Err(UnknownFile {
            path: path.to_owned(),
            source,
        }),
        Err(_) => Ok(false),
    }
}

/// Whether an error says something about the machine, and not about the path that was asked for.
pub fn is_trouble(error: &io::Error) -> bool {
    use io::ErrorKind::{
        InvalidFilename, InvalidInput, IsADirectory, NotADirectory, NotFound, Other,
        PermissionDenied,
    };
    // Links that lead to themselves.
    if Errno::from_io_error(error) == Some(Errno::LOOP) {
        return false;
    }
    // `Other` is our own word for what is no regular file.
    !matches!(
        error.kind(),
        InvalidFilename
            | InvalidInput
            | IsADirectory
            | NotADirectory
            | NotFound
            | Other
            | PermissionDenied
    )
}

/// Whether a word has `{}` in it, which stands for the candidate.
pub fn contains_placeholder(word: &OsStr) -> bool {
    word.as_bytes().windows(2).any(|window| window == b"{}")
}

/// Whether a path is that of a program that can be run.
pub fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Whether a file may be what a build has made: it is executable, and no script.
pub fn is_product(path: &Path) -> bool {
    let mut begin = [0; 2];
    let is_script = file::open(path)
        .and_then(|(mut file, _)| file.read_exact(&mut begin))
        .is_ok_and(|()| begin == *b"#!");
    is_executable(path) && !is_script
}

/// The index of the word that is a script of the start directory. `is_own` says whether a path is that of something which the candidate
/// has itself.
pub fn script(
    words: &[OsString],
    start: &Path,
    is_own: impl Fn(&str) -> bool,
) -> Result<Option<usize>, UnknownFile> {
    let mut program = words.first().map(OsString::as_os_str).unwrap_or_default();
    for (index, word) in words.iter().enumerate().skip(1) {
        let name = Path::new(program).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        if !RUNNERS.contains(&&*name) && !name.starts_with("python") {
            return Ok(None);
        }
        let text = word.to_string_lossy();
        if TEXTS.contains(&&*text) {
            return Ok(None);
        }
        if text.starts_with('-') {
            continue;
        }
        if !Path::new(word).is_absolute() && is_file(&start.join(word))? {
            let is_own = tree_path(word).is_some_and(|path| is_own(&path));
            return Ok((!is_own).then_some(index));
        }
        // An assignment of env, or how long timeout waits.
        if text.contains('=') || text.starts_with(|letter: char| letter.is_ascii_digit()) {
            continue;
        }
        program = word;
    }
    Ok(None)
}

/// What a word says is written and not read.
pub fn is_output_option(word: &OsStr) -> bool {
    let word = word.as_bytes();
    word == b"-o" || word.starts_with(b"--out")
}

/// The file that a word may name: itself, or the value of a long option.
pub fn file_of(word: &OsStr) -> &OsStr {
    let bytes = word.as_bytes();
    match bytes.iter().position(|byte| *byte == b'=') {
        Some(at) if bytes.starts_with(b"--") && !is_output_option(word) => {
            OsStr::from_bytes(&bytes[at + 1..])
        }
        _ if bytes.starts_with(b"-") => OsStr::new(""),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_what_a_runner_is_given_and_nothing_else() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["t.py", "n.sh", "a.out", "in.txt"] {
            fs::write(directory.path().join(name), "").expect("room");
        }
        let found = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let is_own = |path: &str| path == "in.txt";
            script(&words, directory.path(), is_own).expect("a disk that answers")
        };
        for (line, index) in [
            ("sh n.sh {}", Some(1)),
            ("/bin/bash -eu ./n.sh {}", Some(2)),
            ("timeout 5 python3.11 -B t.py {}", Some(4)),
            ("env A=1 LANG=C sh n.sh", Some(4)),
            ("nice ./n.sh", Some(1)),
            ("sh -c n.sh", None),
            ("sh in.txt", None),
            ("gcc -o a.out {}", None),
            ("env A=1 gcc -o a.out {}", None),
            ("cp {} n.sh", None),
            ("sh", None),
        ] {
            assert_eq!(found(line), index, "{line}");
        }
    }

    #[test]
    fn the_value_of_a_long_option_may_be_a_file() {
        for (word, file) in [
            ("a.txt", "a.txt"),
            ("--config=a.txt", "a.txt"),
            ("--output=a.txt", ""),
            ("-Ia.txt", ""),
            ("a=b", "a=b"),
        ] {
            assert_eq!(file_of(OsStr::new(word)), file, "{word}");
        }
    }
}
