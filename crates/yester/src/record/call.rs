//! What calls of `explain` and `flip` have in common: the program, the files that its arguments name, and what of its input varies.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_path::{InputSource, ProgramInput};
use yester_record::{
    Confinement, NamedVersion, PROGRAM_NAME, Recipe, find_files, fixed_files, varying,
};
use yester_report::{count, visible_line};
use yester_run::tree_path;

use crate::cli::{ProgramArguments, TrialArguments};
use crate::command::UserCommand;
use crate::failure::Failure;
use crate::user_file;

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
    let symbolic = varying([symbolic, fixed], &mut input, start, versions)?;
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
    let told = fixed_files(input).map(|path| {
        let name = path.display().to_string();
        let name = visible_line(&name);
        format!("{name} stays as it is: a file whose name has a line break cannot vary")
    });
    told.collect()
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
