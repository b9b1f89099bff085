//! `yester flip`: one failing run, and what, done otherwise, makes it pass.

mod answer;
mod cause;
mod failing_record;
mod job;
mod judge;
mod path;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use yester_path::InputSource;
use yester_path::forced::{Profile, SolverBudget};
use yester_report::{FlipReport, Status, count, visible_line};
use yester_run::{Ending, Observation};

use self::answer::Answer;
use self::failing_record::FailingRecord;
use self::job::{FlipJob, identity};
use self::judge::{Checker, OwnInputChecker};
use self::path::{PathLimits, PathSearch, search};
use crate::cli::{FlipArguments, FlipWay, RunArguments};
use crate::command::UserCommand;
use crate::experiment::{
    Experiments, ForcedFindings, Memory, Right, RightExit, RightOutput, RunJudge, Solving,
};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::output;
use crate::progress::Doing;
use crate::record::{Forcer, ForcerSettings, Forcing, Workshop, write_changed};

/// How long the failing run may take; longer is a hang.
const PATIENCE: Duration = Duration::from_secs(10);
/// So long it may take even if all of it is to take less: without that run there is nothing to tell.
const SHORTEST_PATIENCE: Duration = Duration::from_secs(2);
/// How long a test may take that starts programs itself.
const PATIENCE_WITH_TEST: Duration = Duration::from_secs(120);
/// A forced run may take so many times as long as the failing one, and at least a second.
const TIMES_LONGER: u32 = 10;
/// What to do after an interruption where nothing is kept.
const START_OVER: &str = "nothing is kept; the same command starts over";
/// So many questions about values are put to the solver.
const MOST_QUESTIONS: u64 = 60;

/// Runs `yester flip`. With `--json`, every way to end prints a report.
pub fn run(arguments: FlipArguments, start: &Path) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let json = arguments.output_style.json;
    let ended = flip(arguments, start, begin);
    if let Err(failure) = &ended
        && json
    {
        print(&failure.report("flip", begin))?;
    }
    ended
}

fn print(report: &FlipReport) -> Result<Exit, Failure> {
    output::print((report.json() + "\n").as_bytes())
}

