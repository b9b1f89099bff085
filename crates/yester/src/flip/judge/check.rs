//! `--check CMD`: a command of the user says whether a run is right.
//!
//! CMD is a line for the shell. It runs where yester was started, once for each run that is judged:
//!
//! | name | meaning |
//! |---|---|
//! | `$1`, `$2`, ... | the arguments of the program |
//! | `$YESTER_STDIN` | a file with its standard input, empty if it had none |
//! | `$YESTER_FILES` | a directory with the files that it was given, under the names that it knows them by |
//! | `$YESTER_STDOUT`, `$YESTER_STDERR` | files with what it printed |
//! | `$YESTER_EXIT` | its exit code; after a signal 128 and its number, as in the shell |
//!
//! Exit 0 says that the run is right, 125 that this cannot be told, and everything else that it is wrong.

use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use yester_core::{Candidate, Outcome};
use yester_path::InputSource;
use yester_run::{Action, Ending, InPlace, Invocation, Observation, Subject};

use super::JudgedRun;
use crate::failure::Failure;
use crate::flip::job::FlipJob;
use crate::identity::Identity;
use crate::interrupt::START_OVER;
use crate::record::{Confinement, Pool, ProgramInput, RunDirectory, is_below};

/// Asks a command of the user.
pub struct Checker {
    settings: CheckerSettings,
    pool: Pool,
    asked: u64,
    /// What it said, by the input and what was printed for it.
    known: HashMap<(ProgramInput, Ending, String), Outcome>,
}

struct CheckerSettings {
    line: OsString,
    /// Where it runs.
    start: PathBuf,
    timeout: Duration,
    confinement: Confinement,
    /// The input that the user gave.
    given: ProgramInput,
}

impl Checker {
    /// With the command of a job. Checkers that are open at the same time have different numbers.
    pub fn open(
        job: &FlipJob,
        line: &OsStr,
        timeout: Duration,
        number: usize,
    ) -> Result<Checker, Failure> {
        let mut identity = Identity::default();
        identity.add("process", std::process::id().to_string());
        identity.add("number", number.to_string());
        identity.add("start", &job.start);
        let pool = Pool::open(
            &identity.name("flip-check", "check".as_ref()),
            &job.start,
            &[],
            job.arguments.trial.jobs(),
            job.confinement.clone(),
            START_OVER,
        )?;
        Ok(Checker {
            settings: CheckerSettings {
                line: line.to_owned(),
                start: job.start.clone(),
                timeout,
                confinement: job.confinement.clone(),
                given: job.test.input.clone(),
            },
            pool,
            asked: 0,
            known: HashMap::new(),
        })
    }

    /// How many times the command was started.
    pub fn started(&self) -> u64 {
        self.asked
    }

