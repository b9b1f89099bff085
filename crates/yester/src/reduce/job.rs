//! What a call of `yester reduce` asks for, checked before anything runs.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_run::{ExitMeaning, Expectation, Invocation, SameFailure, Subject};

use super::input::Input;
use super::output;
use super::search::Method;

use crate::cli::{ReduceArguments, TimeoutMeaning};
use crate::command::UserCommand;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::{driver, quote};

pub struct ReduceJob {
    pub arguments: ReduceArguments,
    pub start: PathBuf,
    pub command: UserCommand,
    pub input: Input,
    pub method: Method,
    pub name: OsString,
    pub output: PathBuf,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

impl ReduceJob {
    pub fn new(mut arguments: ReduceArguments, start: &Path) -> Result<ReduceJob, Failure> {
        let command = UserCommand::find(std::mem::take(&mut arguments.command), start)?;
        let file = &arguments.file;
        let input = Input::read(file, &arguments.run.state_dir)?;
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
        let name = real
            .file_name()
            .unwrap_or(OsStr::new("directory"))
            .to_owned();
        let output = match &arguments.output {
            Some(output) => output.clone(),
            None => output::with_word(&real, "reduced"),
        };
        output::check(&output, file, &input)?;
        arguments.reading.check()?;
        let mut job = ReduceJob {
            arguments,
            start: start.to_owned(),
            command,
            input,
            method,
            name,
            output,
            run: String::new(),
        };
        job.run = job.identity()?.name("reduce", &job.name);
        Ok(job)
    }

    pub fn subject(&self) -> Subject {
        self.input.subject(&self.name)
    }

    pub fn invocation(&self) -> Invocation {
        Invocation {
            program: self.command.program.clone().into(),
            program_in_tree: None,
            arguments: self.command.arguments().to_vec(),
            environment: self.arguments.trial.environment(&self.start),
            stdin: self.arguments.stdin,
            // The baseline sets it.
            timeout: Duration::MAX,
            memory: self.arguments.trial.memory,
            build: None,
            in_place: None,
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
            // The input shrinks, so that numbers in messages change.
            same_failure: SameFailure::Message,
        }
    }

    /// Directories that the test must be able to read in every sandbox.
    pub fn visible(&self) -> Result<Vec<PathBuf>, Failure> {
        let files = self.command.files(&self.start)?;
        Ok(driver::visible(&files, &[&self.start]))
    }

    /// The user's command on a file that lies at `path`, to be copied into a shell.
    pub fn command_on(&self, path: &Path) -> String {
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
        let mut words = self.command.words.clone();
        words[0] = self.command.program.clone().into();
        let words = words.iter().map(|word| {
            let place = match self.input {
                Input::File { .. } => self.name.to_string_lossy(),
                Input::Directory(_) => ".".into(),
            };
            word.to_string_lossy().replace("{}", &place)
        });
        let words: Vec<OsString> = words.map(OsString::from).collect();
        let stdin = match self.arguments.stdin {
            true => format!(" < {}", quote::word(&self.name)),
            false => String::new(),
        };
        let command = quote::command(words.iter().map(OsString::as_os_str));
        let start = quote::word(self.start.as_os_str());
        format!(
            "cd {} && YESTER_START={start} {command}{stdin}",
            quote::word(directory.as_os_str())
        )
    }

    fn identity(&self) -> Result<Identity, Failure> {
        let ReduceArguments {
            exit,
            reading,
            trial,
            ..
        } = &self.arguments;
        let mut identity = Identity::default();
        identity.add("version", env!("CARGO_PKG_VERSION"));
        identity.add("start", &self.start);
        // Two runs must not share a directory for their trials.
        identity.add("state", self.start.join(&self.arguments.run.state_dir));
        identity.add("name", &self.name);
        identity.add("content", self.input.candidate().hash().to_string());
        identity.add("method", format!("{:?}", self.arguments.method));
        for file in self.arguments.method.files() {
            identity.add_file(file)?;
        }
        for word in &self.command.words {
            identity.add("word", word);
        }
        for file in self.command.files(&self.start)? {
            identity.add_file(&file)?;
        }
        for rule in &reading.fail_if {
            identity.add("fail-if", rule.to_string());
        }
        let rest = (
            (
                exit.interesting,
                exit.failing,
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