fn flip(arguments: FlipArguments, start: &Path, begin: Instant) -> Result<Exit, Failure> {
    let job = FlipJob::new(arguments, start)?;
    let doing = Doing::new(&job.arguments.output_style);
    let mut workshop = Workshop::open("flip-build", &job.start, &job.arguments.trial)?;
    doing.say("building");
    let environment = vec![("YESTER_CC_FORCE", "1")];
    let roots = workshop.build("forced", &[&job.version], &job.recipe(environment))?;
    let root = &roots[0];
    let is_program = is_program(&job, root);
    let hint = match is_program {
        true => START_OVER,
        false => "the same command goes on from here",
    };
    if is_program {
        interrupt::starts_over(START_OVER);
    }
    let mut forcer = Forcer::open(ForcerSettings {
        hint,
        ..settings(&job, root, "flip", &job.command)
    })?;
    doing.say("running the command as it is");
    let patience = job.arguments.timeout.unwrap_or(match is_program {
        true => PATIENCE,
        false => PATIENCE_WITH_TEST,
    });
    let RunArguments {
        max_time,
        max_trials,
        ..
    } = job.arguments.run;
    let deadline = max_time.map(|time| begin + time);
    let left = max_time.map_or(patience, |time| time.max(SHORTEST_PATIENCE));
    let failing = forcer.run(Forcing::None, patience.min(left))?.observation;
    if failing.ending == Ending::Timeout && left < patience {
        return Err(Failure {
            exit: Exit::Limit,
            ..Failure::usage("the command did not end within --max-time")
        }
        .hint(
            "--max-time is for all runs together: give it a multiple of what the command takes",
        ));
    }
    let mut memory = None;
    let mut findings = ForcedFindings::default();
    let forces = job.wants(FlipWay::Forced) || job.wants(FlipWay::Solved);
    let mut expected = job.expected.clone();
    if forces && !job.arguments.ask {
        let right = right(&job, root, &failing, patience)?;
        let mut checker = match &job.arguments.check {
            Some(line) => {
                let checker = Checker::open(&job, line, patience)?;
                Some(OwnInputChecker::open(checker, &job.input, &failing)?)
            }
            None if right.holds(&failing) => return Err(passes(&job, &failing)),
            None => None,
        };
        if right.stdout.is_some() && right.is_in_records() {
            expected = Some(right.expected().to_vec());
        }
        let timeout = match failing.ending {
            // Whatever ends at all ends sooner, and whoever waits for a hang need not wait long for the next one.
            Ending::Timeout => Duration::from_secs(1),
            _ => (failing.elapsed * TIMES_LONGER).max(Duration::from_secs(1)),
        };
        let timeout = job.arguments.timeout.unwrap_or(timeout);
        let profile_timeout = match failing.ending {
            Ending::Timeout => timeout,
            _ => patience,
        };
        let profiles = forcer.run(Forcing::Profile, profile_timeout)?.profiles;
        let is_in_records = right.is_in_records() && checker.is_none();
        if !(is_program && profiles.len() == 1 && is_in_records) {
            memory = Some(open_memory(&job, &doing)?);
        }
        let followed = match memory.is_none() && job.solves() {
            true => Some(follow(&job, &mut workshop, &doing)?),
            false => None,
        };
        let mut follower = match &followed {
            Some(root) => Some(Forcer::open(settings(
                &job,
                root,
                "flip-follow",
                &job.command,
            ))?),
            None => None,
        };
        findings = Experiments {
            memory: memory.as_mut(),
            forcer: &mut forcer,
            guesses: job.wants(FlipWay::Forced),
            solving: follower.as_mut().map(|forcer| Solving {
                forcer,
                budget: SolverBudget {
                    program: &job.arguments.solver,
                    limit: job.arguments.solver_timeout,
                    questions: MOST_QUESTIONS,
                },
                printed: failing.stdout.whole().unwrap_or_default(),
            }),
            right: &right,
            judge: checker.as_mut().map(|checker| checker as &mut dyn RunJudge),
            nearer: right.nearer_from(&failing),
            common: right.common(&failing).unwrap_or_default(),
            is_endless: failing.ending == Ending::Timeout,
            timeout,
            deadline,
            most: max_trials.or(job.arguments.most_experiments),
            doing: &doing,
        }
        .carry_out(forcible(profiles, &job, &failing)?)?;
    }
    let recorder_root = build_recorder(&job, &mut workshop, &doing)?;
    let paths = match &recorder_root {
        Some(root) if job.may_make_inputs() => {
            let spent = findings.runs as usize;
            let limits = PathLimits {
                most_runs: max_trials.map(|most| most.saturating_sub(spent)),
                deadline,
            };
            paths(&job, root, &failing, limits, &doing)?
        }
        _ => None,
    };
    doing.say("recording the failing run");
    let record = recorder_root.as_deref().map_or(Ok(None), |root| {
        FailingRecord::new(&job, root, &failing, expected.as_deref(), is_program)
    })?;
    let mut next = String::new();
    if let (Some(path), Some(paths)) = (&job.arguments.output, &paths)
        && let Some(nearest) = &paths.findings.nearest
    {
        let written = write_changed(path, &job.symbolic, &paths.input, &nearest.input)?;
        next = format!("the nearest input that passes is in {written}");
    }
    let report = Answer {
        next,
        job: &job,
        root,
        failing: &failing,
        findings: &findings,
        run: memory.as_ref().map(Memory::place),
        paths: paths.as_ref(),
        record: record.as_ref(),
        begin,
    }
    .report();
    drop(doing);
    if job.arguments.output_style.json {
        print(&report)?;
    } else {
        output::print_text(&report.text())?;
    }
    Ok(match report.status {
        Status::Found => Exit::Found,
        _ => Exit::Limit,
    })
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

/// The program that records what becomes of values that are forced to be others.
fn follow(job: &FlipJob, workshop: &mut Workshop, doing: &Doing) -> Result<PathBuf, Failure> {
    doing.say("building with values that can be followed");
    let environment = vec![("YESTER_CC_FORCE", "follow")];
    let roots = workshop.build("followed", &[&job.version], &job.recipe(environment))?;
    Ok(roots[0].clone())
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
    doing.say("building without forcing");
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

/// How to run a command on the user's input, in copies of the built tree.
fn settings<'a>(
    job: &'a FlipJob,
    root: &'a Path,
    label: &'static str,
    command: &'a UserCommand,
) -> ForcerSettings<'a> {
    let is_own = std::ptr::eq(command, &job.command);
    ForcerSettings {
        label,
        command,
        arguments: &job.input.arguments,
        root,
        program_in_tree: job.program_in_tree.clone().filter(|_| is_own),
        stdin: job.input.content(&InputSource::Stdin),
        environment: Vec::new(),
        jobs: job.arguments.trial.jobs(),
        sandbox: job.arguments.trial.sandbox.into(),
        memory: job.arguments.trial.memory,
        hint: "the same command starts over",
    }
}

