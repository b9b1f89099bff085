//! Tries single interventions on the user's own input.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use yester_core::Hash;
use yester_path::intervention::search::{
    InterventionFindings, InterventionLine, InterventionSearch, NearSearch, PATIENCE_WITH_TRIALS,
    Right, SliceLines, Solving, TimeLimit, lines_of_tests,
};
use yester_path::intervention::{FailingRecord, Profile, SolverBudget};
use yester_record::judge::{Checker, OwnInputChecker};
use yester_record::{
    BuiltVersion, FailingTest, Intervener, NearRuns, RecordError, RunJudge, Seen, TargetProgram,
    Workshop,
};
use yester_report::quote;
use yester_run::{Ending, Event, Events};

use super::job::{FlipJob, FlipTest};
use crate::cli::FlipWay;
use crate::failure::Failure;

/// So many questions about values are put to the solver.
const MOST_QUESTIONS: u64 = 60;

/// What interventions have shown.
#[derive(Default)]
pub struct InterventionSummary {
    /// Of each test.
    pub tests: Vec<InterventionFindings>,
    /// Lines at which an intervention makes tests right, or nearer, the best first.
    pub lines: Vec<InterventionLine>,
}

impl InterventionSummary {
    /// How many runs there were.
    pub fn runs(&self) -> u64 {
        self.tests.iter().map(|test| test.runs).sum()
    }

    /// How many interventions were not tried.
    pub fn left(&self) -> usize {
        self.tests.iter().map(|test| test.left).sum()
    }
}

/// What interventions need.
pub struct InterventionContext<'a, 'w> {
    pub job: &'a FlipJob,
    pub workshop: &'w mut Workshop,
    pub deadline: Option<Instant>,
    /// What is known about the failing run of the first test, if it was recorded.
    pub record: Option<&'w FailingRecord<Seen>>,
    pub events: &'w Events,
}

impl<'a> InterventionContext<'a, '_> {
    /// Carries out interventions with each test, and sums what they say.
    pub fn carry_out(
        &mut self,
        mut tests: Vec<InterventionTest<'a, '_>>,
    ) -> Result<InterventionSummary, Failure> {
        let mut followed: Option<BuiltVersion> = None;
        let mut found: Vec<InterventionFindings> = Vec::new();
        let count = tests.len();
        for (number, test) in tests.iter_mut().enumerate() {
            let profiles = std::mem::take(&mut test.profiles);
            if test.is_carried_out_by_program && self.job.solves() {
                let built = match followed.take() {
                    Some(built) => built,
                    None => self.follow()?,
                };
                test.follower = Some(test.test.intervener_in(built.tree));
                followed = Some(built);
            }
            let spent: u64 = found.iter().map(|findings| findings.runs).sum();
            let limits = self.share(count - number, spent as usize);
            let record = self.record.filter(|_| number == 0);
            let slice = || record?.slice();
            let findings = test.search(&limits, Some(&slice), self.events, |search| {
                search.carry_out(profiles)
            });
            let findings = findings?;
            // `bench/flip --fit` reads what the log has of each line.
            for told in findings.told() {
                self.events.emit(&Event::Detail(&told));
            }
            found.push(findings);
            // It is not needed for what comes now.
            test.follower = None;
        }
        let lines = lines_of_tests(&mut found, |test, profile, line| {
            let mut runs = 0;
            let limits = InterventionLimits {
                deadline: self.deadline,
                most: None,
            };
            let seen = tests[test].search(&limits, None, self.events, |search| {
                search.confirm_line(profile, line, &mut runs)
            })?;
            Ok::<_, RecordError>((seen, runs))
        })?;
        Ok(InterventionSummary {
            lines,
            tests: found,
        })
    }

    /// What the next of so many tests may take of what is left.
    fn share(&self, tests: usize, spent: usize) -> InterventionLimits {
        let now = Instant::now();
        let arguments = &self.job.arguments;
        let deadline = self.deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(now);
            now + left / tests as u32
        });
        let most = arguments.run.max_trials;
        let most = most.map(|most| most.saturating_sub(spent) / tests);
        InterventionLimits {
            deadline,
            most: most.or(arguments.max_interventions),
        }
    }

    /// Builds a program that records what becomes of values that an intervention changes.
    fn follow(&mut self) -> Result<BuiltVersion, Failure> {
        self.events
            .step("building with values that can be followed", None);
        let environment = vec![("YESTER_CC_MODE", "follow")];
        let recipe = self.job.recipe(environment);
        let built = self
            .workshop
            .build("followed", &[&self.job.version], &recipe)?;
        Ok(built[0].clone())
    }
}

/// How far the interventions with one test may go.
struct InterventionLimits {
    deadline: Option<Instant>,
    most: Option<usize>,
}

