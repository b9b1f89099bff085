//! The flags of every command that runs trials.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args, ValueEnum};
use yester_path::InputSource;
use yester_report::quantity;
use yester_run::{Rule, Sandbox, scratch_directory};
use yester_screen::Style;

use crate::error::CallError;

#[derive(Debug, Args)]
#[command(next_help_heading = "Failure")]
pub struct ReadingArguments {
    /// What counts as the failure: signal=NAME, exit=CODE, stdout~REGEX or stderr~REGEX, != and !~ for the opposite, and
    /// || between alternatives; all given rules must hold
    #[arg(long, value_name = "RULE", value_parser = str::parse::<Rule>)]
    pub fail_if: Vec<Rule>,

    /// Time limit for one run [default: ten times the slowest baseline run, at least 1s]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub timeout: Option<Duration>,

    /// What a timeout means
    #[arg(long, value_name = "OUTCOME", value_enum, default_value_t = TimeoutMeaning::Unresolved)]
    pub timeout_means: TimeoutMeaning,

    /// Run each candidate up to N times; one failure is enough [default: 1, or as often as a flaky test needs]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub repeat: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimeoutMeaning {
    Fail,
    Unresolved,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Trials")]
pub struct TrialArguments {
    /// How many trials run at once, at most 1000 [default: the number of processors]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,

    /// auto: kill every process of a trial when it ends; full: also no network, read-only root, private /tmp and /dev
    #[arg(long, value_name = "HOW", value_enum, default_value_t = SandboxChoice::Auto)]
    pub sandbox: SandboxChoice,

    /// Memory limit for each process of a trial, such as 2G
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    pub memory: Option<u64>,

    /// Pass this number to COMMAND as YESTER_SEED, for tests that use random numbers
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Put a copy of this file or directory beside every candidate; can be given several times
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,

    /// Keep the directories of the trials, and say where they are
    #[arg(long)]
    pub keep: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SandboxChoice {
    Auto,
    None,
    Full,
}

impl From<SandboxChoice> for Sandbox {
    fn from(choice: SandboxChoice) -> Sandbox {
        match choice {
            SandboxChoice::Auto => Sandbox::Auto,
            SandboxChoice::None => Sandbox::None,
            SandboxChoice::Full => Sandbox::Full,
        }
    }
}

/// Where runs are kept unless the user says otherwise.
pub const STATE: &str = ".yester";

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArguments {
    /// Stop after N trials and write the best result so far; speculative trials do not count
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_trials: Option<usize>,

    /// Stop after this time and write the best result so far
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub max_time: Option<Duration>,

    /// Start over instead of resuming an earlier run of the same command
    #[arg(long)]
    pub fresh: bool,

    /// Keep runs in this directory
    #[arg(long, value_name = "DIR", default_value = STATE)]
    pub state_dir: PathBuf,
}

/// The flags of commands that build a C or C++ program with yester's compilers and look at its input.
#[derive(Debug, Args)]
pub struct ProgramArguments {
    /// A shell command that builds a directory or a revision, in its root
    #[arg(long, value_name = "LINE")]
    pub build: Option<OsString>,

    /// Time limit for one build
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = quantity::duration)]
    pub build_timeout: Duration,

    /// More flags for the compiler of single files, such as '-std=c99 -DDEBUG'
    #[arg(
        long,
        value_name = "FLAGS",
        allow_hyphen_values = true,
        conflicts_with = "build"
    )]
    pub cflags: Option<String>,

    /// The standard input of the program [default: empty]
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,

    /// What of the input may vary: stdin, file:PATH or arg:N; can be given several times [default: all of it; for explain, no part of
    /// more than a megabyte]
    #[arg(long, value_name = "SOURCE", value_parser = str::parse::<InputSource>)]
    pub symbolic: Vec<InputSource>,

    /// What of the input stays as it is: stdin, file:PATH or arg:N; can be given several times
    #[arg(long, value_name = "SOURCE", value_parser = str::parse::<InputSource>, conflicts_with = "symbolic")]
    pub fixed: Vec<InputSource>,

    /// Let runs that yester makes up change your files: by default they see everything but their own directory read-only
    #[arg(long)]
    pub allow_writes: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// Print the result as JSON, however the call ends
    #[arg(long)]
    pub json: bool,

    /// Write everything that happens to FILE, as lines of JSON; - is standard output, and the result is one of the lines
    #[arg(long, value_name = "FILE")]
    pub events: Option<PathBuf>,

    /// Use the whole terminal: the size over time, what each pass gained, the last improvements, the best so far
    #[arg(long, conflicts_with = "quiet")]
    pub watch: bool,

    /// Do not show progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Show every improvement and what each pass gained; -vv: every trial
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

impl From<&OutputArguments> for Style {
    fn from(arguments: &OutputArguments) -> Style {
        Style {
            is_quiet: arguments.quiet,
            is_watched: arguments.watch,
            verbosity: arguments.verbose,
        }
    }
}

impl TrialArguments {
    pub fn jobs(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(processors)
    }

    /// The environment of the command when yester was started in the directory `start`.
    pub fn environment(&self, start: &Path) -> Vec<(OsString, OsString)> {
        let mut environment: Vec<(OsString, OsString)> = env::vars_os().collect();
        environment.push(("YESTER_START".into(), start.into()));
        if let Some(seed) = self.seed {
            environment.push(("YESTER_SEED".into(), seed.to_string().into()));
        }
        environment
    }

    /// The directories of the workers, which messages of the command may name.
    pub fn worker_directories(&self, run: &str) -> impl Iterator<Item = PathBuf> {
        let scratch = scratch_directory(run);
        let names = (0..self.jobs()).map(|worker| format!("{worker}/tree"));
        names
            .chain(["work".to_owned()])
            .map(move |name| scratch.join(name))
    }
}

impl ReadingArguments {
    pub fn check(&self) -> Result<(), CallError> {
        if self.timeout_means == TimeoutMeaning::Fail && self.timeout.is_none() {
            return Err(CallError::new("--timeout-means fail needs --timeout")
                .hint("say how long is too long, for example --timeout 5s"));
        }
        Ok(())
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number of at least 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Every job is a process and a directory of its own.
fn jobs(text: &str) -> Result<usize, String> {
    match positive(text) {
        Ok(jobs @ 1..=1000) => Ok(jobs),
        _ => Err("expected a whole number from 1 to 1000".to_owned()),
    }
}
