//! The session of a command that runs programs: the same one for builds, recordings, interventions and judges.

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use rustix::fs::statvfs;
use yester_core::{Breakage, BreakageKind, Candidate, Hash, Limit, Outcome, Stop};
use yester_path::fix_addresses;
use yester_run::{
    Action, Counts, Ending, Event, Exchange, Invocation, Observation, Ran, ReadRun, Request,
    Session, Subject, Verdict, Why, scratch_directory,
};

use crate::builder::place_of_compilers;
use crate::confinement::Confinement;
use crate::error::RecordError;

/// With fewer bytes left, nothing that a run writes can be relied on.
const LEAST_SPACE: u64 = 64 << 10;

/// Where versions are built, below the scratch directory. Runs see it in every sandbox.
pub(crate) const BUILT: &str = "built";

/// A handle on the session. Clones are handles on the same one.
#[derive(Clone)]
pub struct ProgramSession(Rc<Inner>);

struct Inner {
    session: RefCell<Session>,
    /// The name of the run.
    name: String,
    /// A directory for us, which goes with the session.
    scratch: PathBuf,
    jobs: usize,
    confinement: Confinement,
    /// How many runs there may be, where the command does not see to that itself.
    most_runs: Option<u64>,
}

/// What a session of programs is told about its run.
pub struct ProgramSessionSettings<'a> {
    /// The name of the run.
    pub name: &'a str,
    /// How many runs there are at once.
    pub jobs: usize,
    /// How runs are contained.
    pub confinement: Confinement,
    /// How many runs there may be, where the command does not see to that itself.
    pub most_runs: Option<u64>,
    /// Where what runs have left is kept for the next session, if it is.
    pub outputs: Option<PathBuf>,
}

/// A run of a program or of a command that judges it.
pub struct ProgramRun {
    /// What tells it from other runs, beside the words and the input below.
    pub label: String,
    /// Why it is made.
    pub why: Why,
    /// What is run.
    pub invocation: Invocation,
    /// Where.
    pub subject: Subject,
    /// What replaces files there.
    pub candidate: Candidate,
    /// What it gets and leaves beside that.
    pub exchange: Exchange,
    /// What of the exchange says nothing about which run it is.
    pub ignored: &'static [&'static str],
}

impl ProgramSession {
    /// Opens it for a run. `session` makes one whose runs see these directories in every sandbox: where the user stands, `start`, and where
    /// versions are built.
    ///
    /// # Errors
    /// If a directory cannot be made, or `session` fails.
    pub fn open<E: From<RecordError>>(
        settings: ProgramSessionSettings<'_>,
        start: &Path,
        session: impl FnOnce(&[&Path]) -> Result<Session, E>,
    ) -> Result<ProgramSession, E> {
        // Pointers of one run are tried in another. Where the system forbids it, runs differ in what depends on addresses.
        let _ = fix_addresses();
        let here = env::current_dir().ok();
        let scratch = scratch_directory(settings.name);
        let built = scratch.join(BUILT);
        // A directory that the sandbox replaces as a whole, such as /tmp, would hide what lies in it.
        let is_replaced = |place: &&Path| {
            let replaced = ["/", "/tmp", "/dev", "/dev/shm", "/run"];
            replaced.iter().any(|one| *place == Path::new(one))
        };
        let places = [Some(start), here.as_deref()].into_iter().flatten();
        let places = places.filter(|place| !is_replaced(place));
        let compilers = place_of_compilers();
        let places = places.chain(compilers.as_deref());
        let places: Vec<&Path> = places.chain([built.as_path()]).collect();
        let mut session = session(&places)?;
        fs::create_dir(&built).map_err(RecordError::io("make a place to build in"))?;
        if let Some(outputs) = &settings.outputs {
            fs::create_dir_all(outputs)
                .map_err(RecordError::io(format!("make {}", outputs.display())))?;
            session.keep_outputs(outputs);
        }
        Ok(ProgramSession(Rc::new(Inner {
            session: RefCell::new(session),
            scratch,
            name: settings.name.to_owned(),
            jobs: settings.jobs,
            confinement: settings.confinement,
            most_runs: settings.most_runs,
        })))
    }

