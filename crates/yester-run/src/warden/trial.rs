//! One run of the user's command: start it, watch it, end it with everything it started.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::access::Watch;
use super::directory::Directory;
use super::reaper::end_all;
use super::{Placement, Reply, Request, product};
use crate::capture::Recorder;
use crate::{Containment, Ending, Invocation, Observation, Stage, system, wire};

/// What a trial is run with.
pub(crate) struct Bench<'a> {
    pub invocation: &'a Invocation,
    pub socket: &'a UnixStream,
    pub containment: Containment,
    pub trial: u64,
    pub worker: usize,
}

impl Bench<'_> {
    /// Builds and tests a candidate in the worker's directory. By the time it returns, none of its processes is left.
    pub(crate) fn run(
        &self,
        placement: &Placement,
        watch: bool,
        directory: &mut Directory,
    ) -> io::Result<Observation> {
        let candidate = match directory.place(placement) {
            Ok(candidate) => candidate,
            Err(error) => {
                return Ok(not_started(format!(
                    "cannot put the candidate in place: {error}"
                )));
            }
        };
        let watch = match watch.then(|| Watch::start(directory.path())) {
            Some(Err(error)) => return Ok(not_started(error.to_string())),
            Some(Ok(watch)) => watch,
            None => None,
        };
        let mut observation = self.build_and_test(&candidate, directory.path())?;
        observation.read = watch.map(|watch| watch.read());
        Ok(observation)
    }

    fn build_and_test(&self, candidate: &Path, directory: &Path) -> io::Result<Observation> {
        let Some(build) = &self.invocation.build else {
            return self.test(candidate, directory);
        };
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(&build.line).stdin(Stdio::null());
        let built = match self.execute(
            command,
            candidate,
            directory,
            &build.environment,
            build.timeout,
        )? {
            Ok(built) => built,
            Err(error) => return Ok(not_started(error.to_string())),
        };
        if built.ending != Ending::Exit(0) {
            return Ok(Observation {
                stage: Stage::Build,
                ..built
            });
        }
        // A product that cannot be read is none that could be recognised.
        let product = product::hash(directory, &build.products).unwrap_or_default();
        let seen = match &product {
            Some(product) if !self.is_wanted(product)? => Observation::unseen(Ending::Cancelled),
            _ => self.test(candidate, directory)?,
        };
        Ok(Observation {
            build: Some(built.elapsed),
            cpu: built.cpu + seen.cpu,
            product,
            ..seen
        })
    }

    /// Tells what was built, and waits to hear whether that has to be tested.
    fn is_wanted(&self, product: &str) -> io::Result<bool> {
        wire::send(self.socket, &Reply::Built(product.to_owned()))?;
        match wire::receive::<Request>(self.socket)? {
            // yester is gone, and with the build every process of this trial.
            None => system::exit_now(0),
            Some(request) => Ok(matches!(request, Request::Test)),
        }
    }

    fn test(&self, candidate: &Path, directory: &Path) -> io::Result<Observation> {
        let invocation = self.invocation;
        let program = match &invocation.program_in_tree {
            Some(relative) if directory.join(relative).exists() => directory.join(relative).into(),
            _ => invocation.program.clone(),
        };
        let mut command = Command::new(substitute(&program, candidate.as_os_str()));
        command
            .args(
                invocation
                    .arguments
                    .iter()
                    .map(|argument| substitute(argument, candidate.as_os_str())),
            )
            .stdin(if invocation.stdin {
                Stdio::from(File::open(candidate)?)
            } else {
                Stdio::null()
            });
        let mut place = directory;
        if let Some(watched) = &invocation.watched {
            command = Command::new(&program);
            command
                .args(&invocation.arguments)
                .stdin(match &watched.stdin {
                    Some(path) => Stdio::from(File::open(path)?),
                    None => Stdio::null(),
                });
            place = watched.directory.as_ref().map_or(place, Path::new);
        }
        let executed = self.execute(command, candidate, place, &[], invocation.timeout)?;
        Ok(executed.unwrap_or_else(|error| {
            // A candidate that is no program, or has none, is a bad candidate, which a shell would say with this exit.
            if program == "{}" {
                Observation::unseen(Ending::Exit(126))
            } else if invocation.program_in_tree.is_some() {
                let missing = error.kind() == io::ErrorKind::NotFound;
                Observation::unseen(Ending::Exit(if missing { 127 } else { 126 }))
            } else {
                not_started(error.to_string())
            }
        }))
    }

    /// Runs one command to its end and ends whatever it has started. An inner error says that it cannot be started.
    fn execute(
        &self,
        mut command: Command,
        candidate: &Path,
        directory: &Path,
        environment: &[(OsString, OsString)],
        timeout: Duration,
    ) -> io::Result<io::Result<Observation>> {
        let invocation = self.invocation;
        command
            .env_clear()
            .envs(
                (invocation.environment.iter().chain(environment))
                    .map(|(name, value)| (name, value)),
            )
            .env("YESTER_CANDIDATE", candidate)
            .env("YESTER_TRIAL", self.trial.to_string())
            .env("YESTER_WORKER", self.worker.to_string())
            .current_dir(directory)
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.containment == Containment::Full {
            command.env("TMPDIR", "/tmp");
        }

        if invocation.memory.is_some() {
            system::limit(libc::RLIMIT_DATA, invocation.memory)?;
        }
        let start = Instant::now();
        let spawned = command.spawn();
        if invocation.memory.is_some() {
            system::limit(libc::RLIMIT_DATA, None)?;
        }
        let mut child = match spawned {
            Ok(child) => child,
            Err(error) => return Ok(Err(error)),
        };
        let process = system::process_descriptor(child.id())?;
        let mut stdout = Output::new(child.stdout.take().expect("stdout is piped"))?;
        let mut stderr = Output::new(child.stderr.take().expect("stderr is piped"))?;

        let deadline = start.checked_add(timeout);
        let mut cut_short = None;
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let [ended, printed, complained, told] = system::poll(
                [
                    Some(process.as_fd()),
                    stdout.open.then(|| stdout.pipe.as_fd()),
                    stderr.open.then(|| stderr.pipe.as_fd()),
                    Some(self.socket.as_fd()),
                ],
                left,
            )?;
            if printed {
                stdout.read()?;
            }
            if complained {
                stderr.read()?;
            }
            if ended {
                break;
            }
            if told {
                cut_short = Some(Ending::Cancelled);
                if wire::receive::<Request>(self.socket)?.is_none() {
                    // yester is gone. Without a namespace nobody but us can end this trial.
                    end_all(child.id() as i32, self.containment)?;
                    system::exit_now(0);
                }
                break;
            }
            if left == Some(Duration::ZERO) {
                cut_short = Some(Ending::Timeout);
                break;
            }
        }
        let elapsed = start.elapsed();
        let (status, cpu) = end_all(child.id() as i32, self.containment)?;
        stdout.drain()?;
        stderr.drain()?;
        Ok(Ok(Observation {
            elapsed,
            cpu,
            stdout: stdout.recorder.finish(),
            stderr: stderr.recorder.finish(),
            ..Observation::unseen(cut_short.unwrap_or_else(|| ending(status)))
        }))
    }
}

