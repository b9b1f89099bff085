//! Does one thing otherwise at a time on the user's own input.

use std::path::Path;
use std::time::{Duration, Instant};

use yester_core::Hash;
use yester_path::experiment::{
    ConfirmedLine, Experiments, ForcedFindings, MOST_CONFIRMED, PATIENCE_WITH_TRIALS, Right,
    SliceLines, Solving, TimeLimit,
};
use yester_path::forced::{Profile, RankedLine, RankedTest, SolverBudget, SummedLine, sum};
use yester_run::Ending;

use super::failing_record::FailingRecord;
use super::failing_test::FailingTest;
use super::job::FlipJob;
use super::judge::{Checker, OwnInputChecker};
use crate::cli::FlipWay;
use crate::failure::Failure;
use crate::progress::Doing;
use crate::record::{BuiltVersion, ForcedProgram, Forcer, RunJudge, Workshop};

/// So many questions about values are put to the solver.
const MOST_QUESTIONS: u64 = 60;

/// What forced runs have shown.
#[derive(Default)]
pub struct Forced {
    /// Of each test.
    pub tests: Vec<ForcedFindings>,
    /// Lines at which something done otherwise makes tests right, or nearer, the best first.
    pub lines: Vec<ForcedLine>,
}

impl Forced {
    /// How many runs there were.
    pub fn runs(&self) -> u64 {
        self.tests.iter().map(|test| test.runs).sum()
    }

    /// How many things were not done otherwise.
    pub fn left(&self) -> usize {
        self.tests.iter().map(|test| test.left).sum()
    }
}

/// A line, with what was done otherwise there in each test in which that helped. All of these are equally good, and there is one at least.
pub struct ForcedLine {
    /// The tests, from 0.
    pub of_tests: Vec<(usize, ConfirmedLine)>,
}

/// What forced runs need.
pub struct Force<'a, 'w> {
    pub job: &'a FlipJob,
    /// The tree that can be forced.
    pub root: &'w Path,
    pub workshop: &'w mut Workshop,
    pub deadline: Option<Instant>,
    /// What is known about the failing run of the first test, if it was recorded.
    pub record: Option<&'w FailingRecord>,
    pub doing: &'w Doing,
}

impl<'a> Force<'a, '_> {
    /// Carries out experiments with each test, and sums what they say.
    pub fn carry_out(&mut self, mut forced: Vec<ForcedTest<'a, '_>>) -> Result<Forced, Failure> {
        let mut followed: Option<BuiltVersion> = None;
        let mut found: Vec<ForcedFindings> = Vec::new();
        let count = forced.len();
        for (number, test) in forced.iter_mut().enumerate() {
            let profiles = std::mem::take(&mut test.profiles);
            if test.is_carried_out_by_program && self.job.solves() {
                let built = match followed.take() {
                    Some(built) => built,
                    None => self.follow()?,
                };
                test.follower = Some(test.test.forcer_in(built.tree));
                followed = Some(built);
            }
            let spent: u64 = found.iter().map(|findings| findings.runs).sum();
            let limits = self.share(count - number, spent as usize);
            let (record, root) = (self.record.filter(|_| number == 0), self.root);
            let slice = || record?.slice(root);
            let findings = test.experiment(&limits, Some(&slice), self.doing, |experiments| {
                experiments.carry_out(profiles)
            });
            found.push(findings?);
            // It is not needed for what comes now.
            test.follower = None;
        }
        let lines = self.summed(&mut forced, &mut found)?;
        Ok(Forced {
            lines,
            tests: found,
        })
    }

    /// What the next of so many tests may take of what is left.
    fn share(&self, tests: usize, spent: usize) -> ForcedLimits {
        let now = Instant::now();
        let arguments = &self.job.arguments;
        let deadline = self.deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(now);
            now + left / tests as u32
        });
        let most = arguments.run.max_trials;
        let most = most.map(|most| most.saturating_sub(spent) / tests);
        ForcedLimits {
            deadline,
            most: most.or(arguments.most_experiments),
        }
    }

    /// The lines of all tests, the best first. Whatever counts was seen in a clean tree.
    fn summed(
        &self,
        tests: &mut [ForcedTest<'a, '_>],
        found: &mut [ForcedFindings],
    ) -> Result<Vec<ForcedLine>, Failure> {
        let all = sum_of(found, |findings| {
            let confirmed = findings.lines.iter().map(|confirmed| &confirmed.line);
            confirmed.chain(&findings.unconfirmed).collect()
        });
        let mut confirmed: Vec<Vec<ConfirmedLine>> = vec![Vec::new(); tests.len()];
        for line in all.into_iter().take(MOST_CONFIRMED) {
            for (test, index) in line.reached {
                let findings = &mut found[test];
                let seen = match findings.lines.get(index) {
                    Some(known) => Some(known.clone()),
                    None => {
                        let line = findings.unconfirmed[index - findings.lines.len()].clone();
                        let mut runs = 0;
                        let limits = ForcedLimits {
                            deadline: self.deadline,
                            most: None,
                        };
                        let seen = tests[test].experiment(&limits, None, self.doing, |all| {
                            all.confirm_line(&findings.profile, line, &mut runs)
                        })?;
                        findings.runs += runs;
                        seen
                    }
                };
                confirmed[test].extend(seen);
            }
        }
        for (findings, lines) in found.iter_mut().zip(confirmed) {
            findings.lines = lines;
        }
        let all = sum_of(found, |findings| {
            let confirmed = findings.lines.iter();
            confirmed.map(|confirmed| &confirmed.line).collect()
        });
        let of_tests = |line: SummedLine| ForcedLine {
            of_tests: line
                .reached
                .into_iter()
                .map(|(test, index)| (test, found[test].lines[index].clone()))
                .collect(),
        };
        Ok(all.into_iter().map(of_tests).collect())
    }

    /// Builds a program that records what becomes of values that are forced to be others.
    fn follow(&mut self) -> Result<BuiltVersion, Failure> {
        self.doing.say("building with values that can be followed");
        let environment = vec![("YESTER_CC_MODE", "follow")];
        let recipe = self.job.recipe(environment);
        let built = self
            .workshop
            .build("followed", &[&self.job.version], &recipe)?;
        Ok(built[0].clone())
    }
}

