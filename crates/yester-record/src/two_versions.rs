//! Runs two versions of a program on the same inputs, and says whether they do the same.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use yester_path::explanation::{NEW, OLD, Versions};
use yester_path::{InputSource, ProgramInput, Run};
use yester_run::{Capture, Ending, Why};

use crate::error::RecordError;
use crate::recorder::{Recorded, Recorder, RecorderSettings, RunPlace, Seen};
use crate::session::{ProgramSession, verdict};
use crate::workshop::BuiltVersion;

/// How many bytes of events a run records: some millions. An endless loop has no end of them.
const RECORD_LIMIT: &str = "8388608";
/// How many constraints of a run count, for the same reason.
const MOST_CONSTRAINTS: usize = 20_000;

/// What to run of both versions, and how.
#[derive(Clone, Copy)]
pub struct TwoVersionsSettings<'a> {
    /// Makes the runs.
    pub session: &'a ProgramSession,
    /// The program.
    pub program: &'a Path,
    /// What the user calls it.
    pub name: &'a OsStr,
    /// The path of the program in the trees, if they have it.
    pub program_in_tree: Option<&'a OsStr>,
    /// The input that the user gave.
    pub input: &'a ProgramInput,
    /// What of it varies.
    pub symbolic: &'a [InputSource],
    /// How long a run may take.
    pub timeout: Duration,
}

/// Runs both versions, and keeps count.
pub struct TwoVersions<'a> {
    settings: TwoVersionsSettings<'a>,
    recorders: [Recorder<'a>; 2],
    /// How many runs there were.
    pub runs: u64,
}

/// What a run shows to the outside.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to its standard output.
    pub stdout: Capture,
    /// What it wrote to its standard error.
    pub stderr: Capture,
    /// Where it ran, which it may have printed.
    place: String,
}

impl<'a> TwoVersions<'a> {
    /// Runs these, the old one and the new one.
    pub fn new(settings: TwoVersionsSettings<'a>, built: &[BuiltVersion; 2]) -> TwoVersions<'a> {
        let recorder = |version: &BuiltVersion| {
            Recorder::new(RecorderSettings {
                session: settings.session,
                program: settings.program,
                name: settings.name,
                place: RunPlace::Copy(version.tree),
                input: settings.input,
                why: Why::Search,
                program_in_tree: settings.program_in_tree.map(OsString::from),
                environment: vec![("YESTER_RECORD_LIMIT".into(), RECORD_LIMIT.into())],
            })
        };
        TwoVersions {
            settings,
            recorders: [recorder(&built[OLD]), recorder(&built[NEW])],
            runs: 0,
        }
    }

    /// The user's input in one version, with what varies followed.
    ///
    /// # Errors
    /// If it leaves no recording that can be read, or the search has to end.
    pub fn record(&mut self, version: usize) -> Result<Recorded, RecordError> {
        let run = self.given(self.settings.symbolic);
        self.runs += 1;
        let mut recorded = self.recorders[version].run(run)?;
        recorded.recording.constraints.truncate(MOST_CONSTRAINTS);
        Ok(recorded)
    }

    /// The same once more, without following anything.
    ///
    /// # Errors
    /// As [`record`](Self::record).
    pub fn record_again(&mut self, version: usize) -> Result<Recorded, RecordError> {
        let run = self.given(&[]);
        self.runs += 1;
        self.recorders[version].run_again(run)
    }

    fn given(&self, symbolic: &'a [InputSource]) -> Run<'a> {
        Run {
            input: self.settings.input,
            symbolic,
            timeout: self.settings.timeout,
        }
    }
}

impl Versions for TwoVersions<'_> {
    type Shown = Seen;
    type Behaviour = Behaviour;
    type Stop = RecordError;

    fn run_all(
        &mut self,
        version: usize,
        inputs: &[ProgramInput],
        timeout: Duration,
    ) -> Result<Vec<Option<Recorded>>, RecordError> {
        let runs: Vec<Run<'_>> = inputs
            .iter()
            .map(|input| Run {
                input,
                symbolic: &[],
                timeout,
            })
            .collect();
        self.runs += runs.len() as u64;
        let recorded = self.recorders[version].run_all(&runs)?;
        Ok(recorded.into_iter().map(Result::ok).collect())
    }

    fn behaviour(&self, observation: &Seen) -> Behaviour {
        Behaviour {
            ending: observation.ending.clone(),
            stdout: observation.stdout.clone(),
            stderr: observation.stderr.clone(),
            place: self.settings.session.scratch().display().to_string(),
        }
    }

    fn agree(&self, old: &Behaviour, new: &Behaviour) -> bool {
        let is_same = old.is_same(new);
        self.settings.session.judged(verdict(is_same).outcome);
        is_same
    }
}

impl Behaviour {
    /// Whether both runs ended the same way and printed the same.
    pub fn is_same(&self, other: &Behaviour) -> bool {
        self.ending == other.ending
            && self.is_same_text(other, |one| &one.stdout)
            && self.is_same_text(other, |one| &one.stderr)
    }

    /// Whether both printed the same, but for the names of the directories that they ran in.
    fn is_same_text(&self, other: &Behaviour, part: impl Fn(&Behaviour) -> &Capture) -> bool {
        let (one, another) = (part(self), part(other));
        if one.digest == another.digest {
            return true;
        }
        is_whole(one) && is_whole(another) && self.text(&part) == other.text(&part)
    }

    /// Whether all that it printed is known.
    pub fn is_whole(&self) -> bool {
        is_whole(&self.stdout) && is_whole(&self.stderr)
    }

    /// What it printed, without the names of directories of ours.
    pub fn text(&self, part: impl Fn(&Behaviour) -> &Capture) -> String {
        part(self).text().replace(&self.place, "")
    }
}

fn is_whole(capture: &Capture) -> bool {
    capture.text().len() as u64 == capture.bytes
}
