//! The arguments of `yester trace`, checked before anything runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use yester_path::{InputSource, ProgramInput, is_below};

use yester_report::quote;
use yester_run::Events;

use crate::cli::TraceArguments;
use crate::cli::suspicion;
use crate::command::UserCommand;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::output;
use crate::user_file;

pub struct TraceJob {
    pub arguments: TraceArguments,
    pub start: PathBuf,
    pub command: UserCommand,
    pub input: ProgramInput,
}

impl TraceJob {
    pub fn new(
        mut arguments: TraceArguments,
        start: &Path,
        events: &Events,
    ) -> Result<TraceJob, Failure> {
        let command = UserCommand::find(std::mem::take(&mut arguments.command), start)?;
        let shell = suspicion::shell_word(&command.words);
        if let Some(note) = shell {
            events.say(&note);
        }
        for output in arguments.output.iter().chain(&arguments.smt) {
            output::check_writable(output)?;
        }
        let mut input = ProgramInput {
            arguments: command.arguments().to_vec(),
            stdin: None,
            files: Vec::new(),
        };
        if let Some(path) = &arguments.stdin {
            input.stdin = Some(Arc::new(user_file::read_or_piped(path)?));
        }
        for source in &arguments.symbolic {
            match source {
                InputSource::Stdin if input.stdin.is_none() => {
                    input.stdin = Some(Arc::new(user_file::piped()?))
                }
                InputSource::Stdin => {}
                InputSource::Argument(0) => {
                    return Err(Failure::usage("arg:0 is the name of the program")
                        .hint("the first argument is arg:1"));
                }
                InputSource::Argument(number) if *number > input.arguments.len() => {
                    return Err(Failure::usage(format!("there is no argument {number}"))
                        .hint("the first argument after PROG is arg:1"));
                }
                InputSource::Argument(_) | InputSource::Intervention => {}
                InputSource::File(path) => input
                    .files
                    .push((path.clone(), Arc::new(user_file::read(path)?))),
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
        let lost = |path: &&PathBuf| !is_below(path) && self.input.argument_with(path).is_none();
        match self.input.files.iter().map(|(path, _)| path).find(lost) {
            Some(path) => Err(Failure::usage(format!(
                "another {} cannot be given to the program",
                path.display()
            ))
            .hint("name a file below the current directory, or one that is an argument of PROG")),
            None => Ok(()),
        }
    }

    /// The name of the run. Calls at the same time are different runs.
    pub fn run_name(&self) -> String {
        let mut identity = Identity::default();
        identity.add("process", std::process::id().to_string());
        identity.add("start", &self.start);
        identity.name(
            "trace",
            self.command.program.file_name().unwrap_or_default(),
        )
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
                InputSource::File(file) => match self.input.argument_with(file) {
                    Some(index) => words[index + 1] = quote::word(path.as_os_str()),
                    None => return String::new(),
                },
                InputSource::Intervention => {}
            }
        }
        let mut text = words.join(" ");
        if let Some(path) = redirection {
            text.push_str(&format!(" < {}", quote::word(path.as_os_str())));
        }
        text
    }
}
