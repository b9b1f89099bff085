//! `yester reduce`: from a failing input to the part of it that fails.

mod ending;
mod input;
mod job;
mod output;
mod search;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use yester_core::{Candidate, Outcome};
use yester_report::{SCHEMA, Sure};
use yester_run::{
    Baseline, BaselineError, Best, ERROR_RATE, Expectation, Journal, Laboratory, Repeat,
    RunDirectory, Survival, Why, Workbench, write_directory,
};

use self::ending::Ended;
use self::job::Job;
use crate::cli::ReduceArguments;
use crate::failure::{Exit, Failure};
use crate::log::Log;
use crate::progress::Progress;
use crate::quote;
use crate::runs::{Extent, Record, RunStatus};
use crate::session::{self, Attempt, Session};

pub fn run(arguments: ReduceArguments, start: &Path) -> Result<Exit, Failure> {
    let begin = Instant::now();
    let job = Job::new(arguments, start)?;
    let ended =
        session::until_it_holds(job.arguments.run.fresh, |fresh| attempt(&job, fresh, begin))?;
    ended.tell(
        job.arguments.output_style.json,
        yester_report::Reduction::text,
    )
}

/// Works on the run until it has its answer or has to stop.
fn attempt(job: &Job, fresh: bool, begin: Instant) -> Result<Attempt<Ended>, Failure> {
    let run = Rc::new(session::open(
        &job.arguments.run.state_dir,
        &job.run,
        fresh,
    )?);
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
        extent: Extent::Bytes {
            bytes: original,
            original_bytes: original,
        },
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
        (original, "bytes"),
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
        original,
        begin,
    };
    let mut journal = work.journal()?;
    session::recount(&work.run, &journal, &mut work.progress.borrow_mut());
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
enum Round {
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
    /// The size of the whole input.
    original: u64,
    begin: Instant,
}

impl Work<'_> {
    fn carry_out(&mut self, journal: Journal, was_found: bool) -> Result<Ended, Failure> {
        let job = self.job;
        let mut workbench =
            self.lab()
                .workbench(journal, job.invocation(), job.subject(), job.visible()?)?;
        let mut expectation = self.job.expectation();
        if self.job.input.is_empty() {
            let message = format!(
                "{} is empty: nothing can be left out",
                self.job.arguments.file.display()
            );
            return Ok(self.nothing(
                Failure {
                    exit: Exit::Nothing,
                    message,
                    evidence: Vec::new(),
                    hint: None,
                },
                workbench.counts,
            ));
        }
        loop {
            let (laboratory, ended) = match self.round(workbench, &expectation) {
                Round::Over(ended) => return *ended,
                Round::Unconfirmed(laboratory, ended) => (laboratory, ended),
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
    fn round(&mut self, mut workbench: Workbench, expectation: &Expectation) -> Round {
        let input = self.job.input.candidate();
        let empty = self.job.input.nothing();
        let baseline = match Baseline::establish(&mut workbench, &input, &empty, expectation) {
            Ok(baseline) => baseline,
            Err(BaselineError::Stop(stop)) => {
                return Round::Over(Box::new(self.stopped(
                    stop,
                    workbench.counts,
                    None,
                    Vec::new(),
                )));
            }
            Err(error) => return Round::Over(Box::new(self.no_baseline(&error, workbench))),
        };
        for note in &self.job.method.notes {
            self.progress.borrow_mut().say(note);
        }
        self.lab().introduce("the input", &baseline, &workbench);

        let mut best = BestOnDisk {
            run: Rc::clone(&self.run),
            name: self.job.name.clone(),
            improvements: 0,
            kept: u64::MAX,
        };
        if let Err(error) = best.save(&input) {
            return Round::Over(Box::new(Err(Failure::io("write the best so far", &error))));
        }
        self.job.rescue(&self.run.path().join("best"));
        let failure = session::failure(&baseline);
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
                return Round::Over(Box::new(self.stopped(
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
            Round::Over(Box::new(self.found(&answer, report)))
        } else {
            let ended = self.unconfirmed(report);
            Round::Unconfirmed(Box::new(laboratory), Box::new(ended))
        }
    }

    fn journal(&self) -> Result<Journal, Failure> {
        session::journal(&self.run, "journal.jsonl")
    }

    fn lab(&self) -> Session<'_> {
        Session {
            run: &self.job.run,
            trial: &self.job.arguments.trial,
            limits: &self.job.arguments.run,
            begin: self.begin,
            progress: &self.progress,
        }
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
            write_directory(&run.path().join(directory), entries, Survival::Kill)
        }
    }
}
