use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use yester_core::Hash;

use crate::outputs::open_around;
use crate::placement::{Held, placement};
use crate::removal::remove;
use crate::warden::{self, Assignment, Orders, Ready, Reply, Request, Surroundings, WardenEvent};
use crate::{
    Action, ActionEvent, Containment, Ending, Exchange, Executor, Invocation, Observation, Outputs,
    Sandbox, Stage, Subject, Wakeup, process, scratch, system, wire,
};

/// Runs actions on this machine, each worker in a directory and behind a warden of its own.
pub struct LocalExecutor {
    settings: LocalSettings,
    workers: Vec<Worker>,
    /// Where trees lie that actions start from.
    trees: HashMap<Hash, PathBuf>,
    /// Tells other yesters that the scratch directory is in use.
    _lock: File,
}

/// Where and how to run.
pub struct LocalSettings {
    /// A program that calls [`crate::become_warden_if_asked`], usually the running one.
    pub warden: PathBuf,
    /// How many actions may run at once.
    pub jobs: usize,
    /// How tightly to contain them.
    pub sandbox: Sandbox,
    /// The directory for the workers' directories. Opening makes and empties it; the end removes it.
    pub scratch: PathBuf,
    /// Directories that trials must be able to read where the sandbox hides their surroundings.
    pub visible: Vec<PathBuf>,
    /// Readable once the user wants to stop.
    pub interrupt: Option<OwnedFd>,
    /// Whether to keep the workers' directories at the end.
    pub keep: bool,
    /// Takes a message about what could not be deleted at the end.
    pub complain: Option<Complain>,
}

/// Takes a message for the user.
pub type Complain = Box<dyn Fn(&str)>;

#[derive(Default)]
struct Worker {
    warden: Option<Warden>,
    /// What its warden was told to contain trials by.
    enclosure: Option<WantedEnclosure>,
    busy: bool,
    /// The command that its warden got last.
    told: Option<Arc<Invocation>>,
    /// What its directory holds.
    held: Held,
    /// When its trial should have ended by itself.
    overdue: Option<Instant>,
    /// What its trial exchanges with yester, and whether what it leaves there is wanted.
    exchange: Option<(PathBuf, bool)>,
}

/// How an action has to be contained.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WantedEnclosure {
    sandbox: Sandbox,
    /// Whether code may run that the user never ran.
    is_guarded: bool,
    /// What it may change of the machine where the sandbox allows nothing else.
    writable: Vec<PathBuf>,
}

struct Warden {
    process: Child,
    /// The process that runs the trials. Where it has a process namespace, its id is of that namespace.
    inner: u32,
    socket: UnixStream,
    containment: Containment,
}

impl LocalExecutor {
    /// Prepares the directories. Each warden starts with its first trial.
    pub fn open(settings: LocalSettings) -> io::Result<Self> {
        system::hear_of_children()?;
        let lock = scratch::prepare(&settings.scratch)?;
        scratch::sweep(&settings.scratch, &settings.warden);
        let workers = (0..settings.jobs).map(|_| Worker::default()).collect();
        Ok(LocalExecutor {
            settings,
            workers,
            trees: HashMap::new(),
            _lock: lock,
        })
    }

    /// Makes the directory that an action exchanges with us.
    fn make_exchange(
        &self,
        worker: usize,
        exchange: &Exchange,
        trial: u64,
    ) -> io::Result<(PathBuf, Surroundings)> {
        let around = self.settings.scratch.join(worker.to_string());
        let own = around.join(warden::EXCHANGE).join(trial.to_string());
        // An earlier run may have put something there, or have closed it.
        open_around(&around.join(warden::EXCHANGE))?;
        remove(&own)?;
        make_private(&own)?;
        for name in &exchange.directories {
            make_private(&own.join(name))?;
        }
        for (name, content) in &exchange.files {
            let place = own.join(name);
            fs::create_dir_all(place.parent().unwrap_or(&own))?;
            fs::write(place, content)?;
        }
        let place = |name: &String| own.join(name).into_os_string();
        let variables = exchange.variables.iter();
        let arguments = exchange.arguments.iter();
        let surroundings = Surroundings {
            environment: variables
                .map(|(variable, name)| (variable.clone(), place(name)))
                .collect(),
            arguments: arguments
                .map(|(index, name)| (*index, place(name)))
                .collect(),
            stdin: exchange.stdin.as_ref().map(place),
            directory: None,
        };
        Ok((own, surroundings))
    }

