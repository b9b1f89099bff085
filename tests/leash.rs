//! A named pipe that the processes of a trial hold. It tells when they are under way, and whether one of them is left:
//! events to wait for instead of times, and an answer about these very processes instead of a search through all that run
//! on the machine.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The line of a script with which it, and whatever it starts from then on, holds the leash and says so.
#[allow(dead_code, reason = "not every test binary has scripts that know it")]
pub const HOLD: &str = "exec 9> \"$YESTER_START/leash\"; echo >&9";

const O_NONBLOCK: i32 = 0o4000;

/// No wait takes that long unless what it waits for never comes.
const BACKSTOP: Duration = Duration::from_secs(300);

pub struct Leash {
    path: PathBuf,
    reader: File,
}

impl Leash {
    /// A leash for scripts with this `YESTER_START`.
    pub fn new(start: &Path) -> Leash {
        let path = start.join("leash");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo starts").success());
        // Opened for reading in the plain way, it would wait for a writer.
        let reader = OpenOptions::new()
            .read(true)
            .custom_flags(O_NONBLOCK)
            .open(&path)
            .expect("a pipe");
        Leash { path, reader }
    }

    /// Waits until one more script says that it holds the leash.
    #[allow(dead_code, reason = "not every test binary waits")]
    pub fn wait(&self) {
        // Open for both, it never ends. It counts as a holder and goes with the thread.
        let mut pipe = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&self.path)
            .expect("a pipe");
        let (sender, receiver) = mpsc::channel();
        let waiting = thread::spawn(move || {
            let read = pipe.read_exact(&mut [0]);
            drop(pipe);
            let _ = sender.send(read.is_ok());
        });
        assert_eq!(
            receiver.recv_timeout(BACKSTOP),
            Ok(true),
            "no script has begun"
        );
        waiting.join().expect("it has ended");
    }

    /// Whether any process is left that holds the leash.
    #[allow(dead_code, reason = "not every test binary asks")]
    pub fn is_held(&mut self) -> bool {
        let mut said = [0; 4096];
        loop {
            match self.reader.read(&mut said) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(error) => panic!("{error}"),
            }
        }
    }
}
