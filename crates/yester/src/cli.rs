//! The command line: what can be asked, and the help that teaches it.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use yester_run::{Rule, Sandbox};

use crate::failure::{Exit, Failure, plain};
use crate::{quantity, reduce, runs, settings};

/// It worked yesterday, today it does not: why?
#[derive(Debug, Parser)]
#[command(
    name = "yester",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = "\
Start here:
  yester reduce crash.c -- ./test.sh {}     the part of crash.c that makes the test fail
  yester reduce --help                      everything about it, with examples

Exit codes: 0 found, 1 nothing to debug, 2 wrong call or settings, 3 stopped by a limit,
70 a bug in yester, 130 interrupted. After 3 and 130 the same command goes on.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Reduce(Box<ReduceArguments>),
    Runs(RunsArguments),
    /// List the languages that inputs are understood in
    Languages,
    /// Print a script that completes yester's commands and flags in your shell
    Completions {
        /// The shell to complete in
        shell: clap_complete::Shell,
    },
    /// Print a manual page: yester man reduce | man -l -
    Man {
        /// The command it is about, or none for yester itself
        command: Option<String>,
    },
}

/// Find the part of an input that makes a program fail
///
/// Runs COMMAND on ever smaller versions of FILE until nothing makes it smaller without losing the failure. The
/// structure of FILE is used: its syntax tree where the language is known (yester languages), else its lines, brackets
/// and words. FILE may be a directory. It is never changed; the result goes to OUT.
///
/// COMMAND may be a program that fails (its exit, its signal and its message are what must stay the same) or an
/// interestingness script as for C-Reduce, C-Vise or Shrink Ray (exit 0: still interesting). What it does on the whole
/// FILE tells which; the first line says how it was understood.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  A program that crashes on a file:
      yester reduce crash.json -- jq . {}

  A script that exits 0 while the file is still interesting:
      yester reduce crash.c -- ./interesting.sh {}

  A whole directory:
      yester reduce project/ -- sh -c 'cd {} && make test'

  A language of your own, as a Yacc grammar with its lexer:
      yester reduce in.txt --grammar lang.y --lexer lang.l -- ./interpreter {}

  The least that makes the difference to an input that works:
      yester reduce bad.json --isolate good.json -- jq . {}

  No script at all, only a message to be kept:
      yester reduce big.c --fail-if 'stderr~internal compiler error' -- gcc -c -o out.o {}

  A program that reads standard input, and hangs:
      yester reduce in.txt --stdin --timeout 5s --timeout-means fail -- ./prog

  A test that you would not trust with your files:
      yester reduce in.txt --sandbox full -- ./nasty.sh {}

How the exit of COMMAND is read (as git bisect run does):
  0 pass, or with an interestingness script: still fails
  1 to 124, 128 and more, a signal: fail, if it is the same failure as at first
  125: cannot be said    126, 127: the command cannot be run
  too slow: cannot be said, or fail with --timeout-means fail

COMMAND runs in a directory that holds nothing but the candidate under FILE's own name. Its
environment has YESTER_CANDIDATE (the candidate's path), YESTER_START (the directory you are in),
YESTER_TRIAL and YESTER_WORKER.

A run can be stopped at any time, even with kill -9: the same command goes on. What it knows is in
.yester/, where best/ has the smallest failing input so far. Flags can be kept in yester.toml:
timeout = \"10s\".")]
pub struct ReduceArguments {
    /// The input that makes COMMAND fail: a file or a directory
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Where the result goes [default: FILE with .reduced before its extension]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// The test; {} anywhere in it stands for the candidate's path
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub method: MethodArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,

    #[command(flatten)]
    pub trial: TrialArguments,

    #[command(flatten)]
    pub run: RunArguments,

    #[command(flatten)]
    pub output_style: OutputArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How it is reduced")]
pub struct MethodArguments {
    /// The language of FILE, or text or binary [default: by its name, else by its content]
    #[arg(long, value_name = "NAME", conflicts_with = "grammar")]
    pub language: Option<String>,

    /// A Yacc grammar of FILE's language; actions in it are ignored
    #[arg(long, value_name = "Y", requires = "lexer")]
    pub grammar: Option<PathBuf>,

    /// The lexer of that grammar, as a Lex file
    #[arg(long, value_name = "L", requires = "grammar")]
    pub lexer: Option<PathBuf>,

    /// auto: everything that helps; hdd, hdd+, hdd*: by levels of the syntax tree; ddmin: by lines and bytes
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Algorithm::Auto)]
    pub algorithm: Algorithm,

    /// With hdd: one node's parts at a time instead of a whole level
    #[arg(long)]
    pub by_branch: bool,

    /// With hdd: also put a part in the place of the whole, where the grammar allows it
    #[arg(long)]
    pub promote: bool,

    /// Never try a candidate with new syntax errors [default where the language is known]
    #[arg(long, conflicts_with = "any")]
    pub valid: bool,

    /// Also try candidates with syntax errors
    #[arg(long)]
    pub any: bool,

    /// A similar input that passes: find the smallest difference to it instead of the smallest input
    #[arg(long, value_name = "PASSING", conflicts_with_all = ["algorithm", "language", "grammar", "any", "valid"])]
    pub isolate: Option<PathBuf>,
}

