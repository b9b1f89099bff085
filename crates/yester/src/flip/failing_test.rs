//! A failing test in the built tree: how it fails, and what a right run of it looks like.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use yester_core::Hash;
use yester_path::InputSource;
use yester_path::intervention::Profile;
use yester_path::intervention::search::{Right, RightExit, RightOutput};
use yester_report::{quote, visible_line};
use yester_run::{Ending, file};

use super::job::{FlipJob, FlipTest};
use crate::command::UserCommand;
use crate::failure::{Exit, Failure};
use crate::record::{
    BuiltVersion, Intervener, IntervenerSettings, ProgramSession, RunRequest, Seen, expected,
};

/// How long the failing run may take; longer is a hang.
const PATIENCE: Duration = Duration::from_secs(10);
/// So long it may take even if all of it is to take less: without that run there is nothing to tell.
const SHORTEST_PATIENCE: Duration = Duration::from_secs(2);
/// How long a test may take that starts programs itself.
const PATIENCE_WITH_TEST: Duration = Duration::from_secs(120);
/// A run with an intervention may take so many times as long as the failing one, and at least a second.
const TIMES_LONGER: u32 = 10;

/// A test that was run as it is, in the tree built for interventions.
pub struct FailingTest<'a> {
    pub job: &'a FlipJob,
    pub session: &'a ProgramSession,
    pub test: &'a FlipTest,
    /// Which of the tests it is, from 0.
    pub number: usize,
    pub intervener: Intervener<'a>,
    /// Whether the command is a program of the tree, and no script.
    pub is_program: bool,
    /// The run as it is.
    pub failing: Seen,
    /// How long a run may take that nothing is known about.
    pub patience: Duration,
}

impl<'a> FailingTest<'a> {
    /// Runs a test as it is.
    pub fn run(
        (job, session): (&'a FlipJob, &'a ProgramSession),
        (number, test): (usize, &'a FlipTest),
        built: &BuiltVersion,
    ) -> Result<FailingTest<'a>, Failure> {
        let is_program = is_program(test, &built.root);
        let mut intervener = Intervener::new(settings(session, test, built.tree, &test.command));
        let patience = job.arguments.timeout.unwrap_or(if is_program {
            PATIENCE
        } else {
            PATIENCE_WITH_TEST
        });
        let max_time = job.arguments.run.max_time;
        let left = max_time.map_or(patience, |time| time.max(SHORTEST_PATIENCE));
        let failing = intervener
            .run(RunRequest::None, patience.min(left))?
            .observation;
        if failing.ending == Ending::Timeout && left < patience {
            return Err(Failure {
                exit: Exit::Limit,
                ..Failure::usage("the command did not end within --max-time")
            }
            .hint(
                "--max-time is for all runs together: give it a multiple of what the command takes",
            ));
        }
        Ok(FailingTest {
            job,
            session,
            test,
            number,
            intervener,
            is_program,
            failing,
            patience,
        })
    }

