//! Carries out any command that runs trials: baseline, search, proof, report.
//!
//! A command is a [`Problem`], a [`Search`] and a [`Presentation`]: what is searched, how, and what the answer looks like. The driver owns
//! everything else: the run's directory and record, the journal, going on with an earlier run, interruption and limits,
//! the proof in a clean place, and the report.

mod ending;
mod frame;
mod investigation;
mod setup;

use yester_core::Outcome;
use yester_report::SeenFailure;
use yester_run::{
    BestSoFar, CommandLab, Counts, Events, Expectation, Journal, LabSettings, Runner, Why,
};

pub use self::ending::{Ended, reason, with_runs};
pub use self::frame::{Frame, RunSubject, RunTarget, Workplace};
pub use self::investigation::{
    Halt, Presentation, Problem, Scope, Search, SharedArguments, Standing, TrialSetup, Words,
};
pub use self::setup::{discard, visible};
use crate::call::Call;
use crate::failure::{Exit, Failure};
use crate::finished::Finished;
use crate::runs::RunStatus;

/// Works on a run until it has its answer or has to stop, and reports.
pub fn drive<I: Presentation>(
    investigation: &mut I,
    call: &Call,
    events: &Events,
) -> Result<Finished, Failure> {
    let fresh = investigation.arguments().run.fresh;
    let ended = match Drive::start(investigation, fresh, (call, events))?.carry_out()? {
        Some(ended) => ended,
        // An earlier answer of this run does not hold any more.
        None => Drive::start(investigation, true, (call, events))?
            .carry_out()?
            .expect("a fresh run has no earlier answer"),
    };
    Ok(Finished {
        exit: ended.exit,
        report: Box::new(ended.report),
        failure: ended.failure,
        answer: ended.answer,
    })
}

/// The journal of a run.
pub const JOURNAL: &str = "journal.jsonl";

/// The journal of trials in trees that are made anew each time, after those in reused trees have misled.
const CLEAN_JOURNAL: &str = "journal.clean.jsonl";

/// How many other failures are told about.
const OTHER_FAILURES: usize = 5;

/// One attempt at a run.
struct Drive<'a, I: Presentation> {
    investigation: &'a mut I,
    frame: Frame,
}

/// How going from the baseline to the answer has ended.
enum Round<R> {
    Over(Ended<R>),
    /// The answer does not hold in a clean place. Says so, and whether to search again.
    Refuted(Box<Runner>, Ended<R>, Option<&'static str>),
}

impl<'a, I: Presentation> Drive<'a, I> {
    fn start(
        investigation: &'a mut I,
        fresh: bool,
        call: (&Call, &Events),
    ) -> Result<Self, Failure> {
        let arguments = investigation.arguments();
        let scope = investigation.scope();
        let subject = RunSubject {
            name: arguments.name,
            target: scope.target,
            size: Some((scope.size, I::WORDS.unit)),
            extent: investigation.extent(scope.size),
            baseline: I::WORDS.baseline,
            whole: scope.whole,
            wanted: Outcome::Fail,
        };
        let place = (arguments.run.state_dir.as_path(), fresh);
        let frame = Frame::open(subject, place, call, |run| investigation.consumers(run))?;
        Ok(Drive {
            investigation,
            frame,
        })
    }

    /// Nothing if an earlier answer of this run does not hold any more.
    fn carry_out(mut self) -> Result<Option<Ended<I::Result>>, Failure> {
        let ended = self.rounds();
        let ended = ended?;
        self.investigation.clean_up(&self.frame.run, ended.exit);
        if self.frame.was_found && ended.exit == Exit::Nothing {
            self.frame
                .events
                .say("the earlier answer of this run does not hold any more; starting over");
            return Ok(None);
        }
        Ok(Some(ended))
    }

    fn rounds(&mut self) -> Result<Ended<I::Result>, Failure> {
        self.frame.events.step(I::WORDS.introduction, None);
        self.investigation.introduce(&self.frame.events)?;
        if let Some(failure) = self.investigation.nothing_to_search() {
            return Ok(self.nothing(failure, Counts::default()));
        }
        self.frame.events.step(I::WORDS.preparation, None);
        let setup = self.investigation.prepare(&self.frame.run)?;
        let journal = self.journal()?;
        self.frame.resume(&journal);
        let mut expectation = self.investigation.expectation();
        let mut runner = self.runner(journal, setup)?;
        let mut looks = usize::from(self.frame.record.doubted);
        loop {
            expectation.doubtful = self.frame.record.doubted;
            let (refuted, ended, again) = match self.round(runner, &expectation)? {
                Round::Over(ended) => return Ok(ended),
                Round::Refuted(runner, ended, again) => (runner, ended, again),
            };
            let Some(message) = again.filter(|_| looks < I::LOOKS && !self.frame.was_found) else {
                return Ok(ended);
            };
            self.frame.events.say(message);
            looks += 1;
            self.frame.record.doubted = true;
            self.frame.record.status = RunStatus::Running;
            // Without it the next session finds out by itself.
            let _ = self.frame.record.write(&self.frame.run);
            runner = *refuted;
            // What this session has found out so far is the past of the next one.
            runner.session.journal = self.journal()?;
            if !I::STARTS_CLEAN_JOURNAL {
                // The journal has the trials of this session, too, and its baseline is judged again.
                self.frame.earlier.counts = runner.session.journal.earlier().counts;
                runner.session.counts = Counts {
                    cancelled: runner.session.counts.cancelled,
                    cached: runner.session.counts.cached,
                    predicted: runner.session.counts.predicted,
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
            .establish(&mut runner, expectation, &self.frame.run);
        let baseline = match established {
            Ok(baseline) => baseline,
            Err(Halt::Stop(stop)) => {
                return Ok(Round::Over(self.stopped(
                    stop,
                    runner.session.counts,
                    None,
                    Vec::new(),
                )));
            }
            Err(Halt::Nothing(failure)) => {
                let counts = runner.session.counts;
                // What was seen must not stand in the way of a second attempt with the test mended.
                drop(runner);
                for name in [JOURNAL, CLEAN_JOURNAL] {
                    let _ = std::fs::remove_file(self.frame.run.path().join(name));
                }
                self.frame.record.doubted = false;
                return Ok(Round::Over(self.nothing(failure, counts)));
            }
        };
        for remark in self.investigation.remarks(&baseline) {
            self.frame.events.say(&remark);
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
            always_clean: self.frame.record.doubted
                || self.investigation.needs_clean_trees(&baseline),
            keep_outputs: I::KEEPS_OUTPUTS,
        };
        let best = self.investigation.best(&self.frame.run)?;
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
        let name = if self.frame.record.doubted && I::STARTS_CLEAN_JOURNAL {
            CLEAN_JOURNAL
        } else {
            JOURNAL
        };
        let mut journal = self.frame.journal(name)?;
        if self.frame.was_found {
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
                    .save(&self.frame.run, &path, &other.smallest)
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
