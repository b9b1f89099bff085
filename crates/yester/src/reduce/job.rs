//! What a call of `yester reduce` asks for, checked before anything runs.

use std::collections::BTreeSet;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use yester_run::{
    ExitMeaning, Expectation, Invocation, RunDirectory, RunDirectoryError, Subject,
    write_atomically,
};

use crate::cli::{ReduceArguments, TimeoutMeaning};
use crate::command::Command;
use crate::failure::{Exit, Failure, plain};
use crate::identity::Identity;
use crate::quote;

pub struct Job {
    pub arguments: ReduceArguments,
    pub start: PathBuf,
    pub command: Command,
    pub content: Arc<[u8]>,
    pub name: OsString,
    pub executable: bool,
    pub output: PathBuf,
    /// The name of the run that this call is, the first time and every time after.
    pub run: String,
}

impl Job {
    pub fn new(mut arguments: ReduceArguments, start: &Path) -> Result<Job, Failure> {
        let command = Command::find(std::mem::take(&mut arguments.command), start)?;
        let file = &arguments.file;
        let (content, executable) = read(file)?;
        let name = file
            .file_name()
            .expect("a file that was read has a name")
            .to_owned();
        let output = match &arguments.output {
            Some(output) => output.clone(),
            None => with_reduced(file),
        };
        check_output(&output, file)?;
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
            content: content.into(),
            name,
            executable,
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
        Subject::File {
            name: self.name.clone(),
            executable: self.executable,
        }
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

    /// Writes the answer where the user wants it.
    pub fn write_output(&self, content: &[u8]) -> Result<(), Failure> {
        let mode = if self.executable { 0o755 } else { 0o644 };
        let written = match fs::metadata(&self.output) {
            // A device or a pipe is written to, never replaced.
            Ok(metadata) if !metadata.is_file() => fs::write(&self.output, content),
            found => {
                // A link stays a link.
                let path = found
                    .and_then(|_| self.output.canonicalize())
                    .unwrap_or_else(|_| self.output.clone());
                write_atomically(&path, content)
                    .and_then(|()| fs::set_permissions(&path, Permissions::from_mode(mode)))
            }
        };
        written.map_err(|error| Failure::io(format!("write {}", self.output.display()), &error))
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
            word.to_string_lossy()
                .replace("{}", &self.name.to_string_lossy())
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
        identity.add("content", blake3::hash(&self.content).to_hex().as_str());
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

fn read(file: &Path) -> Result<(Vec<u8>, bool), Failure> {
    let shown = file.display();
    let fail =
        |error: &io::Error| Failure::usage(format!("failed to read {shown}: {}", plain(error)));
    let metadata = match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Failure::usage(format!("there is no file {shown}"))
                .hint("yester reduce FILE -- COMMAND: FILE is the input that makes COMMAND fail"));
        }
        other => other.map_err(|error| fail(&error))?,
    };
    if metadata.is_dir() {
        return Err(Failure::usage(format!("{shown} is a directory"))
            .hint("name the one file that makes the command fail"));
    }
    if !metadata.is_file() {
        return Err(Failure::usage(format!("{shown} is no regular file")));
    }
    let content = fs::read(file).map_err(|error| fail(&error))?;
    Ok((content, metadata.permissions().mode() & 0o111 != 0))
}

/// `dir/input.c` becomes `dir/input.reduced.c`.
fn with_reduced(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(".reduced");
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    file.with_file_name(name)
}

/// Hours of work must not end with a path that cannot be written.
fn check_output(output: &Path, file: &Path) -> Result<(), Failure> {
    let shown = output.display();
    if output.is_dir() {
        return Err(
            Failure::usage(format!("{shown} is a directory")).hint("-o takes the name of a file")
        );
    }
    if output
        .canonicalize()
        .is_ok_and(|path| file.canonicalize().is_ok_and(|input| path == input))
    {
        return Err(
            Failure::usage(format!("{shown} is the input, which is never changed"))
                .hint("-o takes the name of another file"),
        );
    }
    if output.exists() && !output.is_file() {
        return Ok(());
    }
    let parent = output
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let mut probe = OsString::from(".");
    probe.push(output.file_name().unwrap_or(OsStr::new("output")));
    probe.push(format!(".{}.probe", std::process::id()));
    let probe = parent.join(probe);
    let tried = File::create(&probe).and_then(|_| fs::remove_file(&probe));
    tried.map_err(|error| match error.kind() {
        io::ErrorKind::StorageFull => Failure::io(format!("write {shown}"), &error),
        _ => Failure {
            exit: Exit::Usage,
            ..Failure::io(format!("write {shown}"), &error)
        }
        .hint("-o OUT puts the result somewhere else"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_named_after_the_input() {
        for (file, output) in [
            ("input.c", "input.reduced.c"),
            ("a dir/x.tar.gz", "a dir/x.tar.reduced.gz"),
            ("plain", "plain.reduced"),
            (".hidden", ".hidden.reduced"),
        ] {
            assert_eq!(with_reduced(Path::new(file)), Path::new(output));
        }
    }
}
