//! Runs a program on given inputs, under the containment and limits of any trial, and reads what it recorded.

use std::cell::RefCell;
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
use yester_run::{Action, Ending, InPlace, Invocation, Observation, Subject};

use super::confinement::Confinement;
use super::input::{ProgramInput, is_below};
use super::pool::Pool;
use super::run_directory::RunDirectory;
use crate::command::UserCommand;
use crate::failure::{Exit, Failure, without_number};
use crate::identity::Identity;

/// What to run, and how.
pub struct RecorderSettings<'a> {
    /// The command that runs, which names the scratch directory.
    pub label: &'static str,
    /// The program.
    pub command: &'a UserCommand,
    /// Where it runs.
    pub start: &'a Path,
    /// Its input as the user gave it. Files that a run changes are put beside the user's.
    pub input: &'a ProgramInput,
    /// Whether every run has a copy of `start` of its own, so that nothing that the program writes stays.
    pub in_copies: bool,
    /// The path of the program in `start`, if that has it and runs have copies of it.
    pub program_in_tree: Option<OsString>,
    /// What the program's environment has besides our own.
    pub environment: Vec<(OsString, OsString)>,
    /// How many runs may go on at once.
    pub jobs: usize,
    /// How tightly to contain them.
    pub confinement: Confinement,
    /// What to do after an interruption.
    pub hint: &'static str,
}

/// One run that is wanted.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The input.
    pub input: &'a ProgramInput,
    /// What of the input is followed. If nothing is, only the path is recorded, and much faster.
    pub symbolic: &'a [InputSource],
    /// How long it may take.
    pub timeout: Duration,
}

/// Runs the program in scratch directories, where its recordings go.
pub struct Recorder<'a> {
    settings: RecorderSettings<'a>,
    pool: Pool,
    runs: u64,
}

/// One run of the program.
pub struct Recorded {
    pub recording: Recording,
    pub observation: Observation,
    /// How many other processes were recorded.
    pub others: usize,
    /// The recording reads its events from here.
    _directory: RunDirectory,
}