    /// What contains an action. Its sandbox is that of the settings, unless it must not harm anybody.
    fn wanted_enclosure(&self, action: &Action) -> WantedEnclosure {
        let is_guarded = action.invocation.is_guarded;
        let sandbox = if is_guarded {
            Sandbox::Full
        } else {
            self.settings.sandbox
        };
        let writable = match &*action.subject {
            Subject::Here { writable, .. } if sandbox == Sandbox::Full => writable.clone(),
            _ => Vec::new(),
        };
        WantedEnclosure {
            sandbox,
            is_guarded,
            writable,
        }
    }

    fn hire(&self, worker: usize, wanted: &WantedEnclosure) -> io::Result<Warden> {
        let WantedEnclosure {
            sandbox,
            is_guarded,
            ref writable,
        } = *wanted;
        let directory = self.settings.scratch.join(worker.to_string());
        make_private(&directory)?;
        make_private(&directory.join(warden::EXCHANGE))?;
        let (ours, theirs) = UnixStream::pair()?;
        let process = process::spawn(
            Command::new(&self.settings.warden)
                .arg0(warden::NAME)
                .stdin(Stdio::from(OwnedFd::from(theirs)))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .current_dir("/"),
        )?;
        let orders = Orders {
            worker,
            scratch: self.settings.scratch.clone().into(),
            sandbox,
            visible: self.visible(is_guarded),
            writable: writable.iter().map(OsString::from).collect(),
            is_guarded,
            keep: self.settings.keep,
        };
        wire::send(&ours, &orders)?;
        match wire::receive::<Ready>(&ours)? {
            Some(Ok((containment, inner))) => {
                if containment == Containment::ProcessGroup {
                    // A test may kill its warden and the warden's guardian. Then we inherit what it has started.
                    system::adopt_orphans()?;
                }
                Ok(Warden {
                    process,
                    inner,
                    socket: ours,
                    containment,
                })
            }
            Some(Err(reason)) => {
                let reason = format!("this machine cannot give the sandbox: {reason}");
                Err(io::Error::new(io::ErrorKind::Unsupported, reason))
            }
            None => Err(io::Error::other(
                "the process that runs trials ended before its first trial",
            )),
        }
    }

