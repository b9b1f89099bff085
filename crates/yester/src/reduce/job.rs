//! What a call of `yester reduce` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_report::quote;
use yester_run::{Counterpart, ExitMeaning, Expectation, Invocation, SameFailure, Subject, Trial};

use super::input::{Input, is_standard};
use super::output::{self, Destination};
use super::search::Method;
use crate::cli::{ReduceArguments, TimeoutMeaning};
use crate::command::UserCommand;
use crate::companion::Companions;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::versions::Surroundings;
use crate::{cli::suspicion, driver};

pub struct ReduceJob {
    pub arguments: ReduceArguments,
    pub start: PathBuf,
    pub command: UserCommand,
    pub input: Input,
    pub method: Method,
    pub name: OsString,
    pub destination: Destination,
    /// The files beside the candidate.
    pub companions: Companions,
    /// The directory around the input, where trials have a copy of it.
    pub surroundings: Option<Surroundings>,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

impl ReduceJob {
    pub fn new(mut arguments: ReduceArguments, start: &Path) -> Result<ReduceJob, Failure> {
        let words = std::mem::take(&mut arguments.command);
        let file = &arguments.file;
        let surroundings = match &arguments.within {
            Some(directory) => Some(Surroundings::new(
                directory,
                file,
                (start, &arguments.run.state_dir),
            )?),
            None => None,
        };
        let program_in_tree = surroundings
            .as_ref()
            .and_then(|surroundings| surroundings.program(&words));
        let mut command = match program_in_tree {
            Some(path) => UserCommand::new(path.into(), words),
            None => UserCommand::find(words, start)?,
        };
        let input = if is_standard(file) {
            Input::standard()?
        } else {
            Input::read(file, &arguments.run.state_dir)?
        };
        if matches!(input, Input::Directory(_)) && arguments.stdin {
            return Err(Failure::usage(
                "a directory cannot be given as standard input",
            ));
        }
        let method = Method::new(&arguments.method, &input, file)?;
        // `.` and `..` have another name.
        let real = match file.file_name() {
            Some(_) => file.clone(),
            None => file.canonicalize().unwrap_or_else(|_| file.clone()),
        };
        let name = if is_standard(file) {
            OsStr::new("stdin")
        } else {
            real.file_name().unwrap_or(OsStr::new("directory"))
        };
        let name = name.to_owned();
        let destination = Destination::new(&arguments, &real, &input)?;
        output::check(&destination, file, &input)?;
        arguments.reading.check()?;
        let is_own = |path: &str| match &surroundings {
            Some(surroundings) => surroundings.has(path),
            None => input.begins(path, &name),
        };
        let companions = Companions::of_input(&mut command, &arguments, start, is_own)?;
        let mut job = ReduceJob {
            arguments,
            start: start.to_owned(),
            command,
            input,
            method,
            name,
            destination,
            companions,
            surroundings,
            run: String::new(),
        };
        job.run = job.identity()?.name("reduce", &job.name);
        Ok(job)
    }

    pub fn subject(&self) -> Subject {
        match (&self.surroundings, &self.input) {
            (Some(surroundings), Input::File { executable, .. }) => {
                surroundings.subject(&self.run, *executable)
            }
            _ => self.input.subject(&self.name),
        }
    }

    pub fn invocation(&self) -> Invocation {
        Invocation {
            program: self.command.program.clone().into(),
            program_in_tree: self
                .surroundings
                .as_ref()
                .and_then(|surroundings| surroundings.program(&self.command.words))
                .map(OsString::from),
            arguments: self.command.arguments().to_vec(),
            environment: self.arguments.trial.environment(&self.start),
            stdin: self.arguments.stdin,
            // The baseline sets it.
            timeout: Duration::MAX,
            memory: self.arguments.trial.memory,
            is_guarded: false,
            build: None,
            counterpart: Counterpart::of(
                &self.arguments.counterpart,
                &self.arguments.reading.fail_if,
            ),
            has_placeholders: true,
            helpers: self.companions.helpers.clone(),
        }
    }

