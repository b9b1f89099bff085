//! What every command that runs something has around it: the directory of its run, its record, its journal and whoever listens.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

use yester_core::{Candidate, Outcome};
use yester_report::{Report, ReportedInput, SeenFailure, Status, VERSION};
use yester_run::{
    Consumer, Counts, EarlierSessions, Event, Events, Journal, LocalExecutor, LocalSettings,
    RunDirectory, RunStart, Sandbox, Session, scratch_directory,
};
use yester_screen::keep::{Kept, Sizes, Versions};
use yester_screen::{Log, SharedPasses};

use super::ending::trials;
use super::setup::{PROGRAM, journal, open, recount};
use crate::call::Call;
use crate::cli::TrialArguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::report;
use crate::runs::{Extent, Record, RunStatus};

/// What a call works on, and in which run.
pub struct Frame {
    pub run: Rc<RunDirectory>,
    pub events: Events,
    pub record: Record,
    /// Whether an earlier session has found the answer. Whether it still holds has to be seen.
    pub was_found: bool,
    /// What the sessions before this one have done.
    pub earlier: EarlierSessions,
    pub call: Call,
    passes: SharedPasses,
    input: ReportedInput,
}

/// What a run is about.
pub struct RunSubject<'a> {
    /// The name of the run that this call is, the first time and every time after.
    pub name: &'a str,
    /// In the user's words, for `yester runs`.
    pub target: RunTarget,
    /// How big what is searched is, and what that counts, where something is made smaller.
    pub size: Option<(u64, &'static str)>,
    pub extent: Extent,
    /// What the first runs do, in words.
    pub baseline: &'a str,
    /// The whole input, where candidates are parts of one.
    pub whole: Option<Candidate>,
    /// The outcome that the search is after.
    pub wanted: Outcome,
}

/// What a run is about, for `yester runs`: the user's words.
pub struct RunTarget {
    pub words: String,
    pub test: String,
}

/// Where runs are made, and how.
pub struct Workplace<'a> {
    /// The name of the scratch directory.
    pub name: &'a str,
    pub jobs: usize,
    pub sandbox: Sandbox,
    /// Whether the directories of the trials stay.
    pub keep: bool,
}

impl Frame {
    /// Opens the run. `own` makes consumers that only this command has.
    pub fn open(
        subject: RunSubject<'_>,
        (state, fresh): (&Path, bool),
        (call, events): (&Call, &Events),
        own: impl FnOnce(&Rc<RunDirectory>) -> Vec<Box<dyn Consumer>>,
    ) -> Result<Frame, Failure> {
        let run = open(state, subject.name, fresh, events)?;
        let earlier = Record::read(run.path());
        let was_found = earlier
            .as_ref()
            .is_some_and(|record| record.status == RunStatus::Found);
        let mut record = Record::of_call(call, &subject.target, subject.extent);
        if let Some(earlier) = earlier {
            record.started = earlier.started;
            record.doubted = earlier.doubted;
        }
        let state = |error| Failure::io(format!("write to {}", run.path().display()), &error);
        record.write_first(&run).map_err(state)?;
        // What an earlier session has told is not what this one finds.
        for told in [Kept::FILE, report::PAGE, report::SUMMARY] {
            let _ = std::fs::remove_file(run.path().join(told));
        }
        let run = Rc::new(run);
        let (size, unit) = subject.size.unwrap_or_default();
        let passes = SharedPasses::default();
        let mut consumers: Vec<Box<dyn Consumer>> = vec![
            Box::new(events.clone()),
            Box::new(Log::open(&run.path().join("debug.log"), unit)),
            Box::new(passes.clone()),
            Box::new(Sizes::new(&run)),
            Box::new(Versions::new(&run)),
        ];
        consumers.extend(own(&run));
        let events = Events::new(consumers);
        events.emit(&Event::Run(RunStart {
            directory: &run.path().display().to_string(),
            target: &subject.target.words,
            test: &subject.target.test,
            size,
            unit,
            baseline: subject.baseline,
            whole: subject.whole.as_ref(),
            wanted: subject.wanted,
        }));
        events.note(&format!(
            "yester {VERSION} {} {}",
            record.command, record.file
        ));
        Ok(Frame {
            run,
            events,
            record,
            was_found,
            earlier: EarlierSessions::default(),
            call: call.clone(),
            passes,
            input: ReportedInput {
                target: subject.target.words,
                test: subject.target.test,
                size: subject.size.map(|(size, _)| size),
                unit: subject.size.map(|(_, unit)| unit),
            },
        })
    }

    /// Reads the journal of this name, and says what earlier sessions have done.
    pub fn journal(&self, name: &str) -> Result<Journal, Failure> {
        journal(&self.run, name)
    }

    /// Says what the journal of earlier sessions tells.
    pub fn resume(&mut self, journal: &Journal) {
        self.earlier = journal.earlier();
        self.events.emit(&Event::Resumed(self.earlier));
        recount(&self.run, journal, &self.events);
    }

    /// A session on this machine.
    pub fn session(
        &self,
        journal: Journal,
        workplace: Workplace<'_>,
        visible: Vec<PathBuf>,
        deadline: Option<Instant>,
    ) -> Result<Session, Failure> {
        let events = self.events.clone();
        let executor = LocalExecutor::open(LocalSettings {
            warden: PROGRAM.into(),
            jobs: workplace.jobs,
            sandbox: workplace.sandbox,
            scratch: scratch_directory(workplace.name),
            visible,
            interrupt: Some(
                interrupt::descriptor()
                    .map_err(|error| Failure::io("watch for signals", &error))?,
            ),
            keep: workplace.keep,
            complain: Some(Box::new(move |what| events.say(what))),
        })
        .map_err(|error| {
            Failure::io("make directories for the trials", &error)
                .hint("TMPDIR=DIR puts them somewhere else")
        })?;
        let executor = Box::new(executor);
        Ok(Session::new(
            executor,
            journal,
            deadline,
            self.events.clone(),
        ))
    }

    /// Says for `yester runs` how the run has ended.
    pub fn finish(&mut self, status: RunStatus, extent: Extent) {
        self.record.status = status;
        self.record.extent = extent;
        // The journal knows it all; this is for `yester runs`.
        let _ = self.record.write(&self.run);
        self.events
            .note(&format!("ended: {status:?}, {}", extent.describe()));
    }

    /// A report without a result.
    pub fn report<R>(&self, counts: Counts, also_seen: Vec<SeenFailure>) -> Report<R> {
        Report {
            trials: trials(counts, self.earlier.counts),
            passes: self.passes.gains(),
            seconds: self.earlier.seconds + self.call.begin.elapsed().as_secs_f64(),
            run: Some(self.run.path().display().to_string()),
            also_seen,
            input: Some(self.input.clone()),
            ..self.call.report(Status::Nothing)
        }
    }
}

impl<'a> Workplace<'a> {
    /// As the user wants it.
    pub fn of(trial: &TrialArguments, name: &'a str) -> Workplace<'a> {
        Workplace {
            name,
            jobs: trial.jobs(),
            sandbox: trial.sandbox.into(),
            keep: trial.keep,
        }
    }
}
