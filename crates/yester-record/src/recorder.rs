//! Runs a program on given inputs, under the containment and limits of any trial, and reads what it recorded.

use std::env;
use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use yester_core::{Candidate, Hash, Outcome};
use yester_path::intervention::search::RightOutput;
use yester_path::{
    InputSource, Printed, ProgramInput, Recording, RecordingError, Run, RunEnd, Shown, processes,
};
use yester_run::{Capture, Ending, Exchange, Invocation, Observation, Ran, Subject, Why};

use crate::error::RecordError;
use crate::input_placement::put_input;
use crate::session::{ProgramRun, ProgramSession, check_started, user_environment};

/// What to run, and how.
pub struct RecorderSettings<'a> {
    /// Makes the runs.
    pub session: &'a ProgramSession,
    /// The program.
    pub program: &'a Path,
    /// What the user calls it.
    pub name: &'a OsStr,
    /// Where it runs.
    pub place: RunPlace<'a>,
    /// Its input as the user gave it. Files that a run changes are put beside the user's.
    pub input: &'a ProgramInput,
    /// The path of the program in the tree that it runs in, if that has it.
    pub program_in_tree: Option<OsString>,
    /// Why it runs.
    pub why: Why,
    /// What the program's environment has besides our own.
    pub environment: Vec<(OsString, OsString)>,
}

/// Where a program runs.
#[derive(Clone, Copy)]
pub enum RunPlace<'a> {
    /// Where the user is.
    Here(&'a Path),
    /// In a copy of this tree, so that nothing that the program writes stays.
    Copy(Hash),
}

/// Runs the program, and reads its recordings.
pub struct Recorder<'a> {
    settings: RecorderSettings<'a>,
}

/// What a run has shown.
#[derive(Clone, Debug)]
pub struct Seen(pub Observation);

impl Deref for Seen {
    type Target = Observation;

    fn deref(&self) -> &Observation {
        &self.0
    }
}

impl Shown for Seen {
    fn end(&self) -> RunEnd {
        match self.ending {
            Ending::Exit(code) => RunEnd::Exit(code),
            Ending::Signal(signal) => RunEnd::Signal(signal),
            Ending::Timeout => RunEnd::Timeout,
            Ending::Cancelled | Ending::NotStarted(_) | Ending::Lost => RunEnd::Other,
        }
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    fn printed(&self) -> Printed {
        Printed {
            bytes: self.stdout.bytes,
            digest: self.stdout.digest.clone(),
        }
    }

    fn whole_output(&self) -> Option<Vec<u8>> {
        self.stdout.whole()
    }
}

/// What a right run prints, where somebody has it in a file.
pub fn expected(stdout: &[u8]) -> RightOutput {
    let capture = Capture::of(stdout);
    RightOutput {
        printed: Printed {
            bytes: capture.bytes,
            digest: capture.digest,
        },
        whole: Some(stdout.to_owned()),
    }
}

/// One run of the program.
pub type Recorded = yester_path::Recorded<Seen>;

/// The directory of recordings in what a run leaves.
const RECORD: &str = "record";

impl<'a> Recorder<'a> {
    /// For this program.
    pub fn new(settings: RecorderSettings<'a>) -> Recorder<'a> {
        Recorder { settings }
    }

    /// Says what runs have turned out to be.
    pub fn judged(&self, outcomes: &[Outcome]) {
        outcomes
            .iter()
            .for_each(|outcome| self.settings.session.judged(*outcome));
    }

    /// Runs the program once.
    ///
    /// # Errors
    /// If it leaves no recording that can be read, or the search has to end.
    pub fn run(&mut self, run: Run<'_>) -> Result<Recorded, RecordError> {
        let mut all = self.run_all(&[run])?;
        all.pop().expect("one run has one result")
    }

    /// Runs the program once more on an input that it has run on, to see whether it does the same again.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_again(&mut self, run: Run<'_>) -> Result<Recorded, RecordError> {
        let settings = &self.settings;
        let again = settings.carry_out(&[run], Why::Confirmation, |ran| settings.read(ran));
        again?.pop().expect("one run has one result")
    }

    /// Runs the program on several inputs, as many at once as there are jobs. The results are in the order of the inputs,
    /// whatever the number of jobs. The outer error is one of ours or an interruption, and ends all runs.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_all(
        &mut self,
        runs: &[Run<'_>],
    ) -> Result<Vec<Result<Recorded, RecordError>>, RecordError> {
        let settings = &self.settings;
        let recorded = settings.carry_out(runs, settings.why, |ran| settings.read(ran))?;
        // A run that left no recording is the program's doing. One that cannot be read now is not.
        let (mut read, mut failure) = (Vec::new(), None);
        for one in recorded {
            match one {
                Err(error) if error.is_of_system() => failure = failure.or(Some(error)),
                one => read.push(one),
            }
        }
        failure.map_or(Ok(read), Err)
    }

