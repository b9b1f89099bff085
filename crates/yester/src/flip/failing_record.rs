//! What a recording of the failing run tells about the places in it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use yester_path::DecidingBranch;
use yester_report::FlipPlace;
use yester_run::Observation;

use super::job::FlipJob;
use crate::failure::{Exit, Failure};
use crate::record::{Recorded, Recorder, RecorderSettings, Run};

/// How many bytes of events are recorded: about a million.
const RECORD_LIMIT: &str = "1048576";
/// How long the run may take while it is recorded.
const PATIENCE: Duration = Duration::from_secs(5);

/// The failing run on the user's own input.
pub struct FailingRecord {
    recorded: Recorded,
    /// Where the program was built.
    root: PathBuf,
}

impl FailingRecord {
    /// Records it. Nothing if the program leaves no recording.
    pub fn new(
        job: &FlipJob,
        root: &Path,
        failing: &Observation,
    ) -> Result<Option<FailingRecord>, Failure> {
        let mut recorder = Recorder::open(RecorderSettings {
            label: "flip-failing",
            command: &job.command,
            start: root,
            input: &job.input,
            in_copies: true,
            program_in_tree: job.program_in_tree.clone(),
            environment: vec![
                ("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into()),
                ("YESTER_OUTPUT".into(), "1".into()),
            ],
            jobs: 1,
            sandbox: job.arguments.trial.sandbox.into(),
            memory: job.arguments.trial.memory,
        })?;
        let recorded = recorder.run(Run {
            input: &job.input,
            symbolic: &job.symbolic,
            timeout: PATIENCE.max(failing.elapsed * 10).min(PATIENCE * 4),
        });
        match recorded {
            Ok(recorded) => Ok(Some(FailingRecord {
                recorded,
                root: root.to_owned(),
            })),
            // A script, or a program of another compiler.
            Err(failure) if failure.exit == Exit::Usage => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The name that the compiler knew a file of a version by, from its name in another tree of the same version.
    pub fn file(&self, file: &str, root: &Path) -> String {
        match Path::new(file).strip_prefix(root) {
            Ok(inside) => self.root.join(inside).display().to_string(),
            Err(_) => file.to_owned(),
        }
    }

    /// The branch that alone decides over the line of a place, in a file as the compiler knows it.
    pub fn deciding_branch(&self, file: &str, place: &FlipPlace) -> Option<DecidingBranch> {
        let sites = &self.recorded.recording.sites;
        sites.deciding_branch(file, &place.function, place.line)
    }

    /// Whether both places assign the same variable.
    pub fn assign_the_same(&self, file: &str, one: &FlipPlace, other: &FlipPlace) -> Option<bool> {
        let sites = &self.recorded.recording.sites;
        sites.write_the_same(file, &one.function, [one.line, other.line])
    }
}
