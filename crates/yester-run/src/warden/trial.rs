//! One run of the user's command: start it, watch it, end it with everything it started.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::directory::Directory;
use super::reaper::end_all;
use super::{Placement, Request};
use crate::capture::Recorder;
use crate::{Containment, Ending, Invocation, Observation, system, wire};

/// The numbers that a trial sees.
pub(crate) struct Numbers {
    pub trial: u64,
    pub worker: usize,
}

/// Runs the command on a candidate in the worker's directory. By the time it returns, none of its processes is left.
pub(crate) fn run(
    invocation: &Invocation,
    placement: &Placement,
    numbers: Numbers,
    directory: &mut Directory,
    socket: &UnixStream,
    containment: Containment,
) -> io::Result<Observation> {
    let candidate = match directory.place(placement) {
        Ok(candidate) => candidate,
        Err(error) => {
            return Ok(not_started(format!(
                "cannot put the candidate in place: {error}"
            )));
        }
    };
    let program = match &invocation.program_in_tree {
        Some(relative) if directory.path().join(relative).exists() => {
            directory.path().join(relative).into()
        }
        _ => invocation.program.clone(),
    };
    let mut command = Command::new(substitute(&program, candidate.as_os_str()));
    let is_candidate = program == "{}";
    command
        .args(
            invocation
                .arguments
                .iter()
                .map(|argument| substitute(argument, candidate.as_os_str())),
        )
        .env_clear()
        .envs(
            invocation
                .environment
                .iter()
                .map(|(name, value)| (name, value)),
        )
        .env("YESTER_CANDIDATE", &candidate)
        .env("YESTER_TRIAL", numbers.trial.to_string())
        .env("YESTER_WORKER", numbers.worker.to_string())
        .current_dir(directory.path())
        .process_group(0)
        .stdin(if invocation.stdin {
            Stdio::from(File::open(&candidate)?)
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if containment == Containment::Full {
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
        // A candidate that is no program is a bad candidate, which a shell would say with this exit.
        Err(_) if is_candidate => return Ok(Observation::unseen(Ending::Exit(126))),
        Err(error) => return Ok(not_started(error.to_string())),
    };
    let process = system::process_descriptor(child.id())?;
    let mut stdout = Output::new(child.stdout.take().expect("stdout is piped"))?;
    let mut stderr = Output::new(child.stderr.take().expect("stderr is piped"))?;

    let deadline = start.checked_add(invocation.timeout);
    let mut cut_short = None;
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let [ended, printed, complained, told] = system::poll(
            [
                Some(process.as_fd()),
                stdout.open.then(|| stdout.pipe.as_fd()),
                stderr.open.then(|| stderr.pipe.as_fd()),
                Some(socket.as_fd()),
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
            if wire::receive::<Request>(socket)?.is_none() {
                // yester is gone. Without a namespace nobody but us can end this trial.
                end_all(child.id() as i32, containment)?;
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
    let (status, cpu) = end_all(child.id() as i32, containment)?;
    stdout.drain()?;
    stderr.drain()?;
    Ok(Observation {
        ending: cut_short.unwrap_or_else(|| ending(status)),
        elapsed,
        cpu,
        stdout: stdout.recorder.finish(),
        stderr: stderr.recorder.finish(),
    })
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
