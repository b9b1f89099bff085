use std::sync::Arc;
use std::time::Duration;

use yester_core::{Candidate, Outcome, Stop};

use crate::runner::{Freshness, ObservationRequest};
use crate::{
    Build, Ending, Invocation, Judge, Observation, Reading, Repeat, Rule, Runner, Signature, Stage,
    Trial, Why,
};

/// What the user has said about how to read the command.
#[derive(Clone, Debug, Default)]
pub struct Expectation {
    /// What exit 0 means; when not said, what the unreduced input does decides.
    pub exit: Option<ExitMeaning>,
    /// `--fail-if`, which replaces the reading of exits.
    pub rules: Vec<Rule>,
    /// How long one run may take.
    pub timeout: Option<Duration>,
    /// How long one build may take.
    pub build_timeout: Option<Duration>,
    /// Whether running out of time is the failure.
    pub timeout_fails: bool,
    /// How many runs an outcome takes.
    pub repeat: Option<usize>,
    /// Whether the test was seen not to say the same always, so that a few runs of the input prove nothing.
    pub doubtful: bool,
    /// The paths and names under which the candidate goes.
    pub names: Vec<String>,
    /// What makes two failures of two versions the same.
    pub same_failure: SameFailure,
}

impl Expectation {
    pub(crate) fn keeps_whole_message(&self) -> bool {
        self.same_failure == SameFailure::WholeMessage
    }
}

/// What makes two failures the same, the strictest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SameFailure {
    /// The exit code or signal, and all that the bad version prints and the good one does not.
    Output,
    /// The exit code or signal, and all of the line that says most.
    WholeMessage,
    /// The exit code or signal, and the line that says most, without its numbers and quotations.
    #[default]
    Message,
    /// The exit code or signal.
    Exit,
}

/// What an exit code of 0 means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitMeaning {
    /// The candidate is interesting: it still fails.
    Interesting,
    /// The command did not fail.
    Passing,
}

/// What the runs of the unreduced input have established.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// Judges every later run.
    pub judge: Judge,
    /// How many runs an outcome takes.
    pub repeat: Repeat,
    /// How often the input was run.
    pub runs: usize,
    /// How often it failed.
    pub failures: usize,
    /// How long a later run may take.
    pub timeout: Duration,
    /// The slowest run of the input.
    pub slowest: Duration,
    /// How many trials that took.
    pub trials: u64,
    /// What no input at all gives: Pass or Unresolved.
    pub empty: Outcome,
    /// The rules of the user with what a failing run shows of them, if there are any.
    pub held: Option<String>,
    /// What a failing run printed.
    pub messages: String,
}

/// Why there is nothing to search for.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The shell says that the command, or one that it calls, is missing or not executable.
    #[error("the command cannot be run: {}", .0.ending)]
    CannotRun(Box<Trial>),
    /// Neither pass nor fail.
    #[error("the test gives no answer on the unreduced input: {}", .0.ending)]
    Unresolved(Box<Trial>),
    /// It fails, and so does what has to pass.
    #[error("the unreduced input fails without the culprit, too: {}", .0.ending)]
    CounterpartFails(Box<Trial>),
    /// The input does not show the failure.
    #[error("the unreduced input does not fail: {}", .0.ending)]
    NotFailing(Box<Trial>),
    /// An empty input is judged as the full one, so that the test says nothing about the input.
    #[error("an empty input is judged the same as the full one: {}", .0.ending)]
    EmptyFails(Box<Trial>),
    /// The search was stopped.
    #[error(transparent)]
    Stop(#[from] Stop),
}

const RUNS: usize = 3;
pub(crate) const RUNS_WHEN_FLAKY: usize = 20;
/// How often a candidate has to fail once an answer has failed only now and then, though the input always fails.
const RUNS_WHEN_DOUBTFUL: usize = 8;
/// How long to go on looking for a failure that did not show at first.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(600);

