use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::placement::{Held, placement};
use crate::removal::remove;
use crate::run_directory::is_run_number;
use crate::warden::{self, Assignment, Orders, Ready, Reply, Request};
use crate::wire;
use crate::{
    Action, Containment, Ending, Executor, Invocation, Observation, Report, Sandbox, system,
};

/// Runs actions on this machine, each worker in a directory and behind a warden of its own.
pub struct LocalExecutor {
    settings: LocalSettings,
    workers: Vec<Worker>,
    /// Says that the scratch directory is in use.
    _lock: File,
}

/// Where and how to run.
#[derive(Debug)]
pub struct LocalSettings {
    /// A program that calls [`crate::become_warden_if_asked`], usually the running one.
    pub warden: PathBuf,
    /// How many actions may run at once.
    pub jobs: usize,
    /// How tightly to contain them.
    pub sandbox: Sandbox,
    /// The directory for the workers' directories. It is made, emptied, and removed at the end.
    pub scratch: PathBuf,
    /// Directories that trials must be able to read where the sandbox hides their surroundings.
    pub visible: Vec<PathBuf>,
    /// Readable once the user wants to stop.
    pub interrupt: Option<OwnedFd>,
    /// Whether the workers' directories stay at the end.
    pub keep: bool,
}

#[derive(Default)]
struct Worker {
    warden: Option<Warden>,
    busy: bool,
    /// The command that its warden was told last.
    told: Option<Arc<Invocation>>,
    /// What its directory holds.
    held: Held,
}

struct Warden {
    process: Child,
    socket: UnixStream,
    containment: Containment,
}

impl LocalExecutor {
    /// Prepares the directories. Wardens are started when they are first needed.
    pub fn open(settings: LocalSettings) -> io::Result<Self> {
        system::hear_of_children()?;
        let lock = prepare(&settings.scratch)?;
        sweep(&settings.scratch);
        for name in (0..settings.jobs)
            .map(|worker| worker.to_string())
            .chain(["work".to_owned()])
        {
            DirBuilder::new()
                .mode(0o700)
                .create(settings.scratch.join(name))?;
        }
        let workers = (0..settings.jobs).map(|_| Worker::default()).collect();
        Ok(LocalExecutor {
            settings,
            workers,
            _lock: lock,
        })
    }

    fn hire(&self, worker: usize) -> io::Result<Warden> {
        let (ours, theirs) = UnixStream::pair()?;
        let process = Command::new(&self.settings.warden)
            .arg0(warden::NAME)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .spawn()?;
        let orders = Orders {
            worker,
            scratch: self.settings.scratch.clone().into(),
            sandbox: self.settings.sandbox,
            visible: self
                .settings
                .visible
                .iter()
                .map(|path| path.clone().into())
                .collect(),
            keep: self.settings.keep,
        };
        wire::send(&ours, &orders)?;
        match wire::receive::<Ready>(&ours)? {
            Some(Ok(containment)) => Ok(Warden {
                process,
                socket: ours,
                containment,
            }),
            Some(Err(reason)) => {
                let reason = format!("this machine cannot give the sandbox: {reason}");
                Err(io::Error::new(io::ErrorKind::Unsupported, reason))
            }
            None => Err(io::Error::other(
                "the process that runs trials ended before its first trial",
            )),
        }
    }

