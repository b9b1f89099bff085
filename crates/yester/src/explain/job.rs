//! What a call of `yester explain` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use yester_patch::{FileKind, FileState, Repository, Version};
use yester_path::InputSource;

use crate::cli::{ExplainArguments, SandboxChoice};
use crate::command::UserCommand;
use crate::failure::{Failure, plain};
use crate::file;
use crate::output;
use crate::record::{NamedVersion, PROGRAM_NAME, ProgramInput, Recipe, is_below};
use crate::versions::{Side, failed, tree_path};

/// A source of more bytes does not vary: each of its bytes may be a condition, and each run needs a copy.
const MOST_FOLLOWED: usize = 1 << 20;

/// So many symbolic links are followed from one to the next.
const MOST_LINKS: usize = 40;

pub struct ExplainJob {
    pub arguments: ExplainArguments,
    pub start: PathBuf,
    /// The old version and the new one.
    pub versions: [NamedVersion; 2],
    /// The program, and the words after it.
    pub command: UserCommand,
    /// Where the trees have the program, if they have it.
    pub program_in_tree: Option<OsString>,
    pub input: ProgramInput,
    /// What of the input varies.
    pub symbolic: Vec<InputSource>,
    /// Reasons to look twice.
    pub notes: Vec<String>,
}

impl ExplainJob {
    pub fn new(mut arguments: ExplainArguments, start: &Path) -> Result<ExplainJob, Failure> {
        if let Some(path) = &arguments.output {
            output::check_writable(path)?;
            let named = arguments.command.iter().map(Path::new);
            let versions = [Path::new(&arguments.old), Path::new(&arguments.new)];
            let given = named.chain(versions).chain(arguments.stdin.as_deref());
            check_apart(path, given, start)?;
        }
        if arguments.trial.sandbox == SandboxChoice::Full {
            return Err(Failure::usage("explain cannot record in the full sandbox")
                .hint("its runs are in copies of the tree; --sandbox auto kills every process that they leave"));
        }
        let mut versions = versions(&arguments, start)?;
        let words = std::mem::take(&mut arguments.command);
        let is_file = versions[0].file.is_some();
        let (command, program_in_tree) = program(words, start, is_file)?;
        let mut input = ProgramInput {
            arguments: command.arguments().to_vec(),
            stdin: None,
            files: Vec::new(),
        };
        if let Some(path) = &arguments.stdin {
            input.stdin = Some(Arc::new(read(&start.join(path))?));
        }
        find_files(&mut input, start, &mut versions)?;
        let mut symbolic = varying(
            &arguments.symbolic,
            &arguments.fixed,
            &mut input,
            start,
            &mut versions,
        )?;
        let mut notes = Vec::new();
        if arguments.symbolic.is_empty() {
            symbolic.retain(|source| {
                let length = input.content(source).map_or(0, <[u8]>::len);
                let is_followed = length <= MOST_FOLLOWED;
                if !is_followed {
                    notes.push(format!(
                        "{source} has {length} bytes, too many to vary; --symbolic {source} does it all the same"
                    ));
                }
                is_followed
            });
        }
        Ok(ExplainJob {
            arguments,
            start: start.to_owned(),
            versions,
            command,
            program_in_tree,
            input,
            symbolic,
            notes,
        })
    }
}

impl ExplainJob {
    /// How to build the versions.
    pub fn recipe(&self, environment: Vec<(&'static str, &'static str)>) -> Recipe<'_> {
        Recipe {
            start: &self.start,
            build: self.arguments.build.as_deref(),
            flags: self.arguments.cflags.as_deref(),
            program_in_tree: self.program_in_tree.as_deref(),
            timeout: self.arguments.build_timeout,
            environment,
        }
    }
}

/// Checks that the alternate input does not replace what the user gave.
pub fn check_apart<'p>(
    path: &Path,
    given: impl IntoIterator<Item = &'p Path>,
    start: &Path,
) -> Result<(), Failure> {
    let real = |path: &Path| start.join(path).canonicalize().ok();
    let Some(output) = real(path) else {
        return Ok(());
    };
    let mut given = given.into_iter();
    match given.find(|one| real(one).as_ref() == Some(&output)) {
        Some(one) => Err(Failure::usage(format!(
            "-o {} would replace {}",
            path.display(),
            one.display()
        ))
        .hint("name another file")),
        None => Ok(()),
    }
}

