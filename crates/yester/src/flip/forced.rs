//! Does one thing otherwise at a time on the user's own input.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use yester_path::forced::{Profile, SolverBudget};
use yester_report::count;

use super::failing_test::FailingTest;
use super::job::{FlipJob, identity};
use super::judge::{Checker, OwnInputChecker};
use crate::cli::FlipWay;
use crate::experiment::{Experiments, ForcedFindings, Memory, Right, RunJudge, Solving};
use crate::failure::Failure;
use crate::progress::Doing;
use crate::record::{Forcer, Workshop};

/// So many questions about values are put to the solver.
const MOST_QUESTIONS: u64 = 60;

/// What forced runs have shown.
#[derive(Default)]
pub struct Forced {
    pub findings: ForcedFindings,
    /// Where runs are kept, if they are.
    pub run: Option<String>,
    /// What a right run prints, if that is known.
    pub expected: Option<Vec<u8>>,
}

/// What forced runs need.
pub struct Force<'a, 'w> {
    pub job: &'a FlipJob,
    /// The tree that can be forced.
    pub root: &'w Path,
    pub workshop: &'w mut Workshop,
    pub deadline: Option<Instant>,
    pub doing: &'w Doing,
}

impl<'a> Force<'a, '_> {
    /// Carries out experiments with a test.
    pub fn carry_out(&mut self, test: &mut FailingTest<'a>) -> Result<Forced, Failure> {
        let mut forced = ForcedTest::judge(test, self.root)?;
        let profiles = forced.test.profiles()?;
        let mut memory = match forced.is_carried_out_by_program(&profiles) {
            true => None,
            false => Some(open_memory(self.job, self.doing)?),
        };
        let followed = match memory.is_none() && self.job.solves() {
            true => Some(self.follow()?),
            false => None,
        };
        if let Some(root) = &followed {
            forced.follower = Some(forced.test.forcer_in(root, "flip-follow")?);
        }
        let profiles = profiles.into_iter();
        let profiles = profiles.filter(|profile| !profile.log.is_empty());
        let findings = forced
            .experiments(memory.as_mut(), self.deadline, self.doing)
            .carry_out(profiles.collect())?;
        Ok(Forced {
            findings,
            run: memory.as_ref().map(Memory::place),
            expected: forced.expected(),
        })
    }

    /// Builds a program that records what becomes of values that are forced to be others.
    fn follow(&mut self) -> Result<PathBuf, Failure> {
        self.doing.say("building with values that can be followed");
        let environment = vec![("YESTER_CC_FORCE", "follow")];
        let recipe = self.job.recipe(environment);
        let roots = self
            .workshop
            .build("followed", &[&self.job.version], &recipe)?;
        Ok(roots[0].clone())
    }
}

/// A test that is known to fail, and what judges its forced runs.
struct ForcedTest<'a, 't> {
    test: &'t mut FailingTest<'a>,
    right: Right,
    checker: Option<OwnInputChecker<'a>>,
    /// Runs it so that values can be followed, if they are to be.
    follower: Option<Forcer<'a>>,
    timeout: Duration,
}

impl<'a, 't> ForcedTest<'a, 't> {
    /// Finds out what is right. It is a failure if the test passes as it is.
    fn judge(test: &'t mut FailingTest<'a>, root: &Path) -> Result<ForcedTest<'a, 't>, Failure> {
        let right = test.right(root)?;
        let job = test.job;
        let checker = match &job.arguments.check {
            Some(line) => {
                let checker = Checker::open(job, line, test.patience, test.number)?;
                let input = &test.test.input;
                Some(OwnInputChecker::open(checker, input, &test.failing)?)
            }
            None if right.holds(&test.failing) => return Err(test.passes()),
            None => None,
        };
        Ok(ForcedTest {
            timeout: test.timeout(),
            test,
            right,
            checker,
            follower: None,
        })
    }

    /// Whether one run of the program can carry out many experiments.
    fn is_carried_out_by_program(&self, profiles: &[Profile]) -> bool {
        let is_in_records = self.right.is_in_records() && self.checker.is_none();
        self.test.is_program && profiles.len() == 1 && is_in_records
    }

    /// What a right run prints, if that is known.
    fn expected(&self) -> Option<Vec<u8>> {
        let is_known = self.right.stdout.is_some() && self.right.is_in_records();
        is_known.then(|| self.right.expected().to_vec())
    }

    fn experiments<'f>(
        &'f mut self,
        memory: Option<&'f mut Memory>,
        deadline: Option<Instant>,
        doing: &'f Doing,
    ) -> Experiments<'a, 'f> {
        let (job, failing) = (self.test.job, &self.test.failing);
        let checker = self.checker.as_mut();
        Experiments {
            memory,
            forcer: &mut self.test.forcer,
            guesses: job.wants(FlipWay::Forced),
            solving: self.follower.as_mut().map(|forcer| Solving {
                forcer,
                budget: SolverBudget {
                    program: &job.arguments.solver,
                    limit: job.arguments.solver_timeout,
                    questions: MOST_QUESTIONS,
                },
                printed: failing.stdout.whole().unwrap_or_default(),
            }),
            nearer: self.right.nearer_from(failing),
            common: self.right.common(failing).unwrap_or_default(),
            right: &self.right,
            judge: checker.map(|checker| checker as &mut dyn RunJudge),
            timeout: self.timeout,
            deadline,
            most: job
                .arguments
                .run
                .max_trials
                .or(job.arguments.most_experiments),
            doing,
        }
    }
}

/// What earlier calls of a long test have seen.
fn open_memory(job: &FlipJob, doing: &Doing) -> Result<Memory, Failure> {
    let name = identity(job)?.name("flip", OsStr::new(&job.version.word));
    let memory = Memory::open(&name, &job.arguments.run)?;
    if memory.known() > 0 {
        doing.tell(&format!(
            "resuming {}: {} already known (--fresh starts over)",
            memory.place(),
            count(memory.known() as u64, "trial")
        ));
    }
    Ok(memory)
}
