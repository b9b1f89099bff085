//! From a job to its findings: the judge that the user named, the reduced input, and the search.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use yester_path::apg::{PathFindings, PathSearch};
use yester_path::{Asking, JudgedRun, ProgramInput};
use yester_record::judge::{Asker, Checker, Judge, JudgedProgram, must_be_wrong};
use yester_record::{BuiltVersion, ProgramSession, Recorder, RecorderSettings, RunPlace, Seen};
use yester_run::{Ending, Why};

use super::job::FlipJob;
use crate::command::UserCommand;
use crate::failure::Failure;

/// How many bytes of events a run records: about a million. An endless recursion has no end of them.
const RECORD_LIMIT: &str = "1048576";
/// How long a run may take at least, on a machine that has other things to do.
const SHORTEST_PATIENCE: Duration = Duration::from_secs(3);
/// How long a run may take whose input is followed.
const LONGEST_PATIENCE: Duration = Duration::from_secs(20);

/// How long all of it may take if the user does not say otherwise. What can be counted comes to an end long before.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the user allows.
#[derive(Clone, Copy, Debug)]
pub struct PathLimits {
    /// How many runs.
    pub most_runs: Option<usize>,
    pub deadline: Option<Instant>,
}

impl PathLimits {
    /// What is left after so many runs.
    pub fn of(job: &FlipJob, spent: u64, deadline: Option<Instant>) -> PathLimits {
        let most = job.arguments.run.max_trials;
        PathLimits {
            most_runs: most.map(|most| most.saturating_sub(spent as usize)),
            deadline,
        }
    }
}

/// What was found, and on which input.
pub struct FoundPaths {
    pub findings: PathFindings,
    /// The failing input. It was reduced if that is possible.
    pub input: ProgramInput,
    /// Where the program was built.
    pub root: PathBuf,
}

impl FoundPaths {
    /// What the user should know beside the places.
    pub fn notes(&self, job: &FlipJob) -> Vec<String> {
        let findings = &self.findings;
        let mut notes = findings.notes.clone();
        if self.input != job.test.input {
            notes.push(format!(
                "yester reduced your input from {} bytes to {}, and the inputs that it made are compared with that",
                job.test.input.bytes(&job.symbolic),
                self.input.bytes(&job.symbolic)
            ));
        }
        notes.extend(findings.told());
        notes
    }
}

/// Generates paths for a failing run of a program that was built in `root`. Nothing if nobody can judge other inputs: the run did not
/// crash, and the user named no judge.
pub fn search<'a>(
    (job, session): (&'a FlipJob, &'a ProgramSession),
    built: &BuiltVersion,
    failing: &Seen,
    limits: PathLimits,
) -> Result<Option<FoundPaths>, Failure> {
    let arguments = &job.arguments;
    let deadline = limits.deadline.unwrap_or(Instant::now() + PATIENCE);
    // Who waits for a hang need not wait long for the next one.
    let (patience, recording_patience) = match failing.ending {
        Ending::Timeout => (Duration::from_secs(1), Duration::from_secs(2)),
        _ => (
            (failing.elapsed * 10).max(SHORTEST_PATIENCE),
            LONGEST_PATIENCE,
        ),
    };
    let timeout = arguments.timeout.unwrap_or(patience);
    let settings = |command: &'a UserCommand| RecorderSettings {
        session,
        program: &command.program,
        name: &command.words[0],
        place: RunPlace::Copy(built.tree),
        input: &job.test.input,
        why: Why::Search,
        program_in_tree: None,
        environment: vec![("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into())],
    };
    let judge = match (&arguments.check, &job.reference) {
        (Some(line), _) => {
            let line = (line.as_os_str(), job.start.as_path());
            let checker = Checker::new(session, line, &job.test.input, timeout);
            Some(Judge::Check(checker))
        }
        (None, Some(command)) => {
            let recorder = Recorder::new(settings(command));
            Some(Judge::reference(recorder, timeout))
        }
        (None, None) if arguments.ask => Some(Judge::Ask(Asker::new(yester_screen::ask))),
        (None, None) => Judge::of_crash(failing),
    };
    let Some(judge) = judge else {
        return Ok(None);
    };
    let given = JudgedRun {
        input: &job.test.input,
        observation: failing,
    };
    let mut program = JudgedProgram {
        recorder: Recorder::new(RecorderSettings {
            program_in_tree: job.test.program_in_tree.clone(),
            ..settings(&job.test.command)
        }),
        judge,
    };
    must_be_wrong(program.judge.outcomes(&[given])?.first().copied())?;
    let search = PathSearch {
        symbolic: &job.symbolic,
        asking: Asking {
            program: arguments.solver.clone(),
            limit: arguments.solver_timeout,
            jobs: NonZero::new(arguments.trial.jobs()).unwrap_or(NonZero::<usize>::MIN),
        },
        timeout,
        recording_timeout: recording_patience.max(timeout),
        most_runs: limits.most_runs,
        deadline: Some(deadline),
    };
    let (findings, input) = search.carry_out(&mut program, &job.test.input)?;
    Ok(Some(FoundPaths {
        findings,
        input,
        root: built.root.clone(),
    }))
}