fn versions(arguments: &ExplainArguments, start: &Path) -> Result<[NamedVersion; 2], Failure> {
    let words = [&arguments.old, &arguments.new];
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
            let named = |word: &OsString| NamedVersion {
                word: word.to_string_lossy().into_owned(),
                file: Some(word.into()),
                tree: Version::of([]),
            };
            for word in words {
                check_language(word)?;
            }
            Ok(words.map(named))
        }
        [false, false] => {
            let repository = Repository::around(start);
            let find = |word: &OsString| -> Result<NamedVersion, Failure> {
                let side = Side::find(word, start, &repository)?;
                Ok(NamedVersion {
                    word: side.word,
                    file: None,
                    tree: side.version,
                })
            };
            let versions = [find(words[0])?, find(words[1])?];
            if arguments.build.is_none() {
                return Err(
                    Failure::usage("a directory or a revision needs --build LINE")
                        .hint("for example --build make: CC and CXX are set to yester's compilers"),
                );
            }
            if arguments.cflags.is_some() {
                return Err(Failure::usage("--cflags is for single files")
                    .hint("put the flags into the line of --build"));
            }
            Ok(versions)
        }
        _ => {
            let (file, other) = match is_file[0] {
                true => (words[0], words[1]),
                false => (words[1], words[0]),
            };
            let (file, other) = (file.to_string_lossy(), other.to_string_lossy());
            Err(
                Failure::usage(format!("'{file}' is a file, and '{other}' is not"))
                    .hint("give two files, or two directories or revisions"),
            )
        }
    }
}

