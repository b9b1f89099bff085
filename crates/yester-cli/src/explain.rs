//! The flags of `yester explain`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use yester_path::SolverProgram;
use yester_report::quantity;

use crate::flag::{OutputArguments, ProgramArguments, RunArguments, TrialArguments};

/// What a place is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvidenceChoice {
    /// Branches that go another way on alternate inputs
    Branches,
    /// Values that both versions assign, pass, return and print
    Values,
    /// Like branches, with comparisons of variables as further branches
    Predicates,
    /// Single changes to the run of NEW that make it do what OLD does
    Interventions,
}

/// Find the branch or assignment that makes two versions of a C or C++ program differ on one input
///
/// OLD and NEW are C or C++ files, directories or git revisions. Both are built with yester-cc and run on the same input. yester
/// then makes inputs close to yours that the old version treats like yours and the new version does not (or the other way round),
/// runs both versions on them, and compares the runs. It reports the places in the source, best first: branches that go another way
/// on such an input, and assignments that give another value in the new version than in the old one.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  Two versions of one file; {} is the program:
      yester explain old.c new.c --stdin crash.txt -- {} -v
      yester explain old.c new.c -- {} 12 7

  Two revisions, built by make; PROG runs in the root of each:
      yester explain v1.0 HEAD --build 'make' -- ./app --check orders.csv

  Keep the first argument as it is, and follow the rest:
      yester explain old.c new.c --fixed arg:1 -- {} --check 17

During --build, CC and CXX are yester-cc and yester-c++, and so are cc, gcc, clang, c++, g++ and
clang++ on the PATH. PROG runs in a copy of the built tree; for single files, in an empty
directory with the files that ARGS name.
Runs that yester makes up see your files read-only.

Exit codes: 0 the places are shown; 1 both versions do the same; 2 wrong call, or a version does
not build; 3 a limit, or no place was found; 130 interrupted. After 3 and 130 the same command
resumes.")]
pub struct ExplainArguments {
    /// The version that is right: a C or C++ file, a directory or a revision
    pub old: OsString,

    /// The version that is wrong
    pub new: OsString,

    #[command(flatten)]
    pub program: ProgramArguments,

    /// Write the best alternate input to FILE; further parts of it go to FILE.2 and so on
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Which evidence to use: branches, values, predicates or interventions; can be given several times [default: branches and values;
    /// predicates if they find nothing]
    #[arg(long, value_name = "EVIDENCE", value_enum)]
    pub by: Vec<EvidenceChoice>,

    /// How many alternate inputs to ask the solver for, in each version
    #[arg(long, value_name = "N", default_value_t = 48)]
    pub most_inputs: usize,

    /// The solver: z3, cvc5, bitwuzla, or the path of one of these
    #[arg(long, value_name = "NAME", default_value = "z3", value_parser = str::parse::<SolverProgram>)]
    pub solver: SolverProgram,

    /// How long the solver may take for one question
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = quantity::duration)]
    pub solver_timeout: Duration,

    /// How long PROG may run on your input; longer is a hang
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = quantity::duration)]
    pub timeout: Duration,

    /// PROG and its arguments
    #[arg(last = true, required = true, value_name = "PROG")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub trial: TrialArguments,

    #[command(flatten)]
    pub run: RunArguments,

    #[command(flatten)]
    pub output_style: OutputArguments,
}
