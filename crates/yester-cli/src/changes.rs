//! The flags of `yester changes`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use yester_patch::{PatchError, Repository, ZellerAlgorithm};
use yester_report::{quantity, quote};
use yester_run::SameFailure;

use crate::error::CallError;
use crate::flag::{OutputArguments, ReadingArguments, RunArguments, TrialArguments};

/// Find the changes between two versions that broke it
///
/// COMMAND passes on GOOD and fails on BAD. Each is a directory or a git revision of the current repository (a tag, a
/// branch, HEAD~20). yester runs COMMAND on versions in between, down to single lines, until it cannot leave anything
/// out of the changes that make GOOD fail as BAD does. It writes them to culprit.patch, which applies to GOOD, and
/// their reverse to fix.patch, which applies to BAD. It checks both in clean trees. If BAD also passes without all that the
/// guilty commit changed in the same functions, that is fix.patch, and fix.minimal.patch has the fewest lines.
///
/// yester checks nothing out: your work tree, index and repository stay as they are, and dirty trees are fine.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  The release worked, now a test fails:
      yester changes v1.4 HEAD -- python3 -m pytest -x tests/test_parser.py

  A program that must be built first; a version that does not build is neither good nor bad:
      yester changes v1.4 main --build 'make -j2' --product app -- ./app --self-test

  Only the changes in one directory:
      yester changes v1.4..main --only src/parser -- ./test.sh

  Two directories, and a script next to them:
      yester changes lib-1.0/ lib-1.1/ -- ./test.sh

  What the fix does to the other tests:
      yester changes v1.4 HEAD --also 'make check' -- ./test.sh

  A test that GOOD does not have yet:
      yester changes v1.4 HEAD --carry tests/regression.sh -- tests/regression.sh

Exit codes of COMMAND, as for git bisect run:
  0                        pass
  1-124, 128+, a signal    fail, if it is the failure of BAD
  125                      unresolved
  126, 127                 the command cannot be run
  timeout                  unresolved, or fail with --timeout-means fail

The build and COMMAND run in the root of a plain copy of the tree, without .git, wherever in the
repository you are. {} in COMMAND stands for that directory. If both versions have a program such
as ./test.sh, each version runs its own; otherwise yester runs the one in your current directory.
A script that no version has, as in `sh new.sh`, is put into all of them; --with FILE does that
with other files. $YESTER_START/FILE is a file of the directory you are in.

You can stop a run at any time, even with kill -9. The same command resumes it. Put flags that you
always use into yester.toml: build = \"make -j2\".")]
pub struct ChangesArguments {
    /// A version on which COMMAND passes: a git revision or a directory; or both versions as GOOD..BAD
    #[arg(value_name = "GOOD")]
    pub good: OsString,

    /// A version on which COMMAND fails: a git revision or a directory; not with GOOD..BAD
    #[arg(value_name = "BAD")]
    pub bad: Option<OsString>,

    /// Search only the changes at and below this path; everything else stays as in GOOD
    #[arg(long, value_name = "PATH")]
    pub only: Vec<String>,

    /// A file or directory of BAD to put into every version, such as a test that GOOD does not have
    #[arg(long, value_name = "PATH")]
    pub carry: Vec<String>,

    /// A shell command to run on BAD with and without each fix, such as the whole test suite: what else does it break?
    #[arg(long, value_name = "LINE")]
    pub also: Option<OsString>,

    /// Write culprit.patch and fix.patch to this directory [default: the current one]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// The test, run in the root of each version
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub build: BuildArguments,

    #[command(flatten)]
    pub answer: AnswerArguments,

    /// Search as in Zeller's paper, over all hunks at once, whatever commits they come from: dd or dd+
    #[arg(long, value_name = "NAME", value_enum, conflicts_with_all = ["isolate", "thorough"], help_heading = "Answer")]
    pub algorithm: Option<ChangesAlgorithm>,

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

impl ChangesArguments {
    /// The user's words for GOOD and BAD. `A..B` and `A...B` mean what they mean to `git diff`.
    pub fn versions(
        &self,
        repository: &Result<Repository, PatchError>,
    ) -> Result<(OsString, OsString), CallError> {
        if let Some(bad) = &self.bad {
            let word = self.good.to_string_lossy();
            if !word.starts_with(['.', '/']) && word.contains("..") {
                return Err(
                    CallError::new(format!("'{word}' names both versions already")).hint(format!(
                        "leave out {}; if it belongs to the test, put -- before it",
                        quote::word(bad)
                    )),
                );
            }
            return Ok((self.good.clone(), bad.clone()));
        }
        let word = self.good.to_string_lossy();
        let (good, bad, is_symmetric) = match (word.split_once("..."), word.split_once("..")) {
            (Some((good, bad)), _) => (good, bad, true),
            (None, Some((good, bad))) => (good, bad, false),
            (None, None) => {
                return Err(CallError::new("BAD is missing")
                    .hint("yester changes GOOD BAD -- COMMAND, or GOOD..BAD for two revisions"));
            }
        };
        let or_head = |word: &str| match word {
            "" => "HEAD".to_owned(),
            word => word.to_owned(),
        };
        let (mut good, bad) = (or_head(good), or_head(bad));
        if is_symmetric && let Ok(repository) = repository {
            let base = repository.merge_base(&good, &bad);
            good = base.map_err(|error| CallError::new(format!("failed to {error}")))?;
        }
        Ok((good.into(), bad.into()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SameFailureChoice {
    /// Exit code or signal, and every line that BAD always prints and GOOD does not
    Output,
    /// Exit code or signal, and the line that says most, without its numbers and quotations
    Message,
    /// Exit code or signal
    Exit,
}

impl From<SameFailureChoice> for SameFailure {
    fn from(choice: SameFailureChoice) -> SameFailure {
        match choice {
            SameFailureChoice::Output => SameFailure::Output,
            SameFailureChoice::Message => SameFailure::Message,
            SameFailureChoice::Exit => SameFailure::Exit,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ChangesAlgorithm {
    /// For versions that all have an outcome
    Dd,
    /// For versions of which some cannot be tested
    #[value(name = "dd+")]
    DdPlus,
}

impl From<ChangesAlgorithm> for ZellerAlgorithm {
    fn from(choice: ChangesAlgorithm) -> ZellerAlgorithm {
        match choice {
            ChangesAlgorithm::Dd => ZellerAlgorithm::Dd,
            ChangesAlgorithm::DdPlus => ZellerAlgorithm::DdPlus,
        }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Build")]
pub struct BuildArguments {
    /// A shell command that builds; a version that does not build is neither good nor bad
    #[arg(long, value_name = "LINE")]
    pub build: Option<OsString>,

    /// A file that the build makes and COMMAND tests: yester never tests identical products twice
    #[arg(long, value_name = "PATH", requires = "build")]
    pub product: Vec<String>,

    /// Time limit for one build [default: ten times the slowest baseline build, at least 1s]
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, requires = "build")]
    pub build_timeout: Option<Duration>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Answer")]
pub struct AnswerArguments {
    /// Find the smallest difference between a passing and a failing version, anywhere between GOOD and BAD
    #[arg(long, conflicts_with = "all")]
    pub isolate: bool,

    /// Find every culprit: take out what was found and search again until BAD passes
    #[arg(long)]
    pub all: bool,

    /// Try to leave out every line of the answer, however many there are
    #[arg(long)]
    pub thorough: bool,
}
