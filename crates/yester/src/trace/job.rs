//! The arguments of `yester trace`, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use yester_path::{InputByte, InputSource};

use crate::cli::TraceArguments;
use crate::command::UserCommand;
use crate::failure::{Failure, plain};
use crate::file;
use crate::output;
use crate::quote;

pub struct TraceJob {
    pub arguments: TraceArguments,
    pub start: PathBuf,
    pub command: UserCommand,
    pub input: ProgramInput,
}

/// The input of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramInput {
    /// The arguments after the program.
    pub arguments: Vec<OsString>,
    pub stdin: Option<Vec<u8>>,
    /// The files named by `--symbolic`, with their content.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl TraceJob {
    pub fn new(mut arguments: TraceArguments, start: &Path) -> Result<TraceJob, Failure> {
        let command = UserCommand::find(std::mem::take(&mut arguments.command), start)?;
        for output in arguments.output.iter().chain(&arguments.smt) {
            output::check_writable(output)?;
        }
        let mut input = ProgramInput {
            arguments: command.arguments().to_vec(),
            stdin: None,
            files: Vec::new(),
        };
        if let Some(path) = &arguments.stdin {
            input.stdin = Some(read(path)?);
        }
        for source in &arguments.symbolic {
            match source {
                InputSource::Stdin if input.stdin.is_none() => input.stdin = Some(piped()?),
                InputSource::Stdin => {}
                InputSource::Argument(0) => {
                    return Err(Failure::usage("arg:0 is the name of the program")
                        .hint("the first argument is arg:1"));
                }
                InputSource::Argument(number) if *number > input.arguments.len() => {
                    return Err(Failure::usage(format!("there is no argument {number}"))
                        .hint("the first argument after PROG is arg:1"));
                }
                InputSource::Argument(_) => {}
                InputSource::File(path) => input.files.push((path.clone(), read(path)?)),
            }
        }
        let job = TraceJob {
            arguments,
            start: start.to_owned(),
            command,
            input,
        };
        if job.arguments.negate.is_some() {
            job.check_files()?;
        }
        Ok(job)
    }

    /// `--negate` runs the program on other files. Checks that it can be given them without changing the user's.
    fn check_files(&self) -> Result<(), Failure> {
        let lost = |path: &&PathBuf| !is_below(path) && self.argument_with(path).is_none();
        match self.input.files.iter().map(|(path, _)| path).find(lost) {
            Some(path) => Err(Failure::usage(format!(
                "another {} cannot be given to the program",
                path.display()
            ))
            .hint("name a file below the current directory, or one that is an argument of PROG")),
            None => Ok(()),
        }
    }

    /// The argument that names this file, by whatever path.
    pub fn argument_with(&self, path: &Path) -> Option<usize> {
        let arguments = &self.input.arguments;
        let is_file = |argument: &OsString| is_same(Path::new(argument), path);
        arguments.iter().position(is_file)
    }

    /// The input with some bytes changed.
    pub fn change(
        &self,
        sources: &[InputSource],
        changes: impl IntoIterator<Item = (InputByte, u8)>,
    ) -> ProgramInput {
        let mut input = self.input.clone();
        for (byte, value) in changes {
            input.put(&sources[byte.source], byte.offset, value);
        }
        for argument in &mut input.arguments {
            // An argument ends where a C string does.
            if let Some(end) = argument.as_bytes().iter().position(|byte| *byte == 0) {
                *argument = OsStr::from_bytes(&argument.as_bytes()[..end]).to_owned();
            }
        }
        input
    }

    /// The shell command that runs the program on the input in these files.
    pub fn command_on(&self, written: &[(InputSource, PathBuf)]) -> String {
        let mut words: Vec<String> = self
            .command
            .words
            .iter()
            .map(|word| quote::word(word))
            .collect();
        let mut redirection = self.arguments.stdin.clone();
        for (source, path) in written {
            match source {
                InputSource::Stdin => redirection = Some(path.clone()),
                InputSource::Argument(number) => {
                    words[*number] = format!("\"$(cat {})\"", quote::word(path.as_os_str()));
                }
                InputSource::File(file) => match self.argument_with(file) {
                    Some(index) => words[index + 1] = quote::word(path.as_os_str()),
                    None => return String::new(),
                },
            }
        }
        let mut text = words.join(" ");
        if let Some(path) = redirection {
            text.push_str(&format!(" < {}", quote::word(path.as_os_str())));
        }
        text
    }
}

impl ProgramInput {
    fn put(&mut self, source: &InputSource, offset: u64, value: u8) {
        let content = match source {
            InputSource::Stdin => self.stdin.as_mut(),
            InputSource::File(path) => {
                let file = self
                    .files
                    .iter_mut()
                    .find(|(known, _)| is_same(known, path));
                file.map(|(_, content)| content)
            }
            InputSource::Argument(number) => {
                let argument = number.checked_sub(1);
                let argument = argument.and_then(|number| self.arguments.get_mut(number));
                let Some(argument) = argument else { return };
                let mut bytes = std::mem::take(argument).into_vec();
                // The zero at the end may change too.
                bytes.push(0);
                if let Some(place) = bytes.get_mut(offset as usize) {
                    *place = value;
                }
                if bytes.last() == Some(&0) {
                    bytes.pop();
                }
                *argument = OsString::from_vec(bytes);
                return;
            }
        };
        if let Some(place) = content.and_then(|content| content.get_mut(offset as usize)) {
            *place = value;
        }
    }

    /// The content of a source.
    pub fn content(&self, source: &InputSource) -> Option<&[u8]> {
        match source {
            InputSource::Stdin => self.stdin.as_deref(),
            InputSource::File(path) => {
                let file = self.files.iter().find(|(known, _)| is_same(known, path));
                file.map(|(_, content)| content.as_slice())
            }
            InputSource::Argument(number) => {
                let argument = self.arguments.get(number.checked_sub(1)?)?;
                Some(argument.as_bytes())
            }
        }
    }
}

/// Whether a path stays below the current directory.
pub fn is_below(path: &Path) -> bool {
    path.components()
        .all(|component| matches!(component, Component::Normal(_) | Component::CurDir))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || real(one) == real(other)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    file::read(path, file::BIGGEST_INPUT).map_err(|error| {
        let shown = path.display();
        Failure::usage(format!("failed to read {shown}: {}", plain(&error)))
    })
}

/// What is piped into yester.
fn piped() -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        return Err(Failure::usage("there is no standard input to follow")
            .hint("use --stdin FILE, or pipe the input into yester"));
    }
    let too_big = || io::Error::other("it is too big");
    file::read_to(io::stdin(), file::BIGGEST_INPUT, too_big)
        .map_err(|error| Failure::io("read the standard input", &error))
}
