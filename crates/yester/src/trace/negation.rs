//! `--negate`: an input that takes the same path up to one constraint and the other outcome there.

use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_path::{InputSource, NegationError, ProgramInput};
use yester_record::{Recorded, Recorder};

use super::job::TraceJob;
use crate::failure::{Exit, Failure};
use crate::output;

/// An input that was found and run.
pub struct Negation {
    pub written: Vec<(InputSource, PathBuf)>,
    /// How many bytes differ.
    pub bytes: usize,
    /// How many branches went the same way before.
    pub same: u64,
    /// The CPU time of the run.
    pub cpu: Duration,
}

/// Finds an input for the other outcome of a constraint, and writes it.
pub fn negate(
    index: usize,
    job: &TraceJob,
    recorder: &mut Recorder<'_>,
    recorded: &Recorded,
) -> Result<Negation, Failure> {
    // A run that takes ten times as long does not follow the same path.
    let patience = recorded.observation.elapsed.saturating_mul(10) + Duration::from_secs(5);
    let search = yester_path::Negation {
        recorded,
        input: &job.input,
        solver: job.arguments.solver.clone(),
        limit: job.arguments.solver_timeout,
        timeout: job.arguments.timeout.unwrap_or(patience),
    };
    let found = search.find(index, &mut |run| Ok::<_, Failure>(recorder.run(run)?))?;
    Ok(Negation {
        bytes: job.input.differing_bytes(&found.input),
        written: write(job, &found.input)?,
        same: found.same,
        cpu: found.run.observation.cpu,
    })
}

impl From<NegationError> for Failure {
    fn from(error: NegationError) -> Failure {
        let stopped = |hint: &str| Failure {
            exit: Exit::Limit,
            ..Failure::usage(&error).hint(hint)
        };
        match error {
            NegationError::Solver(error) => error.into(),
            NegationError::Recording(error) => error.into(),
            NegationError::NoConstraint { count: 0, .. } => Failure::usage(&error)
                .hint("no branch depends on the input: choose with --symbolic what to follow"),
            NegationError::NoConstraint { count, .. } => {
                Failure::usage(&error).hint(format!("constraints are numbered 0 to {}", count - 1))
            }
            NegationError::NotBranch(_) => Failure::usage(&error)
                .hint("choose a constraint that is not marked 'taken as it was'"),
            NegationError::Impossible { .. } => Failure::nothing(&error),
            NegationError::Cut(_) => stopped("set YESTER_RECORD_LIMIT=BYTES to record more"),
            NegationError::NotFound(_) => {
                stopped("one may exist: some values were taken as they were or lost, see the trace")
            }
            NegationError::Unsteady(_) => {
                stopped("fix what differs between runs: time, random numbers, the order of threads")
            }
            NegationError::GaveUp(_) => {
                stopped("try a longer --solver-timeout, or another --solver")
            }
        }
    }
}

/// Writes every source that changed: the first one to `-o FILE`, the others next to it.
fn write(job: &TraceJob, input: &ProgramInput) -> Result<Vec<(InputSource, PathBuf)>, Failure> {
    let output = job.arguments.output.as_deref();
    let output = output.unwrap_or(Path::new("negated"));
    let mut written: Vec<(InputSource, PathBuf)> = Vec::new();
    for source in &job.arguments.symbolic {
        let (before, after) = (job.input.content(source), input.content(source));
        let known = written.iter().any(|(known, _)| known == source);
        let Some(content) = after.filter(|_| before != after && !known) else {
            continue;
        };
        let path = match written.len() {
            0 => output.to_owned(),
            count => {
                let mut name = output.as_os_str().to_owned();
                name.push(format!(".{}", count + 1));
                name.into()
            }
        };
        output::write(&path, content, 0o644)?;
        written.push((source.clone(), path));
    }
    Ok(written)
}
