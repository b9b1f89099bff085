//! A command that runs programs, from its run to how it has ended.

use std::path::{Path, PathBuf};
use std::time::Instant;

use yester_record::{Confinement, ProgramSession, ProgramSessionSettings};
use yester_run::Events;

use crate::call::Call;
use crate::cli::RunArguments;
use crate::driver::{self, Frame, JOURNAL, RunSubject, Workplace};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::runs::{Extent, RunStatus, disk_bytes};

/// Where a run keeps what its runs have left.
const OUTPUTS: &str = "outputs";

/// So many bytes of it are kept behind an answer.
const MOST_KEPT: u64 = 8 << 20;

/// What such a command says of itself.
pub struct ProgramCommand<'a> {
    pub subject: RunSubject<'a>,
    /// Where runs are kept, and whether this one forgets what it knows.
    pub state: (&'a Path, bool),
    pub workplace: Workplace<'a>,
    /// Files that runs must be able to read in every sandbox, with what lies beside them.
    pub files: Vec<PathBuf>,
    pub confinement: Confinement,
    pub keeping: Keeping<'a>,
}

/// What is kept of a session for the next one, and what ends it.
#[derive(Clone, Copy)]
pub enum Keeping<'a> {
    /// The next call starts anew.
    Nothing,
    /// What runs leave. The command itself sees to its limits.
    Outputs,
    /// The same, within the limits of the user.
    Within(&'a RunArguments),
}

impl Keeping<'_> {
    fn deadline(self, frame: &Frame) -> Option<Instant> {
        match self {
            Keeping::Within(limits) => frame.call.begin.checked_add(limits.max_time?),
            Keeping::Nothing | Keeping::Outputs => None,
        }
    }

    fn most_runs(self) -> Option<u64> {
        match self {
            Keeping::Within(limits) => Some(limits.max_trials? as u64),
            Keeping::Nothing | Keeping::Outputs => None,
        }
    }
}

impl ProgramCommand<'_> {
    /// Opens the run and its session, has the work done, and says in the run how it has ended.
    pub fn carry_out(
        self,
        call: &Call,
        events: &Events,
        work: impl FnOnce(&ProgramSession, &Frame) -> Result<Finished, Failure>,
    ) -> Result<Finished, Failure> {
        let subject = self.subject;
        let mut frame = Frame::open(subject, self.state, (call, events), |_| Vec::new())?;
        let settings = ProgramSessionSettings {
            name: self.workplace.name,
            jobs: self.workplace.jobs,
            confinement: self.confinement,
            most_runs: self.keeping.most_runs(),
            outputs: match self.keeping {
                Keeping::Nothing => None,
                Keeping::Outputs | Keeping::Within(_) => Some(frame.run.path().join(OUTPUTS)),
            },
        };
        let session = ProgramSession::open(settings, &call.start, |places| {
            let visible = driver::visible(&self.files, places);
            let journal = frame.journal(JOURNAL)?;
            frame.resume(&journal);
            let deadline = self.keeping.deadline(&frame);
            frame.session(journal, self.workplace, visible, deadline)
        })?;
        let finished = work(&session, &frame).unwrap_or_else(|failure| {
            let report = frame.report::<()>(session.counts(), Vec::new());
            Finished::failed(failure, report)
        });
        close(&session, &mut frame, finished.exit == Exit::Found);
        Ok(finished)
    }
}

/// Says for `yester runs` how the run has ended. What runs have left stays for the next call, unless that is much and there is an
/// answer.
fn close(session: &ProgramSession, frame: &mut Frame, is_found: bool) {
    let trials = frame.earlier.counts.run + session.counts().run;
    let status = if is_found {
        let outputs = frame.run.path().join(OUTPUTS);
        if disk_bytes(&outputs) > MOST_KEPT {
            driver::discard(&outputs);
        }
        RunStatus::Found
    } else {
        RunStatus::Stopped
    };
    frame.finish(status, Extent::Trials { trials });
}
