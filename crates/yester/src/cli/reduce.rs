//! The flags of `yester reduce`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::flag::{OutputArguments, ReadingArguments, RunArguments, TrialArguments};

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
    pub exit: ExitArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,

    /// Give the candidate to COMMAND as standard input too
    #[arg(long, help_heading = "How it is run")]
    pub stdin: bool,

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
    pub hoist: bool,

    /// Never try a candidate with new syntax errors [default where the language is known]
    #[arg(long, conflicts_with = "allow_invalid")]
    pub valid: bool,

    /// Also try candidates with syntax errors
    #[arg(long)]
    pub allow_invalid: bool,

    /// A similar input that passes: find the smallest difference to it instead of the smallest input
    #[arg(long, value_name = "PASSING", conflicts_with_all = ["algorithm", "language", "grammar", "allow_invalid", "valid"])]
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

/// What exit 0 means, where both are usual.
#[derive(Debug, Args)]
#[command(next_help_heading = "What counts as the failure")]
pub struct ExitArguments {
    /// Exit 0 means that the candidate is interesting, that is, still fails
    #[arg(long, conflicts_with_all = ["failing", "fail_if"])]
    pub interesting: bool,

    /// Exit 0 means that the candidate passes
    #[arg(long)]
    pub failing: bool,
}