/// Whether the compilers know what to do with a file.
pub fn check_language(word: &OsStr) -> Result<(), Failure> {
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

/// The program: `{}` for a single file, a path in the tree, or one that is on the machine.
pub fn program(
    words: Vec<OsString>,
    start: &Path,
    is_file: bool,
) -> Result<(UserCommand, Option<OsString>), Failure> {
    let word = words.first().cloned().unwrap_or_default();
    let in_tree = match (is_file, tree_path(&word)) {
        (true, _) if word == "{}" => PROGRAM_NAME.to_owned(),
        (true, _) => {
            return Err(Failure::usage(format!(
                "the program of a single file is {{}}, not '{}'",
                word.to_string_lossy()
            ))
            .hint("for example: yester explain old.c new.c -- {} ARGUMENT"));
        }
        (false, _) if word == "{}" => {
            return Err(Failure::usage("{} stands for the program of a single file")
                .hint("name the program that --build makes, for example ./app"));
        }
        (false, Some(path)) if word.as_bytes().contains(&b'/') => path,
        (false, _) => return Ok((UserCommand::find(words, start)?, None)),
    };
    let command = UserCommand {
        // The worker has a copy of the tree, and finds it there.
        program: PathBuf::from("/nonexistent").join(&in_tree),
        words,
    };
    Ok((command, Some(in_tree.into())))
}

/// Finds the files that arguments name, and gives both trees the same content for them: one input for both versions.
pub fn find_files(
    input: &mut ProgramInput,
    start: &Path,
    versions: &mut [NamedVersion],
) -> Result<(), Failure> {
    for index in 0..input.arguments.len() {
        let word = input.arguments[index].clone();
        let Some(content) = file_content(&word, start, versions)? else {
            continue;
        };
        let path = match tree_path(&word) {
            Some(path) if is_below(Path::new(&word)) => path,
            // The user's path is not in the tree: the tree gets a file of the same name.
            _ => {
                let name = Path::new(&word).file_name().unwrap_or_default();
                let name = name.to_string_lossy().into_owned();
                let is_taken = |name: &str| {
                    let mut trees = versions.iter();
                    trees.any(|version| version.tree.paths().any(|(path, _)| path == name))
                };
                let numbered = (1..).map(|number| format!("{number}-{name}"));
                let mut names = std::iter::once(name.clone()).chain(numbered);
                let name = names.find(|name| !is_taken(name)).expect("there is no end");
                input.arguments[index] = name.clone().into();
                name
            }
        };
        put(input, versions, path, content);
    }
    Ok(())
}

/// The content of a file that an argument names: where the user stands, otherwise in the new version.
fn file_content(
    word: &OsStr,
    start: &Path,
    versions: &[NamedVersion],
) -> Result<Option<Vec<u8>>, Failure> {
    let here = start.join(word);
    if !word.is_empty() && here.is_file() {
        return read(&here).map(Some);
    }
    let Some(path) = tree_path(word) else {
        return Ok(None);
    };
    match versions.last() {
        Some(newest) => content_in_tree(&newest.tree, path),
        None => Ok(None),
    }
}

/// The content of a file of a tree, also if links within the tree lead there.
fn content_in_tree(tree: &Version, mut path: String) -> Result<Option<Vec<u8>>, Failure> {
    for _ in 0..MOST_LINKS {
        let state = tree.state(&path).map_err(|error| failed(&error))?;
        let Some(state) = state else {
            return Ok(None);
        };
        match state.kind {
            FileKind::Symlink => {
                let target = Path::new(OsStr::from_bytes(&state.content));
                let beside = Path::new(&path).parent().unwrap_or(Path::new(""));
                match inside(&beside.join(target)) {
                    Some(next) => path = next,
                    None => return Ok(None),
                }
            }
            kind if kind.is_file() => return Ok(Some(state.content.to_vec())),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// A path without `.` and `..`; none if it leads out of the tree.
fn inside(path: &Path) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

fn put(input: &mut ProgramInput, versions: &mut [NamedVersion], path: String, content: Vec<u8>) {
    for version in versions {
        let state = FileState {
            kind: FileKind::File,
            content: content.clone().into(),
        };
        version.tree.put(&path, state);
    }
    if !input
        .files
        .iter()
        .any(|(known, _)| *known == Path::new(&path))
    {
        input.files.push((path.into(), Arc::new(content)));
    }
}

/// What of the input varies.
pub fn varying(
    symbolic: &[InputSource],
    fixed: &[InputSource],
    input: &mut ProgramInput,
    start: &Path,
    versions: &mut [NamedVersion],
) -> Result<Vec<InputSource>, Failure> {
    for source in symbolic.iter().chain(fixed) {
        match source {
            InputSource::Stdin if input.stdin.is_none() => {
                return Err(Failure::usage("there is no standard input to follow")
                    .hint("--stdin FILE gives the program one"));
            }
            InputSource::Argument(number) if !(1..=input.arguments.len()).contains(number) => {
                return Err(Failure::usage(format!("there is no argument {number}"))
                    .hint("the first argument after PROG is arg:1"));
            }
            InputSource::File(path) if input.content(source).is_none() => {
                let Some(place) = tree_path(path.as_os_str()).filter(|_| is_below(path)) else {
                    return Err(Failure::usage(format!(
                        "{} is outside of the directory that the program runs in",
                        path.display()
                    ))
                    .hint("name the file as an argument of PROG"));
                };
                let content = file_content(path.as_os_str(), start, versions)?;
                let Some(content) = content else {
                    return Err(
                        Failure::usage(format!("there is no file {}", path.display()))
                            .hint("give its path from the directory that the program runs in"),
                    );
                };
                put(input, versions, place, content);
            }
            _ => {}
        }
    }
    if !symbolic.is_empty() {
        return Ok(symbolic.to_vec());
    }
    let mut all = Vec::new();
    if input.stdin.is_some() {
        all.push(InputSource::Stdin);
    }
    let files = input.files.iter().map(|(path, _)| path);
    all.extend(files.cloned().map(InputSource::File));
    let names_file = |argument: &OsString| {
        let mut files = input.files.iter();
        files.any(|(path, _)| tree_path(argument).is_some_and(|place| *path == Path::new(&place)))
    };
    let plain = input.arguments.iter().enumerate();
    let plain = plain.filter(|(_, argument)| !names_file(argument));
    all.extend(plain.map(|(index, _)| InputSource::Argument(index + 1)));
    all.retain(|source| !fixed.contains(source));
    Ok(all)
}

pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    file::read(path, file::BIGGEST_INPUT).map_err(|error| {
        let shown = path.display();
        Failure::usage(format!("failed to read {shown}: {}", plain(&error)))
    })
}
