//! The flags of `yester flip`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use yester_path::SolverProgram;
use yester_report::quantity;

use crate::flag::{OutputArguments, ProgramArguments, RunArguments, TrialArguments};

/// How a place is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FlipWay {
    /// Runs on your input with one intervention each
    Interventions,
    /// Such runs with values that are computed from the right output (--expect or --reference)
    Solved,
    /// Runs on other inputs that take nearly the same path
    Paths,
}

/// Find which single change to one failing run of a C or C++ program makes it pass
///
/// yester builds the program with yester-cc and runs it again and again on the same input, each time with one intervention. An
/// *intervention* is one change applied while the program runs on its own input: a branch goes the other way, a value is another, a
/// statement is skipped, an operator is another. Places at which an intervention makes the run pass are shown, best first. No other
/// version and no passing run is needed. If you say how to judge other inputs, yester also
/// makes inputs that take nearly the same path and pass.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  A test of a project, in the current directory:
      yester flip --build make -- ./run-tests

  One file and one input, with the output that would be right; {} is the program:
      yester flip sum.c --stdin numbers.txt --expect right.txt -- {} -v

  A program that crashes:
      yester flip parse.c -- {} crash.txt

  With a program that is right for any input:
      yester flip new.c --reference ./old -- {} 12 7

  Two tests that fail for the same reason:
      yester flip --build make --and './run-test 17' -- ./run-test 4

During --build, CC and CXX are yester-cc and yester-c++, and so are cc, gcc, clang, c++, g++ and
clang++ on the PATH. Every run has a copy of the built tree.
Runs that yester makes up see your files read-only.

Exit codes: 0 the places are shown; 1 the run passes; 2 wrong call, or it does not build; 3 a
limit, or no place was found; 130 interrupted. After 3 and 130 the same command resumes.")]
pub struct FlipArguments {
    /// A C or C++ file, a directory or a revision [default: the current directory]
    pub tree: Option<OsString>,

    #[command(flatten)]
    pub program: ProgramArguments,

    /// Another command that fails for the same reason, on one line: its words, quoted as for a shell, and perhaps '< FILE'; can be given
    /// several times. Places that make all of them pass come first
    #[arg(
        long,
        value_name = "LINE",
        allow_hyphen_values = true,
        conflicts_with = "ask"
    )]
    pub and: Vec<OsString>,

    /// A run is right if it prints what FILE has; with --and, one FILE for COMMAND and one for each LINE, in their order
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "reference", "ask"])]
    pub expect: Vec<PathBuf>,

    /// A run is right if this shell command says so, which takes a process for each; YESTER_STDOUT and YESTER_STDERR are files with what was printed, YESTER_STDIN is
    /// the input, YESTER_EXIT how it ended
    #[arg(long, value_name = "LINE", conflicts_with_all = ["reference", "ask"])]
    pub check: Option<OsString>,

    /// A run is right if it prints what this program prints for the same input, and exits as it does
    #[arg(long, value_name = "PROG", conflicts_with = "ask")]
    pub reference: Option<PathBuf>,

    /// Show inputs that are made and their output, and ask whether that is right
    #[arg(long)]
    pub ask: bool,

    /// Which ways to use: interventions, solved or paths; can be given several times [default: all that can be judged]
    #[arg(long, value_name = "WAY", value_enum)]
    pub by: Vec<FlipWay>,

    /// Only code in this file or directory of the tree may be to blame; can be given several times
    #[arg(long, value_name = "PATH")]
    pub only: Vec<PathBuf>,

    /// No code in this file or directory of the tree is to blame; can be given several times. Code of tests comes last by itself
    #[arg(long, value_name = "PATH")]
    pub not: Vec<PathBuf>,

    /// How many interventions to try [default: 5000; with --check, and of a test that starts programs itself, 300 for
    /// each of them, within two minutes unless --max-time says otherwise]
    #[arg(long, value_name = "N")]
    pub max_interventions: Option<usize>,

    /// Write the best input that was made to FILE; further parts of it go to FILE.2 and so on
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// The solver: z3, cvc5, bitwuzla, or the path of one of these
    #[arg(long, value_name = "NAME", default_value = "z3", value_parser = str::parse::<SolverProgram>)]
    pub solver: SolverProgram,

    /// How long the solver may take for one question
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = quantity::duration)]
    pub solver_timeout: Duration,

    /// How long one run may take [default: ten times the run that fails, at least 1s]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub timeout: Option<Duration>,

    /// The test, or the program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub trial: TrialArguments,

    #[command(flatten)]
    pub run: RunArguments,

    #[command(flatten)]
    pub output_style: OutputArguments,
}
