//! Carries out any command that runs trials: baseline, search, proof, report.
//!
//! A command is an [`Investigation`]: it says what is searched, how, and what the answer looks like. The driver owns
//! everything else: the run's directory and record, the journal, going on with an earlier run, interruption and limits,
//! the proof in a clean place, and the report.

mod ending;
mod investigation;
mod setup;

use std::rc::Rc;
use std::time::Instant;

use yester_report::{ReportedInput, SeenFailure};
use yester_run::{
    BestSoFar, CommandLab, Consumer, Counts, EarlierSessions, Event, Events, Expectation, Journal,
    LabSettings, RunDirectory, RunStart, Runner, Why,
};

use self::ending::Ended;
pub use self::investigation::{
    Halt, Investigation, RunTarget, SharedArguments, Standing, TrialSetup,
};
pub use self::setup::{PROGRAM, discard, journal, open, visible};
use crate::call;
use crate::failure::{Exit, Failure};
use crate::log::Log;
use crate::passes::SharedPasses;
use crate::runs::{Record, RunStatus};

/// Works on a run until it has its answer or has to stop, and reports.
pub fn drive<I: Investigation>(
    investigation: &mut I,
    events: &Events,
    begin: Instant,
) -> Result<Exit, Failure> {
    let fresh = investigation.arguments().run.fresh;
    let ended = match Drive::start(investigation, fresh, events, begin)?.carry_out()? {
        Some(ended) => ended,
        // An earlier answer of this run does not hold any more.
        None => Drive::start(investigation, true, events, begin)?
            .carry_out()?
            .expect("a fresh run has no earlier answer"),
    };
    let style = investigation.arguments().output_style;
    match investigation.prints_result() {
        true => ended.tell_aside(style, I::text),
        false => ended.tell(style, I::text),
    }
}

/// The journal of a run.
pub const JOURNAL: &str = "journal.jsonl";

/// The journal of trials in trees that are made anew each time, after those in reused trees have misled.
const CLEAN_JOURNAL: &str = "journal.clean.jsonl";

/// How many other failures are told about.
const OTHER_FAILURES: usize = 5;

/// One attempt at a run.
struct Drive<'a, I: Investigation> {
    investigation: &'a mut I,
    run: Rc<RunDirectory>,
    events: Events,
    passes: SharedPasses,
    record: Record,
    /// Whether an earlier session has found the answer. Whether it still holds has to be seen.
    was_found: bool,
    /// What the sessions before this one have done.
    earlier: EarlierSessions,
    begin: Instant,
}

/// How going from the baseline to the answer has ended.
enum Round<R> {
    Over(Ended<R>),
    /// The answer does not hold in a clean place. Says so, and whether to search again.
    Refuted(Box<Runner>, Ended<R>, Option<&'static str>),
}

impl<'a, I: Investigation> Drive<'a, I> {
    fn start(
        investigation: &'a mut I,
        fresh: bool,
        events: &Events,
        begin: Instant,
    ) -> Result<Self, Failure> {
        let RunTarget { words, test } = investigation.target();
        call::input(ReportedInput {
            target: words,
            test,
            size: Some(investigation.size()),
            unit: Some(I::UNIT),
        });
        let arguments = investigation.arguments();
        let run = open(&arguments.run.state_dir, arguments.name, fresh)?;
        let earlier = Record::read(run.path());
        let was_found = earlier
            .as_ref()
            .is_some_and(|record| record.status == RunStatus::Found);
        let extent = investigation.extent(investigation.size());
        let mut record = Record::of_call(investigation.start(), extent);
        if let Some(earlier) = earlier {
            record.started = earlier.started;
            record.doubted = earlier.doubted;
        }
        let state = |error| Failure::io(format!("write to {}", run.path().display()), &error);
        record.write_first(&run).map_err(state)?;
        let run = Rc::new(run);
        let passes = SharedPasses::default();
        let mut consumers: Vec<Box<dyn Consumer>> = vec![
            Box::new(events.clone()),
            Box::new(Log::open(&run.path().join("debug.log"), I::UNIT)),
            Box::new(passes.clone()),
        ];
        consumers.extend(investigation.consumers(&run));
        let events = Events::new(consumers);
        events.emit(&Event::Run(RunStart {
            directory: &run.path().display().to_string(),
            size: investigation.size(),
            unit: I::UNIT,
            baseline: I::BASELINE,
            whole: investigation.whole().as_ref(),
        }));
        events.note(&format!(
            "yester {} {} {}",
            env!("CARGO_PKG_VERSION"),
            I::COMMAND,
            record.file
        ));
        Ok(Drive {
            investigation,
            run,
            events,
            passes,
            record,
            was_found,
            earlier: EarlierSessions::default(),
            begin,
        })
    }

    /// Nothing if an earlier answer of this run does not hold any more.
    fn carry_out(mut self) -> Result<Option<Ended<I::Result>>, Failure> {
        let ended = self.rounds();
        let ended = ended?;
        self.investigation.clean_up(&self.run, ended.exit);
        if self.was_found && ended.exit == Exit::Nothing {
            self.events
                .say("the earlier answer of this run does not hold any more; starting over");
            return Ok(None);
        }
        Ok(Some(ended))
    }

