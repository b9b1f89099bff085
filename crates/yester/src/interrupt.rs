//! Ctrl-C and its relatives: the search ends in order, nothing is lost, and it never takes longer than a second.
//!
//! The search looks at [`descriptor`] whenever it waits. But it may be copying, parsing, solving or deleting for seconds
//! just then. So a thread waits beside it: when nobody has heard the signal in time, it ends the program itself. Every
//! file of ours is whole at any moment, and the journal knows all trials, so that nothing is lost by that either.

use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::failure::{Exit, Failure};
use crate::shell::Shell;

struct Watch {
    /// Readable once the user wants to stop. Nobody reads it.
    asked: PipeReader,
    heard: Mutex<Sender<()>>,
}

static WATCH: OnceLock<Watch> = OnceLock::new();

/// What saves the best so far when the program is ended by the thread.
static RESCUE: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// What to do after an interruption.
pub const GO_ON: &str = "the same command goes on from here";

/// How long the search may take to hear a signal.
const HEARING: Duration = Duration::from_millis(600);

/// How long it may take to save the best so far.
const RESCUING: Duration = Duration::from_millis(200);

/// How long it may take to say that it ends.
const TELLING: Duration = Duration::from_millis(200);

/// How long it may then take to write its answer.
const WRITING: Duration = Duration::from_secs(10);

/// From now on a signal ends the program in order, and a second one at once.
pub fn watch(shell: &Shell) -> io::Result<()> {
    if WATCH.get().is_some() {
        return Ok(());
    }
    let (asked, ask) = io::pipe()?;
    let (wake, waken) = io::pipe()?;
    let was_asked = Arc::new(AtomicBool::new(false));
    // What nohup or a shell has told us to ignore stays ignored.
    for signal in [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| !yester_run::is_ignored(*signal))
    {
        let exit = Exit::Interrupted as i32;
        signal_hook::flag::register_conditional_shutdown(signal, exit, Arc::clone(&was_asked))?;
        signal_hook::flag::register(signal, Arc::clone(&was_asked))?;
        for pipe in [&ask, &waken] {
            signal_hook::low_level::pipe::register(signal, OwnedFd::from(pipe.try_clone()?))?;
        }
    }
    let shell = shell.clone();
    let (heard, hearing) = mpsc::channel();
    let watch = Watch {
        asked,
        heard: Mutex::new(heard),
    };
    if WATCH.set(watch).is_ok() {
        thread::Builder::new()
            .name("interrupt".to_owned())
            .spawn(move || stand_by(wake, &hearing, shell))?;
    }
    Ok(())
}

/// Ends the program when it does not end itself.
fn stand_by(mut wake: PipeReader, hearing: &Receiver<()>, shell: Shell) {
    if wake.read_exact(&mut [0]).is_err() {
        return;
    }
    let in_time = hearing.recv_timeout(HEARING).is_ok();
    if in_time {
        // The program ends in the meantime. Nothing more is ever sent.
        let _ = hearing.recv_timeout(WRITING);
    } else if let Some(rescue) = lock(&RESCUE).take() {
        // What it writes to may never take it.
        let (done, waiting) = mpsc::channel();
        let rescuing = thread::Builder::new().spawn(move || {
            rescue();
            let _ = done.send(());
        });
        if rescuing.is_ok() {
            let _ = waiting.recv_timeout(RESCUING);
        }
    }
    yester_run::end_helpers();
    // Nobody may be reading what we write.
    let (done, waiting) = mpsc::channel();
    let telling = thread::Builder::new().spawn(move || {
        shell.fail(&interrupted(GO_ON));
        let _ = done.send(());
    });
    if telling.is_ok() {
        let _ = waiting.recv_timeout(TELLING);
    }
    signal_hook::low_level::exit(Exit::Interrupted as i32);
}

/// A file descriptor that becomes readable when the user wants to stop.
pub fn descriptor() -> io::Result<OwnedFd> {
    let watch = WATCH.get().ok_or(io::ErrorKind::NotConnected)?;
    Ok(watch.asked.try_clone()?.into())
}

/// Says that the search has heard that the user wants to stop, and is about to end.
pub fn heard() {
    if let Some(watch) = WATCH.get() {
        let _ = lock(&watch.heard).send(());
    }
}

/// What to do with the best so far when the search does not hear a signal in time.
pub fn rescue(rescue: impl FnOnce() + Send + 'static) {
    *lock(&RESCUE) = Some(Box::new(rescue));
}

pub fn interrupted(hint: &str) -> Failure {
    Failure {
        exit: Exit::Interrupted,
        code: None,
        message: "interrupted".to_owned(),
        evidence: Vec::new(),
        hint: Some(hint.to_owned()),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
