//! The flags of `yester trace`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use yester_path::{InputSource, SolverProgram};
use yester_report::quantity;

use crate::flag::{OutputArguments, STATE};

/// Show the branches that a C or C++ program takes, and what they ask of its input
///
/// PROG is built with yester-cc or yester-c++. It runs once, in the current directory. Every branch that it takes is
/// shown with its place and its source. With --symbolic, what is computed from the input is followed too: each branch that
/// depends on it has a constraint, in terms of C, and all of them together are the condition of taking this path.
///
/// With --negate K a solver looks for an input that goes the same way up to constraint K and the other way there. It is
/// run, and only if it does so it is written.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  Build the program, and see which way it goes:
      make CC=yester-cc
      yester trace -- ./app --check orders.csv

  What do its branches ask of its standard input, of a file, of its second argument?
      yester trace --symbolic stdin --stdin crash.txt -- ./app
      yester trace --symbolic file:orders.csv -- ./app --check orders.csv
      yester trace --symbolic arg:2 -- ./app --check orders.csv

  Which input takes constraint 17 the other way?
      yester trace --symbolic stdin --stdin crash.txt --negate 17 -o other.txt -- ./app

What PROG prints is not shown; -v shows it. Its standard input is FILE of --stdin; what is piped
into yester with --symbolic stdin; otherwise it is empty.

Exit codes: 0 shown, or the other input is written; 1 no input of the same length takes the other
way; 2 wrong call, or PROG was not built with yester-cc; 3 the solver gave up, or its answer took
another way.")]
pub struct TraceArguments {
    /// What of the input to follow: stdin, file:PATH or arg:N; can be given several times
    #[arg(long, value_name = "SOURCE", value_parser = str::parse::<InputSource>)]
    pub symbolic: Vec<InputSource>,

    /// The standard input of PROG
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,

    /// Find an input that goes the other way at constraint K
    #[arg(long, value_name = "K", requires = "output")]
    pub negate: Option<usize>,

    /// Where that input goes; the new argument, for arg:N
    #[arg(short, long, value_name = "FILE", requires = "negate")]
    pub output: Option<PathBuf>,

    /// Write the path condition to FILE, as a script in SMT-LIB
    #[arg(long, value_name = "FILE")]
    pub smt: Option<PathBuf>,

    /// Show only branches in this file or directory; can be given several times [default: all but those of system headers]
    #[arg(long, value_name = "PATH")]
    pub only: Vec<PathBuf>,

    /// The solver: z3, cvc5, bitwuzla, or the path of one of these
    #[arg(long, value_name = "NAME", default_value = "z3", value_parser = str::parse::<SolverProgram>)]
    pub solver: SolverProgram,

    /// How long the solver may take for one question
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = quantity::duration)]
    pub solver_timeout: Duration,

    /// How long PROG may run; what it did until then is shown [default: as long as it wants]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub timeout: Option<Duration>,

    /// Let PROG change your files when it runs on the input of --negate: by default it sees them read-only then
    #[arg(long, requires = "negate")]
    pub allow_writes: bool,

    /// Keep runs in this directory
    #[arg(long, value_name = "DIR", default_value = STATE)]
    pub state_dir: PathBuf,

    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROG")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub output_style: OutputArguments,
}
