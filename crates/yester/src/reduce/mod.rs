//! `yester reduce`: from a failing input to the part of it that fails.

mod ending;
mod input;
mod job;
mod output;
mod search;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use yester_core::{Candidate, Outcome};
use yester_report::{SCHEMA, Sure, count};
use yester_run::{
    Baseline, BaselineError, Best, Containment, Counts, ERROR_RATE, Expectation, Journal,
    Laboratory, LocalExecutor, LocalSettings, Reading, Repeat, RunDirectory, Why, Workbench,
    scratch_directory, write_directory,
};

use self::ending::Ended;
use self::job::Job;
use crate::cli::{self, ReduceArguments, SandboxChoice};
use crate::failure::{Exit, Failure};
use crate::interrupt;
use crate::log::Log;
use crate::progress::Progress;
use crate::quote;
use crate::runs::{Record, RunStatus};

pub fn run(arguments: ReduceArguments, start: &Path) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let job = Job::new(arguments, start)?;
    let ended = match attempt(&job, job.arguments.run.fresh, begin)? {
        Attempt::Ended(ended) => ended,
        Attempt::Outdated => match attempt(&job, true, begin)? {
            Attempt::Ended(ended) => ended,
            Attempt::Outdated => unreachable!("a fresh run has no earlier answer"),
        },
    };
    let Ended {
        exit,
        report,
        failure,
    } = *ended;
    let shown = if job.arguments.output_style.json {
        report.json() + "\n"
    } else {
        report.text()
    };
    cli::print(shown.as_bytes())?;
    if let Some(failure) = failure {
        failure.print();
    }
    Ok(exit)
}

enum Attempt {
    Ended(Box<Ended>),
    /// The run had an answer already, but it does not hold any more.
    Outdated,
}

/// Works on the run until it has its answer or has to stop.
fn attempt(job: &Job, fresh: bool, begin: Instant) -> Result<Attempt, Failure> {
    let run = Rc::new(job.open(fresh)?);
    let earlier = Record::read(run.path());
    let was_found = earlier
        .as_ref()
        .is_some_and(|record| record.status == RunStatus::Found);
    let original = job.input.candidate().bytes();
    let record = Record {
        schema: SCHEMA,
        command: "reduce".to_owned(),
        file: quote::word(job.arguments.file.as_os_str()),
        test: quote::command(job.command.words.iter().map(|word| word.as_os_str())),
        started: earlier.map_or_else(Record::now, |record| record.started),
        status: RunStatus::Running,
        bytes: original,
        original_bytes: original,
    };
    let state =
        |error: io::Error| Failure::io(format!("write to {}", run.path().display()), &error);
    record.write(&run).map_err(state)?;

    let style = &job.arguments.output_style;
    let log = Log::open(&run.path().join("debug.log"));
    let progress = Rc::new(RefCell::new(Progress::new(
        log,
        style.quiet,
        style.verbose,
        record.original_bytes,
    )));
    progress.borrow_mut().note(&format!(
        "yester {} reduce {}",
        env!("CARGO_PKG_VERSION"),
        record.file
    ));
    let mut work = Work {
        job,
        run,
        progress,
        record,
        begin,
    };
    let mut journal = work.journal()?;
    work.recount(&journal);
    if was_found {
        // The answer is known, but whether it still holds has to be seen.
        journal.forget(Why::Confirmation);
    }
    let ended = work.carry_out(journal, was_found);
    work.progress.borrow_mut().finish();
    match ended {
        Ok(ended) if was_found && ended.exit == Exit::Nothing => {
            work.progress
                .borrow_mut()
                .say("the earlier answer of this run does not hold any more; starting over");
            Ok(Attempt::Outdated)
        }
        Ok(ended) => Ok(Attempt::Ended(Box::new(ended))),
        Err(failure) => Err(failure),
    }
}

/// How going from the baseline to the answer has ended.
enum Session {
    Over(Box<Result<Ended, Failure>>),
    /// With an answer that does not fail when it is run again, though it did before.
    Unconfirmed(Box<Laboratory>, Box<Ended>),
}

/// The work on a run.
struct Work<'a> {
    job: &'a Job,
    run: Rc<RunDirectory>,
    progress: Rc<RefCell<Progress>>,
    record: Record,
    begin: Instant,
}