    fn rounds(&mut self) -> Result<Ended<I::Result>, Failure> {
        self.events.step(I::INTRODUCTION, None);
        self.investigation.introduce(&self.events)?;
        if let Some(failure) = self.investigation.nothing_to_search() {
            return Ok(self.nothing(failure, Counts::default()));
        }
        self.events.step(I::PREPARATION, None);
        let setup = self.investigation.prepare(&self.run)?;
        let journal = self.journal()?;
        self.earlier = journal.earlier();
        self.events.emit(&Event::Resumed(self.earlier));
        setup::recount(&self.run, &journal, &self.events);
        let mut expectation = self.investigation.expectation();
        let mut runner = self.runner(journal, setup)?;
        let mut looks = usize::from(self.record.doubted);
        loop {
            expectation.doubtful = self.record.doubted;
            let (refuted, ended, again) = match self.round(runner, &expectation)? {
                Round::Over(ended) => return Ok(ended),
                Round::Refuted(runner, ended, again) => (runner, ended, again),
            };
            let Some(message) = again.filter(|_| looks < I::LOOKS && !self.was_found) else {
                return Ok(ended);
            };
            self.events.say(message);
            looks += 1;
            self.record.doubted = true;
            self.record.status = RunStatus::Running;
            // Without it the next session finds out by itself.
            let _ = self.record.write(&self.run);
            runner = *refuted;
            // What this session has found out so far is the past of the next one.
            runner.journal = self.journal()?;
            if !I::STARTS_CLEAN_JOURNAL {
                // The journal has the trials of this session, too, and its baseline is judged again.
                self.earlier.counts = runner.journal.earlier().counts;
                runner.counts = Counts {
                    cancelled: runner.counts.cancelled,
                    cached: runner.counts.cached,
                    predicted: runner.counts.predicted,
                    ..Counts::default()
                };
            }
        }
    }

    /// From the baseline to the answer, once.
    fn round(
        &mut self,
        mut runner: Runner,
        expectation: &Expectation,
    ) -> Result<Round<I::Result>, Failure> {
        let established = self
            .investigation
            .establish(&mut runner, expectation, &self.run);
        let baseline = match established {
            Ok(baseline) => baseline,
            Err(Halt::Stop(stop)) => {
                return Ok(Round::Over(self.stopped(
                    stop,
                    runner.counts,
                    None,
                    Vec::new(),
                )));
            }
            Err(Halt::Nothing(failure)) => {
                let counts = runner.counts;
                // What was seen must not stand in the way of a second attempt with the test mended.
                drop(runner);
                for name in [JOURNAL, CLEAN_JOURNAL] {
                    let _ = std::fs::remove_file(self.run.path().join(name));
                }
                self.record.doubted = false;
                return Ok(Round::Over(self.nothing(failure, counts)));
            }
        };
        for remark in self.investigation.remarks(&baseline) {
            self.events.say(&remark);
        }
        self.present(I::baseline(&baseline), &runner);
        let settings = LabSettings {
            judge: I::baseline(&baseline).judge.clone(),
            repeat: I::baseline(&baseline).repeat.clone(),
            max_trials: self
                .investigation
                .arguments()
                .run
                .max_trials
                .map(|most| most as u64),
            spent_trials: I::baseline(&baseline).trials,
            always_clean: self.record.doubted || I::needs_clean_trees(&baseline),
            keep_outputs: I::KEEPS_OUTPUTS,
        };
        let best = self.investigation.best(&self.run)?;
        let mut lab = CommandLab::new(runner, settings, best);
        self.investigation.teach(&mut lab, &baseline);
        let failure = setup::failure(I::baseline(&baseline));
        let mut findings = Vec::new();
        let holds = self.search(&mut lab, &baseline, &mut findings);
        let others = self.save_others(&lab);
        let counts = lab.counts();
        match holds {
            Ok(true) => {
                let ended = self.found(&findings, counts, failure, others)?;
                Ok(Round::Over(ended))
            }
            Ok(false) => {
                let sure = findings.iter().find_map(I::sure);
                let ended = self.refuted(counts, failure, sure, others);
                let again = self.investigation.second_look(lab.repeat());
                Ok(Round::Refuted(Box::new(lab.into_runner()), ended, again))
            }
            Err(Halt::Nothing(failure)) => Ok(Round::Over(self.nothing(failure, counts))),
            Err(Halt::Stop(stop)) => {
                if findings.last().is_none_or(I::is_proved) {
                    findings.extend(self.investigation.unfinished(lab.best()));
                }
                let best = Some((findings, failure));
                Ok(Round::Over(self.stopped(stop, counts, best, others)))
            }
        }
    }

    /// Searches and proves, one finding after the other. Says whether all of them hold.
    fn search(
        &self,
        lab: &mut CommandLab<I::Best>,
        baseline: &I::Baseline,
        findings: &mut Vec<I::Finding>,
    ) -> Result<bool, Halt> {
        loop {
            let mut finding = self.investigation.search(lab, baseline, findings)?;
            let proved = self
                .investigation
                .prove(lab, baseline, &mut finding, findings);
            findings.push(finding);
            if !proved? {
                return Ok(false);
            }
            if self.investigation.is_complete(findings) {
                return Ok(true);
            }
        }
    }

    fn journal(&self) -> Result<Journal, Failure> {
        let name = match self.record.doubted && I::STARTS_CLEAN_JOURNAL {
            true => CLEAN_JOURNAL,
            false => JOURNAL,
        };
        let mut journal = journal(&self.run, name)?;
        if self.was_found {
            journal.forget(Why::Confirmation);
        }
        Ok(journal)
    }

    fn save_others<B: BestSoFar>(&self, lab: &CommandLab<B>) -> Vec<SeenFailure> {
        let others = lab.others().into_iter().enumerate().take(OTHER_FAILURES);
        others
            .filter_map(|(index, (signature, other))| {
                let path = std::path::Path::new("other").join((index + 1).to_string());
                let path = self
                    .investigation
                    .save(&self.run, &path, &other.smallest)
                    .ok()?;
                Some(SeenFailure {
                    failure: signature.to_string(),
                    seen: other.seen,
                    path: path.display().to_string(),
                })
            })
            .collect()
    }
}
