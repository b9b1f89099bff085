use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Capture, plain};

/// What one run of the user's command showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Observation {
    /// How it ended.
    pub ending: Ending,
    /// How long it took.
    pub elapsed: Duration,
    /// What it and its children computed.
    pub cpu: Duration,
    /// The most memory that one of its processes has used, in bytes.
    #[serde(default)]
    pub memory: u64,
    /// What it printed.
    pub stdout: Capture,
    /// What it complained about.
    pub stderr: Capture,
    /// What all of the above is about: the build when that failed, otherwise the test.
    #[serde(default)]
    pub stage: Stage,
    /// How long the build took that the test was run on.
    #[serde(default)]
    pub build: Option<Duration>,
    /// The hash of what was built.
    #[serde(default)]
    pub product: Option<String>,
    /// The products that were asked for and that the build did not make.
    #[serde(default)]
    pub unmade: Vec<String>,
    /// Which files of the tree were read, if that was asked and the file system tells.
    #[serde(default)]
    pub read: Option<BTreeSet<String>>,
    /// Whether it has changed or removed files of the tree that it ran in.
    #[serde(default)]
    pub changed_tree: bool,
    /// What a guarded run tried to change outside of its directories, some of it if that is much. It was refused.
    #[serde(default)]
    pub refused: BTreeSet<String>,
}

/// The part of a trial that ended it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The command that makes something to be tested of the candidate.
    Build,
    /// The user's command.
    #[default]
    Test,
    /// The same test on the version that has to pass: it does not.
    Counterpart,
}

impl Stage {
    pub(crate) fn is_test(&self) -> bool {
        *self == Stage::Test
    }
}

impl Observation {
    /// A run of which nothing is known but how it ended.
    pub(crate) fn unseen(ending: Ending) -> Observation {
        Observation {
            ending,
            elapsed: Duration::ZERO,
            cpu: Duration::ZERO,
            memory: 0,
            stdout: Capture::default(),
            stderr: Capture::default(),
            stage: Stage::Test,
            build: None,
            product: None,
            unmade: Vec::new(),
            read: None,
            changed_tree: false,
            refused: BTreeSet::new(),
        }
    }

    /// How long build and test took together.
    pub fn total(&self) -> Duration {
        self.elapsed + self.build.unwrap_or_default()
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// It exited with this code.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It ran out of time and was killed.
    Timeout,
    /// The answer was no longer needed.
    Cancelled,
    /// It could not be started.
    NotStarted(NotStarted),
    /// The worker itself was killed in the middle of it.
    Lost,
}

/// Why a run could not be started.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NotStarted {
    /// What the system said.
    pub reason: String,
    /// Whether a disk is full.
    pub is_full_disk: bool,
}

impl NotStarted {
    pub(crate) fn because(error: &io::Error) -> NotStarted {
        NotStarted {
            reason: plain(error),
            is_full_disk: is_full_disk(error),
        }
    }
}

/// Whether an error says that a disk is full.
pub(crate) fn is_full_disk(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exit(code) => write!(formatter, "exit {code}"),
            Ending::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(formatter, "signal SIG{name}"),
                None => write!(formatter, "signal {signal}"),
            },
            Ending::Timeout => formatter.write_str("timeout"),
            Ending::Cancelled => formatter.write_str("cancelled"),
            Ending::NotStarted(why) => write!(formatter, "not started: {}", why.reason),
            Ending::Lost => formatter.write_str("lost with its worker"),
        }
    }
}

const SIGNALS: [(&str, i32); 20] = [
    ("HUP", libc::SIGHUP),
    ("INT", libc::SIGINT),
    ("QUIT", libc::SIGQUIT),
    ("ILL", libc::SIGILL),
    ("TRAP", libc::SIGTRAP),
    ("ABRT", libc::SIGABRT),
    ("BUS", libc::SIGBUS),
    ("FPE", libc::SIGFPE),
    ("KILL", libc::SIGKILL),
    ("USR1", libc::SIGUSR1),
    ("SEGV", libc::SIGSEGV),
    ("USR2", libc::SIGUSR2),
    ("PIPE", libc::SIGPIPE),
    ("ALRM", libc::SIGALRM),
    ("TERM", libc::SIGTERM),
    ("XCPU", libc::SIGXCPU),
    ("XFSZ", libc::SIGXFSZ),
    ("VTALRM", libc::SIGVTALRM),
    ("PROF", libc::SIGPROF),
    ("SYS", libc::SIGSYS),
];

/// The name of a signal without its `SIG`.
pub(crate) fn signal_name(signal: i32) -> Option<&'static str> {
    SIGNALS
        .iter()
        .find(|(_, number)| *number == signal)
        .map(|(name, _)| *name)
}

/// The number of a signal given as `SEGV`, `SIGSEGV` or `11`.
pub(crate) fn signal_number(text: &str) -> Option<i32> {
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    SIGNALS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, number)| *number)
        .or_else(|| name.parse().ok().filter(|number| (1..=64).contains(number)))
}