impl Baseline {
    /// Runs the unreduced input several times and the empty one, and settles how later runs are read.
    pub fn establish(
        runner: &mut Runner,
        input: &Candidate,
        empty: &Candidate,
        expectation: &Expectation,
    ) -> Result<Baseline, BaselineError> {
        set_limits(runner, &[], expectation);
        let runs = RUNS.max(expectation.repeat.unwrap_or(1));
        let (mut trials, mut nothing) = observe_both(runner, (input, runs), (empty, 1))?;
        if expectation.rules.is_empty()
            && let Some(trial) = trials.iter().find(|trial| cannot_run(trial))
        {
            return Err(BaselineError::CannotRun(Box::new(trial.clone())));
        }
        let mut meaning = meaning(&trials, &nothing, expectation);
        let mut failures = failing(&trials, meaning, expectation);
        let alike = input != empty && !failing(&nothing, meaning, expectation).is_empty();
        let same_for_nothing = alike && failures.len() == trials.len();
        if expectation.doubtful
            || failures.is_empty()
            || same_for_nothing && expectation.exit.is_none()
            || is_flaky(&failures, &trials)
        {
            // It may fail only now and then.
            while trials.len() < RUNS_WHEN_FLAKY && spent(&trials) < PATIENCE {
                trials.extend(observe(runner, input, 1)?);
            }
            meaning = self::meaning(&trials, &nothing, expectation);
            failures = failing(&trials, meaning, expectation);
        }

        let sample = |trials: &[Trial]| Box::new(trials[0].clone());
        let Some(reading) = reading(&failures, meaning, expectation) else {
            let unresolved = trials.iter().all(is_unresolved);
            let cannot_run = trials.iter().find(|trial| cannot_run(trial));
            return Err(if let Some(trial) = cannot_run {
                BaselineError::CannotRun(Box::new(trial.clone()))
            } else if let Some(trial) = trials
                .iter()
                .find(|trial| trial.stage == Stage::Counterpart)
            {
                BaselineError::CounterpartFails(Box::new(trial.clone()))
            } else if unresolved {
                BaselineError::Unresolved(sample(&trials))
            } else {
                BaselineError::NotFailing(sample(&trials))
            });
        };
        let held = held(&failures, expectation);
        let messages = messages(failures[0]);
        let judge = Judge {
            reading,
            timeout_fails: expectation.timeout_fails,
            names: expectation.names.clone(),
            whole_message: expectation.keeps_whole_message(),
        };
        let fails = |trial: &Trial| judge.judge(seen(trial)).outcome == Outcome::Fail;
        let failures = trials.iter().filter(|trial| fails(trial)).count();
        let repeat = match repeat(failures, trials.len(), expectation) {
            Repeat::Once if expectation.doubtful && expectation.repeat.is_none() => {
                Repeat::Always(RUNS_WHEN_DOUBTFUL)
            }
            repeat => repeat,
        };

        let without_input = loop {
            let runs: Vec<Outcome> = nothing
                .iter()
                .map(|trial| judge.judge(seen(trial)).outcome)
                .collect();
            match repeat.decide(&runs) {
                Some(Outcome::Fail) => return Err(BaselineError::EmptyFails(sample(&nothing))),
                Some(outcome) => break outcome,
                None => nothing.extend(observe(runner, empty, 1)?),
            }
        };

        let (timeout, slowest) = set_limits(runner, &[&trials], expectation);
        for trial in trials.iter().chain(&nothing) {
            runner.session.counts.add(judge.judge(seen(trial)).outcome);
        }
        let count = trials.len() + nothing.len();
        Ok(Baseline {
            judge,
            repeat,
            runs: trials.len(),
            failures,
            timeout,
            slowest,
            trials: count as u64,
            empty: without_input,
            held,
            messages,
        })
    }
}

pub(crate) fn messages(trial: &Trial) -> String {
    let Observation { stdout, stderr, .. } = seen(trial);
    [stderr.text(), stdout.text()].join("\n")
}

/// Sets how long builds and tests may take from now on, by how long these have taken. The limit of a test, and the
/// slowest one.
pub(crate) fn set_limits(
    runner: &mut Runner,
    trials: &[&[Trial]],
    expectation: &Expectation,
) -> (Duration, Duration) {
    let slowest = |time: fn(&Observation) -> Option<Duration>| {
        let all = trials.iter().copied().flatten();
        all.filter_map(|trial| time(seen(trial))).max()
    };
    let limit = |said: Option<Duration>, slowest: Option<Duration>| {
        let from_slowest =
            |slowest: Duration| slowest.saturating_mul(10).max(Duration::from_secs(1));
        said.unwrap_or(slowest.map_or(LONGEST, from_slowest))
    };
    let test = slowest(|seen| (seen.stage == Stage::Test).then_some(seen.elapsed));
    let built = slowest(|seen| seen.build);
    let timeout = limit(expectation.timeout, test);
    let build = runner.invocation.build.clone().map(|build| Build {
        timeout: limit(expectation.build_timeout, built),
        ..build
    });
    runner.invocation = Arc::new(Invocation {
        timeout,
        build,
        ..(*runner.invocation).clone()
    });
    (timeout, test.unwrap_or_default())
}

/// How many runs an outcome takes, when so many of so many runs have failed.
pub(crate) fn repeat(failures: usize, runs: usize, expectation: &Expectation) -> Repeat {
    match expectation.repeat {
        Some(most) if most > 1 => Repeat::UpTo(most),
        Some(_) => Repeat::Once,
        None if failures < runs => Repeat::Sequential {
            failure_rate: failures as f64 / runs as f64,
        },
        None => Repeat::Once,
    }
}