/// A test that is known to fail, and what judges its runs with an intervention.
pub struct InterventionTest<'a, 't> {
    job: &'a FlipJob,
    test: &'t mut FailingTest<'a>,
    right: Right,
    checker: Option<OwnInputChecker<'a>>,
    /// Runs it so that values can be followed, if they are to be.
    follower: Option<Intervener<'a>>,
    /// Runs it on inputs near the user's, if they may be made.
    near: Option<NearRuns<'a>>,
    timeout: Duration,
    /// Where the tree was built.
    root: PathBuf,
    /// Of the processes that take interventions.
    profiles: Vec<Profile>,
    /// Whether one run of the program can carry out many interventions.
    is_carried_out_by_program: bool,
}

impl<'a, 't> InterventionTest<'a, 't> {
    /// Finds out what is right. It is a failure if the test passes as it is.
    pub fn judge(
        named: NamedTest<'a>,
        test: &'t mut FailingTest<'a>,
        built: &BuiltVersion,
    ) -> Result<InterventionTest<'a, 't>, Failure> {
        let tree = built.tree;
        let judged = judged(&named, test, tree).map_err(|failure| named.told(failure));
        let (right, checker) = judged?;
        let profiles = test.profiles().map_err(Failure::from);
        let mut profiles = profiles.map_err(|failure| named.told(failure))?;
        let is_in_records = right.is_in_records() && checker.is_none();
        let is_carried_out_by_program = test.is_program && profiles.len() == 1 && is_in_records;
        profiles.retain(|profile| !profile.log.is_empty());
        let job = named.job;
        if let Some(files) = job.blame(&built.root).all_left_out(&profiles) {
            return Err(RecordError::AllLeftOut(files).into());
        }
        let varies = named.number == 0 && is_carried_out_by_program;
        let near =
            varies.then(|| NearRuns::new(&named.test.input, &job.symbolic, test.reference(tree)));
        Ok(InterventionTest {
            job: named.job,
            timeout: test.timeout(),
            root: built.root.clone(),
            test,
            right,
            checker,
            follower: None,
            near,
            profiles,
            is_carried_out_by_program,
        })
    }

    /// What a right run prints, if that is known.
    pub fn expected(&self) -> Option<Vec<u8>> {
        let is_known = self.right.stdout.is_some() && self.right.is_in_records();
        is_known.then(|| self.right.expected().to_vec())
    }

    /// Hands a search for interventions on this test to somebody.
    fn search<T>(
        &mut self,
        limits: &InterventionLimits,
        slice: Option<&dyn Fn() -> Option<SliceLines>>,
        events: &Events,
        carry_out: impl FnOnce(&mut InterventionSearch<'_, TargetProgram<'a, '_>>) -> T,
    ) -> T {
        let (job, failing) = (self.job, &self.test.failing);
        let patience = (!self.is_carried_out_by_program).then_some(PATIENCE_WITH_TRIALS);
        let solves = self.follower.is_some();
        let checker = self.checker.as_mut();
        let mut program = TargetProgram {
            session: self.test.session,
            intervener: &mut self.test.intervener,
            follower: self.follower.as_mut(),
            judge: checker.map(|checker| checker as &mut dyn RunJudge),
            near: self.near.as_mut(),
            events,
        };
        carry_out(&mut InterventionSearch {
            program: &mut program,
            in_batches: self.is_carried_out_by_program,
            guesses: job.wants(FlipWay::Interventions),
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
            blame: job.blame(&self.root),
            near: NearSearch::default(),
        })
    }
}

/// A test of a call, and which of them it is, from 0.
#[derive(Clone, Copy)]
pub struct NamedTest<'a> {
    pub job: &'a FlipJob,
    pub test: &'a FlipTest,
    pub number: usize,
}

impl NamedTest<'_> {
    /// Says which test a failure is about, if there are several.
    fn told(&self, failure: Failure) -> Failure {
        if self.job.others.is_empty() {
            return failure;
        }
        let line = quote::command(self.test.command.words.iter().map(OsString::as_os_str));
        let message = format!("test {} ({line}): {}", self.number + 1, failure.message);
        Failure { message, ..failure }
    }
}

/// What a right run of a test looks like, and the command that judges it if there is one.
fn judged<'a>(
    named: &NamedTest<'a>,
    test: &FailingTest<'a>,
    tree: Hash,
) -> Result<(Right, Option<OwnInputChecker<'a>>), Failure> {
    let right = test.right(tree)?;
    let checker = match &named.job.arguments.check {
        Some(line) => {
            let (job, input) = (named.job, &named.test.input);
            // What is guarded is what the first test was not given.
            let given = &job.test.input;
            let line = (line.as_os_str(), job.start.as_path());
            let checker = Checker::new(test.session, line, given, test.patience);
            Some(OwnInputChecker::open(checker, input, &test.failing)?)
        }
        None if right.holds(&test.failing) => return Err(passes(test)),
        None if test.differs_in_line_ends() => {
            return Err(Failure::nothing(
                "the program prints what is expected, but for carriage returns at the ends of lines",
            )
            .hint("give --expect FILE the line ends that the program prints"));
        }
        None => None,
    };
    Ok((right, checker))
}

/// That a test passes as it is.
fn passes(test: &FailingTest<'_>) -> Failure {
    let ending = &test.failing.ending;
    if test.is_right_known() {
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
