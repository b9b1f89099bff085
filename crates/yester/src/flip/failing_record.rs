//! Records the failing run on the user's own input.

use std::path::Path;
use std::time::Duration;

use yester_path::Run;
use yester_path::intervention::FailingRecord;
use yester_record::{BuiltVersion, ProgramSession, Recorder, RecorderSettings, RunPlace, Seen};
use yester_run::{Ending, Why};

use super::job::FlipJob;
use crate::failure::{Exit, Failure};

/// How many bytes of events are recorded: about a million.
const RECORD_LIMIT: &str = "1048576";
/// How long the run may take while it is recorded.
const PATIENCE: Duration = Duration::from_secs(5);

/// Records it, for questions about the tree `root`. Nothing if the program leaves no recording.
pub fn record(
    (job, session): (&FlipJob, &ProgramSession),
    (built, root): (&BuiltVersion, &Path),
    (failing, is_program): (&Seen, bool),
    expected: Option<&[u8]>,
) -> Result<Option<FailingRecord<Seen>>, Failure> {
    let mut recorder = Recorder::new(RecorderSettings {
        session,
        program: &job.test.command.program,
        name: &job.test.command.words[0],
        place: RunPlace::Copy(built.tree),
        input: &job.test.input,
        why: Why::Search,
        program_in_tree: job.test.program_in_tree.clone(),
        environment: vec![
            ("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into()),
            ("YESTER_OUTPUT".into(), "1".into()),
        ],
    });
    let recorded = recorder.run(Run {
        input: &job.test.input,
        symbolic: &job.symbolic,
        timeout: match failing.ending {
            Ending::Timeout => Duration::from_secs(1),
            _ => PATIENCE.max(failing.elapsed * 10).min(PATIENCE * 4),
        },
    });
    match recorded.map_err(Failure::from) {
        Ok(recorded) => {
            // What is wrong about it is not known if the user judges, and not what of it a test looks at.
            let is_known = is_program && !job.is_judged_by_user();
            let wrong = is_known.then_some((failing, expected));
            let record = FailingRecord::new(recorded, [&built.root, root], is_program, wrong)?;
            Ok(Some(record))
        }
        // A script, or a program of another compiler.
        Err(failure) if failure.exit == Exit::Usage => Ok(None),
        Err(failure) => Err(failure),
    }
}
