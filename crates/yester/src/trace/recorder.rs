//! Runs the program and reads what it recorded.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use yester_core::{Candidate, Entry};
use yester_path::{InputSource, Recording, RecordingError, fix_addresses, processes};
use yester_run::{
    Action, ActionEvent, Ending, Executor, InPlace, Invocation, LocalExecutor, LocalSettings,
    Observation, Sandbox, Subject, Wakeup, scratch_directory,
};

use super::job::{ProgramInput, TraceJob, is_below};
use crate::driver::PROGRAM;
use crate::failure::{Exit, Failure, without_number};
use crate::identity::Identity;
use crate::interrupt;

/// Runs the program in scratch directories, where its recordings go.
pub struct TraceRecorder<'a> {
    job: &'a TraceJob,
    executor: LocalExecutor,
    scratch: PathBuf,
    runs: u64,
}

/// One run of the program.
pub struct Recorded {
    pub recording: Recording,
    pub observation: Observation,
    /// How many other processes were recorded.
    pub others: usize,
}

impl<'a> TraceRecorder<'a> {
    pub fn open(job: &'a TraceJob) -> Result<TraceRecorder<'a>, Failure> {
        // Where the system forbids it, runs differ at worst in what depends on addresses.
        let _ = fix_addresses();
        let name = job.command.program.file_name().unwrap_or_default();
        let mut identity = Identity::default();
        // Two calls at the same time need two directories.
        identity.add("process", std::process::id().to_string());
        identity.add("start", &job.start);
        let scratch = scratch_directory(&identity.name("trace", name));
        let executor = LocalExecutor::open(LocalSettings {
            warden: PROGRAM.into(),
            jobs: 1,
            sandbox: Sandbox::Auto,
            scratch: scratch.clone(),
            visible: vec![job.start.clone()],
            interrupt: Some(
                interrupt::descriptor()
                    .map_err(|error| Failure::io("watch for signals", &error))?,
            ),
            keep: false,
            complain: None,
        });
        let executor = executor.map_err(|error| {
            Failure::io("make a directory for the recording", &error)
                .hint("set TMPDIR to another directory")
        })?;
        Ok(TraceRecorder {
            job,
            executor,
            scratch,
            runs: 0,
        })
    }

    /// Runs the program as the user would, and follows its input.
    pub fn trace(&mut self) -> Result<Recorded, Failure> {
        let sources = self
            .job
            .arguments
            .symbolic
            .iter()
            .map(InputSource::to_string);
        let sources: Vec<String> = sources.collect();
        let timeout = self.job.arguments.timeout.unwrap_or(Duration::MAX);
        self.record(&self.job.input, &sources.join("\n"), timeout)
    }

    /// Runs it on another input, to see which path it takes. The user's files are not changed.
    pub fn try_out(
        &mut self,
        input: &ProgramInput,
        timeout: Duration,
    ) -> Result<Recorded, Failure> {
        self.record(input, "", timeout)
    }

    fn record(
        &mut self,
        input: &ProgramInput,
        symbolic: &str,
        timeout: Duration,
    ) -> Result<Recorded, Failure> {
        self.runs += 1;
        let failed = |error: io::Error| Failure::io("prepare a run", &error);
        let own = self.scratch.join(format!("run-{}", self.runs));
        let records = own.join("record");
        fs::create_dir_all(&records).map_err(failed)?;
        let action = self
            .action(input, symbolic, timeout, &own)
            .map_err(failed)?;
        let observation = self.perform(&action)?;
        if let Ending::NotStarted(reason) = &observation.ending {
            let reason = &reason.reason;
            return Err(Failure::usage(format!(
                "the program cannot be run: {reason}"
            )));
        }
        let found = processes(&records).map_err(|error| Failure::io("read a recording", &error))?;
        let recording = match found.first() {
            Some(directory) => Recording::open(directory),
            None => Err(RecordingError::Missing(records.clone())),
        };
        let recording = recording.map_err(|error| self.complaint(&error, &observation))?;
        Ok(Recorded {
            recording,
            observation,
            others: found.len() - 1,
        })
    }

    fn complaint(&self, error: &RecordingError, observation: &Observation) -> Failure {
        if !matches!(error, RecordingError::Missing(_)) {
            return recording_failure(error);
        }
        let has_compiler = env::var_os("PATH").is_some_and(|path| {
            env::split_paths(&path).any(|directory| directory.join("yester-cc").is_file())
        });
        let name = self.job.command.words[0].to_string_lossy();
        let message = format!(
            "{name} recorded nothing ({}): it was not built with yester-cc",
            observation.ending
        );
        let build = "rebuild the program with it, for example: make clean && make CC=yester-cc CXX=yester-c++";
        Failure::usage(message).hint(match has_compiler {
            true => build.to_owned(),
            false => format!("run make install in yester's sources to get yester-cc; then {build}"),
        })
    }

    fn action(
        &self,
        input: &ProgramInput,
        symbolic: &str,
        timeout: Duration,
        own: &Path,
    ) -> io::Result<Action> {
        let mut arguments = input.arguments.clone();
        let mut entries = BTreeMap::new();
        let pairs = input.files.iter().zip(&self.job.input.files);
        for (index, ((path, content), (_, before))) in pairs.enumerate() {
            if content == before {
                continue;
            }
            // If the argument names the file differently, the program would not find a copy below this directory.
            let argument = self.job.argument_with(path);
            let is_named = argument.is_none_or(|number| arguments[number] == *path);
            if is_below(path) && is_named {
                let entry = Entry::File {
                    content: content.clone().into(),
                    executable: false,
                };
                let path: PathBuf = path.components().collect();
                entries.insert(path.to_string_lossy().into_owned(), entry);
            } else if let Some(argument) = argument {
                let place = own.join(format!("file-{index}"));
                fs::write(&place, content)?;
                arguments[argument] = place.into();
            }
        }
        let stdin = match &input.stdin {
            Some(content) => {
                let place = own.join("stdin");
                fs::write(&place, content)?;
                Some(place.into())
            }
            None => None,
        };
        let elsewhere = !entries.is_empty();
        let (subject, candidate) = match elsewhere {
            true => (
                Subject::Tree {
                    base: self.job.start.clone(),
                },
                Candidate::Tree(entries),
            ),
            false => (Subject::Files, Candidate::Tree(BTreeMap::new())),
        };
        let ours = |name: &OsString| name.to_string_lossy().starts_with("YESTER_");
        let mut environment: Vec<(OsString, OsString)> =
            env::vars_os().filter(|(name, _)| !ours(name)).collect();
        environment.push(("YESTER_RECORD".into(), own.join("record").into()));
        if !symbolic.is_empty() {
            environment.push(("YESTER_SYMBOLIC".into(), symbolic.into()));
        }
        if let Some(limit) = env::var_os("YESTER_RECORD_LIMIT") {
            environment.push(("YESTER_RECORD_LIMIT".into(), limit));
        }
        Ok(Action {
            invocation: Arc::new(Invocation {
                program: self.job.command.program.clone().into(),
                program_in_tree: None,
                arguments,
                environment,
                stdin: false,
                timeout,
                memory: None,
                build: None,
                in_place: Some(InPlace {
                    directory: (!elsewhere).then(|| self.job.start.clone().into()),
                    stdin,
                }),
            }),
            subject: Arc::new(subject),
            candidate,
            trial: self.runs,
            fresh: true,
            watch: false,
        })
    }

    fn perform(&mut self, action: &Action) -> Result<Observation, Failure> {
        let failed = |error: io::Error| Failure::io("run the program", &error);
        self.executor.start(0, action).map_err(failed)?;
        loop {
            match self.executor.wait(None).map_err(failed)? {
                Wakeup::Worker(_, ActionEvent::Done(observation)) => return Ok(*observation),
                Wakeup::Worker(worker, ActionEvent::Built(_)) => self.executor.go_on(worker),
                Wakeup::Deadline => {}
                // The program ends with the executor.
                Wakeup::Interrupted => {
                    interrupt::heard();
                    return Err(interrupt::interrupted(
                        "--timeout TIME stops the program after that time and shows what it did until then",
                    ));
                }
            }
        }
    }
}

/// The failure for a recording that cannot be read.
pub fn recording_failure(error: &RecordingError) -> Failure {
    Failure {
        exit: Exit::Limit,
        message: without_number(&error.to_string()),
        evidence: Vec::new(),
        hint: Some(error.hint().to_owned()),
    }
}
