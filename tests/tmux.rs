//! A real terminal: tmux, with a shell in it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// No wait takes that long unless what it waits for never comes.
const BACKSTOP: Duration = Duration::from_secs(300);

pub struct Terminal {
    socket: PathBuf,
    /// Tells whenever something was written to the terminal.
    written: Receiver<()>,
}

impl Terminal {
    /// A terminal of this size with a shell in a directory, in which `./yester` is the program. `environment` is what else the
    /// shell should know, as words for `env`.
    pub fn open(directory: &Path, (width, height): (u16, u16), environment: &[&str]) -> Terminal {
        let (socket, pipe) = (directory.join("tmux"), directory.join("written"));
        symlink(env!("CARGO_BIN_EXE_yester"), directory.join("yester")).expect("a link");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo starts").success());
        let (sender, written) = mpsc::channel();
        let reader = pipe.clone();
        thread::spawn(move || {
            let mut pipe = File::open(reader).expect("a pipe");
            while pipe.read(&mut [0; 4096]).is_ok_and(|bytes| bytes > 0) && sender.send(()).is_ok()
            {
            }
        });
        let terminal = Terminal { socket, written };
        let shell = format!("env -u NO_COLOR PS1='$ ' {} sh", environment.join(" "));
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &width.to_string(),
            "-y",
            &height.to_string(),
            "-c",
            directory.to_str().expect("text"),
            &shell,
        ]);
        let pipe = format!("cat > '{}'", pipe.display());
        terminal.tmux(&["pipe-pane", &pipe]);
        terminal.keys(&["Enter"]);
        terminal.wait("a prompt", |screen| screen.contains('$'));
        terminal
    }

    fn tmux<W: AsRef<OsStr>>(&self, words: &[W]) -> String {
        let output = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .args(words)
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("scripts/setup tests installs tmux");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Presses keys by their names.
    pub fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Types a command and Enter.
    pub fn command(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.keys(&["Enter"]);
    }

    pub fn resize(&self, (width, height): (u16, u16)) {
        let (width, height) = (width.to_string(), height.to_string());
        self.tmux(&["resize-window", "-x", &width, "-y", &height]);
    }

    /// What is on the screen.
    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The same with its colours.
    pub fn coloured(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"])
    }

    /// Waits until the screen is as it should be, and gives it. Looks again whenever something was written.
    #[track_caller]
    pub fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            let written = self.written.recv_timeout(BACKSTOP);
            assert!(written.is_ok(), "no {what}:\n{screen}");
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .arg("kill-server")
            .env_remove("TMUX")
            .status();
    }
}
