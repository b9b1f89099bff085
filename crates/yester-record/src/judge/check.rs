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
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_core::{Candidate, Outcome};
use yester_path::{InputSource, JudgedRun, ProgramInput, is_below};
use yester_run::{Ending, Exchange, Invocation, Observation, Subject, Why};

use crate::error::RecordError;
use crate::recorder::Seen;
use crate::session::{ProgramRun, ProgramSession, user_environment};

/// Asks a command of the user.
pub struct Checker {
    session: ProgramSession,
    line: OsString,
    /// Where it runs.
    start: PathBuf,
    timeout: Duration,
    /// The input that the user gave.
    given: ProgramInput,
    /// What it said, by the input and what was printed for it.
    known: HashMap<(ProgramInput, Ending, String), Outcome>,
}

impl Checker {
    /// With a line for the shell, which runs in the directory `start`. `given` is the input that the user gave.
    pub fn new(
        session: &ProgramSession,
        (line, start): (&OsStr, &Path),
        given: &ProgramInput,
        timeout: Duration,
    ) -> Checker {
        Checker {
            session: session.clone(),
            line: line.to_owned(),
            start: start.to_owned(),
            timeout,
            given: given.clone(),
            known: HashMap::new(),
        }
    }

    /// What the command says of these runs.
    ///
    /// # Errors
    /// If it cannot be run, or the search has to end.
    pub fn outcomes(&mut self, runs: &[JudgedRun<'_, Seen>]) -> Result<Vec<Outcome>, RecordError> {
        let mut open: Vec<(&JudgedRun<'_, Seen>, ShownRun)> = Vec::new();
        for run in runs {
            let is_open = open.iter().any(|(one, _)| key(one) == key(run));
            if self.known.contains_key(&key(run)) || is_open {
                continue;
            }
            match ShownRun::of(run.observation) {
                Some(seen) => open.push((run, seen)),
                None => drop(self.known.insert(key(run), Outcome::Unresolved)),
            }
        }
        let wanted = open.iter();
        let wanted: Vec<ProgramRun> = wanted
            .map(|(run, seen)| self.program_run(run.input, seen))
            .collect();
        let mut said: Vec<Option<Observation>> = vec![None; open.len()];
        self.session.run_all(&wanted, &|_, _| None, |index, ran| {
            said[index] = ran.trial.observation;
            Ok(())
        })?;
        for ((run, _), observation) in open.iter().zip(&said) {
            let observation = observation.as_ref().expect("it ended");
            self.known.insert(key(run), meaning(observation)?);
        }
        Ok(runs.iter().map(|run| self.known[&key(run)]).collect())
    }

    fn program_run(&self, input: &ProgramInput, seen: &ShownRun) -> ProgramRun {
        let mut arguments: Vec<OsString> = vec!["-c".into(), self.line.clone(), "check".into()];
        arguments.extend(input.arguments.iter().cloned());
        let mut environment: Vec<(OsString, OsString)> = user_environment().collect();
        environment.push(("YESTER_EXIT".into(), seen.status.to_string().into()));
        // The command may hand the arguments to a program.
        let is_guarded = self.session.confinement().guards(*input != self.given);
        ProgramRun {
            label: format!("check {}", seen.status),
            why: Why::Search,
            invocation: Invocation {
                program: "/bin/sh".into(),
                program_in_tree: None,
                arguments,
                has_placeholders: false,
                environment,
                stdin: false,
                timeout: self.timeout,
                memory: None,
                is_guarded,
                build: None,
                counterpart: None,
                helpers: Vec::new(),
            },
            subject: Subject::Here {
                directory: self.start.clone(),
                writable: Vec::new(),
            },
            candidate: Candidate::Tree(Default::default()),
            exchange: laid_out(input, seen),
            ignored: &[],
        }
    }
}

fn key(run: &JudgedRun<'_, Seen>) -> (ProgramInput, Ending, String) {
    let observation = run.observation;
    let printed = format!(
        "{} {}",
        observation.stdout.digest, observation.stderr.digest
    );
    (run.input.clone(), observation.ending.clone(), printed)
}

/// What a run has shown.
struct ShownRun {
    status: i32,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl ShownRun {
    /// None if there is nothing to look at: the run did not end, or printed more than was kept.
    fn of(observation: &Observation) -> Option<ShownRun> {
        let status = match observation.ending {
            Ending::Exit(code) => code,
            Ending::Signal(signal) => 128 + signal,
            _ => return None,
        };
        Some(ShownRun {
            status,
            stdout: observation.stdout.whole()?,
            stderr: observation.stderr.whole()?,
        })
    }
}

/// What the command looks at, and by which names.
fn laid_out(input: &ProgramInput, seen: &ShownRun) -> Exchange {
    let mut exchange = Exchange {
        directories: vec!["files".to_owned()],
        variables: vec![("YESTER_FILES".into(), "files".to_owned())],
        ..Exchange::default()
    };
    for (path, content) in &input.files {
        // A file elsewhere goes by its name alone.
        let inside = if is_below(path) {
            path.as_path()
        } else {
            Path::new(path.file_name().unwrap_or_default())
        };
        let place = Path::new("files").join(inside);
        let place = place.to_string_lossy().into_owned();
        exchange.files.insert(place, content.as_slice().into());
    }
    let stdin = input.content(&InputSource::Stdin);
    let streams = [
        ("STDIN", stdin.unwrap_or_default()),
        ("STDOUT", &seen.stdout),
        ("STDERR", &seen.stderr),
    ];
    for (name, content) in streams {
        let place = name.to_ascii_lowercase();
        let variable = format!("YESTER_{name}").into();
        exchange.files.insert(place.clone(), content.into());
        exchange.variables.push((variable, place));
    }
    exchange
}

fn meaning(observation: &Observation) -> Result<Outcome, RecordError> {
    let broken = |what: String| RecordError::CheckNotRun {
        what,
        lines: observation.stderr.last_lines(5),
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