    /// What the full sandbox must not hide: what the settings say, and the directories of programs.
    fn visible(&self, is_guarded: bool) -> Vec<OsString> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).filter(|directory| {
            let is_below = |hidden: &str| directory.starts_with(hidden) && directory != hidden;
            ["/tmp", "/run"].into_iter().any(is_below) && directory.is_dir()
        });
        let all: BTreeSet<PathBuf> = self
            .settings
            .visible
            .iter()
            .cloned()
            .chain(programs)
            // Whoever calls yester there can only ask for the full sandbox in vain, but a guard is nobody's choice.
            .filter(|path| !is_guarded || !warden::is_private(path))
            .collect();
        // What lies in another one is visible with it.
        let is_outermost = |one: &&PathBuf| {
            let mut above = one.ancestors().skip(1);
            !above.any(|above| warden::is_hidden(above) && all.contains(above))
        };
        let outermost = all.iter().filter(is_outermost);
        outermost.map(OsString::from).collect()
    }

    /// Ends the trials whose test has stopped the warden, which then cannot end them itself.
    fn end_stopped(&mut self) {
        let now = Instant::now();
        for worker in &mut self.workers {
            let (Some(warden), Some(overdue)) = (&worker.warden, worker.overdue) else {
                continue;
            };
            if !worker.busy || now < overdue {
                continue;
            }
            worker.overdue = Some(now + PATIENCE);
            let processes = [warden.process.id(), warden.inner];
            // Nobody can stop the first process of a namespace from inside.
            if warden.containment == Containment::ProcessGroup
                && processes.into_iter().any(process::is_stopped)
            {
                for process in processes {
                    let _ = system::kill(process as i32, Signal::KILL);
                }
            }
        }
    }

    fn assign(&mut self, worker: usize, action: &Action) -> io::Result<()> {
        let wanted = self.wanted_enclosure(action);
        let is_hired = self.workers[worker].warden.is_some();
        if !is_hired || self.workers[worker].enclosure.as_ref() != Some(&wanted) {
            // Two wardens in one directory would clean up after each other.
            self.workers[worker] = Worker::default();
            self.workers[worker] = Worker {
                warden: Some(self.hire(worker, &wanted)?),
                enclosure: Some(wanted),
                ..Worker::default()
            };
        }
        let (exchange, mut surroundings) = if action.exchange.is_empty() {
            (None, Surroundings::default())
        } else {
            let made = self.make_exchange(worker, &action.exchange, action.trial);
            let (place, surroundings) = made?;
            (Some((place, action.exchange.wants_outputs)), surroundings)
        };
        if let Subject::Here { directory, .. } = &*action.subject {
            surroundings.directory = Some(directory.clone().into());
        }
        let Worker { told, held, .. } = &mut self.workers[worker];
        let is_told = told
            .as_ref()
            .is_some_and(|told| Arc::ptr_eq(told, &action.invocation));
        let assignment = Assignment {
            invocation: (!is_told).then(|| Arc::clone(&action.invocation)),
            placement: placement(action, held, &self.trees)?,
            surroundings,
            trial: action.trial,
            watch: action.watch,
        };
        *told = Some(Arc::clone(&action.invocation));
        self.workers[worker].exchange = exchange;
        self.send(worker, &Request::Run(assignment))
    }

    fn send(&self, worker: usize, request: &Request) -> io::Result<()> {
        let warden = self.workers[worker]
            .warden
            .as_ref()
            .ok_or(io::ErrorKind::NotConnected)?;
        wire::send(&warden.socket, request)
    }
}

impl Executor for LocalExecutor {
    fn workers(&self) -> usize {
        self.workers.len()
    }

    fn provide(&mut self, tree: Hash, place: &Path) {
        self.trees.insert(tree, place.to_owned());
    }

    fn start(&mut self, worker: usize, action: &Action) -> io::Result<()> {
        assert!(!self.workers[worker].busy, "worker {worker} is busy");
        if self.assign(worker, action).is_err() {
            // Without a namespace, a test may have killed the idle warden.
            self.workers[worker] = Worker::default();
            self.assign(worker, action)?;
        }
        let allowed = action.invocation.limit().saturating_add(PATIENCE);
        self.workers[worker].overdue = Instant::now().checked_add(allowed);
        self.workers[worker].busy = true;
        Ok(())
    }

    fn go_on(&mut self, worker: usize) {
        // A warden that does not get this is gone, which `wait` will report.
        let _ = self.send(worker, &Request::Test);
    }

    fn cancel(&mut self, worker: usize) {
        if self.workers[worker].busy {
            // A warden that does not get this is gone, which `wait` will report.
            let _ = self.send(worker, &Request::Cancel);
        }
    }

