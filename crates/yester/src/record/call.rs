//! What calls of `explain` and `flip` have in common: the program, the files that its arguments name, and what of its input varies.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_patch::{FileKind, FileState, Version};
use yester_path::{InputSource, ProgramInput, is_below};
use yester_record::{Confinement, NamedVersion, PROGRAM_NAME, Recipe};
use yester_report::{count, visible_line};
use yester_run::tree_path;

use crate::cli::{ProgramArguments, TrialArguments};
use crate::command::UserCommand;
use crate::failure::Failure;
use crate::user_file;
use crate::versions::failed;

/// So many symbolic links are followed from one to the next.
const MOST_LINKS: usize = 40;
/// So many paths that a run was kept from changing are told.
const MOST_TOLD: usize = 3;

/// Checks that what is written does not replace what the user gave.
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
            .hint("write {} for the program: -- {} ARGUMENT..."));
        }
        (false, _) if word == "{}" => {
            return Err(Failure::usage("{} stands for the program of a single file")
                .hint("name the program that --build makes, for example ./app"));
        }
        (false, Some(path)) if word.as_bytes().contains(&b'/') => path,
        (false, _) => return Ok((UserCommand::find(words, start)?, None)),
    };
    // The worker has a copy of the tree, and finds it there.
    let place = PathBuf::from("/nonexistent").join(&in_tree);
    let command = UserCommand::new(place, words);
    Ok((command, Some(in_tree.into())))
}

/// Finds the files that arguments name, and gives both trees the same content for them: one input for both versions.
fn find_files(
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
        return user_file::read(&here).map(Some);
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
                match tree_path(beside.join(target).as_os_str()) {
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
fn varying(
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
    let files = files.filter(|path| !has_line_break(path));
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

/// The input that a call gives to the program, and what of it varies. Files that only the versions or the user have go into both.
pub fn program_input(
    arguments: &ProgramArguments,
    command: &UserCommand,
    start: &Path,
    versions: &mut [NamedVersion],
) -> Result<(ProgramInput, Vec<InputSource>), Failure> {
    let mut input = plain_input(arguments.stdin.as_deref(), command, start, versions)?;
    let ProgramArguments {
        symbolic, fixed, ..
    } = arguments;
    let symbolic = varying(symbolic, fixed, &mut input, start, versions)?;
    Ok((input, symbolic))
}

/// The input of a command of which nothing varies.
pub fn plain_input(
    stdin: Option<&Path>,
    command: &UserCommand,
    start: &Path,
    versions: &mut [NamedVersion],
) -> Result<ProgramInput, Failure> {
    let mut input = ProgramInput {
        arguments: command.arguments().to_vec(),
        stdin: None,
        files: Vec::new(),
    };
    if let Some(path) = stdin {
        input.stdin = Some(Arc::new(user_file::read_or_piped(&start.join(path))?));
    }
    find_files(&mut input, start, versions)?;
    Ok(input)
}

/// What a user should know about files that cannot vary.
pub fn unfollowed(input: &ProgramInput) -> Vec<String> {
    let files = input.files.iter().map(|(path, _)| path);
    let files = files.filter(|path| has_line_break(path));
    let told = files.map(|path| {
        let name = path.display().to_string();
        let name = visible_line(&name);
        format!("{name} stays as it is: a file whose name has a line break cannot vary")
    });
    told.collect()
}

/// The program is told its sources line by line.
fn has_line_break(path: &Path) -> bool {
    path.as_os_str().as_bytes().contains(&b'\n')
}

/// How to build versions as the user wants it.
pub fn recipe<'a>(
    arguments: &'a ProgramArguments,
    start: &'a Path,
    program_in_tree: Option<&'a OsStr>,
    environment: Vec<(&'static str, &'static str)>,
) -> Recipe<'a> {
    Recipe {
        start,
        build: arguments.build.as_deref(),
        flags: arguments.cflags.as_deref(),
        program_in_tree,
        timeout: arguments.build_timeout,
        environment,
    }
}

/// How runs are contained as the user wants it.
pub fn confinement(trial: &TrialArguments, program: &ProgramArguments) -> Confinement {
    Confinement::new(trial.memory, program.allow_writes)
}

/// What a user should know about what runs were kept from doing.
pub fn refusals(confinement: &Confinement) -> Option<String> {
    let refused = confinement.refused();
    let told = refused.iter().take(MOST_TOLD);
    let told: Vec<String> = told.map(|path| visible_line(path).into_owned()).collect();
    let more = match refused.len() - told.len() {
        0 => String::new(),
        more => format!(" and {}", count(more as u64, "other path")),
    };
    let told = Some(told.join(", ")).filter(|told| !told.is_empty())?;
    Some(format!(
        "runs that yester made up tried to change {told}{more}, which was refused; --allow-writes would let them"
    ))
}