impl Work<'_> {
    fn carry_out(&mut self, journal: Journal, was_found: bool) -> Result<Ended, Failure> {
        let mut workbench = self.workbench(journal)?;
        let mut expectation = self.job.expectation(&scratch_directory(&self.job.run));
        if self.job.input.is_empty() {
            let message = format!(
                "{} is empty: nothing can be left out",
                self.job.arguments.file.display()
            );
            return Ok(self.nothing(
                Failure {
                    exit: Exit::Nothing,
                    message,
                    hint: None,
                },
                workbench.counts,
            ));
        }
        loop {
            let (laboratory, ended) = match self.session(workbench, &expectation) {
                Session::Over(ended) => return *ended,
                Session::Unconfirmed(laboratory, ended) => (laboratory, ended),
            };
            let is_surprise = *laboratory.repeat() == Repeat::Once && expectation.repeat.is_none();
            if was_found || expectation.doubtful || !is_surprise {
                return Ok(*ended);
            }
            self.progress
                .borrow_mut()
                .say("the answer does not always fail; going over it again with repeats");
            expectation.doubtful = true;
            workbench = laboratory.into_workbench();
            // What this session has found out so far is the past of the next one.
            workbench.journal = self.journal()?;
        }
    }

    /// From the baseline to the answer, once.
    fn session(&mut self, mut workbench: Workbench, expectation: &Expectation) -> Session {
        let input = self.job.input.candidate();
        let empty = self.job.input.nothing();
        let baseline = match Baseline::establish(&mut workbench, &input, &empty, expectation) {
            Ok(baseline) => baseline,
            Err(BaselineError::Stop(stop)) => {
                return Session::Over(Box::new(self.stopped(
                    stop,
                    workbench.counts,
                    None,
                    Vec::new(),
                )));
            }
            Err(error) => return Session::Over(Box::new(self.no_baseline(&error, workbench))),
        };
        self.introduce(&baseline, &workbench);

        let mut best = BestOnDisk {
            run: Rc::clone(&self.run),
            name: self.job.name.clone(),
            improvements: 0,
            kept: u64::MAX,
        };
        if let Err(error) = best.save(&input) {
            return Session::Over(Box::new(Err(Failure::io("write the best so far", &error))));
        }
        let failure = failure(&baseline);
        let mut laboratory = Laboratory::new(
            workbench,
            baseline.judge,
            baseline.repeat,
            self.job.arguments.run.max_trials.map(|most| most as u64),
            baseline.trials,
            Best {
                candidate: input.clone(),
                size: search::measure,
                save: Box::new(move |candidate| best.save(candidate)),
            },
        );
        laboratory.remember(&input, Outcome::Fail);
        laboratory.remember(&empty, baseline.empty);

        let found = self.job.method.search(
            &mut laboratory,
            &self.job.input,
            &self.job.arguments.file,
            &self.progress,
        );
        let found = found.and_then(|answer| {
            self.progress
                .borrow_mut()
                .doing("checking the answer in a clean directory");
            let confirmation = laboratory.confirm(&answer.candidate)?;
            Ok((answer, confirmation))
        });
        let others = self.save_others(&laboratory);
        let (answer, (outcome, failures, runs)) = match found {
            Ok(found) => found,
            Err(stop) => {
                let best = Some((laboratory.best().clone(), failure));
                return Session::Over(Box::new(self.stopped(
                    stop,
                    laboratory.counts(),
                    best,
                    others,
                )));
            }
        };
        let confidence =
            matches!(laboratory.repeat(), Repeat::Sequential { .. }).then_some(1.0 - ERROR_RATE);
        let mut report = self.report(laboratory.counts(), others);
        report.failure = Some(failure);
        report.sure = Some(Sure {
            failures,
            runs,
            confidence,
        });
        if outcome == Outcome::Fail {
            Session::Over(Box::new(self.found(&answer, report)))
        } else {
            let ended = self.unconfirmed(report);
            Session::Unconfirmed(Box::new(laboratory), Box::new(ended))
        }
    }

    /// Says what an earlier session of this run has left.
    fn recount(&self, journal: &Journal) {
        let mut progress = self.progress.borrow_mut();
        if journal.remembered() > 0 {
            let trials = count(journal.remembered() as u64, "trial");
            let run = self.run.path().display();
            progress.say(&format!(
                "going on with {run}: {trials} known already (--fresh starts over)"
            ));
        }
        if journal.unreadable() > 0 {
            let lines = count(journal.unreadable() as u64, "line");
            progress.say(&format!(
                "{lines} of its journal cannot be read; those trials are run again"
            ));
        }
    }

    fn journal(&self) -> Result<Journal, Failure> {
        let path = self.run.path().join("journal.jsonl");
        Journal::open(&path)
            .map_err(|error| Failure::io(format!("open {}", path.display()), &error))
    }

    fn workbench(&self, journal: Journal) -> Result<Workbench, Failure> {
        let job = self.job;
        let executor = LocalExecutor::open(LocalSettings {
            warden: "/proc/self/exe".into(),
            jobs: job.jobs(),
            sandbox: job.arguments.trial.sandbox.into(),
            scratch: scratch_directory(&job.run),
            visible: job.visible(),
            interrupt: Some(
                interrupt::descriptor()
                    .map_err(|error| Failure::io("watch for signals", &error))?,
            ),
            keep: job.arguments.trial.keep,
        })
        .map_err(|error| {
            Failure::io("make directories for the trials", &error)
                .hint("TMPDIR=DIR puts them somewhere else")
        })?;
        let progress = Rc::clone(&self.progress);
        Ok(Workbench {
            executor: Box::new(executor),
            journal,
            invocation: Arc::new(job.invocation()),
            subject: Arc::new(job.subject()),
            deadline: job
                .arguments
                .run
                .max_time
                .and_then(|time| self.begin.checked_add(time)),
            observer: Box::new(move |event| progress.borrow_mut().event(event)),
            counts: Counts::default(),
        })
    }

    fn introduce(&self, baseline: &Baseline, workbench: &Workbench) {
        let mut progress = self.progress.borrow_mut();
        for note in &self.job.method.notes {
            progress.say(note);
        }
        progress.say(&match &baseline.judge.reading {
            Reading::Interesting => {
                "reading: exit 0 means interesting, still failing (--failing reads it as passing)"
                    .to_owned()
            }
            Reading::Failing(signature) => {
                format!("reading: the command fails with {signature}, and must go on to do so")
            }
            Reading::Rules(_) => format!("reading: {}", failure(baseline)),
        });
        if baseline.failures < baseline.runs {
            let how = match baseline.repeat {
                Repeat::Once => "every candidate is run once all the same".to_owned(),
                Repeat::UpTo(most) => {
                    format!("every candidate is run up to {most} times, until it fails")
                }
                Repeat::Sequential { .. } => {
                    format!(
                        "every candidate is run as often as needed for {:.0}% confidence",
                        100.0 * (1.0 - ERROR_RATE)
                    )
                }
            };
            progress.say(&format!(
                "the input failed in {} of {} runs; {how}",
                baseline.failures, baseline.runs
            ));
        }
        if self.job.arguments.trial.keep {
            let scratch = scratch_directory(&self.job.run);
            progress.say(&format!(
                "the directories of the trials stay in {}",
                scratch.display()
            ));
        }
        if let Some(containment) = workbench.executor.containment() {
            progress.note(&format!("containment: {}", containment.describe()));
            if containment == Containment::ProcessGroup
                && self.job.arguments.trial.sandbox == SandboxChoice::Auto
            {
                progress.say("this machine allows no namespaces; tests are contained by their process group only");
            }
        }
        progress.note(&format!(
            "timeout: {:?}, jobs: {}",
            baseline.timeout,
            self.job.jobs()
        ));
    }
}