    /// Runs the same test in another tree of the same version.
    pub fn intervener_in(&self, tree: Hash) -> Intervener<'a> {
        Intervener::new(settings(self.session, self.test, tree, &self.test.command))
    }

    /// What a right run looks like.
    pub fn right(&self, tree: Hash) -> Result<Right, Failure> {
        self.check_runs()?;
        if let Some(reference) = &self.job.reference {
            let settings = settings(self.session, self.test, tree, reference);
            let mut intervener = Intervener::new(IntervenerSettings {
                program_in_tree: None,
                ..settings
            });
            let observation = intervener.run(RunRequest::None, self.patience)?.observation;
            return match observation.ending.clone() {
                Ending::Exit(code) => Ok(Right {
                    stdout: Some(RightOutput::of(&observation)),
                    exit: RightExit::Code(code),
                }),
                ending => Err(Failure::usage(format!(
                    "the reference program does not end by itself on your input: {ending}"
                ))),
            };
        }
        Ok(match &self.test.expected {
            Some(stdout) => Right {
                stdout: Some(expected(stdout)),
                exit: RightExit::Any,
            },
            None => Right::by_default(&self.failing),
        })
    }

    /// Complains if the command could not be run.
    fn check_runs(&self) -> Result<(), Failure> {
        match &self.failing.ending {
            Ending::NotStarted(reason) => {
                let reason = &reason.reason;
                Err(Failure::usage(format!(
                    "the command cannot be run: {reason}"
                )))
            }
            // As the shell has it.
            Ending::Exit(126 | 127) => {
                let lines = self.failing.stderr.last_lines(5);
                Err(Failure {
                    evidence: lines
                        .iter()
                        .map(|line| visible_line(line).into_owned())
                        .collect(),
                    ..Failure::usage(format!(
                        "the command cannot be run: {}",
                        self.failing.ending
                    ))
                }
                .hint("it runs in the root of the built tree; a path is one from there"))
            }
            _ => Ok(()),
        }
    }

    /// Says which test a failure is about, if there are several.
    pub fn told(&self, failure: Failure) -> Failure {
        if self.job.others.is_empty() {
            return failure;
        }
        let line = quote::command(self.test.command.words.iter().map(OsString::as_os_str));
        let message = format!("test {} ({line}): {}", self.number + 1, failure.message);
        Failure { message, ..failure }
    }

    /// That the test passes as it is.
    pub fn passes(&self) -> Failure {
        let ending = &self.failing.ending;
        let is_known = self.test.expected.is_some() || self.job.reference.is_some();
        if is_known {
            return Failure::nothing(format!(
                "the program prints what is expected ({ending}): there is nothing to debug"
            ));
        }
        Failure::nothing(format!(
            "the command passes ({ending}): there is nothing to debug"
        ))
        .hint(
            "a program that exits with 0 and prints something wrong needs --expect FILE, --check LINE or --reference PROG",
        )
    }

    /// Whether only carriage returns tell what is printed from what is expected.
    pub fn differs_in_line_ends(&self) -> bool {
        let plain = |text: &[u8]| -> Vec<u8> {
            let kept = text.iter().filter(|byte| **byte != b'\r');
            kept.copied().collect()
        };
        match (&self.test.expected, self.failing.stdout.whole()) {
            (Some(expected), Some(printed)) => {
                *expected != printed && plain(expected) == plain(&printed)
            }
            _ => false,
        }
    }

    /// That only line ends are wrong.
    pub fn other_line_ends(&self) -> Failure {
        Failure::nothing(
            "the program prints what is expected, but for carriage returns at the ends of lines",
        )
        .hint("give --expect FILE the line ends that the program prints")
    }

    /// How long a run with an intervention may take.
    pub fn timeout(&self) -> Duration {
        let timeout = match self.failing.ending {
            // Whatever ends at all ends sooner, and whoever waits for a hang need not wait long for the next one.
            Ending::Timeout => Duration::from_secs(1),
            _ => (self.failing.elapsed * TIMES_LONGER).max(Duration::from_secs(1)),
        };
        self.job.arguments.timeout.unwrap_or(timeout)
    }

    /// What the processes of the test do that were built with yester's compilers.
    pub fn profiles(&mut self) -> Result<Vec<Profile>, Failure> {
        let timeout = match self.failing.ending {
            Ending::Timeout => self.timeout(),
            _ => self.patience,
        };
        let profiles = self.intervener.run(RunRequest::Profile, timeout)?.profiles;
        if profiles.iter().all(|profile| profile.log.is_empty()) {
            let name = self.test.command.words[0].to_string_lossy();
            return Err(Failure::usage(format!(
                "nothing that {name} starts was built with yester-cc ({})",
                self.failing.ending
            ))
            .hint("the line of --build has to compile the program: is it built before, or by another compiler than CC?"));
        }
        Ok(profiles)
    }
}

/// How to run a command on the input of a test, in copies of the built tree.
fn settings<'a>(
    session: &'a ProgramSession,
    test: &'a FlipTest,
    tree: Hash,
    command: &'a UserCommand,
) -> IntervenerSettings<'a> {
    IntervenerSettings {
        session,
        command,
        arguments: &test.input.arguments,
        tree,
        program_in_tree: test.program_in_tree.clone(),
        stdin: test.input.content(&InputSource::Stdin),
    }
}

/// Whether the command is a program of the tree, and no script.
fn is_program(test: &FlipTest, root: &Path) -> bool {
    let mut start = [0; 4];
    let mut read = |path: &OsString| {
        let file = file::open(&root.join(path));
        file.and_then(|(mut file, _)| file.read_exact(&mut start))
            .is_ok()
    };
    test.program_in_tree.as_ref().is_some_and(&mut read) && start == *b"\x7fELF"
}
