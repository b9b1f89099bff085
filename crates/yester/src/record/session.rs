//! The session of a command that runs programs: the same one for builds, recordings, interventions and judges.

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rustix::fs::statvfs;
use rustix::io::Errno;
use yester_core::{Breakage, BreakageKind, Candidate, Hash, Limit, Outcome, Stop};
use yester_path::fix_addresses;
use yester_run::{
    Action, Counts, Ending, Event, Exchange, Invocation, Observation, Ran, ReadRun, Request,
    Subject, Verdict, Why, scratch_directory,
};

use super::confinement::Confinement;
use crate::cli::RunArguments;
use crate::driver::{self, Frame, JOURNAL, Workplace, reason};
use crate::failure::Failure;
use crate::runs::{Extent, RunStatus, disk_bytes};

/// With fewer bytes left, nothing that a run writes can be relied on.
const LEAST_SPACE: u64 = 64 << 10;

/// Where a run keeps what its runs have left.
const OUTPUTS: &str = "outputs";

/// So many bytes of it are kept behind an answer.
const MOST_KEPT: u64 = 8 << 20;

/// Where versions are built, below the scratch directory. Runs see it in every sandbox.
pub const BUILT: &str = "built";

/// A handle on the session. Clones are handles on the same one.
#[derive(Clone)]
pub struct ProgramSession(Rc<Inner>);

struct Inner {
    session: RefCell<yester_run::Session>,
    /// The name of the run.
    name: String,
    /// A directory for us, which goes with the session.
    scratch: PathBuf,
    jobs: usize,
    confinement: Confinement,
    /// How many runs there may be, where the command does not see to that itself.
    most_runs: Option<u64>,
}

/// What is kept of a session for the next one, and what ends it.
#[derive(Clone, Copy)]
pub enum Keeping<'a> {
    /// The next call starts anew.
    Nothing,
    /// What runs leave. The command itself sees to its limits.
    Outputs,
    /// The same, within the limits of the user.
    Within(&'a RunArguments),
}

impl Keeping<'_> {
    fn deadline(self, frame: &Frame) -> Option<Instant> {
        match self {
            Keeping::Within(limits) => frame.call.begin.checked_add(limits.max_time?),
            Keeping::Nothing | Keeping::Outputs => None,
        }
    }

    fn most_runs(self) -> Option<u64> {
        match self {
            Keeping::Within(limits) => Some(limits.max_trials? as u64),
            Keeping::Nothing | Keeping::Outputs => None,
        }
    }
}

/// A run of a program or of a command that judges it.
pub struct ProgramRun {
    /// What tells it from other runs, beside the words and the input below.
    pub label: String,
    pub why: Why,
    pub invocation: Invocation,
    pub subject: Subject,
    pub candidate: Candidate,
    pub exchange: Exchange,
    /// What of the exchange says nothing about which run it is.
    pub ignored: &'static [&'static str],
}

impl ProgramSession {
    /// Opens it for a run. Runs see where the user stands, `start` and what lies beside `files` in every sandbox.
    pub fn open(
        frame: &mut Frame,
        workplace: Workplace<'_>,
        (start, files): (&Path, &[PathBuf]),
        confinement: Confinement,
        keeping: Keeping<'_>,
    ) -> Result<ProgramSession, Failure> {
        // Pointers of one run are tried in another. Where the system forbids it, runs differ in what depends on addresses.
        let _ = fix_addresses();
        let here = env::current_dir().ok();
        let (name, jobs) = (workplace.name.to_owned(), workplace.jobs);
        let scratch = scratch_directory(&name);
        let built = scratch.join(BUILT);
        // A directory that the sandbox replaces as a whole, such as /tmp, would hide what lies in it.
        let is_replaced = |place: &&Path| {
            let replaced = ["/", "/tmp", "/dev", "/dev/shm", "/run"];
            replaced.iter().any(|one| *place == Path::new(one))
        };
        let places = [Some(start), here.as_deref()].into_iter().flatten();
        let places = places.filter(|place| !is_replaced(place));
        let places: Vec<&Path> = places.chain([built.as_path()]).collect();
        let visible = driver::visible(files, &places);
        let journal = frame.journal(JOURNAL)?;
        frame.resume(&journal);
        let mut session = frame.session(journal, workplace, visible, keeping.deadline(frame))?;
        fs::create_dir(&built).map_err(|error| Failure::io("make a place to build in", &error))?;
        if !matches!(keeping, Keeping::Nothing) {
            let outputs = frame.run.path().join(OUTPUTS);
            fs::create_dir_all(&outputs)
                .map_err(|error| Failure::io(format!("make {}", outputs.display()), &error))?;
            session.keep_outputs(&outputs);
        }
        Ok(ProgramSession(Rc::new(Inner {
            session: RefCell::new(session),
            scratch,
            name,
            jobs,
            confinement,
            most_runs: keeping.most_runs(),
        })))
    }

    /// A directory that goes with the session. Runs do not see it in every sandbox.
    pub fn scratch(&self) -> &Path {
        &self.0.scratch
    }

    pub fn confinement(&self) -> &Confinement {
        &self.0.confinement
    }

    pub fn jobs(&self) -> usize {
        self.0.jobs
    }

    pub fn counts(&self) -> Counts {
        self.0.session.borrow().counts
    }

    /// Says for `yester runs` how the run has ended. What runs have left stays for the next call, unless that is much and there
    /// is an answer.
    pub fn close(&self, frame: &mut Frame, is_found: bool) {
        let counts = self.counts();
        let trials = frame.earlier.counts.run + counts.run;
        let status = if is_found {
            let outputs = frame.run.path().join(OUTPUTS);
            if disk_bytes(&outputs) > MOST_KEPT {
                driver::discard(&outputs);
            }
            RunStatus::Found
        } else {
            RunStatus::Stopped
        };
        frame.finish(status, Extent::Trials { trials });
    }

