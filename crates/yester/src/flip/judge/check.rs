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

use std::cell::RefCell;
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
use yester_run::{Action, Ending, InPlace, Invocation, Observation, Sandbox, Subject};

use super::JudgedRun;
use crate::failure::Failure;
use crate::flip::job::FlipJob;
use crate::identity::Identity;
use crate::interrupt::START_OVER;
use crate::record::{Pool, ProgramInput, is_below};

/// Asks a command of the user.
pub struct Checker {
    line: OsString,
    /// Where it runs.
    start: PathBuf,
    timeout: Duration,
    pool: Pool,
    asked: u64,
    /// What it said, by the input and what was printed for it.
    known: HashMap<(ProgramInput, Ending, String), Outcome>,
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
            job.arguments.trial.jobs(),
            Sandbox::from(job.arguments.trial.sandbox),
            START_OVER,
        )?;
        Ok(Checker {
            line: line.to_owned(),
            start: job.start.clone(),
            timeout,
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
        let mut open: Vec<&JudgedRun<'_>> = Vec::new();
        for run in runs {
            let is_open = open.iter().any(|one| key(one) == key(run));
            if !self.known.contains_key(&key(run)) && !is_open {
                open.push(run);
            }
        }
        let mut said: Vec<Option<Observation>> = vec![None; open.len()];
        let directories: RefCell<Vec<PathBuf>> = RefCell::default();
        let (asked, scratch) = (&mut self.asked, self.pool.scratch().to_owned());
        let action = |run: &JudgedRun<'_>, number: u64| -> io::Result<Option<Action>> {
            let own = scratch.join(format!("check-{number}"));
            directories.borrow_mut().push(own.clone());
            let Some(environment) = lay_out(run, &own)? else {
                return Ok(None);
            };
            let mut arguments: Vec<OsString> = vec!["-c".into(), self.line.clone(), "check".into()];
            arguments.extend(run.input.arguments.iter().cloned());
            Ok(Some(Action {
                invocation: Arc::new(Invocation {
                    program: "/bin/sh".into(),
                    program_in_tree: None,
                    arguments,
                    environment,
                    stdin: false,
                    timeout: self.timeout,
                    memory: None,
                    build: None,
                    helpers: Vec::new(),
                    in_place: Some(InPlace {
                        directory: Some(self.start.clone().into()),
                        stdin: None,
                    }),
                }),
                subject: Arc::new(Subject::Files),
                candidate: Candidate::Tree(Default::default()),
                trial: number,
                fresh: true,
                watch: false,
            }))
        };
        let mut actions = Vec::new();
        let mut places = Vec::new();
        for (place, run) in open.iter().enumerate() {
            *asked += 1;
            let action = action(run, *asked);
            let action = action.map_err(|error| Failure::io("prepare a check", &error))?;
            if let Some(action) = action {
                actions.push(action);
                places.push(place);
            }
        }
        self.pool.carry_out(
            actions.len(),
            |index| Ok(actions[index].clone()),
            |index, observation| said[places[index]] = Some(observation),
        )?;
        for directory in directories.into_inner() {
            // What stays is deleted with the scratch directory.
            let _ = fs::remove_dir_all(directory);
        }
        for (run, observation) in open.iter().zip(&said) {
            let outcome = match observation {
                Some(observation) => meaning(observation)?,
                None => Outcome::Unresolved,
            };
            self.known.insert(key(run), outcome);
        }
        Ok(runs.iter().map(|run| self.known[&key(run)]).collect())
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

/// Writes what the command looks at, and says by which names. None if there is nothing to look at: the run did not end, or printed
/// more than was kept.
fn lay_out(run: &JudgedRun<'_>, own: &Path) -> io::Result<Option<Vec<(OsString, OsString)>>> {
    let observation = run.observation;
    let status = match observation.ending {
        Ending::Exit(code) => code,
        Ending::Signal(signal) => 128 + signal,
        _ => return Ok(None),
    };
    let (Some(stdout), Some(stderr)) = (observation.stdout.whole(), observation.stderr.whole())
    else {
        return Ok(None);
    };
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
    let stdin = stdin.unwrap_or_default().to_vec();
    for (name, content) in [("STDIN", stdin), ("STDOUT", stdout), ("STDERR", stderr)] {
        let place = own.join(name.to_ascii_lowercase());
        fs::write(&place, content)?;
        environment.push((format!("YESTER_{name}").into(), place.into()));
    }
    environment.push(("YESTER_FILES".into(), files.into()));
    environment.push(("YESTER_EXIT".into(), status.to_string().into()));
    Ok(Some(environment))
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
