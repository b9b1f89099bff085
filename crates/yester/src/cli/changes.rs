//! The flags of `yester changes`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::flag::{OutputArguments, ReadingArguments, RunArguments, TrialArguments};
use crate::quantity;

/// Find the changes between two versions that broke it
///
/// GOOD is a version for which COMMAND passes, BAD one for which it fails. Each is a git revision of the repository
/// around (a tag, a branch, HEAD~20) or a directory. COMMAND runs on versions in between, down to single lines, until
/// nothing can be left out of the changes that make GOOD fail as BAD does. They are written to culprit.patch, which
/// applies to GOOD, and to fix.patch, which takes them out of BAD. Both are checked in clean trees.
///
/// Nothing is checked out: your work tree, your index and your repository stay as they are, and dirty trees are fine.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  The release worked, and now the tests of the project fail:
      yester changes v1.4 HEAD -- python3 -m pytest -x tests/test_parser.py

  A program that has to be built first; what does not build is neither good nor bad:
      yester changes v1.4 main --build 'make -j2' --product app -- ./app --self-test

  Two directories, with a script that lies beside them:
      yester changes lib-1.0/ lib-1.1/ -- ./test.sh

  The test came with BAD, and GOOD does not have it yet:
      yester changes v1.4 HEAD --carry tests/regression.sh -- tests/regression.sh

How the exit of COMMAND is read (as git bisect run does):
  0: pass    1 to 124, 128 and more, a signal: fail, if it is the failure of BAD
  125: cannot be said    126, 127: the command cannot be run
  too slow: cannot be said, or fail with --timeout-means fail

COMMAND and the build run in the root of a plain copy of the tree, without .git, wherever in the
repository you are. {} in COMMAND stands for that directory. A program such as ./test.sh is the one
of each version, if both have it; otherwise the one of the directory that you are in. Other files
that are not part of the versions are named by their full path, or as $YESTER_START/FILE.

A run can be stopped at any time, even with kill -9: the same command goes on. Flags can be kept in
yester.toml: build = \"make -j2\".")]
pub struct ChangesArguments {
    /// A version for which COMMAND passes: a git revision or a directory
    #[arg(value_name = "GOOD")]
    pub good: OsString,

    /// A version for which COMMAND fails: a git revision or a directory
    #[arg(value_name = "BAD")]
    pub bad: OsString,

    /// The directory that culprit.patch and fix.patch go to [default: the current one]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// The test, run in the root of each version
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub build: BuildArguments,

    #[command(flatten)]
    pub answer: AnswerArguments,

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
#[command(next_help_heading = "How a version becomes what is tested")]
pub struct BuildArguments {
    /// A line for the shell that builds; a version that does not build is neither good nor bad
    #[arg(long, value_name = "LINE")]
    pub build: Option<OsString>,

    /// What the build makes and COMMAND tests, as a path in the tree: the same product is not tested twice
    #[arg(long, value_name = "PATH", requires = "build")]
    pub product: Vec<String>,

    /// How long a build may take [default: ten times the slowest of the first ones, at least 1s]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, requires = "build")]
    pub build_timeout: Option<Duration>,

    /// A file or directory of BAD that all versions get, such as a test that GOOD does not have
    #[arg(long, value_name = "PATH")]
    pub carry: Vec<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What is looked for")]
pub struct AnswerArguments {
    /// The smallest difference between a version that passes and one that fails, wherever it is between GOOD and BAD
    #[arg(long, conflicts_with = "all")]
    pub isolate: bool,

    /// Take out what was found and look for the next culprit, until BAD passes
    #[arg(long)]
    pub all: bool,

    /// Try to leave out every single line of the answer, however many there are
    #[arg(long)]
    pub thorough: bool,
}
