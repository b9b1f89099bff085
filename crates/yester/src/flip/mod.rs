//! `yester flip`: one failing run, and what, done otherwise, makes it pass.

mod answer;
mod cause;
mod failing_record;
mod failing_test;
mod forced;
mod job;
mod judge;
mod line;
mod path;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Instant;

use yester_report::{ReportedInput, Status};
use yester_run::{Events, Observation};

use self::answer::Answer;
use self::failing_record::FailingRecord;
use self::failing_test::FailingTest;
use self::forced::{Force, Forced, ForcedTest};
use self::job::FlipJob;
use self::path::{PathLimits, PathSearch, search};
use crate::call;
use crate::cli::FlipArguments;
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::output;
use crate::progress::Doing;
use crate::quote;
use crate::record::{Workshop, write_changed};

/// Builds and runs the tests as they are, forces them, makes inputs that take another path, and tells what all of that has shown.
pub fn run(arguments: FlipArguments, start: &Path, events: &Events) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let doing = Doing::new(events);
    doing.say("reading the program");
    let job = FlipJob::new(arguments, start)?;
    call::input(ReportedInput {
        target: quote::word(OsStr::new(&job.version.word)),
        test: quote::command(job.test.command.words.iter().map(OsString::as_os_str)),
        size: None,
        unit: None,
    });
    let deadline = job.arguments.run.max_time.map(|time| begin + time);
    let mut workshop = Workshop::open("flip-build", &job.start, &job.arguments.trial)?;
    let root = &build_forced(&job, &mut workshop, &doing)?;
    let mut tests = run_as_they_are(&job, root, &doing)?;
    // What is not about forced runs is about the first test alone.
    let (failing, is_program) = (tests[0].failing.clone(), tests[0].is_program);
    let judged = judge(&job, &mut tests, root)?;
    let recorder_root = build_recorder(&job, &mut workshop, &doing)?;
    doing.say("recording the failing run");
    let expected = judged.first().and_then(ForcedTest::expected);
    let expected = expected.as_ref().or(job.test.expected.as_ref());
    let expected = expected.map(Vec::as_slice);
    let record = recorder_root.as_deref().map_or(Ok(None), |root| {
        FailingRecord::new(&job, root, &failing, expected, is_program)
    })?;
    let forced = match judged.is_empty() {
        true => Forced::default(),
        false => Force {
            job: &job,
            root,
            workshop: &mut workshop,
            deadline,
            record: record.as_ref(),
            doing: &doing,
        }
        .carry_out(judged)?,
    };
    let limits = PathLimits::of(&job, forced.runs(), deadline);
    let paths = match &recorder_root {
        Some(root) if job.may_make_inputs() => paths(&job, root, &failing, limits, &doing)?,
        _ => None,
    };
    let report = Answer {
        next: write_nearest(&job, paths.as_ref())?,
        job: &job,
        root,
        failing: &failing,
        forced: &forced,
        paths: paths.as_ref(),
        record: record.as_ref(),
    }
    .report()?;
    if call::wants_json() {
        call::print(&report)?;
    } else {
        output::print_text(&report.text())?;
    }
    Ok(match report.status {
        Status::Found => Exit::Found,
        _ => Exit::Limit,
    })
}

/// Builds the program so that it can be forced.
fn build_forced(job: &FlipJob, workshop: &mut Workshop, doing: &Doing) -> Result<PathBuf, Failure> {
    let limit = job.arguments.program.build_timeout;
    doing.say_within("building", "--build-timeout", Some(limit));
    let environment = vec![("YESTER_CC_FORCE", "1")];
    let roots = workshop.build("forced", &[&job.version], &job.recipe(environment))?;
    Ok(roots[0].clone())
}

/// Runs all tests as they are, where they can be forced.
fn run_as_they_are<'a>(
    job: &'a FlipJob,
    root: &Path,
    doing: &Doing,
) -> Result<Vec<FailingTest<'a>>, Failure> {
    let what = "running the command as it is";
    doing.say_within(what, "--timeout", job.arguments.timeout);
    let mut tests = Vec::new();
    for test in job.tests().enumerate() {
        tests.push(FailingTest::run(job, test, root)?);
    }
    if tests.iter().all(|test| test.is_program) {
        interrupt::starts_over();
    }
    Ok(tests)
}

/// Finds out what is right for each test that is to be forced. All of them have to fail before anything takes long.
fn judge<'a, 't>(
    job: &FlipJob,
    tests: &'t mut [FailingTest<'a>],
    root: &Path,
) -> Result<Vec<ForcedTest<'a, 't>>, Failure> {
    if !job.forces() {
        return Ok(Vec::new());
    }
    let tests = tests.iter_mut();
    tests.map(|test| ForcedTest::judge(test, root)).collect()
}

/// Builds the program so that it records what it does, for inputs that take another path and for what depends on what. Nothing if the program
/// is one of a tree and inputs are not made: builds of trees take long.
fn build_recorder(
    job: &FlipJob,
    workshop: &mut Workshop,
    doing: &Doing,
) -> Result<Option<PathBuf>, Failure> {
    let makes_inputs = job.may_make_inputs();
    if !makes_inputs && job.version.file.is_none() {
        return Ok(None);
    }
    let limit = job.arguments.program.build_timeout;
    doing.say_within("building without forcing", "--build-timeout", Some(limit));
    let recipe = job.recipe(vec![("YESTER_CC_DEPENDENCE", "1")]);
    let roots = workshop.build("recorded", &[&job.version], &recipe)?;
    Ok(roots.into_iter().next())
}

/// Inputs that take another path, if somebody can judge them.
fn paths(
    job: &FlipJob,
    root: &Path,
    failing: &Observation,
    limits: PathLimits,
    doing: &Doing,
) -> Result<Option<PathSearch>, Failure> {
    let is_asked_for = job.asks_for_inputs();
    doing.say("making inputs that take another path");
    match search(job, root, failing, limits) {
        Ok(None) if is_asked_for => Err(Failure::usage(
            "the run does not crash, so nobody knows which other inputs are treated right",
        )
        .hint("--check LINE, --reference PROG or --ask says what is right for other inputs")),
        // What the tree has there is a script, or was built by another compiler.
        Err(failure) if failure.exit == Exit::Usage && !is_asked_for => Ok(None),
        searched => searched,
    }
}

/// Writes the nearest input that passes where the user wants it, and says so.
fn write_nearest(job: &FlipJob, paths: Option<&PathSearch>) -> Result<String, Failure> {
    let (Some(path), Some(paths)) = (&job.arguments.output, paths) else {
        return Ok(String::new());
    };
    let Some(nearest) = &paths.findings.nearest else {
        return Ok(String::new());
    };
    let written = write_changed(path, &job.symbolic, &paths.input, &nearest.input)?;
    Ok(format!("the nearest input that passes is in {written}"))
}
