//! The flags of `yester history`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use crate::changes::{BuildArguments, SameFailureChoice};
use crate::flag::{OutputArguments, ReadingArguments, RunArguments, TrialArguments};

/// Find the revision that was right when no good one is known, and what broke it
///
/// COMMAND fails at HEAD, and nobody knows a revision where it passes. yester walks back through the history. Where an
/// old revision cannot run COMMAND at all, because it lacks an API, a feature or a fix of the build, yester takes the
/// fewest lines of the newer revision along that bring the failure back, and goes on with them. When a revision passes, it
/// looks for the lines that broke the next one, and ports their reversal forward to HEAD.
///
/// It writes backport.patch, which makes the good revision run COMMAND, culprit.patch, which makes it fail then, and
/// fix.patch, which makes HEAD pass. It checks all three in clean trees. If HEAD also passes without all that the guilty commit
/// changed in the same functions, that is fix.patch, and fix.minimal.patch has the fewest lines.
///
/// yester checks nothing out: your work tree, index and repository stay as they are, and dirty trees are fine.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  A test fails, and perhaps it has never worked:
      yester history -- python3 -m pytest -x tests/test_parser.py

  A program that must be built first, and a test that is not committed yet:
      yester history --build 'make -j2' --carry tests/new.sh -- sh tests/new.sh

  Only the last two years, and then see what the fix does to the other tests:
      yester history --until '2 years ago' --also 'make check' -- ./test.sh

  A release that passes is known, but not every revision since can run the test:
      yester history --until v1.4 -- ./test.sh

Exit codes of COMMAND, as for git bisect run:
  0                        pass
  1-124, 128+, a signal    fail, if it is the failure of HEAD
  125                      unresolved
  126, 127                 the command cannot be run
  timeout                  unresolved, or fail with --timeout-means fail

Everything but a pass and the failure of HEAD is a border: a revision that does not build, fails
in another way, or hangs. The build and COMMAND run in the root of a plain copy of the tree,
without .git, wherever in the repository you are. {} in COMMAND stands for that directory. Files
that COMMAND names and whose path says that they are tests are the same in all revisions, as in
HEAD.

You can stop a run at any time, even with kill -9. The same command resumes it. Put flags that you
always use into yester.toml: build = \"make -j2\".")]
pub struct HistoryArguments {
    /// The revision at which COMMAND fails
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub from: String,

    /// How far back to go: a revision, a date such as 2024-01-31 or '2 years ago', or a number of revisions [default: the
    /// first one]
    #[arg(long, value_name = "REV|DATE|COUNT")]
    pub until: Option<String>,

    /// A file or directory to put into every revision as it is in your work tree, such as a new test and its data
    #[arg(long, value_name = "PATH")]
    pub carry: Vec<String>,

    /// Files that no patch may touch, such as 'tests/**' or '*.json'
    #[arg(long, value_name = "GLOB")]
    pub pin: Vec<String>,

    /// Blame a merge as a whole [default: look for the commit in the branch that it merged]
    #[arg(long)]
    pub first_parent: bool,

    /// Walk as in the paper: one revision after the other, with plain bisection for each patch
    #[arg(long)]
    pub plain: bool,

    /// A shell command to run on HEAD with and without each fix, such as the whole test suite: what else does it break?
    #[arg(long, value_name = "LINE")]
    pub also: Option<OsString>,

    /// Write the patches to this directory [default: the current one]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// The test, run in the root of each revision
    #[arg(last = true, required = true, value_name = "COMMAND")]
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