impl MethodArguments {
    /// The files that it names.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.grammar, &self.lexer, &self.isolate]
            .into_iter()
            .flatten()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Algorithm {
    Auto,
    Hdd,
    #[value(name = "hdd+")]
    HddPlus,
    #[value(name = "hdd*")]
    HddStar,
    Ddmin,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What counts as the failure")]
pub struct ReadingArguments {
    /// Exit 0 means that the candidate is interesting, that is, still fails
    #[arg(long, conflicts_with_all = ["failing", "fail_if"])]
    pub interesting: bool,

    /// Exit 0 means that the candidate passes
    #[arg(long)]
    pub failing: bool,

    /// signal=NAME, exit=CODE, stdout~REGEX or stderr~REGEX; with several, all must hold
    #[arg(long, value_name = "RULE", value_parser = str::parse::<Rule>)]
    pub fail_if: Vec<Rule>,

    /// How long a run may take [default: ten times the slowest of the first runs, at least 1s]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub timeout: Option<Duration>,

    /// What a run that takes too long means
    #[arg(long, value_name = "OUTCOME", value_enum, default_value_t = TimeoutMeaning::Unresolved)]
    pub timeout_means: TimeoutMeaning,

    /// Run each candidate up to N times; one failure is enough [default: 1, or as needed when the input fails only sometimes]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub repeat: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TimeoutMeaning {
    Fail,
    Unresolved,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "How it is run")]
pub struct TrialArguments {
    /// Give the candidate to COMMAND as standard input too
    #[arg(long)]
    pub stdin: bool,

    /// How many trials run at once [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = positive)]
    pub jobs: Option<usize>,

    /// auto: every process of a trial ends with it; full: also no network, read-only root, private /tmp and /dev
    #[arg(long, value_name = "HOW", value_enum, default_value_t = SandboxChoice::Auto)]
    pub sandbox: SandboxChoice,

    /// How much memory each process of a trial may use, such as 2G
    #[arg(long, value_name = "SIZE", value_parser = quantity::memory)]
    pub memory: Option<u64>,

    /// A number that COMMAND sees as YESTER_SEED, for tests that draw random numbers
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Leave the directories that trials ran in, and say where they are
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

#[derive(Debug, Args)]
#[command(next_help_heading = "The run")]
pub struct RunArguments {
    /// Stop after so many trials and write the best so far; what is tested ahead does not count
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_trials: Option<usize>,

    /// Stop after so long and write the best so far
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub max_time: Option<Duration>,

    /// Start over instead of going on with an earlier run of the same command
    #[arg(long)]
    pub fresh: bool,

    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = ".yester")]
    pub state_dir: PathBuf,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is shown")]
pub struct OutputArguments {
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,

    /// Show no progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Show every improvement; -vv: every trial
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,
}

/// List the runs that are kept here, the newest first
#[derive(Debug, Args)]
pub struct RunsArguments {
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = ".yester")]
    pub state_dir: PathBuf,

    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number of at least 1".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Does what the call asks for.
pub fn run() -> Result<Exit, Failure> {
    let cli = Arguments::command();
    let start = env::current_dir().map_err(|error| {
        Failure::usage(format!(
            "failed to find the current directory: {}",
            plain(&error)
        ))
    })?;
    let words = settings::complete(env::args_os().collect(), &cli, &start)?;
    let matches = match cli.clone().try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(error) => {
            // Help goes to stdout and is no error. A closed pipe is no reason to complain.
            let _ = error.print();
            return Ok(if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Found
            });
        }
    };
    let arguments =
        Arguments::from_arg_matches(&matches).map_err(|error| Failure::usage(error.to_string()))?;
    match arguments.command {
        Command::Reduce(arguments) => reduce::run(*arguments, &start),
        Command::Runs(arguments) => runs::run(&arguments),
        Command::Languages => print(languages().as_bytes()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut cli.clone(), "yester", &mut script);
            print(&script)
        }
        Command::Man { command } => print(&manual(cli, command.as_deref())?),
    }
}

fn languages() -> String {
    let mut text = String::new();
    for language in yester_tree::Language::all() {
        let files = language
            .extensions
            .iter()
            .map(|extension| format!(".{extension}"));
        let files = files.chain(language.file_names.iter().map(ToString::to_string));
        let files: Vec<String> = files.collect();
        text.push_str(&format!(
            "{:<12}{:<21}{}\n",
            language.name,
            language.title,
            files.join(" ")
        ));
    }
    text.push_str(
        "text        any text             by paragraphs, lines, brackets, words and characters\n",
    );
    text.push_str("binary      any bytes            by chunks and bytes\n");
    text
}

fn manual(cli: clap::Command, name: Option<&str>) -> Result<Vec<u8>, Failure> {
    let page = match name {
        None => cli,
        Some(name) => cli
            .find_subcommand(name)
            .ok_or_else(|| {
                Failure::usage(format!("there is no command '{name}'"))
                    .hint("yester --help lists them")
            })?
            .clone()
            .display_name(format!("yester {name}"))
            .bin_name(format!("yester {name}")),
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut text)
        .map_err(|error| Failure::usage(format!("failed to make the manual page: {error}")))?;
    Ok(text)
}

/// Prints a result. Whoever closes the pipe has seen enough.
pub fn print(result: &[u8]) -> Result<Exit, Failure> {
    let written = anstream::stdout()
        .write_all(result)
        .and_then(|()| io::stdout().flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("print the result", &error))
        }
        _ => Ok(Exit::Found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}
