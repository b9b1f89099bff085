//! The one place that starts git.
//!
//! A repository of a stranger can name programs in many ways: hooks, filters, `textconv`, external diffs, a file system
//! monitor, commands for ssh, helpers for credentials, and more with each version of git. A list of what to turn off
//! would never be complete, since the stranger chooses the names of drivers and remotes. So git does not see the settings
//! of the repository at all. It works in a *stand-in*: a git directory of our own in a temporary directory, with our
//! settings, no references and no hooks, which takes its objects from the repository. Git does not see the settings of
//! the user either: a stranger's `.gitattributes` could start the user's programs.
//!
//! Only [`look`] reads the repository itself. It finds the repository as git does for the user, and resolves names of
//! revisions. The only program that this could start is a fetch of missing objects, and no protocol is allowed.
//!
//! Git ends with yester, however that ends: its pipes close, and [`crate::special`] keeps it from waiting for anything else.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{AtFlags, Dir, FlockOperation, Mode, OFlags, ResolveFlags, flock, unlinkat};
use tempfile::TempDir;

use crate::PatchError;

/// No tree that anybody could test gives more output. A few small objects can describe billions of files.
const MOST_OUTPUT: u64 = 512 << 20;
/// How much of git's complaints is kept.
const MOST_MESSAGE: u64 = 64 << 10;

/// Variables of git that say where to look for a repository and for the user's list of trusted directories. Git gets no
/// others: they are about another repository, start programs or write files.
const KEPT: [&str; 5] = [
    "GIT_CEILING_DIRECTORIES",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// What every call gets.
const ALWAYS: [(&str, &str); 14] = [
    // An empty list. Unlike GIT_NO_LAZY_FETCH, every version of git and the processes that it starts obey it.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_ASKPASS", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_EDITOR", "false"),
    ("GIT_PAGER", "cat"),
    // With replaced objects, a commit's id would stand for another version.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
    ("LC_ALL", "C"),
];

/// A call of git without anything of the environment that changes what it does.
fn command() -> Command {
    let mut command = Command::new("git");
    let is_taken_away = |name: &OsString| {
        let bytes = name.as_encoded_bytes();
        bytes.starts_with(b"GIT_") && !KEPT.iter().any(|kept| name == kept)
    };
    for (name, _) in std::env::vars_os() {
        if is_taken_away(&name) {
            command.env_remove(name);
        }
    }
    command
        .env_remove("SSH_ASKPASS")
        .env_remove("LANGUAGE")
        .envs(ALWAYS)
        .args(["--no-pager", "-c", "core.quotepath=off"])
        .stdin(Stdio::null());
    command
}

/// A call that reads the repository around a directory, with its settings. Git refuses the repository of another user
/// here, unless the user trusts it. Only for `rev-parse` and `config`, which start nothing but a fetch.
pub(crate) fn look(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, PatchError> {
    let mut command = command();
    command
        .arg("-C")
        .arg(directory)
        // A revision may name an entry of the index, and reading that one asks the file system monitor.
        .args(["-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(arguments);
    finish(command)?.output(&arguments.join(" "))
}

/// A git directory of our own, with the objects of a repository or without any.
#[derive(Debug)]
pub(crate) struct Git {
    home: Home,
    objects: PathBuf,
}

impl Git {
    /// Makes the stand-in for a repository with these objects and this kind of ids. `shallow` lists where a shallow clone
    /// ends.
    pub fn over(objects: &Path, format: &str, shallow: &Path) -> Result<Git, PatchError> {
        let home = home()?;
        let config = format!(
            "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n\tfsmonitor = false\n\
             \tuntrackedCache = false\n[extensions]\n\tobjectFormat = {format}\n"
        );
        fill(home.path(), &config)
            .and_then(|()| copy(shallow, &home.path().join("shallow")))
            .map_err(|source| failed(home.path(), source))?;
        Ok(Git {
            home,
            objects: objects.to_owned(),
        })
    }

    /// A git directory for calls that need no repository.
    pub fn alone() -> Result<Git, PatchError> {
        let home = home()?;
        let objects = home.path().join("objects");
        fill(home.path(), "[core]\n\tbare = true\n")
            .map_err(|source| failed(home.path(), source))?;
        Ok(Git { home, objects })
    }

    /// Where its files are.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// A call that sees nothing but objects.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let home = self.home.path();
        let mut command = command();
        for name in KEPT {
            command.env_remove(name);
        }
        command
            .args(arguments)
            .current_dir(home)
            .env("GIT_DIR", home)
            .env("GIT_OBJECT_DIRECTORY", &self.objects)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            // Versions of git that do not know the variable above look for the user's settings here.
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home);
        command
    }

    /// What git prints.
    pub fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, PatchError> {
        self.run(self.command(arguments), &arguments.join(" "))
    }

    /// What a command of this stand-in prints. Messages show it as `shown`.
    pub fn run(&self, command: Command, shown: &str) -> Result<Vec<u8>, PatchError> {
        let finished = finish(command)?;
        finished.output(shown).map_err(|error| match error {
            PatchError::Git {
                command, message, ..
            } => self.complaint(command, message),
            error => error,
        })
    }

    /// What `git diff` prints about two files.
    pub fn difference(&self, arguments: &[&str]) -> Result<Vec<u8>, PatchError> {
        let options = ["diff", "--no-index", "--no-color"];
        let mut finished = finish(self.command(&[&options[..], arguments].concat()))?;
        // A difference is not a failure.
        finished.is_success |= finished.message.is_empty();
        finished.output("diff --no-index")
    }

    /// The error for what git complains about.
    pub fn complaint(&self, command: String, message: String) -> PatchError {
        PatchError::Git {
            command,
            message,
            partial: self.is_partial(),
        }
    }

    /// Whether the repository is a partial clone, in which objects may be missing.
    pub fn is_partial(&self) -> bool {
        let packs = fs::read_dir(self.objects.join("pack"));
        packs.into_iter().flatten().flatten().any(|pack| {
            let name = pack.file_name();
            Path::new(&name).extension() == Some(OsStr::new("promisor"))
        })
    }
}

/// A temporary directory, which is removed at the end. The next call removes what a killed one left.
#[derive(Debug)]
struct Home {
    directory: TempDir,
    /// Tells others that the directory is in use. The kernel releases the lock, however this process ends.
    _lock: File,
}

impl Home {
    fn path(&self) -> &Path {
        self.directory.path()
    }
}

const PREFIX: &str = "yester-git-";
const LOCK: &str = "lock";
/// A directory younger than this may not have its lock yet.
const YOUNG: Duration = Duration::from_secs(60);

fn home() -> Result<Home, PatchError> {
    let around = std::env::temp_dir();
    sweep(&around);
    let make = || {
        let directory = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = File::create_new(directory.path().join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Home {
            directory,
            _lock: lock,
        })
    };
    make().map_err(|source| failed(&around, source))
}

/// Removes the directories of processes that were killed.
fn sweep(around: &Path) {
    for entry in fs::read_dir(around).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.metadata().is_ok_and(|metadata| {
                let age = metadata
                    .modified()
                    .map(|made| made.elapsed().unwrap_or_default());
                metadata.is_dir()
                    && metadata.uid() == rustix::process::geteuid().as_raw()
                    && age.is_ok_and(|age| age > YOUNG)
            });
        let is_left = is_ours
            && open_at_once(&entry.path().join(LOCK))
                .is_ok_and(|lock| flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok());
        if is_left {
            let _ = remove(&entry.path());
        }
    }
}

/// Opens a regular file without waiting and without following a link: others can write in the temporary directory, and may have put a
/// pipe there.
fn open_at_once(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is no regular file"))
    }
}