/// What a right run looks like.
fn right(
    job: &FlipJob,
    root: &Path,
    failing: &Observation,
    patience: Duration,
) -> Result<Right, Failure> {
    match &failing.ending {
        Ending::NotStarted(reason) => {
            let reason = &reason.reason;
            return Err(Failure::usage(format!(
                "the command cannot be run: {reason}"
            )));
        }
        // As the shell has it.
        Ending::Exit(126 | 127) => {
            let lines = failing.stderr.last_lines(5);
            return Err(Failure {
                evidence: lines
                    .iter()
                    .map(|line| visible_line(line).into_owned())
                    .collect(),
                ..Failure::usage(format!("the command cannot be run: {}", failing.ending))
            }
            .hint("it runs in the root of the built tree; a path is one from there"));
        }
        _ => {}
    }
    if let Some(reference) = &job.reference {
        let mut forcer = Forcer::open(settings(job, root, "flip-reference", reference))?;
        let observation = forcer.run(Forcing::None, patience)?.observation;
        return match observation.ending {
            Ending::Exit(code) => Ok(Right {
                stdout: Some(observation.stdout.into()),
                exit: RightExit::Code(code),
            }),
            ending => Err(Failure::usage(format!(
                "the reference program does not end by itself on your input: {ending}"
            ))),
        };
    }
    Ok(match &job.expected {
        Some(stdout) => Right {
            stdout: Some(RightOutput::of(stdout)),
            exit: RightExit::Any,
        },
        None => Right::by_default(failing),
    })
}

fn passes(job: &FlipJob, failing: &Observation) -> Failure {
    let message = match job.expected.is_some() || job.reference.is_some() {
        true => format!(
            "the program prints what is expected ({}): there is nothing to debug",
            failing.ending
        ),
        false => format!(
            "the command passes ({}): there is nothing to debug",
            failing.ending
        ),
    };
    if job.expected.is_some() || job.reference.is_some() {
        return Failure::nothing(message);
    }
    Failure::nothing(message).hint(
        "a program that exits with 0 and prints something wrong needs --expect FILE, --check LINE or --reference PROG",
    )
}

/// Whether the command is a program of the tree, and no script.
fn is_program(job: &FlipJob, root: &Path) -> bool {
    let mut start = [0; 4];
    let mut read = |path: &OsString| {
        let file = fs::File::open(root.join(path));
        file.and_then(|mut file| file.read_exact(&mut start))
            .is_ok()
    };
    job.program_in_tree.as_ref().is_some_and(&mut read) && start == *b"\x7fELF"
}

/// The processes that can be forced.
fn forcible(
    mut profiles: Vec<Profile>,
    job: &FlipJob,
    failing: &Observation,
) -> Result<Vec<Profile>, Failure> {
    profiles.retain(|profile| !profile.log.is_empty());
    if profiles.is_empty() {
        let name = job.command.words[0].to_string_lossy();
        return Err(Failure::usage(format!(
            "nothing that {name} starts was built with yester-cc ({})",
            failing.ending
        ))
        .hint("the line of --build has to compile the program: is it built before, or by another compiler than CC?"));
    }
    Ok(profiles)
}
