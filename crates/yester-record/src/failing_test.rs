//! A failing test in a tree that was built for interventions: how it fails, and what a right run of it looks like.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use yester_core::Hash;
use yester_path::ProgramInput;
use yester_path::intervention::Profile;
use yester_path::intervention::search::{Right, RightExit, RightOutput};
use yester_run::{Ending, file};

use crate::error::RecordError;
use crate::intervener::{Intervener, IntervenerSettings, RunRequest};
use crate::recorder::{Seen, expected};
use crate::session::{ProgramSession, check_started};
use crate::workshop::BuiltVersion;

/// How long the failing run may take; longer is a hang.
const PATIENCE: Duration = Duration::from_secs(10);
/// So long it may take even if all of it is to take less: without that run there is nothing to tell.
const SHORTEST_PATIENCE: Duration = Duration::from_secs(2);
/// How long a test may take that starts programs itself.
const PATIENCE_WITH_TEST: Duration = Duration::from_secs(120);
/// A run with an intervention may take so many times as long as the failing one, and at least a second.
const TIMES_LONGER: u32 = 10;

/// A command that fails on its input, and what is known about it.
#[derive(Clone, Copy)]
pub struct TestCommand<'a> {
    /// The program.
    pub program: &'a Path,
    /// What the user calls it.
    pub name: &'a OsStr,
    /// Its input.
    pub input: &'a ProgramInput,
    /// The path of the program in the tree, if that has it.
    pub program_in_tree: Option<&'a OsStr>,
    /// What a right run prints, if somebody has it.
    pub expected: Option<&'a [u8]>,
    /// A program that is right on any input, if somebody has one.
    pub reference: Option<&'a Path>,
}

/// How long runs may take, as far as the user says so.
#[derive(Clone, Copy)]
pub struct TestLimits {
    /// One of them.
    pub timeout: Option<Duration>,
    /// All of them.
    pub max_time: Option<Duration>,
}

/// A test that was run as it is.
pub struct FailingTest<'a> {
    /// Makes the runs.
    pub session: &'a ProgramSession,
    command: TestCommand<'a>,
    limits: TestLimits,
    /// Runs it in the tree built for interventions.
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
    ///
    /// # Errors
    /// If it takes too long for its limits, or the runs have to end.
    pub fn run(
        session: &'a ProgramSession,
        command: TestCommand<'a>,
        limits: TestLimits,
        built: &BuiltVersion,
    ) -> Result<FailingTest<'a>, RecordError> {
        let is_program = is_program(&command, &built.root);
        let mut intervener = Intervener::new(settings(session, &command, built.tree));
        let patience = limits.timeout.unwrap_or(if is_program {
            PATIENCE
        } else {
            PATIENCE_WITH_TEST
        });
        let left = limits
            .max_time
            .map_or(patience, |time| time.max(SHORTEST_PATIENCE));
        let failing = intervener
            .run(RunRequest::None, patience.min(left))?
            .observation;
        if failing.ending == Ending::Timeout && left < patience {
            return Err(RecordError::NoTime);
        }
        Ok(FailingTest {
            session,
            command,
            limits,
            intervener,
            is_program,
            failing,
            patience,
        })
    }

    /// Runs the same test in another tree of the same version.
    pub fn intervener_in(&self, tree: Hash) -> Intervener<'a> {
        Intervener::new(settings(self.session, &self.command, tree))
    }

    /// What a right run looks like; the program that is right runs in this tree.
    ///
    /// # Errors
    /// If the test could not be run, the program that is right does not end by itself, or the runs have to end.
    pub fn right(&self, tree: Hash) -> Result<Right, RecordError> {
        self.check_runs()?;
        if let Some(mut intervener) = self.reference(tree) {
            let observation = intervener.run(RunRequest::None, self.patience)?.observation;
            return match observation.ending.clone() {
                Ending::Exit(code) => Ok(Right {
                    stdout: Some(RightOutput::of(&observation)),
                    exit: RightExit::Code(code),
                }),
                ending => Err(RecordError::ReferenceNotEnded(ending)),
            };
        }
        Ok(match self.command.expected {
            Some(stdout) => Right {
                stdout: Some(expected(stdout)),
                exit: RightExit::Any,
            },
            None => Right::by_default(&self.failing),
        })
    }

    /// Runs the program that is right on any input, if somebody has one, in this tree.
    pub fn reference(&self, tree: Hash) -> Option<Intervener<'a>> {
        let program = self.command.reference?;
        Some(Intervener::new(IntervenerSettings {
            program,
            program_in_tree: None,
            ..settings(self.session, &self.command, tree)
        }))
    }

    /// Complains if the command could not be run.
    fn check_runs(&self) -> Result<(), RecordError> {
        check_started(&self.failing, "the command")?;
        match &self.failing.ending {
            // As the shell has it.
            ending @ Ending::Exit(126 | 127) => Err(RecordError::CommandNotRun {
                ending: ending.clone(),
                lines: self.failing.stderr.last_lines(5),
            }),
            _ => Ok(()),
        }
    }

    /// Whether it is known what a right run prints.
    pub fn is_right_known(&self) -> bool {
        self.command.expected.is_some() || self.command.reference.is_some()
    }

    /// Whether only carriage returns tell what is printed from what is expected.
    pub fn differs_in_line_ends(&self) -> bool {
        let plain = |text: &[u8]| -> Vec<u8> {
            let kept = text.iter().filter(|byte| **byte != b'\r');
            kept.copied().collect()
        };
        match (self.command.expected, self.failing.stdout.whole()) {
            (Some(expected), Some(printed)) => {
                expected != printed && plain(expected) == plain(&printed)
            }
            _ => false,
        }
    }

    /// How long a run with an intervention may take.
    pub fn timeout(&self) -> Duration {
        let timeout = match self.failing.ending {
            // Whatever ends at all ends sooner, and whoever waits for a hang need not wait long for the next one.
            Ending::Timeout => Duration::from_secs(1),
            _ => (self.failing.elapsed * TIMES_LONGER).max(Duration::from_secs(1)),
        };
        self.limits.timeout.unwrap_or(timeout)
    }

    /// What the processes of the test do that were built with yester's compilers.
    ///
    /// # Errors
    /// If there are none, or the runs have to end.
    pub fn profiles(&mut self) -> Result<Vec<Profile>, RecordError> {
        let timeout = match self.failing.ending {
            Ending::Timeout => self.timeout(),
            _ => self.patience,
        };
        let profiles = self.intervener.run(RunRequest::Profile, timeout)?.profiles;
        if profiles.iter().all(|profile| profile.log.is_empty()) {
            return Err(RecordError::NotInstrumented {
                program: self.command.name.to_string_lossy().into_owned(),
                ending: self.failing.ending.clone(),
            });
        }
        Ok(profiles)
    }
}

/// How to run a command in copies of a built tree.
fn settings<'a>(
    session: &'a ProgramSession,
    command: &TestCommand<'a>,
    tree: Hash,
) -> IntervenerSettings<'a> {
    IntervenerSettings {
        session,
        program: command.program,
        input: command.input,
        tree,
        program_in_tree: command.program_in_tree.map(OsStr::to_owned),
    }
}

/// Whether the command is a program of the tree, and no script.
fn is_program(command: &TestCommand<'_>, root: &Path) -> bool {
    let mut start = [0; 4];
    let mut read = |path: &OsStr| {
        let file = file::open(&root.join(path));
        file.and_then(|(mut file, _)| file.read_exact(&mut start))
            .is_ok()
    };
    command.program_in_tree.is_some_and(&mut read) && start == *b"\x7fELF"
}