    fn wait(&mut self, deadline: Option<Instant>) -> io::Result<Wakeup> {
        loop {
            self.end_stopped();
            let mut descriptors: Vec<Option<BorrowedFd<'_>>> = self
                .workers
                .iter()
                .map(|worker| match &worker.warden {
                    Some(warden) if worker.busy => Some(warden.socket.as_fd()),
                    _ => None,
                })
                .collect();
            descriptors.push(self.settings.interrupt.as_ref().map(AsFd::as_fd));
            let now = Instant::now();
            let left = deadline.map(|deadline| deadline.saturating_duration_since(now));
            let busy = self.workers.iter().filter(|worker| worker.busy);
            let overdue = busy.filter_map(|worker| worker.overdue).min();
            let overdue = overdue.map(|overdue| overdue.saturating_duration_since(now));
            let ready = system::poll_all(&descriptors, left.into_iter().chain(overdue).min())?;
            if ready[self.workers.len()] {
                return Ok(Wakeup::Interrupted);
            }
            // The deadline comes before what has ended: with short trials, one has always just ended.
            if left == Some(Duration::ZERO) {
                return Ok(Wakeup::Deadline);
            }
            if let Some(index) = ready.iter().position(|ready| *ready) {
                let worker = &mut self.workers[index];
                let warden = worker
                    .warden
                    .as_ref()
                    .expect("only sockets of wardens are polled");
                let (observation, touched) = match wire::receive(&warden.socket)? {
                    Some(Reply {
                        event: WardenEvent::Done(observation),
                        touched,
                    }) => (observation, touched),
                    Some(Reply {
                        event: WardenEvent::Built(product),
                        ..
                    }) => return Ok(Wakeup::Worker(index, ActionEvent::Built(product))),
                    None => {
                        let containment = warden.containment;
                        worker.warden = None;
                        if containment == Containment::ProcessGroup {
                            process::end_strays();
                        }
                        (Box::new(Observation::unseen(Ending::Lost)), None)
                    }
                };
                worker.busy = false;
                match touched {
                    Some(touched)
                        if !matches!(observation.ending, Ending::Lost | Ending::NotStarted(_)) =>
                    {
                        worker.held.touch(touched);
                        if may_leave_half_a_build(worker.told.as_deref(), &observation) {
                            worker.held.distrust();
                        }
                    }
                    _ => worker.held = Held::default(),
                }
                let outputs = worker.exchange.take();
                let outputs = outputs.map(|(place, is_wanted)| (Outputs::new(place), is_wanted));
                let outputs = outputs.filter(|(_, is_wanted)| *is_wanted);
                let outputs = outputs.map(|(outputs, _)| outputs);
                return Ok(Wakeup::Worker(
                    index,
                    ActionEvent::Done(observation, outputs),
                ));
            }
        }
    }

    fn containment(&self) -> Option<Containment> {
        self.workers
            .iter()
            .find_map(|worker| Some(worker.warden.as_ref()?.containment))
    }
}

/// How much longer than allowed a trial may take before we look at its warden, and how often we look from then on.
const PATIENCE: Duration = Duration::from_secs(1);

impl Drop for LocalExecutor {
    fn drop(&mut self) {
        let is_group = self.containment() == Some(Containment::ProcessGroup);
        self.workers.clear();
        if is_group {
            process::end_strays();
        }
        let LocalSettings {
            warden,
            scratch,
            interrupt,
            keep,
            complain,
            ..
        } = &self.settings;
        if *keep {
            // Nobody sweeps a directory without a lock.
            let _ = fs::remove_file(scratch.join(scratch::LOCK));
            return;
        }
        let interrupt = interrupt.as_ref().map(AsFd::as_fd);
        if let Err(error) = scratch::discard(scratch, warden, interrupt)
            && let Some(complain) = complain
        {
            complain(&error.to_string());
        }
    }
}

/// How long a warden may take to end its trial and itself.
const GRACE: Duration = Duration::from_millis(100);

impl Drop for Warden {
    /// Returns when the warden and everything that its trial started are gone.
    fn drop(&mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let outer = self.process.id();
        if !has_ended(outer, GRACE) {
            // The outer process stays until the last process of the trial is gone.
            for inner in process::children_of(outer) {
                let _ = system::kill(inner, Signal::KILL);
            }
            let _ = system::kill(outer as i32, Signal::CONT);
            if !has_ended(outer, 30 * GRACE) {
                let _ = self.process.kill();
            }
        }
        let _ = self.process.wait();
        process::forget(outer);
    }
}

/// Whether a run was ended while it may have been building. A linker that is killed leaves a file that is newer than its sources, and that
/// cannot be executed.
fn may_leave_half_a_build(invocation: Option<&Invocation>, observation: &Observation) -> bool {
    let has_build = invocation.is_some_and(|invocation| invocation.build.is_some());
    // Without a build of its own, the test may be one.
    let may_build = !has_build || observation.stage == Stage::Build;
    may_build && !matches!(observation.ending, Ending::Exit(_))
}

fn make_private(directory: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn has_ended(process: u32, within: Duration) -> bool {
    let ended = system::process_descriptor(process)
        .and_then(|process| system::poll([Some(process.as_fd())], Some(within)));
    matches!(ended, Ok([true]))
}
