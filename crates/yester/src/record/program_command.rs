//! A command that runs programs, from its run to how it has ended.

use std::path::{Path, PathBuf};

use yester_run::Events;

use super::confinement::Confinement;
use super::session::{Keeping, ProgramSession};
use crate::call::Call;
use crate::driver::{Frame, RunSubject, Workplace};
use crate::failure::{Exit, Failure};
use crate::finished::Finished;

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

impl ProgramCommand<'_> {
    /// Opens the run and its session, has the work done, and says in the run how it has ended.
    pub fn carry_out(
        self,
        call: &Call,
        events: &Events,
        work: impl FnOnce(&ProgramSession, &Frame) -> Result<Finished, Failure>,
    ) -> Result<Finished, Failure> {
        let mut frame = Frame::open(self.subject, self.state, (call, events), |_| Vec::new())?;
        let around = (call.start.as_path(), self.files.as_slice());
        let session = ProgramSession::open(
            &mut frame,
            self.workplace,
            around,
            self.confinement,
            self.keeping,
        )?;
        let finished = work(&session, &frame).unwrap_or_else(|failure| {
            let report = frame.report::<()>(session.counts(), Vec::new());
            Finished::failed(failure, report)
        });
        session.close(&mut frame, finished.exit == Exit::Found);
        Ok(finished)
    }
}