    fn assign(&mut self, worker: usize, action: &Action) -> io::Result<()> {
        if self.workers[worker].warden.is_none() {
            self.workers[worker] = Worker {
                warden: Some(self.hire(worker)?),
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
            // A test without a namespace around it may have killed the idle warden.
            self.workers[worker] = Worker::default();
            self.assign(worker, action)?;
        }
        self.workers[worker].busy = true;
        Ok(())
    }

    fn go_on(&mut self, worker: usize) {
        // As below.
        let _ = self.send(worker, &Request::Test);
    }

    fn cancel(&mut self, worker: usize) {
        if self.workers[worker].busy {
            // A warden that cannot be told is gone, which `wait` will report.
            let _ = self.send(worker, &Request::Cancel);
        }
    }

    fn wait(&mut self, deadline: Option<Instant>) -> io::Result<Report> {
        loop {
            let mut descriptors: Vec<i32> = self
                .workers
                .iter()
                .map(|worker| match &worker.warden {
                    Some(warden) if worker.busy => warden.socket.as_raw_fd(),
                    _ => -1,
                })
                .collect();
            descriptors.push(
                self.settings
                    .interrupt
                    .as_ref()
                    .map_or(-1, AsRawFd::as_raw_fd),
            );
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let ready = system::poll_all(&descriptors, left)?;
            if ready[self.workers.len()] {
                return Ok(Report::Interrupted);
            }
            // Before what has ended: with short trials there always is something.
            if left == Some(Duration::ZERO) {
                return Ok(Report::Deadline);
            }
            if let Some(index) = ready.iter().position(|ready| *ready) {
                let worker = &mut self.workers[index];
                let warden = worker
                    .warden
                    .as_ref()
                    .expect("only sockets of wardens are waited for");
                let (observation, touched) = match wire::receive(&warden.socket)? {
                    Some(Reply::Built(product)) => return Ok(Report::Built(index, product)),
                    Some(Reply::Done {
                        observation,
                        touched,
                    }) => (observation, touched),
                    None => {
                        worker.warden = None;
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
                return Ok(Report::Done(index, observation));
            }
        }
    }

    fn containment(&self) -> Option<Containment> {
        self.workers
            .iter()
            .find_map(|worker| Some(worker.warden.as_ref()?.containment))
    }
}

impl Drop for LocalExecutor {
    fn drop(&mut self) {
        self.workers.clear();
        let _ = if self.settings.keep {
            // Without a lock it is nobody's to sweep.
            fs::remove_file(self.settings.scratch.join(LOCK))
        } else {
            remove(&self.settings.scratch)
        };
    }
}

impl Drop for Warden {
    /// Comes back when the warden and everything that its trial started is gone.
    fn drop(&mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        let ended = system::process_descriptor(self.process.id()).and_then(|process| {
            system::poll([Some(process.as_fd())], Some(Duration::from_secs(10)))
        });
        if !matches!(ended, Ok([true])) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }
}

/// Makes the scratch directory anew, and removes what an earlier run that was killed left there.
///
/// It comes into being with its lock taken: a sweep of another yester must not find it unlocked.
fn prepare(scratch: &Path) -> io::Result<File> {
    if let Ok(metadata) = fs::symlink_metadata(scratch) {
        // Names below /tmp can be guessed: never follow a link or use what somebody else has put there.
        if !metadata.is_dir() || metadata.uid() != system::user_and_group().0 {
            return Err(io::Error::other(format!(
                "{} belongs to somebody else",
                scratch.display()
            )));
        }
    }
    if let Some(parent) = scratch.parent() {
        fs::create_dir_all(parent)?;
    }
    let unfinished =
        scratch.with_file_name(format!(".{PREFIX}{}-{}", std::process::id(), unique()));
    DirBuilder::new().mode(0o700).create(&unfinished)?;
    let lock = File::create_new(unfinished.join(LOCK))?;
    system::lock(lock.as_fd())?;
    remove(scratch)?;
    fs::rename(&unfinished, scratch)?;
    Ok(lock)
}

/// A number that no other executor of this process has.
fn unique() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Removes the scratch directories of runs that were killed and never called again.
fn sweep(scratch: &Path) {
    let own = system::user_and_group().0;
    for entry in scratch
        .parent()
        .and_then(|parent| fs::read_dir(parent).ok())
        .into_iter()
        .flatten()
        .flatten()
    {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if !metadata.is_dir() || metadata.uid() != own || path == scratch {
            continue;
        }
        let name = name.to_string_lossy();
        let is_old = metadata
            .modified()
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age > UNFINISHED));
        let is_left = if is_unfinished_name(&name) {
            is_old
                && fs::read_dir(&path)
                    .is_ok_and(|entries| entries.flatten().all(|entry| entry.file_name() == LOCK))
        } else {
            is_scratch_name(&name) && path.join("work").is_dir() && is_unlocked(&path)
        };
        if is_left {
            let _ = remove(&path);
        }
    }
}

fn is_unlocked(scratch: &Path) -> bool {
    File::open(scratch.join(LOCK)).is_ok_and(|lock| matches!(system::lock(lock.as_fd()), Ok(true)))
}

/// Whether a directory is called like one of ours: a prefix, the name of a run, and the digits at its end.
fn is_scratch_name(name: &str) -> bool {
    let run = name.strip_prefix(PREFIX);
    run.and_then(|run| run.rsplit_once('-'))
        .is_some_and(|(_, digits)| is_run_number(digits))
}

/// Whether a directory is called like one that is being made: a process and a number.
fn is_unfinished_name(name: &str) -> bool {
    let numbers = name
        .strip_prefix('.')
        .and_then(|name| name.strip_prefix(PREFIX));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(one, other)| is_number(one) && is_number(other))
}

/// After this time a directory that has not got its final name never will.
const UNFINISHED: Duration = Duration::from_secs(60);
const PREFIX: &str = "yester-";
const LOCK: &str = "lock";

/// A name for the scratch directory of a run: always the same for the same run, so that paths in outputs and in
/// compiler caches stay the same when it is resumed.
pub fn scratch_directory(run: &str) -> PathBuf {
    let mut name = OsString::from(PREFIX);
    name.push(run);
    // An empty TMPDIR says nothing, and a relative one is meant to start here.
    let temporary = Some(std::env::temp_dir()).filter(|path| !path.as_os_str().is_empty());
    let temporary = temporary.unwrap_or_else(|| PathBuf::from("/tmp"));
    std::path::absolute(&temporary)
        .unwrap_or(temporary)
        .join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_directories_of_ours_are_swept() {
        assert!(is_scratch_name("yester-reduce-in.txt-0123456789"));
        for name in [
            "yester-review",
            "yester-reduce-in.txt-012345678",
            "yester-",
            "my-yester-x-0123456789",
        ] {
            assert!(!is_scratch_name(name), "{name}");
        }
        assert!(is_unfinished_name(".yester-123-0"));
        for name in [
            ".yester-backup",
            ".yester-123-",
            ".yester--1",
            "yester-123-0",
            ".yester-12a-0",
        ] {
            assert!(!is_unfinished_name(name), "{name}");
        }
    }
}
