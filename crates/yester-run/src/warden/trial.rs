//! One run of the user's command: starts it, watches it, and ends it with everything it started.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::directory::WorkerDirectory;
use super::reaper::end_all;
use super::refusal::Refusals;
use super::{Placement, Reply, Request, Surroundings, WardenEvent, product};
use crate::capture::Recorder;
use crate::system::{Launch, WriteFilter, WriteListener};
use crate::{Containment, Ending, Invocation, NotStarted, Observation, Stage, plain, system, wire};

/// What a trial is run with.
pub(crate) struct TrialRun<'a> {
    pub invocation: &'a Invocation,
    pub surroundings: &'a Surroundings,
    pub socket: &'a UnixStream,
    pub trial: u64,
    pub worker: usize,
}

impl TrialRun<'_> {
    /// Builds and tests a candidate in the worker's directory. By the time it returns, none of its processes is left.
    pub(crate) fn run(
        &self,
        placement: &Placement,
        watch: bool,
        directory: &mut WorkerDirectory,
    ) -> io::Result<Observation> {
        let candidate = match directory.place(placement) {
            Ok(candidate) => candidate,
            Err(error) => {
                let reason = format!("cannot put the candidate in place: {}", plain(&error));
                return Ok(not_started(&io::Error::new(error.kind(), reason)));
            }
        };
        if let Err(error) = directory.put_beside(&self.invocation.helpers) {
            let reason = format!("cannot put files beside the candidate: {}", plain(&error));
            return Ok(not_started(&io::Error::new(error.kind(), reason)));
        }
        let is_watched = match watch.then(|| directory.watch()) {
            Some(Err(error)) => return Ok(not_started(&error)),
            Some(Ok(is_watched)) => is_watched,
            None => false,
        };
        let mut observation = self.build_and_test(&candidate, directory)?;
        observation.read = is_watched.then(|| directory.read());
        Ok(observation)
    }

    fn build_and_test(
        &self,
        candidate: &Path,
        directory: &WorkerDirectory,
    ) -> io::Result<Observation> {
        let Some(build) = &self.invocation.build else {
            return self.test(candidate, directory);
        };
        let command = CommandLine {
            path: "/bin/sh".into(),
            arguments: vec!["-c".into(), build.line.clone()],
            stdin: None,
        };
        let place = directory.path();
        let mut environment = build.environment.clone();
        let temporary = match directory.make_temporary() {
            Ok(temporary) => temporary,
            Err(error) => return Ok(not_started(&error)),
        };
        environment.extend(temporary.map(|path| ("TMPDIR".into(), path.into())));
        let built = self.execute(
            &command,
            candidate,
            (directory, place),
            &environment,
            build.timeout,
        )?;
        directory.empty_temporary();
        let built = match built {
            Ok(built) => built,
            Err(error) => return Ok(not_started(&error)),
        };
        if built.ending != Ending::Exit(0) {
            return Ok(Observation {
                stage: Stage::Build,
                ..built
            });
        }
        // A product that cannot be read cannot be recognised either.
        let product = product::hash(directory.root(), place, &build.products).unwrap_or_default();
        let seen = match &product {
            Some(product) if !self.is_wanted(product)? => Observation::unseen(Ending::Cancelled),
            _ => self.test(candidate, directory)?,
        };
        Ok(Observation {
            build: Some(built.elapsed),
            cpu: built.cpu + seen.cpu,
            product,
            unmade: product::missing(directory.root(), &build.products),
            ..seen
        })
    }

    /// Reports what was built, and waits to hear whether to test it.
    fn is_wanted(&self, product: &str) -> io::Result<bool> {
        let event = WardenEvent::Built(product.to_owned());
        let reply = Reply {
            event,
            touched: None,
        };
        wire::send(self.socket, &reply)?;
        match wire::receive::<Request>(self.socket)? {
            // yester is gone, and the build has left no process of this trial.
            None => system::exit_now(0),
            Some(request) => Ok(matches!(request, Request::Test)),
        }
    }

    fn test(&self, candidate: &Path, directory: &WorkerDirectory) -> io::Result<Observation> {
        let (invocation, surroundings) = (self.invocation, self.surroundings);
        let own = directory.path();
        let place = surroundings.directory.as_ref().map_or(own, Path::new);
        let program = match &invocation.program_in_tree {
            Some(relative) if own.join(relative).try_exists()? => own.join(relative).into(),
            _ => invocation.program.clone(),
        };
        let substitute = |word: &OsString| {
            if invocation.has_placeholders {
                substitute(word, candidate.as_os_str())
            } else {
                word.clone()
            }
        };
        let mut arguments: Vec<OsString> = invocation.arguments.iter().map(substitute).collect();
        for (index, argument) in &surroundings.arguments {
            if let Some(place) = arguments.get_mut(*index) {
                argument.clone_into(place);
            }
        }
        let stdin = match &surroundings.stdin {
            Some(stdin) => Some(File::open(stdin)?),
            None if invocation.stdin => Some(File::open(candidate)?),
            None => None,
        };
        let command = CommandLine {
            path: substitute(&program),
            arguments,
            stdin,
        };
        let executed = self.execute(
            &command,
            candidate,
            (directory, place),
            &surroundings.environment,
            invocation.timeout,
        )?;
        let observation = executed.unwrap_or_else(|error| {
            let is_own = program == "{}" || invocation.program_in_tree.is_some();
            match own_exit(&error) {
                Some(exit) if is_own => Observation::unseen(Ending::Exit(exit)),
                _ => not_started(&error),
            }
        });
        self.compare(observation, candidate, (directory, place))
    }

    /// Runs what has to pass where the command has failed.
    fn compare(
        &self,
        observation: Observation,
        candidate: &Path,
        place: (&WorkerDirectory, &Path),
    ) -> io::Result<Observation> {
        let (invocation, surroundings) = (self.invocation, self.surroundings);
        let counterpart = invocation.counterpart.as_ref();
        let Some(counterpart) =
            counterpart.filter(|counterpart| counterpart.is_asked(&observation))
        else {
            return Ok(observation);
        };
        let command = CommandLine {
            path: "/bin/sh".into(),
            arguments: vec!["-c".into(), counterpart.line.clone()],
            stdin: None,
        };
        let environment = &surroundings.environment;
        let seen = self.execute(&command, candidate, place, environment, invocation.timeout)?;
        Ok(match seen {
            Err(error) => not_started(&error),
            Ok(seen) if seen.ending == Ending::Cancelled => seen,
            Ok(seen) if counterpart.passes(&seen) => observation,
            Ok(_) => Observation {
                stage: Stage::Counterpart,
                ..observation
            },
        })
    }

    /// Runs one command to its end and ends whatever it has started. The inner error says that it cannot be started.
    fn execute(
        &self,
        command: &CommandLine,
        candidate: &Path,
        (directory, place): (&WorkerDirectory, &Path),
        environment: &[(OsString, OsString)],
        timeout: Duration,
    ) -> io::Result<io::Result<Observation>> {
        let enclosure = directory.enclosure();
        let environment = self.environment(candidate, environment, enclosure.containment);
        let (stdout, stdout_end) = io::pipe()?;
        let (stderr, stderr_end) = io::pipe()?;
        let nothing;
        let stdin = match &command.stdin {
            Some(file) => file.as_fd(),
            None => {
                nothing = io::stdin();
                nothing.as_fd()
            }
        };
        // One process tells the other where the kernel asks about writes.
        let sockets = if self.invocation.is_guarded {
            Some((WriteFilter::new(), UnixStream::pair()?))
        } else {
            None
        };
        let start = Instant::now();
        let spawned = system::spawn(&Launch {
            program: &command.path,
            arguments: &command.arguments,
            environment: &environment,
            directory: place.as_os_str(),
            streams: [stdin, stdout_end.as_fd(), stderr_end.as_fd()],
            memory: self.invocation.memory,
            mounts: enclosure.mounts(),
            privileges: enclosure.privileges(),
            watch: sockets
                .as_ref()
                .map(|(filter, (_, theirs))| (filter, theirs.as_fd())),
        });
        drop((stdout_end, stderr_end));
        let child = match spawned {
            Ok(child) => child,
            Err(error) => return Ok(Err(error)),
        };
        let process = system::process_descriptor(child as u32)?;
        let listener = sockets.and_then(|(_, (ours, _))| WriteListener::receive(&ours));
        let mut refusals = listener.map(Refusals::new);
        let mut stdout = OutputPipe::new(stdout)?;
        let mut stderr = OutputPipe::new(stderr)?;

        let deadline = start.checked_add(timeout);
        let mut cut_short = None;
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let asks = refusals.as_ref().and_then(Refusals::descriptor);
            let [ended, printed, complained, told, asked] = system::poll(
                [
                    Some(process.as_fd()),
                    stdout.open.then(|| stdout.pipe.as_fd()),
                    stderr.open.then(|| stderr.pipe.as_fd()),
                    Some(self.socket.as_fd()),
                    asks,
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
            if asked && let Some(refusals) = &mut refusals {
                refusals.answer();
            }
            if told {
                cut_short = Some(Ending::Cancelled);
                if wire::receive::<Request>(self.socket)?.is_none() {
                    // yester is gone. Without a namespace, only we can end this trial.
                    end_all(child, enclosure.containment)?;
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
        let ended = end_all(child, enclosure.containment)?;
        stdout.drain()?;
        stderr.drain()?;
        Ok(Ok(Observation {
            elapsed,
            cpu: ended.cpu,
            memory: ended.memory,
            stdout: stdout.recorder.finish(),
            stderr: stderr.recorder.finish(),
            refused: refusals.map(Refusals::finish).unwrap_or_default(),
            ..Observation::unseen(cut_short.unwrap_or_else(|| ending(ended.status)))
        }))
    }

    /// The whole environment of a command, as `NAME=VALUE`.
    fn environment(
        &self,
        candidate: &Path,
        additional: &[(OsString, OsString)],
        containment: Containment,
    ) -> Vec<OsString> {
        let given = self.invocation.environment.iter().chain(additional);
        let mut environment: BTreeMap<&OsStr, OsString> = given
            .map(|(name, value)| (name.as_os_str(), value.clone()))
            .collect();
        let own = [
            ("YESTER_CANDIDATE", candidate.as_os_str().to_owned()),
            ("YESTER_TRIAL", self.trial.to_string().into()),
            ("YESTER_WORKER", self.worker.to_string().into()),
        ];
        environment.extend(own.map(|(name, value)| (OsStr::new(name), value)));
        if containment == Containment::Full {
            environment.insert(OsStr::new("TMPDIR"), "/tmp".into());
        }
        let assignment = |(name, value): (&OsStr, OsString)| {
            let mut assignment = name.to_owned();
            assignment.push("=");
            assignment.push(value);
            assignment
        };
        environment.into_iter().map(assignment).collect()
    }
}

/// The exit code of a shell for a program that cannot be executed. If the program is part of the candidate, the candidate
/// is bad. Nothing if the machine is to blame.
fn own_exit(error: &io::Error) -> Option<i32> {
    match Errno::from_io_error(error)? {
        Errno::NOENT => Some(127),
        Errno::ACCESS
        | Errno::PERM
        | Errno::NOEXEC
        | Errno::NOTDIR
        | Errno::ISDIR
        | Errno::LOOP => Some(126),
        _ => None,
    }
}

/// What to execute.
struct CommandLine {
    path: OsString,
    arguments: Vec<OsString>,
    /// Its standard input, or nothing for an empty one.
    stdin: Option<File>,
}

fn not_started(error: &io::Error) -> Observation {
    Observation::unseen(Ending::NotStarted(NotStarted::because(error)))
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
struct OutputPipe<P> {
    pipe: P,
    open: bool,
    recorder: Recorder,
}

impl<P: Read + AsFd> OutputPipe<P> {
    fn new(pipe: P) -> io::Result<Self> {
        system::set_nonblocking(pipe.as_fd())?;
        Ok(OutputPipe {
            pipe,
            open: true,
            recorder: Recorder::default(),
        })
    }

    /// Takes what is there now, one pipe buffer at most, so that the caller checks its deadline in between.
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
