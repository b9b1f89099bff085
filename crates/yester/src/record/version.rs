//! The versions that a call of `explain` or `flip` names: single files, or trees with the line that builds them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use yester_patch::{PatchError, Repository, Version};
use yester_record::NamedVersion;

use crate::cli::ProgramArguments;
use crate::failure::Failure;
use crate::versions::Side;

/// One version: a file, a directory or a revision.
pub fn version(
    word: &OsStr,
    arguments: &ProgramArguments,
    start: &Path,
) -> Result<NamedVersion, Failure> {
    if start.join(word).is_file() {
        check_language(word)?;
        if arguments.build.is_some() {
            return Err(Failure::usage("--build is for directories and revisions")
                .hint("a single file is built by yester; --cflags gives the compiler more flags"));
        }
        return Ok(single_file(word));
    }
    check_source(word, start)?;
    check_no_flags(arguments)?;
    check_build(arguments)?;
    tree(word, start, &Repository::around(start))
}

/// Two versions: both are files, or none is.
pub fn two_versions(
    words: [&OsString; 2],
    arguments: &ProgramArguments,
    start: &Path,
) -> Result<[NamedVersion; 2], Failure> {
    for word in words {
        check_source(word, start)?;
    }
    let is_file = words.map(|word| start.join(word).is_file());
    match is_file {
        [true, true] => {
            if arguments.build.is_some() {
                return Err(
                    Failure::usage("--build is for directories and revisions").hint(
                        "single files are built by yester; --cflags gives the compiler more flags",
                    ),
                );
            }
            for word in words {
                check_language(word)?;
            }
            Ok(words.map(|word| single_file(word)))
        }
        [false, false] => {
            let repository = Repository::around(start);
            let [old, new] = words.map(|word| tree(word, start, &repository));
            let versions = [old?, new?];
            check_build(arguments)?;
            check_no_flags(arguments)?;
            Ok(versions)
        }
        _ => {
            let (file, other) = if is_file[0] {
                (words[0], words[1])
            } else {
                (words[1], words[0])
            };
            let (file, other) = (file.to_string_lossy(), other.to_string_lossy());
            Err(
                Failure::usage(format!("'{file}' is a file, and '{other}' is not"))
                    .hint("give two files, or two directories or revisions"),
            )
        }
    }
}

fn single_file(word: &OsStr) -> NamedVersion {
    NamedVersion {
        word: word.to_string_lossy().into_owned(),
        file: Some(word.into()),
        tree: Version::of([]),
    }
}

fn tree(
    word: &OsStr,
    start: &Path,
    repository: &Result<Repository, PatchError>,
) -> Result<NamedVersion, Failure> {
    let side = Side::find(word, start, repository)?;
    Ok(NamedVersion {
        word: side.word,
        file: None,
        tree: side.version,
    })
}

fn check_no_flags(arguments: &ProgramArguments) -> Result<(), Failure> {
    if arguments.cflags.is_some() {
        return Err(Failure::usage("--cflags is for single files")
            .hint("put the flags into the line of --build"));
    }
    Ok(())
}

fn check_build(arguments: &ProgramArguments) -> Result<(), Failure> {
    if arguments.build.is_none() {
        return Err(
            Failure::usage("a directory or a revision needs --build LINE")
                .hint("for example --build make: CC and CXX are set to yester's compilers"),
        );
    }
    Ok(())
}

/// Whether the compilers know what to do with a file.
fn check_language(word: &OsStr) -> Result<(), Failure> {
    let extension = Path::new(word).extension().and_then(OsStr::to_str);
    match extension {
        Some("c" | "i" | "cc" | "cp" | "cxx" | "cpp" | "c++" | "C" | "ii") => Ok(()),
        _ => Err(Failure::usage(format!(
            "'{}' is neither a C nor a C++ file",
            word.to_string_lossy()
        ))
        .hint("its name has to end with .c, .cc, .cpp or the like")),
    }
}

/// Says so if a word names a source that is not there.
fn check_source(word: &OsStr, start: &Path) -> Result<(), Failure> {
    if check_language(word).is_err() || start.join(word).exists() {
        return Ok(());
    }
    let word = word.to_string_lossy();
    Err(Failure::usage(format!("there is no file '{word}'"))
        .hint("a relative path starts at the current directory"))
}