    pub fn outcomes(&mut self, runs: &[JudgedRun<'_>]) -> Result<Vec<Outcome>, Failure> {
        let mut open: Vec<(&JudgedRun<'_>, Seen)> = Vec::new();
        for run in runs {
            let is_open = open.iter().any(|(one, _)| key(one) == key(run));
            if self.known.contains_key(&key(run)) || is_open {
                continue;
            }
            match Seen::of(run.observation) {
                Some(seen) => open.push((run, seen)),
                None => drop(self.known.insert(key(run), Outcome::Unresolved)),
            }
        }
        let mut said: Vec<Option<Observation>> = vec![None; open.len()];
        let mut directories: Vec<RunDirectory> = Vec::new();
        let Checker {
            settings,
            pool,
            asked,
            ..
        } = self;
        pool.carry_out(
            open.len(),
            |index, exchange| {
                *asked += 1;
                let (run, seen) = &open[index];
                let failed = |error: io::Error| Failure::io("prepare a check", &error);
                let directory = RunDirectory::new(exchange, *asked).map_err(failed)?;
                let environment = lay_out(run, seen, directory.path()).map_err(failed)?;
                directories.push(directory);
                Ok(settings.action(run.input, environment, *asked))
            },
            |index, observation| said[index] = Some(observation),
        )?;
        for ((run, _), observation) in open.iter().zip(&said) {
            let observation = observation.as_ref().expect("it ended");
            self.known.insert(key(run), meaning(observation)?);
        }
        Ok(runs.iter().map(|run| self.known[&key(run)]).collect())
    }
}

impl CheckerSettings {
    fn action(
        &self,
        input: &ProgramInput,
        environment: Vec<(OsString, OsString)>,
        trial: u64,
    ) -> Action {
        let mut arguments: Vec<OsString> = vec!["-c".into(), self.line.clone(), "check".into()];
        arguments.extend(input.arguments.iter().cloned());
        // The command may hand the arguments to a program.
        let is_guarded = self.confinement.guards(*input != self.given);
        Action {
            invocation: Arc::new(Invocation {
                program: "/bin/sh".into(),
                program_in_tree: None,
                arguments,
                environment,
                stdin: false,
                timeout: self.timeout,
                memory: None,
                is_guarded,
                build: None,
                helpers: Vec::new(),
                in_place: Some(InPlace {
                    directory: Some(self.start.clone().into()),
                    stdin: None,
                }),
            }),
            subject: Arc::new(Subject::Files),
            candidate: Candidate::Tree(Default::default()),
            trial,
            fresh: true,
            watch: false,
        }
    }
}

fn key(run: &JudgedRun<'_>) -> (ProgramInput, Ending, String) {
    let observation = run.observation;
    let printed = format!(
        "{} {}",
        observation.stdout.digest, observation.stderr.digest
    );
    (run.input.clone(), observation.ending.clone(), printed)
}

/// What a run has shown.
struct Seen {
    status: i32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Seen {
    /// None if there is nothing to look at: the run did not end, or printed more than was kept.
    fn of(observation: &Observation) -> Option<Seen> {
        let status = match observation.ending {
            Ending::Exit(code) => code,
            Ending::Signal(signal) => 128 + signal,
            _ => return None,
        };
        Some(Seen {
            status,
            stdout: observation.stdout.whole()?,
            stderr: observation.stderr.whole()?,
        })
    }
}

/// Writes what the command looks at, and says by which names.
fn lay_out(run: &JudgedRun<'_>, seen: &Seen, own: &Path) -> io::Result<Vec<(OsString, OsString)>> {
    let files = own.join("files");
    fs::create_dir_all(&files)?;
    for (path, content) in &run.input.files {
        // A file elsewhere goes by its name alone.
        let inside = match is_below(path) {
            true => path.as_path(),
            false => Path::new(path.file_name().unwrap_or_default()),
        };
        let place = files.join(inside);
        fs::create_dir_all(place.parent().unwrap_or(&files))?;
        fs::write(place, content.as_slice())?;
    }
    let ours = |name: &OsString| name.to_string_lossy().starts_with("YESTER_");
    let mut environment: Vec<(OsString, OsString)> =
        env::vars_os().filter(|(name, _)| !ours(name)).collect();
    let stdin = run.input.content(&InputSource::Stdin);
    let streams = [
        ("STDIN", stdin.unwrap_or_default()),
        ("STDOUT", &seen.stdout),
        ("STDERR", &seen.stderr),
    ];
    for (name, content) in streams {
        let place = own.join(name.to_ascii_lowercase());
        fs::write(&place, content)?;
        environment.push((format!("YESTER_{name}").into(), place.into()));
    }
    environment.push(("YESTER_FILES".into(), files.into()));
    environment.push(("YESTER_EXIT".into(), seen.status.to_string().into()));
    Ok(environment)
}

fn meaning(observation: &Observation) -> Result<Outcome, Failure> {
    let broken = |what: String| Failure {
        evidence: observation.stderr.last_lines(5),
        ..Failure::usage(format!("the command of --check cannot be run: {what}"))
            .hint("try it by hand; relative paths start where yester was started")
    };
    match &observation.ending {
        Ending::Exit(0) => Ok(Outcome::Pass),
        Ending::Exit(125) | Ending::Timeout | Ending::Lost | Ending::Cancelled => {
            Ok(Outcome::Unresolved)
        }
        Ending::Exit(126 | 127) => Err(broken(observation.ending.to_string())),
        Ending::Exit(_) | Ending::Signal(_) => Ok(Outcome::Fail),
        Ending::NotStarted(reason) => Err(broken(reason.reason.clone())),
    }
}