fn observe(runner: &mut Runner, candidate: &Candidate, times: usize) -> Result<Vec<Trial>, Stop> {
    runner.observe(candidate, Why::Baseline, Freshness::Clean, times, None)
}

/// Runs two candidates so many times each, all on all workers at once.
fn observe_both(
    runner: &mut Runner,
    first: (&Candidate, usize),
    second: (&Candidate, usize),
) -> Result<(Vec<Trial>, Vec<Trial>), Stop> {
    let requests = [first, second].map(|(candidate, times)| ObservationRequest {
        candidate,
        why: Why::Baseline,
        freshness: Freshness::Clean,
        times,
        worker: 0,
    });
    let mut trials = runner.observe_all(&requests, None)?.into_iter();
    let mut next = || trials.next().expect("one list of runs for each request");
    Ok((next(), next()))
}

pub(crate) fn seen(trial: &Trial) -> &Observation {
    trial
        .observation
        .as_ref()
        .expect("the baseline keeps what it sees")
}

pub(crate) fn spent(trials: &[Trial]) -> Duration {
    Duration::from_secs_f64(trials.iter().map(|trial| trial.seconds).sum())
}

pub(crate) fn is_unresolved(trial: &Trial) -> bool {
    trial.stage != Stage::Test
        || matches!(
            trial.ending,
            Ending::Exit(125..=127) | Ending::Timeout | Ending::Lost | Ending::Cancelled
        )
}

/// Whether the shell says that the command, or one that it calls, is missing or not executable.
pub(crate) fn cannot_run(trial: &Trial) -> bool {
    trial.stage == Stage::Test && matches!(trial.ending, Ending::Exit(126 | 127))
}

pub(crate) fn is_flaky(failures: &[&Trial], trials: &[Trial]) -> bool {
    !failures.is_empty() && failures.len() < trials.len()
}

/// What exit 0 means. An input that sometimes gives 0 and sometimes not is told by what no input at all gives.
fn meaning(trials: &[Trial], nothing: &[Trial], expectation: &Expectation) -> ExitMeaning {
    let is_zero = |trial: &&Trial| trial.ending == Ending::Exit(0);
    let zeros = trials.iter().filter(is_zero).count();
    match expectation.exit {
        Some(meaning) => meaning,
        None if zeros == 0 => ExitMeaning::Passing,
        None if zeros < trials.len() && nothing.iter().all(|trial| is_zero(&trial)) => {
            ExitMeaning::Passing
        }
        None => ExitMeaning::Interesting,
    }
}

/// The runs that show a failure, of whatever kind.
pub(crate) fn failing<'a>(
    trials: &'a [Trial],
    meaning: ExitMeaning,
    expectation: &Expectation,
) -> Vec<&'a Trial> {
    let rules = &expectation.rules;
    let fails = |trial: &&Trial| match &trial.ending {
        _ if trial.stage != Stage::Test => false,
        Ending::Timeout => expectation.timeout_fails,
        _ if !rules.is_empty() => rules.iter().all(|rule| rule.holds(seen(trial))),
        _ if is_unresolved(trial) => false,
        ending => (*ending == Ending::Exit(0)) == (meaning == ExitMeaning::Interesting),
    };
    trials.iter().filter(fails).collect()
}

/// The rules of the user with what one of these runs shows of them.
pub(crate) fn held(failures: &[&Trial], expectation: &Expectation) -> Option<String> {
    let trial = failures.first().filter(|_| !expectation.rules.is_empty())?;
    let rules = expectation.rules.iter();
    let told = rules.map(|rule| rule.explain(seen(trial)));
    Some(told.collect::<Vec<_>>().join(" and "))
}

pub(crate) fn reading(
    failures: &[&Trial],
    meaning: ExitMeaning,
    expectation: &Expectation,
) -> Option<Reading> {
    if failures.is_empty() {
        return None;
    }
    if !expectation.rules.is_empty() {
        return Some(Reading::Rules(expectation.rules.clone()));
    }
    if meaning == ExitMeaning::Interesting {
        return Some(Reading::Interesting);
    }
    let times = |ending: &Ending| {
        failures
            .iter()
            .filter(|trial| trial.ending == *ending)
            .count()
    };
    let ending = failures
        .iter()
        .map(|trial| &trial.ending)
        .max_by_key(|ending| times(ending))?;
    let lines: Vec<Option<String>> = failures
        .iter()
        .filter(|trial| trial.ending == *ending)
        .map(|trial| {
            if expectation.keeps_whole_message() {
                Signature::with_whole_line(seen(trial), &expectation.names).line
            } else {
                Signature::of(seen(trial), &expectation.names).line
            }
        })
        .collect();
    let stable = lines.iter().all(|line| *line == lines[0]);
    Some(Reading::Failing(Signature {
        ending: ending.clone(),
        line: lines.into_iter().next().flatten().filter(|_| stable),
    }))
}