/// Keeps the best so far where it can be used at any moment, and the way to it.
struct BestOnDisk {
    run: Rc<RunDirectory>,
    name: OsString,
    improvements: usize,
    /// The size of the last one that was kept on the way.
    kept: u64,
}

/// Up to this size every improvement is kept, above only those that make a difference.
const SMALL: u64 = 4096;

impl BestOnDisk {
    fn save(&mut self, candidate: &Candidate) -> io::Result<()> {
        save(&self.run, Path::new("best"), &self.name, candidate)?;
        let bytes = candidate.bytes();
        if bytes < self.kept && (bytes <= SMALL || bytes <= self.kept / 10 * 9) {
            let number = format!("improvements/{:04}", self.improvements);
            save(&self.run, Path::new(&number), &self.name, candidate)?;
            self.improvements += 1;
            self.kept = bytes;
        }
        Ok(())
    }
}

/// Writes a file into a directory of the run, or a tree as that directory.
fn save(
    run: &RunDirectory,
    directory: &Path,
    name: &OsStr,
    candidate: &Candidate,
) -> io::Result<()> {
    match candidate {
        Candidate::File(text) => run.write(directory.join(name), text).map(drop),
        Candidate::Tree(entries) => {
            let place = run.path().join(directory);
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            write_directory(&place, entries)
        }
    }
}

/// What counts as the failure, in words.
fn failure(baseline: &Baseline) -> String {
    match &baseline.judge.reading {
        Reading::Interesting => "exit 0".to_owned(),
        Reading::Failing(signature) => signature.to_string(),
        Reading::Rules(rules) => rules
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" and "),
    }
}