    pub fn expectation(&self) -> Expectation {
        let reading = &self.arguments.reading;
        let exit = match (self.arguments.exit.interesting, self.arguments.exit.failing) {
            (true, _) => Some(ExitMeaning::Interesting),
            (_, true) => Some(ExitMeaning::Passing),
            _ => None,
        };
        let directories = self.arguments.trial.worker_directories(&self.run);
        let mut names: Vec<String> = directories
            .map(|directory| directory.join(&self.name).to_string_lossy().into_owned())
            .collect();
        names.push(self.name.to_string_lossy().into_owned());
        Expectation {
            exit,
            rules: reading.fail_if.clone(),
            timeout: reading.timeout,
            build_timeout: None,
            timeout_fails: reading.timeout_means == TimeoutMeaning::Fail,
            repeat: reading.repeat,
            doubtful: false,
            names,
            same_failure: if self.arguments.exit.keep_message {
                SameFailure::WholeMessage
            } else {
                // The input shrinks, so that numbers in messages change.
                SameFailure::Message
            },
        }
    }

    /// Directories that the test must be able to read in every sandbox.
    pub fn visible(&self, base: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
        let files = self.command.files(&self.start)?;
        let places: Vec<&Path> = std::iter::once(self.start.as_path()).chain(base).collect();
        Ok(driver::visible(&files, &places))
    }

    /// The user's command on a file that lies at `path`, to be copied into a shell.
    pub fn command_on(&self, path: &Path) -> String {
        if let Some(surroundings) = &self.surroundings {
            return surroundings.command_on(path, &self.command.words, self.arguments.stdin);
        }
        let words: Vec<OsString> = self
            .command
            .words
            .iter()
            .map(|word| {
                word.to_string_lossy()
                    .replace("{}", &path.to_string_lossy())
                    .into()
            })
            .collect();
        let mut text = quote::command(words.iter().map(OsString::as_os_str));
        if self.arguments.stdin {
            text.push_str(" < ");
            text.push_str(&quote::word(path.as_os_str()));
        }
        text
    }

    /// The same where the file lies under its own name in `directory`, for commands that expect it there.
    pub fn command_in(&self, directory: &Path) -> String {
        if self.surroundings.is_some() {
            return self.command_on(&directory.join(&self.name));
        }
        let place = match self.input {
            Input::File { .. } => self.name.to_string_lossy(),
            Input::Directory(_) => ".".into(),
        };
        let words = self.command.run_on(&place);
        let stdin = if self.arguments.stdin {
            format!(" < {}", quote::word(&self.name))
        } else {
            String::new()
        };
        let command = quote::command(words.iter().map(OsString::as_os_str));
        let start = quote::word(self.start.as_os_str());
        let directory = quote::word(directory.as_os_str());
        let helpers = self.arguments.trial.with.iter();
        let helpers: String = helpers
            .map(|helper| format!("{} ", quote::word(helper.as_os_str())))
            .collect();
        let copy = if helpers.is_empty() {
            String::new()
        } else {
            format!("cp -R -- {helpers}{directory} && ")
        };
        format!("{copy}cd {directory} && YESTER_START={start} {command}{stdin}")
    }

    /// What is probably wrong with the command, after a run that shows that something is.
    pub fn suspicion(&self, trial: &Trial) -> Option<String> {
        let is_there = |path: &str| {
            let mut helpers = self.companions.helpers.iter();
            OsStr::new(path) == self.name || helpers.any(|helper| helper.path == path)
        };
        suspicion::shell_word(&self.command.words)
            .or_else(|| suspicion::missing_file(trial, &self.start, is_there))
    }

    fn identity(&self) -> Result<Identity, Failure> {
        let ReduceArguments {
            exit,
            reading,
            trial,
            ..
        } = &self.arguments;
        let state_dir = &self.arguments.run.state_dir;
        let mut identity = Identity::of_call(&self.start, state_dir);
        identity.add("name", &self.name);
        identity.add("content", self.input.candidate().hash().to_string());
        identity.add("method", format!("{:?}", self.arguments.method));
        for file in self.arguments.method.files() {
            identity.add_file(file)?;
        }
        for word in self.command.words.iter().chain(&self.arguments.counterpart) {
            identity.add("word", word);
        }
        for file in self.command.files(&self.start)? {
            identity.add_file(&file)?;
        }
        self.companions.identify(&mut identity);
        if let Some(surroundings) = &self.surroundings {
            surroundings.identify(&mut identity)?;
        }
        for rule in &reading.fail_if {
            identity.add("fail-if", rule.to_string());
        }
        let rest = (
            (
                exit.interesting,
                exit.failing,
                exit.keep_message,
                reading.timeout,
                reading.timeout_means,
                reading.repeat,
            ),
            (
                self.arguments.stdin,
                trial.sandbox,
                trial.memory,
                trial.seed,
            ),
        );
        identity.add("flags", format!("{rest:?}"));
        Ok(identity)
    }
}