    /// Says where a tree lies that runs start from. Gives what stands for it; trees of the same version that are built in the same way have the same name.
    pub fn provide(&self, tree: &str, place: &Path) -> Hash {
        let hash = Hash::of(format!("{}\n{tree}", self.0.name).as_bytes());
        self.0.session.borrow_mut().provide(hash, place);
        hash
    }

    /// Says what a run has turned out to be that could not be read by itself.
    pub fn judged(&self, outcome: Outcome) {
        let mut session = self.0.session.borrow_mut();
        session.counts.add(outcome);
        session.events.emit(&Event::Answered(outcome));
    }

    /// Makes runs, as many at once as there are jobs, and gives each as soon as it has ended. `prepare` makes each when a worker is free for
    /// it. A failure is one of ours or an interruption, and ends all of them.
    pub fn run_all(
        &self,
        runs: &[ProgramRun],
        read: ReadRun<'_>,
        mut take: impl FnMut(usize, Ran) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let made = self.counts().run + runs.len() as u64;
        if self.0.most_runs.is_some_and(|most| made > most) {
            return Err(reason(Stop::Limit(Limit::Trials)));
        }
        let requests: Vec<Request<'_>> = runs.iter().map(request).collect();
        let mut failure = None;
        let ended = self
            .0
            .session
            .borrow_mut()
            .run_all(&requests, read, &mut |index, ran| {
                self.0.confinement.note(ran.observation());
                let taken = self.check_space().and_then(|()| take(index, ran));
                taken.map_err(|error| {
                    failure = Some(error);
                    Stop::Interrupted
                })
            });
        let is_guarded = runs.iter().any(|run| run.invocation.is_guarded);
        match (failure, ended) {
            (Some(failure), _) => Err(failure),
            (
                None,
                Err(Stop::Broken(Breakage {
                    kind: BreakageKind::Unsupported,
                    message,
                })),
            ) if is_guarded => Err(cannot_guard(message)),
            (None, Err(stop)) => Err(reason(stop)),
            (None, Ok(())) => Ok(()),
        }
    }

    /// A program that cannot write its recording ends in any way, and is not to blame.
    fn check_space(&self) -> Result<(), Failure> {
        let scratch = &self.0.scratch;
        let is_full = statvfs(scratch)
            .is_ok_and(|space| space.f_bavail.saturating_mul(space.f_frsize) < LEAST_SPACE);
        if !is_full {
            return Ok(());
        }
        let full = io::Error::from(Errno::NOSPC);
        let place = scratch.parent().unwrap_or(scratch);
        Err(Failure::io(format!("write to {}", place.display()), &full)
            .hint("make space there, or set TMPDIR to another directory"))
    }
}

/// The variables of the environment that programs run with, without ours.
pub fn user_environment() -> impl Iterator<Item = (OsString, OsString)> {
    env::vars_os().filter(|(name, _)| !name.to_string_lossy().starts_with("YESTER_"))
}

/// A run reads as passed or not.
pub fn verdict(is_right: bool) -> Verdict {
    Verdict {
        outcome: if is_right {
            Outcome::Pass
        } else {
            Outcome::Fail
        },
        other: None,
    }
}

/// The failure of a command that could not be started.
pub fn check_started(observation: &Observation, what: &str) -> Result<(), Failure> {
    match &observation.ending {
        Ending::NotStarted(why) => Err(Failure::usage(format!(
            "{what} cannot be run: {}",
            why.reason
        ))),
        _ => Ok(()),
    }
}

fn request(run: &ProgramRun) -> Request<'_> {
    let (invocation, subject) = (
        Arc::new(run.invocation.clone()),
        Arc::new(run.subject.clone()),
    );
    Request {
        key: key(run),
        bytes: run.candidate.bytes(),
        why: run.why,
        times: 1,
        worker: 0,
        action: Box::new(move |trial| Action {
            invocation: Arc::clone(&invocation),
            subject: Arc::clone(&subject),
            candidate: run.candidate.clone(),
            trial,
            fresh: true,
            watch: false,
            exchange: run.exchange.clone(),
        }),
    }
}

/// A number for everything that tells a run from others. Its limits depend on how fast the machine is, and are not among it.
fn key(run: &ProgramRun) -> Hash {
    let mut text: Vec<u8> = Vec::new();
    let mut add = |bytes: &[u8]| {
        text.extend((bytes.len() as u64).to_le_bytes());
        text.extend(bytes);
    };
    add(run.label.as_bytes());
    // A guard may change what a program does.
    add(&[u8::from(run.invocation.is_guarded)]);
    if let Subject::Tree { base } = &run.subject {
        add(base.to_string().as_bytes());
    }
    add(run.invocation.program.as_encoded_bytes());
    for argument in &run.invocation.arguments {
        add(argument.as_encoded_bytes());
    }
    add(run.candidate.hash().to_string().as_bytes());
    let files = run.exchange.files.iter();
    for (name, content) in files.filter(|(name, _)| !run.ignored.contains(&name.as_str())) {
        add(name.as_bytes());
        add(content);
    }
    Hash::of(&text)
}

fn cannot_guard(message: String) -> Failure {
    Failure {
        evidence: vec![message],
        ..Failure::usage("cannot protect your files from code that only runs because yester makes it run")
    }
    .hint("allow user namespaces, or take the risk with --allow-writes: such runs can then change and delete your files")
    .code("cannot_guard")
}