    /// Runs a program that need not be instrumented on several inputs, as [`run_all`](Self::run_all) does.
    ///
    /// # Errors
    /// If the search has to end.
    pub fn observe_all(&mut self, runs: &[Run<'_>]) -> Result<Vec<Seen>, RecordError> {
        self.settings.carry_out(runs, self.settings.why, |ran| {
            let observation = ran.trial.observation;
            Seen(observation.expect("runs of a list keep what they have seen"))
        })
    }
}

impl RecorderSettings<'_> {
    fn carry_out<T>(
        &self,
        runs: &[Run<'_>],
        why: Why,
        read: impl Fn(Ran) -> T,
    ) -> Result<Vec<T>, RecordError> {
        let wanted: Vec<ProgramRun> = runs.iter().map(|run| self.program_run(run, why)).collect();
        let mut results: Vec<Option<T>> = Vec::new();
        results.resize_with(runs.len(), || None);
        self.session.run_all(&wanted, &|_, _| None, |index, ran| {
            results[index] = Some(read(ran));
            Ok(())
        })?;
        Ok(results
            .into_iter()
            .map(|result| result.expect("each run has ended"))
            .collect())
    }

    /// Reads what a run has left.
    fn read(&self, ran: Ran) -> Result<Recorded, RecordError> {
        check_started(ran.observation(), "the program")?;
        let outputs = ran.outputs.expect("a recording is wanted");
        let observation = ran.trial.observation;
        let observation = observation.expect("runs of a list keep what they have seen");
        let records = outputs.path().join(RECORD);
        let found = processes(&records).map_err(RecordError::io("read a recording"))?;
        let recording = match found.first() {
            Some(directory) => Recording::open(directory),
            None => Err(RecordingError::Missing(records.clone())),
        };
        let recording = recording.map_err(|error| self.complaint(error, &observation))?;
        Ok(Recorded {
            recording,
            observation: Seen(observation),
            others: found.len() - 1,
            files: Box::new(outputs),
        })
    }

    fn complaint(&self, error: RecordingError, observation: &Observation) -> RecordError {
        match error {
            RecordingError::Missing(_) => RecordError::NotRecorded {
                program: self.name.to_string_lossy().into_owned(),
                ending: observation.ending.clone(),
            },
            error => error.into(),
        }
    }

    fn program_run(&self, run: &Run<'_>, why: Why) -> ProgramRun {
        let input = run.input;
        let mut exchange = Exchange {
            directories: vec![RECORD.to_owned()],
            variables: vec![("YESTER_RECORD".into(), RECORD.to_owned())],
            wants_outputs: true,
            ..Exchange::default()
        };
        let entries = put_input(input, self.input, &mut exchange);
        let subject = match self.place {
            RunPlace::Copy(base) => Subject::Tree { base },
            RunPlace::Here(directory) if entries.is_empty() => Subject::Here {
                directory: directory.to_owned(),
                writable: Vec::new(),
            },
            RunPlace::Here(directory) => Subject::Tree {
                base: self.session.provide("here", directory),
            },
        };
        let mut environment: Vec<(OsString, OsString)> = user_environment().collect();
        environment.extend(self.environment.iter().cloned());
        let sources: Vec<String> = run.symbolic.iter().map(InputSource::to_string).collect();
        let symbolic = sources.join("\n");
        if !sources.is_empty() {
            environment.push(("YESTER_SYMBOLIC".into(), symbolic.clone().into()));
        }
        if let Some(limit) = env::var_os("YESTER_RECORD_LIMIT") {
            environment.push(("YESTER_RECORD_LIMIT".into(), limit));
        }
        let confinement = self.session.confinement();
        let is_guarded = confinement.guards(input != self.input);
        ProgramRun {
            label: format!("record {symbolic}"),
            why,
            invocation: Invocation {
                program: self.program.into(),
                program_in_tree: self.program_in_tree.clone(),
                arguments: input.arguments.clone(),
                has_placeholders: false,
                environment,
                stdin: false,
                timeout: run.timeout,
                memory: confinement.memory(is_guarded, self.session.jobs()),
                is_guarded,
                build: None,
                counterpart: None,
                helpers: Vec::new(),
            },
            subject,
            candidate: Candidate::Tree(entries),
            exchange,
            ignored: &[],
        }
    }
}
