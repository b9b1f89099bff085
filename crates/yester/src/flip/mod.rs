//! `yester flip`: one failing run, and which intervention makes it pass.

mod answer;
mod candidate;
mod failing_record;
mod intervention;
mod job;
mod path;

use std::ffi::{OsStr, OsString};

use yester_core::Outcome;
use yester_record::{BuiltVersion, FailingTest, ProgramSession, Seen, TestLimits, Workshop};
use yester_report::{FlipReport, Status, quote};
use yester_run::Events;

use self::answer::Answer;
use self::intervention::{InterventionContext, InterventionSummary, InterventionTest, NamedTest};
use self::job::{FlipJob, run_name};
use self::path::{FoundPaths, PathLimits, search as search_paths};
use crate::call::Call;
use crate::cli::FlipArguments;
use crate::driver::{Frame, RunSubject, RunTarget, Workplace};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::record::{Keeping, ProgramCommand, write_changed};
use crate::runs::Extent;

/// Builds and runs the tests as they are, tries interventions, makes inputs that take another path, and tells what all of that has shown.
pub fn run(arguments: FlipArguments, call: &Call, events: &Events) -> Result<Finished, Failure> {
    events.step("reading the program", None);
    let job = FlipJob::new(arguments, &call.start)?;
    let name = run_name(&job)?;
    let subject = RunSubject {
        name: &name,
        target: RunTarget {
            words: quote::word(OsStr::new(&job.version.word)),
            test: quote::command(job.test.command.words.iter().map(OsString::as_os_str)),
        },
        size: None,
        extent: Extent::Trials { trials: 0 },
        baseline: RUN_AS_IT_IS,
        whole: None,
        wanted: Outcome::Pass,
    };
    let arguments = &job.arguments;
    let command = ProgramCommand {
        subject,
        state: (&arguments.run.state_dir, arguments.run.fresh),
        workplace: Workplace::of(&arguments.trial, &name),
        files: job.files()?,
        confinement: job.confinement.clone(),
        keeping: Keeping::Outputs,
    };
    command.carry_out(call, events, |session, frame| {
        let report = search(&job, session, frame)?;
        let exit = match report.status {
            Status::Found => Exit::Found,
            _ => Exit::Limit,
        };
        Ok(Finished::new(exit, report))
    })
}

/// What the first run does, in words.
const RUN_AS_IT_IS: &str = "running the command as it is";

/// From the job to its report.
fn search(job: &FlipJob, session: &ProgramSession, frame: &Frame) -> Result<FlipReport, Failure> {
    let events = &frame.events;
    let deadline = job
        .arguments
        .run
        .max_time
        .map(|time| frame.call.begin + time);
    let mut workshop = Workshop::open(session)?;
    let built = build_for_interventions(job, &mut workshop, events)?;
    let mut tests = run_as_they_are(job, session, &built, events)?;
    // What is not about interventions is about the first test alone.
    let (failing, is_program) = (tests[0].failing.clone(), tests[0].is_program);
    let judged = judge(job, &mut tests, &built)?;
    let recorder_built = build_recorder(job, &mut workshop, events)?;
    events.step("recording the failing run", None);
    let expected = judged.first().and_then(InterventionTest::expected);
    let expected = expected.as_ref().or(job.test.expected.as_ref());
    let expected = expected.map(Vec::as_slice);
    let root = built.root.as_path();
    let record = recorder_built.as_ref().map_or(Ok(None), |built| {
        let run = (&failing, is_program);
        failing_record::record((job, session), (built, root), run, expected)
    })?;
    let interventions = if judged.is_empty() {
        InterventionSummary::default()
    } else {
        InterventionContext {
            job,
            workshop: &mut workshop,
            deadline,
            record: record.as_ref(),
            events,
        }
        .carry_out(judged)?
    };
    let limits = PathLimits::of(job, interventions.runs(), deadline);
    let paths = match &recorder_built {
        Some(built) if job.may_make_inputs() => {
            paths((job, session), built, &failing, limits, events)?
        }
        _ => None,
    };
    Answer {
        next: write_nearest(job, paths.as_ref())?,
        job,
        root,
        failing: &failing,
        interventions: &interventions,
        paths: paths.as_ref(),
        record: record.as_ref(),
    }
    .report(frame.report(session.counts(), Vec::new()))
}

