//! What a call of `yester reduce` asks for, checked before anything runs.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_run::{ExitMeaning, Expectation, Invocation, RunDirectory, RunDirectoryError, Subject};

use super::input::Input;
use super::output;
use super::search::Method;

use crate::cli::{ReduceArguments, TimeoutMeaning};
use crate::command::Command;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::quote;

pub struct Job {
    pub arguments: ReduceArguments,
    pub start: PathBuf,
    pub command: Command,
    pub input: Input,
    pub method: Method,
    pub name: OsString,
    pub output: PathBuf,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

impl Job {
    pub fn new(mut arguments: ReduceArguments, start: &Path) -> Result<Job, Failure> {
        let command = Command::find(std::mem::take(&mut arguments.command), start)?;
        let file = &arguments.file;
        let input = Input::read(file, &arguments.run.state_dir)?;
        if matches!(input, Input::Directory(_)) && arguments.trial.stdin {
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
        if arguments.reading.timeout_means == TimeoutMeaning::Fail
            && arguments.reading.timeout.is_none()
        {
            return Err(
                Failure::usage("--timeout-means fail needs to know how long is too long")
                    .hint("add --timeout TIME, such as --timeout 5s"),
            );
        }
        let mut job = Job {
            arguments,
            start: start.to_owned(),
            command,
            input,
            method,
            name,
            output,
            run: String::new(),
        };
        job.run = job.identity().name("reduce", &job.name);
        Ok(job)
    }

    /// Opens the directory of this run.
    pub fn open(&self, fresh: bool) -> Result<RunDirectory, Failure> {
        let state = &self.arguments.run.state_dir;
        RunDirectory::open(state, &self.run, fresh).map_err(|error| match &error {
            RunDirectoryError::Busy { .. } => Failure::usage(&error)
                .hint("wait for it, stop it, or give this one another --state-dir"),
            RunDirectoryError::Io { error: cause, .. }
                if cause.kind() == io::ErrorKind::StorageFull =>
            {
                Failure::io(format!("use {}", state.display()), cause)
            }
            RunDirectoryError::Io { .. } => {
                Failure::usage(&error).hint("--state-dir DIR keeps the run somewhere else")
            }
        })
    }

    pub fn subject(&self) -> Subject {
        self.input.subject(&self.name)
    }

    pub fn invocation(&self) -> Invocation {
        let mut environment: Vec<(OsString, OsString)> = env::vars_os().collect();
        environment.push(("YESTER_START".into(), self.start.clone().into()));
        if let Some(seed) = self.arguments.trial.seed {
            environment.push(("YESTER_SEED".into(), seed.to_string().into()));
        }
        Invocation {
            program: self.command.program.clone().into(),
            program_in_tree: None,
            arguments: self.command.arguments().to_vec(),
            environment,
            stdin: self.arguments.trial.stdin,
            // The baseline sets it.
            timeout: Duration::MAX,
            memory: self.arguments.trial.memory,
        }
    }

    pub fn expectation(&self, scratch: &Path) -> Expectation {
        let reading = &self.arguments.reading;
        let exit = match (reading.interesting, reading.failing) {
            (true, _) => Some(ExitMeaning::Interesting),
            (_, true) => Some(ExitMeaning::Passing),
            _ => None,
        };
        let directories = (0..self.jobs())
            .map(|worker| worker.to_string())
            .chain(["work".to_owned()]);
        let mut names: Vec<String> = directories
            .map(|directory| {
                scratch
                    .join(directory)
                    .join(&self.name)
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.push(self.name.to_string_lossy().into_owned());
        Expectation {
            exit,
            rules: reading.fail_if.clone(),
            timeout: reading.timeout,
            timeout_fails: reading.timeout_means == TimeoutMeaning::Fail,
            repeat: reading.repeat,
            doubtful: false,
            names,
        }
    }

    pub fn jobs(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.arguments.trial.jobs.unwrap_or_else(processors)
    }

    /// Directories that the test must be able to read in every sandbox.
    pub fn visible(&self) -> Vec<PathBuf> {
        let files: Vec<PathBuf> = self
            .command
            .files(&self.start)
            .into_iter()
            .flat_map(|file| [file.canonicalize().unwrap_or_else(|_| file.clone()), file])
            .collect();
        let directories = files
            .iter()
            .filter_map(|file| file.parent())
            .map(Path::to_owned);
        let all: BTreeSet<PathBuf> = directories.chain([self.start.clone()]).collect();
        // What lies in another one is visible with it.
        all.iter()
            .filter(|one| {
                !all.iter()
                    .any(|other| other != *one && one.starts_with(other))
            })
            .cloned()
            .collect()
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
        if self.arguments.trial.stdin {
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
        let stdin = match self.arguments.trial.stdin {
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

    fn identity(&self) -> Identity {
        let ReduceArguments { reading, trial, .. } = &self.arguments;
        let mut identity = Identity::default();
        identity.add("version", env!("CARGO_PKG_VERSION"));
        identity.add("start", &self.start);
        // Two runs must not share a directory for their trials.
        identity.add("state", self.start.join(&self.arguments.run.state_dir));
        identity.add("name", &self.name);
        identity.add("content", self.input.candidate().hash().to_string());
        identity.add("method", format!("{:?}", self.arguments.method));
        for file in self.arguments.method.files() {
            identity.add_file(file);
        }
        for word in &self.command.words {
            identity.add("word", word);
        }
        for file in self.command.files(&self.start) {
            identity.add_file(&file);
        }
        for rule in &reading.fail_if {
            identity.add("fail-if", rule.to_string());
        }
        let rest = (
            (
                reading.interesting,
                reading.failing,
                reading.timeout,
                reading.timeout_means,
                reading.repeat,
            ),
            (trial.stdin, trial.sandbox, trial.memory, trial.seed),
        );
        identity.add("flags", format!("{rest:?}"));
        identity
    }
}
