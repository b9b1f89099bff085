//! Runs a program, or a test that starts programs, while something in it is done otherwise.
//!
//! What is written into the environment is explained in the runtime (`yester-pathrt/src/force`).

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use yester_core::Candidate;
use yester_path::forced::{Profile, ResultRecord};
use yester_path::{InputSource, Recording, RecordingError, fix_addresses, processes};
use yester_run::{Action, Ending, InPlace, Invocation, Observation, Subject};

use super::confinement::Confinement;
use super::pool::Pool;
use super::recorder::recording_failure;
use super::run_directory::RunDirectory;
use crate::command::UserCommand;
use crate::failure::Failure;
use crate::file;
use crate::identity::Identity;

/// What to run, and how.
pub struct ForcerSettings<'a> {
    /// The command that runs, which names the scratch directory.
    pub label: &'static str,
    pub command: &'a UserCommand,
    /// The arguments of the command.
    pub arguments: &'a [OsString],
    /// Which of several commands it is, if there are several.
    pub number: usize,
    /// The tree that every run has a copy of.
    pub root: PathBuf,
    /// The path of the program in the tree, if that has it.
    pub program_in_tree: Option<OsString>,
    pub stdin: Option<&'a [u8]>,
    /// Besides ours.
    pub environment: Vec<(OsString, OsString)>,
    pub jobs: usize,
    pub confinement: Confinement,
    /// What to do after an interruption.
    pub hint: &'static str,
}

/// What is wanted of a run.
#[derive(Clone, Copy, Debug)]
pub enum Forcing<'a> {
    /// Nothing.
    None,
    /// To write down what every place does.
    Profile,
    /// To carry out the experiment of a plan.
    Experiment(&'a str),
    /// To carry out the experiment of a plan, and to record what becomes of the value.
    Followed(&'a str),
    /// To carry out all experiments of a plan, each in a child of the program, whose output is compared with what is expected.
    Batch { plan: &'a str, expected: &'a [u8] },
}

/// A run that has ended.
pub struct ForcedRun {
    pub observation: Observation,
    /// Of the processes of the run, if they were wanted.
    pub profiles: Vec<Profile>,
    /// Of the experiments, if they were wanted.
    pub results: Vec<ResultRecord>,
    /// Of the first process, if it was wanted and there is one that can be read. Its events are there as long as the run is being taken.
    pub recording: Option<Recording>,
}

/// Where events are recorded they are not needed: the expressions are.
const RECORD_LIMIT: &str = "1000000";

pub struct Forcer<'a> {
    settings: ForcerSettings<'a>,
    pool: Pool,
    runs: u64,
}

