//! The flags of `yester why`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::changes::{BuildArguments, SameFailureChoice};
use crate::flag::{OutputArguments, ReadingArguments, RunArguments, TrialArguments};

/// Find out why a test fails: the commit, the lines, the smallest input, and the branch that goes wrong
///
/// TEST fails now. yester calls its other commands one after the other, and each answer feeds the
/// next:
///
///   changes or history   which commit broke it, down to the lines
///   reduce               the part of the input that is needed, if TEST names an input file: it
///                        fails at the culprit and passes without it
///   explain or flip      the branch or value to blame, for C and C++ with --build
///
/// It says why it takes each step, and prints the call, which you can repeat by itself. A step that
/// finds nothing does not stop the others.
///
/// yester checks nothing out: your work tree, index and repository stay as they are. If tracked
/// files have uncommitted changes, the work tree is the version that fails.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    after_long_help = "\
Examples:
  A test fails at HEAD; yester finds a tag that passes, or walks back through the history:
      yester why --build make -- ./app --check tests/big.json

  It passed at v1.4:
      yester why v1.4 -- python3 convert.py tests/big.csv

  Two directories:
      yester why lib-1.0/ lib-1.1/ --build make -- ./run-test 17

  What it would do:
      yester why --steps -- ./app tests/big.json

  Ten minutes for all of it, and no reduction:
      yester why --max-time 10m --skip reduce -- ./test.sh

TEST runs in the root of a plain copy of the tree, after the build. Its exit codes mean what they
mean to yester changes. The input is the file that TEST names besides its program and script, or
the one that --input names.

You can stop a run at any time, even with kill -9. The same command resumes it, in whichever step
it was. Exit codes: 0 found; 1 TEST passes, or nothing was found; 2 wrong call; 3 a limit was
reached, and some step was cut short; 130 interrupted."
)]
pub struct WhyArguments {
    /// A version on which TEST passes: a git revision or a directory [default: the newest tag that passes]
    #[arg(value_name = "GOOD")]
    pub good: Option<OsString>,

    /// A version on which TEST fails [default: the work tree if tracked files have uncommitted changes, otherwise HEAD]
    #[arg(value_name = "BAD")]
    pub bad: Option<OsString>,

    /// A file or directory to put into every version, such as a new test
    #[arg(long, value_name = "PATH")]
    pub carry: Vec<String>,

    /// The file of TEST to reduce [default: the one that TEST names]
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Leave out a step; can be given several times
    #[arg(long, value_name = "STEP", value_enum, value_delimiter = ',')]
    pub skip: Vec<StepChoice>,

    /// Only show which steps there would be
    #[arg(long)]
    pub steps: bool,

    /// Write patches and the reduced input to this directory [default: the current one]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// The test, run in the root of each version
    #[arg(last = true, required = true, value_name = "TEST")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub build: BuildArguments,

    #[command(flatten)]
    pub reading: ReadingArguments,

    /// What makes two failures the same
    #[arg(long, value_name = "HOW", value_enum, default_value_t = SameFailureChoice::Output, help_heading = "Failure")]
    pub same_failure: SameFailureChoice,

    #[command(flatten)]
    pub trial: TrialArguments,

    #[command(flatten)]
    pub run: RunArguments,

    #[command(flatten)]
    pub output_style: OutputArguments,
}

/// A step that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StepChoice {
    Changes,
    History,
    Reduce,
    Explain,
    Flip,
}
