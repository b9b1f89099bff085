//! A running solver. One thread writes to it and one reads from it, so that we never wait for a solver that does not read or
//! does not write.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::program::{SolverError, SolverProgram};

/// How many bytes a solver may print in answer to a query.
const LONGEST_OUTPUT: usize = 64 << 20;

/// Why a solver cannot be used any more.
pub(super) struct Broken(pub String);

pub(super) struct Process {
    child: Child,
    told: Sender<String>,
    said: Receiver<Vec<u8>>,
    /// Output that was read but not used yet.
    rest: Vec<u8>,
    /// How many queries there were.
    number: u64,
    /// How long an answer may take.
    patience: Duration,
}

impl Process {
    pub(super) fn start(
        program: &SolverProgram,
        limit: Duration,
        greeting: &str,
    ) -> Result<Process, SolverError> {
        let name = || program.path.to_string_lossy().into_owned();
        let mut command = Command::new(&program.path);
        command
            .args(program.arguments(limit))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        die_with_us(&mut command);
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => SolverError::Missing(name()),
            _ => SolverError::Start {
                name: name(),
                error,
            },
        })?;
        let mut stdin = child.stdin.take().expect("it is piped");
        let mut stdout = child.stdout.take().expect("it is piped");
        let (told, to_tell) = mpsc::channel::<String>();
        let (say, said): (SyncSender<Vec<u8>>, _) = mpsc::sync_channel(16);
        thread::spawn(move || {
            // If the solver does not read, its missing answer will show it.
            while let Ok(text) = to_tell.recv() {
                if stdin.write_all(text.as_bytes()).is_err() || stdin.flush().is_err() {
                    break;
                }
            }
        });
        thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            loop {
                match stdout.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) if say.send(buffer[..count].to_vec()).is_ok() => {}
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    _ => break,
                }
            }
        });
        let process = Process {
            child,
            told,
            said,
            rest: Vec::new(),
            number: 0,
            patience: program.patience(limit),
        };
        process.tell(greeting.to_owned());
        Ok(process)
    }

    /// Sends something that has no answer.
    pub(super) fn tell(&self, text: String) {
        // If the solver is gone, the next query will notice.
        let _ = self.told.send(text);
    }

    /// Sends a query and returns the output up to a mark that follows each query, so that queries and answers stay in step.
    pub(super) fn ask(&mut self, mut text: String) -> Result<String, Broken> {
        self.number += 1;
        let mark = format!("yester-{}", self.number);
        text.push_str(&format!("(echo \"{mark}\")\n"));
        self.tell(text);
        let deadline = Instant::now() + self.patience;
        let mut searched = 0;
        loop {
            if let Some(said) = self.until(&mark, &mut searched) {
                return Ok(said);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.said.recv_timeout(left) {
                Ok(_) if self.rest.len() > LONGEST_OUTPUT => {
                    return Err(Broken("the solver printed more than 64 MB".to_owned()));
                }
                Ok(more) => self.rest.extend(more),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Broken(format!(
                        "the solver did not answer within {:?} and was stopped",
                        self.patience
                    )));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let said = String::from_utf8_lossy(&self.rest);
                    let said: String = said.trim().chars().take(200).collect();
                    return Err(Broken(if said.is_empty() {
                        "the solver ended without an answer".to_owned()
                    } else {
                        format!("the solver ended, saying '{said}'")
                    }));
                }
            }
        }
    }

    /// The output before the line with the mark, if that has arrived. Some solvers print the mark with its quotes.
    fn until(&mut self, mark: &str, searched: &mut usize) -> Option<String> {
        while let Some(end) = self.rest[*searched..]
            .iter()
            .position(|byte| *byte == b'\n')
        {
            let line = &self.rest[*searched..*searched + end];
            if String::from_utf8_lossy(line).trim().trim_matches('"') == mark {
                let after = self.rest.split_off(*searched + end + 1);
                let mut said = std::mem::replace(&mut self.rest, after);
                said.truncate(*searched);
                return Some(String::from_utf8_lossy(&said).into_owned());
            }
            *searched += end + 1;
        }
        None
    }
}

/// Lets the system kill the solver when yester dies, however it dies: a hard question may take it minutes.
fn die_with_us(command: &mut Command) {
    let parent = rustix::process::getpid();
    let kill = move || {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        match rustix::process::getppid() {
            Some(now) if now == parent => Ok(()),
            _ => Err(io::Error::other("yester is gone")),
        }
    };
    // SAFETY: between fork and exec only system calls are made, and nothing is allocated unless yester is gone.
    unsafe { command.pre_exec(kill) };
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
