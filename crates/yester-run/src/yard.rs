//! Directories beside each other in which lines for the shell are run, such as builds.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use yester_core::{Candidate, Hash, Stop};

use crate::{Action, Exchange, Invocation, Observation, Request, Session, Subject, Why};

/// A directory with others in it, which are not copied: what runs there stays there.
pub struct Yard {
    /// The directory.
    pub place: PathBuf,
    session: Session,
    environment: Vec<(OsString, OsString)>,
    memory: Option<u64>,
    /// How many runs there were: none is taken for another one.
    runs: u64,
}

impl Yard {
    /// Runs lines with this environment, in which no process has more memory than that.
    pub fn new(
        session: Session,
        place: PathBuf,
        environment: Vec<(OsString, OsString)>,
        memory: Option<u64>,
    ) -> Yard {
        Yard {
            place,
            session,
            environment,
            memory,
            runs: 0,
        }
    }

    /// Runs a line for the shell in each of the directories.
    pub fn run(
        &mut self,
        names: &[&str],
        line: &OsStr,
        time: Duration,
    ) -> Result<Vec<Observation>, Stop> {
        let invocation = Arc::new(Invocation {
            program: "/bin/sh".into(),
            program_in_tree: None,
            arguments: vec!["-c".into(), line.to_owned()],
            has_placeholders: false,
            environment: self.environment.clone(),
            stdin: false,
            timeout: time,
            memory: self.memory,
            is_guarded: false,
            build: None,
            counterpart: None,
            helpers: Vec::new(),
        });
        self.runs += 1;
        let run = self.runs;
        let requests = names.iter().map(|name| {
            let directory = self.place.join(name);
            let invocation = Arc::clone(&invocation);
            Request {
                key: Hash::of(format!("{run} {}", directory.display()).as_bytes()),
                bytes: 0,
                why: Why::Build,
                times: 1,
                worker: 0,
                action: Box::new(move |trial| Action {
                    invocation: Arc::clone(&invocation),
                    subject: Arc::new(Subject::Here {
                        directory: directory.clone(),
                        writable: vec![directory.clone()],
                    }),
                    candidate: Candidate::Tree(Default::default()),
                    trial,
                    fresh: true,
                    watch: false,
                    exchange: Exchange::default(),
                }),
            }
        });
        let requests: Vec<Request<'_>> = requests.collect();
        let mut seen: Vec<Option<Observation>> = vec![None; names.len()];
        let ended = self
            .session
            .run_all(&requests, &|_, _| None, &mut |index, ran| {
                seen[index] = Some(ran.observation().clone());
                Ok(())
            });
        ended?;
        let seen = seen.into_iter();
        Ok(seen.map(|seen| seen.expect("all were run")).collect())
    }
}