/// The content of a regular file, without waiting and without following a link.
pub(crate) fn read_at_once(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_at_once(path)?.read_to_end(&mut content)?;
    Ok(content)
}

/// Removes a git directory of ours, and nothing that somebody has mounted there.
fn remove(home: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    let root = rustix::fs::open(home, flags, Mode::empty())?;
    for name in ["objects", "refs", "info", "."] {
        let directory = rustix::fs::openat2(&root, name, flags, Mode::empty(), inside)?;
        for entry in Dir::read_from(&directory)? {
            // A directory stays.
            let _ = unlinkat(&directory, entry?.file_name(), AtFlags::empty());
        }
        let _ = unlinkat(&root, name, AtFlags::REMOVEDIR);
    }
    fs::remove_dir(home)
}

/// Makes a directory a git directory.
fn fill(home: &Path, config: &str) -> io::Result<()> {
    for name in ["objects", "refs", "info"] {
        fs::create_dir(home.join(name))?;
    }
    fs::write(home.join("HEAD"), "ref: refs/heads/none\n")?;
    fs::write(home.join("config"), config)
}

/// Copies a file of the repository, if there is one.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    // Anything else may never end, or never begin.
    match fs::metadata(from) {
        Ok(metadata) if metadata.is_file() => fs::copy(from, to).map(drop),
        _ => Ok(()),
    }
}

pub(crate) fn failed(path: &Path, source: io::Error) -> PatchError {
    PatchError::Write {
        path: path.to_owned(),
        source,
    }
}

/// What a call of git gave.
struct Finished {
    is_success: bool,
    output: Vec<u8>,
    message: String,
}

impl Finished {
    fn output(self, shown: &str) -> Result<Vec<u8>, PatchError> {
        if self.is_success {
            return Ok(self.output);
        }
        Err(PatchError::Git {
            command: shown.to_owned(),
            message: self.message,
            partial: false,
        })
    }
}

/// Runs git to its end, or until it has printed too much.
fn finish(mut command: Command) -> Result<Finished, PatchError> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(PatchError::Start)?;
    let stdout = child.stdout.take().expect("standard output is piped");
    let mut stderr = child.stderr.take().expect("standard error is piped");
    let (output, message) = std::thread::scope(|scope| {
        let message = scope.spawn(move || {
            let mut message = Vec::new();
            // Complaints that cannot be read are dropped. The rest is read too, or git would wait for a reader.
            let _ = stderr.by_ref().take(MOST_MESSAGE).read_to_end(&mut message);
            let _ = io::copy(&mut stderr, &mut io::sink());
            message
        });
        let mut output = Vec::new();
        let read = stdout.take(MOST_OUTPUT + 1).read_to_end(&mut output);
        if read.is_err() || output.len() as u64 > MOST_OUTPUT {
            let _ = child.kill();
        }
        (read.map(|_| output), message.join().unwrap_or_default())
    });
    let status = child.wait().map_err(PatchError::Start)?;
    let output = output.map_err(PatchError::Start)?;
    let message = String::from_utf8_lossy(&message);
    let mut finished = Finished {
        is_success: status.success(),
        output,
        message: message.trim().trim_start_matches("fatal: ").to_owned(),
    };
    if finished.output.len() as u64 > MOST_OUTPUT {
        finished.is_success = false;
        finished.message = format!("it printed more than {} MB", MOST_OUTPUT >> 20);
    }
    Ok(finished)
}