/// Sums what tests say about some of their lines.
fn sum_of<'f>(
    found: &'f [ForcedFindings],
    lines: impl Fn(&'f ForcedFindings) -> Vec<&'f RankedLine>,
) -> Vec<SummedLine> {
    let lines: Vec<Vec<&RankedLine>> = found.iter().map(lines).collect();
    let tests = found.iter().zip(&lines);
    let tests: Vec<RankedTest<'_>> = tests
        .map(|(findings, lines)| RankedTest {
            profile: &findings.profile,
            lines,
        })
        .collect();
    sum(&tests)
}

/// How far the experiments with one test may go.
struct ForcedLimits {
    deadline: Option<Instant>,
    most: Option<usize>,
}

/// A test that is known to fail, and what judges its forced runs.
pub struct ForcedTest<'a, 't> {
    test: &'t mut FailingTest<'a>,
    right: Right,
    checker: Option<OwnInputChecker<'a>>,
    /// Runs it so that values can be followed, if they are to be.
    follower: Option<Forcer<'a>>,
    timeout: Duration,
    /// Of the processes that can be forced.
    profiles: Vec<Profile>,
    /// Whether one run of the program can carry out many experiments.
    is_carried_out_by_program: bool,
}

impl<'a, 't> ForcedTest<'a, 't> {
    /// Finds out what is right. It is a failure if the test passes as it is.
    pub fn judge(test: &'t mut FailingTest<'a>, tree: Hash) -> Result<ForcedTest<'a, 't>, Failure> {
        let judged = judged(test, tree).map_err(|failure| test.told(failure));
        let (right, checker) = judged?;
        let profiles = test.profiles();
        let mut profiles = profiles.map_err(|failure| test.told(failure))?;
        let is_in_records = right.is_in_records() && checker.is_none();
        let is_carried_out_by_program = test.is_program && profiles.len() == 1 && is_in_records;
        profiles.retain(|profile| !profile.log.is_empty());
        Ok(ForcedTest {
            timeout: test.timeout(),
            test,
            right,
            checker,
            follower: None,
            profiles,
            is_carried_out_by_program,
        })
    }

    /// What a right run prints, if that is known.
    pub fn expected(&self) -> Option<Vec<u8>> {
        let is_known = self.right.stdout.is_some() && self.right.is_in_records();
        is_known.then(|| self.right.expected().to_vec())
    }

    /// Hands experiments on this test to somebody.
    fn experiment<T>(
        &mut self,
        limits: &ForcedLimits,
        slice: Option<&dyn Fn() -> Option<SliceLines>>,
        doing: &Doing,
        carry_out: impl FnOnce(&mut Experiments<'_, ForcedProgram<'a, '_>>) -> T,
    ) -> T {
        let (job, failing) = (self.test.job, &self.test.failing);
        let patience = (!self.is_carried_out_by_program).then_some(PATIENCE_WITH_TRIALS);
        let solves = self.follower.is_some();
        let checker = self.checker.as_mut();
        let mut program = ForcedProgram {
            session: self.test.session,
            forcer: &mut self.test.forcer,
            follower: self.follower.as_mut(),
            judge: checker.map(|checker| checker as &mut dyn RunJudge),
            doing,
        };
        carry_out(&mut Experiments {
            program: &mut program,
            in_batches: self.is_carried_out_by_program,
            guesses: job.wants(FlipWay::Forced),
            solving: solves.then(|| Solving {
                budget: SolverBudget {
                    program: &job.arguments.solver,
                    limit: job.arguments.solver_timeout,
                    questions: MOST_QUESTIONS,
                },
                printed: failing.stdout.whole().unwrap_or_default(),
            }),
            nearer: self.right.nearer_from(failing),
            common: self.right.common(failing).unwrap_or_default(),
            failing,
            right: &self.right,
            slice,
            is_endless: failing.ending == Ending::Timeout,
            timeout: self.timeout,
            time_limit: TimeLimit::new(limits.deadline, patience),
            has_changed_tree: false,
            most: limits.most,
        })
    }
}

/// What a right run of a test looks like, and the command that judges it if there is one.
fn judged<'a>(
    test: &FailingTest<'a>,
    tree: Hash,
) -> Result<(Right, Option<OwnInputChecker<'a>>), Failure> {
    let right = test.right(tree)?;
    let checker = match &test.job.arguments.check {
        Some(line) => {
            let checker = Checker::new(test.job, test.session, line, test.patience);
            let input = &test.test.input;
            Some(OwnInputChecker::open(checker, input, &test.failing)?)
        }
        None if right.holds(&test.failing) => return Err(test.passes()),
        None if test.differs_in_line_ends() => return Err(test.other_line_ends()),
        None => None,
    };
    Ok((right, checker))
}