    /// A directory that goes with the session. Runs do not see it in every sandbox.
    pub fn scratch(&self) -> &Path {
        &self.0.scratch
    }

    /// How runs are contained.
    pub fn confinement(&self) -> &Confinement {
        &self.0.confinement
    }

    /// How many runs there are at once.
    pub fn jobs(&self) -> usize {
        self.0.jobs
    }

    /// How many runs there were, and what they were.
    pub fn counts(&self) -> Counts {
        self.0.session.borrow().counts
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
    /// it. An error is one of ours or an interruption, and ends all of them.
    ///
    /// # Errors
    /// If a limit is reached, the user wants to stop, `take` fails, or runs cannot be made.
    pub fn run_all(
        &self,
        runs: &[ProgramRun],
        read: ReadRun<'_>,
        mut take: impl FnMut(usize, Ran) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        let made = self.counts().run + runs.len() as u64;
        if self.0.most_runs.is_some_and(|most| made > most) {
            return Err(Stop::Limit(Limit::Trials).into());
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
            ) if is_guarded => Err(RecordError::Unguarded(message)),
            (None, Err(stop)) => Err(stop.into()),
            (None, Ok(())) => Ok(()),
        }
    }

    /// A program that cannot write its recording ends in any way, and is not to blame.
    fn check_space(&self) -> Result<(), RecordError> {
        let scratch = &self.0.scratch;
        let is_full = statvfs(scratch)
            .is_ok_and(|space| space.f_bavail.saturating_mul(space.f_frsize) < LEAST_SPACE);
        if !is_full {
            return Ok(());
        }
        let place = scratch.parent().unwrap_or(scratch);
        Err(RecordError::NoSpace(place.to_owned()))
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

/// Complains about a command that could not be started.
pub(crate) fn check_started(
    observation: &Observation,
    what: &'static str,
) -> Result<(), RecordError> {
    match &observation.ending {
        Ending::NotStarted(why) => Err(RecordError::NotStarted {
            what,
            reason: why.reason.clone(),
        }),
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn run() -> ProgramRun {
        let mut exchange = Exchange::default();
        for (name, content) in [("plan", "2 s"), ("stdin", "7")] {
            exchange
                .files
                .insert(name.to_owned(), content.as_bytes().into());
        }
        ProgramRun {
            label: "intervention".to_owned(),
            why: Why::Search,
            invocation: Invocation {
                program: "/bin/sum".into(),
                program_in_tree: None,
                arguments: vec!["-v".into()],
                has_placeholders: false,
                environment: Vec::new(),
                stdin: false,
                timeout: Duration::from_secs(1),
                memory: None,
                is_guarded: true,
                build: None,
                counterpart: None,
                helpers: Vec::new(),
            },
            subject: Subject::Tree {
                base: Hash::of(b"a tree"),
            },
            candidate: Candidate::Tree(Default::default()),
            exchange,
            ignored: &["plan"],
        }
    }

    #[test]
    fn a_run_on_a_slower_machine_is_the_same_run() {
        let mut slower = run();
        slower.invocation.timeout = Duration::from_secs(9);
        let plan = "18 s".as_bytes().into();
        slower.exchange.files.insert("plan".to_owned(), plan);
        slower.why = Why::Confirmation;
        assert_eq!(key(&slower), key(&run()));
    }

    #[test]
    fn another_input_argument_tree_or_guard_makes_another_run() {
        let changes: [fn(&mut ProgramRun); 5] = [
            |run| {
                drop(
                    run.exchange
                        .files
                        .insert("stdin".to_owned(), b"8"[..].into()),
                )
            },
            |run| run.invocation.arguments.push("-v".into()),
            |run| run.invocation.is_guarded = false,
            |run| run.label.push_str(" of another plan"),
            |run| {
                run.subject = Subject::Tree {
                    base: Hash::of(b"another tree"),
                }
            },
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut other = run();
            change(&mut other);
            assert_ne!(key(&other), key(&run()), "change {number}");
        }
    }
}