/// Builds the program for interventions.
fn build_for_interventions(
    job: &FlipJob,
    workshop: &mut Workshop,
    events: &Events,
) -> Result<BuiltVersion, Failure> {
    let limit = job.arguments.program.build_timeout;
    events.step_within("building", "--build-timeout", Some(limit));
    let environment = vec![("YESTER_CC_MODE", "intervene")];
    let built = workshop.build("interventions", &[&job.version], &job.recipe(environment))?;
    Ok(built[0].clone())
}

/// Runs all tests as they are, in the tree built for interventions.
fn run_as_they_are<'a>(
    job: &'a FlipJob,
    session: &'a ProgramSession,
    built: &BuiltVersion,
    events: &Events,
) -> Result<Vec<FailingTest<'a>>, Failure> {
    events.step_within(RUN_AS_IT_IS, "--timeout", job.arguments.timeout);
    let limits = TestLimits {
        timeout: job.arguments.timeout,
        max_time: job.arguments.run.max_time,
    };
    let tests = job.tests().map(|test| {
        let command = test.as_run(job.reference.as_ref());
        Ok(FailingTest::run(session, command, limits, built)?)
    });
    tests.collect()
}

/// Finds out what is right for each test that is to have interventions. All of them have to fail before anything takes long.
fn judge<'a, 't>(
    job: &'a FlipJob,
    tests: &'t mut [FailingTest<'a>],
    built: &BuiltVersion,
) -> Result<Vec<InterventionTest<'a, 't>>, Failure> {
    if !job.intervenes() {
        return Ok(Vec::new());
    }
    let named = job.tests().enumerate();
    let named = named.map(|(number, test)| NamedTest { job, test, number });
    let tests = named.zip(tests);
    tests
        .map(|(named, test)| InterventionTest::judge(named, test, built))
        .collect()
}

/// Builds the program so that it records what it does, for inputs that take another path and for what depends on what. Nothing if the program
/// is one of a tree and inputs are not made: builds of trees take long.
fn build_recorder(
    job: &FlipJob,
    workshop: &mut Workshop,
    events: &Events,
) -> Result<Option<BuiltVersion>, Failure> {
    let makes_inputs = job.may_make_inputs();
    if !makes_inputs && job.version.file.is_none() {
        return Ok(None);
    }
    let limit = job.arguments.program.build_timeout;
    events.step_within(
        "building without interventions",
        "--build-timeout",
        Some(limit),
    );
    let recipe = job.recipe(vec![("YESTER_CC_MODE", "dependence")]);
    let built = workshop.build("recorded", &[&job.version], &recipe)?;
    Ok(built.into_iter().next())
}

/// Inputs that take another path, if somebody can judge them.
fn paths(
    (job, session): (&FlipJob, &ProgramSession),
    built: &BuiltVersion,
    failing: &Seen,
    limits: PathLimits,
    events: &Events,
) -> Result<Option<FoundPaths>, Failure> {
    let is_asked_for = job.asks_for_inputs();
    events.phase("making inputs that take another path", 0);
    match search_paths((job, session), built, failing, limits) {
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
fn write_nearest(job: &FlipJob, paths: Option<&FoundPaths>) -> Result<String, Failure> {
    let (Some(path), Some(paths)) = (&job.arguments.output, paths) else {
        return Ok(String::new());
    };
    let Some(nearest) = &paths.findings.nearest else {
        return Ok(String::new());
    };
    let written = write_changed(path, &job.symbolic, &paths.input, &nearest.input)?;
    Ok(format!("the nearest input that passes is in {written}"))
}
