use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use yester_core::{Candidate, Hash};

use crate::{Ending, Observation, Rule};

/// Everything that one run of the user's command depends on. Nothing else may leak into it. Content that an executor may have
/// already goes by its hash; see [`Executor::provide`](crate::Executor::provide).
#[derive(Clone, Debug)]
pub struct Action {
    /// What is run.
    pub invocation: Arc<Invocation>,
    /// What the candidate is a candidate for.
    pub subject: Arc<Subject>,
    /// What it is run on.
    pub candidate: Candidate,
    /// The number that the command sees as `YESTER_TRIAL`.
    pub trial: u64,
    /// Whether nothing may be left of earlier runs, not even what makes a build faster.
    pub fresh: bool,
    /// Whether to find out which files of a fresh tree are read.
    pub watch: bool,
    /// What the run gets besides its tree, and what is wanted back.
    pub exchange: Exchange,
}

/// A directory of one run, outside of its tree: files that it is given, and files that it leaves. The run sees it in every sandbox and may
/// write to it. Only the executor knows where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The files that lie there at first, by name.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// The directories that lie there at first.
    pub directories: Vec<String>,
    /// Variables of the environment whose value is the path of one of them.
    pub variables: Vec<(OsString, String)>,
    /// Arguments, by their place, that are the path of one of them.
    pub arguments: BTreeMap<usize, String>,
    /// The file that is the standard input.
    pub stdin: Option<String>,
    /// Whether what the run leaves there is wanted.
    pub wants_outputs: bool,
}

impl Exchange {
    /// Whether the run needs no such directory.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Exchange::default()
    }
}

/// The user's command and the conditions that it runs under.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invocation {
    /// The program, as an absolute path.
    pub program: OsString,
    /// The program's path inside a tree candidate, used instead of `program` when the tree has it.
    pub program_in_tree: Option<OsString>,
    /// The arguments.
    pub arguments: Vec<OsString>,
    /// Whether `{}` anywhere in a word stands for the candidate's path.
    pub has_placeholders: bool,
    /// The whole environment, but for what the worker itself has to say.
    pub environment: Vec<(OsString, OsString)>,
    /// Whether the candidate is the command's standard input too.
    pub stdin: bool,
    /// How long a run may take.
    pub timeout: Duration,
    /// How many bytes of data one process may hold.
    pub memory: Option<u64>,
    /// Whether code may run that the user never ran: there is an intervention, or the input is made up. Whatever the sandbox is, such a
    /// run can change nothing but its own directories.
    #[serde(default)]
    pub is_guarded: bool,
    /// What has to be built before the command can be run.
    pub build: Option<Build>,
    /// What has to pass where the command fails.
    #[serde(default)]
    pub counterpart: Option<Counterpart>,
    /// Files that lie beside the candidate.
    #[serde(default)]
    pub helpers: Vec<Helper>,
}

impl Invocation {
    /// How long a run may take, with its build.
    pub(crate) fn limit(&self) -> Duration {
        let build = self.build.as_ref().map(|build| build.timeout);
        let counterpart = self.counterpart.as_ref().map(|_| self.timeout);
        self.timeout
            .saturating_add(build.unwrap_or_default())
            .saturating_add(counterpart.unwrap_or_default())
    }
}

/// The same test on another version, in the same directory. A failure of the command counts only if this passes, in the same time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counterpart {
    /// A line for the shell.
    pub line: OsString,
    /// What counts as the failure, if the exit does not say it.
    pub rules: Vec<Rule>,
}

impl Counterpart {
    /// A line with the rules of the command that it is compared with.
    pub fn of(line: &Option<OsString>, rules: &[Rule]) -> Option<Counterpart> {
        line.clone().map(|line| Counterpart {
            line,
            rules: rules.to_vec(),
        })
    }

    /// Whether a run of it passes.
    pub(crate) fn passes(&self, observation: &Observation) -> bool {
        let has_failed =
            !self.rules.is_empty() && self.rules.iter().all(|rule| rule.holds(observation));
        observation.ending == Ending::Exit(0) && !has_failed
    }

    /// Whether a run of the command makes this one worth while: it may be the failure.
    pub(crate) fn is_asked(&self, observation: &Observation) -> bool {
        match &observation.ending {
            Ending::Cancelled | Ending::Lost | Ending::NotStarted(_) => false,
            Ending::Exit(0) => !self.passes(observation),
            Ending::Timeout | Ending::Exit(_) | Ending::Signal(_) => true,
        }
    }
}

/// A file that the command needs beside the candidate. It is written anew for every run, so that no run sees what another
/// did to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Helper {
    /// Its path, from where the candidate lies.
    pub path: String,
    /// What is in it.
    pub content: Vec<u8>,
    /// Whether it may be executed.
    pub executable: bool,
}

/// How the candidate becomes what the command tests. A build that fails says nothing about the candidate's behaviour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// A line for the shell, run in the candidate's directory.
    pub line: OsString,
    /// What its environment has besides that of the command.
    pub environment: Vec<(OsString, OsString)>,
    /// How long it may take.
    pub timeout: Duration,
    /// What it makes that the command tests, as paths in the candidate's directory. When given, the command is not run
    /// on a product that it was run on before, so that nothing else may decide what the command says.
    pub products: Vec<String>,
}

/// What the candidates of a run are: versions of one file, or of a tree.
#[derive(Clone, Debug)]
pub enum Subject {
    /// One file, alone in an empty directory.
    File {
        /// Its name there.
        name: OsString,
        /// Whether it may be executed.
        executable: bool,
    },
    /// A directory with just what the candidate has, made anew for every run.
    Files,
    /// A copy of a tree with the candidate's entries in place of its own.
    Tree {
        /// What stands for the tree, whose content never changes.
        base: Hash,
    },
    /// One file in a copy of a tree: the candidate stands for what the tree has there.
    FileInTree {
        /// What stands for the tree, whose content never changes.
        base: Hash,
        /// Where the file is in the tree.
        path: String,
        /// Whether it may be executed.
        executable: bool,
    },
    /// No candidate: the command runs in this directory of the user's machine, as the user would run it there. What it writes there is its
    /// own doing. Only the executor of that machine carries this out.
    Here {
        /// The directory.
        directory: PathBuf,
        /// Directories that it may change in the full sandbox too, where everything else of the machine is read-only.
        writable: Vec<PathBuf>,
    },
}