impl<'a> Forcer<'a> {
    pub fn open(settings: ForcerSettings<'a>) -> Result<Forcer<'a>, Failure> {
        // Pointers of one run are tried in another. Where the system forbids it, they are wild ones.
        let _ = fix_addresses();
        let name = settings.command.program.file_name().unwrap_or_default();
        let mut identity = Identity::default();
        identity.add("process", std::process::id().to_string());
        identity.add("root", &settings.root);
        identity.add("number", settings.number.to_string());
        let pool = Pool::open(
            &identity.name(settings.label, name),
            &settings.root,
            &settings.command.files(&settings.root)?,
            settings.jobs,
            settings.confinement.clone(),
            settings.hint,
        )?;
        Ok(Forcer {
            settings,
            pool,
            runs: 0,
        })
    }

    /// Whether forced runs are guarded against what their code may do.
    pub fn is_guarded(&self) -> bool {
        self.settings.confinement.guards(true)
    }

    pub fn run(&mut self, forcing: Forcing<'_>, timeout: Duration) -> Result<ForcedRun, Failure> {
        let mut found = None;
        self.run_all(&[forcing], timeout, |_, run| {
            found = Some(run);
            Ok(())
        })?;
        Ok(found.expect("one run has one result"))
    }

    /// Runs as many at once as there are jobs, and gives each as soon as it has ended.
    pub fn run_all(
        &mut self,
        wanted: &[Forcing<'_>],
        timeout: Duration,
        mut take: impl FnMut(usize, ForcedRun) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let failed = |error: io::Error| Failure::io("prepare a run", &error);
        let settings = &self.settings;
        let first = self.runs;
        self.runs += wanted.len() as u64;
        let directories: RefCell<Vec<Option<RunDirectory>>> =
            RefCell::new((0..wanted.len()).map(|_| None).collect());
        let mut failure = None;
        self.pool.carry_out(
            wanted.len(),
            |index, exchange| {
                let trial = first + index as u64;
                let directory = RunDirectory::new(exchange, trial).map_err(failed)?;
                let action = settings.action(wanted[index], directory.path(), trial, timeout);
                directories.borrow_mut()[index] = Some(directory);
                action.map_err(failed)
            },
            |index, observation| {
                let directory = directories.borrow_mut()[index].take();
                let directory = directory.expect("it was made for this run");
                let taken = settings
                    .read(wanted[index], directory.path(), observation)
                    .and_then(|run| take(index, run));
                failure = failure.take().or(taken.err());
            },
        )?;
        failure.map_or(Ok(()), Err)
    }
}

impl ForcerSettings<'_> {
    fn action(
        &self,
        forcing: Forcing<'_>,
        own: &Path,
        trial: u64,
        timeout: Duration,
    ) -> io::Result<Action> {
        let ours = |name: &OsString| name.to_string_lossy().starts_with("YESTER_");
        let mut environment: Vec<(OsString, OsString)> =
            env::vars_os().filter(|(name, _)| !ours(name)).collect();
        environment.extend(self.environment.iter().cloned());
        let mut set = |name: &str, value: PathBuf| environment.push((name.into(), value.into()));
        match forcing {
            Forcing::None => {}
            Forcing::Profile => {
                fs::create_dir(own.join("profile"))?;
                set("YESTER_FORCE_PROFILE", own.join("profile"));
                set("YESTER_FORCE_COUNTER", own.join("counter"));
            }
            Forcing::Experiment(plan) => {
                fs::write(own.join("plan"), plan)?;
                set("YESTER_FORCE", own.join("plan"));
                set("YESTER_FORCE_COUNTER", own.join("counter"));
            }
            Forcing::Followed(plan) => {
                fs::write(own.join("plan"), plan)?;
                set("YESTER_FORCE", own.join("plan"));
                fs::create_dir(own.join("record"))?;
                set("YESTER_RECORD", own.join("record"));
                set("YESTER_RECORD_LIMIT", RECORD_LIMIT.into());
                set("YESTER_SYMBOLIC", InputSource::Forced.to_string().into());
            }
            Forcing::Batch { plan, expected } => {
                fs::write(own.join("plan"), plan)?;
                set("YESTER_FORCE", own.join("plan"));
                set("YESTER_FORCE_RESULTS", own.join("results"));
                fs::write(own.join("expected"), expected)?;
                set("YESTER_FORCE_EXPECTED", own.join("expected"));
            }
        }
        let stdin = match self.stdin {
            Some(content) => {
                let place = own.join("stdin");
                fs::write(&place, content)?;
                Some(place.into())
            }
            None => None,
        };
        let is_forced = !matches!(forcing, Forcing::None | Forcing::Profile);
        let is_guarded = self.confinement.guards(is_forced);
        Ok(Action {
            invocation: Arc::new(Invocation {
                program: self.command.program.clone().into(),
                program_in_tree: self.program_in_tree.clone(),
                arguments: self.arguments.to_vec(),
                environment,
                stdin: false,
                timeout,
                memory: self.confinement.memory(is_guarded, self.jobs),
                is_guarded,
                build: None,
                helpers: Vec::new(),
                in_place: Some(InPlace {
                    directory: None,
                    stdin,
                }),
            }),
            subject: Arc::new(Subject::Tree {
                base: self.root.clone(),
            }),
            candidate: Candidate::Tree(Default::default()),
            trial,
            fresh: true,
            watch: false,
        })
    }

    /// Reads what a run has left.
    fn read(
        &self,
        forcing: Forcing<'_>,
        own: &Path,
        observation: Observation,
    ) -> Result<ForcedRun, Failure> {
        if let Ending::NotStarted(reason) = &observation.ending {
            let reason = &reason.reason;
            return Err(Failure::usage(format!(
                "the program cannot be run: {reason}"
            )));
        }
        let mut run = ForcedRun {
            observation,
            profiles: Vec::new(),
            results: Vec::new(),
            recording: None,
        };
        match forcing {
            Forcing::Profile => {
                run.profiles = Profile::read_all(&own.join("profile"))
                    .map_err(|error| Failure::io("read what the program did", &error))?;
            }
            Forcing::Followed(_) => {
                let failed = |error| Failure::io("read a recording", &error);
                let found = processes(&own.join("record")).map_err(failed)?;
                run.recording = match found.first().map(|first| Recording::open(first)) {
                    Some(Err(error @ RecordingError::Io { .. })) => {
                        return Err(recording_failure(&error));
                    }
                    recording => recording.and_then(Result::ok),
                };
            }
            Forcing::Batch { .. } => {
                let failed = |error| Failure::io("read what forced runs did", &error);
                let results = match file::read_own(&own.join("results"), file::BIGGEST_INPUT) {
                    // Without a first place there are none.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
                    results => results.map_err(failed)?,
                };
                let records = results.chunks_exact(ResultRecord::BYTES);
                run.results = records
                    .map(|bytes| ResultRecord::read(bytes.try_into().expect("a whole record")))
                    .collect();
            }
            _ => {}
        }
        Ok(run)
    }
}
