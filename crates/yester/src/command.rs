//! Finding the user's command before anything depends on it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use yester_report::quote;
use yester_run::{contains_placeholder, is_executable, is_file, on_path};

use crate::failure::Failure;

/// The user's command with its program found.
pub struct UserCommand {
    pub program: PathBuf,
    /// As the user wrote it.
    pub words: Vec<OsString>,
    /// What the program is given: the words after it, with the full paths of files that were found.
    arguments: Vec<OsString>,
}

impl UserCommand {
    /// A command whose program is known.
    pub fn new(program: PathBuf, words: Vec<OsString>) -> UserCommand {
        UserCommand {
            program,
            arguments: words.iter().skip(1).cloned().collect(),
            words,
        }
    }

    /// Finds the program of a command given in the directory `start`.
    pub fn find(words: Vec<OsString>, start: &Path) -> Result<UserCommand, Failure> {
        let name = words
            .first()
            .ok_or_else(|| Failure::usage("there is no command after --"))?
            .clone();
        let has_directory = name.as_bytes().contains(&b'/');
        // `{}` as the program itself is the candidate, which is not there yet.
        if name == "{}" {
            return Ok(UserCommand::new(name.into(), words));
        }
        let found = if has_directory {
            let plain = Path::new(&name);
            Some(start.join(plain.strip_prefix(".").unwrap_or(plain))).filter(|path| path.exists())
        } else {
            on_path(&name, start)
        };
        let shown = name.to_string_lossy();
        let Some(program) = found else {
            let failure = Failure::usage(format!("the command '{shown}' was not found"))
                .code("command_not_found");
            return Err(if !has_directory && start.join(&name).is_file() {
                failure.hint(format!(
                    "a file of this directory is called with its path: ./{shown}"
                ))
            } else if is_assignment(&shown) {
                let words = quote::command(words.iter().map(OsString::as_os_str));
                failure.hint(format!(
                    "env gives a command a variable: -- env {}",
                    words.replace("'{}'", "{}")
                ))
            } else if shown.contains(' ') {
                failure.hint("give the command and its arguments as separate words, or use: -- sh -c 'COMMAND'")
            } else {
                failure.hint("check its name; a relative path starts at the current directory")
            });
        };
        if program.is_dir() {
            return Err(Failure::usage(format!(
                "the command '{shown}' is a directory"
            )));
        }
        if !is_executable(&program) {
            return Err(
                Failure::usage(format!("the command '{shown}' is not executable")).hint(format!(
                    "chmod +x {shown}, or call its interpreter: -- sh {}",
                    program.display()
                )),
            );
        }
        Ok(UserCommand::new(program, words))
    }

    /// The arguments after the program.
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Gives the program something else than what the user wrote.
    pub fn replace_argument(&mut self, index: usize, argument: OsString) {
        self.arguments[index] = argument;
    }

    /// What is run where nothing but the candidate's path is missing, which is put in the place of `{}`.
    pub fn run_on(&self, candidate: &str) -> Vec<OsString> {
        let program = self.program.as_os_str();
        let words = std::iter::once(program).chain(self.arguments.iter().map(OsString::as_os_str));
        let run = words.map(|word| word.to_string_lossy().replace("{}", candidate).into());
        run.collect()
    }

    /// Whether the command says itself where the candidate goes.
    pub fn has_placeholder(&self) -> bool {
        self.words.iter().any(|word| contains_placeholder(word))
    }

    /// Files that the command names: when one of them changes, what it says may change too.
    pub fn files(&self, start: &Path) -> Result<Vec<PathBuf>, Failure> {
        let arguments = self.arguments().iter().map(|argument| start.join(argument));
        let mut files = Vec::new();
        for path in std::iter::once(self.program.clone()).chain(arguments) {
            if is_file(&path)? {
                files.push(path);
            }
        }
        Ok(files)
    }
}

/// Whether a word sets a variable, as a shell takes it.
fn is_assignment(word: &str) -> bool {
    let name = word
        .split_once('=')
        .map(|(name, _)| name)
        .unwrap_or_default();
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