fn not_started(reason: String) -> Observation {
    Observation::unseen(Ending::NotStarted(reason))
}

fn ending(status: Option<i32>) -> Ending {
    let Some(status) = status else {
        return Ending::Lost;
    };
    let status = ExitStatus::from_raw(status);
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::Exit(code),
        (None, Some(signal)) => Ending::Signal(signal),
        (None, None) => Ending::Lost,
    }
}

/// Puts the candidate's path where `{}` stands.
fn substitute(argument: &OsStr, candidate: &OsStr) -> OsString {
    let mut rest = argument.as_bytes();
    let mut result = Vec::with_capacity(rest.len());
    while let Some(at) = rest.windows(2).position(|window| window == b"{}") {
        result.extend_from_slice(&rest[..at]);
        result.extend_from_slice(candidate.as_bytes());
        rest = &rest[at + 2..];
    }
    result.extend_from_slice(rest);
    OsString::from_vec(result)
}

/// One of the command's outputs.
struct Output<P> {
    pipe: P,
    open: bool,
    recorder: Recorder,
}

impl<P: Read + AsFd> Output<P> {
    fn new(pipe: P) -> io::Result<Self> {
        system::set_nonblocking(pipe.as_fd())?;
        Ok(Output {
            pipe,
            open: true,
            recorder: Recorder::default(),
        })
    }

    /// Takes what is there now, one pipe buffer at most, so that the deadline is looked at in between.
    fn read(&mut self) -> io::Result<bool> {
        let mut buffer = [0; 64 * 1024];
        match self.pipe.read(&mut buffer) {
            Ok(0) => self.open = false,
            Ok(count) => {
                self.recorder.push(&buffer[..count]);
                return Ok(true);
            }
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
        Ok(false)
    }

    fn drain(&mut self) -> io::Result<()> {
        while self.open && self.read()? {}
        Ok(())
    }
}