impl<'a> Recorder<'a> {
    pub fn open(settings: RecorderSettings<'a>) -> Result<Recorder<'a>, Failure> {
        // Where the system forbids it, runs differ at worst in what depends on addresses.
        let _ = fix_addresses();
        let name = settings.command.program.file_name().unwrap_or_default();
        let mut identity = Identity::default();
        // Two calls at the same time need two directories.
        identity.add("process", std::process::id().to_string());
        identity.add("start", settings.start);
        let pool = Pool::open(
            &identity.name(settings.label, name),
            settings.start,
            &settings.command.files(settings.start)?,
            settings.jobs,
            settings.confinement.clone(),
            settings.hint,
        )?;
        Ok(Recorder {
            settings,
            pool,
            runs: 0,
        })
    }

    /// The directory that all runs have theirs in.
    pub fn scratch(&self) -> &Path {
        self.pool.scratch()
    }

    /// Runs the program once.
    pub fn run(&mut self, run: Run<'_>) -> Result<Recorded, Failure> {
        let mut all = self.run_all(&[run])?;
        all.pop().expect("one run has one result")
    }

    /// Runs the program on several inputs, as many at once as there are jobs. The results are in the order of the inputs,
    /// whatever the number of jobs. The outer failure is one of ours or an interruption, and ends all runs.
    pub fn run_all(&mut self, runs: &[Run<'_>]) -> Result<Vec<Result<Recorded, Failure>>, Failure> {
        let recorded = self.carry_out(runs, RecorderSettings::read)?;
        // A run that left no recording is the program's doing. One that cannot be read now is not.
        let (mut read, mut failure) = (Vec::new(), None);
        for one in recorded {
            match one {
                Err(error) if error.code == Some(SYSTEM) => failure = failure.or(Some(error)),
                one => read.push(one),
            }
        }
        failure.map_or(Ok(read), Err)
    }

    /// Runs a program that need not be instrumented on several inputs, as [`run_all`](Self::run_all) does.
    pub fn observe_all(&mut self, runs: &[Run<'_>]) -> Result<Vec<Observation>, Failure> {
        self.carry_out(runs, |_, _, observation| observation)
    }

    fn carry_out<T>(
        &mut self,
        runs: &[Run<'_>],
        read: impl Fn(&RecorderSettings<'a>, RunDirectory, Observation) -> T,
    ) -> Result<Vec<T>, Failure> {
        let mut results: Vec<Option<T>> = Vec::new();
        results.resize_with(runs.len(), || None);
        let mut directories: Vec<Option<RunDirectory>> = Vec::new();
        directories.resize_with(runs.len(), || None);
        let directories = RefCell::new(directories);
        let Recorder {
            settings,
            pool,
            runs: started,
        } = self;
        pool.carry_out(
            runs.len(),
            |index, exchange| {
                *started += 1;
                let failed = |error: io::Error| Failure::io("prepare a run", &error);
                let directory = RunDirectory::new(exchange, *started).map_err(failed)?;
                fs::create_dir(directory.path().join("record")).map_err(failed)?;
                let action = settings.action(&runs[index], directory.path(), *started);
                directories.borrow_mut()[index] = Some(directory);
                action.map_err(failed)
            },
            |index, observation| {
                let directory = directories.borrow_mut()[index].take();
                let directory = directory.expect("it was made for this run");
                results[index] = Some(read(settings, directory, observation));
            },
        )?;
        Ok(results
            .into_iter()
            .map(|result| result.expect("each run has ended"))
            .collect())
    }
}

impl RecorderSettings<'_> {
    /// Reads what a run has left.
    fn read(&self, directory: RunDirectory, observation: Observation) -> Result<Recorded, Failure> {
        if let Ending::NotStarted(reason) = &observation.ending {
            let reason = &reason.reason;
            return Err(Failure::usage(format!(
                "the program cannot be run: {reason}"
            )));
        }
        let records = directory.path().join("record");
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
            _directory: directory,
        })
    }

    fn complaint(&self, error: &RecordingError, observation: &Observation) -> Failure {
        if !matches!(error, RecordingError::Missing(_)) {
            return recording_failure(error);
        }
        let has_compiler = env::var_os("PATH").is_some_and(|path| {
            env::split_paths(&path).any(|directory| directory.join("yester-cc").is_file())
        });
        let name = self.command.words[0].to_string_lossy();
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

    fn action(&self, run: &Run<'_>, own: &Path, trial: u64) -> io::Result<Action> {
        let input = run.input;
        let mut arguments = input.arguments.clone();
        let mut entries = BTreeMap::new();
        let pairs = input.files.iter().zip(&self.input.files);
        for (index, ((path, content), (_, before))) in pairs.enumerate() {
            if content == before {
                continue;
            }
            // If the argument names the file differently, the program would not find a copy below this directory.
            let argument = self.input.argument_with(path);
            let is_named = argument.is_none_or(|number| arguments[number] == *path);
            if is_below(path) && is_named {
                let entry = Entry::File {
                    content: content.as_slice().into(),
                    executable: false,
                };
                let path: PathBuf = path.components().collect();
                entries.insert(path.to_string_lossy().into_owned(), entry);
            } else if let Some(argument) = argument {
                let place = own.join(format!("file-{index}"));
                fs::write(&place, content.as_slice())?;
                arguments[argument] = place.into();
            }
        }
        let stdin = match &input.stdin {
            Some(content) => {
                let place = own.join("stdin");
                fs::write(&place, content.as_slice())?;
                Some(place.into())
            }
            None => None,
        };
        let elsewhere = self.in_copies || !entries.is_empty();
        let (subject, candidate) = match elsewhere {
            true => (
                Subject::Tree {
                    base: self.start.to_owned(),
                },
                Candidate::Tree(entries),
            ),
            false => (Subject::Files, Candidate::Tree(BTreeMap::new())),
        };
        let ours = |name: &OsString| name.to_string_lossy().starts_with("YESTER_");
        let mut environment: Vec<(OsString, OsString)> =
            env::vars_os().filter(|(name, _)| !ours(name)).collect();
        environment.extend(self.environment.iter().cloned());
        environment.push(("YESTER_RECORD".into(), own.join("record").into()));
        if !run.symbolic.is_empty() {
            let sources: Vec<String> = run.symbolic.iter().map(InputSource::to_string).collect();
            environment.push(("YESTER_SYMBOLIC".into(), sources.join("\n").into()));
        }
        if let Some(limit) = env::var_os("YESTER_RECORD_LIMIT") {
            environment.push(("YESTER_RECORD_LIMIT".into(), limit));
        }
        let is_guarded = self.confinement.guards(input != self.input);
        Ok(Action {
            invocation: Arc::new(Invocation {
                program: self.command.program.clone().into(),
                program_in_tree: self.program_in_tree.clone(),
                arguments,
                environment,
                stdin: false,
                timeout: run.timeout,
                memory: self.confinement.memory(is_guarded, self.jobs),
                is_guarded,
                build: None,
                helpers: Vec::new(),
                in_place: Some(InPlace {
                    directory: (!elsewhere).then(|| self.start.to_owned().into()),
                    stdin,
                }),
            }),
            subject: Arc::new(subject),
            candidate,
            trial,
            fresh: true,
            watch: false,
        })
    }
}

/// The code of errors of the system.
const SYSTEM: &str = "system";

/// The failure for a recording that cannot be read.
pub fn recording_failure(error: &RecordingError) -> Failure {
    Failure {
        exit: Exit::Limit,
        code: matches!(error, RecordingError::Io { .. }).then_some(SYSTEM),
        message: without_number(&error.to_string()),
        evidence: Vec::new(),
        hint: Some(error.hint().to_owned()),
    }
}
