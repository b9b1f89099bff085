use std::collections::BTreeSet;
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

use crate::placement::{Held, placement};
use crate::warden::{self, Assignment, Orders, Ready, Reply, Request};
use crate::{
    Action, ActionEvent, Containment, Ending, Executor, Invocation, Observation, Sandbox, Wakeup,
    process, scratch, system, wire,
};

/// Runs actions on this machine, each worker in a directory and behind a warden of its own.
pub struct LocalExecutor {
    settings: LocalSettings,
    workers: Vec<Worker>,
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
    /// Whether its warden guards against what the user never ran.
    is_guarded: bool,
    busy: bool,
    /// The command that its warden got last.
    told: Option<Arc<Invocation>>,
    /// What its directory holds.
    held: Held,
    /// When its trial should have ended by itself.
    overdue: Option<Instant>,
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
            _lock: lock,
        })
    }

    /// A directory that the actions of one worker may write to in every sandbox, and whoever starts them reads.
    pub fn exchange(&self, worker: usize) -> io::Result<PathBuf> {
        let directory = self.settings.scratch.join(worker.to_string());
        make_private(&directory)?;
        let exchange = directory.join(warden::EXCHANGE);
        make_private(&exchange)?;
        Ok(exchange)
    }

    fn hire(&self, worker: usize, is_guarded: bool) -> io::Result<Warden> {
        make_private(&self.settings.scratch.join(worker.to_string()))?;
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
            sandbox: if is_guarded {
                Sandbox::Full
            } else {
                self.settings.sandbox
            },
            visible: self.visible(is_guarded),
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
        all.into_iter().map(OsString::from).collect()
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
        let is_guarded = action.invocation.is_guarded;
        if self.workers[worker].warden.is_none() || self.workers[worker].is_guarded != is_guarded {
            // Two wardens in one directory would clean up after each other.
            self.workers[worker] = Worker::default();
            self.workers[worker] = Worker {
                warden: Some(self.hire(worker, is_guarded)?),
                is_guarded,
                ..Worker::default()
            };
        }
        let Worker { told, held, .. } = &mut self.workers[worker];
        let is_told = told
            .as_ref()
            .is_some_and(|told| Arc::ptr_eq(told, &action.invocation));
        let assignment = Assignment {
            invocation: (!is_told).then(|| Arc::clone(&action.invocation)),
            placement: placement(action, held),
            trial: action.trial,
            watch: action.watch,
        };
        *told = Some(Arc::clone(&action.invocation));
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

    fn start(&mut self, worker: usize, action: &Action) -> io::Result<()> {
        assert!(!self.workers[worker].busy, "worker {worker} is busy");
        if self.assign(worker, action).is_err() {
            // Without a namespace, a test may have killed the idle warden.
            self.workers[worker] = Worker::default();
            self.assign(worker, action)?;
        }
        let Invocation { timeout, build, .. } = &*action.invocation;
        let build = build.as_ref().map_or(Duration::ZERO, |build| build.timeout);
        let allowed = timeout.saturating_add(build).saturating_add(PATIENCE);
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
                        event: ActionEvent::Done(observation),
                        touched,
                    }) => (observation, touched),
                    Some(Reply { event, .. }) => return Ok(Wakeup::Worker(index, event)),
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
                    }
                    _ => worker.held = Held::default(),
                }
                return Ok(Wakeup::Worker(index, ActionEvent::Done(observation)));
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
