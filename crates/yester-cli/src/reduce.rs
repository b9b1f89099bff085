//! The flags of `yester reduce`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::flag::{OutputArguments, ReadingArguments, RunArguments, TrialArguments};

/// Find the part of an input that makes a program fail
///
/// Runs COMMAND on smaller and smaller versions of FILE until every attempt to shrink it further loses the failure.
/// yester uses the structure of FILE: the syntax tree if it knows the language (see `yester languages`), otherwise
/// lines, brackets and words. FILE may be a directory. yester never changes FILE unless you say --in-place; it writes the
/// result to OUT.
///
/// COMMAND is either a program that fails or an interestingness test as for C-Reduce, C-Vise or Shrink Ray (exit 0:
/// still interesting). yester runs it on the whole FILE first. If it fails, yester keeps that failure: exit code, signal
/// and message. If it exits 0, yester treats it as an interestingness test. The first lines say which.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  A program that crashes on a file:
      yester reduce crash.json -- jq . {}

  A script that exits 0 while the file is still interesting:
      yester reduce crash.c -- ./interesting.sh {}

  A directory:
      yester reduce project/ -- sh -c 'cd {} && make test'

  Your own language, given as a Yacc grammar and its lexer:
      yester reduce in.txt --grammar lang.y --lexer lang.l -- ./interpreter {}

  A file that a test of a project reads; each trial has a copy of the project, built as it is:
      yester reduce tests/big.json --within . -- make check

  The smallest difference from an input that works:
      yester reduce bad.json --isolate good.json -- jq . {}

  No script, only a message to keep:
      yester reduce big.c --fail-if 'stderr~internal compiler error' -- gcc -c -o out.o {}

  A program that reads standard input and hangs:
      yester reduce in.txt --stdin --timeout 5s --timeout-means fail -- ./prog

  A test that you would not trust with your files:
      yester reduce in.txt --sandbox full -- ./nasty.sh {}

  In a pipe: the input comes from standard input, the result goes to standard output:
      curl -s https://example.org/feed | yester reduce - -- ./parse {} > small

  As C-Reduce and C-Vise do it: the result replaces the file, the original stays as crash.c.orig:
      yester reduce crash.c --in-place -- ./interesting.sh {}

Exit codes of COMMAND, as for git bisect run:
  0                        pass; for an interestingness test: still fails
  1-124, 128+, a signal    fail, if it is the same failure as on the whole FILE
  125                      unresolved
  126, 127                 the command cannot be run
  timeout                  unresolved, or fail with --timeout-means fail

COMMAND runs in a directory that contains only the candidate, under FILE's own name. If COMMAND
names other files of the directory you are in, as in `python3 test.py {} words.txt`, yester finds
the script test.py by its full path and puts a copy of words.txt beside the candidate. --with FILE
does the same for files that COMMAND does not name. Its environment has YESTER_CANDIDATE (the
candidate's path), YESTER_START (the directory you are in), YESTER_TRIAL and YESTER_WORKER.

You can stop a run at any time, even with kill -9. The same command resumes it. yester keeps what
it knows in .yester/; best/ there holds the smallest failing input so far. Put flags that you
always use into yester.toml: timeout = \"10s\".")]
pub struct ReduceArguments {
    /// The input that makes COMMAND fail: a file, a directory, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Write the result here, or to standard output if OUT is - [default: FILE with .reduced before its extension; standard
    /// output if FILE is -]
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Replace FILE by the result, and keep the original as FILE.orig
    #[arg(long, conflicts_with_all = ["output", "isolate"])]
    pub in_place: bool,

    /// The test; {} anywhere in it stands for the candidate's path
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub method: MethodArguments,

    #[command(flatten)]
    pub exit: ExitArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,

    /// Run COMMAND in a copy of this directory, FILE being in it: each trial has a candidate in the place of FILE
    #[arg(long, value_name = "DIR", help_heading = "Trials")]
    pub within: Option<PathBuf>,

    /// A shell line that has to pass in the same directory, by the same rules, where COMMAND fails. `yester why` gives the test on the
    /// version without the culprit
    #[arg(long, value_name = "LINE", requires = "within", hide = true)]
    pub counterpart: Option<OsString>,

    /// Also give the candidate to COMMAND on standard input
    #[arg(long, help_heading = "Trials")]
    pub stdin: bool,

    #[command(flatten)]
    pub trial: TrialArguments,

    #[command(flatten)]
    pub run: RunArguments,

    #[command(flatten)]
    pub output_style: OutputArguments,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Reduction")]
pub struct MethodArguments {
    /// The language of FILE, or text, or binary [default: by name, then by content]
    #[arg(long, value_name = "NAME", conflicts_with = "grammar")]
    pub language: Option<String>,

    /// A Yacc grammar of FILE's language; yester ignores its actions
    #[arg(long, value_name = "Y", requires = "lexer")]
    pub grammar: Option<PathBuf>,

    /// The Lex file that goes with --grammar
    #[arg(long, value_name = "L", requires = "grammar")]
    pub lexer: Option<PathBuf>,

    /// auto: everything that helps; hdd, hdd+, hdd*: level by level through the syntax tree; ddmin: lines, then bytes
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Algorithm::Auto)]
    pub algorithm: Algorithm,

    /// With hdd: try the children of one node at a time instead of a whole level
    #[arg(long)]
    pub by_branch: bool,

    /// With hdd: also replace a node by one of its descendants where the grammar allows it
    #[arg(long)]
    pub hoist: bool,

    /// Never try a candidate with new syntax errors [default if the language is known]
    #[arg(long, conflicts_with = "allow_invalid")]
    pub valid: bool,

    /// Also try candidates with syntax errors
    #[arg(long)]
    pub allow_invalid: bool,

    /// A similar input that passes: find the smallest difference from it instead of the smallest input
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

/// What exit 0 means.
#[derive(Debug, Args)]
#[command(next_help_heading = "Failure")]
pub struct ExitArguments {
    /// Exit 0 means interesting: the candidate still fails
    #[arg(long, conflicts_with_all = ["failing", "fail_if"])]
    pub interesting: bool,

    /// Exit 0 means that the candidate passes
    #[arg(long)]
    pub failing: bool,

    /// Keep all of the line that tells about the failure, including quotations, and numbers but those of lines and columns
    #[arg(long, conflicts_with_all = ["interesting", "fail_if"])]
    pub keep_message: bool,
}
